"""Models as files: arrays and a JSON header in one archive, without pickle."""

import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import TreegaugeError
from treegauge.results.files import atomic
from treegauge.treebanks.sources import Source

FORMAT = 1


def check_place(path: Source) -> None:
    """Refuse a place where no file can be written, before hours of training.

    Examples
    --------
    >>> check_place("/no/such/folder/greek.model")
    Traceback (most recent call last):
    ...
    treegauge.results.errors.TreegaugeError: /no/such/folder/greek.model: there is no folder ...
    """
    target = Path(path).resolve()
    if target.is_dir():
        raise TreegaugeError(f"{path} is a folder; expected the name of a file to write")
    if not target.parent.is_dir():
        raise TreegaugeError(f"{path}: there is no folder {target.parent}")
    if not os.access(target if target.is_char_device() else target.parent, os.W_OK):
        raise TreegaugeError(f"{path}: no permission to write there")


def save_model(
    path: Source, parser: str, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
) -> None:
    """Write a model; the same model gives the same bytes.

    Parameters
    ----------
    path
        One file, which appears whole or not at all.
    parser
        Name of the parser that can load it.
    header
        What JSON can hold: options, names, signature.
    arrays
        Weights.
    """
    told = {"format": FORMAT, "parser": parser, **header}
    text = np.frombuffer(json.dumps(told, sort_keys=True).encode(), np.uint8)
    with atomic(path) as file:
        np.savez_compressed(file, allow_pickle=False, **{**arrays, "header": text})


def load_archive(path: Source) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Read header and arrays of a model, refusing what is not one."""
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop("header").tobytes())
        if not isinstance(header, dict) or "parser" not in header:
            raise KeyError("parser")
    except OSError as error:
        raise TreegaugeError(f"{path}: cannot read the model: {error}") from error
    except (ValueError, KeyError, TypeError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise TreegaugeError(f"{path} is not a model of treegauge, or is cut off") from error
    if header.get("format") != FORMAT:
        raise TreegaugeError(
            f"{path} is a model of format {header.get('format')!r}; this version reads {FORMAT}: "
            "train it again"
        )
    return header, arrays
