"""Statistics of the replication alone: coefficients by length, a skewed curve, numbers of treebanks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.clusters import Clusters, fisher, weighted_coefficients
from treegauge.statistics.correlation import Correlations, adjusted, associate, choose_columns
from treegauge.statistics.correlation_coefficients import Inference, correlated_pair, partial
from treegauge.statistics.data_table import DataTable, Sample, as_table
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.planning import check_shares, correlation_power, smallest
from treegauge.statistics.student_intervals import StudentEstimate
from treegauge.statistics.units import LEAST_CLUSTERS
from treegauge.statistics.variables import RowResampling

# Beyond this the curve looks half-normal, and the likelihood is flat.
_STEEPEST = 50.0


@dataclass(frozen=True)
class BinnedCorrelations:
    """Coefficients of one variable given all covariates, one row per sentence length.

    The trend is the Spearman correlation of the coefficients with the lengths; its p-value is of
    the slope of Fisher's transformation, over treebanks, which the lengths share.
    """

    lengths: tuple[int, ...]
    coefficients: Correlations
    trend: Inference

    @property
    def table(self) -> pl.DataFrame:
        """One row per length, in ascending order."""
        frame = self.coefficients.table.drop("group")
        return frame.insert_column(0, pl.Series("length", self.lengths, dtype=pl.Int64))


def correlate_lengths(
    frame: pl.DataFrame, target: str, of: str, given: Sequence[str] = (), *, low: int = 3, high: int = 30
) -> BinnedCorrelations:
    """Correlate within each sentence length, in a table with a row per treebank and length (Fig. 10).

    Rows count as independent, as in Section 4.4 of the paper.
    """
    table = as_table(frame)
    numbers = table.numbers("length")
    lengths = sorted({int(number) for number in numbers if low <= number <= high})
    groups = {f"length {number}": np.flatnonzero(numbers == number).tolist() for number in lengths}
    choose_columns(table, target, [of], given, without="length")
    none = RowResampling(resamples=0)
    rows, notes = associate(table, target, [of], given, groups, "spearman", (), none, "none")
    last = adjusted([row for row in rows if len(row.given) == len(given)], "benjamini-hochberg")
    pairs = zip(lengths, last, strict=True)
    known = [(length, row.inference.r) for length, row in pairs if row.inference.r is not None]
    trend = correlated_pair(np.array(known)) if len(known) > 3 else Inference()
    samples = [table.complete([target, of, *given], rows=here) for here in groups.values()]
    p_trend = _trend(table, lengths, samples) if len(known) == len(lengths) > 3 else None
    found = Correlations(f"analysis:lengths|of:{of}", tuple(notes), tuple(last), "spearman")
    return BinnedCorrelations(tuple(lengths), found, replace(trend, p_value=p_trend))


def _trend(table: DataTable, lengths: Sequence[int], samples: Sequence[Sample]) -> float | None:
    """Return the p-value of the slope of Fisher's z over lengths, for random treebanks."""
    place = {name: i for i, name in enumerate(dict.fromkeys(table.labels))}
    if len(place) < LEAST_CLUSTERS:
        return None
    codes = [np.array([place[table.labels[i]] for i in sample.rows]) for sample in samples]
    whole = Clusters(np.concatenate(codes))
    halves = np.vstack([np.zeros(len(place)), np.eye(len(place)) / 2])
    z = [
        fisher(partial(weighted_coefficients(sample.values, 1 - halves[:, code])))
        for sample, code in zip(samples, codes, strict=True)
    ]
    centred = np.array(lengths) - np.mean(lengths)
    slopes = (centred @ np.array(z))[:, None] / (centred**2).sum()
    error = np.sqrt(whole.covariance(slopes, kept=0.5)[0])
    p = StudentEstimate(slopes[0], error, np.full(1, whole.df)).p_value()[0]
    return None if np.isnan(p) else float(p)


@dataclass(frozen=True)
class SkewNormal:
    r"""A skew-normal curve fitted to numbers (Fig. 12).

    `location`, `scale` and `shape` are :math:`\xi, \omega, \alpha` of the density
    :math:`\frac2\omega \varphi(z) \Phi(\alpha z)`, :math:`z = (x - \xi) / \omega`; `mean` and `sd`
    are those of the curve.
    """

    location: float
    scale: float
    shape: float
    mean: float
    sd: float
    values: FloatArray

    def density(self, x: npt.ArrayLike) -> FloatArray:
        """Return the curve's height."""
        from scipy.stats import skewnorm

        return np.asarray(skewnorm.pdf(x, self.shape, self.location, self.scale))


def fit_skew_normal(values: npt.ArrayLike) -> SkewNormal:
    """Fit a skew-normal curve by maximum likelihood (Azzalini 1985).

    Examples
    --------
    >>> curve = fit_skew_normal(np.random.default_rng(0).gamma(4, size=300))
    >>> round(float(curve.mean), 1), curve.shape > 0
    (3.9, True)
    """
    from scipy.stats import skewnorm

    numbers = np.asarray(values, dtype=np.float64)
    centre, spread = float(numbers.mean()), float(numbers.std())
    z = (numbers - centre) / spread
    shape, location, scale = skewnorm.fit(z)
    if abs(shape) > _STEEPEST:
        shape, location, scale = skewnorm.fit(z, fa=math.copysign(_STEEPEST, shape))
    location, scale = centre + spread * location, spread * scale
    lift = shape / math.hypot(1, shape) * math.sqrt(2 / math.pi)
    mean, sd = location + scale * lift, scale * math.sqrt(1 - lift**2)
    return SkewNormal(location, scale, float(shape), mean, sd, numbers)


def needed_rows(r: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return the smallest number of rows with which the test has at least this power.

    Add the number of covariates for a partial correlation.

    Examples
    --------
    >>> needed_rows(0.3)
    85
    """
    check_shares(power=power)
    if not 0 < abs(r) <= 1:
        raise TreegaugeError(f"r: expected a coefficient other than 0, at most 1, found {r!r}")
    return smallest(lambda n: correlation_power(r, n, alpha) >= power, 4)
