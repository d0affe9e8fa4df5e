"""Small numbers for the few of many possible values that occur."""

import numpy as np
import numpy.typing as npt

#: Possible values for which a table is kept whatever the number of keys.
SMALL = 1 << 16


def renumber(keys: npt.NDArray[np.integer], possible: int) -> npt.NDArray[np.intp]:
    """Give the distinct values among keys the numbers from 0 on, in their order.

    What ``numpy.unique(keys, return_inverse=True)`` gives as inverse. That sorts, which takes ever
    longer a word as treebanks grow; here time is linear wherever there are fewer possible values
    than words, as there are of tags.

    Parameters
    ----------
    keys
        Whole numbers from 0 to ``possible - 1``.
    possible
        How many values there could be.

    Examples
    --------
    >>> renumber(np.array([7, 2, 7, 5]), 10).tolist()
    [2, 0, 2, 1]
    """
    if possible > max(len(keys), SMALL):
        return np.asarray(np.unique(keys, return_inverse=True)[1])
    seen = np.zeros(possible, bool)
    seen[keys] = True
    places = np.cumsum(seen, dtype=np.intp) - 1
    return np.asarray(places[keys])
