r"""Linear mixed models by restricted maximum likelihood (REML), with crossed and nested groups.

.. math:: y = X \beta + \sum_k Z_k b_k + \varepsilon, \qquad b_k \sim N(0, I \otimes \Sigma_k),
   \quad \varepsilon \sim N(0, \sigma^2 I)

A term k has groups (subjects, treebanks) and columns whose effects vary between groups: an
intercept, slopes. With :math:`\Sigma_k = \sigma^2 T_k T_k^\top`, lower triangular :math:`T_k`,
:math:`\Lambda` the blocks :math:`T_k`, and :math:`A = \Lambda^\top Z^\top Z \Lambda + I`, the
deviance for the entries :math:`\theta` of all :math:`T_k` is

.. math:: \log |A| + \log |X^\top V^{-1} X| + (n - p) \left(1 + \log \frac{2 \pi r^2}{n - p}\right)

where :math:`V = I + Z \Lambda \Lambda^\top Z^\top` and :math:`r^2 = y^\top V^{-1} y -
\hat\beta^\top X^\top V^{-1} y` (Bates, Mächler, Bolker and Walker 2015, Journal of Statistical
Software 67). It is the same for :math:`-T_k`, so no bound on :math:`\theta` is needed. The size
of A is the number of groups, not of rows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import scipy
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.student import student_quantile
from treegauge.statistics.student_intervals import effective_df, heavy_tailed_df

#: The rise of the deviance at the ends of a profile interval is searched to this precision.
_PRECISION = 0.005
#: A standard deviation below this share of the residual's counts as 0.
_ZERO = 1e-4


class RandomTerm(NamedTuple):
    """Groups of rows, and the columns whose effects vary between them.

    Attributes
    ----------
    name
        As output calls it: ``treebank``, ``genus:system``.
    groups
        The group of each row, as numbers.
    columns
        (rows, columns); None: an intercept only.
    """

    name: str
    groups: npt.NDArray[np.intp]
    columns: FloatArray | None = None

    @property
    def width(self) -> int:
        """The number of columns."""
        return 1 if self.columns is None else self.columns.shape[1]


class VarianceComponent(NamedTuple):
    """The standard deviation of one effect, with its profile interval if it was asked for."""

    name: str
    groups: int
    sd: float
    low: float | None = None
    high: float | None = None


def crossed(*parts: Sequence[object] | npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return the groups of rows that agree in all parts, as numbers.

    Examples
    --------
    >>> crossed(["cs", "cs", "de"], ["A", "B", "A"]).tolist()
    [0, 1, 2]
    """
    codes = np.zeros(len(parts[0]), dtype=np.intp)
    for part in parts:
        own = np.unique(np.asarray(part), return_inverse=True)[1].astype(np.intp)
        codes = np.unique(codes * (own.max(initial=0) + 1) + own, return_inverse=True)[1]
    return codes


def mixed_model(y: npt.ArrayLike, x: npt.ArrayLike, terms: Sequence[RandomTerm]) -> "MixedModel":
    """Fit a linear mixed model by REML.

    Parameters
    ----------
    y
        (rows,): the response.
    x
        (rows, columns): fixed effects, with a column of ones for an intercept.
    terms
        Random effects.

    Notes
    -----
    Agrees with lme4 on its examples sleepstudy, Penicillin and cake.

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> plates = np.repeat(np.arange(24), 6)
    >>> y = 23 + random.normal(0, 2, 24)[plates] + random.normal(0, 0.5, 144)
    >>> model = mixed_model(y, np.ones((144, 1)), [RandomTerm("plate", plates)])
    >>> [(part.name, round(part.sd, 1)) for part in model.components()]
    [('plate', 1.8), ('residual', 0.5)]
    """
    equations = _Equations(np.asarray(y, np.float64), np.asarray(x, np.float64), tuple(terms))
    start = np.concatenate([np.eye(term.width)[np.tril_indices(term.width)] for term in equations.terms])
    found = scipy.optimize.minimize(equations.deviance, start, method="BFGS", jac="3-point", options={"gtol": 1e-6})
    return MixedModel(equations, found.x, float(found.fun))


class _Equations:
    """Cross products of the data, and the deviance as a function of theta.

    The term with most groups comes first: its equations are small blocks, eliminated at once. The
    rest, the fixed effects and y are the columns of one small dense matrix, whose Cholesky factor
    has all that the deviance needs on its diagonal.
    """

    def __init__(self, y: FloatArray, x: FloatArray, terms: Sequence[RandomTerm]) -> None:
        self.rows, self.fixed = x.shape
        if self.rows <= self.fixed or np.linalg.matrix_rank(x) < self.fixed:
            raise TreegaugeError(
                f"a mixed model of {self.rows} rows: its {self.fixed} fixed effects cannot be told apart; "
                "expected more rows than effects, and no effect that follows from the others"
            )
        self.data = y, x, terms
        self.terms = sorted(terms, key=lambda term: -int(term.groups.max()))
        self.counts = [int(term.groups.max()) + 1 for term in self.terms]
        first, columns = self.terms[0].groups, _columns(self.terms[0])
        rest = np.column_stack([*map(_design, self.terms[1:]), x, y])
        self.random = rest.shape[1] - self.fixed - 1
        self.own = np.zeros((self.counts[0], columns.shape[1], columns.shape[1]))
        np.add.at(self.own, first, columns[:, :, None] * columns[:, None])
        self.coupled = np.zeros((self.counts[0], columns.shape[1], rest.shape[1]))
        np.add.at(self.coupled, first, columns[:, :, None] * rest[:, None])
        self.dense = rest.T @ rest

    def blocks(self, theta: FloatArray) -> list[FloatArray]:
        """Return the lower triangular factor of every term."""
        blocks, start = [], 0
        for term in self.terms:
            block, number = np.zeros((term.width, term.width)), term.width * (term.width + 1) // 2
            block[np.tril_indices(term.width)] = theta[start : start + number]
            blocks.append(block)
            start += number
        return blocks

    def factorise(self, theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return log |A| of the first term, the Cholesky factor of the rest, and how it is scaled."""
        first, *others = self.blocks(theta)
        inner = first.T @ self.own @ first + np.eye(len(first))
        weights = first @ np.linalg.solve(inner, np.broadcast_to(first.T, inner.shape))
        flat = (-1, self.coupled.shape[-1])
        matrix = self.dense - self.coupled.reshape(flat).T @ (weights @ self.coupled).reshape(flat)
        scale, start = np.eye(self.random + self.fixed + 1), 0
        for count, block in zip(self.counts[1:], others, strict=True):
            end = start + count * len(block)
            scale[start:end, start:end], start = np.kron(np.eye(count), block), end
        matrix = scale.T @ matrix @ scale
        matrix[np.arange(self.random), np.arange(self.random)] += 1
        return float(np.linalg.slogdet(inner)[1].sum()), np.linalg.cholesky(matrix), scale

    def parts(self, theta: FloatArray) -> tuple[float, float]:
        """Return the sum of log determinants, and the sum of squares r^2."""
        logs, lower, _ = self.factorise(theta)
        diagonal = lower.diagonal()
        return logs + 2 * float(np.log(diagonal[:-1]).sum()), float(diagonal[-1]) ** 2

    def deviance(self, theta: FloatArray) -> float:
        """Return the REML deviance with the residual variance at its best."""
        (logs, squares), df = self.parts(theta), self.rows - self.fixed
        return float(logs + df * (1 + math.log(2 * math.pi * squares / df)))

    def deviance_of(self, sds: FloatArray) -> float:
        """Return the REML deviance at standard deviations of terms of one column and of the residual."""
        sigma = sds[-1]
        (logs, squares), df = self.parts(sds[:-1] / sigma), self.rows - self.fixed
        return float(logs + df * math.log(2 * math.pi * sigma**2) + squares / sigma**2)


def _columns(term: RandomTerm) -> FloatArray:
    """Return the columns whose effects vary, (rows, width)."""
    return np.ones((len(term.groups), 1)) if term.columns is None else np.asarray(term.columns, np.float64)


def _design(term: RandomTerm) -> FloatArray:
    """Return the matrix (rows, groups x columns) of a term."""
    columns = _columns(term)
    design = np.zeros((len(columns), int(term.groups.max()) + 1, columns.shape[1]))
    design[np.arange(len(columns)), term.groups] = columns
    return design.reshape(len(columns), -1)


@dataclass(frozen=True, eq=False)
class MixedModel:
    """A fitted linear mixed model.

    Attributes
    ----------
    equations, theta
        The cross products of the data, and the entries of the relative covariance factors.
    deviance
        The REML criterion: minus twice the restricted log likelihood.
    """

    equations: _Equations
    theta: FloatArray
    deviance: float

    @cached_property
    def sigma(self) -> float:
        """The standard deviation of the residual."""
        df = self.equations.rows - self.equations.fixed
        return math.sqrt(self.equations.parts(self.theta)[1] / df)

    @cached_property
    def covariances(self) -> dict[str, FloatArray]:
        """The covariance matrix of the effects of every term."""
        blocks = zip(self.equations.terms, self.equations.blocks(self.theta), strict=True)
        return {term.name: self.sigma**2 * block @ block.T for term, block in blocks}

    @cached_property
    def fixed(self) -> tuple[FloatArray, FloatArray]:
        """The fixed effects and their covariance."""
        _, lower, _ = self.equations.factorise(self.theta)
        kept = slice(self.equations.random, -1)
        inverse = np.linalg.inv(lower[kept, kept])
        return inverse.T @ lower[-1, kept], self.sigma**2 * inverse.T @ inverse

    @cached_property
    def sds(self) -> FloatArray:
        """Standard deviations of terms of one column, and of the residual."""
        if any(term.width > 1 for term in self.equations.terms):
            raise TreegaugeError("intervals of effects: expected terms of one column")
        return np.asarray(np.abs(np.append(self.theta * self.sigma, self.sigma)))

    def components(
        self, level: float | None = None, clusters: npt.NDArray[np.intp] | None = None
    ) -> list[VarianceComponent]:
        """Return the standard deviations of all effects, last the residual's.

        Parameters
        ----------
        level
            Of the intervals, which need terms of one column.
        clusters
            The cluster of each row, for intervals that hold with effects of any distribution; see
            :meth:`clustered_intervals`. Without them, effects are normal: see :meth:`interval`.
        """
        parts = []
        for term, count in zip(self.equations.terms, self.equations.counts, strict=True):
            for column, sd in enumerate(np.sqrt(np.diag(self.covariances[term.name])).tolist()):
                name = term.name if term.width == 1 else f"{term.name}, column {column + 1}"
                parts.append(VarianceComponent(name, count, sd))
        parts.append(VarianceComponent("residual", self.equations.rows, self.sigma))
        if level is None:
            return parts
        every = range(len(parts))
        if clusters is None:
            limits = [self.interval(i, level) for i in every]
        else:
            limits = self.clustered_intervals(level, clusters, every)
        return [part._replace(low=low, high=high) for part, (low, high) in zip(parts, limits, strict=True)]

    def clustered_intervals(
        self, level: float, clusters: npt.NDArray[np.intp], components: Sequence[int]
    ) -> list[tuple[float, float]]:
        r"""Return intervals of standard deviations that hold with effects of any distribution.

        :math:`\hat\sigma e^{\pm r / \hat\sigma}`. The reach r is :math:`t se` with the standard errors
        of a jackknife over clusters of rows, but at least that of normal effects, :math:`z se_0`
        with standard errors from the curvature of the deviance: with few clusters, the jackknife is
        often too small by chance. An interval starts at 0 if the profile interval does, and then
        ends at :math:`\hat\sigma + r` or where that does.
        """
        errors, df, normal = self._errors(clusters)
        reaches = np.fmax(student_quantile((1 + level) / 2, df) * errors, math.sqrt(_quantile(level)) * normal)
        limits = []
        for i in components:
            sd, reach = float(self.sds[i]), float(reaches[i])
            if self._may_be_zero(i, level):
                limits.append((0.0, max(self.interval(i, level)[1], sd + reach)))
            else:
                limits.append((sd * math.exp(-reach / sd), sd * math.exp(reach / sd)))
        return limits

    def _errors(self, clusters: npt.NDArray[np.intp]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the jackknife's standard errors of all standard deviations, degrees of freedom, and normal errors.

        Without a cluster, an estimate moves by one step of Newton's method. If effects are normal,
        the covariance of estimates is the inverse of half the deviance's second derivatives.
        """
        best, names, (y, x, terms) = self.sds, np.unique(clusters), self.equations.data
        steps = np.diag(np.maximum(1e-3 * best, 1e-5 * best.max()))

        def slope(equations: _Equations, at: FloatArray) -> FloatArray:
            ends = [[equations.deviance_of(at + sign * step) for sign in (1, -1)] for step in steps]
            return np.asarray((np.array(ends) @ [0.5, -0.5]) / np.diag(steps))

        bend = np.array([slope(self.equations, best + step) - slope(self.equations, best - step) for step in steps])
        bend /= 2 * np.diag(steps)[:, None]
        bend = (bend + bend.T) / 2
        moves = []
        for name in names:
            kept = clusters != name
            used = np.flatnonzero(x[kept].any(axis=0))
            rest = [RandomTerm(t.name, crossed(t.groups[kept]), t.columns if t.columns is None else t.columns[kept])
                    for t in terms]  # fmt: skip
            moves.append(slope(_Equations(y[kept], x[kept][:, used], rest), best))
        moved = np.linalg.solve(bend, np.array(moves).T).T
        sizes = np.unique(clusters, return_counts=True)[1]
        df = np.minimum(effective_df(sizes), heavy_tailed_df(moved))
        normal = np.sqrt(np.maximum(2 * np.linalg.inv(bend).diagonal(), 0))
        return np.sqrt(len(names) / (len(names) - 1) * (moved**2).sum(axis=0)), df, normal

    def _rise(self, component: int, value: float, others: FloatArray) -> tuple[float, FloatArray]:
        """Return how much the deviance rises with one standard deviation at a value, and the best others."""

        def deviance(rest: FloatArray) -> float:
            return self.equations.deviance_of(np.insert(rest, component, value))

        found = scipy.optimize.minimize(deviance, others, method="BFGS", options={"gtol": 0.01})
        return float(found.fun) - self.deviance, found.x

    def _may_be_zero(self, component: int, level: float) -> bool:
        """Whether the profile interval of a standard deviation starts at 0; the residual's does not."""
        if component == len(self.sds) - 1:
            return False
        return self._rise(component, _ZERO * self.sds.max(), np.delete(self.sds, component))[0] <= _quantile(level)

    def interval(self, component: int, level: float = 0.95) -> tuple[float, float]:
        """Return the profile interval of a standard deviation, if effects are normal.

        The values at which the deviance, the others at their best, is at most the quantile of
        chi-squared higher.
        """
        best, most = self.sds, float(self.sds.max())
        others = np.delete(best, component)

        def above(value: float) -> float:
            nonlocal others
            rise, others = self._rise(component, value, others)
            return rise - _quantile(level)

        least = _ZERO * most
        peak = max(float(best[component]), least)
        low = 0.0 if self._may_be_zero(component, level) else scipy.optimize.brentq(above, least, peak, rtol=_PRECISION)
        others, step = np.delete(best, component), max(peak, 0.05 * most)
        while above(peak + step) < 0:
            step *= 2
        others = np.delete(best, component)
        return low, scipy.optimize.brentq(above, peak, peak + step, rtol=_PRECISION)


def _quantile(level: float) -> float:
    """Return the quantile of chi-squared with one degree of freedom."""
    return float(scipy.special.ndtri((1 + level) / 2)) ** 2
