"""Objects of other libraries, recognised by the name of their package, as CoNLL-U text.

No library is imported here: an object of a library exists only if that library is loaded.
"""

import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from treegauge.core.errors import TreegaugeError

LIBRARIES = (
    "spaCy Doc", "Stanza Document", "ufal.udpipe Sentence", "conllu TokenList", "pyconll Conll",
    "Hugging Face Dataset", "rows of lists",
)  # fmt: skip
"""Supported objects, as named in messages."""


def package_of(given: Any) -> str:
    """Return the name of the package of an object's class."""
    return type(given).__module__.partition(".")[0]


def is_foreign(given: Any) -> bool:
    """Whether this is annotated text of another library, or a list of such objects."""
    return _writer(given[0] if _is_list(given) and given else given) is not None


def conllu_text(given: Any) -> str:
    """Return the CoNLL-U text of an object of another library, or of several objects.

    Parameters
    ----------
    given
        A spaCy ``Doc``, a Stanza ``Document``, a ``Sentence`` of ufal.udpipe, a ``TokenList`` of
        conllu, a ``Conll`` or sentence of pyconll, a Hugging Face ``Dataset`` with one sentence per
        row, or a row of it as a dictionary; or an iterable of such objects.

    Examples
    --------
    >>> print(conllu_text([{"form": ["Go", "!"], "head": [0, 1], "deprel": ["root", "punct"]}]))
    1	Go	_	_	_	_	0	root	_	_
    2	!	_	_	_	_	1	punct	_	_
    <BLANKLINE>
    """
    write = _writer(given)
    if write is not None:
        return write(given)
    if isinstance(given, Iterable) and not isinstance(given, Mapping | str | bytes):
        return "".join(_written(given))
    raise unknown_object(given)


def _written(given: Iterable[Any]) -> Iterator[str]:
    objects = iter(given)
    first = next(objects, None)
    if first is None:
        raise TreegaugeError("found no sentences: the list of objects is empty")
    if is_row(first):
        yield conllu_of_rows(chain([first], objects))
        return
    for number, item in enumerate(chain([first], objects), 1):
        write = _writer(item)
        if write is None:
            raise unknown_object(item, f"object {number} of the list is")
        yield write(item)


def unknown_object(given: Any, found: str = "found", expected: str = "") -> TreegaugeError:
    """Return the error for an object that cannot be read as a treebank."""
    first = given
    while _is_list(first) and first:
        first = first[0]
    hint = "; give the document itself instead of dictionaries made of it, such as to_dict() returns"
    return TreegaugeError(
        f"{found} a {_title(given)}{' of ' + _title(first) if first is not given else ''}; "
        f"expected {expected}one of: {', '.join(LIBRARIES)}{hint * isinstance(first, dict)}"
    )


def _is_list(given: Any) -> bool:
    return type(given) in {list, tuple}


def _title(given: Any) -> str:
    kind = type(given)
    return kind.__name__ if kind.__module__ == "builtins" else f"{package_of(given)} {kind.__name__}"


def _writer(given: Any) -> Callable[[Any], str] | None:
    """Return the function that writes this object, or None for an unknown type."""
    known: dict[tuple[str, str], Callable[[Any], str]] = {
        ("spacy", "Doc"): conllu_of_doc,
        ("stanza", "Document"): _conllu_of_stanza,
        ("stanza", "Sentence"): _conllu_of_stanza,
        ("ufal", "Sentence"): _conllu_of_udpipe,
        ("conllu", "TokenList"): lambda sentence: str(sentence.serialize()),
        ("conllu", "SentenceList"): lambda all_: "".join(one.serialize() for one in all_),
        ("datasets", "Dataset"): conllu_of_rows,
        ("datasets", "IterableDataset"): conllu_of_rows,
    }
    if package_of(given) == "pyconll" and hasattr(given, "conll"):  # before version 4
        return lambda text: str(text.conll()).rstrip("\n") + "\n\n"
    if type(given).__module__ == "pyconll.conllu" and type(given).__name__ == "Sentence":
        return _conllu_of_pyconll
    if is_row(given):
        return lambda row: conllu_of_rows([row])
    return known.get((package_of(given), type(given).__name__))


def _conllu_of_stanza(document: Any) -> str:
    """Return the CoNLL-U that Stanza itself writes, with its tokens, words and empty nodes.

    Stanza attaches every word of a document without a parse to the word before; these have no HEAD.
    """
    text = f"{document:C}".rstrip("\n") + "\n\n"
    sentences = getattr(document, "sentences", [document])
    if any(word.head is not None for sentence in sentences for word in sentence.words):
        return text
    lines = [line.split("\t") for line in text.split("\n")]
    return "\n".join(
        "\t".join([*fields[:6], "_", "_", *fields[8:]] if len(fields) == 10 else fields) for fields in lines
    )


def _conllu_of_pyconll(sentence: Any) -> str:
    """Return the CoNLL-U that pyconll 4 itself writes: its sentences no longer write themselves."""
    module = sys.modules["pyconll.conllu"]  # that of the sentence, so it is loaded
    return f"{module.conllu.serialize_sentence(sentence)}\n"


def _conllu_of_udpipe(sentence: Any) -> str:
    from ufal.udpipe import OutputFormat

    return str(OutputFormat.newOutputFormat("conllu").writeSentence(sentence))


def conllu_of_doc(doc: Any) -> str:
    """Return the CoNLL-U text of a spaCy ``Doc``.

    Space tokens are left out, and their dependents are attached to their heads. The label
    ``ROOT`` becomes ``root``; a Doc without a parse has no heads. Without sentence boundaries the
    whole Doc is one sentence.
    """
    sentences: Iterable[Any] = doc.sents if doc.has_annotation("SENT_START") else [doc]
    return "".join(_sentence(list(sentence), doc) for sentence in sentences)


def _sentence(tokens: list[Any], doc: Any) -> str:
    words = [token for token in tokens if not token.is_space]
    if not words:
        return ""
    number = {token.i: i for i, token in enumerate(words, 1)}
    parsed = doc.has_annotation("DEP")
    text = doc[tokens[0].i : tokens[-1].i + 1].text.strip()
    lines = [f"# text = {' '.join(text.split())}"]
    for token in words:
        head = _head(token, number) if parsed else None
        relation = "root" if head == 0 else token.dep_ if parsed else ""
        fields: Iterator[Any] = map(
            conllu_field,
            (token.text, token.lemma_, token.pos_, token.tag_, str(token.morph), head, relation,
             "", "" if _space_follows(token, doc) else "SpaceAfter=No"),
        )  # fmt: skip
        lines.append("\t".join([str(number[token.i]), *fields]))
    return "\n".join(lines) + "\n\n"


def _head(token: Any, number: dict[int, int]) -> int:
    """Return the number of the head among the words; 0 for the root."""
    head = token.head
    while head.i not in number and head.head.i != head.i:
        head = head.head
    return 0 if token.head.i == token.i or head.i not in number else number[head.i]


def _space_follows(token: Any, doc: Any) -> bool:
    """Whether a space follows, as a separate token or as part of this one."""
    after = token.i + 1
    return bool(token.whitespace_) or after == len(doc) or doc[after].is_space


_NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id", "ids"),
    "form": ("form", "tokens", "words", "forms"),
    "lemma": ("lemma", "lemmas"),
    "upos": ("upos", "pos"),
    "xpos": ("xpos",),
    "feats": ("feats",),
    "head": ("head", "heads"),
    "deprel": ("deprel", "deprels"),
    "deps": ("deps",),
    "misc": ("misc",),
}
"""Columns of CoNLL-U, with their names in datasets."""


def is_row(given: Any) -> bool:
    """Whether this is one sentence as a mapping from columns to lists."""
    if not isinstance(given, Mapping):
        return False
    forms = next((given[name] for name in _NAMES["form"] if name in given), None)
    return (
        isinstance(forms, Sequence)
        and not isinstance(forms, str)
        and not any(isinstance(form, Mapping) for form in forms[:1])
    )


def conllu_field(value: Any) -> str:
    """Return a field as CoNLL-U writes it: ``_`` for what is missing, no tabs or line ends."""
    if value is None or value in ("", "None"):
        return "_"
    return " ".join(str(value).split()) or "_"


def conllu_of_rows(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the CoNLL-U text of rows with one sentence each.

    Whole numbers in a column of labels (``ClassLabel``) become their names. Features and MISC may
    be texts as in CoNLL-U, dictionaries, or the texts of dictionaries. A row without IDs that has a
    multiword token (a form without a head) is refused: its words cannot be identified.
    """
    labels = _labels(getattr(rows, "features", None))
    return "".join(_sentence_of_row(row, labels, number) for number, row in enumerate(rows, 1))


def _labels(features: Any) -> dict[str, Any]:
    """Return, by column, the function that converts numbers of labels to names."""
    by_column = {}
    for name, feature in (features or {}).items():
        inner = feature[0] if isinstance(feature, list) else getattr(feature, "feature", feature)
        names = getattr(inner, "int2str", None)
        if names is not None:
            by_column[name] = names
    return by_column


def _sentence_of_row(row: Mapping[str, Any], labels: Mapping[str, Any], number: int) -> str:
    if not is_row(row):
        raise TreegaugeError(
            f"row {number} has no list of words; expected a column named one of: "
            f"{', '.join(_NAMES['form'])}, with a list in each row"
        )
    columns = {
        column: _values(row[name], labels.get(name))
        for column, names in _NAMES.items()
        for name in names
        if name in row and isinstance(row[name], Sequence) and not isinstance(row[name], str)
    }
    size = len(columns["form"])
    for column, values in columns.items():
        if len(values) != size:
            raise TreegaugeError(f"row {number}: {len(values)} values of {column} for {size} words; expected as many")
    if "id" not in columns:
        heads = columns.get("head", ["0"] * size)
        if "_" in heads and set(heads) != {"_"}:
            form = columns["form"][heads.index("_")]
            raise TreegaugeError(
                f"row {number}: {form!r} has no head, as multiword tokens have none; expected a "
                "column 'id' that shows which words belong to it"
            )
        columns["id"] = [str(i) for i in range(1, size + 1)]
    empty = ["_"] * size
    words = zip(*(columns.get(column, empty) for column in _NAMES), strict=True)
    return "\n".join([*_comments(row), *("\t".join(word) for word in words)]) + "\n\n"


def _values(values: Sequence[Any], names: Any) -> list[str]:
    if names is not None:
        values = [names(value) if isinstance(value, int) else value for value in values]
    return [conllu_field(_pairs(value)) for value in values]


def _pairs(value: Any) -> Any:
    """Write a dictionary, or the text of one, as ``Name=Value|Name=Value``."""
    if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            return value
    if isinstance(value, Mapping):
        pairs = sorted(value.items(), key=lambda item: str(item[0]).lower())
        return "|".join(f"{key}={text}" for key, text in pairs if text is not None)
    return value


def _comments(row: Mapping[str, Any]) -> Iterator[str]:
    for names, key in ((("sent_id", "idx"), "sent_id"), (("text",), "text")):
        value = next((row[name] for name in names if row.get(name) is not None), None)
        if value is not None:
            yield f"# {key} = {conllu_field(value)}"
