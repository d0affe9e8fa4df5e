"""Plug-ins: objects that other packages add by entry points."""

import os
import sys
from functools import cache
from typing import Any


@cache
def load_plugins(group: str) -> dict[str, Any]:
    """Return the objects in an entry point group of installed packages, by name.

    They are imported on the first call. A plug-in that cannot be imported is left out with a
    warning.

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
    """Return whether a folder of packages may have entry points of a group.

    Looking at its files takes a tenth of the time needed to load :mod:`importlib.metadata`.
    """
    try:
        with os.scandir(place or ".") as entries:
            info_folders = [entry.path for entry in entries if entry.name.endswith("-info")]
    except OSError:
        return os.path.isfile(place)  # noqa: PTH113 -- an archive of packages
    for path in info_folders:
        try:
            with open(f"{path}/entry_points.txt", "rb") as file:  # noqa: PTH123
                if f"[{group}]".encode() in file.read():
                    return True
        except OSError:  # a package without entry points
            continue
    return False
