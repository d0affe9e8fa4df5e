"""Files that are written atomically."""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

from treegauge.core.outputs import check_reachable, check_replacing
from treegauge.core.platforms import replace_file

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
    (:mod:`treegauge.core.outputs`); `own` means that the folder belongs to treegauge, such as a
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
