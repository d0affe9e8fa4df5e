r"""Explain a system's best and worst rank by the treebanks behind them.

A class of treebanks (a family, a resource class, a range of sizes) is over-represented in a subset
of :math:`n` out of :math:`N` treebanks if it has more of the class's :math:`K` members than chance
would give it: the upper tail :math:`P(X \ge x)` of the hypergeometric distribution. In several
subsets, drawn independently, the members add up, and so do the distributions. The tails of all
classes are one family of tests and corrected as such (Fragility, Tables 5 and 6).

Sampling finds extreme ranks only by luck, so they are searched for, too. A rival can be ahead of a
system on some subset of :math:`k` treebanks if and only if its :math:`k` largest leads :math:`d_t`
add up to more than 0. So the worst rank over *all* subsets is at most 1 + the number of rivals that
can be ahead, and the best at least 1 + the number of those that cannot be overtaken. The true
extreme lies between what the search gives and this limit; where there are few subsets, all are
tried, and the answer is exact.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from treegauge.core import tables
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import progress
from treegauge.core.result import Result, countersign
from treegauge.core.verbs import verb
from treegauge.ranking.leaderboard import TIE, Leaderboard, Ties, ranks_of
from treegauge.ranking.metadata import CLASSES, classes_of, tail
from treegauge.ranking.reading import READING, LeaderboardReading, leaderboard_of
from treegauge.ranking.sampler import sizes_of, usual_size
from treegauge.ranking.stability import Stability, stability
from treegauge.statistics.multiple import adjust

if TYPE_CHECKING:
    import polars as pl

Which = Literal["best", "worst"]
ClassColumn = Literal["stock", "genus", "resource", "tokens", "language", "treebank"]
_ALL = 50_000
_STARTS = 30


@dataclass(frozen=True)
class Extreme:
    """The best or worst rank that a search arrived at.

    Attributes
    ----------
    which, rank, subset
        ``best`` or ``worst``; the most extreme rank that occurred; a subset that gives it.
    limit
        No subset of this size gives a more extreme rank than this.
    exact
        Whether `rank` is the extreme over all subsets: all were tried, or it equals the limit.
    """

    which: Which
    rank: float
    subset: tuple[str, ...]
    limit: float
    exact: bool

    def __str__(self) -> str:
        bound = f"no subset can be {'better' if self.which == 'best' else 'worse'} than"
        sure = "proved extreme" if self.exact else f"{bound} {self.limit:g}"
        return f"searched: rank {self.rank:g} on {' '.join(self.subset)} ({sure})"


def extreme(
    board: Leaderboard,
    system: str,
    which: Which,
    *,
    size: int = 10,
    ties: Ties = "average",
    start: tuple[str, ...] | None = None,
    seed: int = 0,
) -> Extreme:
    """Search for a subset that gives a system its best or worst rank.

    Parameters
    ----------
    board, system, which
        The leaderboard, a system in it, and ``best`` or ``worst``.
    size, ties
        Treebanks per subset, and what equal systems get.
    start, seed
        A subset known to be good, such as the best of a sample, which the result is never worse
        than; and the seed of the other starts.

    Examples
    --------
    >>> from treegauge.ranking.reading import read_leaderboard
    >>> worst = extreme(read_leaderboard("conll18"), "HIT-SCIR", "worst", size=10)
    >>> worst.rank >= 6 and worst.limit >= worst.rank
    True
    """
    from treegauge.kernels.rank_swaps import climb

    if which not in {"best", "worst"}:
        raise ChoiceError("extreme", which, ["best", "worst"])
    ranks_of(np.zeros(1), ties)
    held = len(board.treebanks)
    sizes_of(size, held)
    numbers, scale = board.fixed_point()
    row = board.system(system)
    # For the best rank the roles are exchanged: as many rivals as possible behind.
    sign = 1 if which == "worst" else -1
    leads = sign * (np.delete(numbers, row, axis=0) - numbers[row])
    tie = TIE[ties] if which == "worst" else 2 - TIE[ties]
    if comb(held, size) <= _ALL:
        most, columns = _every(leads, size, tie)
        exact = True
    else:
        rng = np.random.default_rng(seed)
        orders = [rng.permutation(held) for _ in range(_STARTS)]
        orders += [np.argsort(-lead, kind="stable") for lead in leads]
        if start is not None:
            chosen = [board.treebank(code) for code in start]
            orders.append(np.concatenate([chosen, np.setdiff1d(np.arange(held), chosen)]))
        widths = scale * size * np.array([3.0, 1.0, 0.3, 0.05])
        most, columns = climb(leads, size, np.array(orders, dtype=np.int64), tie, widths)
        if start is not None:
            most, columns = max(
                (most, columns), (_ahead(leads, chosen, tie), np.array(chosen)), key=lambda x: x[0]
            )
        exact = False
    best = np.sort(leads, axis=1)[:, held - size :].sum(axis=1)
    limit = int(2 * (best > 0).sum() + tie * (best == 0).sum())
    places = [1 + count / 2 for count in (int(most), limit)]
    if which == "best":
        places = [len(board.systems) + 1 - place for place in places]
    subset = tuple(board.treebanks[i] for i in np.sort(columns))
    proved = exact or int(most) == limit
    return Extreme(which, places[0], subset, places[0] if exact else places[1], proved)


def _ahead(leads: NDArray[np.int64], columns: Any, tie: int) -> int:
    sums = leads[:, columns].sum(axis=1)
    return int(2 * (sums > 0).sum() + tie * (sums == 0).sum())


def _every(leads: NDArray[np.int64], size: int, tie: int) -> tuple[int, NDArray[np.int64]]:
    """Try all subsets."""
    subsets = np.array([*combinations(range(leads.shape[1]), size)], dtype=np.int64)
    sums = leads[:, subsets].sum(axis=2)
    ahead = 2 * (sums > 0).sum(axis=0) + tie * (sums == 0).sum(axis=0)
    return int(ahead.max()), subsets[ahead.argmax()]


@dataclass(frozen=True, eq=False)
class ExtremeRanks:
    """One end of a system's ranks.

    Attributes
    ----------
    which, rank
        ``best`` or ``worst``, and the most extreme rank, as sampled.
    upto, samples
        The last rank that still counts as extreme, so that there are enough samples to judge, and
        the number of samples from `rank` to it.
    subsets
        Some of these samples: one that gave `rank`, then the first.
    members, mean_tokens
        How often each treebank is in one of them, and the mean size of these treebanks.
    searched
        The result of a search beyond sampling, and the limit of all subsets.
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

    def summary(self) -> dict[str, Any]:
        """Return the fields that tables and JSON share."""
        fields = {name: getattr(self, name) for name in ("rank", "upto", "samples")}
        return {"extreme": self.which, **fields}

    def over(self) -> list[dict[str, Any]]:
        """Return the classes over-represented by a tenth or more, and significantly."""
        return [row for row in self.rows if row["corrected"] <= 0.05 and row["ratio"] >= 1.1]


@dataclass(frozen=True, eq=False)
class Outliers(Result):
    """What the subsets of a system's best and worst rank are made of."""

    system: str
    sides: tuple[ExtremeRanks, ...]
    classes: dict[str, NDArray[np.bool_]]
    stability: Stability
    correction: str
    signature: str
    kind: ClassVar[str] = "outliers"
    digits: ClassVar[tables.Digits] = 4

    @property
    def table(self) -> "pl.DataFrame":
        """One row per end and class, the most surprising first."""
        import polars as pl

        rows = [{**side.summary(), **row} for side in self.sides for row in side.rows]
        return pl.DataFrame(rows, infer_schema_length=None)

    def json_fields(self) -> dict[str, Any]:
        """Return each end with its subsets, their classes and tails, and what was searched."""
        extremes = [
            {
                **side.summary(),
                "mean_tokens": side.mean_tokens,
                "subsets": [self.describe(subset) for subset in side.subsets],
                "searched": side.searched and dict(vars(side.searched)),
                "classes": list(side.rows),
            }
            for side in self.sides
        ]
        return {"system": self.system, "extremes": extremes}

    def describe(self, subset: Sequence[str]) -> dict[str, Any]:
        """Return a subset with the classes that have more than their share, as in Table 5."""
        board = self.stability.board
        columns = [board.treebank(code) for code in subset]
        tokens = [size for size in board.metadata["tokens"][columns].to_list() if size is not None]
        over = {}
        for name, mask in self.classes.items():
            inside, held = int(mask[columns].sum()), int(mask.sum())
            if inside * len(mask) > held * len(columns):
                chance = tail(inside, population=len(mask), members=held, size=len(columns))
                over[name] = {"found": inside, "tail": chance}
        return {
            "treebanks": list(subset),
            "mean_tokens": float(np.mean(tokens)) if tokens else None,
            "over": dict(sorted(over.items(), key=lambda item: item[1]["tail"])),
        }

    def own_text(self) -> str:
        """Return each end with its subset and the classes over-represented in it."""
        lines = []
        for side in self.sides:
            size = "" if side.mean_tokens is None else f", mean size {side.mean_tokens:,.0f} tokens"
            of = f"{side.samples:,} of {self.stability.samples:,} samples"
            upto = "" if side.upto == side.rank else f" to {side.upto:g}"
            lines.append(f"{self.system}, {side.which} rank {side.rank:g}{upto} ({of}{size})")
            lines.append(f"  sampled: rank {side.rank:g} on {' '.join(side.subsets[0])}")
            if side.searched is not None:
                lines.append(f"  {side.searched}")
            names = ("tail", "corrected")
            shown = [{**row, **{k: _short(row[k]) for k in names}} for row in side.over()]
            if shown:
                import polars as pl

                text = tables.to_text(pl.DataFrame(shown), digits=3)
                lines += [f"  {line}" for line in text.split("\n")]
            else:
                lines.append("  no class is over-represented by a tenth and significantly")
            lines.append("")
        return "\n".join([*lines, self.signature])


def _short(p: float) -> str:
    return f"{p:.2g}" if p >= 1e-12 else "< 1e-12"


def explain_outliers(
    ranks: Stability,
    system: str,
    *,
    which: Sequence[Which] = ("best", "worst"),
    by: Sequence[str] = CLASSES[:4],
    classes: Mapping[str, Sequence[str]] | None = None,
    correction: str = "holm",
    least: int = 10,
    limit: int = 10,
    search: bool = True,
) -> Outliers:
    """Return the classes of treebanks behind a system's best and worst rank.

    Parameters
    ----------
    ranks, system
        Ranks over free random subsets of one size, and the name of a system.
    which, by, classes
        Which ends to explain, by which classes of treebanks: see :func:`classes_of`.
    correction, least, limit, search
        As in :func:`outliers`.

    Examples
    --------
    >>> from treegauge.ranking.reading import read_leaderboard
    >>> from treegauge.ranking.stability import stability
    >>> ranks = stability(read_leaderboard("conll18"), size=10, samples=50_000, seed=0)
    >>> extremes = explain_outliers(ranks, "SLT-Interactions", search=False)
    >>> over = [row["class"] for row in extremes.sides[0].rows if row["corrected"] < 0.001]
    >>> "genus Slavic" in over
    True
    """
    sampler = ranks.sampler
    if len(sampler.sizes) > 1 or sampler.constraints:
        raise TreegaugeError(
            "outliers are judged against free subsets of one size; there are "
            f"{len(sampler.sizes)} sizes and {len(sampler.constraints)} constraints"
        )
    if limit < 1 or least < 1:
        raise TreegaugeError(f"limit {limit}, least {least}: expected 1 or more")
    board, size = sampler.board, sampler.sizes[0]
    masks = classes_of(board, by, classes)
    row = board.system(system)
    sides = []
    for end in which:
        low, high = _extreme_ranks(ranks.counts[row], end, least)
        behind = ranks.behind(system, ranks=(low, high), limit=limit)
        first = ranks.best_at if end == "best" else ranks.worst_at
        known = sampler.subset(int(first[row]))
        searched = None
        if search:
            searched = extreme(board, system, end, size=size, ties=ranks.ties, start=known)
        sides.append(
            ExtremeRanks(
                which=end, rank=low if end == "best" else high,
                upto=high if end == "best" else low, samples=behind.samples,
                subsets=tuple(dict.fromkeys([known, *behind.subsets]))[:limit],
                members=behind.members, mean_tokens=_mean_tokens(board, behind.members),
                searched=searched,
                rows=_rows(masks, behind.members, size, behind.samples, correction),
            )
        )  # fmt: skip
    name = board.systems[row]
    signature = countersign(ranks.signature, system=name, correction=correction)
    return Outliers(name, tuple(sides), masks, ranks, correction, signature)


def _extreme_ranks(counts: NDArray[np.int64], which: Which, least: int) -> tuple[float, float]:
    """Return the lowest and highest rank that count as extreme."""
    if which not in {"best", "worst"}:
        raise ChoiceError("extreme", which, ["best", "worst"])
    seen = np.flatnonzero(counts)
    ordered = seen if which == "best" else seen[::-1]
    enough = np.cumsum(counts[ordered]) >= min(least, counts.sum())
    ends = sorted([int(ordered[0]), int(ordered[enough.argmax()])])
    return 1 + ends[0] / 2, 1 + ends[1] / 2


def _mean_tokens(board: Leaderboard, members: NDArray[np.int64]) -> float | None:
    tokens = board.metadata["tokens"].cast(float).to_numpy()
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
        inside, held, population = int(members[mask].sum()), int(mask.sum()), len(mask)
        chance = tail(inside, population=population, members=held, size=size, subsets=subsets)
        expected, share = held / population, inside / (size * subsets)
        row = {"class": name, "members": held, "expected": expected, "found": share}
        ratio = inside * population / (size * subsets * held)
        rows.append({**row, "ratio": ratio, "tail": chance})
    corrected = adjust([row["tail"] for row in rows], correction)
    rows = [row | {"corrected": float(p)} for row, p in zip(rows, corrected, strict=True)]
    return tuple(sorted(rows, key=lambda row: (row["tail"], -row["ratio"])))


@verb
def outliers(
    *scores: Any,
    system: Sequence[str],
    size: int | None = None,
    samples: int = 1_000_000,
    by: Sequence[ClassColumn] = CLASSES[:4],  # type: ignore[assignment]
    correction: Literal["holm", "bonferroni", "benjamini-hochberg"] = "holm",
    least: int = 10,
    limit: int = 10,
    search: bool = True,
    seed: int = 0,
    reading: LeaderboardReading = READING,
) -> Outliers:
    """Show the subsets behind a system's best and worst rank, and what is frequent in them.

    A class of treebanks is over-represented if random subsets would hardly have as many of it: the
    tail of the hypergeometric distribution, corrected for the number of classes.

    Parameters
    ----------
    scores
        conll18, tables of scores, stores or results.
    system
        System to explain; repeatable.
    size
        Treebanks per subset; default: 10, or half of ten treebanks or fewer.
    samples
        How many random subsets.
    by
        Classes of treebanks to look at.
    correction
        Correction for the number of classes.
    least
        Add the next ranks until there are this many subsets.
    limit
        How many subsets to name (JSON).
    search
        Search for ranks that sampling missed.
    seed
        Same seed, same result.
    """
    board = leaderboard_of(scores, reading)
    names = [board.systems[board.system(name)] for name in
             ([system] if isinstance(system, str) else system)]  # fmt: skip
    size = usual_size(len(board.treebanks)) if size is None else size
    with progress("subsets", samples) as task:
        ranks = stability(board, size=size, samples=samples, seed=seed, progress=task.advance)
    explained = {
        name: explain_outliers(
            ranks, name, by=by, correction=correction, least=least, limit=limit, search=search
        )
        for name in names
    }
    first, *others = explained
    return explained[first].with_attached({name: explained[name] for name in others})
