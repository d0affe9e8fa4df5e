"""Explain a system's best and worst ranks by the treebanks in these subsets.

A class of treebanks (a family, a resource class, a range of sizes) is over-represented in the
subsets of an extreme rank if its members are in more of them than treebanks are on average
(Fragility, Tables 5 and 6). The subsets share treebanks, often one that is in nearly all of them,
so they are not independent: what could have been otherwise is which treebanks belong to the class.
The p-value is therefore the share of random permutations of the labels of treebanks that give the
class at least as many places; those of all classes and both ends are corrected together.

Sampling finds extreme ranks only by luck, so they are searched for, too. A rival can be ahead of a
system on some subset of :math:`k` treebanks if and only if its :math:`k` largest leads :math:`d_t`
add up to more than 0. So the worst rank over *all* subsets is at most 1 + the number of rivals that
can be ahead, and the best at least 1 + the number of those that cannot be overtaken. The true
extreme lies between the rank that the search finds and this limit. If there are few subsets, all
are tried, and the answer is exact.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from treegauge.core import tables
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.messages import progress
from treegauge.core.result import Result, countersign
from treegauge.core.verbs import verb
from treegauge.ranking.leaderboard import TIE, Leaderboard, some
from treegauge.ranking.metadata import CLASSES, classes_of, hypergeometric_tail
from treegauge.ranking.reading import READING, LeaderboardReading, leaderboard_of
from treegauge.ranking.stability.sampler import sizes_of, usual_size
from treegauge.ranking.stability.win_rates import Stability, sample_count, stability
from treegauge.statistics.multiple import adjust

Which = Literal["best", "worst"]
_ALL = 50_000
_STARTS = 30


@dataclass(frozen=True)
class Extreme:
    """The best or worst rank that a search found, and a subset that gives it.

    No subset of this size gives a more extreme rank than `limit`; `exact` says whether `rank` is
    the extreme over all subsets: all were tried, or it equals the limit.
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
    start: tuple[str, ...] | None = None,
    seed: int = 0,
) -> Extreme:
    """Search for a subset that gives a system its best or worst rank.

    `start` is a subset known to be good, such as the best of a sample, which the result is never
    worse than; `seed` is that of the other starts.
    """
    from treegauge.kernels.rank_swaps import climb

    if which not in {"best", "worst"}:
        raise ChoiceError("extreme", which, ["best", "worst"])
    treebanks = len(board.treebanks)
    sizes_of(size, treebanks)
    numbers, scale = board.fixed_point()
    row = board.system(system)
    # For the best rank the roles are exchanged: as many rivals as possible behind.
    sign = 1 if which == "worst" else -1
    leads = sign * (np.delete(numbers, row, axis=0) - numbers[row])
    if exact := comb(treebanks, size) <= _ALL:
        subsets = np.array([*combinations(range(treebanks), size)], dtype=np.int64)
        ahead = _ahead(leads[:, subsets].sum(axis=2))
        most, columns = int(ahead.max()), subsets[ahead.argmax()]
    else:
        rng = np.random.default_rng(seed)
        orders = [rng.permutation(treebanks) for _ in range(_STARTS)]
        orders += [np.argsort(-lead, kind="stable") for lead in leads]
        if start is not None:
            chosen = [board.treebank(code) for code in start]
            orders.append(np.concatenate([chosen, np.setdiff1d(np.arange(treebanks), chosen)]))
        widths = scale * size * np.array([3.0, 1.0, 0.3, 0.05])
        most, columns = climb(leads, size, np.array(orders, dtype=np.int64), TIE, widths)
        if start is not None and most < (known := _ahead(leads[:, chosen].sum(axis=1))):
            most, columns = known, np.array(chosen)
    limit = int(_ahead(np.sort(leads, axis=1)[:, treebanks - size :].sum(axis=1)))
    places = [1 + count / 2 for count in (int(most), limit)]
    if which == "best":
        places = [len(board.systems) + 1 - place for place in places]
    subset = tuple(board.treebanks[i] for i in np.sort(columns))
    proved = exact or int(most) == limit
    return Extreme(which, places[0], subset, places[0] if exact else places[1], proved)


def _ahead(sums: NDArray[np.int64]) -> Any:
    """Return twice the number of rivals ahead; a tie counts half."""
    return 2 * (sums > 0).sum(axis=0) + TIE * (sums == 0).sum(axis=0)


ClassColumn = Literal["stock", "genus", "resource", "tokens", "language", "treebank"]
_DIGITS = {"expected": 3, "found": 3, "ratio": 2}
PERMUTATIONS = 9_999
"""The number of permutations of the treebanks' labels."""


@dataclass(frozen=True, eq=False)
class ExtremeRanks:
    """The best or the worst ranks of a system.

    Attributes
    ----------
    rank, upto, samples
        The most extreme rank in the sample; the last rank that still counts as extreme, so that
        there are enough samples for a test; and the number of samples in this range.
    subsets
        Some of these samples: one with `rank`, then the first ones.
    members, mean_tokens
        The number of these samples that contain each treebank, and the mean size of treebanks.
    rows
        One row per class: see :func:`over_represented`.
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
        """Return the classes that are significantly over-represented, by a tenth or more."""
        return [row for row in self.rows if row["p_corrected"] <= 0.05 and row["ratio"] >= 1.1]


@dataclass(frozen=True, eq=False)
class Outliers(Result, kind="outliers"):
    """The treebanks in the subsets with a system's best and worst ranks."""

    system: str
    sides: tuple[ExtremeRanks, ...]
    classes: dict[str, NDArray[np.bool_]]
    stability: Stability
    correction: str
    signature: str
    digits: ClassVar[tables.Digits] = 4

    @property
    def table(self) -> "pl.DataFrame":
        """One row per end and class, the lowest p-value first."""
        rows = [{**side.summary(), **row} for side in self.sides for row in side.rows]
        return pl.DataFrame(rows, infer_schema_length=None)

    def json_fields(self) -> dict[str, Any]:
        """Return each end with its subsets, their classes and tails, and the search results."""
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
        """Return a subset with its over-represented classes, as in Table 5.

        The tail probability is of this subset and class alone, without correction.
        """
        board = self.stability.board
        columns = [board.treebank(code) for code in subset]
        tokens = [size for size in board.metadata["tokens"][columns].to_list() if size is not None]
        over = {}
        for name, mask in self.classes.items():
            inside, held = int(mask[columns].sum()), int(mask.sum())
            if inside * len(mask) > held * len(columns):
                chance = hypergeometric_tail(inside, population=len(mask), members=held, size=len(columns))
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
            of = f"{side.samples:,} of {self.stability.samples:,} subsets"
            upto = "" if side.upto == side.rank else f" to {side.upto:g}"
            lines.append(f"{self.system}, {side.which} rank {side.rank:g}{upto} ({of}{size})")
            lines.append(f"  sampled: rank {side.rank:g} on {' '.join(side.subsets[0])}")
            if side.searched is not None:
                lines.append(f"  {side.searched}")
            over = [row | {"carried_by": some(row["carried_by"].split())} for row in side.over()]
            if over:
                text = tables.to_text(pl.DataFrame(over), digits=_DIGITS)
                lines += [f"  {line}" for line in text.split("\n")]
            else:
                lines.append("  no class is significantly over-represented by a tenth or more")
            often = np.argsort(-side.members, kind="stable")[:4]
            board = self.stability.board
            shares = [f"{board.treebanks[i]} {side.members[i] / side.samples:.0%}" for i in often]
            lines += [f"  treebanks in most of these subsets: {', '.join(shares)}", ""]
        return "\n".join([*lines, self.signature])


def over_represented(
    members: NDArray[np.int64], masks: Sequence[NDArray[np.bool_]], *, permutations: int = PERMUTATIONS, seed: int = 0
) -> NDArray[np.float64]:
    """Return, for each class, the p-value of its frequency in the subsets of an extreme rank.

    `members` is the number of subsets that contain each treebank, `masks` which treebanks are in
    each class. Labels are permuted over treebanks, all classes together.
    """
    # Sums of whole numbers below 2 ** 53 are exact in floats, whose products are much faster.
    membership = np.array(masks, dtype=np.float64).reshape(len(masks), len(members)).T
    counts = members.astype(np.float64)
    shuffled = counts[_orders(len(members), permutations, seed)]
    as_many = (shuffled @ membership >= counts @ membership).sum(axis=0)
    return np.asarray((1 + as_many) / (1 + permutations), dtype=np.float64)


@lru_cache(maxsize=1)
def _orders(size: int, permutations: int, seed: int) -> NDArray[np.int64]:
    """Return random orders of the treebanks, one per row; all tests share them."""
    rng = np.random.default_rng([seed, size])
    return rng.permuted(np.tile(np.arange(size), (permutations, 1)), axis=1)


def carriers(members: NDArray[np.int64], mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the fewest treebanks of a class without which it is not over-represented."""
    inside = np.flatnonzero(mask)
    inside = inside[np.argsort(-members[inside], kind="stable")]
    rest = np.cumsum(members[inside][::-1])[::-1]  # of the class, from each treebank on
    share = members.sum() / len(members)
    enough = np.flatnonzero(rest <= share * np.arange(len(inside), 0, -1))
    return inside[: enough[0]] if len(enough) else inside


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
    """Return the classes of treebanks in the subsets with a system's best and worst ranks.

    `ranks` are those over free random subsets of one size, `classes` one's own (see
    :func:`classes_of`); the other parameters are those of :func:`outliers`.
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
            searched = extreme(board, system, end, size=size, start=known)
        sides.append(
            ExtremeRanks(
                which=end, rank=low if end == "best" else high,
                upto=high if end == "best" else low, samples=behind.samples,
                subsets=tuple(dict.fromkeys([known, *behind.subsets]))[:limit],
                members=behind.members, mean_tokens=_mean_tokens(board, behind.members),
                searched=searched, rows=(),
            )
        )  # fmt: skip
    name = board.systems[row]
    signature = countersign(
        ranks.signature, system=name, units="treebanks", permutations=PERMUTATIONS, correction=correction
    )
    judged = _with_rows(sides, board, masks, correction, sampler.seed)
    return Outliers(name, judged, masks, ranks, correction, signature)


def _extreme_ranks(counts: NDArray[np.int64], which: Which, least: int) -> tuple[float, float]:
    """Return the lowest and highest rank that count as extreme."""
    if which not in {"best", "worst"}:
        raise ChoiceError("extreme", which, ["best", "worst"])
    occurring = np.flatnonzero(counts)
    ordered = occurring if which == "best" else occurring[::-1]
    enough = np.cumsum(counts[ordered]) >= min(least, counts.sum())
    ends = sorted([int(ordered[0]), int(ordered[enough.argmax()])])
    return 1 + ends[0] / 2, 1 + ends[1] / 2


def _mean_tokens(board: Leaderboard, members: NDArray[np.int64]) -> float | None:
    tokens = board.metadata["tokens"].cast(float).to_numpy()
    known = ~np.isnan(tokens)
    weight = members[known].sum()
    return float(tokens[known] @ members[known] / weight) if weight else None


def _with_rows(
    sides: Sequence[ExtremeRanks],
    board: Leaderboard,
    masks: Mapping[str, NDArray[np.bool_]],
    correction: str,
    seed: int,
) -> tuple[ExtremeRanks, ...]:
    """Test all classes at both ends, as one family of tests."""
    tested = [over_represented(side.members, [*masks.values()], seed=seed) for side in sides]
    corrected = adjust(np.concatenate(tested), correction).reshape(len(sides), -1)
    judged = []
    for side, p_values, adjusted in zip(sides, tested, corrected, strict=True):
        rows: list[dict[str, Any]] = []
        chances = zip(masks.items(), p_values.tolist(), adjusted.tolist(), strict=True)
        for (name, mask), p_value, p_corrected in chances:
            expected, share = float(mask.mean()), side.members[mask].sum() / side.members.sum()
            codes = [board.treebanks[i] for i in carriers(side.members, mask)]
            rows.append(
                {"class": name, "members": int(mask.sum()), "expected": expected,
                 "found": float(share), "ratio": float(share) / expected, "p_value": p_value,
                 "p_corrected": p_corrected, "carried_by": " ".join(codes)}
            )  # fmt: skip
        rows.sort(key=lambda row: (row["p_value"], -row["ratio"]))
        judged.append(replace(side, rows=tuple(rows)))
    return tuple(judged)


@verb(limits={"subsets": (1, 10**8)})
def outliers(
    *scores: Any,
    system: Sequence[str],
    size: int | None = None,
    subsets: int = 1_000_000,
    by: Sequence[ClassColumn] = CLASSES[:4],  # type: ignore[assignment]
    correction: Literal["holm", "bonferroni", "benjamini-hochberg"] = "holm",
    seed: int = 0,
    reading: LeaderboardReading = READING,
) -> Outliers:
    """Show the subsets with a system's best and worst ranks, and classes frequent in them.

    A class of treebanks is over-represented if its members are in these subsets more often than
    random treebanks are. This is a permutation test with treebanks as units, corrected for the
    number of classes. The treebanks that cause the effect are named.

    Parameters
    ----------
    system
        System to explain; repeatable.
    size
        Treebanks per subset; default: 10, or half of ten treebanks or fewer.
    subsets
        The number of random subsets; a million or fewer are all counted instead.
    by
        Columns that define the classes of treebanks.
    correction
        Correction for the number of classes.
    """
    board = leaderboard_of(scores, reading)
    names = [board.systems[board.system(name)] for name in ([system] if isinstance(system, str) else system)]
    size = usual_size(len(board.treebanks)) if size is None else size
    with progress("subsets", sample_count(board, size, subsets)) as task:
        ranks = stability(board, size=size, subsets=subsets, seed=seed, progress=task.advance)
    explained = {name: explain_outliers(ranks, name, by=by, correction=correction) for name in names}
    first, *others = explained
    return explained[first].with_attached({name: explained[name] for name in others})
