"""Hierarchical means over treebanks in families: for these, for others, for a new one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treegauge.statistics.draws import FloatArray
from treegauge.statistics.student_intervals import StudentEstimate, heavy_tailed_df, jackknife
from treegauge.statistics.units import LEAST_GROUPS, LEAST_TREEBANKS, unit_codes


@dataclass(frozen=True)
class Hierarchy:
    """A mean over treebanks, with intervals for other data.

    Attributes
    ----------
    here
        The mean on these treebanks, with random sentences and seeds; None if the variance within
        treebanks is unknown.
    alike
        The mean over the population from which these treebanks are a sample.
    new
        The value on one new treebank of a new family: its ``interval`` is a prediction interval.
    between_groups, between_treebanks, within
        Variance components: of families, of treebanks of one family, and of sentences and seeds of
        one treebank (None where unknown).
    """

    here: StudentEstimate | None
    alike: StudentEstimate
    new: StudentEstimate
    between_groups: FloatArray
    between_treebanks: FloatArray
    within: FloatArray | None


def hierarchy(
    values: npt.ArrayLike, groups: Sequence[object] | None = None, within: StudentEstimate | None = None
) -> Hierarchy:
    r"""Return the mean over treebanks, with intervals for these, for others, and for a new one.

    The value of treebank t in group g is :math:`\mu + f_g + u_t + e_t`: the family's, the
    treebank's own, and the error of its test set and seeds. The estimate is the plain mean (macro
    average). Its standard error for other treebanks is the jackknife over groups, with the degrees
    of freedom of :func:`~treegauge.statistics.student_intervals.effective_df` or, if fewer, of
    :func:`~treegauge.statistics.student_intervals.heavy_tailed_df`, and NaN below 25 treebanks or ten
    groups; that for these treebanks is :math:`\sqrt{\sum_t se_t^2} / T`. A new treebank has the
    variance :math:`(1 - \frac{1}{G^2}) \frac1G \sum_g \frac{1}{n_g} \sum_{t \in g} (d_t - \bar d_{-g})^2`: the squared
    errors of predicting each group from the others, so that no group counts for more than one.

    Parameters
    ----------
    values
        (..., n_treebanks), such as A - B on each treebank, for many pairs at once.
    groups
        The family of each treebank; each None is a separate family.
    within
        Standard error and degrees of freedom of each value, (..., n_treebanks), over sentences
        (or documents) and seeds: see :func:`~treegauge.statistics.student_intervals.jackknife`.

    Notes
    -----
    Treebanks of one family resemble each other, also in the difference between two systems; an
    interval that treats them as independent is too narrow.

    Examples
    --------
    >>> differences = np.random.default_rng(0).normal(0.5, 1, 60)
    >>> low, high = hierarchy(differences, [f"family {t // 2}" for t in range(60)]).alike.interval()
    >>> bool(low < 0.5 < high)
    True
    """
    table = np.asarray(values, np.float64)
    shape, treebanks = table.shape[:-1], table.shape[-1]
    rows = table.reshape(-1, treebanks)
    codes = unit_codes(groups, treebanks)
    sizes = np.bincount(codes).astype(np.float64)
    number = len(sizes)
    sums = np.zeros((number, len(rows)))
    np.add.at(sums, codes, rows.T)
    least = 2 if treebanks >= LEAST_TREEBANKS and number >= LEAST_GROUPS else number + 1
    alike = jackknife(np.column_stack([sums, sizes]), lambda s: s[..., :-1] / s[..., -1:], sizes, least=least)
    mean, means = alike.value, sums / sizes[:, None]
    df = np.minimum(alike.df, heavy_tailed_df((means - mean) * np.sqrt(sizes)[:, None]))
    alike = StudentEstimate(mean, alike.standard_error, df)

    # Analysis of variance: mean squares between and within groups.
    free_outer, free_inner = max(number - 1, 1), max(treebanks - number, 1)
    outer = (sizes[:, None] * (means - mean) ** 2).sum(axis=0) / free_outer
    inner = ((rows.T - means[codes]) ** 2).sum(axis=0) / free_inner
    balance = (treebanks - (sizes**2).sum() / treebanks) / free_outer
    if number == treebanks:
        inner = outer
    family = np.maximum(outer - inner, 0.0) / max(balance, 1.0)

    # Each group is predicted from the others.
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = (sums.sum(axis=0) - sums) / (treebanks - sizes)[:, None]
    squares = np.zeros_like(sums)
    np.add.at(squares, codes, (rows.T - rest[codes]) ** 2)
    squares /= sizes[:, None]
    spread = np.sqrt(squares.mean(axis=0) * (1 - 1 / number**2))  # Student's, if groups are single treebanks
    spread[np.isnan(alike.standard_error)] = np.nan
    new = StudentEstimate(mean, spread, heavy_tailed_df(np.sign(means - mean) * np.sqrt(squares)))

    here = error = None
    if within is not None:
        errors, freedom = (
            np.asarray(part, np.float64).reshape(-1, treebanks) for part in (within.standard_error, within.df)
        )
        total = (errors**2).sum(axis=-1)
        curvature = (errors**4 / freedom).sum(axis=-1)
        df = np.divide(total**2, curvature, out=np.ones_like(mean), where=curvature > 0)
        here = StudentEstimate(mean, np.sqrt(total) / treebanks, df).reshape(shape)
        error = total / treebanks
        inner = np.maximum(inner - error, 0.0)
        error = error.reshape(shape)
    return Hierarchy(
        here=here, alike=alike.reshape(shape), new=new.reshape(shape),
        between_groups=family.reshape(shape), between_treebanks=inner.reshape(shape), within=error,
    )  # fmt: skip
