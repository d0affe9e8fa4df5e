"""Files of recordings: ``.npz``, or ``.parquet`` with one row per word."""

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError, check_format
from treegauge.core.files import atomic
from treegauge.core.safe_reading import check_parquet
from treegauge.core.text_formats import parse_json
from treegauge.learning.recordings.recording import Recording
from treegauge.parsing.base import from_npz, to_npz
from treegauge.treebanks.sources.files import Source

ENDINGS = (".npz", ".parquet")
"""Kinds of files with recordings."""
_FORMAT = 2


def save_recordings(path: Source, recordings: Mapping[str, Recording], more: Mapping[str, Any] | None = None) -> None:
    """Write recordings of the same words, and data for JSON, to one file, atomically."""
    data = packed_recordings(recordings, more, Path(path).suffix)
    with atomic(path) as file:
        file.write(data)


def packed_recordings(recordings: Mapping[str, Recording], more: Mapping[str, Any] | None, ending: str) -> bytes:
    """Return the bytes of a file with recordings of the same words."""
    if ending not in ENDINGS:
        raise ChoiceError("kind of file", ending, ENDINGS)
    arrays = {
        f"{name}/{key}": value for name, recording in recordings.items() for key, value in recording.arrays().items()
    }
    facts = ("treebank", "split", "signature", "epochs", "relations")
    headers = {name: {key: getattr(recording, key) for key in facts} for name, recording in recordings.items()}
    header = {"format": _FORMAT, "recordings": headers, "more": dict(more or {})}
    return (to_npz if ending == ".npz" else _parquet)(header, arrays)


def load_recordings(path: Source) -> tuple[dict[str, Recording], dict[str, Any]]:
    """Read a file of :func:`save_recordings`: recordings by name, and the other data."""
    if Path(path).suffix not in ENDINGS:
        raise ChoiceError("kind of file", Path(path).suffix, ENDINGS)
    return unpacked_recordings(Path(path).read_bytes(), str(path))


def unpacked_recordings(data: bytes, name: str) -> tuple[dict[str, Recording], dict[str, Any]]:
    """Return the recordings in the bytes of a file; `name` is for errors."""
    read = from_npz if data[:2] == b"PK" else _from_parquet
    try:
        header, arrays = read(io.BytesIO(data))
        check_format(name, header["format"], _FORMAT, "make the recording again")
        recordings = {}
        for key, values in header["recordings"].items():
            named = {n[len(key) + 1 :]: a for n, a in arrays.items() if n.startswith(f"{key}/")}
            lists = {n: tuple(values[n]) for n in ("epochs", "relations")}
            recordings[key] = Recording(**{**values, **lists, **named})
        return recordings, header["more"]
    except TreegaugeError as error:
        raise TreegaugeError(f"{name}: {error}".replace(f"{name}: {name}", name)) from None
    except (ValueError, KeyError, TypeError, EOFError, OSError, zlib.error, zipfile.BadZipFile) as error:
        raise TreegaugeError(f"{name} is not a recording, or is truncated") from error


def _parquet(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    # Sentences are fewer than words: their arrays are in the header.
    trees = {name: a.tolist() for name, a in arrays.items() if name.endswith("/trees_logp")}
    columns = {
        name: pa.array(array) if array.ndim == 1 else pa.FixedSizeListArray.from_arrays(array.T.ravel(), len(array))
        for name, array in arrays.items()
        if name not in trees
    }
    metadata = {"treegauge": json.dumps({**header, "trees": trees})}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns).replace_schema_metadata(metadata), sink, compression="zstd")
    return bytes(sink.getvalue().to_pybytes())


def _from_parquet(data: io.BytesIO) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_parquet(data)
    data.seek(0)
    table = pq.read_table(data)
    header = parse_json(table.schema.metadata[b"treegauge"])
    arrays = {}
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        if not pa.types.is_fixed_size_list(column.type):
            arrays[name] = column.to_numpy(zero_copy_only=False)
            continue
        flat = column.flatten().to_numpy(zero_copy_only=False)
        size = column.type.list_size
        arrays[name] = np.ascontiguousarray(flat.reshape(table.num_rows, size).T)
    for name, trees in header.pop("trees").items():
        arrays[name] = np.array(trees, np.float32).reshape(len(trees), -1)
    return header, arrays
