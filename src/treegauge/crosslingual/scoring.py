"""Which words of a target count, in all and in groups such as simple and complex."""

from collections.abc import Mapping, Sequence

import numpy as np

from treegauge.results.errors import TreegaugeError
from treegauge.scoring.attachment import Mask, counted_words
from treegauge.scoring.breakdown import By
from treegauge.scoring.classes import classify
from treegauge.treebanks.columns import Treebank

OVERALL = "overall"
CLASSES = "upos,direction"


def word_groups(
    gold: Treebank,
    kinds: Mapping[str, str] | None = None,
    *,
    by: By = CLASSES,
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
        Classes of words, see :func:`treegauge.scoring.classes.classify`.
    punct
        Whether words tagged PUNCT count.

    Returns
    -------
    dict
        A mask of words for ``overall`` and for every group.

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> rows = "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tend\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    >>> groups = word_groups(parse_conllu(rows), {"DET": "simple"}, by="upos")
    >>> {name: mask.tolist() for name, mask in groups.items()}
    {'overall': [True, True], 'simple': [True, False]}
    """
    counted = counted_words(gold, punct=punct)
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
