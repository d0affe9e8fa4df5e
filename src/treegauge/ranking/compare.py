r"""Compare systems over treebanks: critical differences, wins, probabilities of improvement.

Every treebank ranks the systems. The Friedman test asks whether the average ranks differ at all.
Two systems differ by Nemenyi's test if their average ranks are further apart than the critical
difference

.. math:: CD = q_\alpha \sqrt{\frac{k (k + 1)}{6 N}}

for :math:`k` systems and :math:`N` treebanks, with :math:`q_\alpha` from the studentized range
divided by :math:`\sqrt 2` (Demšar 2006, JMLR 7). It depends on which other systems are in the
table; Wilcoxon signed-rank tests of every pair with Holm's correction do so only through their
number, and see how large the differences are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from treegauge.core import tables
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl, scipy
from treegauge.core.result import countersign
from treegauge.core.verbs import verb
from treegauge.ranking.leaderboard import Leaderboard, SystemComparison, metric_name, ranks_of
from treegauge.ranking.reading import READING, LeaderboardReading, gold_among, leaderboard_of, scored_board
from treegauge.ranking.strengths import bradley_terry
from treegauge.statistics.multiple import adjust, tie_groups, tie_letters
from treegauge.statistics.student_intervals import signed_rank

Method = Literal["nemenyi", "wilcoxon-holm"]
Comparison = Literal[
    "nemenyi", "wilcoxon-holm", "wins", "improvement", "difference", "bradley-terry", "profile", "mixed"
]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Friedman:
    """Test of whether the systems' average ranks differ.

    The statistic is chi-squared with systems - 1 degrees of freedom, corrected for ties; Iman and
    Davenport's F is less conservative.
    """

    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float


def friedman(board: Leaderboard) -> Friedman:
    r"""Test whether any system differs from the others over treebanks.

    .. math:: \chi^2 = \frac{12 N}{k (k + 1)} \left[\sum_j R_j^2 - \frac{k (k + 1)^2}{4}\right],
       \quad F = \frac{(N - 1) \chi^2}{N (k - 1) - \chi^2}

    with average ranks :math:`R_j`; :math:`\chi^2` is corrected for ties, as SciPy does.
    """
    numbers, (systems, treebanks) = board.fixed_point()[0], board.values.shape
    if systems < 3:
        raise TreegaugeError(f"{systems} systems: the Friedman test needs three or more; certify a pair instead")
    if (numbers == numbers[0]).all():
        return Friedman(0.0, 1.0, 0.0, 1.0)
    statistic, p_value = map(float, scipy.stats.friedmanchisquare(*numbers))
    rest = treebanks * (systems - 1) - statistic
    ratio = (treebanks - 1) * statistic / rest if rest > 1e-9 * statistic else float("inf")
    freedom = (systems - 1, (systems - 1) * (treebanks - 1))
    f_p_value = float(scipy.stats.f.sf(ratio, *freedom)) if freedom[1] else 1.0
    return Friedman(statistic, p_value, ratio, f_p_value)


def treebank_ranks(board: Leaderboard) -> Floats:
    """Return systems x treebanks: ranks on each treebank, 1 the best, ties averaged."""
    numbers = board.fixed_point()[0]
    return np.stack([ranks_of(column) for column in numbers.T], axis=1)


def critical_distance(systems: int, treebanks: int, alpha: float = 0.05) -> float:
    """Return Nemenyi's critical difference of average ranks."""
    quantile = float(scipy.stats.studentized_range.ppf(1 - alpha, systems, np.inf))
    return float(quantile / np.sqrt(2) * np.sqrt(systems * (systems + 1) / (6 * treebanks)))


@dataclass(frozen=True, eq=False)
class CriticalDifference(SystemComparison, kind="critical difference", unit="percent"):
    """Groups of systems that do not differ significantly over treebanks.

    Attributes
    ----------
    order, average
        Rows of the systems by average rank, best first; average ranks in table order.
    level, distance
        One minus the significance level of the test, and the critical difference (Nemenyi).
    p_values
        Systems x systems: of each pair, corrected for all pairs.
    cliques
        Groups of systems, by average rank: two systems are in a common group if and only if they do
        not differ significantly.
    friedman
        The test over all systems. If it is not significant, no pair should be called different.
    """

    board: Leaderboard
    order: NDArray[np.int64]
    average: Floats
    method: Method
    level: float
    distance: float | None
    p_values: Floats
    cliques: tuple[tuple[str, ...], ...]
    friedman: Friedman
    signature: str

    @cached_property
    def table(self) -> "pl.DataFrame":
        """One row per system: average rank, mean score, treebanks won, groups it belongs to."""
        numbers = self.board.fixed_point()[0]
        won = (numbers == numbers.max(axis=0)).sum(axis=1)
        columns = {
            "system": self.board.systems, "average_rank": self.average,
            "mean": self.board.values.mean(axis=1), "won": won, "group": self.letters(self.order),
        }  # fmt: skip
        return pl.DataFrame(columns)[self.order]

    def letters(self, order: npt.ArrayLike) -> list[str]:
        """Return each system's letters, the first for the first systems of a table's order.

        Two systems share a letter if and only if they do not differ significantly.
        """
        return tie_letters(self.p_values <= _alpha(self.level), order)

    def shown(self) -> "pl.DataFrame":
        """Return the table with readable column names."""
        names = {"average_rank": "average rank", "mean": metric_name(self.board.metric)}
        return self.table.rename(names)

    def own_latex(self) -> str:
        """Return a booktabs table, the best mean and the most treebanks won in bold."""
        best = [metric_name(self.board.metric), "won"]
        return tables.to_latex(self.shown(), note=self.signature, best=best)

    def json_fields(self) -> dict[str, Any]:
        """Return test, groups, systems and every pair."""
        names = self.board.systems
        return {
            "method": self.method,
            "level": self.level,
            "critical_difference": self.distance,
            "friedman": dict(vars(self.friedman)),
            "systems": self.table.to_dicts(),
            "cliques": [list(clique) for clique in self.cliques],
            "pairs": [
                {"system": names[a], "other": names[b], "p_value": float(self.p_values[a, b])}
                for a, b in combinations(self.order.tolist(), 2)
            ],
        }

    def own_text(self) -> str:
        """Return the table, the tests, and an explanation of the letters."""
        test = self.friedman
        lines = [tables.to_text(self.shown())]
        shown = tables.p_value_text(test.p_value)
        lines.append(f"Friedman chi-squared {test.statistic:.2f}, {shown}")
        if self.distance is not None:
            lines.append(f"critical difference {self.distance:.3f} (level {self.level:g})")
        if self.cliques:
            lines.append("two systems share a letter if and only if they do not differ significantly")
        return "\n".join([*lines, self.signature])


def _check_level(level: float) -> None:
    """Refuse a confidence level that is not between 0 and 1."""
    if not 0 < level < 1:
        raise TreegaugeError(f"level {level}: expected a number between 0 and 1, such as 0.95")


def _alpha(level: float) -> float:
    return round(1 - level, 12)


def critical_difference(board: Leaderboard, *, method: Method = "nemenyi", level: float = 0.95) -> CriticalDifference:
    """Return which of three or more systems differ, and groups that do not differ significantly.

    ``nemenyi`` compares average ranks with one critical difference; ``wilcoxon-holm`` tests every
    pair with signed ranks, corrected by Holm. Treebanks are units and count as independent.
    """
    if method not in get_args(Method):
        raise ChoiceError("method", method, get_args(Method))
    _check_level(level)
    alpha = _alpha(level)
    overall = friedman(board)
    average = treebank_ranks(board).mean(axis=1)
    order = np.lexsort((np.array(board.systems), average))
    distance = None
    if method == "nemenyi":
        distance = critical_distance(len(board.systems), len(board.treebanks), alpha)
    p_values = _p_values(board, average, method)
    groups = tie_groups(p_values <= alpha, order)
    names = tuple(tuple(board.systems[i] for i in group) for group in groups)
    return CriticalDifference(
        board, order, average, method, level, distance, p_values, names, overall,
        countersign(board.signature, test=method, units="treebanks", level=level),
    )  # fmt: skip


def _p_values(board: Leaderboard, average: Floats, method: Method) -> Floats:
    systems, treebanks = board.values.shape
    upper = np.triu_indices(systems, 1)
    p_values = np.ones((systems, systems))
    if method == "nemenyi":
        apart = np.abs(average[:, None] - average[None, :])[upper]
        scaled = apart / np.sqrt(systems * (systems + 1) / (6 * treebanks)) * np.sqrt(2)
        p_values[upper] = scipy.stats.studentized_range.sf(scaled, systems, np.inf)
    else:
        numbers = board.fixed_point()[0]
        tested = [signed_rank(numbers[a] - numbers[b]).p_value for a, b in zip(*upper, strict=True)]
        p_values[upper] = adjust(tested, "holm")
    p_values.T[upper] = p_values[upper]
    return p_values


@verb
def compare(
    *scores: Any,
    test: Comparison = "nemenyi",
    systems: Sequence[str] = (),
    treebanks: Sequence[str] = (),
    margin: float = 0.0,
    level: float = 0.95,
    reading: LeaderboardReading = READING,
) -> SystemComparison:
    """Compare systems over treebanks: significant differences, wins, and how probable they are.

    Critical differences (nemenyi, wilcoxon-holm) group systems that do not differ significantly.

    Parameters
    ----------
    test
        Critical differences by average ranks (nemenyi) or by signed-rank tests of all pairs
        (wilcoxon-holm), wins/ties/losses, probabilities of improvement, mean differences on other
        treebanks (difference), or Bradley-Terry strengths with confidence sets of ranks. profile:
        interquartile means and performance profiles. mixed: how much of a difference is genus,
        treebank, document or seed, and scores and ranks on a new treebank.
    systems
        Only these systems; repeatable.
    treebanks
        Only these treebanks: a named subset (such as Ma18) or codes separated by commas.
    margin
        In points: for wins, the largest difference that is a tie; for differences, the largest
        that does not matter, which shows which systems are equivalent.
    """
    from treegauge.ranking.new_treebanks import mixed_comparison
    from treegauge.ranking.pairs import differences, improvement, win_tie_loss
    from treegauge.ranking.profiles import profiles
    from treegauge.ranking.stability.named_subsets import restrict

    if test not in get_args(Comparison):
        raise ChoiceError("comparison", test, get_args(Comparison))
    _check_level(level)
    if margin < 0:
        raise TreegaugeError(f"margin {margin}: expected 0 or more points")
    given, reading = gold_among(scores, reading)
    parsed = None
    if test == "mixed" and reading.gold is not None:
        board, parsed = scored_board(given, reading, sentences=True)
    else:
        board = leaderboard_of(given, reading, gaps=test in {"bradley-terry", "mixed"})
    board = restrict(board, treebanks, missing=reading.missing)
    if systems:
        board = board.select(systems=[systems] if isinstance(systems, str) else systems)
    made: dict[Comparison, Callable[[], SystemComparison]] = {
        "bradley-terry": lambda: bradley_terry(board, level=level),
        "difference": lambda: differences(board, level=level, margin=margin),
        "improvement": lambda: improvement(board, level=level),
        "mixed": lambda: mixed_comparison(board, parsed, level=level),
        "profile": lambda: profiles(board, level=level),
        "wins": lambda: win_tie_loss(board, margin=margin),
    }
    if test in {"nemenyi", "wilcoxon-holm"}:
        return critical_difference(board, method=test, level=level)
    return made[test]()
