import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]

def postorder(head: Ints, label: Ints, offsets: Ints) -> tuple[Ints, Ints]: ...
def distances(
    labels1: Ints,
    leaves1: Ints,
    offsets1: Ints,
    first: Ints,
    labels2: Ints,
    leaves2: Ints,
    offsets2: Ints,
    second: Ints,
) -> Ints: ...
