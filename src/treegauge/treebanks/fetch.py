"""The verb ``fetch``: treebanks of a UD release from an archive or single files."""

import dataclasses
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.file_kinds import FOLDER
from treegauge.core.lazy import pl
from treegauge.core.messages import note
from treegauge.core.result import Result, sign
from treegauge.core.verbs import verb
from treegauge.treebanks.archives import (
    LANGUAGE_DATA,
    Folder,
    Unpacked,
    check_conllu,
    fetch_language_files,
    release_in_folder,
    treebank_folders,
    treebanks,
    unpack,
)
from treegauge.treebanks.downloads import (
    MissingFileError,
    UnreachableError,
    UnusableError,
    cache_folder,
    cached_name,
    check_sha256,
    download,
    in_cache,
)
from treegauge.treebanks.places import (
    REPOSITORIES,
    VALRULES,
    TreebankRequest,
    file_name,
    fresh_folders,
    home,
    is_archive,
    is_remote,
    local,
    not_there,
    placeholders,
    release_in_name,
    whole_release,
)
from treegauge.treebanks.sources.entries import holds_treebank
from treegauge.treebanks.sources.files import SPLITS, Source, is_conllu
from treegauge.treebanks.sources.languages import fold, is_plain, own_name

_SHA256 = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True)
class FetchedTreebank:
    """A treebank that was fetched, or existed already (then `files` is empty).

    `version` is the checksum of the archive.
    """

    name: str
    release: str | None
    folder: Path
    source: str
    version: str | None = None
    files: tuple[Unpacked, ...] = ()


@dataclass(frozen=True)
class Fetched(Result, kind="fetch"):
    """Treebanks that were fetched or existed already."""

    treebanks: tuple[FetchedTreebank, ...]
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row per treebank."""
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


@verb(outputs={"into": FOLDER})
def fetch(
    wanted: str | Sequence[str],
    source: Source | None = None,
    *,
    into: Source | None = None,
    sha256: str | None = None,
    refresh: bool = False,
    replace: bool = False,
) -> Fetched:
    """Fetch treebanks of a UD release.

    An interrupted download is resumed, archives are checked, and each treebank is written
    atomically.

    treegauge fetch UD_Greek-GDT@2.9 el_gdt@2.16

    treegauge fetch all@2.9 --source ud-treebanks-v2.9.tgz

    treegauge fetch language-data

    Parameters
    ----------
    wanted
        Names or codes with their release: UD_Greek-GDT@2.9, el_gdt@2.9; all@2.9 fetches everything
        in an archive. language-data is the data on languages for levels 4 and 5 of check.
    source
        Path or URL of an archive (tar, compressed with gz, bz2 or xz), such as that of a repository's
        tag, or of CoNLL-U files. {name}, {code} and {release} are replaced, and {split} by each of
        train, dev and test, some of which may be missing. For language-data a folder, or a URL with
        {file} for the names of the five official files. By default the environment variable
        TREEGAUGE_SOURCE, else the tag of the release in the treebank's own repository at
        github.com/UniversalDependencies, and the official files of language data.
    into
        Folder for the treebanks, by default the environment variable TREEGAUGE_UD, else ud. Each
        goes to a subfolder for its release, such as r2.9.
    sha256
        Expected checksum of the file that is read or downloaded.
    refresh
        Download again, ignoring the folder of downloads: that of the environment variable
        TREEGAUGE_CACHE, else the user's cache folder.
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
    >>> got = fetch("UD_Greek-GDT@2.9", packed, into=home / "ud")
    >>> got.table.select("treebank", "release", "status").row(0)
    ('UD_Greek-GDT', '2.9', 'fetched')
    """
    if sha256 is not None and not _SHA256.fullmatch(sha256):
        raise TreegaugeError(f"found the SHA-256 {sha256!r}, expected 64 hexadecimal digits")
    names = [wanted] if isinstance(wanted, str) else wanted
    place = None if source is None else os.fspath(source)
    if LANGUAGE_DATA in names:
        return _fetch_language_data(names, place, into, sha256, replace)
    requests = [TreebankRequest.parse(name) for name in names]
    place = place or os.environ.get("TREEGAUGE_SOURCE")
    default = place is None
    if default and (everything := [request for request in requests if request.everything]):
        raise TreegaugeError(whole_release(everything[0].release))
    place = place or REPOSITORIES
    placeholders(place)
    folder = Path(into or os.environ.get("TREEGAUGE_UD") or "ud")
    job = _FetchJob(folder, cache_folder(), sha256, refresh, replace)
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
        try:
            arrivals += job.run(filled, requested)
        except MissingFileError as error:
            raise MissingFileError(f"{error}; {not_there(requested[0])}") if default else error from None
    return Fetched(tuple(arrivals), sign(v="fetch", source=place, sha256=sha256))


def _fetch_language_data(
    names: Sequence[str], source: str | None, into: Source | None, sha256: str | None, replace: bool
) -> Fetched:
    """Fetch the official files of language data, which change daily: from the cache only without a network."""
    if len(names) > 1 or sha256:
        raise TreegaugeError(f"{LANGUAGE_DATA} is fetched alone and without a checksum")
    source = source or VALRULES
    folder = Path(into or os.environ.get("TREEGAUGE_UD") or "ud")
    target = folder / LANGUAGE_DATA
    arrival = FetchedTreebank(LANGUAGE_DATA, None, target, source)
    if replace or not target.exists():
        job = _FetchJob(folder, cache_folder(), None, True, replace)
        files = fetch_language_files(source, target, job.using, replace=replace)
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
        if is_archive(place):
            with self.using(place) as (path, digest):
                return self.unpack(path, place, f"sha256:{digest}", wanted)
        if any(request.name is None for request in wanted):
            raise TreegaugeError(f"{place} needs the treebank's name, such as UD_Greek-GDT@2.9")
        if len(names := {request.name for request in wanted}) > 1:
            raise TreegaugeError(
                f"{place}: one address for {len(names)} treebanks; put {{name}} or {{code}} "
                "into it, or fetch one treebank"
            )
        return [self.copy(place, request) for request in wanted]

    @contextmanager
    def using(self, place: str) -> Iterator[tuple[Path, str]]:
        """Yield a local file, downloaded if necessary, and its checksum.

        A download that proves unusable in the context does not stay in the cache.
        """
        if not is_remote(place):
            path = local(place)
            if not path.is_file():
                raise MissingFileError(f"{place}: no such file")
            yield path, check_sha256(path, self.sha256, place)
            return
        target = self.cache / cached_name(place)
        with in_cache(self.cache):
            kept = target.exists() and not self.refresh
        try:
            digest = download(place, target, sha256=self.sha256, refresh=self.refresh)
        except UnreachableError as error:
            if not target.exists():
                raise
            day = date.fromtimestamp(target.stat().st_mtime)
            note(f"{error}; used the copy of {day} in the cache")
            kept, digest = True, check_sha256(target, self.sha256, place)
        try:
            yield target, digest
        except (UnusableError, ChoiceError) as error:
            if isinstance(error, UnusableError):
                target.unlink(missing_ok=True)
            if kept:
                error.args = (f"{error}; read from the cache, --refresh downloads it again",)
            raise

    def unpack(self, path: Path, place: str, version: str, wanted: list[TreebankRequest]) -> list[FetchedTreebank]:
        """Extract treebanks from an archive in one pass."""
        folders = treebanks(path)
        if not folders:
            raise UnusableError(f"{place}: found no CoNLL-U file in it")
        arrivals: dict[Folder, FetchedTreebank] = {}
        targets: dict[Folder, Path] = {}
        owners: dict[str, Folder] = {}
        for folder, request in treebank_folders(folders, wanted, place):
            name = own_name(folder[-1])[0] if folder else ""
            if request.name and fold(name) != fold(request.name):
                name = request.name
            if not is_plain(name):
                raise TreegaugeError(f"{place}: found a treebank {name!r}; name the one you want")
            release = request.release or release_in_folder(folder) or release_in_name(place)
            target = home(self.into, release) / name
            if (other := owners.setdefault(str(target).casefold(), folder)) != folder:
                raise TreegaugeError(
                    f"{place}: found {name} in two folders, {'/'.join(other)} and {'/'.join(folder)}; expected one"
                )
            arrivals[folder] = FetchedTreebank(name, release, target, place, version)
            if self.replace or not holds_treebank(target):
                targets[folder] = target
        with fresh_folders(targets, replace=self.replace) as fresh:
            written = unpack(path, fresh) if fresh else {}
            for folder, files in written.items():
                for file in files:
                    if is_conllu(file.name):
                        inner = "/".join((*folder, file.name))
                        check_conllu(fresh[folder] / file.name, f"{place}: {inner}")
        return [_with(fetched, written.get(folder, [])) for folder, fetched in arrivals.items()]

    def copy(self, place: str, request: TreebankRequest) -> FetchedTreebank:
        """Collect the files of a treebank, one per existing set."""
        splits: Sequence[str | None] = SPLITS if "split" in placeholders(place) else [None]
        if self.sha256 and len(splits) > 1:
            raise TreegaugeError("one checksum for three files; leave it out, or fetch an archive")
        files: dict[Path, Unpacked] = {}
        missing = []
        for split in splits:
            filled = request.fill(place, split)
            try:
                with self.using(filled) as (path, digest):
                    check_conllu(path, filled)
                    name = file_name(filled, request, split)
                    files[path] = Unpacked(name, path.stat().st_size, digest)
            except MissingFileError:
                if split is None:
                    raise
                missing.append(split)
        if not files:
            raise MissingFileError(f"{place}: found none of {', '.join(SPLITS)}")
        if missing:
            note(f"{request.text}: the source has no {' and no '.join(missing)} set")
        target = home(self.into, request.release) / (request.name or "")
        with fresh_folders({None: target}, replace=self.replace) as fresh:
            for path, file in files.items():
                shutil.copyfile(path, fresh[None] / file.name)
        arrival = FetchedTreebank(target.name, request.release, target, place)
        return _with(arrival, tuple(files.values()))


def _with(treebank: FetchedTreebank, files: Sequence[Unpacked]) -> FetchedTreebank:
    return dataclasses.replace(treebank, files=tuple(files))
