"""Queries for words by their conditions and relations, in the language of the page's search.

::

    query     = word { relation word }
    word      = condition { condition } | "(" query ")" | "[]"
    condition = KEY ("=" | "!=") value { "|" value } | value
    relation  = [ "!" ] ( ">" | ">>" | "<" | "<<" | "." | ".." )

Every relation is about the first word of its query. A query is evaluated on all words at once, with one pass per
condition and relation, so its time grows with the words and hardly with the depth of trees.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

Mask = npt.NDArray[np.bool_]
KEYS = ("form", "lemma", "upos", "xpos", "deprel", "head")
_ALIASES = {"rel": "deprel", "relation": "deprel", "tag": "upos", "pos": "upos", "word": "form"}
_HEADS = ("left", "right", "root")
_LONGEST, _DEEPEST, _MOST = 400, 8, 16
"""Characters, parentheses inside each other, and words of a query."""
_TOKEN = re.compile(r'[ \t\n]+|"((?:\\.|[^"\\])*)"|(\[\]|!=|>>|<<|[()=!|<>])|([^ \t\n"()=!|<>\[\]]+)', re.DOTALL)


class Token(NamedTuple):
    """A sign, or a value: `exact` in quotation marks; `at` is its place in the query."""

    kind: str
    text: str
    at: int
    exact: bool = False


class WordCondition(NamedTuple):
    """A condition on a word: one of these values in a column, or none of them."""

    key: str
    values: tuple[Token, ...]
    negated: bool


class WordQuery(NamedTuple):
    """Conditions on a word, and its relations to other words: sign, whether negated, the other word."""

    conditions: tuple[WordCondition, ...]
    relations: tuple[tuple[str, bool, "WordQuery"], ...] = ()


class _Parser:
    """Reads one query by recursive descent."""

    def __init__(self, text: str) -> None:
        self.text, self.next, self.words = text, 0, 0
        if len(text) > _LONGEST:
            raise TreegaugeError(f"found {len(text)} characters, expected a query of at most {_LONGEST}")
        self.tokens = list(self._cut())

    def _cut(self) -> Iterator[Token]:
        at = 0
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if match is None:
                what = "a second quotation mark" if self.text[at] == '"' else "[] for any word"
                self.fail(what, Token("", self.text[at], at))
            quoted, sign, bare = match.groups()
            if quoted is not None:
                yield Token("value", re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL), at, exact=True)
            elif sign or bare in (".", ".."):
                yield Token("relation" if (sign or bare) in RELATED else sign, sign or bare, at)
            elif bare:
                yield Token("value", bare, at)
            at = match.end()

    def peek(self) -> Token:
        """Return the next token; the end is one, too."""
        return self.tokens[self.next] if self.next < len(self.tokens) else Token("end", "", len(self.text))

    def take(self, kind: str, expected: str) -> Token:
        """Return the next token, which is of this kind."""
        token = self.peek()
        if token.kind != kind:
            self.fail(expected, token)
        self.next += 1
        return token

    def fail(self, expected: str, token: Token) -> NoReturn:
        found = repr(token.text) if token.text else "the end"
        raise TreegaugeError(f"found {found} at character {token.at + 1} of {self.text!r}, expected {expected}")

    def query(self, depth: int = 0) -> WordQuery:
        """Return a word with its relations."""
        word = self.word(depth)
        relations = list(word.relations)
        while self.peek().kind in ("relation", "!"):
            negated = self.peek().kind == "!"
            self.next += negated
            sign = self.take("relation", f"one of {' '.join(RELATED)}").text
            relations.append((sign, negated, self.word(depth)))
        return WordQuery(word.conditions, tuple(relations))

    def word(self, depth: int) -> WordQuery:
        self.words += 1
        token = self.peek()
        if self.words > _MOST or depth > _DEEPEST:
            self.fail(f"at most {_MOST} words and {_DEEPEST} parentheses inside each other", token)
        if token.kind == "(":
            self.next += 1
            inner = self.query(depth + 1)
            self.take(")", "')'")
            return inner
        if token.kind == "[]":
            self.next += 1
            return WordQuery(())
        if token.kind != "value":
            self.fail("a word, such as upos=NOUN", token)
        conditions = []
        while self.peek().kind == "value":
            conditions.append(self.condition())
        return WordQuery(tuple(conditions))

    def condition(self) -> WordCondition:
        first = self.take("value", "a value")
        sign = self.peek().kind
        if sign not in ("=", "!="):
            return WordCondition("form", self.values(first), negated=False)
        self.next += 1
        name = first.text if first.exact else _ALIASES.get(first.text.lower(), first.text)
        if name not in KEYS and (first.exact or not name[:1].isupper()):
            self.fail(f"one of {', '.join(KEYS)}, or a feature such as Case", first)
        values = self.values(self.take("value", "a value"))
        for value in values if name == "head" else ():
            if value.text not in _HEADS:
                self.fail(f"one of {', '.join(_HEADS)}", value)
        return WordCondition(name, values, sign == "!=")

    def values(self, first: Token) -> tuple[Token, ...]:
        """Return a value and its alternatives."""
        values = [first]
        while self.peek().kind == "|":
            self.next += 1
            values.append(self.take("value", "a value"))
        return tuple(values)


def parse_query(text: str) -> WordQuery:
    """Read a query.

    Examples
    --------
    >>> parse_query("upos=VERB > (deprel=obj !> upos=DET|PRON)").relations[0][0]
    '>'
    >>> parse_query("upos=VERB >")
    Traceback (most recent call last):
    ...
    treegauge.core.errors.TreegaugeError: found the end at character 12 of 'upos=VERB >', expected a word, ...
    """
    parser = _Parser(text)
    query = parser.query()
    if parser.peek().kind != "end":
        parser.fail("a relation such as > or the end of the query", parser.peek())
    return query


def fits_pattern(pattern: str, text: str) -> bool:
    """Whether a text fits a pattern in which ``*`` is any characters; never slow.

    Examples
    --------
    >>> [fits_pattern("w*k*", text) for text in ("walked", "work", "wal")]
    [True, True, False]
    """
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == text
    *middle, last = rest
    at = len(first) if text.startswith(first) else -1
    for piece in middle if at >= 0 else ():
        place = text.find(piece, at)
        if place < 0:
            return False
        at = place + len(piece)
    return at >= 0 and len(text) - at >= len(last) and text.endswith(last)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()


def _value_holds(key: str, wanted: Token, value: str) -> bool:
    """Whether a value of a column is the one asked for; quoted ones are compared exactly."""
    if key not in KEYS:
        values = [
            one for pair in value.split("|") if pair.startswith(f"{key}=") for one in pair[len(key) + 1 :].split(",")
        ]
        return any(one == wanted.text if wanted.exact else fits_pattern(wanted.text, one) for one in values)
    if wanted.exact:
        return value == wanted.text
    if key == "deprel":
        return fits_pattern(wanted.text, value) or fits_pattern(wanted.text, value.partition(":")[0])
    return fits_pattern(_folded(wanted.text), _folded(value))


def query_mask(query: WordQuery, treebank: "Treebank") -> Mask:
    """Return which words a query finds.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(30, seed=1)
    >>> found = query_mask(parse_query("deprel=det < upos=NOUN|PROPN"), gold)
    >>> {gold["deprel"][int(word)] for word in np.flatnonzero(found)}
    {'det'}
    """
    mask = np.ones(treebank.n_words, bool)
    for key, values, negated in query.conditions:
        if key == "head":
            sides = np.where(treebank.head == 0, 2, (treebank.head > treebank.positions).astype(int))
            mask &= np.array([side in {one.text for one in values} for side in _HEADS])[sides] != negated
            continue
        codes, distinct = treebank.codes(key if key in KEYS else "feats")
        kept = [any(_value_holds(key, one, value) for one in values) for value in distinct]
        mask &= np.array(kept, bool)[codes] != negated
    for sign, negated, other in query.relations:
        mask &= RELATED[sign](query_mask(other, treebank), treebank) != negated
    return mask


def _head_of(others: Mask, treebank: "Treebank") -> Mask:
    found = np.zeros(len(others), bool)
    parents = treebank.parents[others]
    found[parents[parents >= 0]] = True
    return found


def _above(others: Mask, treebank: "Treebank") -> Mask:
    found, parents = np.zeros(len(others), bool), treebank.parents
    heads = parents[others]
    while len(heads := np.unique(heads[heads >= 0])):
        heads = heads[~found[heads]]
        found[heads] = True
        heads = parents[heads]
    return found


def _depends_on(others: Mask, treebank: "Treebank") -> Mask:
    return (treebank.parents >= 0) & others[treebank.parents]


def _below(others: Mask, treebank: "Treebank") -> Mask:
    """Follow heads in steps that double, so that long chains take no longer."""
    size = len(others)
    found = np.append(_depends_on(others, treebank), [False])
    above = np.append(np.where(treebank.parents >= 0, treebank.parents, size), [size])
    for _ in range(size.bit_length()):
        found |= found[above]
        above = above[above]
    return found[:-1]


def _right_before(others: Mask, treebank: "Treebank") -> Mask:
    same = treebank.sentence_of[1:] == treebank.sentence_of[:-1]
    return np.append(others[1:] & same, [False][: len(others)])


def _before(others: Mask, treebank: "Treebank") -> Mask:
    counts = np.cumsum(others)
    last = treebank.offsets[1:][treebank.sentence_of] - 1
    return np.asarray(counts[last] > counts)


RELATED: Mapping[str, Callable[[Mask, "Treebank"], Mask]] = {
    ">": _head_of, ">>": _above, "<": _depends_on, "<<": _below, ".": _right_before, "..": _before,
}  # fmt: skip
"""Which words have a relation to one of these others."""
