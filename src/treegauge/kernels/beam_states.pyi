import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]

SHIFT: int
REDUCE: int
ARCS: int
UNKNOWN: int
NONE: int
ROOT: int
FIRST: int

class States:
    def __init__(self, words: int, beam: int) -> None: ...
    def learn_from(self, heads: Ints, labels: Ints) -> None: ...
    def act(self, number: int, action: int) -> int: ...
    def valid(self, number: int, length: int) -> list[bool]: ...
    def costs(self, number: int) -> list[int]: ...
    def mislabels(self, number: int, action: int) -> bool: ...
