"""Plug-ins: what other packages add to treegauge by entry points."""

import os
import sys
from functools import cache
from typing import Any


@cache
def load_plugins(group: str) -> dict[str, Any]:
    """Return the objects that installed packages offer under an entry point group, by name.

    They are imported on the first call. One that cannot be imported is left out with a warning, so
    that a broken plug-in does not stop everything else.

    Examples
    --------
    >>> load_plugins("treegauge.nothing")
    {}
    """
    loaded: dict[str, Any] = {}
    if not any(_offers(place, group) for place in sys.path):
        return loaded
    import logging
    from importlib.metadata import entry_points

    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        try:
            loaded[point.name] = point.load()
        except Exception as error:
            text = "the plug-in %r (%s) of %s was not loaded: %r"
            logging.getLogger("treegauge").warning(text, point.name, point.value, group, error)
    return loaded


def _offers(place: str, group: str) -> bool:
    """Return whether a place of packages may have entry points of a group.

    A look at its files takes a tenth of the time in which :mod:`importlib.metadata` is loaded.
    """
    try:
        with os.scandir(place or ".") as entries:
            found = [entry.path for entry in entries if entry.name.endswith("-info")]
    except OSError:
        return os.path.isfile(place)  # noqa: PTH113 -- an archive of packages
    for path in found:
        try:
            with open(f"{path}/entry_points.txt", "rb") as file:  # noqa: PTH123
                if f"[{group}]".encode() in file.read():
                    return True
        except OSError:  # a package without entry points
            continue
    return False
