"""What files a treebank has: a hash of each, and how many sentences and words."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.sources import find, open_bytes, short_name, split_of


@dataclass(frozen=True)
class Inventory:
    """A treebank as plans see it.

    Attributes
    ----------
    files
        SHA-256 of each file's content, unpacked.
    sentences, words
        How many each part has; the part of a file that does not say is ``""``.
    """

    files: Mapping[str, str]
    sentences: Mapping[str, int]
    words: Mapping[str, int]


def inventory(treebank: str) -> Inventory:
    """Look through a treebank's files; those that did not change since are not read again."""
    paths = find(treebank)
    if not all(Path(path).is_file() for path in paths):
        raise TreegaugeError(f"{treebank}: expected files, which can be read more than once")
    stamps = []
    for path in paths:
        state = Path(path).stat()
        stamps.append((path, state.st_size, state.st_mtime_ns, state.st_ino))
    return _inventory(tuple(stamps))


def treebank_files(treebank: str, places: Mapping[str, str]) -> dict[str, str]:
    """Return the hashes of a treebank's files, and of further treebanks' under their names."""
    further = {
        f"{name}/{file}": digest
        for name, path in places.items()
        for file, digest in inventory(path).files.items()
    }
    return {**inventory(treebank).files, **further}


def parser_files(parser: str, options: Mapping[str, Any]) -> dict[str, str]:
    """Return a hash of the template that a parser runs by, if it is one of those."""
    from treegauge.parsers.registry import PARSERS, make_parser

    if parser not in PARSERS:  # none, or one of the user's own
        return {}
    template = getattr(make_parser(parser, **options), "template", None)
    return {} if template is None else {f"template {template.name}": template.digest}


@lru_cache(maxsize=1024)
def _inventory(stamps: tuple[tuple[str, int, int, int], ...]) -> Inventory:
    files: dict[str, str] = {}
    sentences: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for path, *_ in stamps:
        with open_bytes(path) as stream:
            data = stream.read()
        files[short_name(path)] = hashlib.sha256(data).hexdigest()
        part = split_of(path) or ""
        firsts, rows = _counts(data)
        sentences[part] += firsts
        words[part] += rows
    return Inventory(files, dict(sentences), dict(words))


def _counts(data: bytes) -> tuple[int, int]:
    r"""Count sentences (rows of a word 1) and rows, without reading the rest.

    Examples
    --------
    >>> _counts(b"# 1\n1-2\tab\n1\ta\n2\tb\n\n1\tc\n\n")
    (2, 4)
    """
    firsts = data.count(b"\n1\t") + data.startswith(b"1\t")
    raw = np.frombuffer(b"\n" + data, np.uint8)
    after = raw[1:][raw[:-1] == ord("\n")]
    return firsts, int(((after >= ord("0")) & (after <= ord("9"))).sum())
