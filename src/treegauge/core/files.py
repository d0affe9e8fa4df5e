"""Files that appear whole or not at all."""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from treegauge.core.errors import TreegaugeError


@contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing bytes; it takes its name only when all went well.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with atomic(target) as file:
    ...     _ = file.write(b"whole")
    >>> target.read_bytes()
    b'whole'
    """
    import tempfile

    target = Path(path)
    if target.exists() and not (target.is_file() or target.is_dir()):  # a device or a pipe
        with target.open("wb") as file:
            yield file
        return
    target = target.resolve()  # a link stays a link
    # The temporary file's name would puzzle whoever reads the message.
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(target.parent))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def check_overwriting(out: str | os.PathLike[str] | None, inputs: Iterable[Any]) -> None:
    """Refuse to write to a file that is also an input: a path, or ``NAME=PATH``.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.conllu"
    >>> target.touch()
    >>> check_overwriting(target, [f"mine={target}"])
    Traceback (most recent call last):
        ...
    treegauge.core.errors.TreegaugeError: ...a.conllu is an input and would be overwritten; ...
    """
    if out is None or not Path(out).is_file():
        return
    for source in inputs:
        if not isinstance(source, str | os.PathLike):
            continue
        for word in {str(source), str(source).partition("=")[2]}:
            if word and Path(word).is_file() and Path(word).samefile(out):
                raise TreegaugeError(
                    f"{out} is an input and would be overwritten; write to another file"
                )
