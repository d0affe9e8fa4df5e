"""Confusions of relations and tags for the page."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.classes.class_scores import Place, places
from treegauge.scoring.metrics.attachment import correct_words
from treegauge.scoring.metrics.convention import Convention
from treegauge.treebanks.data.columns import Treebank

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: The number of most frequent cells whose sentences are chosen for the page.
CELLS = 60


class WordConfusions(NamedTuple):
    """Gold words with their value, the system's value (-1: no such word), and their errors."""

    names: list[str]
    gold: Ints
    system: Ints
    counted: Mask
    wrong: Mask
    wrong_head: Mask

    def cells(self) -> list[list[int]]:
        """Return one row per pair with errors: gold and system value, words, other heads.

        The most frequent pair comes first. Pairs of equal values are words with an incorrect head.
        """
        size = len(self.names) + 1
        pairs = self.gold * size + self.system + 1
        counts = np.bincount(pairs[self.wrong], minlength=size**2)
        heads = np.bincount(pairs[self.wrong & self.wrong_head], minlength=size**2)
        order = sorted(np.flatnonzero(counts).tolist(), key=lambda pair: (-counts[pair], pair))
        return [[pair // size, pair % size - 1, int(counts[pair]), int(heads[pair])] for pair in order]

    def data(self) -> dict[str, Any]:
        """Return the data for the page: values, gold words of each, and the cells."""
        words = np.bincount(self.gold[self.counted], minlength=len(self.names))
        return {"names": self.names, "words": words.tolist(), "cells": self.cells()}

    def examples(self, treebank: Treebank, limit: int) -> Iterator[list[Place]]:
        """Yield the first sentences of each of the most frequent cells."""
        for gold, system, *_ in self.cells()[:CELLS]:
            chosen = self.wrong & (self.gold == gold) & (self.system == system)
            yield places(treebank, np.flatnonzero(chosen))[:limit]


def relation_confusions(alignment: Alignment, convention: Convention) -> WordConfusions:
    """Return the LAS errors: gold relation, system relation, and whether the head is incorrect.

    Every word that LAS counts as incorrect is in one cell, also a word with the correct relation
    and an incorrect head.
    """
    correct = correct_words(alignment, convention)
    gold, system = (_relations(side.treebank, convention) for side in (alignment.gold, alignment.system))
    names, gold_values, system_values = _paired(gold, system, alignment)
    wrong = correct.gold & ~correct.relations
    return WordConfusions(names, gold_values, system_values, correct.gold, wrong, ~correct.heads)


def tag_confusions(alignment: Alignment, convention: Convention) -> WordConfusions | None:
    """Return the errors in UPOS; None if the system's tags are all those of gold."""
    gold, system = (side.treebank["upos"].to_list() for side in (alignment.gold, alignment.system))
    names, gold_values, system_values = _paired(gold, system, alignment)
    correct = correct_words(alignment, convention)
    wrong = correct.gold & (gold_values != system_values) & (system_values >= 0)
    return (
        WordConfusions(names, gold_values, system_values, correct.gold, wrong, ~correct.heads) if wrong.any() else None
    )


def _relations(treebank: Treebank, convention: Convention) -> list[str]:
    relations = treebank["deprel"].to_list()
    return relations if convention.subtypes else [name.partition(":")[0] for name in relations]


def _paired(gold: Sequence[str], system: Sequence[str], alignment: Alignment) -> tuple[list[str], Ints, Ints]:
    """Return the values, the most frequent in gold first, and each gold word's two values."""
    frequent, counts = np.unique(np.array(gold, object).astype(str), return_counts=True)
    order = np.lexsort((frequent, -counts))
    names = frequent[order].tolist()
    names += sorted(set(system) - set(names))
    place = {name: number for number, name in enumerate(names)}
    gold_values = np.array([place[value] for value in gold], np.int64)
    partners = np.array([place[value] for value in system] or [-1], np.int64)
    return names, gold_values, np.where(alignment.to_system >= 0, partners[alignment.to_system], -1)


def system_confusions(alignment: Alignment, convention: Convention) -> dict[str, WordConfusions]:
    """Return the confusions of one system: of relations, and of UPOS where some tag differs."""
    tags = tag_confusions(alignment, convention)
    confusions = {"relation": relation_confusions(alignment, convention)}
    return confusions | ({} if tags is None else {"upos": tags})
