r"""Choose k treebanks to evaluate on when there is no time for all.

For a subset :math:`S` of size :math:`k`, :math:`\tau(S)` is Kendall's tau between the rankings over
:math:`S` and over all treebanks, and :math:`e_{ab}(S)` the error in the difference of two systems:

.. math:: e_{ab}(S) = \frac1k \sum_{t \in S} (d_{abt} - \bar d_{ab}),

with :math:`d_{abt}` their difference on treebank :math:`t` and :math:`\bar d_{ab}` its mean over
all treebanks. The search minimises :math:`1 - \tau(S) + \lambda \sum_{ab} e_{ab}(S)^2 / c`, where
:math:`c` is the expected sum if errors on different treebanks were independent. The order alone is
soon perfect for the given systems and says little about others; the squared error alone is
dominated by outliers. The weight :math:`\lambda` is chosen by cross-validation over systems. The
search exchanges treebanks from several random starts; it is not exhaustive.

The quality of a recommendation is estimated by an outer cross-validation: the subset (with
:math:`\lambda`) is chosen without some systems, and evaluated on the pairs of these. Pairs of a new
system and one used for choosing would be too optimistic: a subset that fits the noise of the old
system ranks it well against any other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from treegauge.core import tables
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import Result, countersign
from treegauge.core.verbs import verb
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.reading import READING, LeaderboardReading, leaderboard_of
from treegauge.ranking.selection import (
    CONDITIONS,
    STARTS,
    SubsetConditions,
    SubsetSearch,
    demands_of,
    overall,
    repeated_folds,
)
from treegauge.ranking.stability.named_subsets import own_subsets, subset_columns

FOLDS = 5  # of the cross-validation over systems
FEWEST = 6  # systems: some for choosing, others for evaluation
LEAST_SYSTEMS = 12
"""The smallest number of systems for which the margin has an interval."""


@dataclass(frozen=True)
class HeldOut:
    """Agreement with the full ranking in pairs of systems that were not used for choosing.

    Attributes
    ----------
    agreement
        Mean over pairs of systems, while both are held out, of 1 if the subset orders them as all
        treebanks do, and -1 if not: Kendall's tau of new systems.
    random_mean, random_sd
        The same for random subsets of the same size under the same conditions.
    margin, low, high
        `agreement` minus `random_mean`, and its 95 % interval; None with few systems.
    beaten
        Share of random subsets that agree less on the same pairs; equal ones count half.
    """

    agreement: float
    random_mean: float
    random_sd: float
    margin: float
    low: float | None
    high: float | None
    beaten: float

    @property
    def better(self) -> bool:
        """Whether the procedure is significantly better than a random subset."""
        return self.low is not None and self.low > 0


@dataclass(frozen=True, eq=False)
class Recommendation(Result, kind="recommendation"):
    """A subset of treebanks to evaluate on, and how well it predicts.

    Attributes
    ----------
    subset, weight
        The treebanks, chosen with all systems; and the weight of the squared error relative to the
        order that generalised best.
    fitted, held_out
        Agreement of this subset with the full ranking of the systems it was chosen with, which is
        optimistic; and the agreement of the same procedure for other systems.
    named
        Rows for comparison: named subsets and, for each, random ones of its size.
    demands
        The conditions, in words.
    """

    subset: tuple[str, ...]
    weight: float
    fitted: float
    held_out: HeldOut
    named: tuple[dict[str, Any], ...]
    demands: tuple[str, ...]
    signature: str
    digits: ClassVar[tables.Digits] = 3

    @property
    def table(self) -> "pl.DataFrame":
        """The recommended subset (held-out figures), then named subsets by their margin."""
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
            "held_out": {**vars(self.held_out), "better": self.held_out.better},
            "rows": self.table.to_dicts(),
        }

    def own_text(self) -> str:
        """Return the subset, how well it predicts, and the comparison with other subsets."""
        judged = self.held_out
        verdict = "better than random" if judged.better else "not significantly better than random"
        interval = f"no interval with fewer than {LEAST_SYSTEMS} systems"
        if judged.low is not None:
            interval = f"95 % interval {judged.low:+.3f} to {judged.high:+.3f}"
        shown = self.table.drop("treebanks")
        return (
            f"{' '.join(self.subset)}\n\n"
            "Agreement with the full ranking (Kendall's tau) in pairs of systems not used for "
            f"choosing: {judged.agreement:.3f};\nrandom subsets of {len(self.subset)}: "
            f"{judged.random_mean:.3f} (sd {judged.random_sd:.3f}). Margin {judged.margin:+.3f}, "
            f"{interval}: {verdict}.\n"
            f"It beats {judged.beaten:.0%} of the random subsets.\n\n"
            f"{tables.to_text(shown, digits=self.digits)}\n{self.signature}"
        )


@verb(limits={"subsets": (2, 10**6), "repeats": (1, 10**4)})
def recommend(
    *scores: Any,
    size: int = 10,
    conditions: SubsetConditions = CONDITIONS,
    named: Mapping[str, Sequence[str]] | Sequence[str] | None = None,
    repeats: int = 10,
    subsets: int = 1000,
    seed: int = 0,
    reading: LeaderboardReading = READING,
) -> Recommendation:
    """Recommend a small set of treebanks that ranks systems as all treebanks do.

    The set is evaluated on systems that were not used for choosing, and compared with random
    subsets and with subsets used in papers.

    Parameters
    ----------
    scores
        conll18, tables of scores, stores or results; at least six systems.
    size
        The number of treebanks to choose.
    named
        Subsets to compare with, as NAME=treebank,treebank. Default: eight subsets that
        papers used, as far as their treebanks have scores.
    repeats
        The number of random divisions of the systems into five folds.
    subsets
        The number of random subsets to compare with.
    seed
        Random seed; the same seed gives the same result.

    Examples
    --------
    >>> best = recommend(
    ...     "conll18", size=5, at_most=["stock:2", "tokens:500000"], repeats=1, subsets=100
    ... )
    >>> len(best.subset), best.fitted > best.held_out.agreement
    (5, True)
    """
    board = leaderboard_of(scores, reading)
    systems = len(board.systems)
    if systems < FEWEST:
        raise TreegaugeError(
            f"{systems} systems: a recommendation needs at least {FEWEST}, some to choose by and others to judge it"
        )
    if named is not None and not isinstance(named, Mapping):
        named = own_subsets(named)
    folds = min(FOLDS, systems // 2)
    demands = demands_of(board, size, conditions)
    rng = np.random.default_rng(seed)
    drawn = demands.orders(subsets, rng)
    problem = SubsetSearch(board, demands, drawn)
    judged = judged_subsets(problem, folds, repeats, rng)
    every = np.arange(systems)
    weight = problem.choose(every, folds, rng)
    columns = np.sort(problem.best(every, weight, problem.starts(10 * STARTS, rng)))
    signature = countersign(
        board.signature, size=size, demands=", ".join(demands.demands) or None,
        cv=f"{repeats}x{folds}", units="systems", subsets=subsets, seed=seed,
    )  # fmt: skip
    return Recommendation(
        tuple(board.treebanks[i] for i in columns), weight, overall(problem.concordance(columns)),
        judged, tuple(_named(board, problem, named, subsets, rng)), demands.demands, signature,
    )  # fmt: skip


def judged_subsets(problem: SubsetSearch, folds: int, repeats: int, rng: np.random.Generator) -> HeldOut:
    r"""Choose subsets without some systems and evaluate them on the pairs of these systems.

    With :math:`D` the mean over pairs of new systems of agreement minus that of random subsets and
    :math:`D_{(i)}` the same without the pairs of system i, the interval is
    :math:`D \pm t_{n-1} se` with the jackknife's
    :math:`se^2 = \frac{n-1}{n} \sum_i (D_{(i)} - \bar D)^2`: a pair counts for both its systems.
    """
    from treegauge.statistics.student_intervals import StudentEstimate

    systems = len(problem.values)
    chance = np.array([problem.concordance(order[: problem.size]) for order in problem.pool])
    average = chance.mean(axis=0)
    chosen, times = np.zeros((2, systems, systems))
    beaten = []
    for rest, left_out in repeated_folds(np.arange(systems), folds, repeats, rng):
        weight = problem.choose(rest, folds, rng)
        columns = problem.best(rest, weight, problem.starts(2 * STARTS, rng))
        inner = np.ix_(left_out, left_out)
        agree = problem.concordance(columns)[inner]
        known = ~np.isnan(agree)
        chosen[inner] += np.where(known, agree, 0.0)
        times[inner] += known
        if known.any():
            others = np.nanmean(chance[:, inner[0], inner[1]], axis=(1, 2))
            beaten.append(float((1 - np.sign(others - np.nanmean(agree))).mean() / 2))
    if not times.any():  # all systems tie: every subset agrees
        return HeldOut(1.0, 1.0, 0.0, 0.0, None, None, 0.5)
    pairs = np.stack([chosen, np.where(times > 0, average * times, 0.0), times])
    total = pairs.sum(axis=(1, 2))
    agreement, random = (total[:2] / total[2]).tolist()
    margin, low, high = agreement - random, None, None
    if systems >= LEAST_SYSTEMS:
        left = total - 2 * pairs.sum(axis=1).T  # without each system: its row and its column
        without = (left[:, 0] - left[:, 1]) / left[:, 2]
        error = np.sqrt((systems - 1) / systems * ((without - without.mean()) ** 2).sum())
        estimate = StudentEstimate(np.array(margin), np.array(error), np.array(systems - 1.0))
        low, high = map(float, estimate.interval())
    spread = float(np.array([overall(drawn) for drawn in chance]).std(ddof=1))
    return HeldOut(agreement, random, spread, margin, low, high, float(np.mean(beaten)))


def _named(
    board: Leaderboard,
    problem: SubsetSearch,
    named: Mapping[str, Sequence[str]] | None,
    subsets: int,
    rng: np.random.Generator,
) -> Iterator[dict[str, Any]]:
    """Yield the agreement of named subsets, which were chosen without these scores."""
    from treegauge import data

    for name, members in (data.named_subsets() if named is None else named).items():
        places, absent = subset_columns(board, members)
        if absent and named is not None:  # your own subsets must be known
            raise ChoiceError("treebank", absent[0], board.treebanks)
        if not places:
            continue
        columns = np.array(sorted(set(places)), dtype=np.int64)
        agreement = overall(problem.concordance(columns))
        orders = (rng.permutation(len(board.treebanks))[: len(columns)] for _ in range(subsets))
        random = np.array([overall(problem.concordance(order)) for order in orders])
        yield {
            "subset": name, "size": len(columns), "absent": len(members) - len(columns),
            "agreement": agreement, "random": float(random.mean()),
            "random_sd": float(random.std(ddof=1)), "margin": agreement - float(random.mean()),
            "beaten": float((random < agreement).mean()),
            "treebanks": " ".join(board.treebanks[i] for i in columns),
        }  # fmt: skip
