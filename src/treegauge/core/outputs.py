"""Outputs: which files may be overwritten.

An input is never overwritten. A file of another kind is overwritten only with force. While a verb
runs, :func:`guarding` records its inputs, and :func:`treegauge.core.files.atomic` calls
:func:`check_replacing` before it renames a file.
"""

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treegauge.core.arguments import flat
from treegauge.core.errors import TreegaugeError
from treegauge.core.file_kinds import (
    COMMENTS,
    CONLLU,
    FIGURE,
    FOLDER,
    JSON,
    LATEX,
    PAGE,
    RESULTS,
    STORE,
    TEXT,
    content_kind,
    kind_by_ending,
)

_PLAIN = frozenset({"", COMMENTS, CONLLU})
_OWN_KINDS = frozenset({PAGE, TEXT, FIGURE, LATEX, RESULTS})
"""Kinds that verbs write next to their inputs, into a folder that is an input."""


@dataclass
class _Guard:
    """Files that the running verb must not overwrite."""

    files: set[tuple[int, int]] = field(default_factory=set)
    folders: set[Path] = field(default_factory=set)
    force: bool = False


_guard: ContextVar[_Guard | None] = ContextVar("guard", default=None)


@contextmanager
def guarding(inputs: Iterable[Any] = (), *, force: bool = False) -> Iterator[None]:
    """Protect inputs while a verb runs: paths, ``NAME=PATH``, and objects that have a path.

    `force` allows overwriting a file of another kind, but never an input. Verbs that call others
    keep their own inputs protected.
    """
    outer = _guard.get() or _Guard()
    guard = _Guard(set(outer.files), set(outer.folders), outer.force or force)
    for source in flat(list(inputs)):
        if isinstance(source, str | os.PathLike):
            text = os.fspath(source)
            for word in {text, text.partition("=")[2]} - {"", "-"}:
                _protect(guard, word)
    token = _guard.set(guard)
    try:
        yield
    finally:
        _guard.reset(token)


@contextmanager
def guarded_call(kinds: Mapping[str, str], given: Mapping[str, Any], *, force: bool = False) -> Iterator[None]:
    """Protect the inputs among a verb's arguments, and refuse outputs that cannot be written.

    `kinds` has what each output of the verb is; all other arguments are inputs.
    """
    with guarding((given[name] for name in given.keys() - kinds.keys()), force=force):
        for name, kind in kinds.items():
            if isinstance(path := given.get(name), str | os.PathLike):
                check_output(path, kind, store=kind == STORE)
        yield


def protect(path: str | os.PathLike[str]) -> None:
    """Protect a file until the running verb ends."""
    if (guard := _guard.get()) is not None:
        _protect(guard, os.fspath(path))


def _protect(guard: _Guard, path: str) -> None:
    try:
        status = os.stat(path)  # noqa: PTH116 -- not a path if it is a pattern or a name
    except (OSError, ValueError):
        return
    if Path(path).is_dir():
        guard.folders.add(Path(path).resolve())
    elif Path(path).is_file():
        guard.files.add((status.st_dev, status.st_ino))


def check_reachable(path: Path) -> None:
    """Refuse a symbolic link that leads back to itself, which counts as absent otherwise."""
    try:
        path.stat()
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.ELOOP:
            raise TreegaugeError(
                f"{path}: a symbolic link here leads back to itself; choose another name, or remove the link"
            ) from None


def check_output(out: str | os.PathLike[str], kind: str = "", *, store: bool = False) -> None:
    """Refuse an invalid output before the work begins.

    Parameters
    ----------
    out
        A file or folder; it may be missing, and it may be a device.
    kind
        What will be written; if empty, the ending of the name decides.
    store
        Whether the output is a store that may also be an input: it grows.
    """
    path = Path(out)
    if str(out) != "-":
        check_reachable(path)
    if str(out) == "-" or not path.exists():
        return
    guard = _guard.get() or _Guard()
    if path.is_dir():
        if not store and path.resolve() in guard.folders and kind in {FOLDER, STORE}:
            raise TreegaugeError(f"{out} is an input and would be overwritten; write to another folder")
        if kind == STORE and not guard.force and not _may_become_store(path):
            raise TreegaugeError(
                f"{out} is a folder with other contents and would become a store; choose a new "
                "folder, or add --force (in Python force=True)"
            )
        return
    if not path.is_file():
        return
    _check_input(path, out, guard)
    if kind in {FOLDER, STORE}:
        raise TreegaugeError(f"{out} is a file; expected {kind}, or the name of a new one")
    kind = kind or kind_by_ending(path)
    if kind:
        _check_kind(out, content_kind(path), kind, guard.force)


def _may_become_store(path: Path) -> bool:
    names = {entry.name for entry in path.iterdir()}
    return not names or "ledger.sqlite" in names or names <= {"lock", "words", "recordings"}


def check_replacing(fresh: Path, target: Path) -> None:
    """Refuse to replace an input, or a file of another kind."""
    if not target.is_file():
        return
    guard = _guard.get() or _Guard()
    _check_input(target, target, guard)
    _check_kind(target, content_kind(target), content_kind(fresh), guard.force)


def check_folder(target: Path) -> None:
    """Refuse to replace a folder that is an input or contains one."""
    guard = _guard.get() or _Guard()
    place = target.resolve()
    inside = any(folder == place or place in folder.parents for folder in guard.folders)
    if not inside and guard.files:
        inside = any(_identity(inside_path) in guard.files for inside_path in place.rglob("*"))
    if inside:
        raise TreegaugeError(f"{target} contains an input and would be replaced; choose another folder")


def _identity(path: Path) -> tuple[int, int]:
    status = path.lstat()
    return status.st_dev, status.st_ino


def _check_input(path: Path, name: str | os.PathLike[str], guard: _Guard) -> None:
    status = path.stat()
    inside = any(folder in path.resolve().parents for folder in guard.folders)
    if (status.st_dev, status.st_ino) in guard.files or (inside and content_kind(path) not in _OWN_KINDS):
        raise TreegaugeError(f"{name} is an input and would be overwritten; write to another file")


def _check_kind(name: str | os.PathLike[str], old: str, new: str, force: bool) -> None:
    same = {old, new} <= {JSON, RESULTS} or old in {"", new} or {old, new} <= _PLAIN
    if not same and not force:
        article = "" if old.startswith(("a ", "an ")) else "a file of "
        raise TreegaugeError(
            f"{name} is {article}{old} and would be overwritten with {new or 'nothing'}; write to "
            "another file, or add --force (in Python force=True)"
        )
