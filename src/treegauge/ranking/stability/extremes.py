r"""Search for subsets of treebanks that give a system its best or worst rank.

Sampling finds extreme ranks only by luck, so they are searched for, too. A rival can be ahead of a
system on some subset of :math:`k` treebanks if and only if its :math:`k` largest leads :math:`d_t`
add up to more than 0. So the worst rank over *all* subsets is at most 1 + the number of rivals that
can be ahead, and the best at least 1 + the number of those that cannot be overtaken. The true
extreme lies between the rank that the search finds and this limit. If there are few subsets, all
are tried, and the answer is exact.
"""

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treegauge.core.errors import ChoiceError
from treegauge.ranking.leaderboard import TIE, Leaderboard
from treegauge.ranking.stability.sampler import sizes_of

Which = Literal["best", "worst"]
_ALL = 50_000
_STARTS = 30


@dataclass(frozen=True)
class Extreme:
    """The best or worst rank that a search found, and a subset that gives it.

    No subset of this size gives a more extreme rank than `limit`; `exact` says whether `rank` is
    the extreme over all subsets: all were tried, or it equals the limit.
    """

    which: Which
    rank: float
    subset: tuple[str, ...]
    limit: float
    exact: bool

    def __str__(self) -> str:
        bound = f"no subset can be {'better' if self.which == 'best' else 'worse'} than"
        sure = "proved extreme" if self.exact else f"{bound} {self.limit:g}"
        return f"searched: rank {self.rank:g} on {' '.join(self.subset)} ({sure})"


def extreme(
    board: Leaderboard,
    system: str,
    which: Which,
    *,
    size: int = 10,
    start: tuple[str, ...] | None = None,
    seed: int = 0,
) -> Extreme:
    """Search for a subset that gives a system its best or worst rank.

    `start` is a subset known to be good, such as the best of a sample, which the result is never
    worse than; `seed` is that of the other starts.
    """
    from treegauge.kernels.rank_swaps import climb

    if which not in {"best", "worst"}:
        raise ChoiceError("extreme", which, ["best", "worst"])
    treebanks = len(board.treebanks)
    sizes_of(size, treebanks)
    numbers, scale = board.fixed_point()
    row = board.system(system)
    # For the best rank the roles are exchanged: as many rivals as possible behind.
    sign = 1 if which == "worst" else -1
    leads = sign * (np.delete(numbers, row, axis=0) - numbers[row])
    if exact := comb(treebanks, size) <= _ALL:
        subsets = np.array([*combinations(range(treebanks), size)], dtype=np.int64)
        ahead = _ahead(leads[:, subsets].sum(axis=2))
        most, columns = int(ahead.max()), subsets[ahead.argmax()]
    else:
        rng = np.random.default_rng(seed)
        orders = [rng.permutation(treebanks) for _ in range(_STARTS)]
        orders += [np.argsort(-lead, kind="stable") for lead in leads]
        if start is not None:
            chosen = [board.treebank(code) for code in start]
            orders.append(np.concatenate([chosen, np.setdiff1d(np.arange(treebanks), chosen)]))
        widths = scale * size * np.array([3.0, 1.0, 0.3, 0.05])
        most, columns = climb(leads, size, np.array(orders, dtype=np.int64), TIE, widths)
        if start is not None and most < (known := _ahead(leads[:, chosen].sum(axis=1))):
            most, columns = known, np.array(chosen)
    limit = int(_ahead(np.sort(leads, axis=1)[:, treebanks - size :].sum(axis=1)))
    places = [1 + count / 2 for count in (int(most), limit)]
    if which == "best":
        places = [len(board.systems) + 1 - place for place in places]
    subset = tuple(board.treebanks[i] for i in np.sort(columns))
    proved = exact or int(most) == limit
    return Extreme(which, places[0], subset, places[0] if exact else places[1], proved)


def _ahead(sums: NDArray[np.int64]) -> Any:
    """Return twice the number of rivals ahead; a tie counts half."""
    return 2 * (sums > 0).sum(axis=0) + TIE * (sums == 0).sum(axis=0)
