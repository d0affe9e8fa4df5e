"""Trees from arc scores and from votes: the best tree, projective or not, always with one root."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import decoding as _decoding
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.relations import universal_relation

Ints = npt.NDArray[np.int32]


def _checked(scores: npt.ArrayLike) -> npt.NDArray[np.float64]:
    matrix = np.array(scores, np.float64, order="C")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise TreegaugeError(f"arc scores have the shape {matrix.shape}; expected (n + 1, n + 1), root first")
    if not np.isfinite(matrix[:, 1:][~np.eye(len(matrix), dtype=bool)[:, 1:]]).all():
        raise TreegaugeError("arc scores have infinite or undefined numbers; expected finite ones")
    return matrix


def projective_tree(scores: npt.ArrayLike) -> Ints:
    """Return the heads of the best projective tree with one root (Eisner 1996), in cubic time.

    Parameters
    ----------
    scores
        ``scores[h, d]`` is the score of the arc from word h to word d; 0 is the root.

    Returns
    -------
    numpy.ndarray
        The heads of the words 1 to n; ties go to the first tree found.

    Examples
    --------
    >>> projective_tree([[0, 1, 5], [0, 0, 1], [0, 4, 0]])
    array([2, 0], dtype=int32)
    """
    matrix = _checked(scores)
    heads = np.zeros(len(matrix), np.int32)
    _decoding.eisner(matrix, heads)
    return heads[1:]


def spanning_tree(scores: npt.ArrayLike) -> Ints:
    """Return the heads of the best tree with one root, projective or not (Chu-Liu/Edmonds).

    Subtracting the same large number from every arc of the root does not change the ranking of
    trees with one root, and makes every tree with more roots worse. Scores and heads are as in
    :func:`projective_tree`.

    Examples
    --------
    >>> spanning_tree([[0, 9, 9], [0, 0, 1], [0, 2, 0]])  # two roots would score more
    array([2, 0], dtype=int32)
    """
    matrix = _checked(scores)
    np.fill_diagonal(matrix, 0.0)
    arcs = matrix[:, 1:]
    matrix[0, 1:] -= (arcs.max() - arcs.min() + 1.0) * len(matrix)
    heads = np.zeros(len(matrix), np.int32)
    _decoding.spanning_tree(matrix, heads)
    return heads[1:]


Floats = npt.NDArray[np.float64]
Shares = Sequence[Sequence[Floats]]
"""For each parser and sentence of n words p(head | word), a matrix (n, n + 1)."""
_ROOT, _OTHER = "root", "dep"


def vote_heads(heads: npt.ArrayLike, weights: npt.ArrayLike, offsets: npt.ArrayLike) -> Ints:
    r"""Return the heads of the trees with the most votes.

    .. math:: \arg\max_T \sum_{(h, d) \in T} \sum_{s : h \to d \in T_s} w_s

    over trees T with one root, projective or not (Chu-Liu/Edmonds). Heads have one row per parser
    and one column per word, 0 is the root; offsets are the first word of each sentence, and the
    number of words.

    Examples
    --------
    >>> vote_heads([[2, 0], [0, 1]], [0.6, 0.4], [0, 2]).tolist()
    [2, 0]
    """
    chosen = np.asarray(heads, np.int32)
    strengths = _normalised(weights, len(chosen))

    def votes(_: int, words: slice) -> Floats:
        size = words.stop - words.start
        scores = np.zeros((size + 1, size + 1))
        for row, weight in zip(chosen[:, words], strengths, strict=True):
            scores[row, np.arange(1, size + 1)] += weight
        return scores

    return _best_trees(votes, np.asarray(offsets))


def pool_heads(shares: Shares, weights: npt.ArrayLike, offsets: npt.ArrayLike) -> Ints:
    r"""Return the heads of the trees of the largest pooled probability.

    .. math:: \arg\max_T \sum_{(h, d) \in T} \ln \sum_s w_s \, p_s(h \mid d)

    An uncertain parser divides its vote between arcs. With one parser this is its own best tree,
    projective or not. Shares are what ``head_probabilities`` of each model returns.

    Examples
    --------
    >>> sure = np.array([[0.1, 0, 0.9], [0.9, 0.1, 0]])
    >>> unsure = np.array([[0.6, 0, 0.4], [0.4, 0.6, 0]])
    >>> pool_heads([[sure], [unsure]], [0.5, 0.5], [0, 2]).tolist()
    [2, 0]
    """
    strengths = _normalised(weights, len(shares))

    def pooled(sentence: int, words: slice) -> Floats:
        size = words.stop - words.start
        mixed = np.zeros((size, size + 1))
        for weight, rows in zip(strengths.tolist(), shares, strict=True):
            mixed += weight * rows[sentence]
        scores = np.zeros((size + 1, size + 1))
        scores[:, 1:] = np.log(np.maximum(mixed, 1e-300)).T  # the smallest share with a logarithm
        return scores

    return _best_trees(pooled, np.asarray(offsets))


def _normalised(weights: npt.ArrayLike, parsers: int) -> Floats:
    values = np.asarray(weights, np.float64)
    if parsers == 0 or values.shape != (parsers,):
        raise TreegaugeError(f"{parsers} parsers and {values.size} weights; expected one each")
    if not (np.isfinite(values) & (values >= 0)).all() or not values.any():
        raise TreegaugeError(f"weights are {values.tolist()}; expected numbers of at least 0, one of them more")
    return np.asarray(values / values.sum())


def _best_trees(scores: Callable[[int, slice], Floats], edges: npt.NDArray[np.int32]) -> Ints:
    heads = np.zeros(int(edges[-1]), np.int32)
    for sentence, (start, stop) in enumerate(pairwise(edges)):
        if stop > start:
            words = slice(int(start), int(stop))
            heads[words] = spanning_tree(scores(sentence, words))
    return heads


def vote_relations(
    chosen: npt.ArrayLike, heads: npt.ArrayLike, relations: Sequence[Sequence[str]], weights: npt.ArrayLike
) -> list[str]:
    """Return the relation of each chosen arc, by the votes of the parsers that have the arc.

    The universal relation is voted on first and its subtype next, since sources differ in their
    subtypes. Ties go to the parser of the largest weight. An arc that no parser has, chosen to
    make a tree of the others, gets the relation that most give to the word under any head. Only
    roots are ``root``. `heads` and `relations` have one row per parser.

    Examples
    --------
    >>> relations = [["root", "obl:arg"], ["root", "obl"], ["root", "obj"]]
    >>> vote_relations([0, 1], [[0, 1]] * 3, relations, [0.25, 0.35, 0.4])
    ['root', 'obl']
    """
    theirs = np.asarray(heads)
    strengths = _normalised(weights, len(theirs))
    order = np.argsort(-strengths, kind="stable").tolist()
    voters = [(float(strengths[s]), theirs[s].tolist(), relations[s]) for s in order]
    return [
        _relation(head, [(w, row[word], names[word]) for w, row, names in voters])
        for word, head in enumerate(np.asarray(chosen).tolist())
    ]


def _relation(head: int, ballots: Sequence[tuple[float, int, str]]) -> str:
    """Choose a word's relation; ballots are weight, head and relation, the largest weight first."""
    if head == 0:
        return next((name for _, theirs, name in ballots if theirs == 0), _ROOT)
    usable = [(w, theirs, name) for w, theirs, name in ballots if theirs > 0]
    agreeing = [ballot for ballot in usable if ballot[1] == head] or usable
    if not agreeing:
        return _OTHER
    first = _most([(w, universal_relation(name)) for w, _, name in agreeing])
    return _most([(w, name) for w, _, name in agreeing if universal_relation(name) == first])


def _most(votes: Sequence[tuple[float, str]]) -> str:
    totals: dict[str, float] = {}
    for weight, name in votes:
        totals[name] = totals.get(name, 0.0) + weight
    return max(totals, key=totals.__getitem__)


def vote_trees(parses: Sequence[Treebank], weights: npt.ArrayLike, *, shares: Shares | None = None) -> Treebank:
    """Join the trees that several parsers predict for the same words into one.

    The result is the first parse with HEAD and DEPREL of the vote. With one parser it is its own
    parse, if that is a tree with one root. Given head probabilities of each parser (`shares`),
    trees are chosen by :func:`pool_heads`.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> parse = synthetic(3, seed=1)
    >>> vote_trees([parse], [0.2]) == parse
    True
    """
    if not parses:
        raise TreegaugeError("no parse to vote with: give at least one")
    first = parses[0]
    for other in parses[1:]:
        if other.n_words != first.n_words or (other.offsets != first.offsets).any():
            raise TreegaugeError(
                f"{first.name} and {other.name} are not of the same sentences: {first.n_words} "
                f"and {other.n_words} words in {len(first)} and {len(other)} sentences"
            )
    heads = np.stack([parse.head for parse in parses])
    chosen = vote_heads(heads, weights, first.offsets) if shares is None else pool_heads(shares, weights, first.offsets)
    relations = [parse["deprel"].to_list() for parse in parses]
    labels = vote_relations(chosen, heads, relations, weights)
    return first.with_columns({"head": chosen, "deprel": labels})
