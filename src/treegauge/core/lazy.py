"""Libraries that are loaded on first use, not by the import: everyday commands print without them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
    import scipy
else:

    class _Library:
        """A library that is loaded when the first of its names is used."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> Any:
            value = getattr(import_module(self._name), name)
            setattr(self, name, value)
            return value

    pl, scipy = _Library("polars"), _Library("scipy")

__all__ = ["pl", "scipy"]
