import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]
Doubles = npt.NDArray[np.float64]

CLOSE: int
CLOSE_HEAD: int
ASK: int
WAIT: int
OPEN: int
OPEN_WAIT: int
CLOSES: int
LEANS_LEFT: int
OPENS: int
LEANS_RIGHT: int

def hierarchy(heads: Ints, offsets: Ints, rows: Ints) -> None: ...
def follow(codes: Ints, kinds: Bytes, index: Ints, bounds: Ints, roots: Bools, offsets: Ints, heads: Ints) -> None: ...
def claims(
    moves: Doubles,
    closed: Doubles,
    claimed: Doubles,
    opened: Doubles,
    waiting: Doubles,
    offsets: Ints,
    places: npt.NDArray[np.int64],
    found: Doubles,
) -> None: ...
