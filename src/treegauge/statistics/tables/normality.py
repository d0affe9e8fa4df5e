"""Normal and skew-normal distributions: tests of columns, and a fitted curve."""

import math
import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError, check_options
from treegauge.core.verbs import verb
from treegauge.statistics.resampling.draws import FloatArray, stream
from treegauge.statistics.tables.data_table import DataTable, Tables
from treegauge.statistics.tables.table_joins import load_tables
from treegauge.statistics.tables.variables import Analysis, Names, TableSettings, frame_of, sign_analysis
from treegauge.statistics.tests.multiple import adjust
from treegauge.statistics.tests.planning import check_shares

if TYPE_CHECKING:
    import polars as pl

_SHAPES, _NORMAL = 5, 7  # purposes in the random stream
# Number of rows above which K² of normal columns hardly depends on it.
_LARGE = 1000
# Beyond this the curve looks half-normal, and the likelihood is flat.
_STEEPEST = 50.0


@dataclass(frozen=True, eq=False)
class Normality(Analysis):
    """Tests of normality, one row per column; ``normal`` is False where it is rejected."""

    rows: tuple[dict[str, Any], ...]
    data: DataTable
    columns: tuple[str, ...]
    log: tuple[str, ...]
    kind: ClassVar[str] = "normality"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per variable."""
        names = "variable n mean sd skewness kurtosis w p_value p_adjusted k2 p_k2 normal".split()
        rows = [{name: row.get(name) for name in names} for row in self.rows]
        return frame_of(rows, variable=str, n=int, normal=bool)


@verb
def normality(
    tables: Tables, of: Names = (), *, level: float = 0.95, columns: TableSettings = TableSettings()
) -> Normality:
    """Test columns for normality: Shapiro-Wilk and D'Agostino-Pearson.

    Shapiro and Wilk's W is the main test. D'Agostino and Pearson's K², for 20 or more rows, adds a
    test of skewness and kurtosis. Constant columns are left out, with a note.

    Parameters
    ----------
    tables
        As for analyse: files, packaged tables, frames; several are joined.
    of
        The columns, a,b or repeated; by default all numeric ones.
    level
        Normality is rejected where the p-value of Shapiro-Wilk is below 1 - level.

    Notes
    -----
    Table 1 of the EDV paper. A column that is not rejected need not be normal: with few rows the
    test has little power.

    Examples
    --------
    >>> result = normality("ud25", "las,mean_test_length")
    >>> [(row["variable"], round(row["w"], 3), row["normal"]) for row in result.rows]
    [('las', 0.92, False), ('mean_test_length', 0.978, True)]
    """
    check_shares(level=level)
    table = load_tables(tables, columns.join)
    chosen, log = table.pick(of), table.pick(columns.log)
    names = chosen or table.numeric()
    rows, notes = [], []
    for name in names:
        sample = table.complete([name], log=log)
        tests, problem = _test(sample.values[:, 0])
        rows.append({"variable": sample.names[0], "n": len(sample.values), **tests})
        notes += [*sample.notes, *([f"{name}: {problem}"] if problem else [])]
    known = [row for row in rows if row.get("p_value") is not None]
    if not known:
        raise TreegaugeError(f"{table.source}: nothing to test: {'; '.join(notes) or 'no column'}")
    corrected = adjust([row["p_value"] for row in known], "benjamini-hochberg")
    for row, p in zip(known, corrected, strict=True):
        row |= {"p_adjusted": float(p), "normal": bool(row["p_value"] >= 1 - level)}
    return Normality(
        rows=tuple(rows), data=table, columns=tuple(names), log=tuple(log), notes=tuple(notes),
        signature=sign_analysis(
            "normality", table.name, of=names if chosen else "all", level=level, log=log,
        ),
    )  # fmt: skip


def _test(values: np.typing.NDArray[np.float64]) -> tuple[dict[str, Any], str | None]:
    from scipy import stats

    if len(values) < 3:
        return {}, f"missing, because the test needs at least 3 rows, found {len(values)}"
    if np.ptp(values) == 0:
        return {}, "missing, because the column has one value only"
    with warnings.catch_warnings():
        # Above 5,000 rows W is exact, but scipy warns about its p-value, which is 0 there.
        warnings.simplefilter("ignore", UserWarning)
        w, p = stats.shapiro(values)
    tests = {
        "mean": values.mean(), "sd": values.std(ddof=1), "skewness": stats.skew(values),
        "kurtosis": stats.kurtosis(values), "w": w, "p_value": p,
    }  # fmt: skip
    # Below that the approximation behind the kurtosis test is poor.
    if len(values) >= 20:
        k2 = stats.normaltest(values).statistic
        null = _normal_k2(min(len(values), _LARGE))
        tests |= {"k2": k2, "p_k2": (1 + (null >= k2).sum()) / (1 + len(null))}
    return {name: float(number) for name, number in tests.items()}, None


@cache
def _normal_k2(n: int) -> FloatArray:
    """Return K² of many normal samples; its chi-square rejects more than 5 percent of them."""
    from scipy.stats import normaltest

    return np.asarray(normaltest(stream(0, _NORMAL).standard_normal((9_999, n)), axis=1).statistic)


@dataclass(frozen=True, eq=False)
class SkewNormal(Analysis):
    r"""A skew-normal curve fitted to numbers.

    Attributes
    ----------
    location, scale, shape
        Parameters :math:`\xi, \omega, \alpha` of the density
        :math:`\frac2\omega \varphi(z) \Phi(\alpha z)`, :math:`z = (x - \xi) / \omega`.
    mean, sd, skewness
        Of the curve; ``data_mean`` and ``data_sd`` are those of the numbers.
    chi2, chi2_df, ks
        Pearson's statistic over bins of equal probability (None if the rows are too few), and the
        largest distance between the two distribution functions.
    p_chi2, p_ks
        Bootstrap p-values: shares of samples from the curve, refitted, with an equal or larger
        misfit.
    p_normal
        D'Agostino's test of skewness: small if a normal curve does not fit.
    """

    n: int
    data_mean: float
    data_sd: float
    mean: float
    sd: float
    skewness: float
    location: float
    scale: float
    shape: float
    chi2: float | None
    chi2_df: int | None
    p_chi2: float | None
    ks: float
    p_ks: float | None
    p_normal: float
    name: str
    values: FloatArray
    kind: ClassVar[str] = "skew-normal curve"

    @property
    def table(self) -> "pl.DataFrame":
        """One row: the numbers, the curve, the tests."""
        import polars as pl

        names = "n data_mean data_sd mean sd skewness location scale shape chi2 chi2_df p_chi2 ks p_ks p_normal"
        return pl.DataFrame({name: [getattr(self, name)] for name in names.split()})

    def density(self, x: npt.ArrayLike) -> FloatArray:
        """Return the curve's height."""
        from scipy.stats import skewnorm

        return np.asarray(skewnorm.pdf(x, self.shape, self.location, self.scale))


@verb
def shape(tables: Tables, of: str, *, resamples: int = 200, seed: int = 0, join: str = "treebank") -> SkewNormal:
    """Fit a skew-normal curve to a column, with its goodness of fit.

    Chi-square over bins of equal probability, at least 8 rows per bin, and the Kolmogorov-Smirnov
    distance, with p-values from a parametric bootstrap, since the curve was fitted to the same
    numbers; and a test against the normal curve.

    Parameters
    ----------
    tables
        As for analyse: files, packaged tables, frames; several are joined.
    of
        The column.
    resamples
        Number of samples for the two p-values; 0 for none.
    seed
        Seed of the samples.
    join
        Column of names by which several tables are joined.
    """
    table = load_tables(tables, join)
    return fit_skew_normal(table.numbers(of), resamples=resamples, seed=seed, name=of, table=table.name)


def fit_skew_normal(
    values: npt.ArrayLike, *, resamples: int = 200, seed: int = 0, name: str = "values", table: str | None = None
) -> SkewNormal:
    r"""Fit a skew-normal curve by maximum likelihood and test how well it fits.

    Chi-square: k bins of equal probability under the curve, :math:`\chi^2 = \sum (O - E)^2 / E`
    with k - 4 degrees of freedom (three parameters were fitted), k the largest number that leaves
    at least 8 rows per bin, at most 12. Its p-value does not come from that distribution, which
    rejects too often. Missing numbers are left out.

    Notes
    -----
    Azzalini (1985); Fig. 12 of the EDV paper fits the difference in LAS between two splits so
    (chi-square 0.40, p 0.820, so 2 degrees of freedom). Large p-values mean that the curve
    cannot be rejected, not that it is correct.

    Examples
    --------
    >>> numbers = np.random.default_rng(0).gamma(4, size=300)
    >>> curve = fit_skew_normal(numbers, resamples=0)
    >>> curve.skewness > 0.5, curve.p_normal < 0.001
    (True, True)
    """
    from scipy.stats import skewtest

    if resamples:
        check_options(seed, resamples, "resamples")
    numbers = np.asarray(values, dtype=np.float64).ravel()
    numbers = numbers[~np.isnan(numbers)]
    if len(numbers) < 8 or np.isinf(numbers).any():
        raise TreegaugeError(f"{name}: a skew-normal curve needs at least 8 finite numbers, found {len(numbers)}")
    if np.ptp(numbers) == 0:
        raise TreegaugeError(f"{name}: all numbers are {numbers[0]:g}; a curve needs different numbers")
    location, scale, shape = _fit(numbers)
    delta = shape / math.hypot(1, shape)
    lift = delta * math.sqrt(2 / math.pi)
    chi2, ks = _misfit(numbers, location, scale, shape)
    p_chi2, p_ks = _bootstrap_p((chi2, ks), len(numbers), shape, resamples, seed)
    at_edge = abs(shape) > 0.9 * _STEEPEST
    note = f"{name}: the shape is at its limit; the curve is a half-normal one"
    return SkewNormal(
        n=len(numbers), data_mean=float(numbers.mean()), data_sd=float(numbers.std(ddof=1)),
        location=location, scale=scale, shape=shape, mean=location + scale * lift,
        sd=scale * math.sqrt(1 - lift**2),
        skewness=(4 - math.pi) / 2 * lift**3 / (1 - lift**2) ** 1.5, chi2=chi2,
        chi2_df=None if chi2 is None else _bins(len(numbers)) - 4, p_chi2=p_chi2, ks=ks, p_ks=p_ks,
        name=name, values=numbers,
        p_normal=float(skewtest(numbers).pvalue), notes=(note,) if at_edge else (),
        signature=sign_analysis(
            "shape", table, of=name, curve="skew-normal", resamples=resamples or None,
            seed=seed if resamples else None,
        ),
    )  # fmt: skip


def _fit(numbers: FloatArray) -> tuple[float, float, float]:
    """Return location, scale and shape."""
    from scipy.stats import skewnorm

    centre, spread = float(numbers.mean()), float(numbers.std())
    z = (numbers - centre) / spread
    shape, location, scale = skewnorm.fit(z)
    if abs(shape) > _STEEPEST:
        shape, location, scale = skewnorm.fit(z, fa=math.copysign(_STEEPEST, shape))
    return centre + spread * location, spread * scale, float(shape)


def _bins(n: int) -> int:
    return min(12, n // 8)


def _misfit(numbers: FloatArray, location: float, scale: float, shape: float) -> tuple[float | None, float]:
    """Return chi-square, None below 5 bins, and the Kolmogorov-Smirnov distance."""
    from scipy.stats import chisquare, skewnorm

    below, bins = skewnorm.cdf(np.sort(numbers), shape, location, scale), _bins(len(numbers))
    steps = np.arange(len(numbers) + 1) / len(numbers)
    ks = float(max(np.max(steps[1:] - below), np.max(below - steps[:-1])))
    if bins < 5:
        return None, ks
    observed = np.bincount(np.minimum((below * bins).astype(int), bins - 1), minlength=bins)
    return float(chisquare(observed).statistic), ks


def _bootstrap_p(
    found: tuple[float | None, float], n: int, shape: float, resamples: int, seed: int
) -> tuple[float | None, float | None]:
    # Location and scale do not matter: the fit follows them.
    random = stream(seed, _SHAPES)
    delta = shape / math.hypot(1, shape)
    drawn = []
    for _ in range(resamples):
        half, other = np.abs(random.standard_normal(n)), random.standard_normal(n)
        numbers = delta * half + math.sqrt(1 - delta**2) * other
        drawn.append(_misfit(numbers, *_fit(numbers)))

    def share(index: int) -> float | None:
        if not resamples or (least := found[index]) is None:
            return None
        # Equal counts in another order have the same chi-square up to rounding.
        as_far = sum((other[index] or 0.0) >= least * (1 - 1e-12) for other in drawn)
        return (1 + as_far) / (1 + resamples)

    return share(0), share(1)
