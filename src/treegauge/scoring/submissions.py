"""Submissions of teams, matched with gold files and scored unless the score is known."""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from hashlib import file_digest, sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.files import atomic, new_folder
from treegauge.core.lazy import pl
from treegauge.core.messages import progress
from treegauge.core.platforms import map_threads, worker_count
from treegauge.core.result import countersign, sign
from treegauge.core.text_formats import parse_json
from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.certainty import estimate
from treegauge.scoring.classes.classification import classify
from treegauge.scoring.evaluation import evaluate, scoring_choices
from treegauge.scoring.metrics.correct_words import correct_words
from treegauge.scoring.metrics.registry import Metric, metric_label
from treegauge.scoring.paired_tests import over_treebanks, percent_interval, unit_counts
from treegauge.scoring.settings import Reading, ScoreOptions
from treegauge.scoring.systems import PRIMARY, SystemRuns, failure_reason, match_folders, named_outputs, primary_run
from treegauge.statistics.student_intervals import StudentEstimate
from treegauge.statistics.units import TextUnits, UnitKind, fallback_notes, forcing_treebanks, text_units, units_of_text
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_conllu
from treegauge.treebanks.sources.files import ENDINGS, Source, check_file_names, split_of
from treegauge.treebanks.sources.resolver import treebank_folder

ONE_RUN = "one run"
_COUNTS = ("correct", "gold", "system", "aligned")


def file_checksum(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's bytes."""
    with Path(path).open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


class CellScore(NamedTuple):
    """The metrics of one output on one gold file, or why it could not be scored.

    `errors` has the standard error of F1 (as a fraction) and its degrees of freedom for each metric
    that has one; the interval of a macro average needs them. `remarks` are what readers of the
    score must know about the output. `classes` has, for each relation, the words with correct head
    and relation, those of gold and those of the output, as means over runs. `units` has the kind and
    number of units, and the number of documents that are marked.
    """

    metrics: dict[str, Metric]
    errors: dict[str, tuple[float, float]]
    failure: str | None = None
    remarks: str = ""
    classes: Mapping[str, list[float]] = MappingProxyType({})
    units: tuple[UnitKind, int, int] | None = None

    def estimate(self, metric: str) -> StudentEstimate:
        """Return F1 as a fraction, with its standard error."""
        return StudentEstimate(*(np.array([part]) for part in (self.metrics[metric].f1 / 100, *self.errors[metric])))


def score_cell(gold: Treebank, runs: Sequence[str], options: ScoreOptions) -> CellScore:
    """Score the runs of a system; an error in one becomes the reason of its failure."""
    classes: dict[str, list[float]] = {}

    def count(alignment: Alignment) -> None:
        right = correct_words(alignment, options.convention)
        ours, theirs = (classify(side.treebank, "relation") for side in (alignment.gold, alignment.system))
        counted = [(right.relations, ours), (right.gold, ours), (right.system, theirs)]
        for place, (mask, (codes, names, _)) in enumerate(counted):
            for name, number in zip(names, np.bincount(codes[mask], minlength=len(names)), strict=True):
                classes.setdefault(name, [0.0, 0.0, 0.0])[place] += float(number) / len(runs)

    try:
        scores = evaluate(gold, {"system": list(runs)}, options, each=count)
    except TreegaugeError as error:
        # Several teams may submit the same file, so messages name the file without its folder.
        return CellScore({}, {}, failure_reason(error, runs))
    (system,) = scores.systems
    names = list(system.metrics)
    estimates = estimate(unit_counts(system, names, scores.units))
    errors = {
        name: (float(estimates.standard_error[i]), float(estimates.df[i]))
        for i, name in enumerate(names)
        if np.isfinite(estimates.standard_error[i])
    }
    text = units_of_text(system.runs[0].starts, scores.units)
    units = (text.kind, text.number, text.marked)
    return CellScore(system.metrics, errors, remarks="; ".join(system.remarks), classes=classes, units=units)


@dataclass(frozen=True)
class ScoreCache:
    """A folder of scores; `signature` records how outputs are scored, including the version."""

    folder: Path
    signature: str

    def path(self, gold: str, system: str) -> Path:
        """Return the path of the score of two files, given their checksums."""
        name = sha256(f"{gold}\n{system}\n{self.signature}".encode()).hexdigest()
        return self.folder / f"{name}.json"

    def get(self, gold: str, system: str) -> CellScore | None:
        """Return the score of two files; None if it is missing or damaged."""
        try:
            kept = parse_json(self.path(gold, system).read_bytes())
            checksum = kept.pop("checksum")
            named = (kept["gold"], kept["system"], kept["signature"])
            if checksum != _checksum(kept) or named != (gold, system, self.signature):
                return None
            metrics = {
                name: Metric(name, *(counts[count] for count in _COUNTS)) for name, counts in kept["metrics"].items()
            }
            errors = {name: (float(se), float(df)) for name, (se, df) in kept["errors"].items()}
            score = CellScore(metrics, errors, kept["failure"], kept["remarks"], dict(kept["classes"]))
            if kept["units"] is None:
                return score
            kind, number, marked = kept["units"]
            return score._replace(units=(text_units(int(marked), kind), int(number), int(marked)))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def put(self, gold: str, system: str, score: CellScore) -> None:
        """Store the score of two files; the folder is there."""
        metrics = {name: {count: getattr(metric, count) for count in _COUNTS} for name, metric in score.metrics.items()}
        kept = {"gold": gold, "system": system, "signature": self.signature, "metrics": metrics,
                "errors": {name: list(pair) for name, pair in score.errors.items()},
                "failure": score.failure, "remarks": score.remarks, "classes": dict(score.classes),
                "units": score.units and list(score.units)}  # fmt: skip
        with atomic(self.path(gold, system), own=True) as file:
            file.write(json.dumps({**kept, "checksum": _checksum(kept)}).encode())


def _checksum(kept: dict[str, Any]) -> str:
    return sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


Cell = tuple[str, str]
"""A treebank and a team."""


def find_submissions(
    gold: Source, submissions: Sequence[Any], split: str | None = None, *, common: bool = False
) -> tuple[SystemRuns, list[Path]]:
    """Return the gold files of a split, the output of the teams, and the folders that hold teams.

    Submissions are folders with a folder per team, ``NAME=PATH``, stores, or mappings from teams to
    paths of files or folders. Without a split, files named as test sets are used, or else all.
    """
    gold, homes = treebank_folder(gold), list[Path]()
    teams = named_outputs(submissions, homes=homes)
    check_file_names(teams)  # tables and reports have the name of each team
    every = [path for ending in ENDINGS for path in gold.rglob(f"*.conllu{ending}")]
    if split is None and any(split_of(path) == "test" for path in every):
        split = "test"
    return match_folders(gold, teams, split=split, common=common), homes


def without_late(files: SystemRuns, deadline: str) -> SystemRuns:
    """Return the same in which output that changed after the deadline is a failure.

    A date without a time ends at midnight, and a time without a zone is UTC.
    """
    try:
        last = datetime.fromisoformat(deadline)
    except ValueError:
        raise TreegaugeError(
            f"deadline: found {deadline!r}, expected a time such as 2026-05-01 or 2026-05-01T12:00+02:00"
        ) from None
    last = last.replace(tzinfo=last.tzinfo or UTC) + timedelta(days=len(deadline) == len("2026-05-01"))
    failures = dict(files.failures)
    for team, outputs in files.systems.items():
        for code, runs in outputs.items():
            times = {Path(run).name: datetime.fromtimestamp(Path(run).stat().st_mtime, UTC) for run in runs}
            name, changed = max(times.items(), key=lambda pair: pair[1])
            if changed >= last:
                failures[code, team] = f"{name} changed {changed:%Y-%m-%d %H:%M} UTC, after the deadline {deadline}"
    return files._replace(failures=failures)


class SubmissionScores(NamedTuple):
    """The score of every team on every treebank.

    `new` is the number of outputs scored now, `known` the number of scores from earlier runs;
    `files` are the outputs.
    """

    treebanks: tuple[str, ...]
    teams: tuple[str, ...]
    cells: dict[Cell, CellScore]
    options: ScoreOptions
    signature: str
    new: int
    known: int
    files: SystemRuns

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

    def rule(self, team: str) -> str:
        """Return what counts of a team's runs."""
        given = self.files.given[team] if isinstance(self.files.given, Mapping) else ()
        chosen = [run for one in given if isinstance(one, str) and (run := primary_run(one))]
        number = max(map(len, self.files.systems[team].values()), default=0)
        return f"{chosen[0]}, as {PRIMARY} says" if chosen else f"mean over {number} runs" if number > 1 else ONE_RUN

    @property
    def fallbacks(self) -> list[str]:
        """Treebanks that leave averages without an interval; those with few documents, or none marked."""
        known = {code: cell.units for (code, _), cell in self.cells.items() if cell.units}
        units = {code: TextUnits(kind, np.arange(number), marked) for code, (kind, number, marked) in known.items()}
        forced = forcing_treebanks(units)
        notes = [] if self.options.units == "sentences" else fallback_notes(units)
        return [*([f"no interval of an average: {forced}"] if forced else []), *notes]

    def interval(self, team: str, metric: str) -> tuple[float, float] | None:
        """Return the 95 % interval of a team's macro average on these treebanks.

        None if the team failed on a treebank or a treebank is too small.
        """
        mine = [self.cells[code, team] for code in self.treebanks]
        if not all(metric in score.errors for score in mine):
            return None
        values = [score.metrics[metric].f1 / 100 for score in mine]
        here = over_treebanks(list(self.treebanks), values, [score.estimate(metric) for score in mine]).here
        return None if here is None else percent_interval(here, 0.95, share=True)


def score_submissions(
    files: SystemRuns, options: ScoreOptions, *, cache: Path | None = None, workers: int | None = None
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
        return {(code, team): one(code, team, gold, fresh) for team in files.systems}

    def one(code: str, team: str, gold: _Gold, fresh: set[str]) -> tuple[CellScore, bool | None]:
        if why := files.failures.get((code, team)):
            return CellScore({}, {}, why), None
        output = files.systems[team][code]
        try:
            checksum = "+".join(map(file_checksum, output))
            if len(output) > 1:  # a failure names the folder of the run
                checksum += "@" + "+".join(Path(run).parent.name for run in output)
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
    with home, progress("outputs", sum(map(len, files.systems.values()))) as task:
        for part in map_threads(scored, files.gold, worker_count(workers)):
            cells |= {cell: score for cell, (score, _) in part.items()}
            states += [fresh for _, fresh in part.values()]
    if all(cell.failure is not None for cell in cells.values()):
        reasons = "; ".join(sorted({str(cell.failure) for cell in cells.values()})[:3])
        raise TreegaugeError(f"no team could be scored: {reasons}; check that GOLD comes before SUBMISSIONS")
    return SubmissionScores(
        tuple(files.gold), tuple(files.systems), cells, options, signature,
        new=states.count(True), known=states.count(False), files=files,
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
