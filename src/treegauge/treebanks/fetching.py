"""Fetching treebanks from a release's archive, a git mirror or plain addresses."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result, sign
from treegauge.treebanks.archives import Folder, Limits, Unpacked, treebanks, unpack
from treegauge.treebanks.downloads import (
    NotThereError,
    address,
    cache_folder,
    cached_name,
    check_sha256,
    download,
)
from treegauge.treebanks.entries import holds_treebank
from treegauge.treebanks.languages import fold, is_plain, near, own_name, release_of
from treegauge.treebanks.mirrors import export
from treegauge.treebanks.places import Wanted, gaps, is_remote, kind_of, local, told_release
from treegauge.treebanks.placing import fresh_folders, home
from treegauge.treebanks.sources import SPLITS, Source

if TYPE_CHECKING:
    import polars as pl

    from treegauge.treebanks.tally import Progress

Stage = Callable[[str], "Progress"]
"""Called with what begins; gives the function to tell of the bytes done."""
_SHA256 = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True)
class Arrival:
    """A treebank that is on disk now.

    Parameters
    ----------
    name, release, folder
        Which, and where.
    source, version
        Where it comes from, with the archive's checksum or the repository's commit.
    files
        What was written; empty if the treebank had been there before.
    """

    name: str
    release: str | None
    folder: Path
    source: str
    version: str | None = None
    files: tuple[Unpacked, ...] = ()


@dataclass(frozen=True)
class Fetched(Result):
    """Treebanks that were fetched, or were there."""

    arrivals: tuple[Arrival, ...]
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row a treebank."""
        import polars as pl

        rows = [
            (
                one.name, one.release, "fetched" if one.files else "was there",
                len(one.files), sum(file.size for file in one.files),
                one.source, one.version, str(one.folder),
            )
            for one in self.arrivals
        ]  # fmt: skip
        schema = {
            "treebank": pl.String, "release": pl.String, "status": pl.String, "files": pl.Int64,
            "bytes": pl.Int64, "source": pl.String, "version": pl.String, "folder": pl.String,
        }  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row")

    def shown(self) -> "pl.DataFrame":
        """Return what fits on a screen."""
        return self.table.select("treebank", "release", "status", "files", "bytes", "folder")

    def to_dict(self) -> dict[str, Any]:
        """Return the rows, each with the checksums of its files."""
        rows = self.table.drop("files").to_dicts()
        for row, one in zip(rows, self.arrivals, strict=True):
            row["files"] = [file._asdict() for file in one.files]
        return {"signature": self.signature, "rows": rows}


def fetch(
    wanted: str | Sequence[str],
    source: str,
    *,
    into: Source = "ud",
    sha256: str | None = None,
    cache: Source | None = None,
    refresh: bool = False,
    replace: bool = False,
    limits: Limits | None = None,
    stage: Stage | None = None,
) -> Fetched:
    """Fetch treebanks, each whole or not at all.

    Parameters
    ----------
    wanted
        Names or codes with their release: ``"UD_Greek-GDT@2.9"``, ``"el_gdt@2.9"``; ``"all@2.9"``
        is everything in an archive.
    source
        An archive (tar or zip, packed as gz, bz2 or xz, here or at an address), a git repository,
        or CoNLL-U files. Gaps ``{name}``, ``{code}``, ``{release}`` are filled in, and ``{split}``
        with each of train, dev and test, of which some may be missing.
    into
        Folder for the treebanks. They go to a folder of their release in it, such as ``r2.9``.
    sha256
        The checksum of the one file that is taken or downloaded.
    cache
        Folder for downloads, by default ``$TREEGAUGE_CACHE`` or one of the user's.
    refresh
        Whether to download again what is in the cache.
    replace
        Whether to replace treebanks that are there; they are left alone otherwise.
    limits
        How much an archive may hold.
    stage
        Told of what happens, for progress bars.

    Returns
    -------
    Fetched
        What is where, with checksums.
    """
    if sha256 is not None and not _SHA256.fullmatch(sha256):
        raise TreegaugeError(f"found the SHA-256 {sha256!r}, expected 64 hexadecimal digits")
    requests = [Wanted.parse(one) for one in ([wanted] if isinstance(wanted, str) else wanted)]
    gaps(source)
    job = _Job(
        Path(into), Path(cache) if cache else cache_folder(), sha256, refresh, replace,
        limits or Limits(), stage or _silent,
    )  # fmt: skip
    arrivals: list[Arrival] = []
    places: dict[str, list[Wanted]] = {}
    for request in dict.fromkeys(requests):
        there = home(job.into, request.release) / (request.name or "")
        if request.name and not replace and holds_treebank(there):
            arrivals.append(Arrival(request.name, request.release, there, source))
        else:
            places.setdefault(request.fill(source), []).append(request)
    if sha256 and len(places) > 1:
        raise TreegaugeError(f"one checksum for {len(places)} downloads; fetch one at a time")
    for place, some in places.items():
        arrivals += job.run(place, some)
    return Fetched(tuple(arrivals), sign(v="fetch", source=source, sha256=sha256))


def _silent(_: str) -> "Progress":
    return lambda _done, _total: None


@dataclass(frozen=True)
class _Job:
    """The choices that all treebanks of a call share."""

    into: Path
    cache: Path
    sha256: str | None
    refresh: bool
    replace: bool
    limits: Limits
    stage: Stage

    def run(self, place: str, wanted: list[Wanted]) -> list[Arrival]:
        kind, place = kind_of(place)
        if kind == "archive":
            path, digest = self.obtain(place)
            return self.unpack(path, place, f"sha256:{digest}", wanted)
        if any(request.name is None for request in wanted):
            raise TreegaugeError(f"{place} needs the treebank's name, such as UD_Greek-GDT@2.9")
        if kind == "files":
            return [self.copy(place, request) for request in wanted]
        if self.sha256:
            raise TreegaugeError("git repositories are known by their commits, not by a SHA-256")
        arrivals = []
        for request in wanted:
            self.stage(f"asking {place}")
            path, commit = export(place, request.release, self.cache, refresh=self.refresh)
            arrivals += self.unpack(path, place, f"commit:{commit}", [request])
        return arrivals

    def obtain(self, place: str) -> tuple[Path, str]:
        """Return a file of this machine and its checksum, downloaded if need be."""
        if not is_remote(place):
            path = local(place)
            if not path.is_file():
                raise NotThereError(f"{place}: no such file")
            return path, check_sha256(path, self.sha256, place)
        target = self.cache / cached_name(place)
        if self.refresh:
            target.unlink(missing_ok=True)
        progress = self.stage(f"downloading {place}")
        return target, download(place, target, sha256=self.sha256, progress=progress)

    def unpack(self, path: Path, place: str, version: str, wanted: list[Wanted]) -> list[Arrival]:
        """Take treebanks out of an archive, all in one go."""
        found = treebanks(path, limits=self.limits, progress=self.stage(f"listing {path.name}"))
        if not found:
            raise TreegaugeError(f"{place}: found no CoNLL-U file in it")
        arrivals: dict[Folder, Arrival] = {}
        targets: dict[Folder, Path] = {}
        for folder, request in _choose(found, wanted, place):
            name = own_name(folder[-1])[0] if folder else ""
            if request.name and fold(name) != fold(request.name):
                name = request.name
            if not is_plain(name):
                raise TreegaugeError(f"{place}: found a treebank {name!r}; name the one you want")
            release = request.release or _told(folder) or told_release(place)
            target = home(self.into, release) / name
            arrivals[folder] = Arrival(name, release, target, place, version)
            if self.replace or not holds_treebank(target):
                targets[folder] = target
        with fresh_folders(targets, replace=self.replace) as fresh:
            progress = self.stage(f"unpacking {path.name}")
            written = unpack(path, fresh, limits=self.limits, progress=progress) if fresh else {}
        return [_with(one, written.get(folder, [])) for folder, one in arrivals.items()]

    def copy(self, place: str, request: Wanted) -> Arrival:
        """Bring the files of a treebank together, one for each of its parts that is there."""
        splits: Sequence[str | None] = SPLITS if "split" in gaps(place) else [None]
        if self.sha256 and len(splits) > 1:
            raise TreegaugeError("one checksum for three files; leave it out, or fetch an archive")
        paths: dict[str, Path] = {}
        for split in splits:
            filled = request.fill(place, split)
            name = Path(unquote(address(filled).path)).name
            try:
                paths[name] = self.obtain(filled)[0]
            except NotThereError:
                if split is None:
                    raise
        if not paths:
            raise NotThereError(f"{place}: none of {', '.join(SPLITS)} is there")
        assert request.name is not None  # noqa: S101 -- run() saw to it
        target = home(self.into, request.release) / request.name
        with fresh_folders({None: target}, replace=self.replace) as fresh:
            files = [_copy(path, fresh[None] / name) for name, path in paths.items()]
        return _with(Arrival(request.name, request.release, target, place), files)


def _with(arrival: Arrival, files: Sequence[Unpacked]) -> Arrival:
    return Arrival(**(vars(arrival) | {"files": tuple(files)}))


def _copy(path: Path, target: Path) -> Unpacked:
    data = path.read_bytes()
    target.write_bytes(data)
    return Unpacked(target.name, len(data), hashlib.sha256(data).hexdigest())


def _choose(
    found: Mapping[Folder, Sequence[str]], wanted: Sequence[Wanted], place: str
) -> Iterator[tuple[Folder, Wanted]]:
    """Find the folder of each treebank in an archive."""
    for request in wanted:
        if request.everything:
            inner = {f for f in found for cut in range(len(f)) if f[:cut] in found}
            yield from ((folder, request) for folder in sorted(found) if folder not in inner)
            continue
        named = [f for f in found if f and fold(own_name(f[-1])[0]) == fold(request.name or "")]
        coded = [
            folder
            for folder, files in found.items()
            if request.code and any(file.startswith(f"{request.code}-ud-") for file in files)
        ]
        lone = [()] if list(found) == [()] and request.code is None else []
        folders = named or coded or lone
        if not folders:
            names = [own_name(folder[-1])[0] for folder in found if folder]
            raise ChoiceError(
                f"treebank in {place}", request.text, near(request.text, names) or names
            )
        told = {folder: _told(folder) or told_release(place) for folder in folders}
        fitting = [
            f for f in folders if None in {told[f], request.release} or told[f] == request.release
        ]
        if not fitting:
            raise TreegaugeError(
                f"{place}: found release {told[folders[0]]} of {request.text.partition('@')[0]}, "
                f"expected {request.release}"
            )
        best, *others = sorted(fitting, key=lambda folder: (len(folder), folder))
        if others and len(others[0]) == len(best):
            both = " and ".join("/".join(folder) for folder in (best, others[0]))
            raise TreegaugeError(f"{place}: {request.text} may be {both}; name its release")
        yield best, request


def _told(folder: Folder) -> str | None:
    """Return the release that a folder of an archive is told to be of."""
    for name in reversed(folder):
        if release := own_name(name)[1] or release_of(name):
            return release
    return None
