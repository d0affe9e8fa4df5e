import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

GREEDY: int
PROPAGATED: int
DIRECTED: int

def planes(heads: Ints, offsets: Ints, method: int, plane: Bytes) -> None: ...
def brackets(heads: Ints, offsets: Ints, plane: Bytes, counts: Ints) -> None: ...
def match_brackets(
    codes: Ints, parts: Bytes, bounds: Ints, roots: Bools, offsets: Ints, heads: Ints
) -> None: ...
def count_tags(heads: Ints, tags: Ints, offsets: Ints, steps: Ints) -> None: ...
def follow_tags(
    steps: Ints, wanted: Ints, tags: Ints, offsets: Ints, everything: bool, heads: Ints
) -> None: ...
def repair(heads: Ints, roots: Bools, offsets: Ints, made_root: Bools) -> None: ...
