"""Letters for systems that a test does not separate: a compact letter display.

Two systems share a letter if and only if they do not differ significantly, whatever the pattern of
significant pairs: "not significantly different" is not transitive, and systems that tie need not
be neighbours in a table. Piepho (2004, Journal of Computational and Graphical Statistics 13) gives
the display, Gramm, Guo, Hüffner, Niedermeier, Piepho and Schmidt (2007, Computational Statistics &
Data Analysis 52) show that it is a cover of the pairs without a difference by cliques.
"""

import numpy as np
import numpy.typing as npt

_LETTERS = 26


def tie_groups(differ: npt.ArrayLike, order: npt.ArrayLike) -> list[tuple[int, ...]]:
    """Return groups of systems: two are in a common group if and only if they do not differ.

    A system that differs from all others is in none. Each group is maximal, and none is
    superfluous. Where ties are runs of neighbours in `order`, the groups are the longest of these
    runs.

    Parameters
    ----------
    differ
        Systems x systems: whether a pair differs significantly.
    order
        The systems as the table is sorted; members and groups have this order.

    Examples
    --------
    >>> tie_groups([[0, 0, 0], [0, 0, 1], [0, 1, 0]], [0, 1, 2])
    [(0, 1), (0, 2)]
    """
    places = np.asarray(order, np.intp)
    tied = ~np.asarray(differ, bool)[np.ix_(places, places)]
    np.fill_diagonal(tied, True)
    wanted = np.triu(tied, 1)
    covered, groups = np.zeros(tied.shape, np.intp), []
    for a, b in np.argwhere(wanted):
        if covered[a, b]:
            continue
        fits, members = tied[a] & tied[b], [a, b]
        for other in np.flatnonzero(fits):
            if fits[other] and other not in members:
                members.append(other)
                fits &= tied[other]
        groups.append(np.sort(members))
        covered[np.ix_(members, members)] += 1
    needed = []
    for group in reversed(groups):
        inside = np.ix_(group, group)
        if len(group) > 1 and (covered[inside][np.triu_indices(len(group), 1)] > 1).all():
            covered[inside] -= 1
        else:
            needed.append(tuple(group.tolist()))
    return [tuple(places[list(group)].tolist()) for group in sorted(needed)]


def tie_letters(differ: npt.ArrayLike, order: npt.ArrayLike) -> list[str]:
    """Return the letters of each system, the first letters for the first systems in `order`.

    A system that differs from all others has none. After z follow aa, ab, ...; letters are then
    separated by spaces.

    Examples
    --------
    >>> tie_letters([[0, 0, 0], [0, 0, 1], [0, 1, 0]], [2, 1, 0])
    ['ab', 'b', 'a']
    """
    groups = tie_groups(differ, order)
    letters: list[list[str]] = [[] for _ in np.asarray(order)]
    for number, group in enumerate(groups):
        for system in group:
            letters[system].append(_letter(number))
    return [(" " if len(groups) > _LETTERS else "").join(own) for own in letters]


def _letter(number: int) -> str:
    """Return a, b, ..., z, aa, ab, ... for 0, 1, ...."""
    before, last = divmod(number, _LETTERS)
    return (_letter(before - 1) if before else "") + chr(ord("a") + last)
