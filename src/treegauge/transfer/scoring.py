"""Right heads of a vote, sentence by sentence, for all words and for groups of them."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from treegauge.errors import TreegaugeError
from treegauge.score.breakdown import By
from treegauge.score.classes import classify
from treegauge.treebank.columns import Treebank
from treegauge.treebank.relations import universal_relation

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
OVERALL = "overall"
PAPER_CLASSES = "upos,side"
"""Part of speech and side of the head, roots as if it were to the right."""


def word_groups(
    gold: Treebank,
    kinds: Mapping[str, str] | None = None,
    *,
    by: By = PAPER_CLASSES,
    punct: bool = False,
) -> dict[str, Mask]:
    r"""Say which words count in all, and which in each group.

    Parameters
    ----------
    gold
        The words with their gold trees.
    kinds
        The group of each class, such as simple and complex; words of other classes count in
        none of them.
    by
        Classes of words, see :func:`treegauge.score.classes.classify`.
    punct
        Whether words tagged PUNCT count.

    Returns
    -------
    dict
        A mask of words for ``overall`` and for every group.

    Examples
    --------
    >>> from treegauge.treebank.conllu import parse_conllu
    >>> rows = "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tend\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    >>> groups = word_groups(parse_conllu(rows), {"DET": "simple"}, by="upos")
    >>> {name: mask.tolist() for name, mask in groups.items()}
    {'overall': [True, True], 'simple': [True, False]}
    """
    counted = np.ones(gold.n_words, bool)
    if not punct:
        counted = np.asarray(gold["upos"].to_numpy() != "PUNCT", bool)
    groups: dict[str, Mask] = {OVERALL: counted}
    if not kinds:
        return groups
    if OVERALL in kinds.values():
        raise TreegaugeError(f"a group may not be called {OVERALL!r}: that is all words")
    codes, names, _ = classify(gold, by)
    if not kinds.keys() & set(names):
        raise TreegaugeError(
            f"none of the classes {_some(kinds)} is found in {gold.name}, which has {_some(names)}"
        )
    for group in dict.fromkeys(kinds.values()):
        members = np.array([kinds.get(name) == group for name in names], bool)
        groups[group] = counted & members[codes]
    return groups


def _some(names: "Sequence[str] | Mapping[str, str]", most: int = 6) -> str:
    shown = list(names)
    return ", ".join(shown[:most]) + (", ..." if len(shown) > most else "")


def per_sentence(gold: Treebank, words: npt.NDArray[np.generic]) -> Floats:
    """Add up one value a word (or rows of them) to one value a sentence."""
    values = np.asarray(words, np.float64)
    if len(gold) == 0:
        return np.zeros((*values.shape[:-1], 0))
    sums = np.concatenate([np.zeros((*values.shape[:-1], 1)), values.cumsum(axis=-1)], axis=-1)
    return np.asarray(np.diff(sums[..., gold.offsets], axis=-1))


def right_heads(gold: Treebank, heads: npt.ArrayLike) -> Mask:
    """Say of each word whether its head is the gold one."""
    found = np.asarray(heads)
    if len(found) != gold.n_words:
        raise TreegaugeError(f"{len(found)} heads for the {gold.n_words} words of {gold.name}")
    if (gold.head < 0).any():
        raise TreegaugeError(f"{gold.name} has no gold heads to score against")
    return np.asarray(found == gold.head)


def right_relations(gold: Treebank, parsed: Treebank) -> Mask:
    """Say of each word whether its head and its universal relation are the gold ones."""
    same = right_heads(gold, parsed.head)
    (ours, names), (theirs, found) = gold.codes("deprel"), parsed.codes("deprel")
    known = {universal_relation(name) for name in (*names, *found)}
    place = {name: i for i, name in enumerate(sorted(known))}
    one, two = (
        np.array([place[universal_relation(name)] for name in values], np.int32)[codes]
        for codes, values in ((ours, names), (theirs, found))
    )
    return np.asarray(same & (one == two))
