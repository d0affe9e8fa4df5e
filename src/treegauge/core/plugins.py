"""Plug-ins: objects that other packages add by entry points.

A plug-in adds to treegauge and takes nothing away: one that cannot be used is left out with a
warning that names its package, what it prints goes to standard error, and errors in it name it.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from treegauge.core.errors import TreegaugeError, lines_of_text
from treegauge.core.messages import is_listened, note

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class PluginError(TreegaugeError):
    """Code of a plug-in failed; the message names it."""


class Plugin(NamedTuple):
    """An object of another package; `origin` says which: ``'x' of package 1.0 (module:name)``."""

    object: Any
    origin: str
    module: str


@cache
def load_plugins(group: str) -> dict[str, Plugin]:
    """Return the plug-ins in an entry point group of installed packages, by name.

    They are imported on the first call. A plug-in that cannot be imported is left out with a
    warning, and so is the second of two that share a name.

    Examples
    --------
    >>> load_plugins("treegauge.nothing")
    {}
    """
    loaded: dict[str, Plugin] = {}
    if not any(_offers(place, group) for place in sys.path):
        return loaded
    for point in _points(group):
        package = f" of {point.dist.name} {point.dist.version}" if point.dist else ""
        module, _, _ = point.value.partition(":")
        plugin = Plugin(None, f"{point.name!r}{package} ({group}, {point.value})", module.strip())
        if point.name in loaded:
            if loaded[point.name].origin != plugin.origin:  # not the same folder twice on the path
                warn_of_plugin(plugin, f"{loaded[point.name].origin} has its name")
            continue
        try:
            with redirect_stdout(sys.stderr):
                loaded[point.name] = plugin._replace(object=point.load())
        except (KeyboardInterrupt, MemoryError):
            warn(f"loading the plug-in {plugin.origin} was interrupted")
            raise
        except TreegaugeError as error:
            warn_of_plugin(plugin, str(error))
        except BaseException as error:
            warn_of_plugin(plugin, f"loading it ends with {described(error)}")
    return loaded


def _points(group: str) -> "Iterator[EntryPoint]":
    """Yield the entry points of a group by name; a package with unreadable ones is left out."""
    from importlib.metadata import distributions

    points = []
    for package in distributions():
        try:
            points += [point for point in package.entry_points if point.group == group]
        except Exception as error:
            warn(f"the plug-ins of {package.name} are left out: its entry points cannot be read: {described(error)}")
    yield from sorted(points, key=lambda point: (point.name, point.value))


def described(error: BaseException) -> str:
    """Return the kind and the message of an error, which may be unable to give one."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


def warn_of_plugin(plugin: Plugin, reason: str) -> None:
    """Warn that a plug-in is not used."""
    warn(f"the plug-in {plugin.origin} is left out: {reason}")


def warn(text: str) -> None:
    """Show a note; without a listener it is a warning, which Python prints by default."""
    if is_listened():
        note(text)
    else:
        import logging

        logging.getLogger("treegauge").warning(lines_of_text(text))


@contextmanager
def naming_errors(what: str, group: str, code: Any) -> Iterator[None]:
    """Turn errors in code of a plug-in into one that names it; send its prints to standard error.

    `what` was called, such as ``metric 'Nouns'``; `code` is the function or class, `group` its entry points.
    """
    try:
        with redirect_stdout(sys.stderr):
            yield
    except (TreegaugeError, MemoryError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise PluginError(f"{what}{origin_of(group, code)} ends with {described(error)}") from error


def origin_of(group: str, code: Any) -> str:
    """Return `` of the plug-in ...`` for code of a plug-in, or nothing for other code."""
    package, _, _ = str(getattr(code, "__module__", "")).partition(".")
    plugins = load_plugins(group).values()
    same = [plugin for plugin in plugins if plugin.object is code]
    near = [plugin for plugin in plugins if plugin.module.partition(".")[0] == package]
    return next((f" of the plug-in {plugin.origin}" for plugin in [*same, *near]), "")


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
