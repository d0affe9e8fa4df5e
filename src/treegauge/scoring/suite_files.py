"""Folders of gold files and of systems' output, matched file by file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import note
from treegauge.treebanks.inputs import is_treebank_folder
from treegauge.treebanks.languages import own_name
from treegauge.treebanks.matching import distinct_names, match_outputs
from treegauge.treebanks.sources import ENDINGS, SPLITS, Source, short_name, split_of


@dataclass(frozen=True)
class SuiteFiles:
    """Gold files by treebank and, for each system, the output of its runs by treebank."""

    gold: dict[str, str]
    systems: dict[str, dict[str, list[str]]]


def match_folders(
    gold: Source,
    systems: Mapping[str, Source | Sequence[Source]],
    *,
    split: str | None = None,
    common: bool = False,
) -> SuiteFiles:
    """Match gold files with the output of systems, by file name, treebank code, name or text.

    Parameters
    ----------
    gold
        A folder of gold files, also in folders inside it.
    systems
        System names mapped to their folder, or to the folders of several runs. A treebank that
        one of the runs lacks counts as missing: a mean over fewer runs would be another score.
    split
        ``"train"``, ``"dev"`` or ``"test"``: only the gold files whose names say so. Without,
        of one treebank's folder the sets for which there is output.
    common
        Whether only treebanks are scored for which every system has output.
    """
    if split is not None and split not in SPLITS:
        raise ChoiceError("split", split, SPLITS)
    files = [path for path in _files(Path(gold)) if split in {None, split_of(path)}]
    if not files:
        which = f" for split {split!r}" if split else ""
        raise TreegaugeError(f"{gold}: found no .conllu file in this folder{which}")
    names = dict(zip(files, distinct_names(files, _treebank_names(files)), strict=True))
    outputs: dict[str, dict[str, list[str]]] = {}
    for system, folders in systems.items():
        runs = []
        for folder in [folders] if isinstance(folders, str | PathLike) else folders:
            matched = match_outputs(files, _files(Path(folder)))
            if matched.unmatched:
                shown = ", ".join(Path(path).name for path in matched.unmatched[:3])
                note(f"{folder}: {len(matched.unmatched)} files match no gold file: {shown}")
            runs.append(matched.pairs)
        shared = [path for path in files if all(path in run for run in runs)]
        outputs[system] = {names[path]: [run[path] for run in runs] for path in shared}
    if split is None and is_treebank_folder(Path(gold)):  # one treebank: the sets that were parsed
        parsed = {name for own in outputs.values() for name in own}
        files = [path for path in files if names[path] in parsed] or files
    kept = {names[path]: path for path in files}
    missing = {name for name in kept for own in outputs.values() if name not in own}
    if missing and common:
        kept = {name: path for name, path in kept.items() if name not in missing}
        if not kept:
            raise TreegaugeError(f"no treebank of {gold} has output of every system")
    return SuiteFiles(kept, outputs)


def _treebank_names(files: Sequence[str]) -> list[str]:
    """Name each file by its treebank's folder, if that is ``UD_...`` and has no other of them."""
    folders = [own_name(Path(path).absolute().parent.name)[0] for path in files]
    return [
        folder if folder.startswith("UD_") and folders.count(folder) == 1 else short_name(path)
        for path, folder in zip(files, folders, strict=True)
    ]


def _files(folder: Path) -> list[str]:
    return sorted(str(path) for ending in ENDINGS for path in folder.rglob(f"*.conllu{ending}"))
