from typing import Any

import numpy as np
import numpy.typing as npt

Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

def wander(orders: Longs, size: int, steps: Longs, room: tuple[Any, ...]) -> None: ...
def descend(
    numbers: Longs, decided: npt.NDArray[np.bool_], errors: Floats, weight: float, size: int,
    orders: Longs, room: tuple[Any, ...],
) -> Longs: ...  # fmt: skip
def climb(leads: Longs, size: int, orders: Longs, tie: int, widths: Floats) -> tuple[int, Longs]: ...
def draw_subsets(uniform: Floats, sizes: Longs, held: int) -> npt.NDArray[np.uint8]: ...
def add_items(
    cells: npt.NDArray[np.uint64] | Floats, items: Longs, lows: Longs, highs: Longs, bases: Longs
) -> None: ...
