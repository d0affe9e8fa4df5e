"""List the parsers and their options.

This is the package of all parsers, and a verb: calling it is calling
:func:`treegauge.parsers.parsers.parsers`.
"""

import sys
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    """A package that is called as the verb of its name, and described as it is."""

    @property
    def _verb(self) -> Any:
        from treegauge.parsers.parsers import parsers

        return parsers

    def __call__(self, *args: Any, **given: Any) -> Any:
        return self._verb(*args, **given)

    def __getattr__(self, name: str) -> Any:
        if name in {"__signature__", "__wrapped__", "settings", "subverbs"}:
            return getattr(self._verb, name)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


sys.modules[__name__].__class__ = _CallablePackage
