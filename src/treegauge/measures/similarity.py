"""Similarity of two treebanks: unseen words, UPOS n-grams, trees that occur in both."""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from treegauge.kernels import isomorphism as _isomorphism
from treegauge.measures.registry import (
    Additive,
    FloatArray,
    need_column,
    register,
    register_ratio,
    renumber,
    sentence_sums,
    with_ones,
)
from treegauge.measures.vocabulary import entropy_of
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.columns import Treebank


@register_ratio(
    "oov", "similarity", "share of test words whose form is not in the training set", "words",
    columns=["form"], pair=True,
)  # fmt: skip
def out_of_vocabulary(train: Treebank, test: Treebank) -> FloatArray:
    r"""Return the share of test words whose form (case-sensitive) is not in train."""
    known = set(train.codes("form").values)
    codes, values = test.codes("form")
    new = np.array([value not in known for value in values], bool)
    return np.column_stack([sentence_sums(new[codes], test), test.lengths])


@register(
    "oov_types", "similarity", "share of the distinct forms of the test set that are not in the training set", pair=True
)
def out_of_vocabulary_types(train: Treebank, test: Treebank) -> float:
    """Return the share of distinct test forms that are not in train."""
    need_column(train, "form")
    need_column(test, "form")
    forms = test.codes("form").values
    return len(set(forms) - set(train.codes("form").values)) / len(forms)


def _tags(*treebanks: Treebank) -> tuple[list[npt.NDArray[np.int64]], int]:
    """Return common UPOS codes for several treebanks, from 1, and the number of codes."""
    for treebank in treebanks:
        need_column(treebank, "upos")
    each = [treebank.codes("upos") for treebank in treebanks]
    names = sorted({name for column in each for name in column.values})
    place = {name: i for i, name in enumerate(names, 1)}
    coded = [np.array([place[v] for v in column.values], np.int64)[column.codes] for column in each]
    return coded, len(names)


def _ngrams(n: int, *treebanks: Treebank) -> list[npt.NDArray[np.intp]]:
    """Return common codes for the UPOS n-grams of several treebanks, from 0.

    Each sentence has one boundary mark (tag 0) before and after it, so that every word is the
    middle of a trigram; unigrams contain words only. A sentence shorter than n, with its marks, has
    no n-grams.
    """
    each, number = _tags(*treebanks)
    for place, treebank in enumerate(treebanks) if n > 1 else ():
        padded = np.zeros(treebank.n_words + 2 * len(treebank), np.int64)
        within = np.arange(treebank.n_words) + 2 * treebank.sentence_of.astype(np.int64) + 1
        padded[within] = each[place]
        sentence = np.repeat(np.arange(len(treebank)), treebank.lengths + 2)
        code = np.zeros(max(len(padded) - n + 1, 0), np.int64)
        for i in range(n):
            code = code * (number + 1) + padded[i : i + len(code)]
        each[place] = code[sentence[: len(code)] == sentence[n - 1 :]]
    codes = renumber(np.concatenate(each), (number + 1) ** n)
    return np.split(codes, np.cumsum([len(grams) for grams in each])[:-1])


def upos_ngrams(first: Treebank, second: Treebank, n: int = 3) -> list[FloatArray]:
    """Return counts of UPOS n-grams of two treebanks, one column per n-gram in either."""
    each = _ngrams(n, first, second)
    size = 1 + max(int(codes.max(initial=-1)) for codes in each)
    return [np.bincount(codes, minlength=size).astype(np.float64) for codes in each]


def log_ratios(target: Treebank, source: Treebank) -> FloatArray:
    r"""Return, for each target word, the log ratio of the frequencies of its tag trigram.

    .. math:: \ln \frac{f_{tgt}(t_w)}{f_{src}(t_w)}

    Their mean is KLcpos3 = KL(target || source), so single sentences can be compared. The
    trigram of a word is its UPOS with those before and after it, with one boundary mark before and
    after each sentence; a trigram that the source lacks counts once there.
    """
    target_codes, source_codes = _ngrams(3, target, source)
    size = 1 + max(target_codes.max(), source_codes.max())
    uses, counts = (np.bincount(part, minlength=size) for part in (target_codes, source_codes))
    total = len(source_codes) + np.count_nonzero((uses > 0) & (counts == 0))
    gaps = np.log(np.maximum(uses, 1) / len(target_codes)) - np.log(np.maximum(counts, 1) / total)
    return np.asarray(gaps[target_codes])


def trigram_shortfall(treebank: Treebank, words: int, blocks: int = 20) -> float:
    """Return the bias, in nats, of the entropy of tag trigrams in a small sample of words.

    This is the entropy of a treebank's trigrams minus the mean entropy in blocks of this number of
    words. A KL divergence estimated from that few target words is too large by about the same
    amount.
    """
    (codes,) = _ngrams(3, treebank)
    step = max(len(codes) // blocks, words)
    starts = range(0, len(codes) - words + 1, step)
    block_entropies = [entropy_of(np.bincount(codes[start : start + words])) for start in starts]
    if not block_entropies:
        return 0.0
    return float(np.log(2) * (entropy_of(np.bincount(codes)) - np.mean(block_entropies)))


@register("klcpos3", "similarity", "KL divergence of UPOS trigrams, KL(test || train)", pair=True, bounds=(0, np.inf))
def klcpos3(source: Treebank, target: Treebank) -> float:
    r"""Return the Kullback-Leibler divergence of UPOS trigrams, from target to source.

    .. math:: \sum_{t \in target} f_{tgt}(t) \ln \frac{f_{tgt}(t)}{f_{src}(t)}

    with :math:`f` relative frequencies; target trigrams that the source lacks count once there
    (Rosa and Žabokrtský 2015, KLcpos3, a language similarity measure for delexicalized parser
    transfer).
    """
    return max(0.0, float(log_ratios(target, source).mean()))


def jensen_shannon(left: npt.ArrayLike, two: npt.ArrayLike) -> FloatArray:
    r"""Return the Jensen-Shannon divergence of counts (..., values), in bits, from 0 to 1.

    .. math:: H\Bigl(\frac{p + q}{2}\Bigr) - \frac{H(p) + H(q)}{2}
    """
    p, q = (np.asarray(counts, dtype=np.float64) for counts in (left, two))
    p = p / p.sum(axis=-1, keepdims=True)
    q = q / q.sum(axis=-1, keepdims=True)
    gap = entropy_of(p + q) - (entropy_of(p) + entropy_of(q)) / 2
    return np.asarray(np.clip(gap, 0.0, 1.0))


def _tag_tables(train: Treebank, test: Treebank) -> list[npt.NDArray[np.int64]]:
    each, number = _tags(train, test)
    tables = []
    for treebank, tags in zip((train, test), each, strict=True):
        cells = treebank.sentence_of * number + tags - 1
        counts = np.bincount(cells, minlength=len(treebank) * number)
        tables.append(counts.reshape(len(treebank), number))
    return tables


@register(
    "upos_divergence", "similarity", "Jensen-Shannon divergence of UPOS, in bits",
    pair=True, additive=Additive(_tag_tables, jensen_shannon, "distance", least=300),
)  # fmt: skip
def upos_divergence(train: Treebank, test: Treebank, *, n: int = 1) -> float:
    """Return the Jensen-Shannon divergence of UPOS n-grams, in bits."""
    return float(jensen_shannon(*upos_ngrams(train, test, n)))


register("upos2_divergence", "similarity", "Jensen-Shannon divergence of UPOS bigrams, in bits", pair=True)(
    lambda train, test: upos_divergence(train, test, n=2)
)
register("upos3_divergence", "similarity", "Jensen-Shannon divergence of UPOS trigrams, in bits", pair=True)(
    lambda train, test: upos_divergence(train, test, n=3)
)


@register("unseen_upos_trigrams", "similarity", "share of UPOS trigrams in test that are not in train", pair=True)
def unseen_upos_trigrams(train: Treebank, test: Treebank) -> float:
    """Return the share of UPOS trigram tokens in test that do not occur in train."""
    ours, theirs = upos_ngrams(train, test)
    return float(theirs[ours == 0].sum() / theirs.sum())


Hashes = npt.NDArray[np.uint64]
Shapes = Callable[[Treebank], Hashes]


def tree_shapes(treebank: Treebank, *, directed: bool = True) -> Hashes:
    r"""Return a number per sentence; sentences with isomorphic trees have the same number.

    If `directed`, the root and the directions of arcs matter; word order never does. Takes linear
    time; two different shapes get the same number with a probability of about 2 to the -64.
    Sentences with cycles are repaired first.
    """
    head = treebank.head
    depth = trees.depth(head, treebank.offsets)
    if (depth < 0).any():
        broken = sentence_sums(depth < 0, treebank) > 0
        repaired, _ = trees.repair(head, treebank.offsets)
        head = np.where(broken[treebank.sentence_of], repaired, head)
        depth = trees.depth(head, treebank.offsets)
    first = treebank.offsets[treebank.sentence_of]
    parent = np.where(head > 0, first + head - 1, -1).astype(np.int32)
    order = np.argsort(-depth, kind="stable")
    kernel = _isomorphism.rooted if directed else _isomorphism.free
    return kernel(parent, order, treebank.sentence_of, len(treebank))


def _ordered(treebank: Treebank) -> Hashes:
    heads = treebank.head.astype(np.int64)
    return _isomorphism.sequences(heads, treebank.sentence_of, len(treebank))


def _tagged(treebank: Treebank) -> Hashes:
    """Return a hash of heads, tags and relations that is the same on all machines."""
    values = treebank.head.astype(np.int64)
    for column in ("upos", "deprel"):
        codes, names = treebank.codes(column)
        digests = [blake2b(name.encode(), digest_size=8).digest() for name in names]
        values = values * 1_000_003 + np.frombuffer(b"".join(digests), np.int64)[codes]
    return _isomorphism.sequences(values, treebank.sentence_of, len(treebank))


def _register_overlap(name: str, meaning: str, shapes: Shapes, columns: Sequence[str] = ()) -> None:
    """Register the share of test trees whose shape is that of a training tree."""

    def seen(train: Treebank, test: Treebank) -> FloatArray:
        return with_ones(np.isin(shapes(test), shapes(train)))

    register_ratio(name, "similarity", meaning, "sentences", columns=columns, pair=True)(seen)


# The first is that of the directed unlabelled graphs (DUG) of Søgaard (2020), Some languages seem
# easier to parse because their treebanks leak.
_register_overlap("tree_overlap", "share of test trees isomorphic to a training tree (rooted)", tree_shapes)
_register_overlap(
    "tree_overlap_undirected",
    "share of test trees isomorphic to a training tree, ignoring directions of arcs",
    partial(tree_shapes, directed=False),
)
_register_overlap("tree_overlap_ordered", "share of test trees with the same heads as a training tree", _ordered)
_register_overlap(
    "tree_overlap_tagged",
    "share of test trees with the heads, UPOS and relations of a training tree",
    _tagged,
    ["upos", "deprel"],
)
