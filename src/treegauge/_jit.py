"""The one way kernels are compiled here: lazily, cached on disk, without the GIL."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a loop over arrays with numba, keeping its Python type."""
    return cast("F", numba.njit(cache=True, nogil=True)(function))
