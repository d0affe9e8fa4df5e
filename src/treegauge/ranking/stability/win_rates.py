"""Stability of a ranking over subsets of treebanks (Fragility, Section 5).

Every sample ranks the systems by their mean score over a subset: a random one, or each in turn if
there are few. Samples are counted, not
stored: memory does not grow with their number, and the counts are integers, so the result is the
same on any number of threads.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treegauge.core import tables
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import countersign
from treegauge.ranking.leaderboard import TIE, Leaderboard, Ranks, metric_name
from treegauge.ranking.stability.named_subsets import Constraint, constraints_of
from treegauge.ranking.stability.rank_counts import RankTally, SampleSearch, ScoreSums, tally_ranks
from treegauge.ranking.stability.sampler import FEW, Sampler, sizes_of, sizes_text
from treegauge.ranking.strengths import RankSets
from treegauge.statistics.planning import Winner
from treegauge.statistics.units import TOO_FEW


class Behind(NamedTuple):
    """The samples in which a system had certain ranks.

    Their number, the count of each treebank in them, and the numbers and treebanks of the first
    ones; the sampler can draw a subset again by its number.
    """

    samples: int
    members: NDArray[np.int64]
    numbers: tuple[int, ...]
    subsets: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Stability(Ranks, kind="ranks", unit="percent"):
    """Ranks of every system over subsets of treebanks.

    Attributes
    ----------
    counts
        Systems x doubled ranks: entry ``[s, i]`` counts the samples with rank ``1 + i / 2``.
    above, tied
        Systems x systems: samples in which the row is above the column, or equal to it.
    best_at, worst_at
        Numbers of the first samples with each system's best and worst rank; the sampler draws
        them again.
    agreement
        By size: samples, mean and sd of Kendall's tau-b with the ranking over all treebanks, and
        the share of samples in which a system that leads there leads (alone or tied).
    sets, winner
        Confidence sets of the ranks by mean score, and the best system's lead over the average of
        the systems, corrected for selection; None with too few treebanks.
    """

    sampler: Sampler
    samples: int
    counts: NDArray[np.int64]
    above: NDArray[np.int64]
    tied: NDArray[np.int64]
    best_at: NDArray[np.int64]
    worst_at: NDArray[np.int64]
    agreement: "pl.DataFrame"
    signature: str
    sets: RankSets | None = None
    winner: Winner | None = None
    digits: ClassVar[Any] = dict.fromkeys(("rank", "best", "q1", "median", "q3", "worst"))

    @property
    def board(self) -> Leaderboard:
        """The leaderboard whose systems are ranked."""
        return self.sampler.board

    @property
    def subsets_text(self) -> str:
        """The subsets in words, such as ``all 20 subsets of 3 treebanks``."""
        return self.sampler.described(self.samples)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order of all arrays."""
        return self.board.systems

    @cached_property
    def table(self) -> "pl.DataFrame":
        """One row per system: mean score, its ranks in the subsets, rank over all treebanks."""
        values = 1 + np.arange(self.counts.shape[1]) / 2
        mean = self.counts @ values / self.samples
        spread = (self.counts * (values[None, :] - mean[:, None]) ** 2).sum(axis=1) / self.samples
        q1, median, q3 = (self.quantile(q) for q in (0.25, 0.5, 0.75))
        frame = {
            "system": self.systems, "score": self.board.filled.mean(axis=1),
            "best": 1 + (self.counts > 0).argmax(axis=1) / 2, "q1": q1, "median": median, "q3": q3,
            "worst": len(self.systems) - (self.counts[:, ::-1] > 0).argmax(axis=1) / 2,
            "mean": mean, "sd": np.sqrt(spread), "full": self.board.ranking(),
        }  # fmt: skip
        if self.sets is not None:
            frame |= {"rank_low": self.sets.low, "rank_high": self.sets.high}
        return pl.DataFrame(frame).sort("mean", "system")

    def quantile(self, q: float) -> NDArray[np.float64]:
        """Return a quantile of each system's ranks, interpolated as ``numpy.quantile`` does."""
        place = q * (self.samples - 1)
        below = int(place)
        cumulated = np.cumsum(self.counts, axis=1)
        low, high = (
            1 + (cumulated <= position).sum(axis=1) / 2 for position in (below, min(below + 1, self.samples - 1))
        )
        return np.asarray(low + (high - low) * (place - below))

    @property
    def pairs(self) -> "pl.DataFrame":
        """Every ordered pair: probability that ``system`` is above, equal to, below ``other``."""
        a, b = np.nonzero(~np.eye(len(self.systems), dtype=bool))
        names = np.array(self.systems)
        counts = {"above": self.above[a, b], "tied": self.tied[a, b], "below": self.above[b, a]}
        shares = {name: count / self.samples for name, count in counts.items()}
        return pl.DataFrame({"system": names[a], "other": names[b], **shares})

    @property
    def distribution(self) -> "pl.DataFrame":
        """Every rank that occurred: ``system, rank, samples, share``."""
        a, i = np.nonzero(self.counts)
        names, samples = np.array(self.systems)[a], self.counts[a, i]
        columns = {"system": names, "rank": 1 + i / 2, "samples": samples}
        return pl.DataFrame({**columns, "share": samples / self.samples})

    def shown(self) -> "pl.DataFrame":
        """Return the ranking over all treebanks, with the ranks in the subsets."""
        names = {"full": "rank", "score": metric_name(self.board.metric), "mean": "mean rank"}
        frame = self.table.sort("full", "mean", "system").drop("q1", "q3", "sd")
        first = ["full", "system", "score"]
        if self.sets is not None:
            ends = pl.format("{}-{}", "rank_low", "rank_high").alias("95 % set")
            frame = frame.with_columns(ends).drop("rank_low", "rank_high")
            first.insert(1, "95 % set")
        rest = [name for name in frame.columns if name not in first]
        return frame.select(*first, *rest).rename(names)

    def own_text(self) -> str:
        """Return the table, and the agreement of subsets with all treebanks."""
        if len(self.sampler.sizes) > 1:
            agreement = tables.to_text(self.agreement, digits=3)
        else:
            tau, same = (self.agreement[name].item() for name in ("tau", "top1"))
            agreement = (
                f"Agreement with the ranking over all {len(self.board.treebanks)} "
                f"treebanks: Kendall's tau {tau:.3f}; the same leader in {100 * same:.1f} %."
            )
        ranks = f"Best to worst rank over {self.subsets_text}."
        shown = tables.to_text(self.shown(), digits=self.digits)
        return f"{shown}\n\n{self._inference()}\n{ranks}\n{agreement}\n{self.signature}"

    def _inference(self) -> str:
        """Return sentences on the ranks and the best system's lead on other treebanks."""
        if self.sets is None or self.winner is None:
            return f"No confidence sets of ranks: {TOO_FEW}."
        best = self.winner
        return (
            "95 % set: confidence set of the rank by mean score over all treebanks of these "
            "families.\n"
            f"{self.systems[best.index]} is {best.observed:.2f} points above the average system; "
            f"corrected for being the best of {len(self.systems)}: {best.value:.2f} "
            f"(95 % interval {best.low:.2f} to {best.high:.2f})."
        )

    def json_fields(self) -> dict[str, Any]:
        """Return systems with rank counts, pairs and agreement."""
        rows = self.table.to_dicts()
        for row in rows:
            a = self.systems.index(row["system"])
            row["best_subset"] = list(self.sampler.subset(int(self.best_at[a])))
            row["worst_subset"] = list(self.sampler.subset(int(self.worst_at[a])))
            row["ranks"] = {f"{1 + i / 2:g}": int(self.counts[a, i]) for i in np.flatnonzero(self.counts[a])}
        agreement = self.agreement.to_dicts()
        pairs = self.pairs.to_dicts()
        best = self.winner and {"system": self.systems[self.winner.index], **vars(self.winner)}
        return {"samples": self.samples, "systems": rows, "pairs": pairs, "agreement": agreement, "winner": best}

    @cached_property
    def _search(self) -> SampleSearch:
        return SampleSearch(self.sampler, self.samples, TIE)

    def behind(
        self,
        system: str,
        which: Literal["best", "worst"] | None = None,
        *,
        ranks: tuple[float, float] | None = None,
        limit: int = 10,
    ) -> Behind:
        """Draw the samples again and return those in which a system had certain ranks.

        These are its ``best`` or ``worst`` one, or `ranks`, the lowest and highest, both included.
        At most `limit` subsets are returned; all of them are counted.
        """
        a = self.board.system(system)
        if (which is None) == (ranks is None):
            raise TreegaugeError("give either which='best' or 'worst', or ranks=(LOWEST, HIGHEST)")
        if ranks is not None:
            low, high = (round(2 * (bound - 1)) for bound in ranks)
        else:
            occurring = np.flatnonzero(self.counts[a])
            if which not in {"best", "worst"}:
                raise ChoiceError("extreme", which, ["best", "worst"])
            low = high = int(occurring[0 if which == "best" else -1])
        number, members, first = self._search.find(a, low, high, limit)
        return Behind(number, members, first, tuple(self.sampler.subset(n) for n in first))


def _agreement(counts: RankTally, table: ScoreSums, sampler: Sampler) -> "pl.DataFrame":
    """Turn sums of concordance, kept apart by number of tied pairs, into mean and sd of tau-b."""
    pairs = counts.concord.shape[1] - 1
    same = table.totals[:, None] == table.totals[None, :]
    untied = pairs - int(np.triu(same, 1).sum())
    scale = np.sqrt((pairs - np.arange(pairs + 1)) * float(untied))
    weight = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    samples = counts.concord[:, :, 0].sum(axis=1).astype(np.int64)
    mean = counts.concord[:, :, 1] @ weight / samples
    square = counts.concord[:, :, 2] @ weight**2 / samples
    columns = {
        "size": sampler.sizes,
        "samples": samples if sampler.complete is None else sampler.counts, "tau": mean,
        "tau_sd": np.sqrt(np.maximum(square - mean**2, 0)), "top1": counts.leading / samples,
    }  # fmt: skip
    return pl.DataFrame(columns).sort("size")


def sample_count(
    board: Leaderboard, size: int | str | Iterable[int], subsets: int, constraints: Iterable[str | Constraint] = ()
) -> int:
    """Return the number of subsets that are ranked: `subsets`, or all if they are few."""
    sizes = sizes_of(size, len(board.treebanks))
    sampler = Sampler(board, sizes, 0, constraints_of(constraints), max(subsets, FEW))
    return sampler.complete or subsets


def stability(
    board: Leaderboard,
    *,
    size: int | str | Iterable[int] = 10,
    subsets: int = 1_000_000,
    seed: int = 0,
    constraints: Iterable[str | Constraint] = (),
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Stability:
    r"""Rank the systems over random subsets of treebanks, or over all subsets if they are few.

    All subsets are counted, each once, if there are no more than `subsets` or a million of them.
    The same choice gives the same numbers for any larger number of subsets.

    On a subset :math:`T` a system's total is :math:`\sum_{t \in T} s_t`, a sum of whole numbers
    if the scores are decimals, so ties are exact. Scores finer than six decimals
    are rounded to 1e-9 first. Several sizes (also ``"5-20"``, ``"all"``) are taken in turn, so that
    each gets an equal share; `progress` is called with the number of samples just done. The other
    parameters are those of :func:`treegauge.rank`.
    """
    if subsets < 1:
        raise TreegaugeError(f"subsets {subsets}: expected 1 or more")
    sizes = sizes_of(size, len(board.treebanks))
    bound = constraints_of(constraints)
    sampler = Sampler(board, sizes, seed, bound, max(subsets, FEW))
    every = sampler.complete
    samples = subsets if every is None else every
    counts, table = tally_ranks(sampler, samples, TIE, workers, progress)
    back = np.argsort(table.order)  # the tally has the systems in the order of their totals
    above = counts.above[np.ix_(back, back)]
    tied = samples - above - above.T
    np.fill_diagonal(tied, 0)
    bounds = ",".join(map(str, sampler.constraints)) or None
    signature = countersign(
        board.signature, size=sizes_text(sizes), subsets=samples if every is None else "all",
        constraints=bounds, seed=seed if every is None else None,
    )  # fmt: skip
    agreement = _agreement(counts, table, sampler)
    if every is None and len(sizes) > 1:
        for k in (k for k in sizes if Sampler(board, (k,), 0, bound, sampler.most).complete):
            alone = stability(board, size=k, subsets=samples, constraints=bound, workers=workers)
            agreement = agreement.update(alone.agreement, on="size")
    return Stability(
        sampler, samples, counts.ranks[back], above, tied, best_at=counts.extremes[back, 1],
        worst_at=counts.extremes[back, 3], agreement=agreement, signature=signature,
    )  # fmt: skip
