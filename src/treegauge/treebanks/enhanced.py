"""Enhanced dependencies: what DEPS says, word by word."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.problems import BY_NAME, Problem
from treegauge.treebanks.telling import Teller, short

_HEAD = re.compile(r"(\d{1,9})(\.\d+)?", re.ASCII)


class Edge(NamedTuple):
    """An enhanced edge: position of the head (0 is the root) and the relation's steps."""

    head: int
    steps: tuple[str, ...]


def parse_deps(deps: str) -> list[Edge] | None:
    """Read one DEPS field; edges to empty nodes are left out, None means it is malformed.

    Examples
    --------
    >>> parse_deps("2:nsubj|3:conj:and>obl:in|4.1:obj")
    [Edge(head=2, steps=('nsubj',)), Edge(head=3, steps=('conj:and', 'obl:in'))]
    >>> parse_deps("_"), parse_deps("2")
    ([], None)
    """
    edges: list[Edge] = []
    if deps in {"", "_"}:
        return edges
    for part in deps.split("|"):
        head, colon, relation = part.partition(":")
        match = _HEAD.fullmatch(head)
        if not colon or match is None:
            return None
        if match[2] is None:
            edges.append(Edge(int(head), tuple(relation.split(">"))))
    return edges


def check_deps(treebank: Treebank, file: str) -> Iterator[Problem]:
    """Yield a problem for every malformed DEPS field."""
    codes, values = treebank.codes("deps")
    parsed = [parse_deps(value) for value in values]
    furthest = np.array(
        [-1 if edges is None else max((e.head for e in edges), default=0) for edges in parsed],
        np.int32,
    )
    reach, sizes = furthest[codes], treebank.lengths[treebank.sentence_of]
    wrong = np.flatnonzero((reach < 0) | (reach > sizes)).tolist()
    if not wrong:
        return
    teller = Teller(treebank, file)
    for word in wrong:
        sentence = int(treebank.sentence_of[word])
        yield Problem(
            "deps", file, teller.line(treebank.fields[treebank.rows[word], 0]),
            teller.sent_id(sentence),
            f"DEPS {short(values[codes[word]])} in a sentence of {sizes[word]} words",
            BY_NAME["deps"].expected, sentence,
        )  # fmt: skip
