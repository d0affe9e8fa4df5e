"""Intervals of measures, from sentences drawn again with replacement."""

import numpy as np
import numpy.typing as npt

from treegauge.measures.registry import Additive, FloatArray, Measure
from treegauge.statistics.bootstrap import bootstrap
from treegauge.treebanks.columns import Treebank


def interval(
    measure: Measure,
    *treebanks: Treebank,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, float] | None:
    r"""Return the limits between which a measure lies if the sentences could have been others.

    Shares, means and entropies of few classes get the percentile interval. A distance between two
    distributions gets the basic one, :math:`[2\hat\theta - \theta^*_{1-\alpha},
    2\hat\theta - \theta^*_{\alpha}]`, cut at its bounds: chance adds to a distance and adds once
    more to its resamples, which the percentile interval would take for real.

    Parameters
    ----------
    measure, treebanks
        What to resample, and of what: one treebank, or train and test, drawn independently.
    resamples, level, seed
        As for :func:`treegauge.statistics.bootstrap.bootstrap`.

    Returns
    -------
    tuple or None
        None where the measure is not a function of sums over sentences, or there are fewer than
        two sentences to draw from.

    Examples
    --------
    >>> from treegauge.measures.registry import measures
    >>> from treegauge.testing.synthetic import synthetic
    >>> low, high = interval(measures()["mean_length"], synthetic(100, seed=1))
    >>> low < measures()["mean_length"](synthetic(100, seed=1)) < high
    True
    """
    if measure.additive is None:
        return None
    tables = [np.asarray(table) for table in measure.additive.tables(*treebanks)]
    if min(len(table) for table in tables) < 2:
        return None
    draws = [
        _sums(table, resamples, seed if place == 0 else _other_seed(seed, place))
        for place, table in enumerate(tables)
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        values = measure.additive.statistic(*draws)
    values = values[np.isfinite(values)]
    if len(values) < 2:
        return None
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    if measure.additive.distance:
        centre = _estimate(measure.additive, tables)
        low, high = np.clip([2 * centre - high, 2 * centre - low], *measure.bounds)
    return float(low), float(high)


def _sums(table: npt.NDArray[np.generic], resamples: int, seed: int) -> FloatArray:
    drawn = bootstrap(table, lambda sums: sums, resamples=resamples, seed=seed, keep=True).values
    if drawn is None:
        raise AssertionError("resampled sums were asked for")
    return drawn


def _other_seed(seed: int, place: int) -> int:
    return int(np.random.SeedSequence([seed, place]).generate_state(1)[0])


def _estimate(additive: Additive, tables: list[npt.NDArray[np.generic]]) -> float:
    return float(additive.statistic(*(table.sum(axis=0, dtype=np.float64) for table in tables)))
