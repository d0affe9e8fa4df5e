"""Pairs of systems over treebanks: paired tests, wins, probabilities of improvement."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treegauge.core import tables
from treegauge.core.errors import TreegaugeError
from treegauge.core.result import Result, countersign
from treegauge.ranking.leaderboard import Leaderboard

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]
FEW = 10
"""Systems whose matrix text shows unless all are asked for."""


@dataclass(frozen=True)
class PairedEstimate:
    """A number with its bootstrap interval over treebanks."""

    value: float
    low: float
    high: float
    level: float = 0.95

    def __str__(self) -> str:
        return (
            f"{self.value:.2f} ({100 * self.level:g} % interval {self.low:.2f} to {self.high:.2f})"
        )


def wilcoxon(differences: NDArray[Any]) -> tuple[float, float]:
    """Return two-sided p of the signed-rank test and the matched-pairs rank-biserial correlation.

    Zeros are left out. The distribution is exact for up to 50 differences without ties, else
    normal. The correlation is (W+ - W-) / (W+ + W-), from -1 to 1.

    Examples
    --------
    >>> wilcoxon(np.array([1, 2, 3, 4, -5]))
    (0.625, 0.3333333333333333)
    """
    from scipy import stats

    moved = differences[differences != 0]
    if not len(moved):
        return 1.0, 0.0
    ranks = stats.rankdata(np.abs(moved))
    biserial = float(ranks @ np.sign(moved) / ranks.sum())
    exact = len(moved) <= 50 and len(np.unique(np.abs(moved))) == len(moved)
    tested = stats.wilcoxon(moved, method="exact" if exact else "asymptotic")
    return float(tested.pvalue), biserial


def sign_test(differences: NDArray[Any]) -> float:
    """Return two-sided p of the sign test; zeros are left out.

    Examples
    --------
    >>> sign_test(np.array([1, 2, 3, 4, -5, 0]))
    0.375
    """
    from scipy.stats import binomtest

    ahead, behind = int((differences > 0).sum()), int((differences < 0).sum())
    return float(binomtest(ahead, ahead + behind).pvalue) if ahead + behind else 1.0


def permutation(differences: NDArray[np.float64], resamples: int, seed: int) -> float:
    """Return two-sided p of the mean difference when signs are exchanged at random.

    Examples
    --------
    >>> permutation(np.array([1.0, 2.0, 3.0]), 1000, 0)
    0.25
    """
    from treegauge.statistics.permutation import paired_permutation

    a, held = differences[:, None], len(differences)
    compared = paired_permutation(
        a, np.zeros_like(a), lambda sums: sums / held, permutations=resamples, seed=seed
    )
    return float(compared.p_value[0])


def intervals(
    differences: NDArray[np.float64], resamples: int, seed: int, level: float = 0.95
) -> tuple[PairedEstimate, PairedEstimate]:
    """Return the mean difference and the probability of improvement, with intervals.

    Examples
    --------
    >>> mean, better = intervals(np.array([1.0, 2.0, 0.0, -1.0]), 1000, 0)
    >>> mean.value, better.value
    (0.5, 0.625)
    """
    from treegauge.statistics.bootstrap import bootstrap

    better = np.where(differences == 0, 0.5, differences > 0)
    counts = np.stack([differences, better, np.ones_like(better)], axis=1)
    interval = bootstrap(
        counts, lambda sums: sums[..., :2] / sums[..., [2]], resamples=resamples, level=level,
        seed=seed,
    )  # fmt: skip
    first, second = (
        PairedEstimate(
            float(interval.estimate[i]), float(interval.low[i]), float(interval.high[i]), level
        )
        for i in range(2)
    )
    return first, second


@dataclass(frozen=True, eq=False)
class PairMatrix(Result):
    """Numbers of every ordered pair of systems, shown as a matrix of row against column.

    Attributes
    ----------
    systems
        Names, by mean score, best first: the order of rows and columns.
    numbers
        By name, systems x systems: what JSON holds of a pair.
    form, about
        How a cell of the matrix shows these numbers (default: the first), and what it is.
    all_systems
        Whether text shows all systems; otherwise the ten best.
    """

    systems: tuple[str, ...]
    numbers: Mapping[str, NDArray[Any]]
    signature: str
    all_systems: bool = field(default=False, kw_only=True)
    form: ClassVar[str] = ""
    about: ClassVar[str]

    @property
    def table(self) -> "pl.DataFrame":
        """A matrix of row against column."""
        return self._matrix(len(self.systems))

    def _matrix(self, number: int) -> "pl.DataFrame":
        import polars as pl

        def cell(a: int, b: int) -> Any:
            numbers = {key: part[a, b].item() for key, part in self.numbers.items()}
            return self.form.format(**numbers) if self.form else next(iter(numbers.values()))

        names = self.systems[:number]
        columns = {
            name: [None if a == b else cell(a, b) for a in range(number)]
            for b, name in enumerate(names)
        }
        return pl.DataFrame({"system": names, **columns}, infer_schema_length=None)

    def shown(self) -> "pl.DataFrame":
        """Return the matrix of the best systems, or of all."""
        return self._matrix(len(self.systems) if self.all_systems else len(self.systems[:FEW]))

    def own_text(self) -> str:
        """Return the matrix, and how many systems it leaves out."""
        left_out = 0 if self.all_systems else len(self.systems[FEW:])
        more = f"{left_out} more systems: all=True or --all shows them\n" if left_out else ""
        shown = tables.to_text(self.shown(), digits=self.digits)
        return f"{shown}\n{self.about}\n{more}{self.signature}"

    def json_fields(self) -> dict[str, Any]:
        """Return the systems, and one row per ordered pair."""
        pairs = permutations(range(len(self.systems)), 2)
        rows = [
            {"system": self.systems[a], "other": self.systems[b]}
            | {name: part[a, b].item() for name, part in self.numbers.items()}
            for a, b in pairs
        ]
        return {"systems": list(self.systems), "pairs": rows}


class Wins(PairMatrix):
    """Treebanks on which each system is above, equal to, below each other one."""

    kind: ClassVar[str] = "wins"
    form: ClassVar[str] = "{wins}/{ties}/{losses}"
    about: ClassVar[str] = "treebanks on which the row wins/ties/loses against the column"


class Improvement(PairMatrix):
    """Probability, with its interval, that one system is above another on a random treebank."""

    kind: ClassVar[str] = "improvement"
    about: ClassVar[str] = "probability that the row scores higher than the column on a treebank"

    def own_latex(self) -> str:
        """Return a booktabs matrix, in each column the best row in bold."""
        best = list(self.systems) if len(self.systems) > 1 else []
        return tables.to_latex(self.table, note=self.signature, digits=self.digits, best=best)


def win_tie_loss(board: Leaderboard, *, margin: float = 0.0) -> Wins:
    """Count for every pair of systems the treebanks won, tied (up to a margin) and lost.

    Examples
    --------
    >>> from treegauge.ranking.reading import read_leaderboard
    >>> board = read_leaderboard("conll18").select(systems=["TurkuNLP", "UDPipe Future"])
    >>> win_tie_loss(board).table["UDPipe Future"].to_list()
    ['50/0/32', None]
    """
    if margin < 0:
        raise TreegaugeError(f"margin {margin}: expected 0 or more points")
    numbers, scale = board.fixed_point()
    order = board.by_mean()
    ordered = numbers[order]
    differences = ordered[:, None, :] - ordered[None, :, :]
    # A margin such as 0.1 is no binary fraction; a hair more keeps a difference of 0.10 inside.
    edge = margin * scale * (1 + 1e-12)
    won = (differences > edge).sum(axis=2)
    tied = (np.abs(differences) <= edge).sum(axis=2)
    return Wins(
        tuple(board.systems[i] for i in order), {"wins": won, "ties": tied, "losses": won.T},
        countersign(board.signature, margin=f"{margin:g}"),
    )  # fmt: skip


def improvement(
    board: Leaderboard, *, resamples: int = 2000, level: float = 0.95, seed: int = 0
) -> Improvement:
    r"""Estimate how probable it is that one system beats another on a treebank.

    .. math:: P(A > B) = \frac1N \sum_t \frac{1}{S^2} \sum_{i,j}
       [a_{ti} > b_{tj}] + \tfrac12 [a_{ti} = b_{tj}]

    over the N treebanks and, where the table has seeds, over all pairs of runs (Agarwal et al.
    2021, NeurIPS). 0.5 is no difference.

    Examples
    --------
    >>> from treegauge.ranking.reading import read_leaderboard
    >>> board = read_leaderboard("conll18").select(systems=["TurkuNLP", "UDPipe Future"])
    >>> round(float(improvement(board).numbers["probability"][0, 1]), 3)
    0.61
    """
    from treegauge.statistics.bootstrap import bootstrap

    order = board.by_mean()
    grid = np.round(board.cube[:, order] * 10**9).astype(np.int64)
    systems, held = grid.shape[1:]
    above = np.zeros((systems, systems, held))
    for run, other in product(grid, grid):
        above += (1 + np.sign(run[:, None, :] - other[None, :, :])) / 2
    above /= len(grid) ** 2
    units = np.concatenate([above.reshape(-1, held).T, np.ones((held, 1))], axis=1)
    interval = bootstrap(
        units, lambda sums: sums[..., :-1] / sums[..., -1:], resamples=resamples, level=level,
        seed=seed,
    )  # fmt: skip
    shape = (systems, systems)
    low, high = interval.low.reshape(shape), interval.high.reshape(shape)
    return Improvement(
        tuple(board.systems[i] for i in order),
        {"probability": above.mean(axis=2), "low": low, "high": high},
        countersign(board.signature, resamples=resamples, level=level, seed=seed),
    )
