import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Keys = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]
Weights = npt.NDArray[np.float32]

FORM: int
LEMMA: int
TAG: int
XPOS: int
FEATS: int
END: int
LETTERS: int

class TreeContext:
    def __init__(
        self, letters: Keys, names: Keys, values: Keys, heads: Ints, relations: Ints, tags: Ints,
        offsets: Ints, keys: Keys, allowed: npt.NDArray[np.uint8], root: int,
    ) -> None: ...  # fmt: skip

def learn(
    context: TreeContext, order: Ints, weights: Weights, sums: Floats, squares: Weights,
    bits: int, rate: float, steps: int,
) -> None: ...  # fmt: skip
def judge(
    context: TreeContext, weights: Weights, bits: int, logp: Floats, rivals: Ints, rival_logp: Floats
) -> None: ...
