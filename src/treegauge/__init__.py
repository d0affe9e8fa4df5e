"""treegauge tells people who build parsers and treebanks what their scores mean.

Every public name is loaded on first use, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from treegauge.errors import TreegaugeError as TreegaugeError

__version__ = "0.1.0"

_HOMES = {
    "TreegaugeError": "errors",
}

__all__ = ["TreegaugeError", "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'treegauge' has no attribute {name!r}")
    return getattr(import_module(f"treegauge.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
