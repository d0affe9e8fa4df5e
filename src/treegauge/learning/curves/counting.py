"""Counts of correct words by class, from gold trees and parses, or from the cells of a store."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import polars as pl

from treegauge.core.errors import TreegaugeError
from treegauge.learning.curves.attachments import ALL, COLUMNS, Attachments, attachments, joined_counts
from treegauge.scoring.classes.class_scores import By
from treegauge.scoring.classes.classification import classify
from treegauge.scoring.metrics.attachment import align_trees
from treegauge.scoring.metrics.convention import OFFICIAL, Convention
from treegauge.scoring.metrics.registry import metric_label
from treegauge.scoring.metrics.word_metrics import MetricWords, find_word_metric, metric_words
from treegauge.treebanks.data.columns import Treebank

#: Part of speech, crossed with the direction of the head.
CLASSES = "upos,direction"
_CELL = ("key", "treebank", "data", "parser", "options", "parameters", "size", "sample", "seed")


class Parse(NamedTuple):
    """One parse of a test set: its cell, and the predicted tree of each sentence."""

    parser: str
    size: int
    sample: int
    words: "pl.DataFrame | Treebank"


def count_attachments(
    gold: Treebank, parses: Iterable[Parse], *, by: By = CLASSES, metric: str = "LAS",
    convention: Convention = OFFICIAL, name: str | None = None,
) -> Attachments:  # fmt: skip
    """Count the correct words of each class; a word has the class of its gold analysis.

    Parses are treebanks, or frames with one row per word of `gold` and the columns ``head`` and,
    for LAS, ``deprel``. Classes are those of :func:`treegauge.scoring.classes.classification.classify`.
    """
    metric = find_word_metric(metric)
    classes = classify(gold, by)
    if ALL in classes.names or "" in classes.names:
        raise TreegaugeError(f"a class may not be called {ALL!r}: that is the class of all words")
    number = len(classes.names)
    treebank = gold.name if name is None else name
    parts = []
    for parse in parses:
        words = _correct(gold, parse, metric, convention)
        correct = words.correct
        total = np.bincount(classes.codes[words.gold], minlength=number)
        seen = np.flatnonzero(total)
        of_class = np.bincount(classes.codes[correct], minlength=number)[seen]
        parts.append(
            pl.DataFrame(
                {
                    "treebank": treebank, "parser": parse.parser, "size": parse.size,
                    "sample": parse.sample,
                    "class": [ALL, *(classes.names[i] for i in seen.tolist())],
                    "correct": [int(correct.sum()), *of_class.tolist()],
                    "total": [int(words.gold.sum()), *total[seen].tolist()],
                }
            )
        )  # fmt: skip
    if not parts:
        raise TreegaugeError(f"{treebank}: no parses to count")
    return attachments(
        pl.concat(parts).select(COLUMNS), source=treebank, metric=metric_label(metric, convention),
        by=by if isinstance(by, str) else "own", sources=[gold.mark],
    )  # fmt: skip


def _correct(gold: Treebank, parse: Parse, metric: str, convention: Convention) -> MetricWords:
    """Return the correct words of a parse; LAS of trees without relations is refused."""
    words = parse.words
    relations: pl.Series | None
    where = f"{gold.name}, {parse.parser}, size {parse.size}, sample {parse.sample}"
    if isinstance(words, Treebank):
        heads, relations = words.head, words["deprel"]
    else:
        for column in ["head", *(["deprel"] if metric == "LAS" else [])]:
            if column not in words.columns:
                raise TreegaugeError(f"{where}: no column {column!r}; got {', '.join(words.columns)}")
        heads = words["head"].to_numpy()
        relations = words["deprel"] if "deprel" in words.columns else None
    if metric == "LAS" and relations is not None and _names_nothing(relations) and not _names_nothing(gold["deprel"]):
        raise TreegaugeError(
            f"{where}: the trees have no relations, so LAS cannot be counted; train a parser with relations, or use UAS"
        )
    try:
        return metric_words(metric, align_trees(gold, heads, relations), convention)
    except TreegaugeError as error:
        raise TreegaugeError(f"{where}: {error}") from None


def _names_nothing(relations: pl.Series) -> bool:
    """Return whether every word except roots has the relation that stands for none."""
    return set(relations.unique().to_list()) <= {"root", "dep", "_"}


def collect(
    results: pl.DataFrame, words: "Callable[[str], pl.DataFrame | None]",
    gold: Callable[[str], Treebank], *, by: By = CLASSES, metric: str = "LAS",
    convention: Convention = OFFICIAL,
) -> Attachments:  # fmt: skip
    """Count correct words in every cell of a store of curves.

    `results` has one row per cell; `words` returns the predicted heads and relations of a cell by
    its key, `gold` a treebank's test set by its name. A parser that was run with several sets of
    options is named with them. Samples and seeds of a size are numbered from 0 together: both are
    repeated trainings.
    """
    missing = [name for name in _CELL if name not in results.columns]
    if missing:
        raise TreegaugeError(f"results of runs lack {', '.join(missing)}")
    if results.height == 0:
        raise TreegaugeError("no cells of task curve are done")
    for column, what in (("data", "releases"), ("parameters", "parameters")):
        mixed = results.group_by("treebank").agg(pl.col(column).unique().sort())
        for name, values in mixed.sort("treebank").iter_rows():
            if len(values) > 1:
                listed = " and ".join(map(repr, values))
                raise TreegaugeError(f"{name} was run with several {what}: {listed}; choose one of them")
    several = pl.col("options").n_unique().over("parser") > 1
    named = pl.format("{} {}", "parser", "options").str.strip_chars()
    cells = results.with_columns(pl.when(several).then(named).otherwise(pl.col("parser")).alias("parser")).sort(
        "treebank", "parser", "size", "sample", "seed"
    )
    number = pl.int_range(pl.len()).over("treebank", "parser", "size")
    cells = cells.with_columns(number.alias("sample"))

    def parses(name: str) -> Iterator[Parse]:
        for row in cells.filter(treebank=name).iter_rows(named=True):
            table = words(row["key"])
            if table is None:
                raise TreegaugeError(
                    f"{name}, {row['parser']}, size {row['size']}: the store has no words of this cell"
                )
            yield Parse(row["parser"], row["size"], row["sample"], table)

    return joined_counts(
        count_attachments(gold(name), parses(name), by=by, metric=metric, convention=convention, name=name)
        for name in cells["treebank"].unique(maintain_order=True).to_list()
    )
