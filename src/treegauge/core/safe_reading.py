"""Untrusted files: arrays, tables and compressed files, read as data and within limits.

Nothing here runs code from a file. Plans and models that would run code are refused by
:func:`check_trust`, before anything of them is run or unpacked, unless the user trusts them. A
small file that claims to be huge, or unpacks to a huge one, is refused before memory is allocated
for it.
"""

import io
import math
import os
from collections.abc import Collection, Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

LARGEST = 8 << 30
"""Maximum unpacked size of a table, or of the arrays of a model or recording, in bytes."""
CELLS = 2 * 10**9
"""Maximum number of cells of a table."""
MEMBERS = 10_000
"""Maximum number of arrays of a model."""
FREE, RATIO = 1 << 30, 1000
"""Unpacked bytes always allowed for a compressed treebank, and the maximum ratio beyond."""


def _is_set(value: str) -> bool:
    return value.strip().lower() in {"1", "true", "yes"}


TRUST = "TREEGAUGE_TRUST"
"""Environment variable that trusts all plans and models if it is 1, true or yes."""


def check_trust(code: Iterable[str], *, trust: bool, advice: str = "read it") -> None:
    """Refuse a file that would run code, unless it is trusted.

    `code` is what the file would run, in words; a file that runs nothing is accepted. `advice` is what to do
    before trusting it.

    Examples
    --------
    >>> check_trust([], trust=False)
    >>> check_trust(["program spacy"], trust=True)
    """
    found = list(dict.fromkeys(code))
    if found and not trust and not _is_set(os.environ.get(TRUST, "")):
        raise TreegaugeError(
            f"it would run code ({', '.join(found)}); {advice}, and add --trust (in Python trust=True) if you trust it"
        )


def read_arrays(file: BinaryIO | str | PathLike[str], wanted: Collection[str] = ()) -> "dict[str, npt.NDArray[Any]]":
    """Read the arrays of an ``.npz`` archive, all or those `wanted` that it has.

    Raises
    ------
    TreegaugeError
        If the archive has more than :data:`LARGEST` bytes, or an array claims more bytes than it
        has: such a header would make a program use all memory.
    ValueError, zipfile.BadZipFile
        If it is not an archive of arrays, or holds objects, which would need pickle.
    """
    import zipfile

    import numpy as np

    with zipfile.ZipFile(file) as archive:
        infos = archive.infolist()
        if len(infos) > MEMBERS:
            raise TreegaugeError(f"refused: it holds {len(infos):,} arrays, more than {MEMBERS:,}")
        size = sum(info.file_size for info in infos)
        if size > LARGEST:
            raise TreegaugeError(f"refused: it unpacks to {size:,} bytes, more than {LARGEST:,}")
        arrays = {}
        for info in infos:
            name = info.filename.removesuffix(".npy")
            if wanted and name not in wanted:
                continue
            with archive.open(info) as member:
                declared = _declared_bytes(member)
                if declared > info.file_size:
                    raise TreegaugeError(
                        f"refused: array {name!r} claims {declared:,} bytes and has {info.file_size:,}"
                    )
            with archive.open(info) as member:
                arrays[name] = np.lib.format.read_array(member, allow_pickle=False)
        return arrays


def _declared_bytes(member: Any) -> int:
    """Return the number of bytes that the header of an array declares."""
    import numpy as np

    form = np.lib.format
    version = form.read_magic(member)
    read = form.read_array_header_1_0 if version == (1, 0) else form.read_array_header_2_0
    shape, _, dtype = read(member)
    return math.prod(shape) * _item_size(dtype)


def _item_size(dtype: "np.dtype[Any]") -> int:
    if dtype.hasobject:
        raise ValueError("an array of objects, which would need pickle")
    return dtype.itemsize


def check_parquet(path: Path) -> None:
    """Refuse a Parquet file that claims more cells than any real table has."""
    try:
        table = pl.scan_parquet(path, glob=False)
        columns = len(table.collect_schema())
        rows = table.select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, OSError):  # the reader reports what is wrong with it
        return
    if rows * columns > CELLS:
        raise TreegaugeError(
            f"{path}: refused: it claims {rows:,} rows of {columns:,} columns; a table may have {CELLS:,} cells"
        )


class LimitedStream(io.RawIOBase):
    """The unpacked contents of a compressed file, up to a limit that no treebank reaches."""

    def __init__(self, stream: BinaryIO, name: str, packed: int) -> None:
        self.stream, self.name = stream, name
        self.limit = max(FREE, RATIO * packed)
        self.count = 0

    def readable(self) -> bool:
        """Return True: it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes."""
        view = memoryview(buffer).cast("B")
        data = self.stream.read(len(view))
        view[: len(data)] = data
        self.count += len(data)
        if self.count > self.limit:
            raise TreegaugeError(
                f"{self.name}: refused: it unpacks to more than {self.limit:,} bytes, over "
                f"{RATIO:,} times its size; unpack it yourself if you trust it"
            )
        return len(data)

    def close(self) -> None:
        """Close the file."""
        self.stream.close()
        super().close()
