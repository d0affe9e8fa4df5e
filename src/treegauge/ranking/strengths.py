r"""Bradley-Terry strengths, confidence sets of ranks, and the lead of the best system.

By Bradley and Terry (1952) system A scores higher than B on a treebank with the probability

.. math:: P(A > B) = \frac{1}{1 + e^{\theta_B - \theta_A}}

and strengths :math:`\theta` add up to 0; equal scores count as half a win for both. A treebank on
which one of the two has no score says nothing about the pair. Treebanks of one family resemble each
other, so standard errors leave out one family at a time.

The confidence set of a rank (Mogstad, Romano, Shaikh and Wilhelm 2024, Review of Economic Studies)
has all ranks that the system's differences from the others allow: from 1 + the number of systems
that are significantly better to the number that are not significantly worse. The differences of one
system are tested together (maximum of t), so its true rank is in the set in at least 95 of 100
cases, wherever the others are.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treegauge.core import tables
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl, scipy
from treegauge.core.messages import note
from treegauge.core.result import countersign
from treegauge.ranking.leaderboard import Leaderboard, SystemComparison, effects, is_connected, normal_equations
from treegauge.ranking.metadata import units_of
from treegauge.statistics.planning import Winner, best_of
from treegauge.statistics.student_intervals import StudentEstimate, effective_df, heavy_tailed_df
from treegauge.statistics.units import GENUS, LEAST_GROUPS, LEAST_TREEBANKS

Floats = NDArray[np.float64]
_DRAWS = 4000
_ROUNDS = 60


class Jackknifed(NamedTuple):
    """An estimate per system, and its changes when each family is left out.

    The product of `moves` (families x systems) with itself is the covariance.
    """

    values: Floats
    moves: Floats
    df: Floats

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Return Student's limits of every estimate."""
        error = np.sqrt((self.moves**2).sum(axis=0))
        return StudentEstimate(self.values, error, self.df).interval(level)


class RankSets(NamedTuple):
    """The lowest and highest rank of every system that are compatible with the data."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]


def families_of(board: Leaderboard) -> NDArray[np.int64] | None:
    """Return the family of each treebank; None if there are too few for inference.

    A treebank whose family is unknown is a family of its own, and a note names it. With missing
    scores, the treebanks of the other families must connect all systems whichever family is left
    out.
    """
    units = units_of(board, GENUS)
    codes = np.unique(units.names, return_inverse=True)[1]
    few = len(codes) < LEAST_TREEBANKS or len(set(codes.tolist())) < LEAST_GROUPS
    if board.gaps and not few:
        known = ~np.isnan(board.values)
        few = not all(is_connected(known[:, codes != family]) for family in set(codes.tolist()))
    if units.unplaced and units.placed and not few:
        note(f"{GENUS} unknown for {len(units.unplaced)} of {len(codes)} treebanks "
             f"({', '.join(units.unplaced)}): each counts as one of its own")  # fmt: skip
    return None if few else codes


def family_jackknife(units: NDArray[Any], codes: NDArray[np.int64], estimate: Any) -> Jackknifed:
    """Estimate from the sum over treebanks (first axis), and again without each family.

    `estimate` maps sums (..., shape of a treebank) and numbers of treebanks to (..., systems).
    """
    sizes = np.bincount(codes)
    sums = np.zeros((len(sizes), *units.shape[1:]))
    np.add.at(sums, codes, units)
    total = sums.sum(axis=0)
    values = estimate(total, np.array(len(codes)))
    left = estimate(total - sums, len(codes) - sizes)
    families = len(sizes)
    moves = np.sqrt((families - 1) / families) * (left - values)
    df = np.minimum(effective_df(sizes), heavy_tailed_df(moves))
    return Jackknifed(values, moves, df)


def votes_of(board: Leaderboard) -> Floats:
    """Return treebanks x systems x systems: 1 where the row scores higher, 1/2 for ties.

    A treebank has 0 for a pair of which one system has no score.
    """
    numbers = board.fixed_point()[0].T
    votes = (1 + np.sign(numbers[:, :, None] - numbers[:, None, :])) / 2
    known = ~np.isnan(board.values.T)
    both = known[:, :, None] & known[:, None, :] & ~np.eye(len(board.systems), dtype=bool)
    return np.asarray(votes * both)


def strengths(wins: NDArray[Any]) -> Floats:
    """Fit Bradley-Terry strengths to wins (..., row, column), by Newton's method.

    One treebank on which all systems tie is added, so that a system that wins everywhere has a
    finite strength.
    """
    systems = wins.shape[-1]
    won = wins + 0.5 * (1 - np.eye(systems))
    games = won + np.swapaxes(won, -1, -2)
    theta = np.zeros(wins.shape[:-1])
    for _ in range(_ROUNDS):
        chance = 1 / (1 + np.exp(theta[..., None, :] - theta[..., :, None]))
        slope = (won - games * chance).sum(axis=-1)
        spread = games * chance * (1 - chance)
        bend = -spread + np.eye(systems) * spread.sum(axis=-1)[..., None]
        # The common level is free: adding ones fixes it at 0.
        step = np.linalg.solve(bend + 1, slope[..., None])[..., 0]
        theta = theta + np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-10:
            break
    return np.asarray(theta - theta.mean(axis=-1, keepdims=True))


def rank_sets(estimate: Jackknifed, level: float = 0.95, *, seed: int = 0) -> RankSets:
    """Return the confidence set of every system's rank by an estimate, the largest first.

    The quantile of the largest of normal differences is turned into one of Student's for each pair,
    whose degrees of freedom are fewer where few families decide.
    """
    values, moves, most = estimate
    apart = values[:, None] - values[None, :]
    drawn = np.random.default_rng(seed).normal(size=(_DRAWS, len(moves))) @ moves
    low, high = np.empty((2, len(values)), dtype=np.int64)
    for j in range(len(values)):
        pair = moves - moves[:, [j]]
        error = np.sqrt((pair**2).sum(axis=0))
        scale = np.where(error > 0, error, np.inf)
        largest = (np.abs(drawn - drawn[:, [j]]) / scale).max(axis=1)
        df = np.minimum(most.max(), heavy_tailed_df(pair))
        reach = scipy.special.stdtrit(df, scipy.special.ndtr(np.quantile(largest, level))) * error
        low[j] = 1 + (apart[:, j] > reach).sum()
        high[j] = len(values) - (apart[j] > reach).sum()
    return RankSets(low, high)


def advantages(board: Leaderboard, codes: NDArray[np.int64]) -> Jackknifed:
    """Return each system's mean lead over the average of the systems, in points.

    With missing scores, these are system effects of a model with treebank effects.
    """
    if board.gaps:
        return family_jackknife(normal_equations(board.values), codes, lambda sums, _: effects(sums))
    leads = (board.values - board.values.mean(axis=0)).T
    return family_jackknife(leads, codes, lambda sums, number: sums / number[..., None])


def best_system(board: Leaderboard, codes: NDArray[np.int64], level: float = 0.95) -> Winner:
    """Return the lead of the best system over the average, corrected for selection."""
    lead = advantages(board, codes)
    df = float(lead.df[int(np.argmax(lead.values))])
    return best_of(lead.values, lead.moves.T @ lead.moves, df, level=level)


@dataclass(frozen=True, eq=False)
class BradleyTerry(SystemComparison, kind="bradley-terry"):
    """Strengths of systems over treebanks, with intervals and confidence sets of ranks."""

    systems: tuple[str, ...]
    strength: Floats
    low: Floats
    high: Floats
    ranks: RankSets
    level: float
    signature: str
    digits: ClassVar[Any] = {"rank": None, "rank low": None, "rank high": None}

    @property
    def table(self) -> "pl.DataFrame":
        """One row per system, the strongest first."""
        columns = {
            "rank": 1 + np.argsort(np.argsort(-self.strength, kind="stable")),
            "system": self.systems, "strength": self.strength, "low": self.low, "high": self.high,
            "rank_low": self.ranks.low, "rank_high": self.ranks.high,
        }  # fmt: skip
        return pl.DataFrame(columns).sort("rank")

    def shown(self) -> "pl.DataFrame":
        """Return the table with readable column names."""
        return self.table.rename({"rank_low": "rank low", "rank_high": "rank high"})

    def own_text(self) -> str:
        """Return the table, and an explanation of its columns."""
        percent = f"{100 * self.level:g} %"
        return (
            f"{tables.to_text(self.shown(), digits=self.digits)}\n\n"
            "Bradley-Terry strength: log odds of scoring higher than the average system on a "
            f"treebank,\nwith its {percent} interval for other treebanks, and the {percent} "
            f"confidence set of the rank.\n{self.signature}"
        )


def bradley_terry(board: Leaderboard, *, level: float = 0.95) -> BradleyTerry:
    """Estimate the strengths of systems from their wins on treebanks."""
    codes = families_of(board)
    if codes is None or len(board.systems) < 2:
        raise TreegaugeError(
            f"{len(board.systems)} systems on {len(board.treebanks)} treebanks: Bradley-Terry "
            f"strengths need two systems, {LEAST_TREEBANKS} treebanks and {LEAST_GROUPS} families "
            "for valid intervals; compare by wins instead"
        )
    fitted = family_jackknife(votes_of(board), codes, lambda sums, _: strengths(sums))
    return BradleyTerry(
        board.systems, fitted.values, *fitted.interval(level), rank_sets(fitted, level), level,
        countersign(board.signature, test="bradley-terry", units=GENUS, level=level),
    )  # fmt: skip
