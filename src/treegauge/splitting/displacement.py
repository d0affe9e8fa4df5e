"""Easy (low-EDV) and hard (high-EDV) splits."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from treegauge.kernels.splits import TEST, draw, swap
from treegauge.splitting.pool import SentencePool
from treegauge.statistics.probabilities import wasserstein

Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int32]
UnitScores = npt.NDArray[np.floating] | npt.NDArray[np.integer]
_SWAPS = 20  # proposals per sentence; the distance hardly changes after ten
_ROUNDS = 30


@dataclass(frozen=True, eq=False)
class Strata:
    """Units by stratum, such as sentences by length, and the number to take from each.

    Fractions from small strata are carried over to the next, so that the total is correct.
    """

    units: npt.NDArray[np.intp]
    bounds: npt.NDArray[np.int32]
    take: npt.NDArray[np.int64]

    @classmethod
    def of(cls, strata: npt.NDArray[np.integer], share: float) -> "Strata":
        """Return units sorted by stratum."""
        units = np.argsort(strata, kind="stable")
        sizes = np.unique(strata, return_counts=True)[1]
        bounds = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
        ends = np.rint(np.cumsum(sizes) * share).astype(np.int64)
        return cls(units, bounds, np.diff(ends, prepend=0))

    def top(self, score: UnitScores) -> Bools:
        """Take from each stratum the units with the highest scores."""
        place, stratum = self._places()
        return self._chosen(-score, place < self.take[stratum])

    def spread(self, score: UnitScores) -> Bools:
        """Take from each stratum units evenly along the order of their scores."""
        place, stratum = self._places()
        sizes, take = np.diff(self.bounds)[stratum], self.take[stratum]
        even = (place * take + take // 2) // sizes < ((place + 1) * take + take // 2) // sizes
        return self._chosen(score, even)

    def _places(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        stratum = np.repeat(np.arange(len(self.take)), np.diff(self.bounds))
        return np.arange(len(self.units)) - self.bounds[stratum], stratum

    def _chosen(self, score: UnitScores, places: Bools) -> Bools:
        """Return the units at these ranks after sorting each stratum by score."""
        stratum = self._places()[1]
        ranked = self.units[np.lexsort((score[self.units], stratum))]
        chosen = np.zeros(len(self.units), bool)
        chosen[ranked[places]] = True
        return chosen


def sampled_test(pool: SentencePool, sentences: npt.NDArray[np.intp], *, adversarial: bool, seed: int) -> Bools:
    """Return a mask of the test sentences (one in five), chosen by the published sampler.

    Sentences are binned by length and sorted by mean edge displacement (MED). Each round draws a
    length at random among those with sentences left, and sets a target MED: in the first round that
    of a random sentence of this length, later that of the training data so far. The four sentences
    nearest to the target go into the training set; the next nearest (complementary) or the furthest
    of that length (adversarial) goes into the test set. If a length has no sentences left, the
    nearest length is used. The lengths drawn do not depend on the objective: with the same seed,
    the test sentences of both have the same lengths.

    Notes
    -----
    Anderson and Gómez-Rodríguez (2022), section 6.1, which leaves open whether the other sentences
    of a round follow its MED, as here, or that of the first one taken. With the latter, low-EDV
    splits have a larger EDV than random splits, on average over ten treebanks.
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
    histograms: Counts, strata: npt.NDArray[np.int32], share: float, *, adversarial: bool, seed: int
) -> Bools:
    r"""Choose test units that maximise or minimise EDV itself.

    Each unit has a histogram of displacements. The number of test units is fixed in every stratum
    (sentence length), so sizes and lengths are the same for both objectives.

    *Largest.* By duality :math:`W_1 = \max_f E_{test} f - E_{train} f` over functions of slope at
    most one. For the optimal :math:`f` of the current split, every unit has a score :math:`\sum_w
    (f(d_w) - \bar f)`; the best of each stratum become test units. This is repeated until nothing
    changes, and started from both ends of the order by mean displacement.

    *Smallest.* The start is every k-th unit in the order of mean displacement.

    In both cases, random pairs within a stratum are then swapped if that improves EDV.
    """
    random = np.random.default_rng(seed)
    groups = Strata.of(strata, share)
    places = np.arange(histograms.shape[1]) - histograms.shape[1] // 2
    mean = np.asarray(histograms @ places / np.maximum(histograms.sum(axis=1), 1))
    if adversarial:
        ends = [_ascend(histograms, groups, groups.top(sign * mean)) for sign in (1, -1)]
        test = max(ends, key=lambda candidate: _distance(histograms, candidate))
    else:
        test = groups.spread(mean)
    proposals = random.integers(0, 2**62, size=(max(_SWAPS * len(strata), 2000), 2))
    proposals[:, 0] %= max(len(strata), 1)
    goal = 1.0 if adversarial else -1.0
    swap(histograms, groups.units.astype(np.int32), groups.bounds, test, proposals, goal)
    return test


def _distance(histograms: Counts, test: Bools) -> float:
    return float(wasserstein(histograms[test].sum(axis=0), histograms[~test].sum(axis=0)))


def _ascend(histograms: Counts, groups: Strata, test: Bools) -> Bools:
    """Take the units with the best scores under the optimal function until nothing changes."""
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
