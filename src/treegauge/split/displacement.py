"""Splits that make train and test alike or unlike in how far and which way their edges reach."""

import numpy as np
import numpy.typing as npt

from treegauge.split._optimise import swap
from treegauge.split._sampler import TEST, draw
from treegauge.split.pool import Pool

Bools = npt.NDArray[np.bool_]
_SWAPS = 20  # proposals per sentence; the distance hardly moves after ten
_ROUNDS = 30


def sampled_test(
    pool: Pool, sentences: npt.NDArray[np.intp], *, adversarial: bool, seed: int
) -> Bools:
    """Choose the test fifth by the published sampler.

    Sentences are binned by length and sorted by mean edge displacement (MED). Each round takes a
    length at random (that of a random sentence still free), the sentence of that length whose MED
    is nearest to the MED of the train data so far (in the first round a random one), and the three
    nearest to it into train, then into test the nearest again (complementary) or the furthest of
    that length (adversarial). Where a length has run out, the nearest length serves.

    Parameters
    ----------
    pool, sentences
        The pool and the numbers of the sentences to deal.
    adversarial
        Whether displacements shall differ as much as they can, or as little.
    seed
        Same seed, same split.

    Returns
    -------
    numpy.ndarray
        For each of `sentences` whether it is a test sentence.
    """
    lengths, med = pool.lengths[sentences], pool.med[sentences]
    sorting = np.lexsort((med, lengths))
    sizes, starts = np.unique(lengths[sorting], return_index=True)
    order = np.random.default_rng(seed).permutation(len(sentences)).astype(np.int32)
    bounds = np.append(starts, len(sentences)).astype(np.int32)
    part = draw(med[sorting], bounds, sizes.astype(np.int32), order, adversarial)
    test = np.empty(len(sentences), bool)
    test[sorting] = part == TEST
    return test


def optimised_test(
    histograms: npt.NDArray[np.int32],
    strata: npt.NDArray[np.int32],
    share: float,
    *,
    adversarial: bool,
    seed: int,
) -> Bools:
    r"""Choose test units so that the displacement distance itself is largest or smallest.

    The number of test units is fixed in every stratum (sentence length), so that sizes and lengths
    agree whatever the objective.

    *Largest.* By duality :math:`W_1 = \max_f E_{test} f - E_{train} f` over functions of slope at
    most one. For the :math:`f` that attains it on the present split, every unit has a score
    :math:`\sum_w (f(d_w) - \bar f)`; the best of each stratum become test units, and so on until
    nothing changes. This is done from both ends of the order by mean displacement.

    *Smallest.* The start is every k-th unit in the order of mean displacement.

    Either way, random pairs of one stratum are then swapped wherever that helps.

    Parameters
    ----------
    histograms
        For each unit the counts of its displacements.
    strata
        For each unit its stratum.
    share
        Share of test units in each stratum.
    adversarial, seed
        As in :func:`sampled_test`.
    """
    random = np.random.default_rng(seed)
    sorting, bounds, take = _quota(strata, share, random)
    if adversarial:
        starts = [_start(histograms, sorting, bounds, take, side) for side in (1, -1)]
        ends = [_ascend(histograms, sorting, bounds, take, test) for test in starts]
        test = max(ends, key=lambda found: _distance(histograms, found))
    else:
        test = _spread(histograms, sorting, bounds, take)
    proposals = random.integers(0, 2**62, size=(max(_SWAPS * len(strata), 2000), 2))
    proposals[:, 0] %= max(len(strata), 1)
    sign = 1.0 if adversarial else -1.0
    swap(histograms, sorting.astype(np.int32), bounds, test, proposals, sign)
    return test


def _quota(
    strata: npt.NDArray[np.int32], share: float, random: np.random.Generator
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Units by stratum, and how many of each go to test: the shares add up to the whole share."""
    sorting = np.argsort(strata, kind="stable")
    sizes = np.unique(strata[sorting], return_counts=True)[1]
    bounds = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    ends = np.rint(np.cumsum(sizes) * share + random.random() * 1e-9).astype(np.int64)
    return sorting, bounds, np.diff(ends, prepend=0)


def _mean(histograms: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    places = np.arange(histograms.shape[1]) - histograms.shape[1] // 2
    return np.asarray(histograms @ places / np.maximum(histograms.sum(axis=1), 1))


def _top(
    score: npt.NDArray[np.float64],
    sorting: npt.NDArray[np.intp],
    bounds: npt.NDArray[np.int32],
    take: npt.NDArray[np.int64],
) -> Bools:
    """Take from each stratum the units with the highest scores."""
    stratum = np.repeat(np.arange(len(take)), np.diff(bounds))
    ranked = sorting[np.lexsort((-score[sorting], stratum))]
    place = np.arange(len(sorting)) - bounds[stratum]
    test = np.zeros(len(sorting), bool)
    test[ranked[place < take[stratum]]] = True
    return test


def _start(
    histograms: npt.NDArray[np.int32],
    sorting: npt.NDArray[np.intp],
    bounds: npt.NDArray[np.int32],
    take: npt.NDArray[np.int64],
    side: int,
) -> Bools:
    return _top(side * _mean(histograms), sorting, bounds, take)


def _spread(
    histograms: npt.NDArray[np.int32],
    sorting: npt.NDArray[np.intp],
    bounds: npt.NDArray[np.int32],
    take: npt.NDArray[np.int64],
) -> Bools:
    """Take units evenly along each stratum's order of mean displacement."""
    stratum = np.repeat(np.arange(len(take)), np.diff(bounds))
    ranked = sorting[np.lexsort((_mean(histograms)[sorting], stratum))]
    sizes = np.diff(bounds)[stratum]
    place = np.arange(len(sorting)) - bounds[stratum]
    quota = take[stratum]
    chosen = (place * quota + quota // 2) // sizes < ((place + 1) * quota + quota // 2) // sizes
    test = np.zeros(len(sorting), bool)
    test[ranked[chosen]] = True
    return test


def _distance(histograms: npt.NDArray[np.int32], test: Bools) -> float:
    from treegauge.stats.distance import wasserstein

    return float(wasserstein(histograms[test].sum(axis=0), histograms[~test].sum(axis=0)))


def _ascend(
    histograms: npt.NDArray[np.int32],
    sorting: npt.NDArray[np.intp],
    bounds: npt.NDArray[np.int32],
    take: npt.NDArray[np.int64],
    test: Bools,
) -> Bools:
    best, reached = test, _distance(histograms, test)
    for _ in range(_ROUNDS):
        inside = histograms[test].sum(axis=0, dtype=np.float64)
        outside = histograms[~test].sum(axis=0, dtype=np.float64)
        if inside.sum() == 0 or outside.sum() == 0:
            return best
        gap = np.cumsum(outside / outside.sum() - inside / inside.sum())
        potential = np.concatenate(([0.0], np.cumsum(np.where(gap[:-1] >= 0, 1.0, -1.0))))
        middle = (potential @ inside) / inside.sum()
        test = _top(histograms @ (potential - middle), sorting, bounds, take)
        now = _distance(histograms, test)
        if now <= reached:
            return best
        best, reached = test, now
    return best
