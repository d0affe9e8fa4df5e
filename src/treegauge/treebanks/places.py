"""Sources and target folders of fetched treebanks, and the official files of language data."""

import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.files import check_folder
from treegauge.core.platforms import portable_name, replace_file, set_usual_mode
from treegauge.treebanks.downloads import url_parts
from treegauge.treebanks.sources.files import is_conllu, split_of
from treegauge.treebanks.sources.languages import code_of, is_plain, near, official_treebanks, release_of, take_apart

K = TypeVar("K")
PLACEHOLDERS = ("name", "code", "release", "split")
ALL = "all"

REPOSITORIES = "https://github.com/UniversalDependencies/{name}/archive/refs/tags/r{release}.tar.gz"
"""Default source: the archive of a release's tag in the treebank's own repository."""
VALRULES = "https://raw.githubusercontent.com/UniversalDependencies/docs-automation/master/valrules/{file}"
"""Default source of language data: the official files."""

HANDLES = {
    "1.0": "1-1464", "1.1": "LRT-1478", "1.2": "1-1548", "1.3": "1-1699", "1.4": "1-1827",
    "2.0": "1-1983", "2.1": "1-2515", "2.2": "1-2837", "2.3": "1-2895", "2.4": "1-2988",
    "2.5": "1-3105", "2.6": "1-3226", "2.7": "1-3424", "2.8": "1-3687", "2.9": "1-4611",
    "2.10": "1-4758", "2.11": "1-4923", "2.12": "1-5150", "2.13": "1-5287", "2.14": "1-5502",
    "2.15": "1-5787", "2.16": "1-5901",
}  # fmt: skip
"""Last parts of the handles ``11234/...`` of archived UD releases."""

_FRESH, _ABANDONED = ".treegauge-fetch-", 24 * 3600.0
_PACKED = re.compile(r"\.(tgz|tar|tar\.(gz|bz2|xz))$", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


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
        name = self.name or official_treebanks().get(self.code or "")
        known = {"name": name, "code": self.code, "release": self.release, "split": split}
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


def is_archive(place: str) -> bool:
    """Whether an address is that of an archive: not if it has ``{split}``, or ends in ``.conllu``."""
    parts = url_parts(place)
    if "{split}" in place or is_conllu(parts.path):
        return False
    if parts.scheme not in {"", "file", "http", "https"} and len(parts.scheme) > 1:
        raise ChoiceError("kind of address", parts.scheme, ("http", "https", "file"))
    if not is_remote(place) and local(place).is_dir():
        raise TreegaugeError(
            f"{place}: found a folder, expected an archive; treebanks in a folder need no fetching (see treegauge "
            "catalogue), and an archive of a repository's tag is made by git archive"
        )
    if not is_remote(place) and not local(place).is_file():
        raise TreegaugeError(f"{place}: no such file")
    return True


def release_in_name(place: str) -> str | None:
    """Return the release in an archive's name."""
    return release_of(_PACKED.sub("", url_parts(place).path.rpartition("/")[2]))


def whole_release(release: str | None) -> str:
    """Return what to do when all treebanks of a release are requested without a source."""
    handle = HANDLES.get(release or "")
    where = f": UD {release} is archived under the handle 11234/{handle}" if handle else ""
    return f"a whole release has no default source: give its archive with --source{where}"


def not_there(request: TreebankRequest) -> str:
    """Return why the default source has no archive for a request."""
    names = list(official_treebanks().values())
    if request.name and request.name not in names:
        similar = near(request.name, names)
        hint = f"did you mean {' or '.join(similar[:3])}?" if similar else "names are as in UD_Greek-GDT"
        return f"{request.name}: found no such treebank among the repositories of Universal Dependencies; {hint}"
    return (
        f"{request.text}: found no tag r{request.release} in the treebank's repository; expected a release that has "
        "this treebank under this name"
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
