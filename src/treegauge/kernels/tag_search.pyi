import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float32]
Sums = npt.NDArray[np.float64]

def best_tags(features: Ints, offsets: Ints, weights: Weights, pairs: Weights) -> Ints: ...
def learn_tags(
    features: Ints, offsets: Ints, gold: Ints, order: Ints, weights: Weights, sums: Sums,
    pairs: Weights, pair_sums: Sums, step: int, margin: float,
) -> int: ...  # fmt: skip
