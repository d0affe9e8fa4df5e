"""Paired tests of two systems: permutation and bootstrap."""

from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, check_options
from treegauge.statistics.draws import (
    TIE,
    FloatArray,
    Statistic,
    Units,
    apply_statistic,
    bootstrap_values,
    differing,
    runs_of,
    swapped_sums,
)

Alternative = Literal["two-sided", "greater", "less"]


class PairedOutcome(NamedTuple):
    """The difference of two systems and its p-value by metric, NaN where undefined.

    `draws` is the number of permutations or resamples; `exact` says whether these are all possible ones.
    """

    difference: FloatArray
    p_value: FloatArray
    draws: int
    exact: bool = False


def paired_permutation(
    counts_a: npt.ArrayLike,
    counts_b: npt.ArrayLike,
    statistic: Statistic,
    *,
    permutations: int = 10_000,
    alternative: Alternative = "two-sided",
    seed: int = 0,
) -> PairedOutcome:
    r"""Test whether two systems differ, by swapping their results unit by unit.

    If the systems were interchangeable, each unit's two results could be swapped. With
    :math:`\delta = \theta(A) - \theta(B)` and :math:`\delta^*_b` the difference after random swaps,
    :math:`p = (1 + \#\{|\delta^*_b| \ge |\delta|\}) / (1 + N)` (two-sided), or with
    :math:`\delta^*_b \ge \delta` (``"greater"``) or :math:`\le` (``"less"``). If there are at most
    `permutations` possible swaps, because the systems differ in few units, all are tried and p is
    exact. Ties count as extreme.

    Parameters
    ----------
    counts_a, counts_b
        Additive statistics, (n_units, n_columns), on the same units; or (n_runs, n_units,
        n_columns) for several runs of the system, which are averaged unit by unit. Runs count as
        fixed: the test generalises to other units, not to other training seeds.
    statistic
        Maps column sums (..., n_columns) to values (..., n_metrics).
    permutations, alternative, seed
        Number of random swaps, direction tested (``"greater"``: A above B), seed.

    Notes
    -----
    Yeh (2000), COLING; Phipson and Smyth (2010) on the added ones. Agrees with
    ``scipy.stats.permutation_test(permutation_type="samples")``.

    Examples
    --------
    >>> import numpy as np
    >>> words = np.array([10, 5, 12, 9, 7, 14])
    >>> a = np.column_stack([[8, 5, 9, 7, 7, 11], words])
    >>> b = np.column_stack([[7, 5, 8, 3, 6, 10], words])
    >>> las = paired_permutation(a, b, lambda sums: sums[..., [0]] / sums[..., [1]])
    >>> float(las.p_value[0]), las.exact, las.draws  # all 5 differing units favour A: 2 / 2**5
    (0.0625, True, 32)
    """
    check_options(seed, permutations, "permutations")
    units = Units([_average_runs(counts_a), _average_runs(counts_b)])
    a, b = apply_statistic(statistic, units.total())
    rows = differing(units)
    exact = len(rows) < 60 and 2 ** len(rows) <= permutations
    draws = 2 ** len(rows) if exact else permutations
    extreme = np.zeros(len(a), dtype=np.int64)
    for sums in swapped_sums(units, rows, draws, seed=None if exact else seed):
        values = apply_statistic(statistic, sums)
        extreme += _as_extreme(values[:, 0] - values[:, 1], a, b, alternative).sum(axis=0)
    p_value = extreme / draws if exact else (1 + extreme) / (1 + draws)
    return PairedOutcome(a - b, np.where(np.isnan(a - b), np.nan, p_value), draws, exact)


def paired_bootstrap(
    counts_a: npt.ArrayLike,
    counts_b: npt.ArrayLike,
    statistic: Statistic,
    *,
    resamples: int = 10_000,
    alternative: Alternative = "two-sided",
    seed: int = 0,
) -> PairedOutcome:
    r"""Test whether two systems differ, by drawing units with replacement.

    Each resample draws units once, for both systems. The p-value centres the resampled
    differences :math:`\delta^*_b` on zero, as if the null hypothesis held:
    :math:`p = (1 + \#\{|\delta^*_b - \delta| \ge |\delta|\}) / (1 + N)`, one-sided
    :math:`\delta^*_b - \delta \ge \delta` (``"greater"``) or :math:`\le` (``"less"``). The parameters
    are those of :func:`paired_permutation`.

    Notes
    -----
    Efron and Tibshirani (1993), section 16.4, centres the resamples; Berg-Kirkpatrick, Burkett
    and Klein (2012), EMNLP, use the one-sided form for NLP systems.

    Examples
    --------
    >>> import numpy as np
    >>> words = np.array([10, 5, 12, 9, 7, 14])
    >>> a = np.column_stack([[8, 5, 9, 7, 7, 11], words])
    >>> b = np.column_stack([[7, 5, 8, 3, 6, 10], words])
    >>> las = paired_bootstrap(a, b, lambda sums: sums[..., [0]] / sums[..., [1]], seed=1)
    >>> print(f"{las.difference[0]:.3f}", las.p_value[0] < 0.1)
    0.140 True
    """
    check_options(seed, resamples, "resamples")
    units = Units([_average_runs(counts_a), _average_runs(counts_b)])
    a, b = apply_statistic(statistic, units.total())
    values = bootstrap_values(units, statistic, resamples, seed)
    extreme = _as_extreme(values[:, 0] - values[:, 1] - (a - b), a, b, alternative).sum(axis=0)
    return PairedOutcome(a - b, np.where(np.isnan(a - b), np.nan, (1 + extreme) / (1 + resamples)), resamples)


def _as_extreme(null: FloatArray, a: FloatArray, b: FloatArray, alternative: Alternative) -> npt.NDArray[np.bool_]:
    """Return which differences under the null reach the observed one; undefined ones do, too."""
    if alternative not in get_args(Alternative):
        raise ChoiceError("alternative", alternative, get_args(Alternative))
    tie, difference = TIE * np.maximum(np.abs(a), np.abs(b)), a - b
    if alternative == "greater":
        return ~(null < difference - tie)
    if alternative == "less":
        return ~(null > difference + tie)
    return ~(np.abs(null) < np.abs(difference) - tie)


def _average_runs(counts: npt.ArrayLike) -> npt.NDArray[Any]:
    runs = runs_of(counts)
    return runs[0] if len(runs) == 1 else np.mean(runs, axis=0)
