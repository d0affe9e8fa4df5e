"""Submissions of teams, matched with gold files and scored unless the score is known."""

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.files import new_folder
from treegauge.core.messages import note, progress
from treegauge.core.platforms import map_threads, worker_count
from treegauge.core.result import countersign, sign
from treegauge.scoring.evaluation import scoring_choices
from treegauge.scoring.inference.hierarchies import over_treebanks, percent_interval
from treegauge.scoring.metrics.registry import metric_label
from treegauge.scoring.settings import Reading, ScoreOptions
from treegauge.scoring.systems.outputs import check_system_output, match_folders, name_and_path
from treegauge.scoring.systems.score_cache import CellScore, ScoreCache, file_checksum, score_cell
from treegauge.statistics.small_samples import StudentEstimate
from treegauge.treebanks.data.conllu import read_conllu
from treegauge.treebanks.sources.files import ENDINGS, Source, split_of
from treegauge.treebanks.sources.resolver import treebank_folder

if TYPE_CHECKING:
    import polars as pl

NO_OUTPUT = "no output"
Cell = tuple[str, str]
"""A treebank and a team."""


@dataclass(frozen=True)
class Submissions:
    """Gold files by treebank, and the outputs of each team.

    `homes` are the folders that contain the teams' folders; `problems` are the reasons why a team's
    outputs could not be matched with gold files.
    """

    gold: dict[str, str]
    outputs: dict[str, dict[str, list[str]]]
    problems: dict[str, str]
    homes: list[Path]

    @classmethod
    def find(cls, gold: Source, submissions: Sequence[Any], split: str | None = None) -> "Submissions":
        """Find the gold files of a split and the teams, and match outputs with gold files.

        Submissions are folders with a folder per team, ``NAME=PATH``, or mappings from teams to
        paths of files or folders. Without a split, files named as test sets are used, or else all
        files.
        """
        gold = treebank_folder(gold)
        teams, homes = _teams(submissions)
        every = [path for ending in ENDINGS for path in gold.rglob(f"*.conllu{ending}")]
        if split is None and any(split_of(path) == "test" for path in every):
            split = "test"
        files = match_folders(gold, {}, split=split).gold
        outputs: dict[str, dict[str, list[str]]] = {}
        problems: dict[str, str] = {}
        for team, paths in teams.items():
            try:
                outputs[team] = match_folders(gold, {team: paths}, split=split).systems[team]
            except TreegaugeError as error:
                outputs[team], problems[team] = {}, str(error)
        return cls(files, outputs, problems, homes)


def _teams(submissions: Sequence[Any]) -> tuple[dict[str, list[str]], list[Path]]:
    """Return the paths of each team's runs, and the folders that contain several teams."""
    named: dict[str, list[str]] = {}
    homes: list[Path] = []
    for submission in submissions:
        if isinstance(submission, Mapping):
            for team, paths in submission.items():
                runs = [paths] if isinstance(paths, str | os.PathLike) else paths
                named.setdefault(str(team), []).extend(map(os.fspath, runs))
                for path in named[str(team)]:
                    check_system_output(path)
            continue
        name, path = name_and_path(os.fspath(submission))
        if name is not None:
            named.setdefault(name, []).append(path)
            continue
        homes.append(Path(path))
        for team, folder in _team_folders(Path(path)):
            named.setdefault(team, []).append(str(folder))
    if not named:
        where = ", ".join(map(str, homes)) or "no submissions"
        raise TreegaugeError(
            f"{where}: no team; expected a folder of output per team; for a single team write NAME=FOLDER"
        )
    return named, homes


def _team_folders(home: Path) -> list[tuple[str, Path]]:
    if not home.is_dir():
        raise TreegaugeError(f"SUBMISSIONS {home}: a file; expected a folder with a folder per team, or NAME=PATH")
    listed = sorted(path for path in home.iterdir() if not path.name.startswith("."))
    if loose := [path.name for path in listed if path.is_file()]:
        note(f"{home}: {len(loose)} files are outside the teams' folders and are left out, such as {loose[0]}")
    return [(path.name, path) for path in listed if path.is_dir()]


class SubmissionScores(NamedTuple):
    """The score of every team on every treebank.

    `new` is the number of outputs scored now, `known` the number of scores from earlier runs.
    """

    treebanks: tuple[str, ...]
    teams: tuple[str, ...]
    cells: dict[Cell, CellScore]
    options: ScoreOptions
    signature: str
    new: int
    known: int

    @property
    def failures(self) -> dict[Cell, str]:
        """Why a team has no score on a treebank."""
        return {cell: score.failure for cell, score in self.cells.items() if score.failure is not None}

    def f1(self, treebank: str, team: str, metric: str, failed: float | None = None) -> float | None:
        """Return a score in percent, or `failed` if the run failed."""
        cell = self.cells[treebank, team]
        return failed if cell.failure is not None else cell.metrics[metric].f1

    def refuse_failures(self) -> None:
        """Raise an error that lists all failed or missing runs."""
        if self.failures:
            lines = [f"{team} on {code}: {why}" for (code, team), why in self.failures.items()]
            raise TreegaugeError(
                f"failed or missing runs: {len(lines)}\n" + "\n".join(lines) + "\n"
                "count them as 0 with --failed zero, or leave them out with --failed leave-out"
            )

    def table(self, failed: float | None = None) -> "pl.DataFrame":
        """Return one row per treebank and team: F1 of every metric, or `failed` if there is none.

        The last columns give the reason, and remarks on the outputs if there are any.
        """
        import polars as pl

        remarks = any(cell.remarks for cell in self.cells.values())
        rows = [
            {"treebank": code, "system": team}
            | {
                metric_label(name, self.options.convention): self.f1(code, team, name, failed)
                for name in self.options.metrics
            }
            | {"failure": cell.failure}
            | ({"remarks": cell.remarks or None} if remarks else {})
            for (code, team), cell in self.cells.items()
        ]
        kinds = {metric_label(name, self.options.convention): pl.Float64 for name in self.options.metrics}
        return pl.DataFrame(
            rows, schema_overrides={**kinds, "failure": pl.String, "remarks": pl.String}, infer_schema_length=None
        )

    def interval(self, team: str, metric: str) -> tuple[float, float] | None:
        """Return the 95 % interval of a team's macro average on these treebanks.

        None if the team failed on a treebank or a treebank is too small.
        """
        mine = [self.cells[code, team] for code in self.treebanks]
        if not all(metric in score.errors for score in mine):
            return None
        values = [score.metrics[metric].f1 / 100 for score in mine]
        estimates = [
            StudentEstimate(*(np.array([part]) for part in (value, *one.errors[metric])))
            for value, one in zip(values, mine, strict=True)
        ]
        here = over_treebanks(list(self.treebanks), values, estimates).here
        return None if here is None else percent_interval(here, 0.95, share=True)


def score_submissions(
    files: Submissions, options: ScoreOptions, *, cache: Path | None = None, workers: int | None = None
) -> SubmissionScores:
    """Score every output that has no score from an earlier run.

    Every score is stored as soon as it is computed. A gold file is read once, and only if one of
    its outputs is new.
    """
    signature = sign(**scoring_choices(options, []))
    # The set of registered metrics may change between runs.
    choice = countersign(signature, metrics="+".join(options.metrics))
    kept = None if cache is None else ScoreCache(cache, choice)

    def scored(code: str) -> dict[Cell, tuple[CellScore, bool | None]]:
        gold, fresh = _Gold(files.gold[code], options), set[str]()
        return {(code, team): one(code, team, gold, fresh) for team in files.outputs}

    def one(code: str, team: str, gold: _Gold, fresh: set[str]) -> tuple[CellScore, bool | None]:
        output = files.outputs[team].get(code)
        if output is None:
            return CellScore({}, {}, files.problems.get(team, NO_OUTPUT)), None
        try:
            checksum = "+".join(map(file_checksum, output))
        except OSError as error:
            return CellScore({}, {}, f"cannot be read: {error.strerror or error}"), None
        known = None if kept is None else kept.get(gold.checksum, checksum)
        if known is not None:
            task.advance()
            return known, None if checksum in fresh else False  # equal files are scored once
        fresh.add(checksum)
        score = score_cell(gold.treebank, output, options)
        if kept is not None:
            kept.put(gold.checksum, checksum, score)
        task.advance()
        return score, True

    cells: dict[Cell, CellScore] = {}
    states: list[bool | None] = []
    # One context for all threads: none of them may remove a folder that another one writes to.
    home = nullcontext() if cache is None else new_folder(cache)
    with home, progress("outputs", sum(map(len, files.outputs.values()))) as task:
        for part in map_threads(scored, files.gold, worker_count(workers)):
            cells |= {cell: score for cell, (score, _) in part.items()}
            states += [fresh for _, fresh in part.values()]
    if all(cell.failure is not None for cell in cells.values()):
        reasons = "; ".join(sorted({str(cell.failure) for cell in cells.values()})[:3])
        raise TreegaugeError(f"no team could be scored: {reasons}; check that GOLD comes before SUBMISSIONS")
    return SubmissionScores(
        tuple(files.gold), tuple(files.outputs), cells, options, signature,
        new=states.count(True), known=states.count(False),
    )  # fmt: skip


class _Gold:
    """A gold file, read when it is needed."""

    def __init__(self, path: str, reading: Reading) -> None:
        self.path, self.reading = path, reading

    @cached_property
    def checksum(self) -> str:
        return file_checksum(self.path)

    @cached_property
    def treebank(self) -> Any:
        return read_conllu(self.path, errors=self.reading.errors, allow=self.reading.allow)
