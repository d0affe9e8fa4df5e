import numpy as np
import numpy.typing as npt

from treegauge.kernels.features import GraphWords, Moments, Pairs, Squares

Ints = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float32]

TINY: float

def head_epoch(
    words: GraphWords, gold: Ints, order: Ints, arcs: Pairs, weights: Weights,
    memory: Squares | Moments, batch: int, rate: float,
) -> float: ...  # fmt: skip
def relation_epoch(
    words: GraphWords, gold: Ints, wanted: Ints, order: Ints, relations: Pairs, table: Weights,
    memory: Squares | Moments, batch: int, rate: float,
) -> float: ...  # fmt: skip
