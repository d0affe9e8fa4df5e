"""Counts per sentence of LAS and the other metrics; scores, intervals and tests are computed from their sums."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import alignment as _align
from treegauge.scoring.alignment.align import (
    CONTENT_BIT,
    GRAMMATICAL_BIT,
    LEXICAL_BIT,
    Alignment,
    positions_per_sentence,
)
from treegauge.scoring.alignment.segmentation import Side
from treegauge.scoring.metrics.correct_words import CorrectWords, Mask, correct_words, metric_words
from treegauge.scoring.metrics.enhanced import enhanced_counts
from treegauge.scoring.metrics.registry import ADDED, COLUMNS, NUMBER, added_group, drop_metric, known_metrics
from treegauge.scoring.settings import ScoreOptions
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.indexing import document_starts
from treegauge.treebanks.data.relations import universal_relation

Array = npt.NDArray[np.float64] | npt.NDArray[np.int32]


@dataclass(frozen=True)
class SentenceCounts:
    """Sums per gold sentence, one row each, or a single row of totals.

    `starts` marks the sentences with which a document starts.
    """

    rows: Array
    sentences: int
    options: ScoreOptions = field(default_factory=ScoreOptions)
    starts: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))

    @property
    def totals(self) -> npt.NDArray[np.float64]:
        """Column sums."""
        return np.asarray(self.rows.sum(axis=0, dtype=np.float64))

    def summed(self) -> "SentenceCounts":
        """Return the totals only."""
        return SentenceCounts(self.totals[None, :], self.sentences, self.options)


def join(parts: Iterable[SentenceCounts], options: ScoreOptions) -> SentenceCounts:
    """Join the statistics of shards, in order."""
    # A bytearray grows in place: millions of rows are never in memory twice.
    rows, starts, sentences = bytearray(), bytearray(), 0
    dtype: np.dtype[Any] = np.dtype(np.int32)
    for part in parts:
        rows += part.rows.tobytes()
        starts += part.starts.tobytes()
        dtype = part.rows.dtype
        sentences += part.sentences
    table = np.frombuffer(rows, dtype).reshape(-1, len(COLUMNS))
    return SentenceCounts(table, sentences, options, np.frombuffer(starts, bool))


def tally(alignment: Alignment, options: ScoreOptions) -> SentenceCounts:
    """Return the counts per gold sentence that the metrics need.

    System words, tokens and sentences count in the gold sentence where they start, so the columns
    add up to the official script's counts whatever the segmentation.
    """
    known_metrics()  # metrics of plug-ins have columns, too
    gold, system = alignment.gold, alignment.system
    n, starts = len(gold.treebank), document_starts(gold.treebank)
    g_sentence, s_sentence = gold.treebank.sentence_of, alignment.system_sentence
    correct = correct_words(alignment, options.convention)
    columns: dict[str, npt.NDArray[Any]] = _segments(gold, system)
    ours, theirs = _words(alignment, options, correct)
    for sentences, masks in ((g_sentence, ours), (s_sentence, theirs)):
        for name, which in masks.items():
            columns[name] = np.bincount(sentences[which], minlength=n)
    extra = correct.system & (alignment.to_gold < 0)
    wrong = np.bincount(g_sentence[correct.gold & ~correct.relations], minlength=n)
    wrong += np.bincount(s_sentence[extra], minlength=n)
    columns["exact_c"] = (columns["sentences_c"] > 0) & (wrong == 0)
    if options.enhanced:
        columns |= enhanced_counts(alignment, options.enhancements, collapse=options.collapse)
    if options.weights is not None:
        g, s = (_weights(side.treebank, options) for side in (gold, system))
        for name, words in (("weight_g", "arcs_g"), ("weight_a", "arcs_a"), ("wlas_c", "las_c")):
            columns[name] = np.bincount(g_sentence[ours[words]], g[ours[words]], n)
        columns["weight_s"] = np.bincount(s_sentence[correct.system], s[correct.system], n)
    rows = np.zeros((n, len(COLUMNS)), np.int32 if options.weights is None else np.float64)
    for name, values in columns.items():
        rows[:, NUMBER[name]] = values
    return SentenceCounts(rows, n, options, starts)


def _segments(gold: Side, system: Side) -> dict[str, npt.NDArray[Any]]:
    columns = {}
    for name in ("token", "sentence"):
        (g_starts, g_ends), (s_starts, s_ends) = (
            (getattr(side, f"{name}_starts"), getattr(side, f"{name}_ends")) for side in (gold, system)
        )
        twin = np.minimum(np.searchsorted(s_ends, g_ends), len(s_ends) - 1)
        same = (s_ends[twin] == g_ends) & (s_starts[twin] == g_starts)
        for letter, starts in (("c", g_starts[same]), ("g", g_starts), ("s", s_starts)):
            columns[f"{name}s_{letter}"] = positions_per_sentence(gold, starts)
    return columns


def _words(
    alignment: Alignment, options: ScoreOptions, correct: CorrectWords
) -> tuple[dict[str, Mask], dict[str, Mask]]:
    """Return the gold and the system words that each column counts."""
    gold, system, right = alignment.gold, alignment.system, alignment.right
    label = _align.FULL_DEPREL if options.convention.subtypes else _align.DEPREL
    labelled, aligned = right(_align.HEAD | label), right(_align.ALIGNED)
    content = alignment.has(CONTENT_BIT)[0] & labelled
    morphology = right(_align.UPOS | _align.UFEATS | _align.CHILDREN)
    groups = {
        "words": (np.ones(gold.treebank.n_words, bool), np.ones(system.treebank.n_words, bool)),
        "arcs": (correct.gold, correct.system),
        "content": alignment.has(CONTENT_BIT),
        "lexical": alignment.has(LEXICAL_BIT),
        "grammatical": alignment.has(GRAMMATICAL_BIT),
        "roots": (gold.treebank.head == 0, system.treebank.head == 0),
    }
    ours: dict[str, Mask] = {
        "upos_c": right(_align.UPOS),
        "xpos_c": right(_align.XPOS),
        "ufeats_c": right(_align.UFEATS),
        "alltags_c": right(_align.UPOS | _align.XPOS | _align.UFEATS),
        "lemmas_c": right(_align.LEMMA),
        "uas_c": correct.heads,
        "las_c": correct.relations,
        "clas_c": content,
        "mlas_c": content & morphology,
        "blex_c": content & right(_align.LEMMA),
        "lexical_c": groups["lexical"][0] & labelled,
        "grammatical_c": groups["grammatical"][0] & labelled,
        "roots_c": groups["roots"][0] & right(_align.HEAD),
    }
    for name in list(ADDED):
        try:
            added = metric_words(name, alignment, options.convention)
        except TreegaugeError as error:
            drop_metric(name, error)
            continue
        groups[added_group(name)] = (added.gold, added.system)
        ours[f"{added_group(name)}_c"] = added.correct
    for name, (members, _) in groups.items():
        ours |= {f"{name}_g": members, f"{name}_a": members & aligned}
    return ours, {f"{name}_s": members for name, (_, members) in groups.items()}


def _weights(treebank: Treebank, options: ScoreOptions) -> npt.NDArray[np.float64]:
    codes, values = treebank.codes("deprel")
    weights = options.weights or {}
    table = [weights.get(universal_relation(value), options.default_weight) for value in values]
    return np.array(table, np.float64)[codes] if table else np.zeros(0)
