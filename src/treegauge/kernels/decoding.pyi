import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

def eisner(scores: Floats, heads: Ints) -> float: ...
def spanning_tree(scores: Floats, heads: Ints) -> None: ...
