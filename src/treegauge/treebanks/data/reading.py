"""Reading of a treebank from a path, a name, an open file, or an object."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from treegauge.treebanks.sources.files import Errors, short_name
from treegauge.treebanks.sources.resolver import folder_name

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank


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
