"""ELAS and EULAS: enhanced edges, each matched at most once."""

from collections import Counter

import numpy as np
import numpy.typing as npt

from treegauge.scoring.align import Alignment, Side
from treegauge.scoring.enhancements import NO_HEAD, scored_edges
from treegauge.treebanks.problems import ConlluError
from treegauge.treebanks.relations import Edge, check_deps, universal_relation

_ROOT, _UNALIGNED, _NONE = -1, -2, -3
Path = tuple[int, tuple[str, ...]]


def enhanced_counts(
    alignment: Alignment, codes: str = "", *, collapse: bool = False
) -> dict[str, npt.NDArray[np.int64]]:
    """Count enhanced edges per gold sentence, without the types given by codes.

    An edge is correct if the other side has one with the aligned head and the same path (ELAS), or
    the same path without subtypes (EULAS). Matching is one to one: repeated edges, or edges that
    differ only in their subtype, count once each. The official script counts such pairs several
    times. Edges to empty nodes are left out, or collapsed; see
    :mod:`treegauge.scoring.enhancements`.
    """
    gold, system = alignment.gold, alignment.system
    g_edges, s_edges = (_edges(side, codes, collapse) for side in (gold, system))
    n = len(gold.treebank)
    g_sentence, s_sentence = gold.treebank.sentence_of, alignment.system_sentence
    counts = {
        "edges_g": np.bincount(g_sentence, [len(e) for e in g_edges], n).astype(np.int64),
        "edges_s": np.bincount(s_sentence, [len(e) for e in s_edges], n).astype(np.int64),
        "elas_c": np.zeros(n, np.int64),
        "eulas_c": np.zeros(n, np.int64),
    }
    g_first = gold.treebank.offsets[g_sentence]
    s_first = system.treebank.offsets[system.treebank.sentence_of]
    for g, s in enumerate(alignment.to_system.tolist()):
        if s < 0 or not g_edges[g] or not s_edges[s]:
            continue
        ours = [(_gold_head(int(g_first[g]), e), e.steps) for e in g_edges[g]]
        theirs = [(_head(alignment, int(s_first[s]), e), e.steps) for e in s_edges[s]]
        counts["elas_c"][g_sentence[g]] += _matches(ours, theirs)
        counts["eulas_c"][g_sentence[g]] += _matches(_bare(ours), _bare(theirs))
    return counts


def _edges(side: Side, codes: str, collapse: bool) -> list[list[Edge]]:
    treebank = side.treebank
    problems = list(check_deps(treebank, treebank.name))
    if problems:
        raise ConlluError(problems)
    return scored_edges(treebank, codes, collapse=collapse)


def _gold_head(first: int, edge: Edge) -> int:
    """Gold word that is the head of a gold edge, or the root, or none."""
    return first + edge.head - 1 if edge.head > 0 else _NONE if edge.head == NO_HEAD else _ROOT


def _head(alignment: Alignment, first: int, edge: Edge) -> int:
    """Gold word aligned with the head of a system edge, or the root, or unaligned."""
    if edge.head <= 0:
        return _UNALIGNED if edge.head == NO_HEAD else _ROOT
    word = int(alignment.to_gold[first + edge.head - 1])
    return word if word >= 0 else _UNALIGNED


def _bare(edges: list[Path]) -> list[Path]:
    return [(head, tuple(map(universal_relation, steps))) for head, steps in edges]


def _matches(ours: list[Path], theirs: list[Path]) -> int:
    return (Counter(ours) & Counter(theirs)).total()
