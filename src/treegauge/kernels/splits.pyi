import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

TRAIN: int
TEST: int
FREE: int

def distance(inside: Floats, outside: Floats) -> float: ...
def swap(
    histograms: Ints, groups: Ints, offsets: Ints, test: npt.NDArray[np.bool_],
    proposals: npt.NDArray[np.int64], sign: float,
) -> float: ...  # fmt: skip
def draw(med: Floats, starts: Ints, lengths: Ints, luck: Floats, adversarial: bool) -> Ints: ...
