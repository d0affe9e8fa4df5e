"""Statistics that only the EDV paper uses: normality, background removal, bins, a skewed curve."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.clusters import Clusters, fisher, weighted_coefficients
from treegauge.statistics.correlation import Correlations, adjusted, associate, choose_columns
from treegauge.statistics.correlation_coefficients import Inference, LeastSquares, correlated_pair, partial
from treegauge.statistics.data_table import DataTable, Sample, as_table
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.planning import check_shares, correlation_power, smallest
from treegauge.statistics.student_intervals import StudentEstimate
from treegauge.statistics.units import LEAST_CLUSTERS
from treegauge.statistics.variables import RowResampling

# Beyond this the curve looks half-normal, and the likelihood is flat.
_STEEPEST = 50.0


def normality(frame: pl.DataFrame) -> dict[str, dict[str, float]]:
    """Return n and Shapiro and Wilk's W with its p-value for every numeric column (Table 1).

    Examples
    --------
    >>> from treegauge.data import ud25
    >>> {name: round(row["w"], 3) for name, row in normality(ud25().select("las", "mean_test_length")).items()}
    {'las': 0.92, 'mean_test_length': 0.978}
    """
    from scipy import stats

    table, found = as_table(frame), {}
    for name in table.numeric():
        values = table.complete([name]).values[:, 0]
        with warnings.catch_warnings():
            # Above 5,000 rows W is exact, but scipy warns about its p-value, which is 0 there.
            warnings.simplefilter("ignore", UserWarning)
            w, p = stats.shapiro(values)
        found[name] = {"n": len(values), "w": float(w), "p_value": float(p)}
    return found


@dataclass(frozen=True)
class Stage:
    """The target after division by a covariate's line (None: unchanged), and that line."""

    removed: str | None
    intercept: float | None
    slope: float | None
    r2: float | None
    values: FloatArray
    inference: Inference


@dataclass(frozen=True)
class Background:
    """The chain of fits with the coefficient after each: first the unchanged target."""

    stages: tuple[Stage, ...]
    sample: Sample


def remove_background(
    frame: pl.DataFrame, target: str, of: str, given: Sequence[str], *, log: Sequence[str] = ()
) -> Background:
    """Divide the target by the prediction of each covariate, and correlate with the rest (Spearman).

    With y the target, each step fits y = a + b x by least squares to a covariate x and continues
    with y / (a + b x). Only the target is adjusted, as in Section 4.2.2 of the paper. Only the
    unchanged target has an interval and a p-value: the usual test would find almost nothing later.
    """
    table = as_table(frame)
    sample = table.complete([target, of, *given], log=log)
    sample.check(table.source, 4)
    first, variable, *covariates = sample.values.T

    def correlated(left: FloatArray) -> Inference:
        # A line that fits perfectly leaves rounding errors, whose ranks are still ranks.
        if np.ptp(left) <= 1e-9 * np.abs(left).max():
            raise TreegaugeError(f"nothing of {target} is left to correlate")
        coefficient = correlated_pair(np.column_stack([left, variable]))
        return coefficient if left is first else Inference(r=coefficient.r)

    stages = [Stage(None, None, None, None, first, correlated(first))]
    for name, covariate in zip(sample.names[2:], covariates, strict=True):
        before = stages[-1].values
        line = LeastSquares.of(np.column_stack([before, covariate]))
        slope = float(line.slopes[0] / line.scale[0])
        intercept = line.mean - slope * float(line.centre[0])
        predicted = intercept + slope * covariate
        wrong = np.flatnonzero(predicted * np.sign(line.mean) <= 1e-9 * abs(line.mean))
        if len(wrong):
            raise TreegaugeError(
                f"the line through {name} predicts {predicted[wrong[0]]:.3g} for {sample.labels[wrong[0]]}; "
                "a background must not change sign to be divided out"
            )
        r2 = 1 - float(line.residuals @ line.residuals) / float(np.square(before - line.mean).sum())
        left = before / predicted
        stages.append(Stage(name, intercept, slope, r2, left, correlated(left)))
    return Background(tuple(stages), sample)


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
