"""Splits that make train and test alike or unlike in how far and which way their edges reach."""

import numpy as np
import numpy.typing as npt

from treegauge.kernels.splits import TEST, draw, swap
from treegauge.splitting.pool import Pool
from treegauge.splitting.strata import Bools, Strata
from treegauge.statistics.distance import wasserstein

Counts = npt.NDArray[np.int32]
_SWAPS = 20  # proposals per sentence; the distance hardly moves after ten
_ROUNDS = 30


def sampled_test(
    pool: Pool, sentences: npt.NDArray[np.intp], *, adversarial: bool, seed: int
) -> Bools:
    """Choose the test fifth by the published sampler.

    Sentences are binned by length and sorted by mean edge displacement (MED). Each round takes a
    length at random among those that have sentences left, and an MED: in the first round that of a
    random sentence of this length, later the MED of the train data so far. The four sentences
    nearest to it go into train, then into test the nearest again (complementary) or the furthest
    of that length (adversarial). Where a length has run out, the nearest length serves.

    The lengths drawn do not depend on the objective: with one seed, the test sentences of both have
    the same lengths.

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

    Notes
    -----
    Anderson and Gómez-Rodríguez (2022), section 6.1, which leaves open whether the other sentences
    of a round follow its MED, as here, or that of the first one taken. With the latter, low splits
    are further apart than random ones, on average over ten treebanks.
    """
    lengths, med = pool.lengths[sentences], pool.med[sentences]
    sorting = np.lexsort((med, lengths))
    sizes, starts = np.unique(lengths[sorting], return_index=True)
    luck = np.random.default_rng(seed).random(len(sentences) // 5 + 2)
    bounds = np.append(starts, len(sentences)).astype(np.int32)
    part = draw(med[sorting], bounds, sizes.astype(np.int32), luck, adversarial)
    test = np.empty(len(sentences), bool)
    test[sorting] = part == TEST
    return test


def optimised_test(
    histograms: Counts,
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
    groups = Strata.of(strata, share)
    mean = _mean(histograms)
    if adversarial:
        ends = [_ascend(histograms, groups, groups.top(side * mean)) for side in (1, -1)]
        test = max(ends, key=lambda found: _distance(histograms, found))
    else:
        test = groups.spread(mean)
    proposals = random.integers(0, 2**62, size=(max(_SWAPS * len(strata), 2000), 2))
    proposals[:, 0] %= max(len(strata), 1)
    sign = 1.0 if adversarial else -1.0
    swap(histograms, groups.units.astype(np.int32), groups.bounds, test, proposals, sign)
    return test


def _mean(histograms: Counts) -> npt.NDArray[np.float64]:
    places = np.arange(histograms.shape[1]) - histograms.shape[1] // 2
    return np.asarray(histograms @ places / np.maximum(histograms.sum(axis=1), 1))


def _distance(histograms: Counts, test: Bools) -> float:
    return float(wasserstein(histograms[test].sum(axis=0), histograms[~test].sum(axis=0)))


def _ascend(histograms: Counts, groups: Strata, test: Bools) -> Bools:
    """Take the units with the best scores under the best function, until nothing changes."""
    best, reached = test, _distance(histograms, test)
    for _ in range(_ROUNDS):
        inside = histograms[test].sum(axis=0, dtype=np.float64)
        outside = histograms[~test].sum(axis=0, dtype=np.float64)
        if inside.sum() == 0 or outside.sum() == 0:
            return best
        gap = np.cumsum(outside / outside.sum() - inside / inside.sum())
        potential = np.concatenate(([0.0], np.cumsum(np.where(gap[:-1] >= 0, 1.0, -1.0))))
        middle = (potential @ inside) / inside.sum()
        test = groups.top(histograms @ (potential - middle))
        now = _distance(histograms, test)
        if now <= reached:
            return best
        best, reached = test, now
    return best
