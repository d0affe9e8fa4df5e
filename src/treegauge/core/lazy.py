"""What is loaded on first use: libraries, and objects that upper rooms add to lower ones.

Everyday commands print without polars and scipy: ``pl`` and ``scipy`` are loaded by the first use of
one of their names, not by the import.

A lower room names an extension point and asks :func:`load_extension` for an object of it; the
front of the package, which is above all rooms, says where it is::

    register_extensions("tasks", map="treegauge.learning.dynamics.recorder:MAP")    # treegauge/__init__.py
    task = load_extension("tasks", "map")                                # treegauge/experiments

So no room names another one above it, by a string neither. The points are ``tasks`` (of a plan),
``parsers`` (``fit`` one), ``outputs`` (``store``: folders of the output of systems), ``pages`` (``candidates``:
HTML of a result of a lower room), ``sentences`` (their ``kinds`` of change since a release, and which are
``leaked``) and ``figures`` (``draw``, ``save``, ``to_svg``).
Objects of other packages are plug-ins: :mod:`treegauge.core.plugins`.
"""

from collections.abc import KeysView
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

__all__ = ["extension_names", "load_extension", "pl", "register_extensions", "scipy"]

_homes: dict[str, dict[str, str]] = {}


def register_extensions(point: str, **homes: str) -> None:
    """Add objects to an extension point: ``name="module:object"``."""
    _homes.setdefault(point, {}).update(homes)


def extension_names(point: str) -> KeysView[str]:
    """Return the names at an extension point.

    Examples
    --------
    >>> sorted(extension_names("pages"))
    ['candidates', 'review']
    """
    return _homes.get(point, {}).keys()


def load_extension(point: str, name: str) -> Any:
    """Import the object of this name at an extension point."""
    module, _, attribute = _homes[point][name].partition(":")
    return getattr(import_module(module), attribute)
