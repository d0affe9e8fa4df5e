"""Files of treebanks: their names, and reading them whether compressed or not."""

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from treegauge.core.arguments import bad_text
from treegauge.core.errors import TreegaugeError
from treegauge.core.files import protect
from treegauge.core.safe_reading import LimitedStream

SPLITS = ("train", "dev", "test")
ENDINGS = ("", ".gz", ".xz", ".zst", ".bz2")
ANSWERS = (".txt", ".md", ".json", ".jsonl")
"""Endings of files that are answers of language models."""
Source = str | os.PathLike[str]
Errors = Literal["strict", "skip", "repair"]
"""What to do about malformed sentences."""


@contextmanager
def open_bytes(path: Source) -> Iterator[BinaryIO]:
    """Open a file for reading bytes; ``-`` is standard input, compressed files are unpacked."""
    name = os.fspath(path)
    if name == "-":
        yield sys.stdin.buffer
        return
    protect(name)
    damaged = (zlib.error, lzma.LZMAError, EOFError, *([_zstd().ZstdError] if name.endswith(".zst") else []))
    try:
        with _open(name) as stream:
            yield stream
    except damaged as error:
        raise TreegaugeError(f"{name}: cannot unpack: {error}") from error
    except OSError as error:
        if error.errno is None:  # errors of the decompressors
            raise TreegaugeError(f"{name}: cannot unpack: {error}") from error
        raise TreegaugeError(f"{name}: {error.strerror or error}") from error


def _open(name: str) -> BinaryIO:
    openers: dict[str, Any] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
    ending = Path(name).suffix
    if ending == ".zst":
        openers[ending] = _zstd().open
    if ending not in openers:
        return Path(name).open("rb")
    stream = LimitedStream(openers[ending](name), name, Path(name).stat().st_size)
    return cast("BinaryIO", io.BufferedReader(stream, 1 << 20))


def _zstd() -> Any:
    """Return the module for Zstandard, which Python has from 3.14."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def packed(data: bytes, ending: str) -> bytes:
    """Compress bytes in the format of a file's ending; the output is deterministic."""
    if ending == ".gz":
        return gzip.compress(data, mtime=0)
    if ending == ".zst":
        return cast("bytes", _zstd().compress(data))
    if ending == ".bz2":
        return bz2.compress(data)
    return lzma.compress(data) if ending == ".xz" else data


def conllu_files(place: Source) -> list[str]:
    """Return a folder's treebank files, without compressed duplicates; or the file itself."""
    members: dict[str, str] = {}
    if not Path(place).is_dir():
        members[str(place)] = os.fspath(place)
    entries = entries_of(place) if Path(place).is_dir() else []
    for ending in ENDINGS:
        for path in entries:
            if path.name.endswith(f".conllu{ending}"):
                members.setdefault(short_name(path), str(path))
    check_file_names(members.values())
    return in_order(members.values())


def check_file_names(files: Iterable[str]) -> None:
    r"""Refuse names that cannot be written: treebanks are named by their files.

    Examples
    --------
    >>> check_file_names(["a.conllu", "\udcff.conllu"])
    Traceback (most recent call last):
    ...
    treegauge.core.errors.TreegaugeError: '\udcff.conllu': the name holds bytes that are not UTF-8; rename the file
    """
    for name in files:
        if not name.isprintable() and (problem := bad_text(name)):
            raise TreegaugeError(f"{name!a}: the name holds {problem}; rename the file")


def in_order(files: Iterable[str]) -> list[str]:
    """Return files by folder, the training set before dev and test, each once."""
    order = {part: i for i, part in enumerate(SPLITS)}
    keys = {path: (str(Path(path).parent), order.get(split_of(path) or "", 3), path) for path in files}
    return sorted(keys, key=keys.__getitem__)


def entries_of(folder: Source) -> list[Path]:
    """Return what is in a folder, sorted; a folder that cannot be read is an error."""
    try:
        return sorted(Path(folder).iterdir())
    except OSError as error:
        reason = error.strerror or error
        raise TreegaugeError(f"{folder}: cannot read this folder: {reason}") from error


def is_conllu(path: Source) -> bool:
    """Whether a file has the name of a CoNLL-U file, compressed or not."""
    return os.fspath(path).endswith(tuple(f".conllu{ending}" for ending in ENDINGS))


def is_stream(path: Source) -> bool:
    """Whether a path can only be read once, such as a pipe or ``/dev/stdin``: it is CoNLL-U."""
    return Path(path).is_fifo() or Path(path).is_char_device()


def split_of(path: Source) -> str | None:
    """Return the split in a file's name, or None."""
    stem = Path(path).name.partition(".conllu")[0]
    last = stem.replace("_", "-").split("-")[-2:]  # the largest training sets have several files
    return next((part for part in reversed(last) if part in SPLITS), None)


def short_name(path: Source) -> str:
    """Return a name for signatures: the file's name without its endings."""
    name = Path(path).name.removesuffix(Path(path).suffix if Path(path).suffix in ANSWERS else "")
    return "stdin" if name == "-" else name.partition(".conllu")[0]


def count_lines(data: bytes) -> int:
    """Count the line ends in these bytes: LF, CRLF or a lone CR."""
    lines = data.count(b"\n")
    return lines + data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else lines


def pieces(path: str, chunk: int) -> Iterator[bytes]:
    """Yield the bytes of a file in pieces of about `chunk` that end with a sentence."""
    if chunk < 1:
        raise TreegaugeError(f"a piece has {chunk} bytes; expected at least 1")
    with open_bytes(path) as stream:
        rest = b""
        more = True
        while more:
            size = max(chunk, len(rest))
            data = stream.read(size)
            more = len(data) == size
            data = rest + data
            cut = _last_blank_line(data) if more else len(data)
            if cut:
                yield data[:cut]
            rest = data[cut:]


def _last_blank_line(data: bytes) -> int:
    """Return the position after the last blank line with text after it, or 0."""
    after = len(data.rstrip(b"\r\n"))
    cut = data.rfind(b"\n\n", 0, after)
    for mark in (b"\n\r", b"\r\r"):  # these are rare, so only the rest is searched
        cut = max(cut, data.rfind(mark, max(cut, 0), after))
    cut += 2
    if cut == 1:
        return 0
    while data[cut] in b"\r\n":
        cut += 1
    return cut
