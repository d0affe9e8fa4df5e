"""Plug-ins: what other packages add to treegauge by entry points."""

from functools import cache
from importlib.metadata import entry_points
from os import PathLike
from pkgutil import resolve_name
from typing import Any

from treegauge.results.messages import note

_STORE = "treegauge.experiments.store:Store"
"""Stores belong to a room above those that read scores from them; it is loaded when needed."""


def open_store(folder: str | PathLike[str]) -> Any:
    """Return the store in a folder, whose ``results()`` is a frame with one row per cell."""
    return resolve_name(_STORE)(folder)


@cache
def load_plugins(group: str) -> dict[str, Any]:
    """Return the objects that installed packages offer under an entry point group, by name.

    They are imported on the first call. An object that cannot be imported is left out with a note,
    so that a broken plug-in does not stop everything else.

    Parameters
    ----------
    group
        ``treegauge.parsers``, ``treegauge.measures``, ``treegauge.metrics`` or ``treegauge.tasks``.

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
            note(f"the plug-in {point.name!r} ({point.value}) of {group} was not loaded: {error!r}")
    return loaded
