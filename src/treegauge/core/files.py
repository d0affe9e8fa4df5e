"""What may be written where, in every verb, and files that are written atomically.

A verb declares its outputs; all other arguments are inputs (:func:`treegauge.core.verbs.verb`). An
input is never overwritten, also not by another name or through a link. A file of another kind is
overwritten only with ``force``. An output that cannot be written is refused before the work begins.
While a verb runs, :func:`guarding` records its inputs, and :func:`atomic` looks before it renames.
"""

import errno
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO

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
from treegauge.core.platforms import replace_file

_PLAIN = frozenset({"", COMMENTS, CONLLU})
_OWN_KINDS = frozenset({PAGE, TEXT, FIGURE, LATEX, RESULTS})
"""Kinds that verbs write next to their inputs, into a folder that is an input."""


_inputs: ContextVar[set[Path | tuple[int, int]] | None] = ContextVar("inputs", default=None)
"""What the running verb must not overwrite: folders by path, files by device and number."""
_force: ContextVar[bool] = ContextVar("force", default=False)
"""Whether the running verb may overwrite files of another kind."""


@contextmanager
def guarding(inputs: Iterable[Any] = (), *, force: bool = False) -> Iterator[None]:
    """Protect inputs while a verb runs: paths, ``NAME=PATH``, and objects that have a path.

    `force` allows overwriting a file of another kind, but never an input. Verbs that call others
    keep their own inputs protected.
    """
    protected = set(_inputs.get() or ())
    for source in flat(list(inputs)):
        if isinstance(source, str | os.PathLike):
            text = os.fspath(source)
            for word in {text, text.partition("=")[2]} - {"", "-"}:
                _protect(protected, word)
    tokens = _inputs.set(protected), _force.set(_force.get() or force)
    try:
        yield
    finally:
        _inputs.reset(tokens[0])
        _force.reset(tokens[1])


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
    if (protected := _inputs.get()) is not None:
        _protect(protected, os.fspath(path))


def _protect(protected: set[Path | tuple[int, int]], path: str) -> None:
    try:
        status = os.stat(path)  # noqa: PTH116 -- not a path if it is a pattern or a name
    except (OSError, ValueError):
        return
    if Path(path).is_dir():
        protected.add(Path(path).resolve())
    elif Path(path).is_file():
        protected.add((status.st_dev, status.st_ino))


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

    `out` may be missing, or a device; `kind` is what will be written, by default what its ending says. A
    `store` may also be an input: it grows.
    """
    path = Path(out)
    if str(out) != "-":
        check_reachable(path)
    if str(out) == "-" or not path.exists():
        return
    if path.is_dir():
        if not store and path.resolve() in (_inputs.get() or ()) and kind in {FOLDER, STORE}:
            raise TreegaugeError(f"{out} is an input and would be overwritten; write to another folder")
        if kind == STORE and not _force.get() and not _may_become_store(path):
            raise TreegaugeError(
                f"{out} is a folder with other contents and would become a store; choose a new "
                "folder, or add --force (in Python force=True)"
            )
        return
    if not path.is_file():
        return
    _check_input(path, out)
    if kind in {FOLDER, STORE}:
        raise TreegaugeError(f"{out} is a file; expected {kind}, or the name of a new one")
    kind = kind or kind_by_ending(path)
    if kind:
        _check_kind(out, content_kind(path), kind)


def _may_become_store(path: Path) -> bool:
    names = {entry.name for entry in path.iterdir()}
    return not names or "ledger.sqlite" in names or names <= {"lock", "words", "recordings"}


def check_replacing(fresh: Path, target: Path) -> None:
    """Refuse to replace an input, or a file of another kind."""
    if not target.is_file():
        return
    _check_input(target, target)
    _check_kind(target, content_kind(target), content_kind(fresh))


def check_folder(target: Path) -> None:
    """Refuse to replace a folder that is an input or contains one."""
    place, protected = target.resolve(), _inputs.get() or set()
    folders = {one for one in protected if isinstance(one, Path)}
    inside = any(folder == place or place in folder.parents for folder in folders)
    if not inside and protected - folders:
        inside = any(_identity(inside_path) in protected for inside_path in place.rglob("*"))
    if inside:
        raise TreegaugeError(f"{target} contains an input and would be replaced; choose another folder")


def _identity(path: Path) -> tuple[int, int]:
    status = path.lstat()
    return status.st_dev, status.st_ino


def _check_input(path: Path, name: str | os.PathLike[str]) -> None:
    status, protected = path.stat(), _inputs.get() or set()
    inside = not protected.isdisjoint(path.resolve().parents)
    if (status.st_dev, status.st_ino) in protected or (inside and content_kind(path) not in _OWN_KINDS):
        raise TreegaugeError(f"{name} is an input and would be overwritten; write to another file")


def _check_kind(name: str | os.PathLike[str], old: str, new: str) -> None:
    same = {old, new} <= {JSON, RESULTS} or old in {"", new} or {old, new} <= _PLAIN
    if not same and not _force.get():
        article = "" if old.startswith(("a ", "an ")) else "a file of "
        raise TreegaugeError(
            f"{name} is {article}{old} and would be overwritten with {new or 'nothing'}; write to "
            "another file, or add --force (in Python force=True)"
        )


_waiting: ContextVar[list[tuple[Path, Path]] | None] = ContextVar("waiting", default=None)
"""Finished files, and the names that they get when all files of a folder are finished."""


@contextmanager
def new_folder(folder: Path) -> Iterator[None]:
    """Make a folder; after an error, it and its parents are removed if they are new and empty."""
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for place in made:
            with suppress(OSError):
                place.rmdir()
        raise


@contextmanager
def whole_folder(folder: Path) -> Iterator[None]:
    """Make a folder; files that are written in this context get their names only together.

    After an error, the folder is as it was before, or absent if it is new.
    """
    waiting: list[tuple[Path, Path]] = []
    with new_folder(folder):
        token = _waiting.set(waiting)
        try:
            yield
            for fresh, target in waiting:
                with _naming(target, fresh):
                    replace_file(fresh, target)
        except BaseException:
            for fresh, _ in waiting:
                fresh.unlink(missing_ok=True)
            raise
        finally:
            _waiting.reset(token)


@contextmanager
def _naming(path: str | os.PathLike[str], fresh: Path | None = None) -> Iterator[None]:
    """Name the file as the user does in errors of the system, also in those of Rust libraries."""
    try:
        yield
    except OSError as error:
        if error.filename is not None and error.filename != str(fresh):
            raise
        raise _system_error(error.errno, error, path) from error
    except Exception as error:
        code = re.search(r"\(os error (\d+)\)", str(error))
        if code is None:
            raise
        raise _system_error(int(code[1]), error, path) from error


def _system_error(code: int | None, error: Exception, path: str | os.PathLike[str]) -> OSError:
    if code is None and (found := re.search(r"\(os error (\d+)\)", str(error))):
        code = int(found[1])
    text = os.strerror(code) if code else str(error)
    return OSError(code or errno.EIO, text, os.fspath(path))


@contextmanager
def atomic(path: str | os.PathLike[str], *, own: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing bytes; it gets its name only if there was no error.

    An existing file must be of the same kind and not an input of the running verb
    (:mod:`treegauge.core.files`); `own` means that the folder belongs to treegauge, such as a
    store, where any file is replaced.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with atomic(target) as file:
    ...     _ = file.write(b"whole")
    >>> target.read_bytes()
    b'whole'
    """
    import shutil
    import tempfile

    target = Path(path)
    check_reachable(target)
    if target.exists() and not (target.is_file() or target.is_dir()):  # a device or a pipe
        with _naming(path), tempfile.TemporaryFile() as file:  # archives cannot be written to a device
            yield file
            file.seek(0)
            with target.open("wb") as device:
                shutil.copyfileobj(file, device)
        return
    target = target.resolve()  # a link stays a link
    # The name of the temporary file would confuse readers of the message.
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(target.parent))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    # The name is chosen before the file exists, so that a signal never leaves a file behind.
    fresh = target.with_name(f".{target.name[:40]}.{os.urandom(8).hex()}")
    try:
        with _naming(path, fresh):
            with fresh.open("xb") as file:
                yield file
            if not own:
                check_replacing(fresh, target)
            if (waiting := _waiting.get()) is not None:
                waiting.append((fresh, target))
            else:
                replace_file(fresh, target)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
