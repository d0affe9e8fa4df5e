"""What a word or object means that stands for treebanks: the same in every verb and in plans.

A word is a path, ``-`` for standard input, a pattern of paths (``r2.9/UD_*``), or the name, code or
pattern of names of treebanks (``UD_Greek-GDT``, ``UD_Greek-GDT@2.9``, ``el_gdt``, ``UD_*@2.9``).
Paths are looked for here, or in the root of a plan, and then in the folder that the environment
variable ``TREEGAUGE_UD`` names; names in the latter two. Without a release it is the newest.
"""

import glob
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.files import check_reachable
from treegauge.core.messages import note
from treegauge.treebanks.sources.entries import folders_in, holds_treebank
from treegauge.treebanks.sources.files import (
    SPLITS,
    Errors,
    Source,
    conllu_files,
    entries_of,
    in_order,
    is_stream,
    short_name,
    split_of,
)  # fmt: skip
from treegauge.treebanks.sources.languages import is_plain, release_key, take_apart

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank
    from treegauge.treebanks.sources.entries import TreebankEntry


def resolve_source(
    source: Source, root: Source | None = None, *, names: Collection[str] = (), quiet: bool = False
) -> dict[str, str]:
    """Return the paths that a word means, at least one, with their names, which are empty if the word is a path.

    `root` is the folder in which a plan's treebanks are, instead of the current folder; an error may suggest
    `names`, which the caller accepts, too. If `quiet`, the newest release is chosen without a note.
    """
    word = os.fspath(source)
    if word == "-":
        return {word: ""}
    releases = os.environ.get("TREEGAUGE_UD") or ""
    homes = [home for home in dict.fromkeys((os.fspath(root or ""), releases)) if home and Path(home).is_dir()]
    pattern = glob.has_magic(word)
    try:
        for home in dict.fromkeys((os.fspath(root or ""), *homes)):
            path = _below(home, word)
            if Path(path).exists():
                return {path: ""}
            if pattern and (matches := sorted(glob.glob(path, recursive=True))):  # noqa: PTH207 -- absolute, too
                return dict.fromkeys(matches, "")
    except OSError as error:
        raise TreegaugeError(f"{word}: {error.strerror}") from error
    found = _named_like(word, homes) if pattern else _named(word, homes, names)
    if not found:
        raise TreegaugeError(f"{word}: nothing matches this pattern")
    places = {}
    for entry in found:
        others = found[entry]
        if others and not quiet:
            note(f"{entry.name}: release {entry.release} is the newest; others are {', '.join(others)}")
        title = str(entry) if others or "@" in word else entry.folder.resolve().name
        places[str(entry.folder)] = title
    return places


def _below(home: str, word: str) -> str:
    """Return a path in a folder, or here; variables and ``~`` stand for what a shell puts there."""
    if not home and Path(word).exists():
        return word
    expanded = os.path.expandvars(os.path.expanduser(word))  # noqa: PTH111 -- keeps ./ and // as given
    return expanded if not home or Path(expanded).is_absolute() else str(Path(home) / expanded)


def resolve_treebanks(words: Iterable[Source], root: Source | None = None) -> list[str]:
    """Return the absolute paths of the treebanks that words mean, in order, each once.

    A folder of treebanks means all treebanks in it.
    """
    paths: dict[str, None] = {}
    for word in words:
        for path in resolve_source(word, root):
            folder = Path(path)
            members = folders_in(folder) if folder.is_dir() and not holds_treebank(folder) else [folder]
            paths |= dict.fromkeys(str(member.absolute()) for member in members)
    return list(paths)


Releases = dict["TreebankEntry", list[str]]
"""Treebanks in their newest release, each with its other releases."""


def _named(word: str, homes: Sequence[str], names: Collection[str]) -> Releases:
    """Return the treebank of this name or code."""
    from treegauge.treebanks.catalogue import catalogue

    message = missing_path(word, names)
    if not is_plain(word.partition("@")[0]):
        raise TreegaugeError(message)
    if not homes:
        given = os.environ.get("TREEGAUGE_UD")
        wrong = f" (it names {given}, which is not one)" if given else ""
        hint = f"; to give treebanks by name, set TREEGAUGE_UD to a folder of UD releases{wrong}"
        raise TreegaugeError(message + hint * (not message.endswith("?")))
    reason = ""
    for home in homes:
        try:
            return newest_releases(catalogue(home, count=False).matching(word), word)
        except ChoiceError as error:
            reason = f"; under {home}: {error}"
    raise TreegaugeError(f"{word}: no such file or folder{reason}")


def _named_like(word: str, homes: Sequence[str]) -> Releases:
    """Return the treebanks whose names match a pattern."""
    from treegauge.treebanks.catalogue import catalogue

    if "/" in word:
        return {}
    name, release = take_apart(word)
    for home in homes:
        entries = [
            entry
            for entry in catalogue(home, count=False)
            if fnmatchcase(entry.name, name) and release in {None, entry.release}
        ]
        if entries:
            return newest_releases(entries)
    return {}


def newest_releases(entries: "Iterable[TreebankEntry]", word: str = "") -> Releases:
    """Return each treebank in its newest release; raise an error if a word means several treebanks."""
    groups: dict[str, list[TreebankEntry]] = {}
    for entry in sorted(entries, key=lambda entry: release_key(entry.release)):
        groups.setdefault(entry.name, []).append(entry)
    twice = any(len({entry.release for entry in group}) < len(group) for group in groups.values())
    if twice or (word and len(groups) > 1):
        listed = [entry for group in groups.values() for entry in group]
        raise TreegaugeError(f"{word!r} may be any of {', '.join(map(str, listed))}: name one of them in full")
    return {group[-1]: [e.release or "unknown" for e in group[:-1]] for group in groups.values()}


def missing_path(source: Source, names: Iterable[str] = ()) -> str:
    """Return the message on a path that does not exist, with the most similar name there.

    `names` are others that are accepted in its place.

    Examples
    --------
    >>> missing_path("conl18", ["conll18"])
    "conl18: no such file or folder; did you mean 'conll18'?"
    """
    from difflib import get_close_matches

    path = Path(source)
    check_reachable(path)
    try:
        beside = {entry.name: str(path.with_name(entry.name)) for entry in path.parent.iterdir()}
    except (OSError, ValueError):
        beside = {}
    beside |= {name: name for name in names}
    close = get_close_matches(path.name, beside, n=1, cutoff=0.8)
    hint = f"; did you mean {beside[close[0]]!r}?" if close else ""
    return f"{source}: no such file or folder{hint}"


def find(source: Source, *, split: str | None = None) -> list[str]:
    """Return the files that a word means, the training set before dev and test.

    A folder of treebanks means all treebanks in it. `split` selects one set, except for files.
    """
    name = os.fspath(source)
    if split is not None and split not in SPLITS:
        raise ChoiceError("split", split, SPLITS)
    places = list(resolve_source(source))
    if len(places) == 1 and (places == ["-"] or not Path(places[0]).is_dir()):
        return places
    files = [file for path in places for file in _files_in(path)]
    if split is not None:
        files = [path for path in files if split_of(path) == split]
    if not files:
        where = f" for split {split!r}" if split else ""
        raise TreegaugeError(f"{name}: found no .conllu file{where}")
    return in_order(files)


def _files_in(path: str) -> list[str]:
    if not Path(path).is_dir() or holds_treebank(Path(path)):
        return conllu_files(path)
    return [file for folder in folders_in(Path(path)) for file in conllu_files(folder)]


def treebank_folder(source: Source) -> Path:
    """Return the folder of one treebank, given by path, name or code."""
    first, *others = resolve_source(source)
    if others:
        raise TreegaugeError(f"{source} matches {len(others) + 1} treebanks; expected one")
    folder = Path(first)
    if not folder.is_dir():
        raise TreegaugeError(f"{source} is a file; expected the folder of a treebank")
    entries_of(folder)  # one that cannot be read seems empty elsewhere
    return folder


def folder_name(source: Source) -> str | None:
    """Return the name of a treebank given by folder or name; None for files and patterns.

    It is the folder's name; with the release if the treebank was given by name and there are several releases.
    """
    word = os.fspath(source)
    if word == "-" or (glob.has_magic(word) and not Path(word).exists()) or Path(word).is_file() or is_stream(word):
        return None
    path, name = next(iter(resolve_source(source, quiet=True).items()))
    return name or (Path(path).resolve().name if Path(path).is_dir() else None)


def read_treebank(source: Any, split: str | None = None, errors: Errors = "strict", **options: Any) -> "Treebank":
    r"""Read a treebank from a path, a name, an open file, or an object.

    Parameters
    ----------
    source
        A :class:`Treebank` (returned as it is), a CoNLL-U file, ``-`` for standard input, a
        folder, a pattern, an open file, the name or code of a treebank under ``TREEGAUGE_UD``, a
        data frame, or the documents of another library (see
        :func:`treegauge.treebanks.data.objects.conllu_text`).
    split
        Read only this set (``"train"``, ``"dev"`` or ``"test"``) of a folder, pattern or name.
    errors
        What to do about malformed sentences.
    **options
        Further options of :func:`treegauge.read_conllu`.

    Examples
    --------
    >>> import io
    >>> read_treebank(io.StringIO("1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n"))
    <Treebank text: 1 sentences, 1 words>
    """
    from treegauge.treebanks.data.columns import Treebank
    from treegauge.treebanks.data.conllu import parse_conllu, read_conllu

    if isinstance(source, Treebank):
        return source
    if not isinstance(source, str | os.PathLike):
        if not hasattr(source, "read"):
            return _of_object(source, {"errors": errors} | options)
        title = getattr(source, "name", None)
        name = short_name(title) if isinstance(title, str) else "text"
        return parse_conllu(source.read(), **({"name": name, "errors": errors} | options))
    if split is not None and "name" not in options and (folder := folder_name(source)):
        options["name"] = f"{folder}/{split}"
    return read_conllu(source, split=split, errors=errors, **options)


def _of_object(value: Any, options: dict[str, Any]) -> "Treebank":
    """Read objects of other libraries: data frames, documents, lists of sentences."""
    from treegauge.treebanks.data.conllu import parse_conllu
    from treegauge.treebanks.data.objects import conllu_text, is_foreign, package_of, unknown_object

    name = package_of(value[0] if isinstance(value, list | tuple) and value else value)
    options = {"name": "rows" if name == "builtins" else name} | options
    if name in {"polars", "pandas", "pyarrow"}:
        from treegauge.treebanks.data.frames import from_frame

        known = ("name", "errors", "need_heads")
        return from_frame(value, **{key: options[key] for key in known if key in options})
    if not is_foreign(value) and not isinstance(value, Iterator):
        expected = (
            "a Treebank, a path, a folder, a pattern, an open file, a name under TREEGAUGE_UD, a "
            "data frame, or of other libraries "
        )
        raise unknown_object(value, expected=expected)
    return parse_conllu(conllu_text(value), **options)
