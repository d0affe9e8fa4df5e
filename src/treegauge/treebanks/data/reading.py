"""Reading of a treebank from a path, a name, an open file, or an object."""

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.outputs import check_reachable
from treegauge.treebanks.sources.files import Errors, Source, short_name
from treegauge.treebanks.sources.languages import is_plain, own_name, take_apart

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank


def treebank_folder(source: Source) -> Path:
    """Return the folder of a treebank, given by path, or by name or code under ``TREEGAUGE_UD``."""
    folder = Path(source)
    if folder.is_dir():
        return folder
    if folder.exists():
        raise TreegaugeError(f"{source} is a file; expected the folder of a treebank")
    named = named_folder(os.fspath(source))
    if named is None:
        raise TreegaugeError(missing_path(source))
    return named


def missing_path(source: Source, names: Iterable[str] = ()) -> str:
    """Return the message on a path that does not exist, with the most similar name there.

    Parameters
    ----------
    source
        The path.
    names
        Other names that are accepted in its place.

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


def named_folder(name: str, names: Iterable[str] = ()) -> Path | None:
    """Return the folder of a treebank by name or code; None if this is not a valid name.

    The error message may suggest one of `names`, which the caller accepts as well.
    """
    from treegauge.treebanks.catalogue import catalogue

    if not is_plain(name.partition("@")[0]):
        return None
    root = os.environ.get("TREEGAUGE_UD")
    if not root or not Path(root).is_dir():
        missing = f" (it names {root}, which is not one)" if root else ""
        hint = f"; to give treebanks by name, set TREEGAUGE_UD to a folder of UD releases{missing}"
        message = missing_path(name, names)
        raise TreegaugeError(message + hint * (not message.endswith("?")))
    try:
        return catalogue(root, count=False).find(name).folder
    except ChoiceError as error:
        raise TreegaugeError(f"{name}: no such file or folder; under {root}: {error}") from None


def read_treebank(source: Any, split: str | None = None, errors: Errors = "strict", **options: Any) -> "Treebank":
    r"""Read a treebank from a path, a name, an open file, or an object.

    Parameters
    ----------
    source
        A :class:`Treebank` (returned as it is), a CoNLL-U file, ``-`` for standard input, a
        folder, a pattern, an open file, the name or code of a treebank under ``TREEGAUGE_UD``, a
        data frame, or the documents of another library (see
        :func:`treegauge.treebanks.adapters.objects.conllu_text`).
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
    from treegauge.treebanks.adapters.objects import conllu_text, is_foreign, package_of, unknown_object

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
    from treegauge.treebanks.data.conllu import parse_conllu

    return parse_conllu(conllu_text(value), **options)


def folder_name(source: Source) -> str | None:
    """Return the name of a treebank given by folder or name; None for files and patterns.

    It is the folder's name, with the release if the treebank was given by name and release.
    """
    path = os.fspath(source)
    if path == "-" or glob.has_magic(path) or Path(path).is_file():
        return None
    if Path(path).is_dir():
        return Path(path).resolve().name
    release = take_apart(path)[1]
    name = treebank_folder(path).resolve().name
    return f"{own_name(name)[0]}@{release}" if release else name
