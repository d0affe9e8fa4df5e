r"""The subsets behind a system's best and worst rank, and what they have in common.

A class of treebanks (a family, a resource class, a range of sizes) is over-represented in a subset
of :math:`n` out of :math:`N` treebanks if it has more of the class's :math:`K` members than chance
would give it: the upper tail :math:`P(X \ge x)` of the hypergeometric distribution. In several
subsets, drawn independently, the members add up, and so do the distributions. The tails of all
classes are one family of tests and corrected as such (Fragility, Tables 5 and 6).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from treegauge.ranking.classes import classes_of, tail
from treegauge.ranking.extremes import Extreme, extreme
from treegauge.ranking.scores import Scores
from treegauge.ranking.stability import Stability
from treegauge.results import tables
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result
from treegauge.statistics.multiple import adjust

if TYPE_CHECKING:
    import polars as pl

Which = Literal["best", "worst"]


@dataclass(frozen=True, eq=False)
class Side:
    """One end of a system's ranks.

    Attributes
    ----------
    which
        ``best`` or ``worst``.
    rank
        The most extreme rank, as sampled.
    upto
        The last rank that still counts as extreme, so that there are enough samples to judge.
    samples
        How many samples gave a rank from `rank` to `upto`.
    subsets
        Some of them: one that gave `rank`, then the first.
    members
        How often each treebank is in one of them.
    mean_tokens
        Mean size of the treebanks in them, weighted by how often they are.
    searched
        What a search found beyond sampling, and what is the limit of all subsets.
    rows
        One row per class: expected and found share, tail, corrected tail.
    """

    which: Which
    rank: float
    upto: float
    samples: int
    subsets: tuple[tuple[str, ...], ...]
    members: NDArray[np.int64]
    mean_tokens: float | None
    searched: Extreme | None
    rows: tuple[dict[str, Any], ...]


@dataclass(frozen=True, eq=False)
class Outliers(Result):
    """What the subsets of a system's best and worst rank are made of."""

    system: str
    sides: tuple[Side, ...]
    classes: dict[str, NDArray[np.bool_]]
    stability: Stability
    correction: str
    signature: str
    digits: ClassVar[int] = 4

    @property
    def table(self) -> "pl.DataFrame":
        """One row per end and class, the most surprising first."""
        import polars as pl

        return pl.DataFrame(
            [
                {
                    "extreme": side.which,
                    "rank": side.rank,
                    "upto": side.upto,
                    "samples": side.samples,
                    **row,
                }
                for side in self.sides
                for row in side.rows
            ],
            infer_schema_length=None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return each end with its subsets, their classes and tails, and what a search found."""
        return {
            "signature": self.signature,
            "system": self.system,
            "extremes": [
                {
                    "extreme": side.which,
                    "rank": side.rank,
                    "upto": side.upto,
                    "samples": side.samples,
                    "mean_tokens": side.mean_tokens,
                    "subsets": [self.describe(subset) for subset in side.subsets],
                    "searched": None if side.searched is None else side.searched.to_dict(),
                    "classes": list(side.rows),
                }
                for side in self.sides
            ],
        }

    def describe(self, subset: Sequence[str]) -> dict[str, Any]:
        """Return a subset with the classes that have more than their share, as in Table 5."""
        scores = self.stability.sampler.scores
        columns = [scores.treebank(code) for code in subset]
        tokens = [size for size in scores.metadata["tokens"][columns].to_list() if size is not None]
        over = {}
        for name, mask in self.classes.items():
            found, held = int(mask[columns].sum()), int(mask.sum())
            if found * len(mask) > held * len(columns):
                chance = tail(found, population=len(mask), members=held, size=len(columns))
                over[name] = {"found": found, "tail": chance}
        return {
            "treebanks": list(subset),
            "mean_tokens": float(np.mean(tokens)) if tokens else None,
            "over": dict(sorted(over.items(), key=lambda item: item[1]["tail"])),
        }

    def __str__(self) -> str:
        lines = []
        for side in self.sides:
            size = "" if side.mean_tokens is None else f", mean size {side.mean_tokens:,.0f} tokens"
            of = f"{side.samples:,} of {self.stability.samples:,} samples"
            upto = "" if side.upto == side.rank else f" to {side.upto:g}"
            lines.append(f"{self.system}, {side.which} rank {side.rank:g}{upto} ({of}{size})")
            lines.append(f"  sampled: rank {side.rank:g} on {' '.join(side.subsets[0])}")
            if side.searched is not None:
                lines.append(f"  {side.searched}")
            over = [row for row in side.rows if row["corrected"] <= 0.05 and row["ratio"] >= 1.1]
            shown = [{**row, **{k: _short(row[k]) for k in ("tail", "corrected")}} for row in over]
            if shown:
                import polars as pl

                text = tables.to_text(pl.DataFrame(shown), digits=3)
                lines += [f"  {line}" for line in text.split("\n")]
            else:
                lines.append("  no class is over-represented by a tenth and beyond chance")
            lines.append("")
        return "\n".join([*lines, self.signature])


def _short(p: float) -> str:
    return f"{p:.2g}" if p >= 1e-12 else "< 1e-12"


def outliers(
    stability: Stability,
    system: str,
    *,
    which: Sequence[Which] = ("best", "worst"),
    by: Sequence[str] = ("stock", "genus", "resource", "tokens"),
    classes: Mapping[str, Sequence[str]] | None = None,
    correction: str = "holm",
    least: int = 10,
    limit: int = 10,
    search: bool = True,
) -> Outliers:
    """Explain a system's best and worst rank by the treebanks behind them.

    Parameters
    ----------
    stability
        Ranks over free random subsets of one size.
    system
        Name of the system.
    which
        Which ends to explain.
    by, classes
        Classes of treebanks to look at: see :func:`classes_of`.
    correction
        ``holm``, ``bonferroni`` or ``benjamini-hochberg``, over the classes of each end.
    least
        The extreme rank and those next to it are taken together until they have at least so many
        samples; one subset alone says little.
    limit
        How many subsets to name; all of them are counted.
    search
        Also look for subsets that sampling missed, with a still better or worse rank.

    Examples
    --------
    >>> from treegauge.ranking.scores import read_scores
    >>> from treegauge.ranking.stability import stability
    >>> ranks = stability(read_scores("conll18"), size=10, samples=50_000, seed=0)
    >>> found = outliers(ranks, "SLT-Interactions", search=False)
    >>> over = [row["class"] for row in found.sides[0].rows if row["corrected"] < 0.001]
    >>> "genus Slavic" in over
    True
    """
    sampler = stability.sampler
    if len(sampler.sizes) > 1 or sampler.constraints:
        raise TreegaugeError(
            "outliers are judged against free subsets of one size; found "
            f"{len(sampler.sizes)} sizes and {len(sampler.constraints)} constraints"
        )
    if limit < 1 or least < 1:
        raise TreegaugeError(f"limit {limit}, least {least}: expected 1 or more")
    scores, size = sampler.scores, sampler.sizes[0]
    masks = classes_of(scores, by, classes)
    row = scores.system(system)
    sides = []
    for end in which:
        low, high = _extreme_ranks(stability.counts[row], end, least)
        found = stability.behind(system, ranks=(low, high), limit=limit)
        first = stability.best_at if end == "best" else stability.worst_at
        known = sampler.subset(int(first[row]))
        searched = None
        if search:
            searched = extreme(scores, system, end, size=size, ties=stability.ties, start=known)
        sides.append(
            Side(
                which=end,
                rank=low if end == "best" else high,
                upto=high if end == "best" else low,
                samples=found.samples,
                subsets=tuple(dict.fromkeys([known, *found.subsets]))[:limit],
                members=found.members,
                mean_tokens=_mean_tokens(scores, found.members),
                searched=searched,
                rows=_rows(masks, found.members, size, found.samples, correction),
            )
        )
    return Outliers(
        system=scores.systems[row],
        sides=tuple(sides),
        classes=masks,
        stability=stability,
        correction=correction,
        signature=f"{stability.signature}|system:{scores.systems[row]}|correction:{correction}",
    )


def _extreme_ranks(counts: NDArray[np.int64], which: Which, least: int) -> tuple[float, float]:
    """Return the lowest and highest rank that count as extreme."""
    if which not in {"best", "worst"}:
        raise ChoiceError("extreme", which, ["best", "worst"])
    seen = np.flatnonzero(counts)
    ordered = seen if which == "best" else seen[::-1]
    enough = np.cumsum(counts[ordered]) >= min(least, counts.sum())
    ends = sorted([int(ordered[0]), int(ordered[enough.argmax()])])
    return 1 + ends[0] / 2, 1 + ends[1] / 2


def _mean_tokens(scores: Scores, members: NDArray[np.int64]) -> float | None:
    tokens = scores.metadata["tokens"].cast(float).to_numpy()
    known = ~np.isnan(tokens)
    weight = members[known].sum()
    return float(tokens[known] @ members[known] / weight) if weight else None


def _rows(
    masks: Mapping[str, NDArray[np.bool_]],
    members: NDArray[np.int64],
    size: int,
    subsets: int,
    correction: str,
) -> tuple[dict[str, Any], ...]:
    rows: list[dict[str, Any]] = []
    for name, mask in masks.items():
        found, held, population = int(members[mask].sum()), int(mask.sum()), len(mask)
        rows.append(
            {
                "class": name,
                "members": held,
                "expected": held / population,
                "found": found / (size * subsets),
                "ratio": found * population / (size * subsets * held),
                "tail": tail(
                    found, population=population, members=held, size=size, subsets=subsets
                ),
            }
        )
    corrected = adjust([row["tail"] for row in rows], correction)
    rows = [row | {"corrected": float(p)} for row, p in zip(rows, corrected, strict=True)]
    return tuple(sorted(rows, key=lambda row: (row["tail"], -row["ratio"])))
