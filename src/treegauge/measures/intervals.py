"""Confidence intervals of measures over documents or sentences, where they hold their level."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.lazy import scipy
from treegauge.measures.registry import Additive, FloatArray, Measure
from treegauge.measures.vocabulary import entropy_of
from treegauge.statistics.draws import Units, bootstrap_sums, jackknife_values
from treegauge.statistics.student_intervals import effective_df, heavy_tailed_df, skew_stretch, wilson
from treegauge.statistics.units import FEW_DOCUMENTS, IN_DOCUMENTS, LEAST_UNITS, TextUnits, text_units, units_of_text
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.indexing import document_starts

Table = npt.NDArray[Any]
Distance = Callable[..., FloatArray]
#: Number of random splits with which the distance of two sets is compared.
SPLITS = 199


#: Minimum number of documents for each kind of measure.
LEAST_DOCUMENTS = {"mean": LEAST_UNITS, "binary": LEAST_UNITS, "entropy": FEW_DOCUMENTS, "distance": FEW_DOCUMENTS}


def text_units_of(*treebanks: Treebank, wanted: str = "auto") -> list[TextUnits]:
    """Return the units of treebanks that are measured together: documents if all have enough."""
    starts = [document_starts(treebank) for treebank in treebanks]
    kinds = {text_units(int(each.sum()), wanted, what=t.name) for each, t in zip(starts, treebanks, strict=True)}
    kind = "documents" if kinds == {"documents"} else "sentences"
    return [units_of_text(each, kind) for each in starts]


def measure_interval(
    measure: Measure, *treebanks: Treebank, resamples: int = 1000, level: float = 0.95, seed: int = 0,
    units: str = "auto",
) -> tuple[float, float] | str:  # fmt: skip
    r"""Return the confidence interval of a measure over documents or sentences, or the reason for having none.

    Means have Student's interval with the jackknife's variance, on a log scale if they are
    positive, and the degrees of freedom of
    :func:`~treegauge.statistics.student_intervals.heavy_tailed_df` if these are fewer. Shares have
    Wilson's interval with the effective number of words that this variance implies; the entropy of
    a share has the image of this interval. Both are longer on the side of the long tail, by
    :func:`~treegauge.statistics.student_intervals.skew_stretch`; for means over documents that are not
    shares it also allows for a rare document far above all others. Other entropies have Student's
    interval around the bias-corrected value, :math:`n \hat\theta - (n - 1) \bar\theta_{(i)}`, which
    may exclude the uncorrected value. Distances have an interval from the bootstrap's bias and deviation,
    :math:`2 \hat\theta - \bar\theta^* \pm t s^*`; it starts at 0 unless at most 5 % (that is, 1 -
    `level`) of random splits of the same units are farther apart.
    """
    additive = measure.additive
    if additive is None:
        return "resampling sentences does not give a valid interval for this measure"
    tables = [np.asarray(table) for table in additive.tables(*treebanks)]
    least, kind = additive.least, additive.units
    if kind == "sentences":
        each = text_units_of(*treebanks, wanted=units)[-len(tables) :]
        tables = [unit.sums(table) for unit, table in zip(each, tables, strict=True)]
        if each[0].kind == "documents":
            kind, least = "documents", LEAST_DOCUMENTS[additive.kind]
    fewest = min(len(table) for table in tables)
    if fewest < least:
        return f"it needs {least} {kind}, found {fewest}" + (f"; {IN_DOCUMENTS}" if kind == "documents" else "")
    limits = interval_of_sums(additive, measure.bounds, tables, resamples, level, seed, documents=kind == "documents")
    return limits or "it is undefined without certain sentences"


def interval_of_sums(
    additive: Additive, bounds: tuple[float, float], tables: Sequence[Table], resamples: int = 1000,
    level: float = 0.95, seed: int = 0, *, documents: bool = False,
) -> tuple[float, float] | None:  # fmt: skip
    """Return the interval of a measure from tables with one row per unit; None if it is undefined.

    `documents` says that the units are documents, of which a rare one may be far from all others.
    """
    if additive.kind == "distance":
        low, high = _of_distance(additive, tables, resamples, level, seed)
    else:
        low, high = _of_mean(additive, bounds, tables[0], level, documents=documents)
    if not np.isfinite([low, high]).all():
        return None
    if additive.kind == "binary":
        ends = entropy_of([[low, 1 - low], [high, 1 - high]])
        return float(ends.min()), 1.0 if low < 0.5 < high else float(ends.max())
    low, high = np.clip([low, high], *bounds)
    return float(low), float(high)


def _of_mean(
    additive: Additive, bounds: tuple[float, float], table: Table, level: float, *, documents: bool
) -> tuple[float, float]:
    sums = table.sum(axis=0, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(additive.statistic(sums))
        each = jackknife_values(Units([table]), lambda s: additive.statistic(s)[..., None])
        left = np.concatenate(list(each)).reshape(-1)
    n, ratio = len(left), table.shape[1] == 2
    error = float(np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum()))
    share = ratio and bounds == (0.0, 1.0)
    df = n - 1.0
    if not share:
        df = min(effective_df(table[:, 1]) if ratio else df, float(heavy_tailed_df(left)))
    t = float(scipy.special.stdtrit(df, (1 + level) / 2))
    inside = share and error > 0 and 0 < value < 1
    # Wilson's interval has the skewness of a share of independent words.
    binomial = (1 - 2 * value) * error / (value * (1 - value)) if inside else 0.0
    rare = documents and not share and bounds[0] >= 0
    below, above = skew_stretch(left, level, binomial, rare=rare) if ratio else (1.0, 1.0)
    if additive.kind == "entropy":
        value = n * value - (n - 1) * float(left.mean())
    elif share:
        # An event that did not occur may occur in clusters.
        worth = sums[1] / (2 if table[:, 1].max() > 1 else 1)
        if inside:
            worth = value * (1 - value) / error**2 * (scipy.special.ndtri((1 + level) / 2) / t) ** 2
        low, high = map(float, wilson(value * worth, worth, level))
        if inside:
            odds = value / (1 - value)
            low, high = (
                float(scipy.special.expit(np.log(odds) + stretch * (scipy.special.logit(end) - np.log(odds))))
                for end, stretch in ((low, below), (high, above))
            )
        return low, high
    elif bounds[0] >= 0 and value > 0:
        reach = t * error / value
        return value * float(np.exp(-below * reach)), value * float(np.exp(above * reach))
    return value - below * t * error, value + above * t * error


def _of_distance(
    additive: Additive, tables: Sequence[Table], resamples: int, level: float, seed: int
) -> tuple[float, float]:
    draws, distance = [], additive.statistic
    for place, table in enumerate(tables):
        split_seed = int(np.random.SeedSequence([seed, place]).generate_state(1)[0])
        draws.append(np.concatenate(list(bootstrap_sums(Units([table]), resamples, split_seed)))[:, 0])
    values = distance(*draws)
    value = float(distance(*(table.sum(axis=0, dtype=np.float64) for table in tables)))
    df = min(effective_df(table.sum(axis=1)) for table in tables)
    reach = additive.stretch * float(scipy.special.stdtrit(df, (1 + level) / 2)) * values.std(ddof=1)
    middle = 2 * value - values.mean()
    others = random_splits(tables, distance, SPLITS, seed)
    chance = (1 + (others >= value - 1e-12).sum()) / (1 + SPLITS)
    return (middle - reach if chance <= 1 - level else 0.0), max(middle + reach, 0.0)


def random_splits(
    tables: Sequence[Table], distance: Distance, splits: int, seed: int | np.random.Generator
) -> FloatArray:
    """Return the distances of random splits of the same units into sets of the same sizes.

    The two tables have shape (units, columns); the distance is a function of their column sums.
    """
    random = np.random.default_rng(seed)
    whole = np.concatenate(tables)
    total = whole.sum(axis=0, dtype=np.float64)
    smaller = min(map(len, tables))
    parts = np.stack(
        [whole[random.choice(len(whole), smaller, replace=False)].sum(axis=0, dtype=np.float64) for _ in range(splits)]
    )
    return np.asarray(distance(parts, total - parts))
