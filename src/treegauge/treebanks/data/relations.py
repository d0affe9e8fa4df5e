"""Classes of relations and features used in scores, and enhanced relations (DEPS)."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank
    from treegauge.treebanks.data.problems import ReadingProblem

_EMPTY_NODE = re.compile(r"\d{1,9}\.\d+", re.ASCII)
_FAR = 2**31 - 1  # beyond the end of any sentence

# CoNLL 2018: punctuation and unknown labels are in neither set.
CONTENT = frozenset(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod "
    "appos nummod acl amod conj fixed flat compound list parataxis orphan goeswith reparandum "
    "root dep".split()
)
FUNCTIONAL = frozenset("aux cop mark det clf case cc".split())

# The function/content study of UD 1.2, by version of UD: expl and multiword expressions are
# function relations; labels that do not describe their words are in neither class.
_BOTH = (
    "acl advcl advmod amod appos ccomp compound conj csubj dislocated iobj nmod nsubj nummod "
    "parataxis root vocative xcomp"
)
LEXICAL = {
    "v1": frozenset(f"{_BOTH} csubjpass dobj name nsubjpass remnant".split()),
    "v2": frozenset(f"{_BOTH} flat obj obl orphan".split()),
}
GRAMMATICAL = {
    "v1": frozenset("aux auxpass case cc cop det expl mark mwe neg".split()),
    "v2": frozenset("aux case cc clf cop det expl fixed mark".split()),
}

UNIVERSAL_FEATURES = frozenset(
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm "
    "Mood Tense Aspect Voice Evident Polarity Person Polite".split()
)


@lru_cache(maxsize=1 << 12)
def universal_relation(deprel: str) -> str:
    """Return a relation without its subtype.

    Examples
    --------
    >>> universal_relation("nsubj:pass"), universal_relation(":")
    ('nsubj', '')
    """
    return deprel.partition(":")[0]


@lru_cache(maxsize=1 << 15)
def universal_features(feats: str) -> str:
    """Return the universal features of FEATS, sorted.

    Examples
    --------
    >>> universal_features("Typo=Yes|Number=Sing|Case=Nom"), universal_features("_")
    ('Case=Nom|Number=Sing', '')
    """
    kept = (f for f in feats.split("|") if f.partition("=")[0] in UNIVERSAL_FEATURES)
    return "|".join(sorted(kept))


class Edge(NamedTuple):
    """An enhanced edge: position of the head (0 is the root) and the relation's steps."""

    head: int
    steps: tuple[str, ...]


def parse_deps(deps: str) -> list[Edge] | None:
    """Return the edges of a DEPS field, without those to empty nodes; None if malformed.

    Heads are read by Python's ``int``, as in the official scorer: spaces around a number and a plus
    sign before it are accepted. A negative head is malformed; the official scorer interprets it as
    a word of another sentence.

    Examples
    --------
    >>> parse_deps("2:nsubj|3:conj:and>obl:in|4.1:obj")
    [Edge(head=2, steps=('nsubj',)), Edge(head=3, steps=('conj:and', 'obl:in'))]
    >>> parse_deps("_"), parse_deps("2"), parse_deps("-1:x")
    ([], None, None)
    >>> parse_deps(" 1:x|+2:y")
    [Edge(head=1, steps=('x',)), Edge(head=2, steps=('y',))]
    """
    edges: list[Edge] = []
    if deps in {"", "_"}:
        return edges
    for part in deps.split("|"):
        head, colon, relation = part.partition(":")
        if colon and _EMPTY_NODE.fullmatch(head):
            continue
        try:
            number = int(head)
        except ValueError:
            return None
        if not colon or number < 0:
            return None
        edges.append(Edge(min(number, _FAR), tuple(relation.split(">"))))
    return edges


def check_deps(treebank: "Treebank", file: str) -> "Iterator[ReadingProblem]":
    """Yield a problem for every malformed DEPS field."""
    import numpy as np

    from treegauge.treebanks.data.indexing import Describer, quoted_start
    from treegauge.treebanks.data.problems import BY_NAME, ReadingProblem

    codes, values = treebank.codes("deps")
    parsed = [parse_deps(value) for value in values]
    furthest = np.array(
        [-1 if edges is None else max((e.head for e in edges), default=0) for edges in parsed], np.int32
    )
    reach, sizes = furthest[codes], treebank.lengths[treebank.sentence_of]
    malformed = np.flatnonzero((reach < 0) | (reach > sizes)).tolist()
    if not malformed:
        return
    describer = Describer(treebank, file)
    for word in malformed:
        sentence = int(treebank.sentence_of[word])
        yield ReadingProblem(
            "deps", file, describer.line(treebank.fields[treebank.rows[word], 0]),
            describer.sent_id(sentence),
            f"DEPS {quoted_start(values[codes[word]])} in a sentence of {sizes[word]} words",
            BY_NAME["deps"].expected, sentence,
        )  # fmt: skip
