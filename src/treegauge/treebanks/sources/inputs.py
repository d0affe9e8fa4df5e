"""Recognition of inputs given as paths, patterns or names.

Inputs are recognised by their contents. Treebanks are also found by name or code, such as
``UD_Greek-GDT``, ``UD_Greek-GDT@2.9`` or ``el_gdt``, in the folder given by the environment
variable ``TREEGAUGE_UD``.
"""

import glob
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.messages import note
from treegauge.core.safe_reading import read_arrays
from treegauge.core.text_formats import parse_json
from treegauge.treebanks.sources.entries import UD_FILE, holds_treebank, no_treebank
from treegauge.treebanks.sources.files import (
    SPLITS,
    Errors,
    Source,
    entries_of,
    is_conllu,
    is_stream,
    short_name,
    split_of,
)
from treegauge.treebanks.sources.languages import own_name, release_of
from treegauge.treebanks.sources.matching import distinct_names, text_digest
from treegauge.treebanks.sources.resolver import find, missing_path, read_treebank, resolve_source

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank


Kind = Literal[
    "treebank", "conllu", "system", "scores", "counts", "store", "recording", "model",
    "plan", "transfer", "packaged", "object",
]  # fmt: skip
TITLES: dict[str, str] = {
    "treebank": "a treebank folder",
    "conllu": "a CoNLL-U file",
    "system": "a folder of a system's output",
    "scores": "a score table (.csv .tsv .parquet .json)",
    "counts": "counts of a learning curve (.csv .parquet)",
    "store": "a store of experiments",
    "recording": "a recording of training (.npz)",
    "model": "a trained model",
    "plan": "a plan (.toml)",
    "transfer": "a result of transfer (.json)",
    "packaged": "a packaged table",
    "object": "a Python object",
}
"""Names of the kinds of input in messages."""

_COUNTS = {"treebank", "parser", "class", "total"}
_TABLES = (".csv", ".tsv", ".parquet", ".json")


def kind_titles(kinds: Iterable[str]) -> str:
    """Return the names of kinds of input that have a path, joined by "or"."""
    *first, last = (TITLES[kind] for kind in kinds if kind != "object")
    return f"{', '.join(first)} or {last}" if first else last


def file_kind(path: Path) -> Kind:
    """Return the kind of a file other than CoNLL-U, from its contents."""
    if path.suffix == ".toml":
        return "plan"
    if path.suffix not in _TABLES:
        import zipfile

        if zipfile.is_zipfile(path):
            return _archive_kind(path)
        raise TreegaugeError(f"{path}: not recognised; expected {kind_titles(TITLES)}")
    if path.suffix == ".json":
        return "transfer" if _is_transfer(path) else "scores"
    columns = _columns(path)
    return "counts" if columns >= _COUNTS else "scores"


def _archive_kind(path: Path) -> Kind:
    import zipfile

    try:
        header = parse_json(read_arrays(path, ["header"])["header"].tobytes())
        return "model" if "parser" in header and path.suffix != ".npz" else "recording"
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile):
        return "recording" if path.suffix == ".npz" else "model"


def _columns(path: Path) -> set[str]:
    try:
        if path.suffix == ".parquet":
            return set(pl.scan_parquet(path).collect_schema().names())
        separator = "\t" if path.suffix == ".tsv" else ","
        return set(pl.scan_csv(path, separator=separator).collect_schema().names())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise TreegaugeError(f"{path}: cannot read this table: {error}") from error


def _is_transfer(path: Path) -> bool:
    try:
        content = parse_json(path.read_bytes())
        rows = content.get("scores", content)["rows"]
        return "left_out" in rows[0]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return False


PACKAGED = ("conll18", "fragility_exp1", "published", "ud25", "ud26", "difficulty_table1")
"""Names of the packaged tables."""

TREEBANK_KINDS = ("treebank", "conllu")
TEXT_KINDS = (*TREEBANK_KINDS, "system")
_METADATA = ("README.md", "README.txt", "LICENSE.txt", "stats.xml")


@dataclass(frozen=True, eq=False)
class Input:
    """One input: its kind, path and name.

    Attributes
    ----------
    kind
        Its kind; :data:`TITLES` has readable names.
    path
        Its path; a packaged table has only a name.
    name
        The name given as ``NAME=PATH``, which several runs of a system share, else that of the
        treebank, file or folder. These names are distinct: two releases of one treebank are
        ``UD_Turkish-IMST@2.5`` and ``UD_Turkish-IMST@2.9``.
    role
        ``"gold"`` for files with UD names in a treebank folder or given as gold, ``"system"`` for
        inputs given as ``NAME=PATH`` and folders of output, else empty.
    files
        The CoNLL-U files of a treebank, file or system.
    given
        The object itself, if an object was given.
    errors
        What to do about malformed sentences.
    named
        Whether the name is that of a system, given as ``NAME=PATH``.
    """

    kind: Kind
    path: Path
    name: str
    role: Literal["", "gold", "system"] = ""
    files: tuple[str, ...] = ()
    given: Any = None
    errors: Errors = "strict"
    named: bool = False

    @property
    def splits(self) -> dict[str, tuple[str, ...]]:
        """The files of the existing training, dev and test sets."""
        named = {split: tuple(f for f in self.files if split_of(f) == split) for split in SPLITS}
        return {split: files for split, files in named.items() if files}

    def read(self, split: str | None = None) -> "Treebank":
        """Read the treebank or one of its splits."""
        if self.given is not None:
            return read_treebank(self.given, split, self.errors)
        from treegauge.treebanks.data.conllu import read_conllu

        if split is None or self.kind != "treebank":
            return read_conllu(self.files, name=self.name, errors=self.errors)
        if split not in self.splits:
            raise ChoiceError(f"split of {self.name}", split, self.splits)
        return read_conllu(self.splits[split], name=f"{self.name}/{split}", errors=self.errors)

    @cached_property
    def treebank(self) -> "Treebank":
        """The whole treebank."""
        return self.read()

    @cached_property
    def text(self) -> str:
        """A digest of the characters without spaces, the same for all analyses of one text."""
        return text_digest(self.treebank)


def recognise(
    sources: "Iterable[Source | Treebank | IO[str] | IO[bytes]]",
    *,
    gold: "Iterable[Source | Treebank]" = (),
    kinds: Collection[str] = (),
    errors: Errors = "strict",
) -> list[Input]:
    """Return the recognised inputs.

    Sources are those of :func:`resolve_source`, packaged tables, open files or objects, and a system's output also
    as ``NAME=PATH`` or in a mapping from names; a folder of treebanks stands for all treebanks in it. Kinds that
    are not among `kinds` are refused, if there are any. There is one input per file, folder or object, with
    distinct names, except that several runs share the name of their system.
    """
    inputs: dict[Any, Input] = {}
    gold = list(gold)
    for source in [*gold, *sources]:
        for recognised in _recognised(source, kinds):
            key: Any = id(recognised.given if isinstance(source, Mapping) else source)
            if recognised.given is None and recognised.kind != "packaged":
                key = recognised.path.resolve()
            if key not in inputs or (recognised.role and not inputs[key].role):
                inputs[key] = replace(recognised, errors=errors)
    for source in gold:
        if not isinstance(source, str | os.PathLike):
            inputs[id(source)] = replace(inputs[id(source)], role="gold")
            continue
        for recognised in list(inputs.values()):
            path = recognised.path.resolve()
            if Path(source).resolve() in {path, *path.parents}:
                kind = "treebank" if recognised.kind == "system" and len(recognised.files) < 2 else recognised.kind
                inputs[path] = replace(recognised, role="gold", kind=kind)
    by_order = list(inputs.values())
    unnamed = [recognised for recognised in by_order if not recognised.named]
    names = iter(distinct_names([one.path for one in unnamed], [one.name for one in unnamed]))
    return [one if one.named else replace(one, name=next(names)) for one in by_order]


def with_gold(inputs: Sequence[Input]) -> list[Input]:
    """Return the inputs; if none is gold, that which can only be gold is.

    It is the one input that is not named if all systems are, or the one folder of treebank folders.
    """
    texts = [one for one in inputs if one.kind in TEXT_KINDS]
    if len(texts) < 2 or any(one.kind == "treebank" or one.role == "gold" for one in texts):
        return list(inputs)
    unnamed = [one for one in texts if not one.named]
    if len(unnamed) != 1 or len(unnamed) == len(texts):
        unnamed = [one for one in unnamed if one.kind == "system" and _of_treebanks(one)]
    if len(unnamed) != 1:
        return list(inputs)
    note(f"gold: {unnamed[0].path}")
    return [replace(one, role="gold") if one is unnamed[0] else one for one in inputs]


def _of_treebanks(folder: Input) -> bool:
    """Whether all files in a folder are in treebank folders, such as UD_Greek-GDT/el_gdt-ud-test.conllu."""
    homes = {Path(file).parent for file in folder.files}
    return folder.path not in homes and all(map(is_treebank_folder, homes))


def recognise_treebanks(
    sources: "Iterable[Source | Treebank | IO[str] | IO[bytes]]", *, errors: Errors = "strict"
) -> list[Input]:
    """Return the treebanks of these sources; a folder of treebanks stands for those in it."""
    return recognise(sources, kinds=TREEBANK_KINDS, errors=errors)


def _recognised(source: Any, kinds: Collection[str]) -> Iterator[Input]:
    """Yield the input of a source, or the inputs in it."""
    if isinstance(source, Mapping) and "system" in kinds:
        for name, outputs in source.items():
            for output in outputs if isinstance(outputs, list | tuple) else [outputs]:
                word = f"{name}={os.fspath(output)}" if isinstance(output, str | os.PathLike) else output
                for one in _recognised(word, kinds):
                    yield replace(one, name=name, role="system", named=True)
        return
    if not isinstance(source, str | os.PathLike):
        from treegauge.treebanks.data.columns import Treebank
        from treegauge.treebanks.data.objects import is_foreign

        given = read_treebank(source) if hasattr(source, "read") or is_foreign(source) else source
        known = isinstance(given, Treebank)
        name = given.name if known else type(given).__name__
        yield Input("conllu" if known else "object", Path(name), name, given=given)
        return
    for path, name in expanded(os.fspath(source)):
        for recognised in _path(path, name):
            if kinds and recognised.kind not in kinds:
                if recognised.kind == "system" and "treebank" in kinds and not name:
                    yield replace(recognised, kind="treebank", role="")  # the caller does not accept systems
                    continue
                found = TITLES[recognised.kind]
                raise TreegaugeError(f"{recognised.path} is {found}; expected {kind_titles(kinds)}")
            yield replace(recognised, named=bool(name) and "system" in kinds)


def expanded(source: str) -> Iterator[tuple[str, str]]:
    """Yield paths with their given names; a packaged table is its own name."""
    name, mark, path = source.partition("=")
    if source in PACKAGED:
        yield source, ""
    elif mark and not Path(source).exists() and (path == "-" or Path(path).exists()):
        yield path, name
    elif mark and not Path(source).exists() and not glob.has_magic(source):
        raise TreegaugeError(missing_path(path))
    else:
        yield from resolve_source(source, names=PACKAGED).items()


def _path(source: str, name: str) -> Iterator[Input]:
    path = Path(source)
    if source in PACKAGED and not path.exists():
        yield Input("packaged", path, source)
    elif path.is_dir():
        yield from _folder(path, name)
    elif source == "-" or is_conllu(path) or is_stream(path) or is_conllu(path.resolve()):
        # A gold file is in its treebank's folder and has a UD file name.
        gold = UD_FILE.match(path.name) and is_treebank_folder(path.absolute().parent)
        role: Any = "system" if name else "gold" if gold else ""
        yield Input("conllu", path, name or short_name(path), role, (source,))
    else:
        yield Input(file_kind(path), path, name or path.stem)


def is_treebank_folder(folder: Path) -> bool:
    """Whether a folder is a treebank, not a system's output.

    All its CoNLL-U files must have names of one treebank's splits. In addition its name begins with
    ``UD_``, it has a training set, or it contains metadata.
    """
    if not holds_treebank(folder):
        return False
    names = [Path(file).name for file in find(folder)]
    splits = [split_of(name) for name in names]
    codes = {match["code"] if (match := UD_FILE.match(name)) else None for name in names}
    if len(codes) > 1 or not all(splits):
        return False
    return folder.resolve().name.startswith("UD_") or _is_certain(folder)


def _is_certain(folder: Path) -> bool:
    """Whether a folder contains a training set or metadata, which systems do not write."""
    return any(split_of(file) == "train" for file in find(folder)) or any(
        (folder / name).is_file() for name in _METADATA
    )


def _folder(path: Path, name: str) -> Iterator[Input]:
    if is_store(path):
        yield Input("store", path, name or path.resolve().name)
        return
    entries_of(path)  # one that cannot be read seems empty below
    # A name that begins with UD_ is looked up as a treebank.
    named = bool(name) and not name.startswith("UD_")
    if not named and is_treebank_folder(path):
        folder_name = name or own_name(path.resolve().name)[0]
        yield Input("treebank", path, folder_name, "gold", tuple(find(path)))
        return
    below = [folder for folder in _walk(path) if is_store(folder) or holds_treebank(folder)]
    treebanks = [folder for folder in below if folder != path and is_treebank_folder(folder)]
    if not below:
        raise no_treebank(path)
    if named or not _is_release(path, treebanks):
        stores = [folder for folder in below if is_store(folder)]
        files = tuple(file for folder in below if folder not in stores for file in find(folder))
        if files:
            yield Input("system", path, name or path.resolve().name, "system", files)
        yield from (Input("store", store, store.name) for store in stores)
        return
    for folder in below:
        if folder == path:
            yield from (each for file in find(folder) for each in _path(file, ""))
        elif folder in treebanks or not {*treebanks} & {*folder.parents}:
            yield from _folder(folder, "")


def is_store(folder: Path) -> bool:
    """Whether a folder is a store of experiments."""
    return (folder / "ledger.sqlite").is_file()


def _walk(folder: Path) -> list[Path]:
    """Return a folder and its subfolders, without hidden ones."""
    below = [Path(root) for root, _, _ in os.walk(folder, onerror=lambda one: note(f"left out: {one}"))]
    return sorted(
        folder_below for folder_below in below if not any(p[0] == "." for p in folder_below.relative_to(folder).parts)
    )


def _is_release(folder: Path, members: Sequence[Path]) -> bool:
    """Whether treebank folders form a release, not a system's output in folders of such names.

    They do if the folder's name contains a release, or a treebank has a training set or metadata.
    """
    above = (folder, *(member.parent for member in members))
    return bool(members) and (
        any(release_of(member.resolve().name) for member in above) or any(map(_is_certain, members))
    )
