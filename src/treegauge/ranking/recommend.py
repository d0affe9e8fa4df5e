r"""Which treebanks to evaluate on when there is time for k of them only.

For a subset :math:`S` of size :math:`k`, :math:`\tau(S)` is Kendall's tau between the rankings over
:math:`S` and over all treebanks, and :math:`e_{ab}(S)` the error in the difference of two systems:

.. math:: e_{ab}(S) = \frac1k \sum_{t \in S} (d_{abt} - \bar d_{ab}),

with :math:`d_{abt}` their difference on treebank :math:`t` and :math:`\bar d_{ab}` its mean over
all treebanks. What is minimised is :math:`1 - \tau(S) + \lambda \sum_{ab} e_{ab}(S)^2 / c`, where
:math:`c` is what the sum would be on average if errors on different treebanks were independent. The
order alone is soon perfect for the systems at hand and says little about others; the squared error
alone cares for outliers. How much it counts, :math:`\lambda`, is chosen by cross-validation over
systems. The search exchanges treebanks from several random starts; it is not exhaustive.

All that is said about how good a recommendation is comes from another cross-validation around
that: the subset (:math:`\lambda` included) is chosen without some systems, and judged by these.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treegauge.core import tables
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import Result, countersign
from treegauge.core.verbs import verb
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.reading import READING, LeaderboardReading, leaderboard_of
from treegauge.ranking.selection import (
    CONDITIONS,
    STARTS,
    Floats,
    SubsetConditions,
    SubsetSearch,
    demands_of,
    folds_of,
    overall,
    row_means,
)
from treegauge.ranking.subsets import own_subsets, subset_columns

if TYPE_CHECKING:
    import polars as pl

FEWEST = 6  # systems: some to choose by and others to judge


@dataclass(frozen=True)
class HeldOut:
    """Agreement with the full ranking in systems that had no part in choosing the subset.

    Attributes
    ----------
    agreement
        Mean over systems, while held out, of concordant minus discordant pairs with all others,
        over their number: Kendall's tau of the pairs that the system is in.
    random_mean, random_sd
        The same for random subsets of the same size that satisfy the same demands.
    margin, low, high
        `agreement` minus `random_mean`, and its 95 % interval (bootstrap over systems).
    beaten
        Share of random subsets that agree less.
    both_new, both_new_random
        Agreement in pairs of which both systems were held out: recommended, and random; None if
        systems are held out one at a time.
    """

    agreement: float
    random_mean: float
    random_sd: float
    margin: float
    low: float
    high: float
    beaten: float
    both_new: float | None
    both_new_random: float | None


@dataclass(frozen=True, eq=False)
class Recommendation(Result):
    """A subset of treebanks to evaluate on, and how far to trust it.

    Attributes
    ----------
    subset, weight
        The treebanks, chosen with all systems; and how much the squared error counted beside the
        order, which is what generalised best.
    fitted, held_out
        Agreement of this subset with the full ranking of the systems it was chosen with, which is
        too good to be expected again; and what the same procedure gives for other systems.
    named
        Rows for comparison: named subsets and, for each, random ones of its size.
    demands
        What was asked for, in words.
    """

    subset: tuple[str, ...]
    weight: float
    fitted: float
    held_out: HeldOut
    named: tuple[dict[str, Any], ...]
    demands: tuple[str, ...]
    signature: str
    kind: ClassVar[str] = "recommendation"
    digits: ClassVar[tables.Digits] = 3

    @property
    def table(self) -> "pl.DataFrame":
        """The recommended subset (as held out), then the named ones by their margin."""
        import polars as pl

        judged = self.held_out
        first = {
            "subset": "recommended", "size": len(self.subset), "absent": 0,
            "agreement": judged.agreement, "random": judged.random_mean,
            "random_sd": judged.random_sd, "margin": judged.margin, "beaten": judged.beaten,
            "treebanks": " ".join(self.subset),
        }  # fmt: skip
        named = sorted(self.named, key=lambda row: -float(row["margin"]))
        return pl.DataFrame([first, *named], infer_schema_length=None)

    def json_fields(self) -> dict[str, Any]:
        """Return subset, weight, held-out figures and the comparison."""
        return {
            "subset": list(self.subset),
            "weight": self.weight,
            "demands": list(self.demands),
            "fitted": self.fitted,
            "held_out": dict(vars(self.held_out)),
            "rows": self.table.to_dicts(),
        }

    def own_text(self) -> str:
        """Return the subset, how well it predicts, and the comparison with other subsets."""
        judged = self.held_out
        verdict = (
            "better than chance" if judged.low > 0 else "NOT shown to be better than a random one"
        )
        new = ""
        if judged.both_new is not None:
            pair = f"{judged.both_new:.3f} against {judged.both_new_random:.3f}"
            new = f" Among new systems only: {pair}."
        shown = self.table.drop("treebanks")
        return (
            f"{' '.join(self.subset)}\n\n"
            f"Agreement with the full ranking (Kendall's tau) in systems not used for choosing: "
            f"{judged.agreement:.3f};\nrandom subsets of {len(self.subset)}: "
            f"{judged.random_mean:.3f} (sd {judged.random_sd:.3f}). Margin {judged.margin:+.3f}, "
            f"95 % interval {judged.low:+.3f} to {judged.high:+.3f}: {verdict}.\n"
            f"It beats {judged.beaten:.0%} of the random subsets.{new}\n\n"
            f"{tables.to_text(shown, digits=self.digits)}\n{self.signature}"
        )


@verb
def recommend(
    *scores: Any,
    size: int = 10,
    conditions: SubsetConditions = CONDITIONS,
    named: Mapping[str, Sequence[str]] | Sequence[str] | None = None,
    folds: int = 5,
    repeats: int = 10,
    samples: int = 1000,
    seed: int = 0,
    reading: LeaderboardReading = READING,
) -> Recommendation:
    """Recommend a small set of treebanks that ranks systems as all of them do.

    How well it does is measured on systems that were not used for choosing, and compared with
    random subsets and with those that papers have used.

    Parameters
    ----------
    scores
        conll18, tables of scores, stores or results; at least six systems.
    size
        How many treebanks there is time for.
    named
        Subsets to compare with, as NAME=treebank,treebank; default: the eight of Fragility, Table
        10, as far as they have board.
    folds
        Folds of the cross-validation over systems.
    repeats
        How often systems are dealt into folds.
    samples
        Random subsets to compare with.
    seed
        Same seed, same result.

    Examples
    --------
    >>> best = recommend(
    ...     "conll18", size=5, at_most=["stock:2"], tokens=500_000, repeats=1, samples=100
    ... )
    >>> len(best.subset), best.held_out.agreement > best.held_out.random_mean
    (5, True)
    """
    board = leaderboard_of(scores, reading)
    systems = len(board.systems)
    if systems < FEWEST:
        raise TreegaugeError(
            f"{systems} systems: a recommendation needs at least {FEWEST}, some to choose by and "
            "others to judge it"
        )
    if folds < 2 or repeats < 1 or samples < 2:
        raise TreegaugeError(
            f"folds {folds}, repeats {repeats}, samples {samples}: expected at least 2, 1 and 2"
        )
    if named is not None and not isinstance(named, Mapping):
        named = own_subsets(named)
    demands = demands_of(board, size, conditions)
    rng = np.random.default_rng(seed)
    drawn = demands.orders(samples, rng)
    problem = SubsetSearch(board, demands, drawn)
    chance = [problem.concordance(columns) for columns in drawn[:, :size]]
    judged = _judge(problem, chance, folds, repeats, rng)
    every = np.arange(systems)
    weight = problem.choose(every, folds, rng)
    columns = np.sort(problem.best(every, weight, problem.starts(10 * STARTS, rng)))
    signature = countersign(
        board.signature, size=size, demands=", ".join(demands.demands) or None,
        cv=f"{repeats}x{folds}", samples=samples, seed=seed,
    )  # fmt: skip
    return Recommendation(
        tuple(board.treebanks[i] for i in columns), weight, overall(problem.concordance(columns)),
        judged, tuple(_named(board, problem, named, samples, rng)), demands.demands, signature,
    )  # fmt: skip


def _judge(
    problem: SubsetSearch, chance: list[Floats], folds: int, repeats: int, rng: np.random.Generator
) -> HeldOut:
    from treegauge.statistics.bootstrap import bootstrap

    systems = len(problem.values)
    average = np.mean(chance, axis=0)
    agreement = np.zeros(systems)
    both: list[tuple[float, float]] = []
    for rest, held in folds_of(np.arange(systems), folds, repeats, rng):
        weight = problem.choose(rest, folds, rng)
        columns = problem.best(rest, weight, problem.starts(2 * STARTS, rng))
        agree = problem.concordance(columns)
        agreement[held] += row_means(agree[held]) / repeats
        inner = np.ix_(held, held)
        if not np.isnan(agree[inner]).all():
            known = ~np.isnan(agree[inner])
            both.append((float(agree[inner][known].mean()), float(average[inner][known].mean())))
    margins = agreement - row_means(average)
    per_system = np.stack([margins, np.ones(systems)], axis=1)
    interval = bootstrap(
        per_system, lambda sums: sums[..., [0]] / sums[..., [1]], resamples=2000, method="bca"
    )
    random = np.array([overall(drawn) for drawn in chance])
    new, new_random = np.mean(both, axis=0).tolist() if both else (None, None)
    mean, average = float(agreement.mean()), float(random.mean())
    return HeldOut(
        mean, average, float(random.std(ddof=1)), mean - average, float(interval.low[0]),
        float(interval.high[0]), float((random < mean).mean()), new, new_random,
    )  # fmt: skip


def _named(
    board: Leaderboard,
    problem: SubsetSearch,
    named: Mapping[str, Sequence[str]] | None,
    samples: int,
    rng: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    """Yield how named subsets do, which were chosen without looking at these scores."""
    from treegauge import data

    for name, members in (data.subsets() if named is None else named).items():
        places, absent = subset_columns(board, members)
        if absent and named is not None:  # one's own subsets must be known
            raise ChoiceError("treebank", absent[0], board.treebanks)
        if not places:
            continue
        columns = np.array(sorted(set(places)), dtype=np.int64)
        found = overall(problem.concordance(columns))
        orders = (rng.permutation(len(board.treebanks))[: len(columns)] for _ in range(samples))
        random = np.array([overall(problem.concordance(order)) for order in orders])
        yield {
            "subset": name, "size": len(columns), "absent": len(members) - len(columns),
            "agreement": found, "random": float(random.mean()),
            "random_sd": float(random.std(ddof=1)), "margin": found - float(random.mean()),
            "beaten": float((random < found).mean()),
            "treebanks": " ".join(board.treebanks[i] for i in columns),
        }  # fmt: skip
