"""Count right words by class, from gold trees and predicted heads."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from treegauge.curves.attachments import ALL, COLUMNS, Attachments, attachments
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.scoring.attachment import (
    PAPER_CLASSES,
    Mask,
    counted_words,
    right_heads,
    right_relations,
)
from treegauge.scoring.breakdown import By
from treegauge.scoring.classes import classify
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    import polars as pl

METRICS = ("UAS", "LAS")


class Parse(NamedTuple):
    """One parse of a test part: which cell it belongs to, and what was predicted for each word."""

    parser: str
    size: int
    sample: int
    words: "pl.DataFrame | Treebank"


def count(
    gold: Treebank,
    parses: Iterable[Parse],
    *,
    by: By = PAPER_CLASSES,
    metric: str = "UAS",
    punct: bool = False,
    name: str | None = None,
) -> Attachments:
    """Count the words of each class whose head (and relation) is right.

    A word belongs to the class that its gold analysis gives it.

    Parameters
    ----------
    gold
        The test part.
    parses
        What parsers made of it: a treebank, or a frame with a row a word of `gold` in its order and
        the columns ``head`` and, for LAS, ``deprel``.
    by
        Classes of words, see :func:`treegauge.scoring.classes.classify`; by default the part of
        speech and the side of the head.
    metric
        ``"UAS"``: the head is right; ``"LAS"``: the universal relation too.
    punct
        Whether words tagged PUNCT count.
    name
        What to call the treebank, by default its own name.

    Returns
    -------
    Attachments
        One row a cell and class, and one a cell of class ``all``.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> gold = synthetic(40, seed=1)
    >>> found = count(gold, [Parse("oracle", 5, 0, gold)])
    >>> (found.table["correct"] == found.table["total"]).all()
    True
    """
    import polars as pl

    if metric.upper() not in METRICS:
        raise ChoiceError("metric of a curve", metric, METRICS)
    labelled = metric.upper() == "LAS"
    classes = classify(gold, by)
    if ALL in classes.names or "" in classes.names:
        raise TreegaugeError(f"a class may not be called {ALL!r}: that is the class of all words")
    kept = counted_words(gold, punct=punct)
    number = len(classes.names)
    total = np.bincount(classes.codes[kept], minlength=number)
    seen = np.flatnonzero(total)
    names = [ALL, *(classes.names[i] for i in seen.tolist())]
    totals = [int(kept.sum()), *total[seen].tolist()]
    called = gold.name if name is None else name
    parts = []
    for parse in parses:
        right = kept & _right(gold, parse, labelled=labelled)
        correct = np.bincount(classes.codes[right], minlength=number)[seen]
        parts.append(
            pl.DataFrame(
                {
                    "treebank": called,
                    "parser": parse.parser,
                    "size": parse.size,
                    "sample": parse.sample,
                    "class": names,
                    "correct": [int(right.sum()), *correct.tolist()],
                    "total": totals,
                }
            )
        )
    if not parts:
        raise TreegaugeError(f"{called}: no parses to count")
    told = by if isinstance(by, str) else "own"
    frame = pl.concat(parts).select(COLUMNS)
    return attachments(frame, source=called, m=metric.lower(), by=told, punct=punct)


def _right(gold: Treebank, parse: Parse, *, labelled: bool) -> Mask:
    words = parse.words
    if isinstance(words, Treebank):
        heads = words.head
    else:
        for column in ["head", *(["deprel"] if labelled else [])]:
            if column not in words.columns:
                raise TreegaugeError(
                    f"{_told(gold, parse)}: no column {column!r}; found {', '.join(words.columns)}"
                )
        heads = words["head"].to_numpy()
    try:
        if not labelled:
            return right_heads(gold, heads)
        right = right_relations(gold, heads, words["deprel"])
    except TreegaugeError as error:
        raise TreegaugeError(f"{_told(gold, parse)}: {error}") from None
    if _names_nothing(words["deprel"]) and not _names_nothing(gold["deprel"]):
        raise TreegaugeError(
            f"{_told(gold, parse)}: trees have no relations, so that LAS cannot be counted; "
            "expected a parser trained with them, or UAS"
        )
    return right


def _names_nothing(relations: "pl.Series") -> bool:
    """Say whether all words have the relation that stands for none, roots aside."""
    return set(relations.unique().to_list()) <= {"root", "dep", "_"}


def _told(gold: Treebank, parse: Parse) -> str:
    return f"{gold.name}, {parse.parser}, size {parse.size}, sample {parse.sample}"
