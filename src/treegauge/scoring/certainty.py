"""Uncertainty of scores and differences due to the sample of units and of runs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError, check_options
from treegauge.scoring.metrics.las_counts import SentenceCounts
from treegauge.scoring.metrics.registry import ALL, NUMBER
from treegauge.scoring.settings import ScoreOptions
from treegauge.statistics.bootstrap import bootstrap
from treegauge.statistics.draws import FloatArray, ratios
from treegauge.statistics.student_intervals import StudentEstimate, jackknife
from treegauge.statistics.units import (
    LEAST_BOOTSTRAP,
    LEAST_ERRORS,
    LEAST_RUNS,
    LEAST_UNITS,
    UNIT_CHOICES,
    TextUnits,
    few_units,
    units_of_text,
)

#: Sentences whose counts are combined at a time.
BLOCK = 1 << 16


def check_resampling(how: ScoreOptions) -> None:
    """Refuse settings out of range."""
    check_options(how.seed, how.resamples, "resamples", how.level)
    choices = {"interval": ("student", "percentile", "bca")}
    choices["units"] = UNIT_CHOICES
    for name, known in choices.items():
        if getattr(how, name) not in known:
            raise ChoiceError(name, getattr(how, name), known)


class UnitCounts:
    """Numerators and denominators of F1 over units, for the runs of one system.

    `table` has shape (runs, units, 2 x metrics): twice the correct, then gold plus system. Fewer
    than three runs are averaged and so held fixed.
    """

    def __init__(self, runs: Sequence[SentenceCounts], names: Sequence[str], units: str | TextUnits) -> None:
        for run in runs:
            if len(run.rows) != run.sentences:
                raise TreegaugeError("only totals were kept: score with resamples > 0 to compare systems")
        if len({len(run.rows) for run in runs}) > 1:
            raise TreegaugeError("the runs of a system cover different gold sentences (errors='strict' or 'repair')")
        tables = [_numerators_and_denominators(run.rows, names) for run in runs]
        words = runs[0].rows[:, NUMBER["words_g"]]
        self.units = units_of_text(runs[0].starts, units) if isinstance(units, str) else units
        if len(words) and self.units.kind == "documents":
            *tables, words = map(self.units.sums, (*tables, words))
        # A single run, of perhaps millions of sentences, is not copied.
        self.table: npt.NDArray[Any] = np.stack(tables) if len(runs) > 1 else tables[0][None]
        self.mean: npt.NDArray[Any] = self.table.mean(axis=0) if len(runs) > 1 else self.table[0]
        self.words, self.runs, self.number = words, len(runs), len(words)

    @property
    def random_runs(self) -> bool:
        """Whether there are enough runs for inference about other seeds."""
        return self.runs >= LEAST_RUNS

    @property
    def drawn(self) -> npt.NDArray[Any]:
        """The runs, or their mean if they are too few."""
        return self.table if self.random_runs else self.mean


def _numerators_and_denominators(rows: npt.NDArray[Any], names: Sequence[str]) -> npt.NDArray[Any]:
    """Return the two terms of every metric's F1 for each sentence, numerators first."""
    correct, gold, system = ([NUMBER[ALL[name][i] or ""] for name in names] for i in range(3))
    table = np.empty((len(rows), 2 * len(names)), rows.dtype)
    for start in range(0, len(rows), BLOCK):  # millions of sentences are not copied as a whole
        here = slice(start, start + BLOCK)
        table[here, : len(names)] = 2 * rows[here][:, correct]
        table[here, len(names) :] = rows[here][:, gold] + rows[here][:, system]
    return table


def estimate(counts: UnitCounts) -> StudentEstimate:
    """Return F1 with its standard error; NaN where fewer than five units have an error."""
    half = counts.mean.shape[1] // 2
    if counts.number < LEAST_UNITS:
        return _unknown(half)
    part, whole = counts.mean[:, :half], counts.mean[:, half:]
    errors = np.minimum((part < whole).sum(axis=0), (part > 0).sum(axis=0))
    return jackknife(counts.drawn, ratios, counts.words).limited(errors, LEAST_ERRORS)


def difference(a: UnitCounts, b: UnitCounts) -> StudentEstimate:
    """Return the difference of two systems; no standard error if fewer than five units differ."""
    return pair_differences([(a, b)])[0]


def pair_differences(pairs: Sequence[tuple[UnitCounts, UnitCounts]]) -> list[StudentEstimate]:
    """Return the :func:`difference` of every pair."""
    asked = []
    for a, b in pairs:
        half = a.mean.shape[1] // 2
        apart = a.mean != b.mean
        moved = (apart[:, :half] | apart[:, half:]).sum(axis=0)
        asked.append((a.drawn, b.drawn, a.words, moved))
    return [
        _unknown(len(moved))
        if len(words) < LEAST_UNITS
        else jackknife(ours, ratios, words, other=theirs).limited(moved, LEAST_ERRORS)
        for ours, theirs, words, moved in asked
    ]


def p_greater(difference: StudentEstimate) -> FloatArray:
    """Return one-sided p-values: small where the difference is above 0."""
    return np.where(difference.value > 0, difference.p_value() / 2, 1 - difference.p_value() / 2)


def score_covariance(systems: Sequence[UnitCounts]) -> tuple[FloatArray, FloatArray]:
    """Return the systems' F1 in the first metric on the same units, and its covariance matrix."""
    values, moves, run_variances = [], [], []
    for counts in systems:
        half, n = counts.mean.shape[1] // 2, counts.number
        sums = counts.drawn.reshape(-1, n, 2 * half)[..., [0, half]].astype(np.float64)
        total = sums.sum(axis=1)
        scores = ratios(total)[:, 0]
        left = ratios(total[:, None] - sums)[..., 0] - scores[:, None]
        values.append(scores.mean())
        moves.append(left.mean(axis=0))
        between = both = 0.0
        if len(scores) > 1:
            between = scores.var(ddof=1) / len(scores)
            both = (n - 1) / n * left.var(axis=0, ddof=1).sum() / len(scores)
        run_variances.append(max(between - both, 0.0))
    table = np.stack(moves)
    n = table.shape[1]
    return np.array(values), (n - 1) / n * table @ table.T + np.diag(run_variances)


def _unknown(metrics: int) -> StudentEstimate:
    nothing = np.full(metrics, np.nan)
    return StudentEstimate(nothing, nothing, nothing)


def intervals(counts: UnitCounts, how: ScoreOptions) -> list[tuple[float, float] | None]:
    """Return an interval of F1 in percent for every metric; None where it is undefined."""
    if how.interval == "student":
        low, high = estimate(counts).interval(how.level, share=True)
    else:
        if counts.number < LEAST_BOOTSTRAP or counts.runs > 1:
            return [None] * (counts.mean.shape[1] // 2)
        resampled = bootstrap(
            counts.mean, ratios, resamples=how.resamples, level=how.level, method=how.interval, seed=how.seed
        )
        low, high = resampled.low, resampled.high
    limits = zip((100 * low).tolist(), (100 * high).tolist(), strict=True)
    return [None if np.isnan(limit[0]) else limit for limit in limits]


def unit_remarks(units: Sequence[TextUnits], how: ScoreOptions) -> list[tuple[str | None, str]]:
    """Return, for the units of each text, why they are too few for intervals, and else a note on them."""
    least = LEAST_UNITS if how.interval == "student" else LEAST_BOOTSTRAP
    return [(few_units(one.number, one.kind, least), one.note(how.level)) for one in units]


def remarks(counts: UnitCounts, how: ScoreOptions, system: str, defined: bool, note: str) -> list[str]:
    """Return notes on the intervals of a system over enough units, or why there is none; `note` is on its units."""
    if how.interval == "student" and not defined:
        return [f"no interval for {system}: fewer than {LEAST_ERRORS} {counts.units.kind} have an error"]
    lines = [note]
    if counts.runs > 1 and how.interval != "student":
        lines.append(f"no interval for {system}: {how.interval} intervals need a single run")
    elif counts.runs > 1:
        fixed = f"held fixed: intervals account for other runs from {LEAST_RUNS} runs on"
        lines.append(f"{system}: {counts.runs} runs, " + ("random" if counts.random_runs else fixed))
    return lines
