"""The provenance of a cell: files of treebanks and parsers, versions and the machine."""

import hashlib
import json
import platform
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from treegauge import __version__
from treegauge.core.errors import TreegaugeError
from treegauge.parsing.registry import known_parsers, make_parser
from treegauge.treebanks.sources.files import open_bytes, short_name, split_of
from treegauge.treebanks.sources.resolver import find

PACKAGES = ("numpy", "polars", "scipy")
#: The packages behind the extras that parsers need.
LIBRARIES = {"udpipe": "ufal.udpipe", "neural": "torch"}


@dataclass(frozen=True)
class Inventory:
    """A treebank as plans see it: SHA-256 of each file's content, and counts by split.

    A file without a split in its name is under ``""``.
    """

    files: Mapping[str, str]
    sentences: Mapping[str, int]
    words: Mapping[str, int]


def inventory(treebank: str) -> Inventory:
    """Count and hash a treebank's files; unchanged files are not read again."""
    paths = find(treebank)
    if not all(Path(path).is_file() for path in paths):
        raise TreegaugeError(f"{treebank}: expected regular files, which can be read more than once")
    states = [(path, Path(path).stat()) for path in paths]
    return _inventory(tuple((path, s.st_size, s.st_mtime_ns, s.st_ino) for path, s in states))


def treebank_files(treebank: str, places: Mapping[str, str]) -> dict[str, str]:
    """Return the hashes of a treebank's files, and of further treebanks' under their names."""
    further = {
        f"{name}/{file}": digest for name, path in places.items() for file, digest in inventory(path).files.items()
    }
    return {**inventory(treebank).files, **further}


def parser_files(parser: str, options: Mapping[str, Any]) -> dict[str, str]:
    """Return a hash of the template of an external parser, if it has one."""
    if parser not in known_parsers():  # none, or a user's
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
        split = split_of(path) or ""
        firsts, rows = _counts(data)
        sentences[split] += firsts
        words[split] += rows
    return Inventory(files, dict(sentences), dict(words))


def _counts(data: bytes) -> tuple[int, int]:
    r"""Count sentences (by their word 1) and rows, without reading the other columns.

    Examples
    --------
    >>> _counts(b"# 1\n1-2\tab\n1\ta\n2\tb\n\n1\tc\n\n")
    (2, 4)
    """
    firsts = data.count(b"\n1\t") + data.startswith(b"1\t")
    raw = np.frombuffer(b"\n" + data, np.uint8)
    after = raw[1:][raw[:-1] == ord("\n")]
    return firsts, int(((after >= ord("0")) & (after <= ord("9"))).sum())


@lru_cache
def environment(parser: str) -> str:
    """Return host, commit and versions as one line of JSON; the same facts, the same line."""
    facts = {
        "host": platform.node(),
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
        "treegauge": __version__,
        "commit": commit(Path(__file__).parents[3]),
    }
    needed = known_parsers()[parser].needs if parser in known_parsers() else None
    library = LIBRARIES.get(needed or "", needed)
    for package in filter(None, (*PACKAGES, library)):
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = None
    return json.dumps(facts, sort_keys=True)


def commit(root: Path) -> str | None:
    """Return the commit of a git checkout, read from its files; None if there is none."""
    git = root / ".git"
    try:
        if git.is_file():  # a linked work tree
            git = (root / git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()).resolve()
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref:"):
            return head
        reference = head.partition(":")[2].strip()
        shared = git / "commondir"
        common = (git / shared.read_text(encoding="utf-8").strip()).resolve() if shared.exists() else git
        loose = common / reference
        if loose.exists():
            return loose.read_text(encoding="utf-8").strip()
        for line in (common / "packed-refs").read_text(encoding="utf-8").splitlines():
            if line.endswith(f" {reference}"):
                return line.split()[0]
    except OSError:
        pass
    return None
