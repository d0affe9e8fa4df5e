"""The ways kernels are compiled here: lazily, cached on disk, without the GIL."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a loop over arrays with numba, keeping its Python type."""
    return cast("F", numba.njit(cache=True, nogil=True)(function))


def inner(function: F) -> F:
    """Compile a function that kernels call in their innermost loops.

    It must not make arrays or return them: references are not counted in it, which is what the
    calls of a small function on many arrays otherwise spend their time with.
    """
    options: dict[str, Any] = {
        "cache": True, "nogil": True, "_nrt": False, "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
    }
    return cast("F", numba.njit(**options)(function))
