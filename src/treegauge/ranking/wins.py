r"""Pairs of systems over treebanks: who wins how often, and how probable an improvement is."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treegauge.ranking.scores import Scores
from treegauge.results import tables
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import Result, sign

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Wins(Result):
    """Treebanks on which each system is above, equal to, below each other one.

    Attributes
    ----------
    systems
        Names, by mean score, best first: the order of rows and columns.
    won, tied
        Systems x systems: treebanks on which the row is above, or equal to, the column.
    margin
        Differences up to this many points count as ties.
    """

    systems: tuple[str, ...]
    won: NDArray[np.int64]
    tied: NDArray[np.int64]
    margin: float
    signature: str

    def _cell(self, a: int, b: int) -> str:
        return "" if a == b else f"{self.won[a, b]}/{self.tied[a, b]}/{self.won[b, a]}"

    @property
    def table(self) -> "pl.DataFrame":
        """A matrix of ``wins/ties/losses``, row against column."""
        import polars as pl

        number = range(len(self.systems))
        columns = {name: [self._cell(a, b) for a in number] for b, name in enumerate(self.systems)}
        return pl.DataFrame({"system": self.systems, **columns})

    def to_dict(self) -> dict[str, Any]:
        """Return one row per ordered pair."""
        return {
            "signature": self.signature,
            "systems": list(self.systems),
            "pairs": [
                {
                    "system": one,
                    "other": other,
                    "wins": int(self.won[a, b]),
                    "ties": int(self.tied[a, b]),
                    "losses": int(self.won[b, a]),
                }
                for a, one in enumerate(self.systems)
                for b, other in enumerate(self.systems)
                if a != b
            ],
        }


def win_tie_loss(scores: Scores, *, margin: float = 0.0) -> Wins:
    """Count for every pair of systems the treebanks won, tied and lost.

    Parameters
    ----------
    scores
        The table.
    margin
        Differences up to this many points are ties.

    Examples
    --------
    >>> from treegauge.ranking.scores import read_scores
    >>> scores = read_scores("conll18").select(systems=["TurkuNLP", "UDPipe Future"])
    >>> win_tie_loss(scores).table["UDPipe Future"].to_list()
    ['50/0/32', '']
    """
    if margin < 0:
        raise TreegaugeError(f"margin {margin}: expected 0 or more points")
    numbers, scale = scores.fixed_point()
    order = _by_mean(scores)
    ordered = numbers[order]
    differences = ordered[:, None, :] - ordered[None, :, :]
    # A margin such as 0.1 is no binary fraction; a hair more keeps a difference of 0.10 inside.
    edge = margin * scale * (1 + 1e-12)
    return Wins(
        systems=tuple(scores.systems[i] for i in order),
        won=(differences > edge).sum(axis=2),
        tied=(np.abs(differences) <= edge).sum(axis=2),
        margin=margin,
        signature=f"{scores.signature}|margin:{margin:g}",
    )


@dataclass(frozen=True, eq=False)
class Improvement(Result):
    r"""Probability that one system is above another on a random treebank (and random runs).

    Attributes
    ----------
    systems
        Names, by mean score, best first: the order of rows and columns.
    probability, low, high
        Systems x systems: of the row being above the column, ties half, with a bootstrap interval
        over treebanks.
    """

    systems: tuple[str, ...]
    probability: Floats
    low: Floats
    high: Floats
    signature: str
    digits: ClassVar[int] = 2

    @property
    def table(self) -> "pl.DataFrame":
        """A matrix of probabilities, row against column."""
        import polars as pl

        inside = ~np.eye(len(self.systems), dtype=bool)
        columns = {
            name: [
                float(p) if known else None
                for p, known in zip(self.probability[:, b], inside[:, b], strict=True)
            ]
            for b, name in enumerate(self.systems)
        }
        return pl.DataFrame({"system": self.systems, **columns}, infer_schema_length=None)

    def to_latex(self) -> str:
        """Return a booktabs matrix, in each column the best row in bold."""
        best = list(self.systems) if len(self.systems) > 1 else []
        return tables.to_latex(self.table, note=self.signature, digits=self.digits, best=best)

    def to_dict(self) -> dict[str, Any]:
        """Return one row per ordered pair."""
        return {
            "signature": self.signature,
            "systems": list(self.systems),
            "pairs": [
                {
                    "system": one,
                    "other": other,
                    "probability": float(self.probability[a, b]),
                    "low": float(self.low[a, b]),
                    "high": float(self.high[a, b]),
                }
                for a, one in enumerate(self.systems)
                for b, other in enumerate(self.systems)
                if a != b
            ],
        }


def improvement(scores: Scores, *, resamples: int = 2000, seed: int = 0) -> Improvement:
    r"""Estimate how probable it is that one system beats another on a treebank.

    .. math:: P(A > B) = \frac1N \sum_t \frac{1}{S^2} \sum_{i,j}
       [a_{ti} > b_{tj}] + \tfrac12 [a_{ti} = b_{tj}]

    over the N treebanks and, where the table has seeds, over all pairs of runs (Agarwal et al.
    2021, NeurIPS). 0.5 is no difference.

    Parameters
    ----------
    scores
        The table.
    resamples, seed
        Of the intervals.

    Examples
    --------
    >>> from treegauge.ranking.scores import read_scores
    >>> scores = read_scores("conll18").select(systems=["TurkuNLP", "UDPipe Future"])
    >>> round(float(improvement(scores).probability[0, 1]), 3)
    0.61
    """
    from treegauge.statistics.bootstrap import bootstrap

    runs = scores.values[None] if scores.runs is None else scores.runs
    order = _by_mean(scores)
    grid = np.round(runs[:, order] * 10**9).astype(np.int64)
    systems, held = grid.shape[1:]
    above = np.zeros((systems, systems, held))
    for one in grid:
        for other in grid:
            compared = np.sign(one[:, None, :] - other[None, :, :])
            above += (1 + compared) / 2
    above /= len(grid) ** 2
    units = np.concatenate([above.reshape(-1, held).T, np.ones((held, 1))], axis=1)
    found = bootstrap(
        units, lambda sums: sums[..., :-1] / sums[..., -1:], resamples=resamples, seed=seed
    )
    shape = (systems, systems)
    return Improvement(
        systems=tuple(scores.systems[i] for i in order),
        probability=above.mean(axis=2),
        low=found.low.reshape(shape),
        high=found.high.reshape(shape),
        signature="|".join(
            [scores.signature, *sign(resamples=resamples, seed=seed).split("|")[1:]]
        ),
    )


def _by_mean(scores: Scores) -> NDArray[np.int64]:
    totals = scores.fixed_point()[0].sum(axis=1)
    return np.lexsort((np.array(scores.systems), -totals))
