"""Taking the same share out of every stratum, such as the sentences of one length."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.floating] | npt.NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Strata:
    """Units by stratum, and how many of each stratum are to be taken.

    Attributes
    ----------
    units, bounds
        The units, stratum by stratum, and where each stratum begins and ends.
    take
        How many to take of each stratum. Shares of small strata are carried over to the next, so
        that they add up to the share of the whole.
    """

    units: npt.NDArray[np.intp]
    bounds: npt.NDArray[np.int32]
    take: npt.NDArray[np.int64]

    @classmethod
    def of(cls, strata: npt.NDArray[np.integer], share: float) -> "Strata":
        """Sort units by their strata.

        Examples
        --------
        >>> Strata.of(np.array([5, 3, 5, 3, 5, 9]), 0.5).take.tolist()
        [1, 1, 1]
        """
        units = np.argsort(strata, kind="stable")
        sizes = np.unique(strata, return_counts=True)[1]
        bounds = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
        ends = np.rint(np.cumsum(sizes) * share).astype(np.int64)
        return cls(units, bounds, np.diff(ends, prepend=0))

    def top(self, score: Scores) -> Bools:
        """Take from each stratum the units with the highest scores.

        Examples
        --------
        >>> Strata.of(np.array([5, 3, 5, 3]), 0.5).top(np.array([1, 2, 0, 3])).tolist()
        [True, False, False, True]
        """
        place, stratum = self._places()
        return self._chosen(-score, place < self.take[stratum])

    def spread(self, score: Scores) -> Bools:
        """Take from each stratum units evenly along the order of their scores."""
        place, stratum = self._places()
        sizes, take = np.diff(self.bounds)[stratum], self.take[stratum]
        even = (place * take + take // 2) // sizes < ((place + 1) * take + take // 2) // sizes
        return self._chosen(score, even)

    def _places(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        stratum = np.repeat(np.arange(len(self.take)), np.diff(self.bounds))
        return np.arange(len(self.units)) - self.bounds[stratum], stratum

    def _chosen(self, score: Scores, places: Bools) -> Bools:
        """Say which units stand at these places once each stratum is sorted by score."""
        stratum = self._places()[1]
        ranked = self.units[np.lexsort((score[self.units], stratum))]
        chosen = np.zeros(len(self.units), bool)
        chosen[ranked[places]] = True
        return chosen
