"""ELAS and EULAS: enhanced edges as the IWPT shared tasks scored them, each matched at most once.

Some treebanks lack some of the six types of enhancement. The tasks' script takes their codes
(``--enhancements 156``) and leaves these types out on both sides. The rules here give the script's
counts, including two cases where it does not do what its help says: code 3 changes nothing, and
code 5 leaves out the edge from the clause to the word after its antecedent instead of the
antecedent. Codes 1 and 5 replace some edges by the basic edge; that of a root is never correct.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.alignment.segmentation import Side
from treegauge.treebanks.data.columns import NUMBER, Treebank
from treegauge.treebanks.data.problems import ConlluError
from treegauge.treebanks.data.relations import Edge, check_deps, parse_deps, universal_relation

_ROOT, _UNALIGNED, _NONE = -1, -2, -3
Path = tuple[int, tuple[str, ...]]
#: The types of enhancement by the code of the IWPT script.
TYPES = {
    "1": "gapping", "2": "shared parents in coordination", "3": "shared dependents in coordination",
    "4": "control", "5": "external arguments of relative clauses", "6": "case information",
}  # fmt: skip
_CASES = frozenset({"obl", "nmod", "conj", "advcl"})
_KEPT_SUBTYPES = frozenset({"pass", "relcl", "xsubj"})
_EMPTY = 2
NO_HEAD = -1
"""Head of a root's basic edge: the script has no word for it, and it equals no other head."""


def check_codes(codes: str) -> str:
    """Return the codes of types in order, without 0 (none); refuse other characters.

    Examples
    --------
    >>> check_codes("51"), check_codes("0")
    ('15', '')
    """
    unknown = sorted(set(codes) - {"0", *TYPES})
    if unknown:
        known = ", ".join(f"{code} {name}" for code, name in TYPES.items())
        raise TreegaugeError(f"enhancements: got {codes!r}, expected digits of: {known}; or 0")
    return "".join(sorted(set(codes) - {"0"}))


class BasicWord(NamedTuple):
    """A word of a basic tree: its position, its head and its universal relation."""

    position: int
    head: int
    relation: str


def left_out(edges: Sequence[Edge], word: BasicWord, tree: Sequence[BasicWord], codes: str) -> list[Edge]:
    """Return a word's enhanced edges without the types of these codes.

    Parameters
    ----------
    edges
        Its edges.
    word, tree
        The word, and all words of its sentence.
    codes
        Types that are left out, see :data:`TYPES`.

    Examples
    --------
    >>> word = BasicWord(2, 1, "obj")
    >>> left_out([Edge(3, ("conj:and", "obj"))], word, [BasicWord(1, 0, "root"), word], "1")
    [Edge(head=1, steps=('obj',))]
    """
    kept = list(edges)
    basic = Edge(word.head or NO_HEAD, (word.relation,))
    if "1" in codes:
        remaining: list[Edge] = []
        for edge in kept:
            if len(edge.steps) > 1:
                remaining.append(basic)
            elif edge not in remaining:
                remaining.append(edge)
        kept = remaining
    if "2" in codes:
        conjunct = [edge for edge in kept if len(edge.steps) == 1 and edge.steps[0][:4] == "conj"]
        kept = conjunct[-1:] or kept
    if "4" in codes:
        kept = [edge for edge in kept if not _is_controlled(edge, tree)]
    if "5" in codes:
        remaining = []
        for edge in kept:
            parent = tree[edge.head - 1] if edge.head > 0 else None
            if edge.steps[0] == "ref":
                remaining.append(basic)
            elif parent is None or not parent.relation.startswith("acl") or parent.head != word.position - 1:
                remaining.append(edge)
        kept = remaining
    if "6" in codes:
        kept = [Edge(edge.head, tuple(map(_without_case, edge.steps))) for edge in kept]
    return kept


def _is_controlled(edge: Edge, tree: Sequence[BasicWord]) -> bool:
    above = tree[edge.head - 1].relation if edge.head > 0 else ""
    return above == "xcomp" and any(step.startswith("nsubj") for step in edge.steps)


def _without_case(step: str) -> str:
    relation, *subtypes = step.split(":")
    has_one_subtype = len(subtypes) == 1 and subtypes[0] not in _KEPT_SUBTYPES
    return relation if relation in _CASES and has_one_subtype else step


def collapsed_deps(treebank: Treebank) -> list[str]:
    r"""Return DEPS of each word, with paths over empty nodes as one edge: ``1:conj>nsubj``.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> lines = ["1\ta\t_\tX\t_\t_\t0\troot\t0:root\t_", "2\tb\t_\tX\t_\t_\t1\tobj\t2.1:nsubj\t_",
    ...          "2.1\tx\t_\tX\t_\t_\t_\t_\t1:conj:and\t_", "", ""]
    >>> collapsed_deps(parse_conllu("\n".join(lines)))
    ['0:root', '1:conj:and>nsubj']
    """
    empty: dict[int, dict[str, str]] = {}
    for row in (treebank.kinds == _EMPTY).nonzero()[0].tolist():
        sentence = int(treebank.row_offsets.searchsorted(row, "right")) - 1
        name, deps = treebank.field(row, NUMBER["id"]), treebank.field(row, NUMBER["deps"])
        empty.setdefault(sentence, {})[name] = deps
    codes, values = treebank.codes("deps")
    texts = [values[code] for code in codes.tolist()]
    for sentence, nodes in empty.items():
        words = range(int(treebank.offsets[sentence]), int(treebank.offsets[sentence + 1]))
        for word in words:
            if "." in texts[word]:
                edges = dict.fromkeys(_paths(texts[word], nodes, ()))
                texts[word] = "|".join(edges) or "_"
    return texts


def _paths(deps: str, nodes: dict[str, str], passed: tuple[str, ...]) -> Iterator[str]:
    """Yield edges from words, with paths over empty nodes joined; cycles yield nothing."""
    for edge in deps.split("|") if deps not in {"", "_"} else ():
        head, _, path = edge.partition(":")
        if head not in nodes:
            yield edge
        elif head not in passed:
            for upper in _paths(nodes[head], nodes, (*passed, head)):
                yield f"{upper}>{path}"


def scored_edges(treebank: Treebank, codes: str, *, collapse: bool) -> list[list[Edge]]:
    """Return the enhanced edges of each word that count; edges to empty nodes are left out."""
    if collapse:
        edges = [parse_deps(deps) or [] for deps in collapsed_deps(treebank)]
    else:
        numbers, values = treebank.codes("deps")
        parsed = [parse_deps(value) or [] for value in values]
        edges = [parsed[number] for number in numbers.tolist()]
    if not codes:
        return edges
    numbers, values = treebank.codes("deprel")
    names = [universal_relation(value) for value in values]
    relations = [names[number] for number in numbers.tolist()]
    edges_by_word: list[list[Edge]] = []
    for start, stop in zip(treebank.offsets[:-1].tolist(), treebank.offsets[1:].tolist(), strict=True):
        heads = treebank.head[start:stop].tolist()
        tree = [
            BasicWord(i, head, relation)
            for i, (head, relation) in enumerate(zip(heads, relations[start:stop], strict=True), 1)
        ]
        edges_by_word += [left_out(edges[start + w.position - 1], w, tree, codes) for w in tree]
    return edges_by_word


def enhanced_counts(
    alignment: Alignment, codes: str = "", *, collapse: bool = False
) -> dict[str, npt.NDArray[np.int64]]:
    """Count enhanced edges per gold sentence, without the types given by codes.

    An edge is correct if the other side has one with the aligned head and the same path (ELAS), or
    the same path without subtypes (EULAS). Matching is one to one: repeated edges, or edges that
    differ only in their subtype, count once each. The official script counts such pairs several
    times. Edges to empty nodes are left out, or collapsed.
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
