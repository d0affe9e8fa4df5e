"""Plug-ins: what other packages add to treegauge by entry points."""

import logging
from functools import cache
from importlib.metadata import entry_points
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
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        try:
            loaded[point.name] = point.load()
        except Exception as error:
            text = "the plug-in %r (%s) of %s was not loaded: %r"
            logging.getLogger("treegauge").warning(text, point.name, point.value, group, error)
    return loaded
