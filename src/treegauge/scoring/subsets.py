"""Scores of some sentences of a test set: those that are new since a release, or not in the training data."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import load_extension
from treegauge.core.result import RowsResult, countersign
from treegauge.scoring.certainty import UnitCounts, estimate
from treegauge.scoring.metrics.correct_words import Mask
from treegauge.scoring.metrics.las_counts import SentenceCounts
from treegauge.scoring.metrics.registry import metric_label
from treegauge.scoring.paired_tests import known
from treegauge.scoring.scores import Scores
from treegauge.scoring.settings import ScoreOptions
from treegauge.statistics.student_intervals import StudentEstimate
from treegauge.statistics.units import text_units
from treegauge.treebanks.data.conllu import TOLERABLE
from treegauge.treebanks.sources.files import is_conllu, split_of
from treegauge.treebanks.sources.languages import own_name, release_of
from treegauge.treebanks.sources.resolver import find, folder_name, read_treebank, resolve_source

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

LEAST_HALF = 20
"""Minimum number of units in either half for an interval and a test."""
OLD = ("unchanged", "changed")
"""Kinds of sentences whose words are those of the old release."""


def counts_of(counts: SentenceCounts, mask: Mask) -> SentenceCounts:
    """Return the counts of these sentences; a document starts with its first sentence among them."""
    if len(counts.rows) != counts.sentences:
        raise TreegaugeError("scores of some sentences need counts per sentence: give --resamples above 0")
    documents = np.cumsum(counts.starts)[mask]
    starts = np.diff(documents, prepend=0) > 0
    return SentenceCounts(counts.rows[mask], int(mask.sum()), counts.options, starts)


class UnpairedDifference(NamedTuple):
    """The limits of a difference of two scores on different text, as fractions, and its p-value."""

    low: float
    high: float
    p_value: float


def unpaired_difference(one: StudentEstimate, other: StudentEstimate, level: float = 0.95) -> UnpairedDifference:
    r"""Compare two scores on different text: Welch's test of their log odds, and Newcombe's limits.

    .. math:: t = (\ell_1 - \ell_2) / \sqrt{s_1^2 + s_2^2}, \quad
        df = (s_1^2 + s_2^2)^2 / (s_1^4 / df_1 + s_2^4 / df_2)

    with log odds :math:`\ell` and their standard errors s. The limits of the difference are made of those
    of the two scores (Newcombe 1998), so they stay within -1 and 1.

    Examples
    --------
    >>> one = StudentEstimate(np.array([0.8]), np.array([0.03]), np.array([20.0]))
    >>> found = unpaired_difference(one, one)
    >>> round(found.low, 3), round(found.high, 3), found.p_value
    (-0.089, 0.089, 1.0)
    """
    sides = [(float(side.value[0]), float(side.standard_error[0]), float(side.df[0])) for side in (one, other)]
    if not all(0 < value < 1 for value, _, _ in sides):
        return UnpairedDifference(np.nan, np.nan, np.nan)
    (a, _, _), (b, _, _) = sides
    odds = [np.log(value / (1 - value)) for value, _, _ in sides]
    first, second = ((error / (value * (1 - value))) ** 2 for value, error, _ in sides)
    df = (first + second) ** 2 / (first**2 / sides[0][2] + second**2 / sides[1][2])
    welch = StudentEstimate(np.array([odds[0] - odds[1]]), np.sqrt(np.array([first + second])), np.array([df]))
    (a_low, a_high), (b_low, b_high) = (
        tuple(float(limit[0]) for limit in side.interval(level, share=True)) for side in (one, other)
    )
    return UnpairedDifference(
        a - b - float(np.hypot(a - a_low, b_high - b)), a - b + float(np.hypot(a_high - a, b - b_low)),
        float(welch.p_value()[0]),
    )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Fresh(RowsResult, kind="fresh", unit="percent"):
    """Scores on sentences that are new since a release, and on those whose words were there before.

    `kinds` has the number of sentences of each kind that ``diff`` names, by treebank. A system that
    has seen the old sentences, such as a language model, is better on them; so is any system if the
    new ones are harder: compare with a parser that has seen neither.
    """

    kinds: Mapping[str, Mapping[str, int]]

    def json_fields(self) -> dict[str, Any]:
        """Return the rows, and the kinds of sentences."""
        return {"rows": list(self.rows), "kinds": {name: dict(counts) for name, counts in self.kinds.items()}}

    def own_text(self) -> str:
        """Return the table, and how many sentences there are of each kind."""
        from treegauge.core.tables import to_text

        said = [
            f"{name}: " + ", ".join(f"{number:,} {kind}" for kind, number in counts.items())
            for name, counts in self.kinds.items()
        ]
        if any(row["p_value"] is None for row in self.rows):
            said.append(f"no test where a half has fewer than {LEAST_HALF} units")
        return "\n".join([to_text(self.rows), *said, self.signature])


def fresh_scores(
    scores: Scores, golds: Mapping[str, Any], since: str, names: Sequence[str], options: ScoreOptions
) -> Fresh:
    """Score sentences that are new since a release apart from the others, and test the difference."""
    rows: list[dict[str, Any]] = []
    kinds: dict[str, dict[str, int]] = {}
    for treebank, part in scores.treebanks.items():
        gold = _read(golds[treebank], options)
        old = _older(golds[treebank], since)
        found: list[str] = load_extension("sentences", "kinds")(old, gold)
        kinds[treebank] = dict(Counter(found).most_common())
        new = np.array([kind not in OLD for kind in found], bool)
        for one in part.systems:
            for name in names:
                row = {"treebank": treebank, "system": one.system, "metric": metric_label(name, scores.convention)}
                rows.append(row | _halves(one.runs, new, name, options))
    return Fresh(rows, countersign(scores.signature, fresh=since, m="+".join(names)), kinds)


def _halves(runs: Sequence[SentenceCounts], new: Mask, name: str, options: ScoreOptions) -> dict[str, Any]:
    """Return the scores of both halves, and the test of their difference."""
    estimates: list[StudentEstimate | None] = []
    values: list[float | None] = []
    for mask in (new, ~new):
        # Runs are in both halves, so their differences cancel: they are held fixed.
        half = counts_of(runs[0], mask)
        half = replace(half, rows=np.sum([counts_of(run, mask).rows for run in runs], axis=0))
        units = text_units(int(half.starts.sum()), options.units)
        counts = UnitCounts([half], [name], units) if mask.any() else None
        sums = counts.mean.sum(axis=0) if counts is not None else (0, 0)
        values.append(100 * float(sums[0] / sums[1]) if sums[1] else None)
        estimates.append(estimate(counts) if counts is not None and counts.number >= LEAST_HALF else None)
    row: dict[str, Any] = {"fresh_sentences": int(new.sum()), "old_sentences": int((~new).sum())}
    row |= {"fresh": values[0], "old": values[1], "difference": None, "low": None, "high": None, "p_value": None}
    first, second = estimates
    if values[0] is not None and values[1] is not None:
        row["difference"] = values[0] - values[1]
    if first is None or second is None:
        return row
    both = unpaired_difference(first, second, options.level)
    return row | {"low": known(100 * both.low), "high": known(100 * both.high), "p_value": known(both.p_value)}


def without_leaked(scores: Scores, golds: Mapping[str, Any], options: ScoreOptions) -> Scores:
    """Return scores without the sentences that are also, exactly or nearly, in the training set of gold's treebank."""
    from treegauge.scoring.suite import Suite

    parts = {name: _without_leaked(part, golds[name], options) for name, part in scores.treebanks.items()}
    if not isinstance(scores, Suite):
        (part,) = parts.values()
        return part
    return Suite.of(
        parts, scores.names, scores.failures, countersign(scores.signature, left_out="leaked"), scores.convention,
        chosen=scores.chosen, level=scores.level, units=scores.units,
    )  # fmt: skip


def _without_leaked(scores: Scores, gold: Any, options: ScoreOptions) -> Scores:
    from treegauge.scoring.evaluation import scored_runs

    read = _read(gold, options)
    leaked: Mask = load_extension("sentences", "leaked")(read, _training(gold))
    if leaked.all():
        raise TreegaugeError(f"{read.name}: every sentence is also in the training set; nothing is left to score")
    kept = {one.system: [counts_of(run, ~leaked) for run in one.runs] for one in scores.systems}
    less = scored_runs(kept, options)
    systems = tuple(
        replace(one, metrics=less[one.system].metrics, runs=less[one.system].runs) for one in scores.systems
    )
    number = int(leaked.sum())
    said = f"left out: {number:,} of {len(read):,} sentences of {read.name}, which are also in the training set"
    return replace(
        scores, systems=systems, sentences=less.sentences, units=less.units,
        notes=(*less.notes, *(f"{one.system}: {text}" for one in systems for text in one.remarks), said),
        signature=countersign(scores.signature, left_out=f"leaked({number})"),
    )  # fmt: skip


def _read(gold: Any, options: ScoreOptions) -> "Treebank":
    return read_treebank(gold, errors=options.errors, allow=options.allow)


def _home(gold: Any, option: str) -> Path:
    """Return the folder of a gold file's treebank."""
    if not isinstance(gold, str | PathLike) or str(gold) == "-":
        raise TreegaugeError(f"{option} needs gold as a file in the folder of its treebank; got {gold!r}")
    path = Path(next(iter(resolve_source(gold, quiet=True))))
    return path if path.is_dir() else path.resolve().parent


def _training(gold: Any) -> "list[Treebank]":
    """Return the training set that is next to a gold file."""
    home = _home(gold, "--leave-out leaked")
    if training := training_sets(gold):
        return training
    raise TreegaugeError(f"{home}: found no training set next to gold; --leave-out leaked compares with it")


def training_sets(gold: Any) -> "list[Treebank]":
    """Return the training set in the folder of a dev or test file; none for other gold."""
    if not isinstance(gold, str | PathLike) or not is_conllu(gold) or split_of(gold) in (None, "train"):
        return []
    files = [file for file in find(Path(gold).resolve().parent) if split_of(file) == "train"]
    return [read_treebank(file, need_heads=False, allow=TOLERABLE) for file in files]


def _older(gold: Any, since: str) -> "Treebank":
    """Return the treebank of gold in an older release, all sets together."""
    how: dict[str, Any] = {"need_heads": False, "allow": TOLERABLE}
    if Path(since).is_file():
        return read_treebank(since, **how)
    home = _home(gold, "--fresh")
    name = own_name(folder_name(home) or home.name)[0]
    inside = Path(since) / name
    if Path(since).exists():
        return read_treebank(inside if inside.is_dir() else Path(since), **how)
    release = release_of(since) or since.removeprefix("r")
    return read_treebank(f"{name}@{release}", **how)
