"""Files that are written atomically."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from treegauge.core.outputs import check_replacing
from treegauge.core.platforms import replace_file


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
    if target.exists() and not (target.is_file() or target.is_dir()):  # a device or a pipe
        with tempfile.TemporaryFile() as file:  # archives cannot be written to a device
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
        with fresh.open("xb") as file:
            yield file
        if not own:
            check_replacing(fresh, target)
        replace_file(fresh, target)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
