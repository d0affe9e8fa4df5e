"""Pairs of systems over treebanks: wins, probabilities of improvement, mean differences."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treegauge.core import tables
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import countersign
from treegauge.ranking.leaderboard import Leaderboard, SystemComparison, metric_name, some
from treegauge.ranking.metadata import units_of
from treegauge.scoring.verdicts import table_verdict, treebank_verdict

Floats = NDArray[np.float64]
FEW = 10
"""The number of systems in a printed matrix."""


@dataclass(frozen=True, eq=False)
class PairMatrix(SystemComparison):
    """Numbers of every ordered pair of systems, shown as a matrix of row against column.

    Attributes
    ----------
    systems
        Names, by mean score, best first: the order of rows and columns.
    numbers
        By name, systems x systems: the fields of a pair in JSON.
    form, about
        The format of a cell of the matrix (default: the first number), and what it shows.
    """

    systems: tuple[str, ...]
    numbers: Mapping[str, NDArray[Any]]
    signature: str
    form: ClassVar[str] = ""
    about: ClassVar[str]

    @property
    def table(self) -> "pl.DataFrame":
        """A matrix of row against column."""
        return self._matrix(len(self.systems))

    def _matrix(self, number: int) -> "pl.DataFrame":
        def cell(a: int, b: int) -> Any:
            numbers = {key: part[a, b].item() for key, part in self.numbers.items()}
            return self.form.format(**numbers) if self.form else next(iter(numbers.values()))

        names = self.systems[:number]
        columns = {name: [None if a == b else cell(a, b) for a in range(number)] for b, name in enumerate(names)}
        return pl.DataFrame({"system": names, **columns}, infer_schema_length=None)

    def shown(self) -> "pl.DataFrame":
        """Return the matrix of the best systems."""
        return self._matrix(len(self.systems[:FEW]))

    def own_text(self) -> str:
        """Return the matrix, and the number of systems that it leaves out."""
        left_out = len(self.systems[FEW:])
        more = f"{left_out} more systems: --format csv or json has them, and --systems chooses\n" if left_out else ""
        shown = tables.to_text(self.shown(), digits=self.digits)
        return f"{shown}\n{self.about}\n{self.verdicts()}{more}{self.signature}"

    def verdicts(self) -> str:
        """Return a line on the verdicts, if there are any."""
        return ""

    def json_fields(self) -> dict[str, Any]:
        """Return the systems, and one row per ordered pair."""
        pairs = permutations(range(len(self.systems)), 2)
        rows = [
            {"system": self.systems[a], "other": self.systems[b]}
            | {name: part[a, b].item() for name, part in self.numbers.items()}
            for a, b in pairs
        ]
        return {"systems": list(self.systems), "pairs": rows}


class Wins(PairMatrix, kind="wins"):
    """Treebanks on which each system is above, equal to, below each other one."""

    form: ClassVar[str] = "{wins}/{ties}/{losses}"
    about: ClassVar[str] = "treebanks on which the row wins/ties/loses against the column"


class Improvement(PairMatrix, kind="improvement"):
    """Probability, with its interval, that one system is above another on a random treebank."""

    about: ClassVar[str] = "probability that the row scores higher than the column on a treebank"

    def own_latex(self) -> str:
        """Return a booktabs matrix, in each column the best row in bold."""
        best = list(self.systems) if len(self.systems) > 1 else []
        return tables.to_latex(self.table, note=self.signature, digits=self.digits, best=best)


class Differences(PairMatrix, kind="differences", unit="percent"):
    """Mean differences with their intervals, and the smallest detectable difference."""

    form: ClassVar[str] = "{difference:+.2f} ±{reach:.2f}"
    about: ClassVar[str] = (
        "row minus column in points, with half its interval for other treebanks of these families; "
        "not corrected for the number of pairs"
    )

    def verdicts(self) -> str:
        """Return how many pairs have each verdict, and which are equivalent."""
        pairs = combinations(range(len(self.systems)), 2)
        told = [(str(self.numbers["verdict"][a, b]), f"{self.systems[a]} and {self.systems[b]}") for a, b in pairs]
        same = [names for words, names in told if words == "equivalent"]
        better, undecided = (sum(end in words for words, _ in told) for end in ("better", "undecided"))
        counts = [
            f"equivalent: {len(same)}{f' ({some(same)})' if same else ''}", f"one better: {better}",
            f"one not worse: {len(told) - len(same) - better - undecided}", f"undecided: {undecided}",
        ]  # fmt: skip
        alone = []
        if len(self.systems) == 2:
            new = str(self.numbers["sentence"][0, 1])
            alone = [table_verdict(*self.systems, float(self.numbers["difference"][0, 1])).sentence, new]
        return "\n".join([*alone, f"pairs by verdict on new treebanks: {'; '.join(counts)}\n"])


def win_tie_loss(board: Leaderboard, *, margin: float = 0.0) -> Wins:
    """Count for every pair of systems the treebanks won, tied (up to a margin) and lost."""
    if margin < 0:
        raise TreegaugeError(f"margin {margin}: expected 0 or more points")
    numbers, scale = board.fixed_point()
    order = board.by_mean()
    ordered = numbers[order]
    differences = ordered[:, None, :] - ordered[None, :, :]
    # 0.1 is not a binary fraction; a slightly larger margin keeps a difference of 0.10 inside.
    edge = margin * scale * (1 + 1e-12)
    won = (differences > edge).sum(axis=2)
    tied = (np.abs(differences) <= edge).sum(axis=2)
    return Wins(
        tuple(board.systems[i] for i in order),
        {"wins": won, "ties": tied, "losses": won.T},
        countersign(board.signature, margin=f"{margin:g}"),
    )


def improvement(board: Leaderboard, *, level: float = 0.95) -> Improvement:
    r"""Estimate the probability that one system beats another on a treebank.

    .. math:: P(A > B) = \frac1N \sum_t \frac{1}{S^2} \sum_{i,j}
       [a_{ti} > b_{tj}] + \tfrac12 [a_{ti} = b_{tj}]

    over the N treebanks and, where the table has seeds, over all pairs of runs (Agarwal et al.
    2021, NeurIPS). 0.5 means no difference. The interval is Wilson's, with treebanks as units: a
    system that wins on all five treebanks need not win on the sixth.
    """
    from treegauge.statistics.student_intervals import wilson

    order = board.by_mean()
    grid = np.round(board.cube[:, order] * 10**9).astype(np.int64)
    systems, treebanks = grid.shape[1:]
    above = np.zeros((systems, systems))
    for run, rival_run in product(grid, grid):
        above += (1 + np.sign(run[:, None, :] - rival_run[None, :, :])).sum(axis=2) / 2
    above /= len(grid) ** 2
    low, high = wilson(above, treebanks, level)
    return Improvement(
        tuple(board.systems[i] for i in order),
        {"probability": above / treebanks, "low": low, "high": high},
        countersign(board.signature, interval="wilson", units="treebanks", level=level),
    )


def differences(board: Leaderboard, *, level: float = 0.95, margin: float = 0.0, by: str = "genus") -> Differences:
    """Estimate the mean difference of every pair on other treebanks of these families.

    Treebanks are grouped by a column of metadata; see
    :func:`~treegauge.statistics.hierarchy.hierarchy`. A pair has its mean difference with the
    interval (``low``, ``high``); the interval of the difference on one new treebank of a new
    family (``new_low``, ``new_high``); and the smallest difference that a test detects with 80 %
    power (``detectable``). With a margin, a pair has the p-values of equivalence and non-inferiority
    (:func:`~treegauge.statistics.planning.margin_claims`), and the strongest claim in words.
    """
    from treegauge.statistics.hierarchy import hierarchy
    from treegauge.statistics.planning import detectable_difference, margin_claims
    from treegauge.statistics.units import LEAST_GROUPS, LEAST_TREEBANKS

    order = board.by_mean()
    values = board.values[order]
    model = hierarchy(values[:, None, :] - values[None, :, :], board.metadata[by].to_list())
    if np.isnan(model.alike.standard_error).any():
        raise TreegaugeError(
            f"{len(board.treebanks)} treebanks: mean differences on other treebanks need "
            f"{LEAST_TREEBANKS} treebanks and {LEAST_GROUPS} families for valid intervals; "
            "compare by wins or by improvement instead"
        )
    low, high = model.alike.interval(level)
    new_low, new_high = model.new.interval(level)
    error, df = model.alike.standard_error, model.alike.df
    names = tuple(board.systems[i] for i in order)
    numbers: dict[str, NDArray[Any]] = {
        "difference": model.alike.value, "reach": (high - low) / 2, "low": low, "high": high,
        "new_low": new_low, "new_high": new_high,
        "detectable": detectable_difference(error, df, level=level),
    }  # fmt: skip
    claims = margin_claims(model.alike.value, error, df, margin) if margin > 0 else {}
    units, metric = units_of(board, by), metric_name(board.metric)
    gains = values[:, None, :] - values[None, :, :]
    verdicts = [
        [
            None if a == b else treebank_verdict(
                names[a], names[b], gains[a, b], units, metric, by=by, level=level, margin=margin or None,
                claims={name: p[a, b] for name, p in claims.items()}, interval=(low[a, b], high[a, b]),
            )
            for b in range(len(names))
        ]
        for a in range(len(names))
    ]  # fmt: skip
    for name in ("words", "sign", "p", "sentence"):
        texts = [["" if one is None else getattr(one, name) for one in row] for row in verdicts]
        numbers["verdict" if name == "words" else name] = np.array(texts)
    numbers |= claims
    signature = countersign(board.signature, units=by, level=level, margin=margin or None)
    return Differences(names, numbers, signature)
