"""Libraries that are loaded on first use, not by the import: everyday commands print without them."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
else:

    class _Polars:
        """Polars, loaded when the first of its names is used."""

        def __getattr__(self, name: str) -> Any:
            import polars

            value = getattr(polars, name)
            setattr(self, name, value)
            return value

    pl = _Polars()

__all__ = ["pl"]
