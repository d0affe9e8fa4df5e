r"""A leaderboard: the scores of systems on treebanks, from which systems are ranked.

A mean over the treebanks that a system has scores for rewards systems that skip difficult ones.
Missing scores are therefore predicted from the others, by least squares over the known scores:

.. math:: s_{it} \approx a_i + b_t

with an effect of the system and one of the treebank. The mean of a system's filled scores is the
estimate of its effect. Without gaps that is the mean score.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl, scipy
from treegauge.core.result import Result, sign
from treegauge.ranking.metadata import name_key

TIE = 1
"""The amount that an equal total adds to a doubled rank: equal totals share the average rank."""


def ranks_of(totals: NDArray[Any]) -> NDArray[np.float64]:
    """Return ranks from best (1, the largest total) to worst; equal totals share the average rank."""
    better = (totals[None, :] > totals[:, None]).sum(axis=1)
    equal = (totals[None, :] == totals[:, None]).sum(axis=1) - 1
    return np.asarray(1 + better + equal / 2, dtype=np.float64)


def metric_name(metric: str) -> str:
    """Return a metric as papers write it: short names in capitals."""
    return metric.upper() if metric.islower() and len(metric) <= 4 else metric


def some(names: Sequence[str]) -> str:
    """Return the first four names, with dots for the others."""
    return ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")


class Ranks(Result):
    """Ranks of systems: over random or all subsets of treebanks, by other rules, or averages."""

    def count(self, system: str, other: str, size: int | None = None) -> tuple[int, int, int]:
        """Return the numbers of subsets in which a system beats, ties with and loses to another."""
        raise TreegaugeError(
            f"no subsets are counted in {self.kind}; count {system} against {other} with subsets='all'"
        )


class SystemComparison(Result):
    """A comparison of systems over treebanks: by tests, by pairs, or by strengths."""


@dataclass(frozen=True, eq=False)
class Leaderboard(Result, kind="leaderboard", unit="percent"):
    """The scores of systems on treebanks for one metric.

    Missing scores are NaN; there are none unless the reader keeps them. Means over treebanks are
    then computed from :attr:`filled` scores.

    Attributes
    ----------
    values
        Scores in percent, systems x treebanks; the mean over seeds where there are several.
    metadata
        One row per treebank: ``treebank, name, language, tokens, family, stock, genus, resource``,
        missing where unknown.
    runs
        Seeds x systems x treebanks when the table has seeds, else None.
    dropped
        Treebanks or systems left out because of missing cells.
    choices
        The part of the signature that says how systems were scored, if they were.

    Examples
    --------
    >>> from treegauge.ranking.reading import read_leaderboard
    >>> board = read_leaderboard("conll18", metric="las")
    >>> board.values.shape, board.select(treebanks=["cs_pdt", "en_ewt"]).values.shape
    ((26, 82), (26, 2))
    >>> board.systems[board.system("hit-scir")]
    'HIT-SCIR'
    >>> board.table.head(2).rows()
    [(1.0, 'HIT-SCIR', 75.841...), (2.0, 'TurkuNLP', 73.284...)]
    """

    metric: str
    systems: tuple[str, ...]
    treebanks: tuple[str, ...]
    values: NDArray[np.float64]
    metadata: "pl.DataFrame"
    signature: str
    runs: NDArray[np.float64] | None = None
    dropped: tuple[str, ...] = ()
    source: str = "table"
    choices: str = ""
    digits: ClassVar[Any] = {"rank": None}

    @classmethod
    def of(
        cls,
        metric: str,
        systems: Sequence[str],
        treebanks: Sequence[str],
        cube: NDArray[np.float64],
        metadata: "pl.DataFrame",
        *,
        source: str = "table",
        dropped: tuple[str, ...] = (),
        choices: str = "",
    ) -> "Leaderboard":
        """Return a signed leaderboard of scores given as seeds x systems x treebanks."""
        names, seeds = (tuple(systems), tuple(treebanks)), len(cube)
        digest = hashlib.sha256(repr(names).encode())
        values = cube.mean(axis=0)
        digest.update(np.ascontiguousarray(values if seeds == 1 else cube).tobytes())
        signature = sign(
            m=metric, scores=f"{source}#{digest.hexdigest()[:8]}", systems=len(systems),
            treebanks=len(treebanks), seeds=seeds if seeds > 1 else None,
            gaps=int(np.isnan(values).sum()) or None, dropped=" ".join(dropped) or None,
        )  # fmt: skip
        signature += f"|{choices}" if choices else ""
        runs = cube if seeds > 1 else None
        return cls(metric, *names, values, metadata, signature, runs, dropped, source, choices)

    def __post_init__(self) -> None:
        self.values.flags.writeable = False
        if self.runs is not None:
            self.runs.flags.writeable = False

    @property
    def cube(self) -> NDArray[np.float64]:
        """Seeds x systems x treebanks; one seed where the table has none."""
        return self.values[None] if self.runs is None else self.runs

    @cached_property
    def gaps(self) -> int:
        """The number of scores that are missing."""
        return int(np.isnan(self.values).sum())

    @cached_property
    def filled(self) -> NDArray[np.float64]:
        """The scores, with missing ones predicted from the other scores of system and treebank."""
        return filled_scores(self.values, self.systems) if self.gaps else self.values

    @property
    def table(self) -> "pl.DataFrame":
        """The ranking over all treebanks: rank, system, mean score."""
        means = self.filled.mean(axis=1)
        frame = pl.DataFrame({"rank": self.ranking(), "system": self.systems, "mean": means})
        return frame.sort("rank", "system")

    def shown(self) -> "pl.DataFrame":
        """Return the ranking, the mean score under the name of its metric."""
        return self.table.rename({"mean": metric_name(self.metric)})

    @property
    def cells(self) -> "pl.DataFrame":
        """All scores: ``metric, treebank, system, score``, and ``seed`` where there are several."""
        seeds, systems, treebanks = self.cube.shape
        frame = pl.DataFrame(
            {
                "metric": [self.metric] * self.cube.size,
                "treebank": np.tile(self.treebanks, seeds * systems),
                "system": np.tile(np.repeat(self.systems, treebanks), seeds),
                "seed": np.repeat(np.arange(seeds), systems * treebanks),
                "score": self.cube.ravel(),
            }
        )
        return frame.drop("seed") if self.runs is None else frame

    @property
    def saved(self) -> "pl.DataFrame":
        """What CSV and Parquet files hold: all scores, so that every verb reads them."""
        return self.cells

    def json_fields(self) -> dict[str, Any]:
        """Return all scores as rows, and the ranking."""
        return {"rows": self.cells.to_dicts(), "ranking": self.table.to_dicts()}

    def fixed_point(self) -> tuple[NDArray[np.int64], int]:
        """Return whole numbers and a scale with ``values = numbers / scale``.

        Uses the coarsest decimal grid that represents every score (to 1e-9), with at most six
        decimals; finer scores are rounded to 1e-9. With seeds the numbers are sums over seeds and
        the scale counts them. Sums of integers do not depend on the order of addition, so neither
        do ties. Missing scores are filled.
        """
        if self.gaps:
            return np.round(self.filled * 10**9).astype(np.int64), 10**9
        for places in range(7):
            grid = np.round(self.cube * 10**places)
            if np.abs(grid / 10**places - self.cube).max(initial=0.0) <= 1e-9:
                return grid.astype(np.int64).sum(axis=0), len(grid) * 10**places
        return np.round(self.values * 10**9).astype(np.int64), 10**9

    def ranking(self) -> NDArray[np.float64]:
        """Rank the systems by their mean over all treebanks."""
        return ranks_of(self.fixed_point()[0].sum(axis=1))

    def by_mean(self) -> NDArray[np.int64]:
        """Return the rows of the systems, the highest mean score first."""
        return np.lexsort((np.array(self.systems), -self.fixed_point()[0].sum(axis=1)))

    def system(self, name: str) -> int:
        """Return the row of a system; case matters only if names differ in nothing else."""
        return _position("system", name, self.systems)

    def treebank(self, name: str) -> int:
        """Return the column of a treebank, by its code or any of its known names."""
        if name not in self.treebanks:
            for column, names in enumerate(zip(self.treebanks, self.metadata["name"], strict=True)):
                if name_key(name) in {name_key(part) for part in names if part}:
                    return column
        return _position("treebank", name, self.treebanks)

    def select(self, *, systems: Sequence[str] | None = None, treebanks: Sequence[str] | None = None) -> "Leaderboard":
        """Return the leaderboard of the given systems and treebanks, in the order given."""
        rows = [self.system(name) for name in (self.systems if systems is None else systems)]
        every = self.treebanks if treebanks is None else treebanks
        columns = [self.treebank(name) for name in every]
        for what, chosen, names in (("system", rows, self.systems), ("treebank", columns, self.treebanks)):
            if len(set(chosen)) != len(chosen):
                twice = next(names[i] for i in chosen if chosen.count(i) > 1)
                raise TreegaugeError(f"{what} {twice!r} is chosen more than once")
        return Leaderboard.of(
            self.metric, [self.systems[i] for i in rows], [self.treebanks[i] for i in columns],
            self.cube[:, rows][:, :, columns], self.metadata[columns], source=self.source,
            dropped=self.dropped, choices=self.choices,
        )  # fmt: skip


def _position(what: str, name: str, names: Sequence[str]) -> int:
    """Return the position of a name; case matters only if names differ in nothing else."""
    if name in names:
        return names.index(name)
    alike = [i for i, other in enumerate(names) if other.casefold() == name.casefold()]
    if len(alike) != 1:
        raise ChoiceError(what, name, names)
    return alike[0]


def is_connected(known: NDArray[np.bool_]) -> bool:
    """Return whether shared treebanks connect all systems, given which scores are known."""
    together = known.astype(np.int64) @ known.T.astype(np.int64)
    return int(scipy.sparse.csgraph.connected_components(together > 0, directed=False)[0]) == 1


def normal_equations(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, by treebank, its contribution to the equations of the systems' effects.

    Shape treebanks x systems x (systems + 1): the matrix and, last, the right-hand side. Their sums
    over treebanks give the least-squares effects, which add up to 0: see :func:`effects`.
    """
    known = ~np.isnan(values).T
    number = np.maximum(known.sum(axis=1), 1)[:, None]
    scores = np.where(known, np.nan_to_num(values.T), 0)
    centred = known * (scores - scores.sum(axis=1, keepdims=True) / number)
    diagonal = np.eye(values.shape[0]) * known[:, :, None]
    matrix = diagonal - known[:, :, None] * known[:, None, :] / number[:, :, None]
    return np.concatenate([matrix, centred[:, :, None]], axis=2)


def effects(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve sums of :func:`normal_equations` (..., systems, systems + 1)."""
    # Any constant could be added to all effects: adding ones makes their mean 0.
    return np.asarray(np.linalg.solve(sums[..., :-1] + 1, sums[..., -1:])[..., 0])


def filled_scores(values: NDArray[np.float64], systems: Sequence[str]) -> NDArray[np.float64]:
    """Return scores (systems x treebanks) with missing ones (NaN) filled by system and treebank.

    Examples
    --------
    >>> filled_scores(np.array([[80.0, 60.0], [82.0, np.nan]]), ["A", "B"]).tolist()
    [[80.0, 60.0], [82.0, 62.0]]
    """
    known = ~np.isnan(values)
    if not is_connected(known):
        raise TreegaugeError(
            f"{int((~known).sum())} scores are missing, and no treebanks connect all of "
            f"{', '.join(systems[:4])}{', ...' if len(systems) > 4 else ''}: some cannot be "
            "compared; leave out systems or treebanks (missing: drop-system, drop-treebank)"
        )
    system = effects(normal_equations(values).sum(axis=0))[:, None]
    treebank = np.nanmean(values - system, axis=0)
    return np.where(known, values, system + treebank)
