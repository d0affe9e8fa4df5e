"""Recognition of other libraries' objects by the name of their package.

No library is imported here: an object of a library exists only if that library is loaded.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.adapters.rows import conllu_of_rows, is_row
from treegauge.treebanks.adapters.spacy_docs import conllu_of_doc

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
