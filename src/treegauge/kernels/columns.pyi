import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]

def encode(data: Bytes, fields: Ints, rows: Ints, column: int, codes: Ints) -> Ints: ...
def rewrite(
    data: Bytes, fields: Ints, rows: Ints, offsets: Ints, spans: Ints, columns: Ints,
    values: Bytes, ends: npt.NDArray[np.int64], out: Bytes,
) -> int: ...  # fmt: skip
