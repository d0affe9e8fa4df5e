"""Inputs of a page: recognised and loaded, with system output matched to gold."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note
from treegauge.core.result import Result
from treegauge.core.verbs import Verb, command
from treegauge.learning.dynamics.cartography import MapArchive, stored_maps
from treegauge.reporting.saved import SavedClaim, SavedResults, match_saved, saved_result
from treegauge.scoring.alignment.segmentation import mismatch, segmentation
from treegauge.scoring.breakdown import breakdown
from treegauge.scoring.classes.class_scores import Breakdowns
from treegauge.scoring.metrics.convention import Convention
from treegauge.scoring.score import score
from treegauge.scoring.scores import Scores
from treegauge.scoring.systems import matched_runs, name_and_path, system_homes, treebank_names
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import Errors, short_name
from treegauge.treebanks.sources.inputs import Input, recognise, with_gold
from treegauge.treebanks.sources.matching import distinct_names

KINDS = ("treebank", "conllu", "system", "scores", "counts", "store", "recording", "transfer", "packaged", "object")
"""Kinds of inputs that a page can show."""
HOW_TO_NAME_GOLD = (
    "give the treebank's folder, or name the gold file or folder: --gold FILE (gold=FILE), "
    "or the systems: NAME=PATH for each of them"
)


@dataclass(frozen=True)
class ScoredTreebank:
    """A gold treebank and the runs of systems by name, with their paths in commands."""

    gold: Treebank
    systems: Mapping[str, Sequence[Treebank]]
    gold_file: str
    files: Mapping[str, Sequence[str]]
    errors: Errors = "strict"

    def command(self, convention: Convention = Convention(), **options: object) -> str:
        """Return the command that scores them."""
        return self._command(score, convention, options)

    def breakdown(self, convention: Convention = Convention(), **options: object) -> str:
        """Return the command that breaks their scores down."""
        return self._command(breakdown, convention, options)

    def _command(self, verb: Verb[Any], convention: Convention, options: Mapping[str, object]) -> str:
        chosen = {
            "errors": None if self.errors == "strict" else self.errors,
            "convention": None if convention.official else convention.name,
        }
        words = [word for own in self.files.values() for word in own]
        return command(verb, self.gold_file, *words, **chosen, **options)


class Recorded(NamedTuple):
    """Recordings of training and their treebank, with their paths in commands."""

    archive: MapArchive
    treebank: Treebank
    file: str = "RECORDING"
    home: str = "TREEBANK"
    number: int | None = None  # among the maps of a store


@dataclass(frozen=True)
class PageInputs:
    """Everything a page is made of.

    Commands on the page are run in the folder `base`; None: in the current folder. Treebank
    folders are audited, too.
    """

    base: str | None = None
    errors: Errors = "strict"
    treebanks: list[Input] = field(default_factory=list)
    scored: list[ScoredTreebank] = field(default_factory=list)
    scores: list[Input] = field(default_factory=list)
    counts: list[Path] = field(default_factory=list)
    stores: list[Path] = field(default_factory=list)
    transfers: list[Path] = field(default_factory=list)
    recordings: list[Recorded] = field(default_factory=list)
    saved: Mapping[str, SavedResults] = field(default_factory=dict)
    saved_scores: list[Scores] = field(default_factory=list)
    saved_findings: list[Breakdowns | SavedClaim] = field(default_factory=list)

    @property
    def folders(self) -> dict[str, Path]:
        """Folders of treebanks, by name."""
        return {one.name: one.path for one in self.treebanks if one.kind == "treebank"}

    def command_path(self, path: str | Path) -> str:
        """Return a path as it appears in commands on the page."""
        if self.base is None:
            return str(path)
        if self.base == os.sep:  # only the absolute path would work, and that is private
            return "/".join(Path(path).parts[-2:])
        return os.path.relpath(path, self.base)


def read_inputs(sources: Iterable[Any], *, gold: Iterable[Any] = (), errors: Errors = "strict") -> PageInputs:
    """Recognise the inputs of a page and match output to gold.

    Gold is a file that `gold` names or that is in a treebank's folder; without any, the one input
    that is not named if all systems are, or the one folder of treebank folders. Output is matched to
    it by text, files in a folder of output also by name. Gold is never guessed: files with the same
    text are refused if none of them is known to be gold.
    """
    from treegauge.ranking.leaderboard import Leaderboard

    sources = list(sources)
    _check_named(sources)
    inputs = with_gold(recognise(sources, gold=gold, kinds=KINDS, errors=errors))
    files = [one.path for one in inputs if one.kind != "packaged" and one.given is None]
    page = PageInputs(_base(files), errors)
    saved: list[tuple[str, Result]] = []
    scores: list[tuple[Input, Scores]] = []
    paths = {"counts": page.counts, "store": page.stores, "transfer": page.transfers}
    tables = {"treebank": page.treebanks, "scores": page.scores, "packaged": page.scores}
    for one in inputs:
        result = saved_result(one)
        if isinstance(result, Scores):
            scores.append((one, result))
        elif isinstance(result, Breakdowns | SavedClaim):
            page.saved_findings.append(result)
        elif result is not None:
            saved.append((one.name if one.given is not None else str(one.path), result))
        elif one.kind in tables:
            tables[one.kind].append(one)
        elif one.kind in paths:
            paths[one.kind].append(one.path)
        elif isinstance(one.given, Leaderboard):
            page.scores.append(one)
        elif one.kind == "object":
            raise TreegaugeError(
                f"a page cannot show a {one.name}; expected a Treebank, a Store, a table of scores, a result of "
                "audit, breakdown, certify, check, measure or score, or paths"
            )
    loose = [one for one in inputs if one.kind == "conllu"]
    folders = [one for one in inputs if one.kind == "system"]
    gold_files = [one for one in loose if one.role == "gold"]
    gold_files += [file for one in folders if one.role == "gold" for file in _parts(one)]
    golds = [part for one in page.treebanks for part in _parts(one)] + gold_files
    others = [one for one in loose if one.role != "gold"]
    output = [one for one in folders if one.role != "gold"]
    page.treebanks.extend([*gold_files, *_pair(golds, others, output, page)])
    page = replace(page, saved=match_saved(saved, page.treebanks))
    _add_saved_scores(scores, page)
    for one in inputs:
        if one.kind == "recording":
            archive = MapArchive.load(one.path)
            page.recordings.append(_recorded(archive, str(one.path), [*golds, *others], page))
        elif one.kind == "store":
            for number, archive in enumerate(stored_maps(one.path)):
                made = _recorded(archive, str(one.path), [*golds, *others], page)
                page.recordings.append(made._replace(number=number))
    return page


def _add_saved_scores(scores: Sequence[tuple[Input, Scores]], page: PageInputs) -> None:
    """Add the saved scores of treebanks whose output is not given; several are also ranked."""
    digests = {one.gold.mark.rpartition("#")[2] for one in page.scored}
    for one, result in scores:
        if result.treebank.rpartition("#")[2] in digests:
            note(f"{one.name}: left out, as output of systems for the same text is given, which the page scores")
        else:
            page.saved_scores.append(result)
    if len(scores) > 1:
        page.scores.extend(one for one, _ in scores)


def _check_named(sources: Iterable[Any]) -> None:
    """Refuse NAME=PATH as other verbs refuse it: without a name or a path, or with a table."""
    for word in sources:
        if isinstance(word, str) and "=" in word:
            name_and_path(word)


def _parts(whole: Input) -> list[Input]:
    """Return the sets of a treebank, or the files in a folder, as separate inputs."""
    if whole.kind == "treebank":
        parts = {f"{whole.name}/{split}": files for split, files in whole.splits.items()}
    else:
        names = distinct_names(whole.files, treebank_names(whole.files))
        parts = dict(zip(names, ((file,) for file in whole.files), strict=True))
    return [replace(whole, kind="conllu", path=Path(files[0]), name=name, files=files) for name, files in parts.items()]


def _base(paths: Sequence[Path]) -> str | None:
    """Return the folder that holds all inputs, if some paths are absolute.

    Commands then work there, and the page does not show where the folder is on this machine.
    """
    if not any(path.is_absolute() for path in paths):
        return None
    return os.path.commonpath([path.absolute().parent for path in paths])


def _pair(golds: Sequence[Input], files: Sequence[Input], folders: Sequence[Input], page: PageInputs) -> list[Input]:
    """Match output to gold and add the pairs to the page; return the files that are treebanks."""
    output: dict[int, list[Input]] = {}
    alone: dict[str, Input] = {}
    texts: dict[str, int] = {}
    if files:
        for number, one in enumerate(golds):
            texts.setdefault(one.text, number)
    for one in files:
        if one.text in texts:
            output.setdefault(texts[one.text], []).append(one)
        elif one.role == "system":
            raise TreegaugeError(
                f"{one.name}={one.path} is the output of a system, and no gold treebank given has "
                f"its text; {_incomplete(one, golds) or HOW_TO_NAME_GOLD}"
            )
        elif why := _incomplete(one, [gold for gold in golds if gold.role == "gold"]):
            raise TreegaugeError(f"{one.path}: {why}")
        elif one.text in alone:
            raise TreegaugeError(
                f"{alone[one.text].path} and {one.path} have the same text, and it is not known "
                f"which of them is gold; {HOW_TO_NAME_GOLD}"
            )
        else:
            alone[one.text] = one
    for folder in (each for one in folders for each in _systems_in(one, golds)):
        for number, one in _folder_output(folder, golds):
            output.setdefault(number, []).append(one)
    for number in sorted(output):
        _add_scored(golds[number], output[number], page)
    return list(alone.values())


def _incomplete(output: Input, golds: Sequence[Input]) -> str:
    """Say where a text ends if it is only the beginning of a gold text, or continues after one."""
    right = segmentation(output.treebank)
    for gold in golds:
        left = segmentation(gold.treebank)
        size = min(len(left.text), len(right.text))
        if size and np.array_equal(left.text[:size], right.text[:size]):
            return str(mismatch(left, right))
    return ""


def _systems_in(folder: Input, golds: Sequence[Input]) -> list[Input]:
    """Return a folder of output or, if it has a folder of runs per system, these."""
    files_of_gold = [str(one.path) for one in golds if one.given is None]
    homes = system_homes(files_of_gold, folder.path, folder.name if folder.named else "")
    files = {home: tuple(file for file in folder.files if home in Path(file).parents) for home in homes}
    return [replace(folder, path=home, name=home.name, files=own) for home, own in files.items()] or [folder]


def _folder_output(folder: Input, golds: Sequence[Input]) -> list[tuple[int, Input]]:
    """Return the files in a folder of output, each with the number of its gold file."""
    places = {str(one.path): number for number, one in enumerate(golds)}
    tests = [path for path in places if golds[places[path]].name.endswith("/test")]
    found: list[tuple[str, str]] = []
    for paths in (tests, [path for path in places if path not in tests]):
        if paths and len(found) < len(folder.files):
            for run in matched_runs(paths, folder.path, given={*folder.files} - {file for _, file in found}):
                for why in run.doubled.values():
                    raise TreegaugeError(f"{folder.name}: {why}")
                found += run.pairs.items()
    if not found:
        raise TreegaugeError(
            f"{folder.path} is a folder of output, and no gold treebank was given for any of its "
            f"{len(folder.files)} files, such as {Path(folder.files[0]).name}; {HOW_TO_NAME_GOLD}; "
            f"if this folder is gold, write --gold {folder.path}"
        )
    if left := [file for file in folder.files if file not in {file for _, file in found}]:
        note(f"{folder.name}: {len(left)} of {len(folder.files)} output files belong to no "
             f"treebank given and are left out, such as {Path(left[0]).name}")  # fmt: skip
    return [(places[path], replace(folder, kind="conllu", path=Path(file), files=(file,))) for path, file in found]


def _add_scored(gold: Input, systems: Sequence[Input], page: PageInputs) -> None:
    outputs: dict[str, list[Treebank]] = {}
    files: dict[str, list[str]] = {}
    for one in systems:
        outputs.setdefault(one.name, []).append(one.treebank)
        named = "" if one.name == short_name(one.path) else f"{one.name}="
        files.setdefault(one.name, []).append(f"{named}{page.command_path(one.path)}")
    page.scored.append(ScoredTreebank(gold.treebank, outputs, page.command_path(gold.path), files, page.errors))


def _recorded(archive: MapArchive, file: str, known: Sequence[Input], page: PageInputs) -> Recorded:
    digest = archive.treebank.rpartition("#")[2]
    for one in known:
        if one.treebank.mark.rpartition("#")[2] == digest:
            paths = page.command_path(file), page.command_path(one.path)
            return Recorded(archive, one.treebank, *paths)
    raise TreegaugeError(
        f"{file} is a recording of {archive.treebank}; expected this treebank among the inputs, "
        f"found {', '.join(one.treebank.mark for one in known) or 'none'}"
    )
