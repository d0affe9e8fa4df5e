import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint64]

def rooted(parent: Ints, order: Longs, sentence_of: Ints, sentences: int) -> Hashes: ...
def free(parent: Ints, order: Longs, sentence_of: Ints, sentences: int) -> Hashes: ...
def sequences(values: Longs, sentence_of: Ints, sentences: int) -> Hashes: ...
