import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

def projective_sums(scores: Floats, shares: Floats) -> float: ...
