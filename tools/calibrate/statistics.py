"""Statements of `analyse` about correlations and regressions."""

import math
from collections.abc import Callable
from typing import get_args

import numpy as np
import numpy.typing as npt

from tools.calibrate.registry import Trials, statement
from treegauge.statistics.bootstrap import bootstrap_rows
from treegauge.statistics.clusters import Clusters, over_clusters, strongest
from treegauge.statistics.correlation_coefficients import (
    LeastSquares,
    SlopeErrors,
    coefficients,
    correlated_pair,
    inference,
    partial,
)
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.linear_model import regress
from treegauge.statistics.multiple import adjust
from treegauge.statistics.student import student_tail
from treegauge.statistics.variables import Coefficient

#: Treebanks of the genera of UD 2.5 that have a score in ``ud25``.
UD25 = (19, 19, 16, 4, 3, 3, 3, 3, 3, 3, 2, 2, *[1] * 14)


GenusCase = tuple[Coefficient, tuple[int, ...], float]
#: By method and share of the genus, on the genera of UD 2.5 and on few; Kendall's takes longest.
GENERA: dict[str, GenusCase] = {
    f"{method}, {len(genera)} genera, genus share {share}": (method, genera, share)
    for method in get_args(Coefficient)
    for genera in (UD25, (3,) * 8)
    for share in (0.0, 0.5, 0.8)
    if genera == UD25 or share == 0.5
}


def rows_of(
    random: np.random.Generator, n: int, r: float, genera: tuple[int, ...] = (), share: float = 0.5
) -> FloatArray:
    """Return two normal columns with Pearson's r; genera share part of the variance of both."""
    own = random.normal(size=(n, 2))
    if genera:
        kin = np.repeat(random.normal(size=(len(genera), 2)), genera, axis=0)
        own = math.sqrt(share) * kin + math.sqrt(1 - share) * own
    return np.column_stack([own[:, 0], r * own[:, 0] + math.sqrt(1 - r * r) * own[:, 1]])


def spearman(r: float) -> float:
    """Return Spearman's rho of a bivariate normal distribution with Pearson's r."""
    return 6 / math.pi * math.asin(r / 2)


def intervals(repetitions: int, truth: float, make: Callable[[], tuple[float, float]]) -> Trials:
    """Return whether repeated intervals contain the true value, and their widths."""
    ends = np.array([make() for _ in range(repetitions)], dtype=np.float64)
    return Trials((ends[:, 0] <= truth) & (truth <= ends[:, 1]), ends[:, 1] - ends[:, 0])


def tests(repetitions: int, p_value: Callable[[float], float], effect: float) -> Trials:
    """Return the outcomes of repeated tests without an effect, and with one for the power."""
    none, some = (np.array([p_value(size) <= 0.05 for _ in range(repetitions)]) for size in (0.0, effect))
    return Trials(none, some)


@statement(
    name="correlation-interval",
    verb="analyse",
    says="edv: r -0.39 (-0.67 to -0.02)",
    kind="interval",
    nominal=0.95,
    cases={"8 rows": 8, "15 rows": 15, "94 rows": 94},
    secondary="mean width",
    covers=(
        "correlation.low", "correlation.high", "correlation matrix.low", "correlation matrix.high",
    ),
    repetitions=2500,
    quick=300,
)  # fmt: skip
def fisher_interval(random: np.random.Generator, rows: int, repetitions: int) -> Trials:
    """Spearman's rho of independent normal rows; the true Pearson correlation is 0.5."""

    def make() -> tuple[float, float]:
        found = correlated_pair(rows_of(random, rows, 0.5))
        return float(found.low or 0), float(found.high or 0)

    return intervals(repetitions, spearman(0.5), make)


@statement(
    name="partial-correlation-interval",
    verb="analyse",
    says="edv given train_words: r -0.18 (-0.52 to 0.21)",
    kind="interval",
    nominal=0.95,
    cases={"10 rows, 2 covariates": 10, "28 rows, 2 covariates": 28},
    secondary="mean width",
    covers=("correlation.low", "correlation.high"),
    repetitions=2000,
    quick=300,
)
def partial_interval(random: np.random.Generator, rows: int, repetitions: int) -> Trials:
    """Pearson's r of two columns given two others that both depend on; the truth is 0.5."""

    def make() -> tuple[float, float]:
        given = random.normal(size=(rows, 2))
        both = rows_of(random, rows, 0.5) + given @ [[1.0, -0.5], [0.5, 1.0]]
        r = float(partial(coefficients(np.column_stack([both, given]), "pearson")))
        found = inference(r, rows, 2, method="pearson")
        return float(found.low or 0), float(found.high or 0)

    return intervals(repetitions, 0.5, make)


@statement(
    name="correlation-bootstrap-interval",
    verb="analyse",
    says="edv: r -0.39 (bootstrap -0.70 to 0.03)",
    kind="interval",
    nominal=0.95,
    cases={"8 rows": 8, "15 rows": 15, "30 rows": 30, "94 rows": 94},
    secondary="mean width",
    covers=("correlation.bca_low", "correlation.bca_high"),
    repetitions=500,
    quick=25,
)
def bootstrap_interval(random: np.random.Generator, rows: int, repetitions: int) -> Trials:
    """Spearman's rho of independent normal rows; the true Pearson correlation is 0.5."""

    def make() -> tuple[float, float]:
        made = bootstrap_rows(
            rows_of(random, rows, 0.5), lambda some: coefficients(some)[..., 0, 1][..., None],
            resamples=1000, seed=int(random.integers(2**31)),
        )  # fmt: skip
        return float(made.low[0]), float(made.high[0])

    return intervals(repetitions, spearman(0.5), make)


@statement(
    name="correlation-test",
    verb="analyse",
    says="edv: r -0.39, p = 0.04",
    kind="test",
    nominal=0.05,
    cases={"8 rows": 8, "15 rows": 15, "94 rows": 94},
    secondary="power at r = 0.5",
    covers=("correlation.p_value", "correlation matrix.p_value"),
    repetitions=2500,
    quick=300,
)
def correlation_test(random: np.random.Generator, rows: int, repetitions: int) -> Trials:
    """Spearman's rho of independent normal rows without a correlation."""
    return tests(repetitions, lambda r: correlated_pair(rows_of(random, rows, r)).p_value or 0.0, 0.5)


@statement(
    name="correlation-test-adjusted",
    verb="analyse",
    says="edv: p = 0.06 after adjusting for 10 columns",
    kind="test",
    nominal=0.05,
    cases={"15 rows, 10 columns": 15, "94 rows, 10 columns": 94},
    secondary="power at r = 0.5 (one column)",
    covers=(
        "correlation.p_adjusted", "correlation matrix.p_adjusted",
    ),
    repetitions=1500,
    quick=100,
)  # fmt: skip
def adjusted_test(random: np.random.Generator, rows: int, repetitions: int) -> Trials:
    """Ten independent columns; the rate counts any significant one (Benjamini and Hochberg)."""

    def least(r: float) -> float:
        pairs = [rows_of(random, rows, size) for size in (r, *[0.0] * 9)]
        p_values = [correlated_pair(pair).p_value or 0.0 for pair in pairs]
        adjusted = adjust(p_values, "benjamini-hochberg")
        return float(adjusted[0] if r else adjusted.min())

    return tests(repetitions, least, 0.5)


@statement(
    name="correlation-genera-interval",
    verb="analyse",
    says="edv: r -0.39 (-0.72 to 0.10), allowing for 26 genera",
    kind="interval",
    nominal=0.95,
    cases=GENERA,
    secondary="mean width",
    covers=("correlation.low", "correlation.high", "correlation matrix.*"),
    repetitions=1000,
    quick=60,
)
def genera_interval(random: np.random.Generator, case: GenusCase, repetitions: int) -> Trials:
    """Draw rows with a Pearson correlation of 0.5; a share of each variance is the genus's.

    The 8 genera have 3 treebanks each.
    """
    method, genera, share = case
    clusters = Clusters(np.repeat(np.arange(len(genera)), genera))

    def make() -> tuple[float, float]:
        values = rows_of(random, sum(genera), 0.5, genera, share)
        low, high = over_clusters(values, clusters, method, 1).interval()
        return math.tanh(low[0]), math.tanh(high[0])

    truth = {"spearman": spearman(0.5), "pearson": 0.5, "kendall": 2 / math.pi * math.asin(0.5)}
    return intervals(repetitions, truth[method], make)


@statement(
    name="correlation-genera-test",
    verb="analyse",
    says="edv: p = 0.11, allowing for 26 genera",
    kind="test",
    nominal=0.05,
    cases=GENERA,
    secondary="power at r = 0.5",
    covers=("correlation.p_value", "correlation matrix.p_value"),
    repetitions=1000,
    quick=60,
)
def genera_test(random: np.random.Generator, case: GenusCase, repetitions: int) -> Trials:
    """Draw rows without a correlation; a share of each variance is the genus's.

    The 8 genera have 3 treebanks each.
    """
    method, genera, share = case
    clusters = Clusters(np.repeat(np.arange(len(genera)), genera))

    def p_value(r: float) -> float:
        values = rows_of(random, sum(genera), r, genera, share)
        return float(over_clusters(values, clusters, method, 1).p_value()[0])

    return tests(repetitions, p_value, 0.5)


#: Predictors, and the share of the variance of each column that is the genus's.
SLOPES = {f"{n} predictor{'s' * (n > 1)}, genus share {share}": (n, share) for n in (1, 3) for share in (0.0, 0.5, 0.8)}


def _fitted(
    random: np.random.Generator, case: tuple[int, float], slope: float = 0.0
) -> tuple[LeastSquares, SlopeErrors]:
    """Return a model of the treebanks of UD 2.5 with one true slope, and its errors over genera."""
    predictors, share = case
    codes = np.repeat(np.arange(len(UD25)), UD25)
    kin = random.normal(size=(len(UD25), predictors + 1))[codes]
    values = math.sqrt(share) * kin + math.sqrt(1 - share) * random.normal(size=(len(codes), predictors + 1))
    values[:, 0] += slope * values[:, 1]
    solved = LeastSquares.of(values)
    return solved, solved.errors(codes)


@statement(
    name="regression-genera-test",
    verb="analyse",
    says="mean_test_length: p = 0.08, allowing for 26 genera",
    kind="test",
    nominal=0.05,
    cases=SLOPES,
    secondary="power at a slope of 0.5",
    covers=("regression.p_value", "regression.summary.p_value"),
    quick=60,
)
def genera_slope_test(random: np.random.Generator, case: tuple[int, float], repetitions: int) -> Trials:
    """Let the first slope be 0 or 0.5, and all others 0; 94 treebanks in the 26 genera of UD 2.5."""

    def p_value(slope: float) -> float:
        solved, errors = _fitted(random, case, slope)
        return float(2 * student_tail(abs(solved.slopes[0]) / math.sqrt(errors.covariance[1, 1]), errors.df))

    return tests(repetitions, p_value, 0.5)


@statement(
    name="regression-genera-prediction",
    verb="analyse",
    says="a treebank of a new genus: 81.2 predicted (66.0 to 96.4)",
    kind="interval",
    nominal=0.95,
    cases=SLOPES,
    secondary="mean width (standard deviations)",
    covers=("predictions.low", "predictions.high"),
    quick=60,
)
def genera_prediction(random: np.random.Generator, case: tuple[int, float], repetitions: int) -> Trials:
    """Take the same models with a slope of 0.5, and one new row of a new genus."""
    hits, widths = np.empty(repetitions, bool), np.empty(repetitions)
    for i in range(repetitions):
        solved, errors = _fitted(random, case, 0.5)
        x = random.normal(size=case[0])
        row = np.append(1.0, (x - solved.centre) / solved.scale)
        reach = float(errors.reach(row[None], 0.95)[0])
        came = 0.5 * x[0] + random.normal()
        hits[i] = abs(came - solved.mean - row[1:] @ solved.slopes) <= reach
        widths[i] = 2 * reach
    return Trials(hits, widths)


@statement(
    name="strongest-column-interval",
    verb="analyse",
    says="strongest of 13 columns: edv, corrected for selection: -0.31 (-0.66 to 0.20)",
    kind="interval",
    nominal=0.95,
    cases={"15 rows, 5 columns": (15, 5), "30 rows, 13 columns": (30, 13), "94 rows, 13 columns": (94, 13)},
    secondary="mean width",
    covers=("correlation.summary.selected_*", "correlation.summary.*"),
    repetitions=1000,
    quick=60,
)
def strongest_interval(random: np.random.Generator, size: tuple[int, int], repetitions: int) -> Trials:
    """Columns with true Pearson correlations from 0 to 0.5; the strongest is reported."""
    rows, columns = size
    true = np.linspace(0, 0.5, columns)

    def once() -> tuple[bool, float]:
        target = random.normal(size=rows)
        noise = random.normal(size=(rows, columns))
        values = np.column_stack([target, target[:, None] * true + noise * np.sqrt(1 - true**2)])
        best = strongest(values, columns, Clusters(np.arange(rows)), "spearman", 0.95)
        return best.low <= spearman(true[best.index]) <= best.high, best.high - best.low

    hits, widths = zip(*(once() for _ in range(repetitions)), strict=True)
    return Trials(np.array(hits), np.array(widths))


def _model(random: np.random.Generator, rows: int, slopes: npt.ArrayLike = (2.0, 1.0, 0.0)) -> dict[str, FloatArray]:
    x = random.normal(size=(rows, 3))
    y = 60 + x @ np.asarray(slopes) + 3 * random.normal(size=rows)
    return {"las": y, "a": x[:, 0], "b": x[:, 1], "c": x[:, 2]}


@statement(
    name="regression-interval",
    verb="analyse",
    says="log(train_words): 5.5 points (4.2 to 6.7)",
    kind="interval",
    nominal=0.95,
    cases={"6 rows": 6, "15 rows": 15, "94 rows": 94},
    secondary="mean width",
    covers=("regression.low", "regression.high"),
    repetitions=1000,
    quick=80,
)
def regression_interval(random: np.random.Generator, rows: int, repetitions: int) -> Trials:
    """Three independent predictors with slopes 2, 1 and 0; normal errors."""

    def make() -> tuple[float, float]:
        row = regress(_model(random, rows), "las", "a,b,c").rows[0]
        return row["low"], row["high"]

    return intervals(repetitions, 2.0, make)


@statement(
    name="regression-test",
    verb="analyse",
    says="mean_test_length: p = 0.02; whole model: p < 0.001",
    kind="test",
    nominal=0.05,
    cases={"slope, 6 rows": (6, "slope"), "slope, 94 rows": (94, "slope"), "model, 6 rows": (6, "model")},
    secondary="power at slopes of 2, 1 and 2",
    covers=("regression.p_value", "regression.summary.p_value", "regression.summary.*"),
    repetitions=800,
    quick=60,
)
def regression_test(random: np.random.Generator, case: tuple[int, str], repetitions: int) -> Trials:
    """Three independent predictors; all slopes are 0 (for the model), or only the third."""
    rows, what = case

    def p_value(effect: float) -> float:
        slopes = (2.0, 1.0, effect) if what == "slope" or effect else (0.0, 0.0, 0.0)
        model = regress(_model(random, rows, slopes), "las", "a,b,c")
        return float(model.rows[2]["p_value"] if what == "slope" else model.fit["p_value"] or 0)

    return tests(repetitions, p_value, 2.0)


@statement(
    name="regression-prediction",
    verb="analyse",
    says="UD_Greek-GDT: 81.2 predicted (66.0 to 96.4)",
    kind="interval",
    nominal=0.95,
    cases={"6 rows": 6, "94 rows": 94},
    secondary="mean width (points)",
    covers=("predictions.low", "predictions.high"),
    repetitions=1000,
    quick=100,
)
def prediction(random: np.random.Generator, rows: int, repetitions: int) -> Trials:
    """One new row of the same model."""

    def once() -> tuple[bool, float]:
        model = regress(_model(random, rows), "las", "a,b,c")
        new = model.predict(_model(random, 1)).table.row(0, named=True)
        return new["low"] <= new["actual"] <= new["high"], new["high"] - new["low"]

    hits, widths = zip(*(once() for _ in range(repetitions)), strict=True)
    return Trials(np.array(hits), np.array(widths))
