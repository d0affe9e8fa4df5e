import numpy as np
import numpy.typing as npt

from treegauge.kernels.features import GraphWords, Lesson, Pairs

Ints = npt.NDArray[np.int32]
Weights = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]

def best_trees(
    words: GraphWords, order: Ints, arcs: Pairs, relations: Pairs, weights: Weights, table: Weights,
    root: int, projective: bool, joint: bool, lesson: Lesson | None, found: Ints, named: Ints,
) -> None: ...  # fmt: skip
def head_shares(
    words: GraphWords, arcs: Pairs, relations: Pairs, weights: Weights, table: Weights, root: int,
    joint: bool, starts: npt.NDArray[np.int64], shares: Floats,
) -> None: ...  # fmt: skip
def relation_shares(words: GraphWords, heads: Ints, relations: Pairs, table: Weights, shares: Floats) -> None: ...
