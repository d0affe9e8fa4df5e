"""Paired tests of two systems: permutation and bootstrap."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, check_options
from treegauge.core.result import Result, sign
from treegauge.statistics.bootstrap import Interval, Method, check_interval_options, make_interval
from treegauge.statistics.draws import (
    TIE,
    FloatArray,
    Statistic,
    Units,
    apply_statistic,
    bootstrap_values,
    differing,
    jackknife_values,
    name_metrics,
    runs_of,
    swapped_sums,
)

if TYPE_CHECKING:
    import polars as pl

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True, eq=False)
class PairedComparison(Result):
    """Two systems on the same units, one entry per metric; NaN where it is undefined.

    Attributes
    ----------
    alternative
        The direction tested (``"greater"``: A above B).
    draws, exact
        Number of permutations or resamples, and whether these are all possible ones.
    interval, share_better
        Interval of the difference, and share of resamples with A above B (bootstrap only).
    """

    names: tuple[str, ...]
    a: FloatArray
    b: FloatArray
    difference: FloatArray
    p_value: FloatArray
    test: Literal["permutation", "bootstrap"]
    alternative: Alternative
    draws: int
    exact: bool
    digits: ClassVar[int] = 4
    signature: str
    interval: Interval | None = None
    share_better: FloatArray | None = None

    @property
    def table(self) -> "pl.DataFrame":
        """One row per metric."""
        import polars as pl

        columns: dict[str, Any] = {"metric": self.names, "a": self.a, "b": self.b, "difference": self.difference}
        if self.interval is not None:
            columns |= {"low": self.interval.low, "high": self.interval.high}
        if self.share_better is not None:
            columns["share_better"] = self.share_better
        return pl.DataFrame(columns | {"p_value": self.p_value}, nan_to_null=True)


def paired_permutation(
    counts_a: npt.ArrayLike,
    counts_b: npt.ArrayLike,
    statistic: Statistic,
    *,
    permutations: int = 10_000,
    alternative: Alternative = "two-sided",
    seed: int = 0,
    names: Sequence[str] | None = None,
) -> PairedComparison:
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
    permutations, alternative, seed, names
        Number of random swaps, direction, seed, metric names for the table.

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
    return PairedComparison(
        names=name_metrics(names, len(a)), a=a, b=b, difference=a - b,
        p_value=np.where(np.isnan(a - b), np.nan, p_value), test="permutation",
        alternative=alternative, draws=draws, exact=exact,
        signature=sign(
            test="permutation", alternative=alternative, permutations="all" if exact else draws,
            units=units.n_units, seed=None if exact else seed,
        ),
    )  # fmt: skip


def paired_bootstrap(
    counts_a: npt.ArrayLike,
    counts_b: npt.ArrayLike,
    statistic: Statistic,
    *,
    resamples: int = 10_000,
    level: float = 0.95,
    method: Method = "percentile",
    alternative: Alternative = "two-sided",
    seed: int = 0,
    names: Sequence[str] | None = None,
    keep: bool = False,
) -> PairedComparison:
    r"""Return the difference of two systems with its bootstrap interval and p-value.

    Each resample draws units once, for both systems. The p-value centres the resampled
    differences :math:`\delta^*_b` on zero, as if the null hypothesis held:
    :math:`p = (1 + \#\{|\delta^*_b - \delta| \ge |\delta|\}) / (1 + N)`, one-sided
    :math:`\delta^*_b - \delta \ge \delta` (``"greater"``) or :math:`\le` (``"less"``).

    Parameters
    ----------
    counts_a, counts_b, statistic, alternative, seed, names
        As for :func:`paired_permutation`.
    resamples, level, method, keep
        As for :func:`treegauge.statistics.bootstrap.bootstrap`, for the interval of the difference.

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
    >>> print(f"{las.difference[0]:.3f}", las.share_better[0] > 0.99)
    0.140 True
    """
    check_interval_options(method, seed, resamples, level)
    units = Units([_average_runs(counts_a), _average_runs(counts_b)])
    a, b = apply_statistic(statistic, units.total())
    values = bootstrap_values(units, statistic, resamples, seed)
    differences = values[:, 0] - values[:, 1]
    difference = a - b

    def leave_one_out() -> Iterator[FloatArray]:
        return (values[:, 0] - values[:, 1] for values in jackknife_values(units, statistic))

    extreme = _as_extreme(differences - difference, a, b, alternative).sum(axis=0)
    signature = sign(
        test="bootstrap", alternative=alternative, interval=method, level=level,
        resamples=resamples, units=units.n_units, seed=seed,
    )  # fmt: skip
    better = (differences > TIE * _size(a, b)).sum(axis=0)
    share = better / np.maximum(np.isfinite(differences).sum(axis=0), 1)
    return PairedComparison(
        names=name_metrics(names, len(a)), a=a, b=b, difference=difference,
        p_value=np.where(np.isnan(difference), np.nan, (1 + extreme) / (1 + resamples)),
        test="bootstrap", alternative=alternative, draws=resamples, exact=False,
        signature=signature,
        interval=make_interval(
            difference, differences, level=level, method=method,
            factors=[leave_one_out] if units.n_units > 1 else [], names=names, keep=keep,
            signature=signature, size=_size(a, b),
        ),
        share_better=np.where(np.isnan(difference), np.nan, share),
    )  # fmt: skip


def _as_extreme(null: FloatArray, a: FloatArray, b: FloatArray, alternative: Alternative) -> npt.NDArray[np.bool_]:
    """Return which differences under the null reach the observed one; undefined ones do, too."""
    if alternative not in get_args(Alternative):
        raise ChoiceError("alternative", alternative, get_args(Alternative))
    tie, difference = TIE * _size(a, b), a - b
    if alternative == "greater":
        return ~(null < difference - tie)
    if alternative == "less":
        return ~(null > difference + tie)
    return ~(np.abs(null) < np.abs(difference) - tie)


def _size(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.maximum(np.abs(a), np.abs(b))


def _average_runs(counts: npt.ArrayLike) -> npt.NDArray[Any]:
    runs = runs_of(counts)
    return runs[0] if len(runs) == 1 else np.mean(runs, axis=0)
