"""Correlations over clustered rows, such as treebanks of one genus, and selection of a column."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from treegauge.statistics.correlation_coefficients import Inference, partial, partials
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.planning import Winner, best_of, detectable_difference
from treegauge.statistics.student_intervals import StudentEstimate, effective_df
from treegauge.statistics.units import LEAST_CLUSTERS
from treegauge.statistics.variables import Coefficient

# Fisher's transformation of a coefficient of 1 is infinite.
_MOST = 1 - 1e-12
#: Weight of a cluster when its effect on a coefficient is estimated, by simulation of normal rows.
KEPT: dict[Coefficient, float] = {"spearman": 0.5, "pearson": 0.25, "kendall": 0.25}


def weighted_coefficients(values: FloatArray, weights: FloatArray, method: Coefficient = "spearman") -> FloatArray:
    """Return the matrix of coefficients for each weighting of the rows: (..., columns, columns).

    A row with weight 2 counts twice, also in the ranks; weight 0 leaves it out.
    """
    if method == "kendall":
        signs = np.sign(values[:, None] - values)
        products = np.einsum("...i,ijc,ijd,...j->...cd", weights, signs, signs, weights)
    else:
        used = np.broadcast_to(values, (*weights.shape, values.shape[1]))
        if method == "spearman":
            used = np.stack([_weighted_ranks(column, weights) for column in values.T], axis=-1)
        total = weights.sum(axis=-1)[..., None, None]
        centred = used - (weights[..., None] * used).sum(axis=-2, keepdims=True) / total
        products = np.swapaxes(weights[..., None] * centred, -1, -2) @ centred
    lengths = np.sqrt(np.diagonal(products, axis1=-2, axis2=-1))
    lengths = np.where(lengths > 1e-9, lengths, np.nan)
    scaled: FloatArray = products / lengths[..., :, None] / lengths[..., None, :]
    return np.clip(scaled, -1.0, 1.0)


def _weighted_ranks(column: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weight below each row plus half of that of equal rows: (..., rows)."""
    order = np.argsort(column, kind="stable")
    places = np.unique(column, return_inverse=True)[1]
    _, starts = np.unique(column[order], return_index=True)
    equal = np.add.reduceat(weights[..., order], starts, axis=-1)
    return np.asarray((np.cumsum(equal, axis=-1) - equal / 2)[..., places])


@dataclass(frozen=True)
class Clusters:
    """Groups of rows that are resampled together: treebanks of a genus, or single rows."""

    codes: npt.NDArray[np.intp]

    @property
    def number(self) -> int:
        """How many there are."""
        return int(self.codes.max()) + 1

    @property
    def df(self) -> float:
        """Degrees of freedom of a variance over clusters of unequal size."""
        return effective_df(np.bincount(self.codes))

    def reduced(self, kept: float) -> FloatArray:
        """Return weights of the rows, (1 + clusters, rows): all 1, then each cluster `kept`."""
        others = self.codes != np.arange(self.number)[:, None]
        return np.vstack([np.ones(len(self.codes)), kept + (1 - kept) * others])

    def covariance(self, reduced: FloatArray, kept: float) -> FloatArray:
        r"""Return the covariance of estimates from their values under :meth:`reduced` weights.

        With :math:`u_g = (z_g - z) / (1 - kept)` the effect of a lower weight of cluster g,
        :math:`\sum_g (u_g - \bar u) (u_g - \bar u)^\top`. Leaving whole clusters out overstates the
        variance of a coefficient, and infinitesimal changes understate it if few clusters have most
        rows, of Spearman's rho less than of the others: :data:`KEPT`.
        """
        effects = (reduced[1:] - reduced[0]) / (1 - kept)
        centred = effects - effects.mean(axis=0)
        return np.asarray(centred.T @ centred)


def fisher(r: FloatArray) -> FloatArray:
    """Return Fisher's transformation; a coefficient of 1 becomes large rather than infinite."""
    return np.arctanh(np.clip(r, -_MOST, _MOST))


def over_clusters(values: FloatArray, clusters: Clusters, method: Coefficient, steps: int) -> StudentEstimate:
    """Return Fisher's transformation of partial coefficients, with errors over clusters."""
    kept = KEPT[method]
    reduced = fisher(partials(weighted_coefficients(values, clusters.reduced(kept), method), steps))
    errors = np.sqrt(np.diagonal(clusters.covariance(reduced, kept)))
    return StudentEstimate(reduced[0], errors, np.full(steps, clusters.df))


def clustered_inferences(
    before: Sequence[Inference], values: FloatArray, clusters: Clusters, method: Coefficient, level: float
) -> tuple[list[Inference], FloatArray]:
    """Return intervals and p-values over clusters, and detectable coefficients.

    Values that are missing over rows stay missing; below :data:`LEAST_CLUSTERS` all are.
    """
    estimate = over_clusters(values, clusters, method, len(before))
    lows, highs = estimate.interval(level)
    p_values = estimate.p_value()
    least = np.tanh(detectable_difference(estimate.standard_error, estimate.df))
    known = np.isfinite(lows) & (clusters.number >= LEAST_CLUSTERS)
    after = []
    for k, earlier in enumerate(before):
        usable = bool(known[k]) and earlier.low is not None
        after.append(
            replace(
                earlier,
                low=math.tanh(lows[k]) if usable else None,
                high=math.tanh(highs[k]) if usable else None,
                p_value=float(p_values[k]) if usable and earlier.p_value is not None else None,
            )
        )
    return after, np.where(known, least, np.nan)


def strongest(values: FloatArray, variables: int, clusters: Clusters, method: Coefficient, level: float) -> Winner:
    """Correct the coefficient farthest from 0 for its selection among several.

    The columns of `values` are the target, as many `variables`, and the covariates.
    """
    kept = KEPT[method]
    weights = clusters.reduced(kept)
    rest = list(range(1 + variables, values.shape[1]))
    each = [partial(weighted_coefficients(values[:, [0, 1 + j, *rest]], weights, method)) for j in range(variables)]
    reduced = fisher(np.stack(each, axis=1))
    spread = clusters.covariance(reduced, kept)
    best = best_of(reduced[0], spread, clusters.df, level=level, absolute=True)
    # Selected for size and sign: the corrected value lies between 0 and the observed one.
    sides = sorted((0.0, best.observed))
    value = min(max(best.value, sides[0]), sides[1])
    return Winner(best.index, *np.tanh([best.observed, value, best.low, best.high]).tolist())


def clusters_of(kinds: Sequence[object] | None, rows: Sequence[int]) -> Clusters | None:
    """Return the clusters of rows; None if no two rows are known to be related."""
    if kinds is None:
        return None
    named = [f"={kinds[i]}" if kinds[i] is not None else f"row {i}" for i in rows]
    codes = np.unique(named, return_inverse=True)[1]
    return Clusters(codes) if len(set(named)) < len(named) else None
