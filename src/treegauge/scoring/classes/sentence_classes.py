"""Sentence classes: documents, values of comments, and patterns in sentence ids."""

import re
from collections.abc import Sequence

from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.indexing import document_starts

#: Class of a sentence without a value.
NONE = "none"
FORMS = ("doc", "comment:KEY", "sent_id:REGEX")


def sentence_classes(treebank: Treebank, name: str) -> list[str] | None:
    r"""Return the class of each sentence, or None if no sentence class has this name.

    ``doc`` is the document (``# newdoc id``). ``comment:genre`` is the value of the comment
    ``# genre = ...``; at the start of a document it holds for all of its sentences. ``sent_id:RE``
    is what the pattern matches in the sentence's id: its first group, or all of it.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> word = "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    >>> tb = parse_conllu(f"# newdoc id = a\n# genre = news\n{word}{word}# newdoc\n{word}")
    >>> sentence_classes(tb, "doc"), sentence_classes(tb, "comment:genre")
    (['a', 'a', 'document 2'], ['news', 'news', 'none'])
    """
    kind, _, key = name.partition(":")
    if name == "doc":
        return _documents(treebank)
    if kind == "comment" and key:
        return _comments(treebank, key)
    if kind == "sent_id" and key:
        return _matches(treebank.metadata("sent_id"), key, treebank.name)
    return None


def _documents(treebank: Treebank) -> list[str]:
    starts = document_starts(treebank).tolist()
    if not any(starts):
        raise TreegaugeError(f"{treebank.name} has no '# newdoc' comments, which --by doc needs to find documents")
    names = treebank.metadata("newdoc id")
    classes, number, current = [], 0, f"before the first document of {treebank.name}"
    for start, name in zip(starts, names, strict=True):
        if start:
            number += 1
            current = name or f"document {number}"
        classes.append(current)
    return classes


def _comments(treebank: Treebank, key: str) -> list[str]:
    values = treebank.metadata(key)
    if not any(values):
        first_metadata = [treebank[i].metadata for i in range(min(len(treebank), 50))]
        keys = dict.fromkeys(known_key for metadata in first_metadata for known_key in metadata)
        raise TreegaugeError(
            f"no sentence of {treebank.name} has the comment '# {key} = ...'; the first sentences "
            f"have: {', '.join(keys) or 'none'}"
        )
    classes, inherited = [], None
    for start, value in zip(document_starts(treebank).tolist(), values, strict=True):
        if start:
            inherited = value
        classes.append(value or inherited or NONE)
    return classes


def _matches(ids: Sequence[str | None], pattern: str, name: str) -> list[str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise TreegaugeError(f"sent_id:{pattern} is not a regular expression: {error}") from None
    matches = [compiled.search(sent_id or "") for sent_id in ids]
    if not any(matches):
        raise TreegaugeError(f"no sent_id of {name} matches {pattern!r}; the first one is {next(iter(ids), None)!r}")
    return [(match[1] if compiled.groups else match[0]) or NONE if match else NONE for match in matches]
