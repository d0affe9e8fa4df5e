r"""Kemeny's ranking: the order of systems that contradicts the treebanks least.

Every treebank votes on every pair of systems. Of all orders, Kemeny's has the fewest votes against
it: with :math:`v_{ab}` treebanks on which a scores higher than b (ties half), it minimises

.. math:: \sum_{a \text{ before } b} v_{ba}

(Kemeny 1959, Daedalus 88; Young 1988: the order of greatest likelihood if every vote is correct
with the same probability). Votes that any order must lose are left aside: placing a before b costs
the margin by which b beats a, or nothing.

The search is exact. It builds orders from the front and keeps, for every set of systems that can be
in front, the cheapest order of it (Held and Karp 1962, J. SIAM 10). A set is dropped if its
cost plus the least cost of the others exceeds that of a known order: systems that beat each other
in a circle cost at least the smallest margin of the circle. A system that loses to none of those
left comes next, without alternatives.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
EXACT = 26
"""The largest number of systems for which the order is always optimal."""
MOST = 200_000
"""The largest number of sets of one size to keep; beyond it, integer programming is used."""
BITS = 62
"""The largest number of systems in a set that is stored as the bits of an integer."""


class KemenyOrder(NamedTuple):
    """An order of systems, best first; its votes against, and the fewest that are possible.

    The order is proved to be optimal if the two are equal.
    """

    order: Ints
    cost: float
    bound: float

    @property
    def exact(self) -> bool:
        """Whether the order is proved to be optimal."""
        return self.cost <= self.bound


def kemeny(votes: NDArray[np.float64], order: Ints | None = None) -> KemenyOrder:
    """Return Kemeny's order of systems, by votes [row above column].

    Parameters
    ----------
    votes
        Treebanks on which the row scores higher than the column; halves for ties.
    order
        The order to start from, which decides between equally good orders; by default that of the
        table.

    Examples
    --------
    >>> votes = np.array([[0, 2, 1], [1, 0, 2], [2, 1, 0]])  # each beats the next, 2 to 1
    >>> found = kemeny(votes)
    >>> found.order.tolist(), found.cost, found.exact
    ([0, 1, 2], 4.0, True)
    """
    doubled = np.rint(2 * votes).astype(np.int64)
    systems = len(doubled)
    first = np.arange(systems) if order is None else np.asarray(order)
    excess = np.maximum(doubled.T - doubled, 0)[np.ix_(first, first)]
    least = int(np.minimum(doubled, doubled.T).sum()) // 2
    places: list[int] = []
    spent = known = 0
    for part in _components(excess):
        inside = excess[np.ix_(part, part)]
        tried = _improved(inside)
        cost, bound = _cost(inside, tried), 0
        if cost:
            better = _search(inside, cost)
            if better is None and len(part) <= EXACT:
                better = _programme(inside)
            if better is None:
                bound = _circles(inside)[1].sum()
            else:
                tried, cost = better, _cost(inside, better)
                bound = cost
        spent, known = spent + cost, known + int(bound)
        places += part[tried].tolist()
    return KemenyOrder(first[places], (least + spent) / 2, (least + known) / 2)


def _cost(excess: Ints, order: Ints) -> int:
    return int(np.triu(excess[np.ix_(order, order)], 1).sum())


def _components(excess: Ints) -> list[Ints]:
    """Return the groups of systems that beat each other in circles, each before those it beats.

    Some best order has the groups in this order: no vote between groups is lost.
    """
    from scipy.sparse.csgraph import connected_components

    number, label = connected_components(excess.T > 0, connection="strong")
    parts = [np.flatnonzero(label == i) for i in range(number)]
    beats = np.zeros((number, number), dtype=bool)
    winners, losers = np.nonzero(excess.T > 0)
    beats[label[winners], label[losers]] = True
    np.fill_diagonal(beats, val=False)
    ordered, left = [], sorted(range(number), key=lambda i: int(parts[i][0]))
    while left:
        following = next(i for i in left if not beats[left, i].any())
        ordered.append(parts[following])
        left.remove(following)
    return ordered


def _improved(excess: Ints) -> Ints:
    """Return an order that no move of one system improves, from that of the losses."""
    order = np.argsort(excess.sum(axis=1) - excess.sum(axis=0), kind="stable")
    gain = True
    while gain:
        gain = False
        for system in order.copy():
            rest = order[order != system]
            # Cost of the system before the first i of the others, all i at once.
            before = excess[system, rest][::-1].cumsum()[::-1]
            after = excess[rest, system].cumsum()
            costs = np.append(before, 0) + np.concatenate([[0], after])
            place = int(np.flatnonzero(order == system)[0])
            best = int(costs.argmin())
            if costs[best] < costs[place]:
                order, gain = np.insert(rest, best, system), True
    return order


def _circles(excess: Ints) -> tuple[Ints, Ints]:
    """Return circles of three, as sets of bits, and the cost that any order must pay for each.

    The margins that a circle uses are taken from the table, so that no margin is used twice.
    """
    left = excess.copy()
    sets, prices = [], []
    systems = len(excess)
    for a, b in zip(*np.nonzero(excess.T), strict=True):  # a beats b
        while left[b, a] > 0:
            through = np.minimum(left[:, b], left[a])  # b beats c, and c beats a
            c = int(through.argmax())
            price = int(min(through[c], left[b, a]))
            if not price:
                break
            left[[b, c, a], [a, b, c]] -= price
            sets.append(1 << int(a) | 1 << int(b) | 1 << c)
            prices.append(price)
    kind = np.int64 if systems <= BITS else object
    return np.array(sets, dtype=kind), np.array(prices, dtype=np.int64)


def _search(excess: Ints, most: int) -> Ints | None:
    """Return the cheapest order; None if too many sets would have to be kept."""
    systems = len(excess)
    if systems > BITS:
        return None
    circles, prices = _circles(excess)
    bits = np.int64(1) << np.arange(systems, dtype=np.int64)
    whole = excess.sum(axis=1)
    sets, costs = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    steps: list[tuple[Ints, Ints]] = []
    for _ in range(systems):
        inside = (sets[:, None] & bits) != 0
        price = whole - inside @ excess.T  # of placing each system next
        open_ = ~inside
        free = open_ & (price == 0)
        forced = free.any(axis=1)
        open_[forced] = False
        open_[forced, free[forced].argmax(axis=1)] = True
        rows, chosen = np.nonzero(open_ & (costs[:, None] + price <= most))
        reached, total = sets[rows] | bits[chosen], costs[rows] + price[rows, chosen]
        cheapest = np.lexsort((total, reached))
        first = cheapest[np.unique(reached[cheapest], return_index=True)[1]]
        needed = _needed(reached[first], circles, prices)
        first = first[total[first] + needed <= most]
        if len(first) > MOST:
            return None
        sets, costs = reached[first], total[first]
        steps.append((rows[first], chosen[first]))
    order, state = [], 0
    for rows, chosen in reversed(steps):
        order.append(int(chosen[state]))
        state = int(rows[state])
    return np.array(order[::-1])


def _needed(sets: Ints, circles: Ints, prices: Ints) -> Ints:
    """Return the least cost of the systems outside of each set."""
    needed = np.zeros(len(sets), dtype=np.int64)
    for circle, price in zip(circles.tolist(), prices.tolist(), strict=True):
        needed += price * ((sets & circle) == 0)
    return needed


def _programme(excess: Ints) -> Ints:
    """Return the cheapest order by integer programming (HiGHS).

    One variable per pair, 1 if the first is before the second; no three may be in a circle.
    """
    from itertools import combinations

    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    systems = len(excess)
    pairs = {pair: i for i, pair in enumerate(combinations(range(systems), 2))}
    rows, columns, signs = [], [], []
    triples = list(combinations(range(systems), 3))
    for row, (a, b, c) in enumerate(triples):
        rows += [row] * 3
        columns += [pairs[a, b], pairs[b, c], pairs[a, c]]
        signs += [1, 1, -1]
    table = coo_array((signs, (rows, columns)), shape=(len(triples), len(pairs))).tocsr()
    costs = np.array([excess[a, b] - excess[b, a] for a, b in pairs], dtype=float)
    solved = milp(
        costs, integrality=np.ones(len(pairs)), bounds=Bounds(0, 1),
        constraints=LinearConstraint(table, 0, 1), options={"mip_rel_gap": 0},
    )  # fmt: skip
    before = np.zeros((systems, systems))
    for (a, b), i in pairs.items():
        before[a, b], before[b, a] = solved.x[i], 1 - solved.x[i]
    return np.argsort(-before.sum(axis=1), kind="stable")
