"""Sources and target folders of fetched treebanks; releases from git repositories."""

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar
from urllib.parse import unquote

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.files import check_folder
from treegauge.core.platforms import portable_name, replace_file, set_usual_mode
from treegauge.treebanks.fetching.connections import PATIENCE, SLOWEST, url_parts
from treegauge.treebanks.fetching.downloads import LONGEST, cached_name, in_cache
from treegauge.treebanks.sources.files import is_conllu, split_of
from treegauge.treebanks.sources.languages import code_of, is_plain, release_key, release_of, take_apart

K = TypeVar("K")
PlaceKind = Literal["archive", "git", "files"]
PLACEHOLDERS = ("name", "code", "release", "split")
ALL = "all"

HANDLES = {
    "1.0": "1-1464", "1.1": "LRT-1478", "1.2": "1-1548", "1.3": "1-1699", "1.4": "1-1827",
    "2.0": "1-1983", "2.1": "1-2515", "2.2": "1-2837", "2.3": "1-2895", "2.4": "1-2988",
    "2.5": "1-3105", "2.6": "1-3226", "2.7": "1-3424", "2.8": "1-3687", "2.9": "1-4611",
    "2.10": "1-4758", "2.11": "1-4923", "2.12": "1-5150", "2.13": "1-5287", "2.14": "1-5502",
    "2.15": "1-5787", "2.16": "1-5901",
}  # fmt: skip
"""Last parts of the handles ``11234/...`` of archived UD releases."""

_FRESH, _ABANDONED = ".treegauge-fetch-", 24 * 3600.0
_PACKED = re.compile(r"\.(tgz|zip|tar|tar\.(gz|bz2|xz))$", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_SCP = re.compile(r"[\w.-]+@[\w.-]+:(?!//)")

_TAG = re.compile(r"refs/tags/r(\d+\.\d+)$", re.MULTILINE)
_STORE = ".treegauge-git-"
_GIT_SETTINGS = {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8"}
# No hooks, and an end of connections without progress, as for downloads.
_GIT_OPTIONS = (
    "-c", f"core.hooksPath={os.devnull}", "-c", f"http.lowSpeedLimit={int(SLOWEST / PATIENCE)}",
    "-c", f"http.lowSpeedTime={int(PATIENCE)}",
)  # fmt: skip
# Variables that redirect git to another repository, as set in hooks.
_ELSEWHERE = {
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_CEILING_DIRECTORIES",
}  # fmt: skip


@dataclass(frozen=True)
class TreebankRequest:
    """A treebank to fetch, by name or by code."""

    text: str
    name: str | None
    code: str | None
    release: str | None

    @classmethod
    def parse(cls, text: str) -> "TreebankRequest":
        """Parse ``UD_Greek-GDT@2.9``, ``el_gdt@2.9``, or ``all@2.9`` for a whole archive."""
        key, release = take_apart(text)
        if not is_plain(key):
            raise TreegaugeError(
                f"found {text!r}, expected a treebank's name or code, such as UD_Greek-GDT@2.9 or el_gdt@2.9"
            )
        if key == ALL:
            return cls(text, None, None, release)
        if "-" in key and not key.startswith("UD_"):
            key = f"UD_{key}"
        if key.startswith("UD_"):
            return cls(text, key, code_of(key), release)
        return cls(text, None, key.lower(), release)

    @property
    def everything(self) -> bool:
        """Whether all treebanks are requested."""
        return self.name is None and self.code is None

    def fill(self, place: str, split: str | None = None) -> str:
        """Replace the placeholders of an address by the treebank's name, code and release."""
        known = {"name": self.name, "code": self.code, "release": self.release, "split": split}
        for name in placeholders(place):
            if known[name] is None and name != "split":
                hint = " (UD_Greek-GDT@2.9)" if name != "code" else ""
                raise TreegaugeError(f"{place} needs the {name} of a treebank, not in {self.text!r}{hint}")
            place = place.replace(f"{{{name}}}", known[name] or f"{{{name}}}")
        return place


def placeholders(place: str) -> list[str]:
    """Return the placeholders of an address; raise an error for an unknown one."""
    if set("{}") & set(_PLACEHOLDER.sub("", place)):
        raise TreegaugeError(f"{place}: cannot be filled: a brace is not closed or not opened")
    names = list(dict.fromkeys(_PLACEHOLDER.findall(place)))
    for name in names:
        if name not in PLACEHOLDERS:
            choices = [f"{{{placeholder}}}" for placeholder in PLACEHOLDERS]
            raise ChoiceError(f"placeholder in {place}", f"{{{name}}}", choices)
    return names


def file_name(place: str, request: TreebankRequest, split: str | None) -> str:
    """Return the last name in an address if it is one of CoNLL-U and of its split, else UD's."""
    name = Path(unquote(url_parts(place).path)).name
    if is_conllu(name) and portable_name(name) and split in {None, split_of(name)}:
        return name
    stem = request.code or request.name
    ending = name.partition(".conllu")[2] if is_conllu(name) else ""
    return f"{stem}-ud-{split}.conllu{ending}" if split else f"{stem}.conllu{ending}"


def is_remote(place: str) -> bool:
    """Whether an address is remote."""
    return url_parts(place).scheme in {"http", "https"}


def local(place: str) -> Path:
    """Return the path of a local address, also if it begins with ``file://``."""
    parts = url_parts(place)
    return Path(unquote(parts.path)) if parts.scheme == "file" else Path(place)


def place_kind(place: str) -> tuple[PlaceKind, str]:
    """Return the kind of an address, and the address without a prefix.

    The prefixes ``git+``, ``git:`` and ``ssh:``, ``.git`` at the end and a folder with a repository
    mean git; ``{split}`` or ``.conllu`` at the end mean single files; everything else is an
    archive.
    """
    if place.startswith("git+"):
        return "git", place.removeprefix("git+")
    parts = url_parts(place)
    if parts.scheme in {"git", "ssh"} or _SCP.match(place) or parts.path.endswith(".git"):
        return "git", place
    if "{split}" in place or is_conllu(parts.path):
        return "files", place
    if is_remote(place):
        return "archive", place
    if parts.scheme not in {"", "file"} and len(parts.scheme) > 1:
        raise ChoiceError("kind of address", parts.scheme, ("http", "https", "file", "git", "ssh"))
    path = local(place)
    if (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "objects").is_dir()):
        return "git", str(path.resolve())
    if path.is_dir():
        raise TreegaugeError(
            f"{place}: found a folder, expected an archive or a git repository; treebanks in a "
            "folder need no fetching (see treegauge catalogue)"
        )
    if not path.is_file():
        raise TreegaugeError(f"{place}: no such file")
    return "archive", str(path)


def release_in_name(place: str) -> str | None:
    """Return the release in an archive's name."""
    return release_of(_PACKED.sub("", url_parts(place).path.rpartition("/")[2]))


def advice(release: str | None) -> str:
    """Return what to do when no source is given."""
    handle = HANDLES.get(release or "")
    where = f"UD {release} is archived under the handle 11234/{handle}; " if handle else ""
    return (
        "no source to fetch from: give --source (or set TREEGAUGE_SOURCE): an archive of the "
        f"release, a git repository, or an address with {{name}} and {{release}}. {where}"
        "universaldependencies.org names archives and repositories of all releases"
    )


def home(into: Path, release: str | None) -> Path:
    """Return the folder for a release: the existing one, or a new one named like ``r2.9``."""
    if release is None or release_of(into.resolve().name) == release:
        return into
    known = [child for child in sorted(into.glob("*")) if release_of(child.name) == release]
    return next(filter(Path.is_dir, known), into / f"r{release}")


def sweep(folder: Path, prefix: str) -> None:
    """Remove folders of a name of ours that killed processes left more than a day ago."""
    for left in folder.glob(f"{prefix}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED:
                shutil.rmtree(left)


@contextmanager
def fresh_folders(targets: Mapping[K, Path], *, replace: bool) -> Iterator[dict[K, Path]]:
    """Yield empty folders that are renamed to the targets if there was no error."""
    fresh: dict[K, Path] = {}
    try:
        for key, target in targets.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.exists() and not replace:
                raise TreegaugeError(f"{target}: exists already; replace it, or fetch elsewhere")
            check_folder(target)
            prefix = f"{_FRESH}{target.name}-"
            fresh[key] = Path(tempfile.mkdtemp(dir=target.parent, prefix=prefix))
        yield fresh
        for key, target in targets.items():
            set_usual_mode(fresh[key], 0o777)
            if target.exists():
                old = Path(tempfile.mkdtemp(dir=target.parent, prefix=f"{_FRESH}{target.name}-"))
                replace_file(target, old / target.name)
                replace_file(fresh[key], target)
                shutil.rmtree(old)
            else:
                replace_file(fresh[key], target)
            sweep(target.parent, f"{_FRESH}{target.name}-")
    finally:
        for folder in fresh.values():
            shutil.rmtree(folder, ignore_errors=True)


def export(url: str, release: str | None, cache: Path, *, refresh: bool = False) -> tuple[Path, str]:
    """Write a release of a git repository as a tar file into a folder; return it and its commit.

    UD tags release 2.9 as ``r2.9``; None is the newest state. The tag is fetched into an empty
    store and archived, so that no hook, filter or link of the repository takes effect. An
    existing export in the folder is reused unless `refresh` is set.
    """
    if url.startswith("-"):
        raise TreegaugeError(f"found the repository {url!r}, expected an address or a path")
    with in_cache(cache):
        cache.mkdir(parents=True, exist_ok=True)
        sweep(cache, _STORE)
    reference = f"refs/tags/r{release}" if release else "HEAD"
    start = cached_name(f"{url}#{reference}").partition("-")[0]
    kept = sorted(cache.glob(f"{start}-*.tar"))
    if kept and release and not refresh:
        return kept[-1], kept[-1].stem.rpartition("-")[2]
    with in_cache(cache):
        new = tempfile.TemporaryDirectory(dir=cache, prefix=_STORE)
    with new as store:
        _git(store, "init", "--quiet", "--bare", ".")
        fetching = ("fetch", "--quiet", "--depth", "1", "--no-tags", "--", url, reference)
        if problem := _git(store, *fetching, check=False)[1]:
            listed, trouble = _git(store, "ls-remote", "--tags", "--", url, check=False)
            tags = sorted(set(_TAG.findall(listed)), key=release_key)
            if release and tags and not trouble and release not in tags:
                raise ChoiceError(f"release of {url}", release, tags)
            raise TreegaugeError(f"{url}: git cannot fetch: {problem}")
        commit = _git(store, "rev-parse", "--verify", "FETCH_HEAD^{commit}")[0].strip()
        packed = Path(store, "export.tar")
        _git(store, "archive", "--format=tar", f"--output={packed}", commit)
        for old in kept:
            old.unlink(missing_ok=True)
        target = cache / f"{start}-{commit}.tar"
        packed.replace(target)
    return target, commit


def _git(folder: str, *arguments: str, check: bool = True) -> tuple[str, str]:
    """Run git in a folder; return its output, and the reason if it failed."""
    program = shutil.which("git")
    if program is None:
        raise TreegaugeError("git is not installed; install it, or fetch from an archive")
    environment = {key: value for key, value in os.environ.items() if key not in _ELSEWHERE}
    try:
        done = subprocess.run(  # noqa: S603 -- no shell, and addresses are after "--"
            [program, *_GIT_OPTIONS, *arguments],
            cwd=folder, env=environment | _GIT_SETTINGS, stdin=subprocess.DEVNULL,
            capture_output=True, check=False, timeout=LONGEST,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise TreegaugeError(f"git {arguments[0]} did not end within {LONGEST:g} s") from None
    message = done.stderr.decode(errors="replace").strip()
    problem = (message or f"it ended with {done.returncode}") if done.returncode else ""
    if problem and check:
        raise TreegaugeError(f"git {arguments[0]} failed: {problem}")
    return done.stdout.decode(errors="replace"), problem
