"""How far a ranking would survive other treebanks, by drawing subsets of them (Fragility, sec. 5).

Every sample ranks the systems by their mean score over a random subset. Samples are counted, not
kept: memory does not grow with their number, and the counts are whole numbers, so the result is
the same on any number of threads.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from treegauge.ranking._tally import TIE, Table, Tally, search, tally
from treegauge.ranking.ranks import Ties, rank
from treegauge.ranking.scores import Scores
from treegauge.ranking.subsets import Constraint, Sampler, constraints_of, sizes_of, sizes_text
from treegauge.results import tables
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Behind:
    """The samples in which a system had certain ranks.

    Attributes
    ----------
    samples
        How many samples there are.
    members
        How often each treebank is in one of them, in the order of the score table.
    numbers
        The numbers of the first of them; ``Stability.sampler`` draws each again.
    subsets
        The treebanks of these.
    """

    samples: int
    members: NDArray[np.int64]
    numbers: tuple[int, ...]
    subsets: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Stability(Result):
    """Ranks of every system over random subsets of treebanks.

    Attributes
    ----------
    sampler
        What was drawn: scores, sizes, seed, constraints.
    samples
        How many subsets.
    ties
        What systems with equal means get: ``average``, ``min`` or ``max`` rank.
    counts
        Systems x doubled ranks: entry ``[s, i]`` counts the samples with rank ``1 + i / 2``.
    above, tied
        Systems x systems: samples in which the row is above the column, or equal to it.
    best_at, worst_at
        Numbers of the first samples with each system's best and worst rank; the sampler draws
        them again.
    agreement
        By size: samples, mean and sd of Kendall's tau-b with the ranking over all treebanks, and
        how often a system that leads there leads (alone or with others) in the sample.
    signature
        All choices, in one line.
    """

    sampler: Sampler
    samples: int
    ties: Ties
    counts: NDArray[np.int64]
    above: NDArray[np.int64]
    tied: NDArray[np.int64]
    best_at: NDArray[np.int64]
    worst_at: NDArray[np.int64]
    agreement: "pl.DataFrame"
    signature: str

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order of all arrays."""
        return self.sampler.scores.systems

    @cached_property
    def table(self) -> "pl.DataFrame":
        """One row per system: best, quartiles, worst, mean, sd, and rank over all treebanks."""
        import polars as pl

        values = 1 + np.arange(self.counts.shape[1]) / 2
        mean = self.counts @ values / self.samples
        spread = (self.counts * (values[None, :] - mean[:, None]) ** 2).sum(axis=1) / self.samples
        q1, median, q3 = (self.quantile(q) for q in (0.25, 0.5, 0.75))
        return pl.DataFrame(
            {
                "system": self.systems,
                "best": 1 + (self.counts > 0).argmax(axis=1) / 2,
                "q1": q1,
                "median": median,
                "q3": q3,
                "worst": len(self.systems) - (self.counts[:, ::-1] > 0).argmax(axis=1) / 2,
                "mean": mean,
                "sd": np.sqrt(spread),
                "full": self.sampler.scores.ranking(self.ties),
            }
        ).sort("mean", "system")

    def quantile(self, q: float) -> NDArray[np.float64]:
        """Return a quantile of each system's ranks, interpolated as ``numpy.quantile`` does.

        Parameters
        ----------
        q
            Between 0 and 1.
        """
        place = q * (self.samples - 1)
        below = int(place)
        cumulated = np.cumsum(self.counts, axis=1)
        low, high = (
            1 + (cumulated <= position).sum(axis=1) / 2
            for position in (below, min(below + 1, self.samples - 1))
        )
        return np.asarray(low + (high - low) * (place - below))

    @property
    def pairs(self) -> "pl.DataFrame":
        """Every ordered pair: probability that ``system`` is above, equal to, below ``other``."""
        import polars as pl

        number = len(self.systems)
        a, b = (part[~np.eye(number, dtype=bool)] for part in np.indices((number, number)))
        return pl.DataFrame(
            {
                "system": [self.systems[i] for i in a],
                "other": [self.systems[i] for i in b],
                "above": self.above[a, b] / self.samples,
                "tied": self.tied[a, b] / self.samples,
                "below": self.above[b, a] / self.samples,
            }
        )

    @property
    def distribution(self) -> "pl.DataFrame":
        """Every rank that occurred: ``system, rank, samples, share``."""
        import polars as pl

        a, i = np.nonzero(self.counts)
        return pl.DataFrame(
            {
                "system": [self.systems[k] for k in a],
                "rank": 1 + i / 2,
                "samples": self.counts[a, i],
                "share": self.counts[a, i] / self.samples,
            }
        )

    def __str__(self) -> str:
        if len(self.sampler.sizes) > 1:
            told = tables.to_text(self.agreement, digits=3)
        else:
            tau, same = (self.agreement[name].item() for name in ("tau", "top1"))
            told = (
                f"Agreement with the ranking over all {len(self.sampler.scores.treebanks)} "
                f"treebanks: Kendall's tau {tau:.3f}; the same leader in {100 * same:.1f} %."
            )
        return f"{tables.to_text(self.table)}\n\n{told}\n{self.signature}"

    def to_dict(self) -> dict[str, Any]:
        """Return what ``--format json`` prints: systems with rank counts, pairs, agreement."""
        rows = self.table.to_dicts()
        for row in rows:
            a = self.systems.index(row["system"])
            row["best_subset"] = list(self.sampler.subset(int(self.best_at[a])))
            row["worst_subset"] = list(self.sampler.subset(int(self.worst_at[a])))
            row["ranks"] = {
                f"{1 + i / 2:g}": int(self.counts[a, i]) for i in np.flatnonzero(self.counts[a])
            }
        return {
            "signature": self.signature,
            "samples": self.samples,
            "systems": rows,
            "pairs": self.pairs.to_dicts(),
            "agreement": self.agreement.to_dicts(),
        }

    def behind(
        self,
        system: str,
        which: Literal["best", "worst"] | None = None,
        *,
        ranks: tuple[float, float] | None = None,
        limit: int = 10,
    ) -> Behind:
        """Draw the samples again and collect those in which a system had certain ranks.

        Parameters
        ----------
        system
            Name of the system.
        which
            ``best`` or ``worst``: the samples with its best or worst rank.
        ranks
            Or the lowest and highest rank wanted, both included.
        limit
            How many subsets to return; all of them are counted.

        Examples
        --------
        >>> from treegauge.ranking.scores import read_scores
        >>> result = stability(read_scores("conll18"), size=10, samples=2000, seed=0)
        >>> worst = result.behind("Stanford", "worst", limit=1)
        >>> result.table.filter(system="Stanford")["worst"].item()
        20.0
        >>> worst.samples, len(worst.subsets[0])
        (2, 10)
        """
        a = self.sampler.scores.system(system)
        if (which is None) == (ranks is None):
            raise TreegaugeError("give either which='best' or 'worst', or ranks=(LOWEST, HIGHEST)")
        if ranks is not None:
            low, high = (round(2 * (bound - 1)) for bound in ranks)
        else:
            seen = np.flatnonzero(self.counts[a])
            if which not in {"best", "worst"}:
                raise ChoiceError("extreme", which, ["best", "worst"])
            low = high = int(seen[0 if which == "best" else -1])
        tie = TIE[self.ties]
        number, members, first = search(self.sampler, self.samples, tie, a, low, high, limit)
        return Behind(number, members, first, tuple(self.sampler.subset(n) for n in first))


def _agreement(counts: Tally, table: Table, sampler: Sampler) -> "pl.DataFrame":
    """Turn sums of concordance, kept apart by number of tied pairs, into mean and sd of tau-b."""
    import polars as pl

    pairs = counts.concord.shape[1] - 1
    same = table.totals[:, None] == table.totals[None, :]
    untied = pairs - int(np.triu(same, 1).sum())
    scale = np.sqrt((pairs - np.arange(pairs + 1)) * float(untied))
    weight = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    samples = counts.concord[:, :, 0].sum(axis=1)
    mean = counts.concord[:, :, 1] @ weight / samples
    square = counts.concord[:, :, 2] @ weight**2 / samples
    return pl.DataFrame(
        {
            "size": sampler.sizes,
            "samples": samples,
            "tau": mean,
            "tau_sd": np.sqrt(np.maximum(square - mean**2, 0)),
            "top1": counts.leading / samples,
        }
    ).sort("size")


def stability(
    scores: Scores,
    *,
    size: int | str | Iterable[int] = 10,
    samples: int = 1_000_000,
    seed: int = 0,
    constraints: Iterable[str | Constraint] = (),
    ties: Ties = "average",
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Stability:
    r"""Rank the systems over random subsets of treebanks.

    On a subset :math:`T` a system's total is :math:`\sum_{t \in T} s_t`, a sum of whole numbers
    where the scores are decimals, so equal means are found equal. Scores finer than six decimals
    are rounded to 1e-9 first.

    Parameters
    ----------
    scores
        The table.
    size
        Treebanks per subset, or several sizes (also ``"5-20"``, ``"all"``) taken in turn, so that
        each gets an equal share.
    samples
        How many subsets.
    seed
        Same seed, same result, on any number of threads.
    constraints
        Such as ``"language:1"``, ``"genus=Slavic:2"``, ``"resource:stratified"``.
    ties
        What equal systems get: the ``average`` of their ranks, the ``min`` or the ``max``.
    threads
        Default: as many as there are processors.
    progress
        Called with the number of samples just done.

    Examples
    --------
    >>> from treegauge.ranking.scores import read_scores
    >>> result = stability(read_scores("conll18"), size=10, samples=20_000, seed=0)
    >>> print(result.table.select("system", "best", "worst").head(3).rows())
    [('HIT-SCIR', 1.0, 6.0), ('TurkuNLP', 1.0, 10.0), ('UDPipe Future', 1.0, 11.0)]
    """
    if samples < 1:
        raise TreegaugeError(f"samples {samples}: expected 1 or more")
    rank(np.zeros(1), ties)  # refuses an unknown rule before any work
    sampler = Sampler(
        scores, sizes_of(size, len(scores.treebanks)), seed, constraints_of(constraints)
    )
    counts, table = tally(sampler, samples, TIE[ties], threads, progress)
    back = np.argsort(table.order)  # the tally has the systems in the order of their totals
    above = counts.above[np.ix_(back, back)]
    tied = samples - above - above.T
    np.fill_diagonal(tied, 0)
    return Stability(
        sampler=sampler,
        samples=samples,
        ties=ties,
        counts=counts.ranks[back],
        above=above,
        tied=tied,
        best_at=counts.extremes[back, 1],
        worst_at=counts.extremes[back, 3],
        agreement=_agreement(counts, table, sampler),
        signature=_sign(sampler, samples, ties),
    )


def _sign(sampler: Sampler, samples: int, ties: Ties) -> str:
    parts = {
        "size": sizes_text(sampler.sizes),
        "samples": samples,
        "constraints": ",".join(map(str, sampler.constraints)) or None,
        "ties": ties,
        "seed": sampler.seed,
    }
    listed = [
        f"{name}:{value}".replace("|", "/") for name, value in parts.items() if value is not None
    ]
    return "|".join([sampler.scores.signature, *listed])
