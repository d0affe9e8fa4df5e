from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int32]

def book(level: int, language: str, look: object) -> Any: ...
def state(book: Any) -> tuple[bool, int, bool, bool]: ...
def start_file(book: Any) -> None: ...
def values(book: Any) -> tuple[list[str], list[str], list[str], list[str], list[str]]: ...
def validate(
    book: Any, data: Bytes, lines: int
) -> tuple[
    Ints, Ints, Ints, Bytes, Ints, Ints, Ints, Bytes, Ints, Ints, Ints, Ints, Ints
]: ...  # fmt: skip
