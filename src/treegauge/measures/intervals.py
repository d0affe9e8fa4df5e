"""Confidence intervals of measures over documents or sentences, and samples of one size."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.lazy import scipy
from treegauge.measures.registry import Additive, FloatArray, Measure, MissingError, Value
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
#: Samples of one size; those that are drawn again without a group of units (of sentences, every sample has some
#: of each group, which takes longer), and the largest number of groups.
DRAWS, REDRAWN, GROUPS = 100, {"documents": 100, "sentences": 20}, 20
#: Minimum number of sentences for an interval of such samples.
LEAST_SENTENCES = 200


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
        return _on_log_scale(value, below * t * error, above * t * error)
    return value - below * t * error, value + above * t * error


def _on_log_scale(value: float, below: float, above: float) -> tuple[float, float]:
    """Return limits that these distances give on the log scale, where a positive number is nearer to normal."""
    return value * float(np.exp(-below / value)), value * float(np.exp(above / value))


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


class MatchedSamples:
    r"""Random samples of one number of words, so that measures that grow with the text can be compared.

    A sample takes units (documents, or sentences) in random order, without replacement, up to the sentence
    with which it comes nearest to the number of words. The value is the mean over 100 samples. It estimates what
    so many words of such units have, whatever the size of the treebank.

    The interval is Student's, from the jackknife over at most 20 groups of units, longer on the side of the long
    tail. The variance is

    .. math:: \frac{G-1}{G} \Bigl[\sum_g (\bar\theta_{(g)} - \bar\theta_{(\cdot)})^2
        - \sum_g \frac{s_g^2}{R}\Bigr] + \frac{s^2}{100}

    where a sample without the group g continues in the same random order, the second sum corrects for having only
    R = 100 samples of documents or 20 of sentences, and the last term is the error of 100 samples.

    Parameters
    ----------
    treebank
        At least `words` words; at least twice as many for an interval.
    words
        The size of a sample.
    units
        ``documents`` or ``sentences``; auto takes documents if at least ten are marked.
    """

    def __init__(self, treebank: Treebank, words: int, *, units: str = "auto", seed: int = 0) -> None:
        if treebank.n_words < words:
            raise MissingError(f"{treebank.name} has {treebank.n_words:,} words, fewer than a sample of {words:,}")
        self.treebank, self.words = treebank, words
        (self.units,) = text_units_of(treebank, wanted=units)
        self._ends = np.append(self.units.first, len(treebank))
        self._sizes = np.add.reduceat(treebank.lengths, self.units.first).astype(np.int64)
        random = np.random.default_rng(seed)
        self._orders = [random.permutation(self.units.number) for _ in range(DRAWS)]
        self._group = random.permutation(self.units.number) % min(self.units.number, GROUPS)
        self._last: tuple[Measure, list[Value | None]] | None = None

    def _taken(self, order: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return the first units of an order that have enough words."""
        return order[: int(np.searchsorted(np.cumsum(self._sizes[order]), self.words)) + 1]

    def _sample(self, taken: npt.NDArray[np.intp]) -> Treebank:
        sentences = np.concatenate([np.arange(self._ends[unit], self._ends[unit + 1]) for unit in taken.tolist()])
        sums = np.cumsum(self.treebank.lengths[sentences])
        last = int(np.searchsorted(sums, self.words))
        if last and (last == len(sums) or self.words - sums[last - 1] <= sums[last] - self.words):
            last -= 1
        return self.treebank.take(sentences[: last + 1])

    def _values(self, measure: Measure) -> list[Value | None]:
        """Return the value of a measure in each sample; kept for the interval after the value."""
        if self._last is not None and self._last[0] is measure:
            return self._last[1]
        values: list[Value | None] = []
        reason = MissingError("")
        for order in self._orders:
            try:
                values.append(measure(self._sample(self._taken(order))))
            except MissingError as error:
                values.append(None)
                reason = error
        if sum(value is None for value in values) > DRAWS // 2:
            raise MissingError(f"most samples of {self.words:,} words have no value: {reason}")
        self._last = measure, values
        return values

    def value(self, measure: Measure) -> Value:
        """Return the mean over samples; of a measure with several numbers, of each over the samples that have it."""
        values = [value for value in self._values(measure) if value is not None]
        named = [value for value in values if isinstance(value, Mapping)]
        if not named:
            return float(np.mean([float(value) for value in values if not isinstance(value, Mapping)]))
        names = dict.fromkeys(name for value in named for name in value)
        each = {name: [one for value in named if (one := value.get(name)) is not None] for name in names}
        return {name: float(np.mean(numbers)) if numbers else None for name, numbers in each.items()}

    def interval(self, measure: Measure, level: float = 0.95) -> tuple[float, float] | str:
        """Return the confidence interval of :meth:`value`, or why there is none."""
        kind, number = self.units.kind, self.units.number
        least = FEW_DOCUMENTS if kind == "documents" else LEAST_SENTENCES
        if number < least:
            return f"it needs {least} {kind}, found {number}" + (f"; {IN_DOCUMENTS}" if kind == "documents" else "")
        if 2 * self.words > self.treebank.n_words:
            return f"a sample of {self.words:,} words is more than half of {self.treebank.n_words:,}"
        values = self._values(measure)
        if any(value is None or isinstance(value, Mapping) for value in values):
            return "it is undefined in some samples, or has several numbers"
        draws = np.array(values, np.float64)
        groups = int(self._group.max()) + 1
        redrawn = REDRAWN[kind]
        without = np.tile(draws[:redrawn], (groups, 1))
        for row, order in enumerate(self._orders[:redrawn]):
            for group in np.unique(self._group[self._taken(order)]).tolist():
                rest = order[self._group[order] != group]
                try:
                    without[group, row] = float(measure(self._sample(self._taken(rest))))  # type: ignore[arg-type]
                except MissingError:
                    return "it is undefined without certain sentences"
        left, changes = without.mean(axis=1), without - draws[:redrawn]
        noise = float((changes - changes.mean(axis=0)).var(axis=1, ddof=1).sum()) / redrawn
        variance = (groups - 1) / groups * max(float(((left - left.mean()) ** 2).sum()) - noise, 0.0)
        error = float(np.sqrt(variance + draws.var(ddof=1) / DRAWS))
        reach = float(scipy.special.stdtrit(min(groups - 1.0, float(heavy_tailed_df(left))), (1 + level) / 2)) * error
        below, above = (reach * stretch for stretch in skew_stretch(left, level, 0.0))
        value = float(draws.mean())
        low, high = value - below, value + above
        if measure.bounds[0] >= 0 and value > 0:
            low, high = _on_log_scale(value, below, above)
        low, high = np.clip([low, high], *measure.bounds)
        return float(low), float(high)
