"""Treebanks on disk: location, metadata on licence, genre and annotation, and sizes file by file."""

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import note, progress
from treegauge.treebanks.sources.files import ENDINGS, SPLITS, conllu_files, entries_of, split_of
from treegauge.treebanks.sources.languages import UNKNOWN, Language, code_of, language_of, own_name, release_of

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

#: File names of UD. Large treebanks have several files per set: cs_pdt-ud-train-l.conllu.
UD_FILE = re.compile(r"(?P<code>[^-]+)-ud-(?P<split>train|dev|test)\b")
SHARES = ("text", "lemmas", "features", "xpos", "nonprojective")
"""Columns that are shares of words, or of trees for the last."""
SIZES = (*(f"{p}_{u}" for p in SPLITS for u in ("sentences", "words")), "sentences", "words")
"""Columns that are counts."""


_MARK = "Machine-readable metadata"
_FIELD = re.compile(r"^(License|Genre|Relations):[ \t]*(\S.*)$", re.MULTILINE)
_MOST = 1 << 20  # maximum size of a README; a longer file is something else

_LINKED = re.compile(r"creativecommons\.org/licenses/(by[a-z-]*)/(\d\.\d)")
_SHORT = re.compile(r"\bCC[ -]?(BY(?:-NC)?(?:-SA|-ND)?)[ -]?(\d\.\d)?")
_SPELLED = re.compile(
    r"Attribution(?P<nc>[ -]Non-?Commercial)?(?P<sa>[ -]Share-?Alike)?(?P<nd>[ -]NoDeriv\w*)?"
    r"[ ,(]*(?P<version>\d\.\d)",
    re.IGNORECASE,
)
_OTHERS = {
    "CC0 1.0": re.compile(r"\bCC0\b|publicdomain/zero", re.IGNORECASE),
    "LGPL-LR": re.compile(r"LGPL-?LR|Lesser General Public License for Linguistic Resources", re.IGNORECASE),
}
_GPL = re.compile(r"GNU (?:GENERAL PUBLIC LICENSE|GPL)\W+(?:Version )?(\d)", re.IGNORECASE)


@dataclass(frozen=True)
class Metadata:
    """Metadata from a treebank's files; ``"unknown"`` if missing.

    Examples are ``CC BY-SA 4.0``, ``news wiki``, and ``converted from manual`` (relations).
    """

    licence: str = UNKNOWN
    genre: str = UNKNOWN
    annotation: str = UNKNOWN


@dataclass(frozen=True, eq=False)
class TreebankEntry:
    """A treebank on disk: name, release (None if unknown), and the files of each split.

    `counts` has the sizes of each split, None if they were not counted; `problem` describes
    problems of the files.
    """

    name: str
    release: str | None
    code: str
    language: Language
    metadata: Metadata
    folder: Path
    files: Mapping[str, tuple[str, ...]]
    counts: "Mapping[str, Tally] | None" = None
    problem: str | None = None

    def __str__(self) -> str:
        return f"{self.name}@{self.release}" if self.release else self.name

    @property
    def total(self) -> "Tally":
        """The counts of all splits together."""
        return sum((self.counts or {}).values(), Tally())

    @property
    def names(self) -> tuple[str, ...]:
        """Names by which it can be found: name, name without ``UD_``, code, language."""
        return self.name, self.name.removeprefix("UD_"), self.code, self.language.name

    def read(self, split: str | None = None, **options: Any) -> "Treebank":
        """Read the treebank or one of its splits; see :func:`treegauge.read_conllu`."""
        from treegauge.treebanks.data.conllu import read_conllu

        if split is not None and split not in self.files:
            raise ChoiceError(f"split of {self}", split, self.files)
        paths = [p for part, paths_of_split in self.files.items() if split in {None, part} for p in paths_of_split]
        name = f"{self.name}/{split}" if split else self.name
        return read_conllu(paths, **({"name": name} | options))

    def row(self) -> dict[str, Any]:
        """Return the treebank as a row of the catalogue's table."""
        row: dict[str, Any] = {
            "treebank": self.name,
            "release": self.release,
            "code": self.code,
            "language": self.language.name,
            "family": self.language.family,
            "genus": self.language.genus,
            "licence": self.metadata.licence,
            "genre": self.metadata.genre,
            "annotation": self.metadata.annotation,
        }
        counts = self.counts or {}
        for part in SPLITS:
            for unit in ("sentences", "words"):
                row[f"{part}_{unit}"] = getattr(counts[part], unit) if part in counts else None
        total = self.total if self.counts is not None else None
        row |= {unit: getattr(total, unit, None) for unit in ("sentences", "words")}
        row |= {name: total.share(name) if total else None for name in SHARES}
        return row | {"problem": self.problem, "folder": str(self.folder)}


COLUMNS = tuple(TreebankEntry("", None, "", Language("", "", "", ""), Metadata(), Path(), {}).row())
"""Names of the columns of a row."""


def folders_in(root: Path) -> list[Path]:
    """Return the folders with CoNLL-U files in a folder of treebanks or of releases."""
    if not root.is_dir():
        raise TreegaugeError(f"{root}: no such folder; expected one with UD releases or treebanks")
    entries_of(root)  # one that cannot be read seems empty below
    if holds_treebank(root) and any(split_of(file) for file in conllu_files(root)):
        return [root]
    folders: list[Path] = []
    for child in _children(root):
        folders += [child] if holds_treebank(child) else filter(holds_treebank, _children(child))
    if not folders and holds_treebank(root):
        return [root]
    if not folders:
        raise no_treebank(root)
    return folders


def no_treebank(folder: Path) -> TreegaugeError:
    """Return the error on a folder in which there is no treebank."""
    return TreegaugeError(
        f"{folder}: found no treebank in this folder; expected .conllu files, or folders of treebanks such as "
        "UD_Greek-GDT or r2.9/UD_Greek-GDT"
    )


def _children(folder: Path) -> list[Path]:
    try:
        children = entries_of(folder)
        return [path for path in children if not path.name.startswith(".") and path.is_dir()]
    except (TreegaugeError, OSError) as error:
        note(f"left out: {error}")
        return []


def holds_treebank(folder: Path) -> bool:
    """Whether a folder contains CoNLL-U files."""
    endings = (f".conllu{ending}" for ending in ENDINGS)
    return any(next(folder.glob(f"*{ending}"), None) is not None for ending in endings)


def entry_of(folder: Path) -> TreebankEntry:
    """Return the entry of the treebank in a folder."""
    whole = folder.resolve()
    name, release = own_name(whole.name)
    release = release or release_of(whole.parent.name)
    files: dict[str, tuple[str, ...]] = {}
    codes = []
    for path in conllu_files(folder):
        named = UD_FILE.match(Path(path).name)
        split = named["split"] if named else split_of(path)
        if named:
            codes.append(named["code"])
        if split:
            files[split] = (*files.get(split, ()), path)
    return TreebankEntry(
        name=name,
        release=release,
        code=codes[0] if codes else code_of(name) or "",
        language=language_of(name),
        metadata=read_metadata(folder),
        folder=folder,
        files={split: files[split] for split in SPLITS if split in files},
        problem=None if files else "no file is named as a training, dev or test set",
    )


def licence_in(text: str) -> str | None:
    """Return the short name of the licence in a text.

    Examples
    --------
    >>> licence_in("Creative Commons Attribution-NonCommercial-ShareAlike 3.0 Unported")
    'CC BY-NC-SA 3.0'
    >>> licence_in("see http://creativecommons.org/licenses/by/4.0/")
    'CC BY 4.0'
    """
    if match := _LINKED.search(text):
        return f"CC {match[1].upper()} {match[2]}"
    if match := _SHORT.search(text):
        return f"CC {match[1]} {match[2]}" if match[2] else f"CC {match[1]}"
    if match := _SPELLED.search(text):
        parts = ["BY", *(key.upper() for key in ("nc", "sa", "nd") if match[key])]
        return f"CC {'-'.join(parts)} {match['version']}"
    for name, pattern in _OTHERS.items():
        if pattern.search(text):
            return name
    match = _GPL.search(text)
    return f"GNU GPL {match[1]}.0" if match else None


def read_metadata(folder: Path) -> Metadata:
    """Read a treebank's README, and its LICENSE if the README does not name the licence."""
    fields: dict[str, str] = {}
    for name in ("README.md", "README.txt"):
        _, mark, after = _text(folder / name).rpartition(_MARK)
        if mark:
            fields |= {key.lower(): value.strip() for key, value in _FIELD.findall(after)}
            break
    licence = fields.get("license")
    if licence is None:
        text = _text(folder / "LICENSE.txt")
        licence = licence_in(text) or ("see LICENSE.txt" if text.strip() else UNKNOWN)
    return Metadata(licence, fields.get("genre", UNKNOWN), fields.get("relations", UNKNOWN))


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MOST).decode(errors="replace")
    except OSError:  # missing or not readable
        return ""


@dataclass(frozen=True)
class Tally:
    """Additive counts over the readable sentences and words.

    `text`, `lemmas`, `xpos` and `features` count the words whose column is not ``_``,
    `nonprojective` and `skipped` sentences.
    """

    sentences: int = 0
    words: int = 0
    nonprojective: int = 0
    text: int = 0
    lemmas: int = 0
    xpos: int = 0
    features: int = 0
    skipped: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(*map(int.__add__, astuple(self), astuple(other)))

    def share(self, name: str) -> float | None:
        """Return a count divided by words, or by sentences for `nonprojective`."""
        whole = self.sentences if name == "nonprojective" else self.words
        return getattr(self, name) / whole if whole else None


TALLIED = {"text": "form", "lemmas": "lemma", "xpos": "xpos", "features": "feats"}
"""Names of tallies and the columns they count."""


def _tally(path: str) -> Tally:
    """Count a file, leaving out sentences that cannot be read."""
    from treegauge.treebanks.data.conllu import TOLERABLE, stream_conllu

    total = Tally()
    for piece in stream_conllu(path, errors="skip", need_heads=False, allow=TOLERABLE):
        total += _count(piece)
    return total


def _count(piece: "Treebank") -> Tally:
    import numpy as np

    from treegauge.treebanks.data.columns import NUMBER
    from treegauge.treebanks.data.trees import is_projective

    def filled(column: int) -> int:
        start = piece.fields[piece.rows, column]
        stop = piece.fields[piece.rows, column + 1]  # one after the tab
        return int(np.count_nonzero((stop - start != 2) | (piece.raw[start] != ord("_"))))

    lost = {p.sentence for p in piece.problems if p.action == "skipped"}
    return Tally(
        sentences=len(piece),
        words=piece.n_words,
        nonprojective=int(np.count_nonzero(~is_projective(piece.head, piece.offsets))),
        skipped=len(lost),
        **{name: filled(NUMBER[column]) for name, column in TALLIED.items()},
    )


def tally_files(paths: Iterable[str], *, workers: int | None = None) -> dict[str, Tally | str]:
    """Return the counts of each file, or why it cannot be read; runs in parallel."""
    from concurrent.futures import ThreadPoolExecutor, as_completed

    sizes = dict.fromkeys(paths, 0)
    for path in sizes:
        with suppress(OSError):
            sizes[path] = Path(path).stat().st_size
    counts: dict[str, Tally | str] = {}
    pool = ThreadPoolExecutor(workers or os.cpu_count())
    with pool, progress("bytes of treebanks", sum(sizes.values())) as task:
        try:
            # Start with the largest, so that no long job is left at the end.
            waiting = {pool.submit(_tally_or_reason, path): path for path in sorted(sizes, key=lambda p: -sizes[p])}
            for future in as_completed(waiting):
                path = waiting[future]
                counts[path] = future.result()
                task.advance(sizes[path])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return counts


def _tally_or_reason(path: str) -> Tally | str:
    try:
        return _tally(path)
    except TreegaugeError as error:
        return str(error).splitlines()[0]
