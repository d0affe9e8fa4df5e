r"""Subsets that sampling would hardly find: a system's best or worst rank by searching for it.

For a system and a size :math:`k`, a rival can be ahead on some subset if and only if its :math:`k`
largest leads :math:`d_t` add up to more than 0. So the worst rank over *all* subsets is at most 1 +
the number of rivals that can be ahead, and the best at least 1 + the number of those that cannot be
overtaken. Between what the search finds and this limit lies the true extreme; where all subsets can
be tried, they are, and the answer is exact.
"""

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treegauge.ranking._tally import TIE
from treegauge.ranking.ranks import Ties, rank
from treegauge.ranking.scores import Scores
from treegauge.ranking.subsets import sizes_of
from treegauge.results.errors import ChoiceError

_ALL = 50_000
_STARTS = 30


@dataclass(frozen=True)
class Extreme:
    """The best or worst rank that a search found.

    Attributes
    ----------
    which
        ``best`` or ``worst``.
    rank
        The most extreme rank found.
    subset
        A subset that gives it.
    limit
        No subset of this size gives a more extreme rank than this.
    exact
        Whether `rank` is the extreme over all subsets: all were tried, or it equals the limit.
    """

    which: Literal["best", "worst"]
    rank: float
    subset: tuple[str, ...]
    limit: float
    exact: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {**self.__dict__, "subset": list(self.subset)}

    def __str__(self) -> str:
        bound = f"no subset can be {'better' if self.which == 'best' else 'worse'} than"
        sure = "proved extreme" if self.exact else f"{bound} {self.limit:g}"
        return f"searched: rank {self.rank:g} on {' '.join(self.subset)} ({sure})"


def extreme(
    scores: Scores,
    system: str,
    which: Literal["best", "worst"],
    *,
    size: int = 10,
    ties: Ties = "average",
    start: tuple[str, ...] | None = None,
    seed: int = 0,
) -> Extreme:
    """Search for a subset that gives a system its best or worst rank.

    Parameters
    ----------
    scores, system
        The table and a system in it.
    which
        ``best`` or ``worst``.
    size
        Treebanks per subset.
    ties
        What equal systems get.
    start
        A subset known to be good, such as the best of a sample; the result is never worse.
    seed
        Seed of the other starts.

    Examples
    --------
    >>> from treegauge.ranking.scores import read_scores
    >>> found = extreme(read_scores("conll18"), "HIT-SCIR", "worst", size=10)
    >>> found.rank >= 6 and found.limit >= found.rank
    True
    """
    from treegauge.kernels.rank_swaps import climb

    if which not in {"best", "worst"}:
        raise ChoiceError("extreme", which, ["best", "worst"])
    rank(np.zeros(1), ties)
    held = len(scores.treebanks)
    sizes_of(size, held)
    numbers, scale = scores.fixed_point()
    row = scores.system(system)
    # For the best rank the parts are exchanged: as many rivals as possible behind.
    sign = 1 if which == "worst" else -1
    leads = sign * (np.delete(numbers, row, axis=0) - numbers[row])
    tie = TIE[ties] if which == "worst" else 2 - TIE[ties]
    if comb(held, size) <= _ALL:
        most, columns = _every(leads, size, tie)
        exact = True
    else:
        rng = np.random.default_rng(seed)
        orders = [rng.permutation(held) for _ in range(_STARTS)]
        orders += [np.argsort(-lead, kind="stable") for lead in leads]
        if start is not None:
            chosen = [scores.treebank(code) for code in start]
            orders.append(np.concatenate([chosen, np.setdiff1d(np.arange(held), chosen)]))
        widths = scale * size * np.array([3.0, 1.0, 0.3, 0.05])
        most, columns = climb(leads, size, np.array(orders, dtype=np.int64), tie, widths)
        if start is not None:
            most, columns = max(
                (most, columns), (_ahead(leads, chosen, tie), np.array(chosen)), key=lambda x: x[0]
            )
        exact = False
    best = np.sort(leads, axis=1)[:, held - size :].sum(axis=1)
    limit = int(2 * (best > 0).sum() + tie * (best == 0).sum())
    places = [1 + count / 2 for count in (int(most), limit)]
    if which == "best":
        places = [len(scores.systems) + 1 - place for place in places]
    return Extreme(
        which=which,
        rank=places[0],
        subset=tuple(scores.treebanks[i] for i in np.sort(columns)),
        limit=places[0] if exact else places[1],
        exact=exact or int(most) == limit,
    )


def _ahead(leads: NDArray[np.int64], columns: Any, tie: int) -> int:
    sums = leads[:, columns].sum(axis=1)
    return int(2 * (sums > 0).sum() + tie * (sums == 0).sum())


def _every(leads: NDArray[np.int64], size: int, tie: int) -> tuple[int, NDArray[np.int64]]:
    """Try all subsets."""
    subsets = np.array([*combinations(range(leads.shape[1]), size)], dtype=np.int64)
    sums = leads[:, subsets].sum(axis=2)
    ahead = 2 * (sums > 0).sum(axis=0) + tie * (sums == 0).sum(axis=0)
    return int(ahead.max()), subsets[ahead.argmax()]
