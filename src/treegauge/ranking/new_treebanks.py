r"""A mixed model of scores: what varies, and the scores and ranks of systems on a new treebank.

.. math:: \text{score} \sim \text{system} + (1 + \text{system} \mid \text{genus} / \text{treebank})
   + (1 \mid \text{document}) + (1 \mid \text{seed})

Effects of systems vary between genera, treebanks and documents with one variance each: 26 systems
on treebanks of 26 genera do not suffice for one per system. So ``genus`` shifts all systems alike
and ``genus:system`` each on its own, which alone matters for a difference.

Scores on treebanks have heavy tails, and systems differ in theirs. The ranges on a new treebank
therefore do not rest on the model: they are quantiles over the treebanks of the table, whose tails
are as long as it takes for the treebanks of each genus to be inside the ranges of the other genera
in 95 of 100 cases.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treegauge.core import tables
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.messages import note
from treegauge.core.result import RowsResult, countersign
from treegauge.ranking.compare import treebank_ranks
from treegauge.ranking.leaderboard import Leaderboard, SystemComparison, metric_name, some
from treegauge.ranking.metadata import units_of
from treegauge.ranking.strengths import families_of
from treegauge.statistics.models.mixed_model import RandomTerm, crossed, mixed_model
from treegauge.statistics.units import GENUS, LEAST_UNITS, TOO_FEW

if TYPE_CHECKING:
    from treegauge.scoring.scores import Scores

Floats = NDArray[np.float64]
#: Shares in each tail of a range, from short ranges to long ones; below 0, the range of all values
#: is made longer on both sides by this share of it.
TAILS = np.concatenate([np.linspace(0.25, 0, 51), -np.arange(0.02, 1.01, 0.02)])
_ENDS = ("low", "high", "rank_low", "rank_high")


class VarianceComponents(RowsResult, kind="variance components", unit="percent"):
    """Standard deviations of the effects behind a score, and their shares of its variance."""

    def shown(self) -> list[dict[str, Any]]:
        """Return the rows with readable names."""
        rows = []
        for row in self.rows:
            limits = None if row["low"] is None else f"{row['low']:.2f}–{row['high']:.2f}"
            rows.append(
                {"effect": row["effect"], "groups": row["groups"], "sd": row["sd"], "95 % interval": limits,
                 "% of a score": row["share"], "% of a difference": row["difference_share"]}
            )  # fmt: skip
        return rows

    digits: ClassVar[tables.Digits] = {"% of a score": 1, "% of a difference": 1}


@dataclass(frozen=True, eq=False)
class MixedComparison(SystemComparison, kind="mixed model", unit="percent"):
    """Systems by mean score, with the ranges of score and rank on one new treebank of a new genus.

    Attributes
    ----------
    ranges
        Ends of the ranges, by system: ``low`` and ``high`` of the score, ``rank_low`` and
        ``rank_high``; empty if there are too few treebanks, or scores are missing.
    without
        Why there are no ranges and intervals.
    """

    board: Leaderboard
    formula: str
    ranges: Mapping[str, Floats]
    level: float
    without: str
    signature: str
    digits: ClassVar[Any] = {"rank": None}

    @cached_property
    def table(self) -> "pl.DataFrame":
        """One row per system, the best first."""
        board, none = self.board, [None] * len(self.board.systems)
        columns = {"rank": board.ranking(), "system": board.systems, "mean": board.filled.mean(axis=1)}
        for name in _ENDS:
            columns[name] = pl.Series(self.ranges.get(name, none), dtype=pl.Float64)
        return pl.DataFrame(columns)[board.by_mean()]

    def shown(self) -> list[dict[str, Any]]:
        """Return the table with ranges as text."""
        metric, rows = metric_name(self.board.metric), []
        for row in self.table.to_dicts():
            shown = {"rank": row["rank"], "system": row["system"], metric: row["mean"]}
            if self.ranges:
                shown[f"{metric}, new treebank"] = f"{row['low']:.1f}–{row['high']:.1f}"
                shown["rank, new treebank"] = f"{row['rank_low']:g}-{row['rank_high']:g}"
            rows.append(shown)
        return rows

    def json_fields(self) -> dict[str, Any]:
        """Return the formula, the systems, and why ranges are missing."""
        return {"formula": self.formula, "level": self.level, "systems": self.table.to_dicts(), "without": self.without}

    def own_text(self) -> str:
        """Return the table, and what it means."""
        about = (
            f"new treebank: {100 * self.level:g} % range on one new treebank of a new genus"
            if self.ranges
            else f"no ranges on a new treebank and no intervals of effects: {self.without}"
        )
        return f"{tables.to_text(self.shown(), digits=self.digits)}\n{about}\n{self.formula}\n{self.signature}"


class _Rows(NamedTuple):
    """Scores with the numbers of their treebank, system, run and document, and their weights."""

    score: Floats
    treebank: NDArray[np.intp]
    system: NDArray[np.intp]
    run: NDArray[np.intp]
    document: NDArray[np.intp]
    weight: Floats


def mixed_comparison(board: Leaderboard, scores: "Scores | None" = None, *, level: float = 0.95) -> MixedComparison:
    """Fit a mixed model to the scores of systems; see :class:`MixedComparison`.

    With `scores` of system output, their documents are units, too, where all treebanks mark them.
    """
    if len(board.systems) < 2 or len(board.treebanks) < 3:
        raise TreegaugeError(
            f"{len(board.systems)} systems on {len(board.treebanks)} treebanks: a mixed model of scores needs "
            "two systems and three treebanks"
        )
    rows = None if scores is None else _document_rows(board, scores)
    rows = _board_rows(board) if rows is None else rows
    genera = np.unique(units_of(board, GENUS).names, return_inverse=True)[1]
    terms, last = _terms(rows, genera)
    root = np.sqrt(rows.weight)
    weighted = [
        RandomTerm(name, groups, None if (root == 1).all() else root[:, None]) for name, groups in terms.items()
    ]
    x = np.eye(len(board.systems))[rows.system] * root[:, None]
    model = mixed_model(rows.score * root, x, weighted)
    codes = families_of(board)
    without = TOO_FEW if codes is None else "scores are missing" if board.gaps else ""
    known = {part.name: part for part in model.components(None if codes is None else level, genera[rows.treebank])}
    known[last] = known.pop("residual")._replace(name=last)
    metric, ordered = metric_name(board.metric), [*terms, last]
    total = sum(known[name].sd ** 2 for name in ordered)
    differing = sum(known[name].sd ** 2 for name in ordered if "system" in name)
    parts = [
        {"effect": name, "groups": known[name].groups, "sd": known[name].sd, "low": known[name].low,
         "high": known[name].high, "share": 100 * known[name].sd ** 2 / total,
         "difference_share": 100 * known[name].sd ** 2 / differing if "system" in name else 0.0}
        for name in ordered
    ]  # fmt: skip
    formula = " + ".join([f"{metric} ~ system", *(f"(1 | {name})" for name in terms), last])
    signature = countersign(board.signature, test="mixed", units=GENUS, level=level)
    ranges: dict[str, Floats] = {}
    if codes is not None and not without:
        ends = (*new_ranges(board.values, codes, level), *new_ranges(treebank_ranks(board), codes, level, ranks=True))
        ranges = dict(zip(_ENDS, ends, strict=True))
    return MixedComparison(board, formula, ranges, level, without, signature).with_attached(
        {"components": VarianceComponents(parts, signature)}
    )


def _terms(rows: _Rows, genera: NDArray[np.intp]) -> tuple[dict[str, NDArray[np.intp]], str]:
    """Return the random effects that the rows can tell apart, and the name of the residual."""
    genus = genera[rows.treebank]
    cells = crossed(rows.treebank, rows.system)
    terms = {"genus": genus, "treebank": rows.treebank, "document": rows.document,
             "genus:system": crossed(genus, rows.system), "treebank:system": cells}  # fmt: skip
    last = "treebank:system"
    if rows.document.max() > rows.treebank.max():
        last = "document:system"
        terms[last] = crossed(rows.document, rows.system)
    else:
        del terms["document"]
    if rows.run.max():
        terms["system:seed"] = crossed(rows.system, rows.run)
        terms["treebank:system:seed"] = crossed(rows.treebank, rows.system, rows.run)
        last = "document:system:seed" if last == "document:system" else "treebank:system:seed"
    if genera.max() == rows.treebank.max() or not genera.max():  # no two treebanks of a genus, or one genus
        del terms["genus"], terms["genus:system"]
    terms.pop(last, None)
    return terms, last


def _board_rows(board: Leaderboard) -> _Rows:
    """Return one row per score that is known."""
    cube = board.cube
    run, system, treebank = np.nonzero(~np.isnan(cube))
    score = cube[run, system, treebank]
    return _Rows(score, treebank, system, run, treebank, np.ones(len(score)))


def _document_rows(board: Leaderboard, scores: "Scores") -> _Rows | None:
    """Return one row per document, system and run; None, with a note, if a treebank marks few documents."""
    from treegauge.scoring.paired_tests import unit_counts

    unmarked = [code for code in board.treebanks if scores.treebanks[code].units != "documents"]
    if unmarked:
        note(f"no effects of documents: {some(unmarked)} mark fewer than {LEAST_UNITS} ('# newdoc')")
        return None
    parts, seen = [], 0
    for treebank, code in enumerate(board.treebanks):
        own = scores.treebanks[code]
        for system, name in enumerate(board.systems):
            counts = unit_counts(own[name], list(scores.chosen), "documents").table
            run, document = np.nonzero(counts[..., 1])
            above, below = counts[run, document].T
            place = np.full(len(run), treebank), np.full(len(run), system)
            parts.append(_Rows(100 * above / below, *place, run, seen + document, below / 1.0))
        seen += counts.shape[1]
    joined = _Rows(*map(np.concatenate, zip(*parts, strict=True)))
    return joined._replace(weight=joined.weight / joined.weight.mean())


def new_ranges(
    values: Floats, genera: NDArray[np.intp], level: float = 0.95, *, ranks: bool = False
) -> tuple[Floats, Floats]:
    r"""Return the range of each system's values on one new treebank of a new genus.

    The range goes from the :math:`\alpha` to the :math:`1 - \alpha` quantile over the treebanks of
    the table. The :math:`\alpha` is the largest at which the treebanks of a genus are inside the
    ranges of the treebanks of the other genera in a share `level` of all cases.

    Parameters
    ----------
    values
        Systems x treebanks: scores or ranks.
    genera
        The genus of each treebank, as numbers.
    ranks
        Whether ends are rounded outwards to whole ranks.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(80, 5, (3, 60))
    >>> low, high = new_ranges(values, np.arange(60) // 2)
    >>> bool((high - low > 15).all() and (high - low < 30).all())
    True
    """
    inside = np.zeros((len(TAILS), *values.shape), dtype=bool)
    for genus in np.unique(genera):
        own = genera == genus
        low, high = _ranges(values[:, ~own], TAILS, ranks)
        inside[:, :, own] = (low[..., None] <= values[:, own]) & (values[:, own] <= high[..., None])
    enough = inside.mean(axis=(1, 2)) >= level
    tail = TAILS[int(np.argmax(enough)) if enough.any() else -1]
    low, high = _ranges(values, np.array([tail]), ranks)
    return low[0], high[0]


def _ranges(values: Floats, tails: Floats, ranks: bool) -> tuple[Floats, Floats]:
    """Return lower and upper ends (tails x systems)."""
    share = np.maximum(tails, 0)
    longer = (np.maximum(-tails, 0) * (len(values) if ranks else np.ptp(values)))[:, None]
    low = np.quantile(values, share, axis=1) - longer
    high = np.quantile(values, 1 - share, axis=1) + longer
    if ranks:
        return np.maximum(np.floor(low), 1), np.minimum(np.ceil(high), len(values))
    return np.maximum(low, 0), np.minimum(high, 100)
