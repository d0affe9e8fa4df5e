"""Seeded changes to treebanks that keep every tree valid: what parsers and tokenisers get wrong.

A sentence is held as words that point at each other, so that tokens can be split, merged and moved
between sentences; numbers are given when it is written. The text (without spaces) never changes.
"""

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

RELATIONS = "nsubj obj obl advmod conj root case det aux cop mark cc punct strange obl:arg".split()
FEATURES = ["_", "Case=Nom", "Number=Sing|Case=Acc", "Typo=Yes", "Gender=Fem,Masc|ExtPos=ADV"]


@dataclass(eq=False)
class Word:
    """A word, its head (None: the root), its enhanced edges, and the empty nodes after it."""

    fields: list[str]
    head: "Word | None" = None
    edges: list[tuple["Word | str | None", str]] = field(default_factory=list)
    empty: list[list[str]] = field(default_factory=list)

    def above(self) -> Iterator["Word"]:
        """Yield this word and everything above it."""
        word: Word | None = self
        while word is not None:
            yield word
            word = word.head


@dataclass(eq=False)
class Token:
    """A surface token: one word, or a multiword token with its own line."""

    words: list[Word]
    line: list[str] | None = None

    @property
    def form(self) -> str:
        """Surface form."""
        return self.words[0].fields[1] if self.line is None else self.line[1]


Sentence = list[Token]


def read(text: str) -> list[Sentence]:
    """Read sentences; comments are dropped."""
    return [_sentence(block.split("\n")) for block in text.split("\n\n") if block]


def _sentence(lines: list[str]) -> Sentence:
    tokens: Sentence = []
    words: list[Word] = []
    last = 0
    for line in (line for line in lines if not line.startswith("#")):
        fields = line.split("\t")
        if "." in fields[0]:
            if words:
                words[-1].empty.append(fields)
        elif "-" in fields[0]:
            last = int(fields[0].split("-")[1])
            tokens.append(Token([], fields))
        else:
            words.append(Word(fields))
            if len(words) <= last:
                tokens[-1].words.append(words[-1])
            else:
                tokens.append(Token([words[-1]]))
    for word in words:
        head, deps = int(word.fields[6]), word.fields[8]
        word.head = words[head - 1] if head else None
        for edge in deps.split("|") if deps != "_" else []:
            at, _, path = edge.partition(":")
            word.edges.append((at if "." in at else words[int(at) - 1] if int(at) else None, path))
    return tokens


def write(sentences: list[Sentence]) -> str:
    """Write sentences; edges to words that are no longer there, or twice there, are dropped."""
    return "".join("\n".join([*_lines(sentence), "", ""]) for sentence in sentences)


def _lines(sentence: Sentence) -> Iterator[str]:
    number = {word: i for i, word in enumerate(words_of(sentence), 1)}
    for token in sentence:
        if token.line is not None:
            first = number[token.words[0]]
            token.line[0] = f"{first}-{first + len(token.words) - 1}"
            yield "\t".join(token.line)
        for word in token.words:
            heads = [(number.get(h, 0 if h is None else h), p) for h, p in word.edges]
            edges = [f"{head}:{path}" for head, path in heads if not isinstance(head, Word)]
            word.fields[0] = str(number[word])
            word.fields[6] = "0" if word.head is None else str(number[word.head])
            word.fields[8] = "|".join(dict.fromkeys(edges)) or "_"
            yield "\t".join(word.fields)
            for i, fields in enumerate(word.empty, 1):
                yield "\t".join([f"{number[word]}.{i}", *fields[1:]])


def words_of(sentence: Sentence) -> list[Word]:
    """Return the words of a sentence."""
    return [word for token in sentence for word in token.words]


# annotation: heads, relations, tags, features, lemmas, enhanced edges


def annotate(sentences: list[Sentence], rng: Random, rate: float) -> list[Sentence]:
    """Change heads, relations and everything else of a share of the words."""
    for sentence in sentences:
        words = words_of(sentence)
        for word in words:
            if rng.random() < rate:
                _reattach(word, words, rng)
            if rng.random() < rate:
                column, values = rng.choice(
                    [(2, ["_", "lemma", word.fields[2].upper()]), (3, ["NOUN", "PUNCT", "_"]),
                     (4, ["_", "tag"]), (5, FEATURES), (7, RELATIONS)]
                )  # fmt: skip
                word.fields[column] = rng.choice(values)
            if word.edges and rng.random() < rate:
                word.edges[rng.randrange(len(word.edges))] = (rng.choice([None, *words]), rng.choice(RELATIONS))
        if rng.random() < rate:
            _change_root(words, rng)
    return sentences


def _reattach(word: Word, words: list[Word], rng: Random) -> None:
    head = rng.choice(words)
    if word.head is not None and word not in head.above():
        word.head = head


def _change_root(words: list[Word], rng: Random) -> None:
    root = next(word for word in words if word.head is None)
    new = rng.choice(words)
    if new is not root:
        root.head, new.head = new, None


# segmentation: tokens, multiword tokens, sentences


def split_and_merge(sentences: list[Sentence], rng: Random, rate: float) -> list[Sentence]:
    """Split tokens in two, and merge neighbours into one, with or without a space."""
    for sentence in sentences:
        for token in list(sentence):
            cut = _cut(token.form, 2, rng) if token.line is None else None
            if cut and rng.random() < rate:
                word, more = token.words[0], _copy(token.words[0], cut[1])
                word.fields[1] = cut[0]
                if word.head is None or rng.random() < 0.5:
                    more.head = word
                sentence.insert(sentence.index(token) + 1, Token([more]))
        for left, right in zip(sentence[::2], sentence[1::2], strict=False):
            if left.line is None and right.line is None and rng.random() < rate:
                _merge(sentence, left, right, rng.choice(["", " ", "\u00a0"]))
    return sentences


def _merge(sentence: Sentence, left: Token, right: Token, space: str) -> None:
    word, gone = left.words[0], right.words[0]
    if gone in word.above():
        word.head = gone.head
    for other in words_of(sentence):
        if other.head is gone and other is not word:
            other.head = word
        other.edges = [(word if head is gone else head, path) for head, path in other.edges]
    word.fields[1] += space + gone.fields[1]
    sentence.remove(right)


def multiword(sentences: list[Sentence], rng: Random, rate: float) -> list[Sentence]:
    """Move words into multiword tokens and out of them, and change words inside."""
    for sentence in sentences:
        for token in list(sentence):
            if token not in sentence:  # it is in a multiword token by now
                continue
            if rng.random() < rate:
                _into(sentence, token, rng)
            elif token.line is not None and rng.random() < 5 * rate:
                rng.choice([_out, _change_inside])(sentence, token, rng)
    return sentences


def _into(sentence: Sentence, token: Token, rng: Random) -> None:
    at = sentence.index(token)
    group = sentence[at : at + rng.choice([1, 2, 2, 3])]
    form = "".join(part.form for part in group)
    words = [word for part in group for word in part.words]
    if len(words) == 1:
        words.append(_copy(words[0], rng.choice([words[0].fields[1], "x", "X y"])))
        words[1].head = words[0]
    sentence[at : at + len(group)] = [Token(words, ["", form, *["_"] * 8])]


def _out(sentence: Sentence, token: Token, rng: Random) -> None:
    pieces = _cut(token.form, len(token.words), rng)
    if pieces:
        at = sentence.index(token)
        sentence[at : at + 1] = [Token([word]) for word in token.words]
        for word, piece in zip(token.words, pieces, strict=True):
            word.fields[1] = piece


def _change_inside(_: Sentence, token: Token, rng: Random) -> None:
    word = rng.choice(token.words)
    word.fields[1] = rng.choice([word.fields[1].upper(), word.fields[1] + "x", token.form])
    if rng.random() < 0.5:
        token.words.append(_copy(word, rng.choice(token.words).fields[1]))
        token.words[-1].head = word


def cut_and_join(sentences: list[Sentence], rng: Random, rate: float) -> list[Sentence]:
    """Cut sentences in two, and join neighbours."""
    done: list[Sentence] = []
    for sentence in sentences:
        parts = [sentence]
        if len(sentence) > 1 and rng.random() < 2 * rate:
            at = rng.randrange(1, len(sentence))
            parts = [sentence[:at], sentence[at:]]
            for part in parts:
                _close(words_of(part))
        if done and rng.random() < 2 * rate:
            root = next(word for word in words_of(done[-1]) if word.head is None)
            for word in words_of(parts[0]):
                word.head = word.head or root
            done[-1] = done[-1] + parts.pop(0)
        done += parts
    return done


def _close(words: list[Word]) -> None:
    """Give a part of a sentence one root of its own."""
    inside = set(words)
    tops = [word for word in words if word.head not in inside]
    for word in tops:
        word.head = None if word is tops[0] else tops[0]


def _cut(form: str, parts: int, rng: Random) -> list[str] | None:
    """Cut a form into parts that are not blank."""
    if len(form) < parts:
        return None
    at = [0, *sorted(rng.sample(range(1, len(form)), parts - 1)), len(form)]
    pieces = [form[i:j] for i, j in pairwise(at)]
    blank = any(all(unicodedata.category(c) == "Zs" for c in piece) for piece in pieces)
    return None if blank else pieces


def _copy(word: Word, form: str) -> Word:
    fields = [*word.fields]
    fields[1] = form
    return Word(fields, word.head, [(word, "dep")])


Change = Callable[[list[Sentence], Random, float], list[Sentence]]
CHANGES: dict[str, Change] = {
    "annotation": annotate,
    "split and merged tokens": split_and_merge,
    "words in and out of multiword tokens": multiword,
    "cut and joined sentences": cut_and_join,
}


def perturb(text: str, change: str, *, seed: int, rate: float = 0.1) -> str:
    """Return a treebank with one kind of change, or ``"everything"``."""
    sentences, rng = read(text), Random(seed)
    for name, function in CHANGES.items():
        if change in {name, "everything"}:
            sentences = function(sentences, rng, rate)
    return write(sentences)


def with_edges(text: str, *, seed: int) -> str:
    """Return a treebank whose enhanced edges are its basic ones and some more, none twice."""
    sentences, rng = read(text), Random(seed)
    for sentence in sentences:
        words = words_of(sentence)
        for word in words:
            found: dict[tuple[Word | None, str], str] = {(word.head, word.fields[7]): ""}
            while rng.random() < 0.3:
                path = rng.choice(["conj>obj", "nsubj", "ref", "obl"])
                found[rng.choice([None, *words]), path] = rng.choice(["", ":x", ":y"])
            bare = {(head, path.partition(":")[0]): path + end for (head, path), end in found.items()}
            word.edges = [(head, path) for (head, _), path in bare.items()]
    return write(sentences)
