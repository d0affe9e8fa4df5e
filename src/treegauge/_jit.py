"""The ways kernels are compiled here: lazily, cached on disk, without the GIL."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])
# Nothing here is called from C, so that no way in from there is compiled.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "no_cfunc_wrapper": True}


def kernel(function: F) -> F:
    """Compile a loop over arrays with numba, keeping its Python type."""
    return cast("F", numba.njit(**_OPTIONS)(function))


def inner(function: F) -> F:
    """Compile a function that kernels call in their innermost loops.

    It must not make arrays or return them: references are not counted in it, which is what the
    calls of a small function on many arrays otherwise spend their time with.
    """
    options = _OPTIONS | {"_nrt": False}
    return cast("F", numba.njit(**options)(function))
