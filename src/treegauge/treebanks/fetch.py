"""The verb ``fetch``: treebanks of a UD release from an archive, git or single files."""

import dataclasses
import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import unquote

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import Result, sign
from treegauge.core.verbs import verb
from treegauge.treebanks.archives import Folder, Unpacked, treebanks, unpack
from treegauge.treebanks.downloads import (
    MissingFileError,
    address,
    cache_folder,
    cached_name,
    check_sha256,
    download,
    export,
)
from treegauge.treebanks.entries import holds_treebank
from treegauge.treebanks.language_files import LANGUAGE_DATA, fetch_language_files
from treegauge.treebanks.languages import fold, is_plain, near, own_name, release_of
from treegauge.treebanks.places import (
    TreebankRequest,
    advice,
    fresh_folders,
    home,
    is_remote,
    kind_of,
    local,
    placeholders,
    release_in_name,
)
from treegauge.treebanks.sources import SPLITS, Source

if TYPE_CHECKING:
    import polars as pl

_SHA256 = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True)
class FetchedTreebank:
    """A treebank that was fetched, or existed already (then `files` is empty).

    `version` is the checksum of the archive or the commit of the repository.
    """

    name: str
    release: str | None
    folder: Path
    source: str
    version: str | None = None
    files: tuple[Unpacked, ...] = ()


@dataclass(frozen=True)
class Fetched(Result):
    """Treebanks that were fetched or existed already."""

    treebanks: tuple[FetchedTreebank, ...]
    signature: str
    kind: ClassVar[str] = "fetch"

    @property
    def table(self) -> "pl.DataFrame":
        """One row per treebank."""
        import polars as pl

        rows = [
            (
                treebank.name, treebank.release, "fetched" if treebank.files else "existed",
                len(treebank.files), sum(file.size for file in treebank.files),
                treebank.source, treebank.version, str(treebank.folder),
            )
            for treebank in self.treebanks
        ]  # fmt: skip
        schema = {
            "treebank": pl.String, "release": pl.String, "status": pl.String, "files": pl.Int64,
            "bytes": pl.Int64, "source": pl.String, "version": pl.String, "folder": pl.String,
        }  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row")

    def shown(self) -> "pl.DataFrame":
        """Return the columns that fit on a screen."""
        return self.table.select("treebank", "release", "status", "files", "bytes", "folder")

    def json_rows(self) -> list[dict[str, Any]]:
        """Return the rows, each with the checksums of its files."""
        rows = self.table.drop("files").to_dicts()
        for row, treebank in zip(rows, self.treebanks, strict=True):
            row["files"] = [file._asdict() for file in treebank.files]
        return rows


@verb
def fetch(
    wanted: str | Sequence[str],
    source: Source | None = None,
    *,
    into: Source | None = None,
    sha256: str | None = None,
    cache: Source | None = None,
    refresh: bool = False,
    replace: bool = False,
) -> Fetched:
    """Fetch treebanks of a UD release.

    An interrupted download is resumed, archives are checked, and each treebank is written
    atomically.

    treegauge fetch UD_Greek-GDT@2.9 --source ud-treebanks-v2.9.tgz

    treegauge fetch language-data --source 'https://HOST/valrules/{file}'

    Parameters
    ----------
    wanted
        Names or codes with their release: UD_Greek-GDT@2.9, el_gdt@2.9; all@2.9 fetches everything
        in an archive. language-data is the data on languages for levels 4 and 5 of check.
    source
        Path or URL of an archive (tar or zip, compressed with gz, bz2 or xz), of a git repository,
        or of CoNLL-U files. {name}, {code} and {release} are replaced, and {split} by each of
        train, dev and test, some of which may be missing. For language-data a folder, or a URL with
        {file} for the names of the five official files. By default the environment variable
        TREEGAUGE_SOURCE.
    into
        Folder for the treebanks, by default the environment variable TREEGAUGE_UD, else ud. Each
        goes to a subfolder for its release, such as r2.9.
    sha256
        Expected checksum of the file that is read or downloaded.
    cache
        Folder for downloads, by default the environment variable TREEGAUGE_CACHE, else the user's
        cache folder.
    refresh
        Download again, ignoring the cache.
    replace
        Replace existing treebanks; by default they are kept.

    Examples
    --------
    >>> import tarfile, tempfile
    >>> from pathlib import Path
    >>> import treegauge as tg
    >>> home = Path(tempfile.mkdtemp())
    >>> tg.write_conllu(tg.synthetic(5, seed=1), home / "el_gdt-ud-test.conllu")
    >>> with tarfile.open(home / "ud-treebanks-v2.9.tgz", "w:gz") as archive:
    ...     archive.add(home / "el_gdt-ud-test.conllu",
    ...                 "ud-treebanks-v2.9/UD_Greek-GDT/el_gdt-ud-test.conllu")
    >>> packed = str(home / "ud-treebanks-v2.9.tgz")
    >>> got = fetch("UD_Greek-GDT@2.9", packed, into=home / "ud", cache=home / "cache")
    >>> got.table.select("treebank", "release", "status").row(0)
    ('UD_Greek-GDT', '2.9', 'fetched')
    """
    if sha256 is not None and not _SHA256.fullmatch(sha256):
        raise TreegaugeError(f"found the SHA-256 {sha256!r}, expected 64 hexadecimal digits")
    names = [wanted] if isinstance(wanted, str) else wanted
    place = None if source is None else os.fspath(source)
    if LANGUAGE_DATA in names:
        return _fetch_language_data(names, place, into, cache, sha256, replace)
    requests = [TreebankRequest.parse(name) for name in names]
    place = place or os.environ.get("TREEGAUGE_SOURCE")
    if place is None:
        raise TreegaugeError(advice(requests[0].release if requests else None))
    placeholders(place)
    folder = Path(into or os.environ.get("TREEGAUGE_UD") or "ud")
    job = _FetchJob(folder, Path(cache) if cache else cache_folder(), sha256, refresh, replace)
    arrivals: list[FetchedTreebank] = []
    places: dict[str, list[TreebankRequest]] = {}
    for request in dict.fromkeys(requests):
        there = home(job.into, request.release) / (request.name or "")
        if request.name and not replace and holds_treebank(there):
            arrivals.append(FetchedTreebank(request.name, request.release, there, place))
        else:
            places.setdefault(request.fill(place), []).append(request)
    if sha256 and len(places) > 1:
        raise TreegaugeError(f"one checksum for {len(places)} downloads; fetch one at a time")
    for filled, requested in places.items():
        arrivals += job.run(filled, requested)
    return Fetched(tuple(arrivals), sign(v="fetch", source=place, sha256=sha256))


def _fetch_language_data(
    names: Sequence[str],
    source: str | None,
    into: Source | None,
    cache: Source | None,
    sha256: str | None,
    replace: bool,
) -> Fetched:
    """Fetch the official files of language data, which change daily: never from the cache."""
    if len(names) > 1 or sha256:
        raise TreegaugeError(f"{LANGUAGE_DATA} is fetched alone and without a checksum")
    if source is None:
        raise TreegaugeError(
            f"no source to fetch {LANGUAGE_DATA} from: give --source, a folder or an address with "
            "{file}; the files are in valrules of UniversalDependencies/docs-automation"
        )
    folder = Path(into or os.environ.get("TREEGAUGE_UD") or "ud")
    target = folder / LANGUAGE_DATA
    arrival = FetchedTreebank(LANGUAGE_DATA, None, target, source)
    if replace or not target.exists():
        job = _FetchJob(folder, Path(cache) if cache else cache_folder(), None, True, replace)
        files = fetch_language_files(
            source, target, lambda place: job.obtain(place)[0], replace=replace
        )
        arrival = _with(arrival, files)
    return Fetched((arrival,), sign(v="fetch", source=source))


@dataclass(frozen=True)
class _FetchJob:
    """The options shared by all treebanks of a call."""

    into: Path
    cache: Path
    sha256: str | None
    refresh: bool
    replace: bool

    def run(self, place: str, wanted: list[TreebankRequest]) -> list[FetchedTreebank]:
        kind, place = kind_of(place)
        if kind == "archive":
            path, digest = self.obtain(place)
            return self.unpack(path, place, f"sha256:{digest}", wanted)
        if any(request.name is None for request in wanted):
            raise TreegaugeError(f"{place} needs the treebank's name, such as UD_Greek-GDT@2.9")
        if kind == "files":
            return [self.copy(place, request) for request in wanted]
        if self.sha256:
            raise TreegaugeError("git repositories are identified by commits, not by a SHA-256")
        arrivals = []
        for request in wanted:
            path, commit = export(place, request.release, self.cache, refresh=self.refresh)
            arrivals += self.unpack(path, place, f"commit:{commit}", [request])
        return arrivals

    def obtain(self, place: str) -> tuple[Path, str]:
        """Return a local file, downloaded if necessary, and its checksum."""
        if not is_remote(place):
            path = local(place)
            if not path.is_file():
                raise MissingFileError(f"{place}: no such file")
            return path, check_sha256(path, self.sha256, place)
        target = self.cache / cached_name(place)
        if self.refresh:
            target.unlink(missing_ok=True)
        return target, download(place, target, sha256=self.sha256)

    def unpack(
        self, path: Path, place: str, version: str, wanted: list[TreebankRequest]
    ) -> list[FetchedTreebank]:
        """Extract treebanks from an archive in one pass."""
        folders = treebanks(path)
        if not folders:
            raise TreegaugeError(f"{place}: found no CoNLL-U file in it")
        arrivals: dict[Folder, FetchedTreebank] = {}
        targets: dict[Folder, Path] = {}
        for folder, request in _choose(folders, wanted, place):
            name = own_name(folder[-1])[0] if folder else ""
            if request.name and fold(name) != fold(request.name):
                name = request.name
            if not is_plain(name):
                raise TreegaugeError(f"{place}: found a treebank {name!r}; name the one you want")
            release = request.release or _release_in(folder) or release_in_name(place)
            target = home(self.into, release) / name
            arrivals[folder] = FetchedTreebank(name, release, target, place, version)
            if self.replace or not holds_treebank(target):
                targets[folder] = target
        with fresh_folders(targets, replace=self.replace) as fresh:
            written = unpack(path, fresh) if fresh else {}
        return [_with(fetched, written.get(folder, [])) for folder, fetched in arrivals.items()]

    def copy(self, place: str, request: TreebankRequest) -> FetchedTreebank:
        """Collect the files of a treebank, one per existing set."""
        splits: Sequence[str | None] = SPLITS if "split" in placeholders(place) else [None]
        if self.sha256 and len(splits) > 1:
            raise TreegaugeError("one checksum for three files; leave it out, or fetch an archive")
        paths: dict[str, Path] = {}
        for split in splits:
            filled = request.fill(place, split)
            name = Path(unquote(address(filled).path)).name
            try:
                paths[name] = self.obtain(filled)[0]
            except MissingFileError:
                if split is None:
                    raise
        if not paths:
            raise MissingFileError(f"{place}: found none of {', '.join(SPLITS)}")
        assert request.name is not None  # noqa: S101 -- run() saw to it
        target = home(self.into, request.release) / request.name
        with fresh_folders({None: target}, replace=self.replace) as fresh:
            files = []
            for name, path in paths.items():
                data = path.read_bytes()
                (fresh[None] / name).write_bytes(data)
                files.append(Unpacked(name, len(data), hashlib.sha256(data).hexdigest()))
        return _with(FetchedTreebank(request.name, request.release, target, place), files)


def _with(treebank: FetchedTreebank, files: Sequence[Unpacked]) -> FetchedTreebank:
    return dataclasses.replace(treebank, files=tuple(files))


def _choose(
    contents: Mapping[Folder, Sequence[str]], wanted: Sequence[TreebankRequest], place: str
) -> Iterator[tuple[Folder, TreebankRequest]]:
    """Find the folder of each treebank in an archive."""
    for request in wanted:
        if request.everything:
            inner = {f for f in contents for cut in range(len(f)) if f[:cut] in contents}
            yield from ((folder, request) for folder in sorted(contents) if folder not in inner)
            continue
        named = [f for f in contents if f and fold(own_name(f[-1])[0]) == fold(request.name or "")]
        coded = [
            folder
            for folder, files in contents.items()
            if request.code and any(file.startswith(f"{request.code}-ud-") for file in files)
        ]
        lone = [()] if list(contents) == [()] and request.code is None else []
        folders = named or coded or lone
        if not folders:
            names = [own_name(folder[-1])[0] for folder in contents if folder]
            raise ChoiceError(
                f"treebank in {place}", request.text, near(request.text, names) or names
            )
        releases = {folder: _release_in(folder) or release_in_name(place) for folder in folders}
        fitting = [
            f
            for f in folders
            if None in {releases[f], request.release} or releases[f] == request.release
        ]
        if not fitting:
            raise TreegaugeError(
                f"{place}: found release {releases[folders[0]]} of "
                f"{request.text.partition('@')[0]}, expected {request.release}"
            )
        best, *others = sorted(fitting, key=lambda folder: (len(folder), folder))
        if others and len(others[0]) == len(best):
            both = " and ".join("/".join(folder) for folder in (best, others[0]))
            raise TreegaugeError(f"{place}: {request.text} may be {both}; name its release")
        yield best, request


def _release_in(folder: Folder) -> str | None:
    """Return the release named in the path of a folder in an archive."""
    for name in reversed(folder):
        if release := own_name(name)[1] or release_of(name):
            return release
    return None
