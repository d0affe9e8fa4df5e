"""What a comparison of a printed number with ours shows: six states, and two of the print alone.

A table of a study writes the state of each of its cells, with what decides it, into columns:

``reproduced``
    ours, computed from data, rounds to the printed digits;
``within seeds``
    the printed value lies in the interval of our seeds or random samples;
``within sampling``
    an equivalence test passes: the interval of ours (``least`` to ``most``, 95 %) lies within
    ``margin`` of the printed value;
``inconclusive``
    the interval has the printed value, but is too wide for the margin;
``differs, cause shown``
    another choice was computed for all cells of the table, the same for all, and gives this one;
``differs, cause unknown``
    anything else; ``why`` has what was tried, and conjectures.

Cells that follow from other printed numbers, without data, are counted apart: ``consistent print``
and ``inconsistent print``.
"""

REPRODUCED, SEEDS, SAMPLING = "reproduced", "within seeds", "within sampling"
INCONCLUSIVE, SHOWN, UNKNOWN = "inconclusive", "differs, cause shown", "differs, cause unknown"
CONSISTENT, INCONSISTENT = "consistent print", "inconsistent print"
OF_DATA = (REPRODUCED, SEEDS, SAMPLING, INCONCLUSIVE, SHOWN, UNKNOWN)
OF_PRINT = (CONSISTENT, INCONSISTENT)
STATES = (*OF_DATA, *OF_PRINT)


class Why(str):
    """Why two values differ: text, with the state, or with the interval and margin that decide it.

    Text that begins with "within seeds" is of that state.

    Examples
    --------
    >>> why = Why("from 35 of 94 treebanks", least=0.1, most=0.5, margin=0.1)
    >>> str(why), why.state_of("0.3"), why.state_of("0.6")
    ('from 35 of 94 treebanks', 'inconclusive', 'differs, cause unknown')
    >>> Why("", least=0.28, most=0.36, margin=0.1).state_of("0.3")
    'within sampling'
    """

    state: str
    least: float | None
    most: float | None
    margin: float | None

    def __new__(
        cls,
        text: str,
        *,
        state: str = "",
        least: float | None = None,
        most: float | None = None,
        margin: float | None = None,
    ) -> "Why":
        """Return text with a state, or with the interval of ours and a margin."""
        made = super().__new__(cls, text)
        state = state or (SEEDS if text.startswith(SEEDS) else "")
        made.state, made.least, made.most, made.margin = state, least, most, margin
        return made

    def state_of(self, printed: str) -> str:
        """Return the state of a cell that is not equal to the printed digits."""
        if self.state:
            return self.state
        if self.least is None or self.most is None or self.margin is None:
            return UNKNOWN
        value = float(printed)
        if value - self.margin <= self.least and self.most <= value + self.margin:
            return SAMPLING
        return INCONCLUSIVE if self.least <= value <= self.most else UNKNOWN
