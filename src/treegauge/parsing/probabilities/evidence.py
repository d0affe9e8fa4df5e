"""The evidence for the trees that a model returned: unnormalised logs of heads and relations.

All kinds of models give the same evidence, so that calibration and output treat them alike.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.base import Probabilistic, Searching
from treegauge.parsing.probabilities.trees import k_best_trees, projective_marginals, spanning_marginals
from treegauge.treebanks.data.columns import Treebank

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

WAYS = ("local", "spanning", "projective")
"""How heads are normalised: over the word's heads, all trees, or projective trees."""
CANDIDATES = 8
"""The number of each word's most probable heads among which the k best trees are searched."""


@dataclass(frozen=True, eq=False)
class TreeEvidence:
    """One tree of a sentence: heads, names of relations, and logs of all relations at the heads."""

    heads: Ints
    relations: Ints
    relation_logs: Doubles


@dataclass(frozen=True, eq=False)
class SentenceEvidence:
    """The logs of a sentence's heads, (words, words + 1), and its trees, best first.

    For a search, also the share of each head in the final analyses.
    """

    head_logs: Doubles
    trees: Sequence[TreeEvidence]
    beam_shares: Doubles | None = None


def check_confidence(model: Any) -> None:
    """Refuse a model that gives no probabilities, naming the parsers that do."""
    if not isinstance(model, Probabilistic | Searching):
        raise TreegaugeError(
            f"the model ({type(model).__name__}) gives no probabilities; confidence and several "
            "trees come from models of beam, mst, biaffine, pointer and labelling, and from "
            "plug-ins with head_probabilities and relation_probabilities"
        )


def ways_to_sum(model: Any) -> tuple[str, ...]:
    """Return the possible normalisations of heads, the best guess first.

    ``local``: the heads of the word; ``spanning``: all trees; ``projective``: projective trees.
    """
    if isinstance(model, Searching):
        return ("local",)
    return ("projective" if getattr(model, "projective", False) else "spanning", "local")


def head_marginals(logs: Doubles, way: str) -> tuple[Doubles, float]:
    """Return the probability of each head of each word, and the log of the sum over trees."""
    if way == "spanning":
        return spanning_marginals(logs)
    if way == "projective":
        return projective_marginals(logs)
    totals = np.logaddexp.reduce(logs, 1, keepdims=True)
    return np.exp(logs - totals), float(totals.sum())


def evidence_relations(model: Any) -> tuple[str, ...]:
    """Return the names of the relations in the evidence.

    A model that lists no relation of roots writes ``root`` there, and is certain of it.
    """
    names = model.relations if isinstance(model, Probabilistic) else model.relation_names
    return tuple(names) if any(map(_of_root, names)) else (*names, "root")


def _of_root(name: str) -> bool:
    return name.partition(":")[0] == "root"


def gather_evidence(model: Any, parsed: Treebank, trees: int = 1) -> Iterator[SentenceEvidence]:
    """Yield the evidence for each parsed sentence and its k best trees."""
    if isinstance(model, Searching):
        yield from _searched(model, parsed, trees)
    else:
        yield from _scored(model, parsed, trees)


def _searched(model: Searching, parsed: Treebank, most: int) -> Iterator[SentenceEvidence]:
    kept = model.analyses(parsed, most)
    for sentence, (start, stop) in enumerate(pairwise(parsed.offsets.tolist())):
        trees: list[TreeEvidence] = []
        seen: set[bytes] = set()
        for rank in np.flatnonzero(np.isfinite(kept.scores[sentence])).tolist():
            heads = kept.heads[rank, start:stop]
            relations = kept.relations[rank, start:stop]
            mark = heads.tobytes() + relations.tobytes()
            if mark not in seen:  # several derivations may build the same tree
                seen.add(mark)
                logs = kept.relation_logs[rank, start:stop].astype(np.float64)
                trees.append(TreeEvidence(heads, relations, logs))
        yield SentenceEvidence(kept.head_logs[sentence], trees, kept.head_shares[sentence])


def _log(shares: Doubles) -> Doubles:
    return np.log(np.maximum(shares, 1e-300))


class _Relations:
    """Logs of relations at given heads; roots alone have the root's relations."""

    def __init__(self, model: Probabilistic) -> None:
        self.model = model
        self.is_root = np.array([_of_root(name) for name in evidence_relations(model)])

    def logs(self, parsed: Treebank, heads: Ints) -> Doubles:
        logs = _log(self.model.relation_probabilities(replace(parsed, head=heads)))
        if logs.shape[1] < len(self.is_root):
            logs = np.pad(logs, ((0, 0), (0, 1)))
        legal = self.is_root[None] == (heads == 0)[:, None]
        legal |= ~legal.any(1, keepdims=True)
        return np.where(legal, logs, -np.inf)


def _scored(model: Probabilistic, parsed: Treebank, most: int) -> Iterator[SentenceEvidence]:
    numbers = {name: number for number, name in enumerate(evidence_relations(model))}
    codes, values = parsed.codes("deprel")
    for value in values:
        if value not in numbers:
            raise TreegaugeError(
                f"the model wrote the relation {value!r}, which its `relations` do not list; "
                "expected probabilities of every relation that it writes"
            )
    known = np.array([numbers[value] for value in values], np.int32)
    chosen = known[codes] if len(codes) else codes
    shares = model.head_probabilities(parsed)
    relations = _Relations(model)
    names = relations.logs(parsed, parsed.head)
    names[np.arange(len(chosen)), chosen] = np.maximum(names[np.arange(len(chosen)), chosen], -690.0)
    head_logs = []
    for own in shares:
        logs = _log(own)
        logs[np.arange(len(own)), np.arange(len(own)) + 1] = -np.inf
        head_logs.append(logs)
    tables = _candidates(relations, parsed, head_logs) if most > 1 else None
    for sentence, (start, stop) in enumerate(pairwise(parsed.offsets.tolist())):
        first = TreeEvidence(parsed.head[start:stop], chosen[start:stop], names[start:stop])
        trees = [first]
        if tables is not None and stop > start:
            trees += _others(model, head_logs[sentence], first, most, tables, start)
        yield SentenceEvidence(head_logs[sentence], trees)


def _candidates(relations: _Relations, parsed: Treebank, head_logs: list[Doubles]) -> tuple[Ints, list[Doubles]]:
    """Return the most probable heads of each word, and logs of the relations at each of them."""
    heads = np.zeros((parsed.n_words, CANDIDATES), np.int32)
    for logs, start in zip(head_logs, parsed.offsets[:-1].tolist(), strict=True):
        best = np.argsort(-logs, axis=1, kind="stable")[:, :CANDIDATES]
        best[~np.isfinite(np.take_along_axis(logs, best, 1))] = 0
        heads[start : start + len(logs), : best.shape[1]] = best
    heads[:, -1] = np.where((heads == parsed.head[:, None]).any(1), heads[:, -1], parsed.head)
    columns = [relations.logs(parsed, np.ascontiguousarray(own)) for own in heads.T]
    return heads, columns


def _others(
    model: Any, head_logs: Doubles, first: TreeEvidence, most: int, tables: tuple[Ints, list[Doubles]], start: int
) -> list[TreeEvidence]:
    """Return the best trees other than the one that the model returned.

    A relation's score is its difference from the best relation of its arc, so that the order is the
    parser's, which uses the best relation of each arc.
    """
    n = len(head_logs)
    words = np.arange(n)
    arcs = np.full((n, n + 1), -np.inf)
    names = np.full((n, n + 1, len(first.relation_logs[0])), -np.inf)
    for heads, logs in zip(tables[0].T, tables[1], strict=True):
        own = heads[start : start + n]
        arcs[words, own] = head_logs[words, own]
        names[words, own] = logs[start : start + n]
    tops = names.max(2, keepdims=True)
    relative = np.where(np.isfinite(tops), names - np.where(np.isfinite(tops), tops, 0), -np.inf)
    projective = bool(getattr(model, "projective", False))
    found = []
    for tree in k_best_trees(arcs, relative, most, projective=projective):
        same = (tree.heads == first.heads).all() and (tree.relations == first.relations).all()
        if not same:
            found.append(TreeEvidence(tree.heads, tree.relations, names[words, tree.heads]))
    return found[: most - 1]
