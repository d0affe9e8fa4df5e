"""Words, tags and relations as numbers."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from treegauge.kernels.beam_states import FIRST, UNKNOWN
from treegauge.treebanks.columns import Codes

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Numbering:
    """Values in the order of their numbers, the first of which is `first`.

    Examples
    --------
    >>> tags = Numbering.of(["NOUN", "VERB", "NOUN"])
    >>> tags.numbers(["VERB", "PUNCT"]).tolist(), len(tags), tags.size
    ([4, 0], 2, 5)
    """

    values: tuple[str, ...]
    first: int = FIRST

    @classmethod
    def of(cls, values: Iterable[str], *, first: int = FIRST) -> "Numbering":
        """Make the numbering of values in the order of their first use."""
        return cls(tuple(dict.fromkeys(values)), first)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def size(self) -> int:
        """The number after the last one."""
        return self.first + len(self.values)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {value: number for number, value in enumerate(self.values, self.first)}

    def numbers(self, values: Iterable[str]) -> Ints:
        """Give each value's number; where it has none UNKNOWN, or -1 if that is a value's."""
        unknown = UNKNOWN if self.first > UNKNOWN else -1
        return np.array([self._numbers.get(value, unknown) for value in values], np.int32)

    def column(self, column: Codes, shown: Callable[[str], str] = str) -> Ints:
        """Give the numbers of a column of a treebank, of what `shown` makes of its values."""
        return self.numbers(map(shown, column.values))[column.codes]


def ending(length: int) -> Callable[[str], str]:
    """Give the function that returns the last letters of a form, in lower case.

    Examples
    --------
    >>> ending(3)("Schiffe")
    'ffe'
    """
    return lambda form: form.lower()[-length:]
