"""Safe extraction of treebanks from untrusted archives.

The names of requested files are checked, and their bytes are written to new files in a folder of
our choice: no path, link, device, owner or mode of the archive reaches the disk. Unpacked bytes are
counted while reading, so that a small file that unpacks to a huge one ends with an error.
"""

import bz2
import errno
import gzip
import hashlib
import lzma
import re
import struct
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import progress
from treegauge.core.platforms import portable_name
from treegauge.core.text_formats import parse_json
from treegauge.treebanks.downloads import UnusableError
from treegauge.treebanks.places import TreebankRequest, fresh_folders, local, release_in_name
from treegauge.treebanks.sources.files import is_conllu, open_bytes
from treegauge.treebanks.sources.languages import fold, near, own_name, release_of

Folder = tuple[str, ...]
STEP = 1 << 20
_PACKED: dict[bytes, Callable[[BinaryIO], BinaryIO]] = {
    b"\x1f\x8b": lambda raw: cast("BinaryIO", gzip.GzipFile(fileobj=raw)),
    b"BZh": lambda raw: cast("BinaryIO", bz2.BZ2File(raw)),
    b"\xfd7zXZ\x00": lambda raw: cast("BinaryIO", lzma.LZMAFile(raw)),  # noqa: SIM115
}
_WORD = re.compile(rb"[0-9]+([-.][0-9]+)?(\t[^\t]*){9}")
_BLANK = re.compile(rb"(\n|\r\n?)[ \t]*(\n|\r\n?)\s*\Z")
_BROKEN = (
    tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, OSError,
    NotImplementedError, RuntimeError, struct.error, UnicodeError, ValueError, OverflowError,
)  # fmt: skip


@dataclass(frozen=True)
class ArchiveLimits:
    """Limits on the files and unpacked bytes of an archive, in total and per packed byte.

    Archives under 256 KiB may unpack to 64 MiB whatever the ratio.
    """

    members: int = 200_000
    size: int = 32 << 30
    ratio: int = 256

    def room(self, packed: int) -> int:
        """Return the number of bytes that an archive of this size may unpack to."""
        return min(self.size, self.ratio * max(packed, 1 << 18))


class Unpacked(NamedTuple):
    """A file that was extracted."""

    name: str
    size: int
    sha256: str


class Member(NamedTuple):
    """A member of an archive; `open` is None unless it is a file or a folder."""

    folder: Folder
    name: str
    open: Callable[[], BinaryIO] | None


def treebanks(archive: Path, *, limits: ArchiveLimits = ArchiveLimits()) -> dict[Folder, list[str]]:
    """List the folders with CoNLL-U files in a tar file (plain, gz, bz2, xz)."""
    folders: dict[Folder, list[str]] = {}
    with _members(archive, limits) as members:
        for member in members:
            if is_conllu(member.name):
                folders.setdefault(member.folder, []).append(member.name)
    return folders


def unpack(
    archive: Path, targets: Mapping[Folder, Path], *, limits: ArchiveLimits = ArchiveLimits()
) -> dict[Folder, list[Unpacked]]:
    """Write the files directly in the given folders of an archive to new, empty folders.

    Hidden files and folders inside the folders are left out.
    """
    written: dict[Folder, list[Unpacked]] = {folder: [] for folder in targets}
    seen_names: set[tuple[Folder, str]] = set()
    with _members(archive, limits) as members:
        for member in members:
            folder, name = member.folder, member.name
            if folder not in targets or name.startswith(".") or not name:
                continue
            where = "/".join((*folder, name))
            if member.open is None:
                raise UnusableError(
                    f"{archive}: refused: {where!r} is a link, a device or has no safe name; expected files only"
                )
            if (folder, name.casefold()) in seen_names:
                raise UnusableError(f"{archive}: refused: {where!r} occurs more than once")
            seen_names.add((folder, name.casefold()))
            digest, size = hashlib.sha256(), 0
            with member.open() as stream, (targets[folder] / name).open("xb") as file:
                while data := stream.read(STEP):
                    digest.update(data)
                    size += file.write(data)
            written[folder].append(Unpacked(name, size, digest.hexdigest()))
    return written


def check_conllu(path: Path, source: str) -> None:
    """Refuse a file that does not begin with a word of CoNLL-U, or does not end as CoNLL-U does."""
    start = end = b""
    try:
        with open_bytes(path) as stream:
            while data := stream.read(STEP):
                start = start or data
                end = (end + data)[-4096:]
    except TreegaugeError as error:
        raise UnusableError(f"{source}: expected a packed CoNLL-U file: {error}") from None
    if not start:
        raise UnusableError(f"{source}: the file is empty, expected CoNLL-U")
    lines = start.removeprefix(b"\xef\xbb\xbf").splitlines()
    first = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")
    if not _WORD.fullmatch(first):
        what = "a web page" if first.lstrip()[:1] == b"<" else repr(first[:40].decode("latin-1"))
        raise UnusableError(f"{source}: found {what}, expected CoNLL-U: words with ten columns separated by tabs")
    if not _BLANK.search(end):
        raise UnusableError(f"{source}: the file was cut off: it ends without an empty line after the last sentence")


@contextmanager
def _members(archive: Path, limits: ArchiveLimits) -> Iterator[Iterator[Member]]:
    """Yield the members of an archive in order; a file must be read before the next one."""
    try:
        size = archive.stat().st_size
        with archive.open("rb") as raw, progress(f"bytes of {archive.name}", size) as task:
            start = raw.read(8)
            raw.seek(0)

            def advanced() -> None:
                task.update(raw.tell(), size)

            yield _tar_members(raw, start, size, limits, advanced)
    except RecursionError:  # headers that announce further headers
        raise UnusableError(f"{archive}: refused: its headers are nested too deeply") from None
    except _BROKEN as error:
        # EINVAL is the only OSError caused by the archive: it points before its own start.
        if isinstance(error, OSError) and error.errno not in {None, errno.EINVAL}:
            raise
        page = "; it is a web page" if start.lstrip()[:1] == b"<" else ""
        what = "; it is a zip file: expected a tar file" if start.startswith(b"PK") else page
        raise UnusableError(f"{archive}: cannot unpack{what}: {error}") from error
    except _RefusedError as refused:
        raise UnusableError(f"{archive}: refused: {refused}") from None


class _RefusedError(Exception):
    """A reason to refuse an archive."""


def _tar_members(
    raw: BinaryIO, start: bytes, size: int, limits: ArchiveLimits, advanced: Callable[[], None]
) -> Iterator[Member]:
    opener = next((_PACKED[magic] for magic in _PACKED if start.startswith(magic)), None)
    stream = _Forward(opener(raw) if opener else raw, limits.room(size))
    with tarfile.open(fileobj=cast("BinaryIO", stream), mode="r:") as tar:
        for number, info in enumerate(tar):
            if number >= limits.members:
                raise _RefusedError(f"it holds more than {limits.members:,} files")
            advanced()
            folder, name = _split(info.name)
            if info.isdir():
                continue
            plain = info.isfile() and not info.issparse() and portable_name(name)
            opened = cast("Callable[[], BinaryIO]", partial(tar.extractfile, info))
            yield Member(folder, name, opened if plain else None)
        if stream.last != bytes(tarfile.BLOCKSIZE):  # tarfile treats a damaged header as the end
            raise tarfile.ReadError("it is damaged or was cut off")
        while stream.read(STEP):  # checksums of packed files come last
            advanced()


class _Forward:
    """A forward-only stream that counts bytes and limits the size of each read.

    tarfile seeks back by at most one byte; a packed stream would restart from the beginning.
    """

    def __init__(self, stream: BinaryIO, limit: int) -> None:
        self.stream, self.limit = stream, limit
        self.position = 0
        self.last = b""
        self.stepped_back = False

    def tell(self) -> int:
        return self.position - self.stepped_back

    def seek(self, position: int) -> int:
        self.stepped_back = position == self.position - 1
        if position < self.position - 1:
            raise _RefusedError("its headers point backwards")
        while self.position < position and self._take(min(STEP, position - self.position)):
            pass
        return self.tell()

    def read(self, size: int) -> bytes:
        if not 0 <= size <= STEP:
            raise _RefusedError(f"it has a header of {size:,} bytes")
        again = self.last[-1:] if self.stepped_back and size else b""
        self.stepped_back = False
        return again + self._take(size - len(again))

    def _take(self, size: int) -> bytes:
        data = self.stream.read(size)
        self.position += len(data)
        if self.position > self.limit:
            raise _RefusedError(f"it unpacks to more than {self.limit:,} bytes")
        self.last = data or self.last
        return data


def _split(path: str) -> tuple[Folder, str]:
    """Split a member's path; refuse paths that lead outside the archive."""
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if path.startswith("/") or ".." in parts or "\\" in path or re.match(r"[A-Za-z]:", path):
        raise _RefusedError(f"the path {path[:200]!r} leads outside")
    return tuple(parts[:-1]), parts[-1] if parts else ""


def treebank_folders(
    contents: Mapping[Folder, Sequence[str]], wanted: Sequence[TreebankRequest], place: str
) -> Iterator[tuple[Folder, TreebankRequest]]:
    """Find the folder of each treebank in an archive."""
    outer = sorted(folder for folder in contents if not _is_inner(folder, contents))
    for request in wanted:
        if request.everything:
            yield from ((folder, request) for folder in outer)
            continue
        named = [f for f in outer if f and fold(own_name(f[-1])[0]) == fold(request.name or "")]
        coded = [
            folder
            for folder in outer
            if request.code and any(file.startswith(f"{request.code}-ud-") for file in contents[folder])
        ]
        lone = [()] if list(contents) == [()] and request.code is None else []
        folders = named or coded or lone
        if not folders:
            names = [own_name(folder[-1])[0] for folder in outer if folder]
            raise ChoiceError(f"treebank in {place}", request.text, near(request.text, names) or names)
        releases = {folder: release_in_folder(folder) or release_in_name(place) for folder in folders}
        fitting = [f for f in folders if None in {releases[f], request.release} or releases[f] == request.release]
        if not fitting:
            raise TreegaugeError(
                f"{place}: found release {releases[folders[0]]} of "
                f"{request.text.partition('@')[0]}, expected {request.release}"
            )
        best, *others = fitting
        if others:
            every = " or ".join("/".join(folder) for folder in fitting)
            remedy = (
                "expected one folder"
                if request.release or len({releases[folder] for folder in fitting}) == 1
                else "name its release"
            )
            raise TreegaugeError(f"{place}: {request.text} may be {every}; {remedy}")
        yield best, request


def _is_inner(folder: Folder, contents: Mapping[Folder, Sequence[str]]) -> bool:
    """Whether a folder belongs to a treebank further out, as not-to-release does."""
    outside = [folder[:cut] for cut in range(len(folder)) if folder[:cut] in contents]
    in_treebank = any(path[-1:] and path[-1].startswith("UD_") for path in outside)
    return in_treebank or bool(outside and not folder[-1].startswith("UD_"))


def release_in_folder(folder: Folder) -> str | None:
    """Return the release named in the path of a folder in an archive."""
    for name in reversed(folder):
        if release := own_name(name)[1] or release_of(name):
            return release
    return None


LANGUAGE_DATA = "language-data"
"""What to request instead of a treebank, and the name of the folder."""
OFFICIAL = {
    "feats.json": "features",
    "deprels.json": "deprels",
    "edeprels.json": "edeprels",
    "data.json": "auxiliaries",
    "tospace.json": "expressions",
}
"""The official files, and the key of each that contains the languages."""


def fetch_language_files(
    place: str, target: Path, using: Callable[[str], AbstractContextManager[tuple[Path, str]]], *, replace: bool
) -> list[Unpacked]:
    """Collect the five files in a folder, all or none of them.

    `place` is a folder, or an address with ``{file}`` for the names of the files; `using` yields the file of an
    address, downloaded or on this machine, and its checksum.
    """
    if "{file}" not in place:
        if not local(place).is_dir():
            raise TreegaugeError(
                f"{place}: found no folder, expected one with {', '.join(OFFICIAL)}, or an address "
                "with {file} for their names"
            )
        place = f"{place.rstrip('/')}/{{file}}"
    contents: dict[Unpacked, bytes] = {}
    for name, key in OFFICIAL.items():
        source = place.replace("{file}", name)
        with using(source) as (path, digest):
            data = path.read_bytes()
            try:
                parse_json(data)[key]
            except (ValueError, KeyError, TypeError):
                raise UnusableError(
                    f"{source}: found no table {key!r}; expected the official file of that name"
                ) from None
            contents[Unpacked(name, len(data), digest)] = data
    with fresh_folders({None: target}, replace=replace) as fresh:
        for file, data in contents.items():
            (fresh[None] / file.name).write_bytes(data)
    return list(contents)
