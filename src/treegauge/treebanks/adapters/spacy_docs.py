"""Conversion of spaCy documents to CoNLL-U."""

from collections.abc import Iterable, Iterator
from typing import Any

from treegauge.treebanks.adapters.rows import conllu_field


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
