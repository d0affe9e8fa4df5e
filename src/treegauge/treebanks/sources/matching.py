"""Distinct names of files, and matching of output files with gold files."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.sources.entries import UD_FILE
from treegauge.treebanks.sources.files import SPLITS, Source, short_name, split_of
from treegauge.treebanks.sources.languages import code_of, fold, own_name, release_of

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank


BEGINNING = 60
"""Number of bytes by which texts are matched that are not the same."""


def distinct_names(paths: Sequence[Source], names: Sequence[str] | None = None) -> list[str]:
    """Return distinct names for files or folders, by default those of treebanks and files.

    If two are the same, the release of each is added, else the parent folder, else the folders in
    which their paths differ. No name has more of a path, which is private, than that.

    Examples
    --------
    >>> distinct_names(["/home/me/mst/1", "/home/me/mst/2"], ["mst", "mst"])
    ['mst/1', 'mst/2']
    """
    whole = [Path(path).absolute() for path in paths]
    candidates = list(names or [own_name(short_name(path))[0] for path in whole])
    for longer in (_with_release, _with_parent):
        repeated = {name for name in candidates if candidates.count(name) > 1}
        if not repeated:
            return candidates
        alike = {name: {longer(p, n) for p, n in zip(whole, candidates, strict=True) if n == name} for name in repeated}
        candidates = [
            longer(path, name) if name in repeated and len(alike[name]) > 1 else name
            for path, name in zip(whole, candidates, strict=True)
        ]
    for name in {name for name in candidates if candidates.count(name) > 1}:
        group = [i for i, candidate in enumerate(candidates) if candidate == name]
        if len({whole[i] for i in group}) > 1:
            shared = os.path.commonpath([whole[i] for i in group])
            for i in group:
                path = whole[i].relative_to(shared)
                inner = path.with_name(short_name(path)).as_posix()
                candidates[i] = inner if inner.endswith(f"/{name}") else f"{name}/{inner}"
    return candidates


def _with_release(path: Path, name: str) -> str:
    folders = [own_name(part)[1] or release_of(part) for part in path.parts[-3:]]
    release = next((release_name for release_name in reversed(folders) if release_name), None)
    return f"{name}@{release}" if release and "@" not in name else name


def _with_parent(path: Path, name: str) -> str:
    return f"{path.parent.name}/{name}"


@dataclass(frozen=True)
class OutputMatch:
    """The output of each gold file, gold files with two outputs and why, output without gold, and the run."""

    pairs: dict[str, str]
    doubled: dict[str, str]
    unmatched: list[str]
    home: str = ""


def match_outputs(gold_files: Sequence[Source], output_files: Sequence[Source]) -> OutputMatch:
    """Match a system's output files to gold files, by file name, treebank code, name, or text.

    All outputs are from one system, with at most one per gold file. ``el_gdt-ud-test.conllu``,
    ``el_gdt.conllu`` and ``UD_Greek-GDT.conllu`` all match the test set of UD_Greek-GDT; output
    that matches no name is matched by its text, or by how its text begins, so that an incomplete
    output is not taken for a missing one.
    """
    golds, outputs = [os.fspath(p) for p in gold_files], [os.fspath(p) for p in output_files]
    pairs: dict[str, str] = {}
    doubled: dict[str, list[str]] = {}
    levels: list[Callable[[str], str | None]] = [
        lambda path: _with_parent(Path(path), short_name(path)),
        short_name,
        _code_and_split,
        _code,
        _treebank_name,
    ]
    for level in levels:
        _pair_by(level, golds, outputs, pairs, doubled)
    for level in (_text_of, _beginning_of):
        if set(outputs) - set(pairs.values()) and len(pairs) < len(golds):
            _pair_by(level, golds, outputs, pairs, doubled)
    used = {*pairs.values(), *(path for paths in doubled.values() for path in paths)}
    why = {
        gold: f"{' and '.join(Path(path).name for path in sorted(paths))} have the text of {Path(gold).name}; "
        "expected one output of each system per treebank"
        for gold, paths in doubled.items()
    }
    in_order = {path: pairs[path] for path in golds if path in pairs}
    return OutputMatch(in_order, why, [path for path in outputs if path not in used])


def _pair_by(
    level: Callable[[str], str | None],
    golds: Sequence[str],
    outputs: Sequence[str],
    pairs: dict[str, str],
    doubled: dict[str, list[str]],
) -> None:
    """Pair files with the same key, if one gold file and one output have it."""
    free: dict[str, list[str]] = {}
    for path in golds:
        if path not in pairs and (key := level(path)):
            free.setdefault(key, []).append(path)
    candidates: dict[str, list[str]] = {}
    for path in outputs:
        if path not in pairs.values() and (key := level(path)) in free:
            candidates.setdefault(key, []).append(path)
    for key, paths in candidates.items():
        if len(paths) == len(free[key]) == 1:
            pairs[free[key][0]] = paths[0]
        elif level is _text_of and len(free[key]) == 1:
            doubled[free[key][0]] = paths


def _code(path: str) -> str | None:
    """Return the code of a file's treebank, from the name of the file or its folder."""
    stem = short_name(path)
    if match := UD_FILE.match(stem):
        return match["code"].lower()
    name = own_name(stem)[0]
    if name.startswith("UD_"):
        return (code_of(name) or fold(name)).lower()
    folder = own_name(Path(path).absolute().parent.name)[0]
    if split_of(path) and folder.startswith("UD_"):
        return (code_of(folder) or fold(folder)).lower()
    parts = stem.replace(".", "-").split("-")
    return "-".join(part for part in parts if part not in SPLITS).lower() or None


def _treebank_name(path: str) -> str | None:
    """Return the treebank name in the name of a file or its folder."""
    names = (own_name(text)[0] for text in (short_name(path), Path(path).absolute().parent.name))
    return next((fold(name) for name in names if name.startswith("UD_")), None)


def _code_and_split(path: str) -> str | None:
    code, split = _code(path), split_of(path)
    return f"{code}/{split}" if code and split else None


def _text_of(path: str) -> str | None:
    treebank = _readable(path)
    return None if treebank is None else text_digest(treebank)


def _beginning_of(path: str) -> str | None:
    treebank = _readable(path)
    return None if treebank is None else _characters(treebank)[:BEGINNING].hex()


def _readable(path: str) -> "Treebank | None":
    from treegauge.treebanks.data.conllu import TOLERABLE, read_conllu

    try:
        treebank = read_conllu(path, errors="skip", need_heads=False, allow=TOLERABLE)
    except TreegaugeError:
        return None
    return treebank if len(treebank) else None


def text_digest(treebank: "Treebank") -> str:
    """Return a digest of a treebank's characters without spaces, equal for analyses of one text."""
    return sha256(_characters(treebank)).hexdigest()


def _characters(treebank: "Treebank") -> bytes:
    import numpy as np

    from treegauge.kernels.alignment import characters
    from treegauge.kernels.scan import MULTIWORD

    token = treebank.kinds == MULTIWORD
    token[treebank.rows] = treebank.multiword < 0
    rows = np.flatnonzero(token).astype(np.int32)
    text, _ = characters(treebank.raw, treebank.fields, rows)
    return text.tobytes()
