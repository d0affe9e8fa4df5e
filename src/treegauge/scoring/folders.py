"""Folders of gold files and of systems' output, matched file by file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.treebanks.sources import ENDINGS, SPLITS, Source, short_name, split_of


@dataclass(frozen=True)
class Pairing:
    """Gold files by treebank and, for each system, the output of its runs by treebank."""

    gold: dict[str, str]
    systems: dict[str, dict[str, list[str]]]


def pair_folders(
    gold: Source, systems: Mapping[str, Source | Sequence[Source]], *, split: str | None = None
) -> Pairing:
    """Match the files of folders by name or, where gold names repeat, by path in the folder.

    Parameters
    ----------
    gold
        A folder of gold files, also in folders inside it.
    systems
        System names mapped to their folder, or to the folders of several runs. A treebank that
        one of the runs lacks counts as missing: a mean over fewer runs would be another score.
    split
        ``"train"``, ``"dev"`` or ``"test"``: only the gold files whose names say so, as in the
        folders of a UD release.
    """
    if split is not None and split not in SPLITS:
        raise ChoiceError("split", split, SPLITS)
    files = [path for path in _files(Path(gold)) if split in {None, split_of(path)}]
    if not files:
        which = f" for split {split!r}" if split else ""
        raise TreegaugeError(f"{gold}: found no .conllu file in this folder{which}")
    whole = len({short_name(path) for path in files}) < len(files)
    return Pairing(
        _by_name(Path(gold), files, whole),
        {system: _runs(folders, whole) for system, folders in systems.items()},
    )


def _runs(folders: Source | Sequence[Source], whole: bool) -> dict[str, list[str]]:
    each = [folders] if isinstance(folders, str | PathLike) else folders
    runs = [_by_name(Path(one), _files(Path(one)), whole) for one in each]
    return {name: [run[name] for run in runs] for name in runs[0] if all(name in r for r in runs)}


def _by_name(folder: Path, files: Sequence[Path], whole: bool) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in files:
        name = short_name(path)
        if whole:
            name = (path.relative_to(folder).parent / name).as_posix()
        if name in found:
            raise TreegaugeError(f"{found[name]} and {path} are both named {name}: keep one")
        found[name] = str(path)
    return found


def _files(folder: Path) -> list[Path]:
    return sorted(path for ending in ENDINGS for path in folder.rglob(f"*.conllu{ending}"))
