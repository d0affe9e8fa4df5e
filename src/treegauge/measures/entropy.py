"""Entropies of words: alone, and given their relations."""

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from treegauge.measures.checks import blank, need_column
from treegauge.measures.registry import FloatArray, register
from treegauge.measures.relations import universal_relations
from treegauge.treebanks.columns import Treebank


def entropy_of(counts: npt.ArrayLike) -> FloatArray:
    r"""Return the entropy of counts (..., values) in bits; 0 where there are none.

    .. math:: H = -\sum_v p_v \log_2 p_v

    Examples
    --------
    >>> entropy_of([[1, 1], [5, 0], [0, 0]]).tolist()
    [1.0, 0.0, 0.0]
    """
    found = np.asarray(counts, dtype=np.float64)
    total = found.sum(axis=-1, keepdims=True)
    share = np.divide(found, total, out=np.zeros_like(found), where=total > 0)
    logs = np.log2(share, out=np.zeros_like(share), where=share > 0)
    return np.asarray(np.maximum(-(share * logs).sum(axis=-1), 0.0))


@register("form_entropy", "vocabulary", "entropy of word forms, in bits", bounds=(0, np.inf))
def form_entropy(treebank: Treebank) -> float:
    """Return the entropy of word forms as written, in bits."""
    need_column(treebank, "form")
    return float(entropy_of(np.bincount(treebank.codes("form").codes)))


@register(
    "lemma_entropy", "vocabulary", "entropy of lemmas, in bits",
    bounds=(0, np.inf), watched=("lemma",),
)  # fmt: skip
def lemma_entropy(treebank: Treebank) -> float:
    """Return the entropy of lemmas in bits; words without a lemma are left out."""
    need_column(treebank, "lemma")
    return float(entropy_of(np.bincount(treebank.codes("lemma").codes[~blank(treebank, "lemma")])))


def average_wde(each: Iterable[Mapping[str, float]], *, missing: float = 0.5) -> dict[str, float]:
    r"""Average WDE over treebanks.

    .. math:: \overline{\mathrm{WDE}}(r) = \frac{1}{n_T} \sum_{t} \mathrm{WDE}(r, t)

    A relation that a treebank lacks counts as `missing` there: neither content nor function.

    Examples
    --------
    >>> average_wde([{"det": 0.1, "obj": 0.9}, {"obj": 0.7}])
    {'det': 0.3, 'obj': 0.8}
    """
    found = list(each)
    names = sorted({name for one in found for name in one})
    return {name: float(np.mean([one.get(name, missing) for one in found])) for name in names}


@register("wde", "relations", "word dependency entropy of each relation", average=average_wde)
def word_dependency_entropy(treebank: Treebank) -> dict[str, float]:
    r"""Return the word dependency entropy (WDE) of every relation of a treebank.

    .. math:: \mathrm{WDE}(r, t) = \frac{H(p(w \mid r, t))}{\log n_w}

    with :math:`n_w` the number of distinct forms of the treebank. Relations are taken without
    their subtypes. Function relations come out low, content relations high.

    Parameters
    ----------
    treebank
        The words to count.

    Returns
    -------
    dict
        Relation to a number from 0 to 1; 0 where the vocabulary has a single form.

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> lines = ["1\ta\t_\tX\t_\t_\t0\troot\t_\t_", "2\tb\t_\tX\t_\t_\t1\tdep\t_\t_",
    ...          "3\tc\t_\tX\t_\t_\t1\tdep\t_\t_", "4\td\t_\tX\t_\t_\t1\tdep:x\t_\t_"]
    >>> wde = word_dependency_entropy(parse_conllu("\n".join(lines) + "\n\n"))
    >>> {r: round(h, 3) for r, h in wde.items()}  # log 3 / log 4
    {'dep': 0.792, 'root': 0.0}
    """
    need_column(treebank, "form")
    need_column(treebank, "deprel")
    forms, vocabulary = treebank.codes("form")
    codes, names = universal_relations(treebank)
    if len(vocabulary) < 2:
        return dict.fromkeys(names, 0.0)
    pairs = codes.astype(np.int64) * len(vocabulary) + forms
    seen, counts = np.unique(pairs, return_counts=True)
    relation = seen // len(vocabulary)
    totals = np.bincount(relation, counts, len(names))
    share = counts / totals[relation]
    entropy = np.bincount(relation, -share * np.log(share), len(names))
    normal = entropy / np.log(len(vocabulary))
    return {name: max(0.0, float(value)) for name, value in zip(names, normal, strict=True)}
