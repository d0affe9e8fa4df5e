import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Symbols = npt.NDArray[np.uint32]

def join_tokens(data: Bytes, fields: Ints, rows: Ints, multiword: Ints, offsets: Ints) -> Bytes: ...
def text_hashes(symbols: Symbols, offsets: Longs) -> npt.NDArray[np.uint64]: ...
def index_ngrams(symbols: Symbols, offsets: Longs, n: int, bits: int) -> tuple[Longs, Ints]: ...
def near_pairs(
    symbols: Symbols, offsets: Longs, alphabet: int, starts: Longs, texts: Ints, n: int, bits: int,
    first: int, step: int, visits: int, share: float, similarity: float, kept: int,
) -> Ints: ...  # fmt: skip
