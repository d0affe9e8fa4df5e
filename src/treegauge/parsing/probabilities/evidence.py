r"""The evidence for the trees that a model returned, and marginals of arcs over all trees.

All kinds of models give the same evidence, unnormalised logs of heads and relations, so that
calibration and output treat them alike.

A parser that scores arcs gives every tree with one root the probability

.. math:: p(y) = \frac{1}{Z} \exp \sum_{(h, d) \in y} s(h, d),
   \qquad Z = \sum_{y'} \exp \sum_{(h, d) \in y'} s(h, d)

The marginal of an arc is the total probability of the trees that have it. Over all trees it comes
from the inverse of the Laplacian (matrix-tree theorem; Koo et al. 2007, Smith & Smith 2007), over
projective trees from Eisner's spans (inside and outside).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels.tree_sums import projective_sums
from treegauge.parsing.base import Probabilistic, Searching
from treegauge.treebanks.data.columns import Treebank

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

WAYS = ("local", "spanning", "projective")
"""How heads are normalised: over the word's heads, all trees, or projective trees."""


@dataclass(frozen=True, eq=False)
class TreeEvidence:
    """The tree of a sentence: heads, numbers of relations, and logs of all relations at the heads."""

    heads: Ints
    relations: Ints
    relation_logs: Doubles


@dataclass(frozen=True, eq=False)
class SentenceEvidence:
    """The logs of a sentence's heads, (words, words + 1), and its tree.

    For a search, also the share of each head in the final analyses.
    """

    head_logs: Doubles
    tree: TreeEvidence
    beam_shares: Doubles | None = None


def check_confidence(model: Any) -> None:
    """Refuse a model that gives no probabilities, naming the parsers that do."""
    if not isinstance(model, Probabilistic | Searching):
        raise TreegaugeError(
            f"the model ({type(model).__name__}) gives no probabilities; confidence comes "
            "from models of beam, mst, biaffine, pointer and labelling, and from plug-ins with "
            "head_probabilities and relation_probabilities"
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


def gather_evidence(model: Any, parsed: Treebank) -> Iterator[SentenceEvidence]:
    """Yield the evidence for each parsed sentence."""
    return _searched(model, parsed) if isinstance(model, Searching) else _scored(model, parsed)


def _searched(model: Searching, parsed: Treebank) -> Iterator[SentenceEvidence]:
    kept = model.analyses(parsed, 1)
    logs = kept.relation_logs[0].astype(np.float64)
    for sentence, (start, stop) in enumerate(pairwise(parsed.offsets.tolist())):
        tree = TreeEvidence(kept.heads[0, start:stop], kept.relations[0, start:stop], logs[start:stop])
        yield SentenceEvidence(kept.head_logs[sentence], tree, kept.head_shares[sentence])


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


def _scored(model: Probabilistic, parsed: Treebank) -> Iterator[SentenceEvidence]:
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
    for own, (start, stop) in zip(shares, pairwise(parsed.offsets.tolist()), strict=True):
        logs = _log(own)
        logs[np.arange(len(own)), np.arange(len(own)) + 1] = -np.inf
        yield SentenceEvidence(logs, TreeEvidence(parsed.head[start:stop], chosen[start:stop], names[start:stop]))


_LEAST = -25.0
"""Log of the smallest weight of an arc relative to the best arc of its dependent.

Less would leave no digits of a sum in which the best heads form a cycle.
"""


def spanning_marginals(scores: npt.ArrayLike) -> tuple[Doubles, float]:
    r"""Return the probability of every arc over all trees with one root, and log Z.

    .. math:: L_{dd} = \sum_{h \ge 1} w_{hd}, \quad L_{hd} = -w_{hd}, \quad L_{1d} = w_{0d},
       \quad Z = \det L, \quad w_{hd} = \exp s(h, d)

    Parameters
    ----------
    scores
        ``scores[d - 1, h]`` is the score of the arc from head h to word d, 0 the root, as in
        ``head_probabilities`` of a model; a constant added to a row changes no probability.

    Returns
    -------
    tuple
        The marginals, of the same shape, and the log of the sum over all trees.

    Examples
    --------
    >>> marginals, total = spanning_marginals(np.zeros((2, 3)))  # two trees, equally likely
    >>> marginals
    array([[0.5, 0. , 0.5],
           [0.5, 0.5, 0. ]])
    >>> float(np.exp(total).round(6))
    2.0
    """
    logs = np.array(scores, np.float64)
    n = len(logs)
    own = np.arange(n)
    logs[own, own + 1] = -np.inf
    tops = logs.max(1, keepdims=True)
    weights = np.exp(np.maximum(logs - tops, _LEAST))
    weights[own, own + 1] = 0.0
    root, arcs = weights[:, 0], weights[:, 1:].T  # heads first
    laplacian = np.diag(arcs.sum(0)) - arcs
    laplacian[0] = root
    inverse = np.linalg.inv(laplacian)
    sign, log_total = np.linalg.slogdet(laplacian)
    on_diagonal = np.diag(inverse).copy()
    on_diagonal[0] = 0.0  # the first row holds the root's arcs and no sum
    across = inverse.copy()
    across[:, 0] = 0.0  # across[d, h]: derivative by the entry of head h and word d
    marginals = np.empty_like(weights)
    marginals[:, 0] = root * inverse[:, 0]
    marginals[:, 1:] = (arcs * (on_diagonal[None] - across.T)).T
    found = np.clip(marginals, 0.0, 1.0)
    return found / found.sum(1, keepdims=True), float(log_total * sign + tops.sum())


def projective_marginals(scores: npt.ArrayLike) -> tuple[Doubles, float]:
    """Return the probability of every arc over projective trees with one root, and log Z.

    Parameters and result are those of :func:`spanning_marginals`; takes cubic time.

    Examples
    --------
    >>> marginals, total = projective_marginals(np.zeros((3, 4)))
    >>> float(np.exp(total).round(6))  # of nine trees with one root, seven are projective
    7.0
    """
    logs = np.array(scores, np.float64)
    n = len(logs)
    tops = logs.max(1, keepdims=True)
    heads_first = np.zeros((n + 1, n + 1))
    heads_first[:, 1:] = (logs - tops).T
    np.fill_diagonal(heads_first, 0.0)
    shares = np.zeros_like(heads_first)
    log_total = projective_sums(heads_first, shares)
    return shares[:, 1:].T.copy(), float(log_total + tops.sum())
