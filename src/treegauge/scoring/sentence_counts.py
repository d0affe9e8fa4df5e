"""Counts per sentence that add: everything a score, an interval or a test needs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.kernels import alignment as _align
from treegauge.scoring.align import (
    CONTENT_BIT,
    GRAMMATICAL_BIT,
    LEXICAL_BIT,
    Alignment,
    Segmentation,
    per_sentence,
)
from treegauge.scoring.attachment import correct_words
from treegauge.scoring.convention import OFFICIAL, Convention
from treegauge.scoring.enhanced import enhanced_counts
from treegauge.scoring.metrics import (
    ADDED,
    COLUMNS,
    ENHANCED,
    METRICS,
    MORE,
    NUMBER,
    WEIGHTED,
    known_metrics,
)
from treegauge.scoring.word_metrics import metric_words
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.relations import universal_relation

Array = npt.NDArray[np.float64] | npt.NDArray[np.int32]


@dataclass(frozen=True)
class ScoreOptions:
    """Choices that change what is counted.

    Parameters
    ----------
    convention
        Which words count in UAS, LAS, WLAS and ExactMatch, and how relations are compared.
    enhanced
        Whether ELAS and EULAS are computed.
    weights, default_weight
        Weight of each universal relation for WLAS, and of relations that are not named.
    """

    convention: Convention = OFFICIAL
    enhanced: bool = False
    weights: Mapping[str, float] | None = None
    default_weight: float = 1.0

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics these options give, in order."""
        known_metrics()
        chosen = METRICS | MORE | ADDED
        if self.enhanced:
            chosen = chosen | ENHANCED
        if self.weights is not None:
            chosen = chosen | WEIGHTED
        return list(chosen)

    @property
    def weights_mark(self) -> str | None:
        """Number and checksum of the weights, as signatures show them."""
        if self.weights is None:
            return None
        named = repr([*sorted(self.weights.items()), self.default_weight])
        return f"{len(self.weights)}rels#{sha256(named.encode()).hexdigest()[:6]}"


@dataclass(frozen=True)
class SentenceCounts:
    """Sums per gold sentence, one row each; rows of shards concatenate, totals add.

    Attributes
    ----------
    rows
        (sentences, columns) or, where only totals were asked for, (1, columns).
    sentences
        How many gold sentences are behind them.
    """

    rows: Array
    sentences: int
    options: ScoreOptions = field(default_factory=ScoreOptions)

    @property
    def totals(self) -> npt.NDArray[np.float64]:
        """Column sums."""
        return np.asarray(self.rows.sum(axis=0, dtype=np.float64))

    def summed(self) -> "SentenceCounts":
        """Keep nothing but the totals."""
        return SentenceCounts(self.totals[None, :], self.sentences, self.options)


def join(parts: Iterable[SentenceCounts], options: ScoreOptions) -> SentenceCounts:
    """Join the statistics of shards, in their order."""
    # A bytearray grows in place: millions of rows are never there twice.
    rows, sentences = bytearray(), 0
    dtype: np.dtype[Any] = np.dtype(np.int32)
    for part in parts:
        rows += part.rows.tobytes()
        dtype = part.rows.dtype
        sentences += part.sentences
    return SentenceCounts(np.frombuffer(rows, dtype).reshape(-1, len(COLUMNS)), sentences, options)


def tally(alignment: Alignment, options: ScoreOptions) -> SentenceCounts:
    """Count, per gold sentence, what every metric needs.

    System words, tokens and sentences count in the gold sentence where they start, so that the
    columns add up to the official script's counts however the two files are cut.
    """
    counter = _Counter(alignment, options)
    counter.segments()
    counter.words()
    counter.classes()
    counter.trees()
    for name in ADDED:
        counter.added(name)
    if options.enhanced:
        for name, values in enhanced_counts(alignment).items():
            counter.put(name, values)
    if options.weights is not None:
        counter.weighted(options.weights, options.default_weight)
    return SentenceCounts(counter.rows, len(alignment.gold.treebank), options)


class _Counter:
    def __init__(self, alignment: Alignment, options: ScoreOptions) -> None:
        self.alignment, self.options = alignment, options
        self.gold, self.system = alignment.gold, alignment.system
        self.n = len(self.gold.treebank)
        weighted = options.weights is not None
        dtype = np.float64 if weighted else np.int32
        known_metrics()  # those of plug-ins have columns, too
        self.rows = np.zeros((self.n, len(COLUMNS)), dtype)
        self.g_sentence = self.gold.treebank.sentence_of
        self.s_sentence = alignment.system_sentence
        self.words_correct = correct_words(alignment, options.convention)
        label = _align.FULL_DEPREL if options.convention.subtypes else _align.DEPREL
        self.labelled = alignment.right(_align.HEAD | label)

    def put(self, name: str, values: npt.NDArray[np.float64] | npt.NDArray[np.int64]) -> None:
        self.rows[:, NUMBER[name]] = values

    def gold_words(self, name: str, which: npt.NDArray[np.bool_]) -> None:
        self.put(name, np.bincount(self.g_sentence[which], minlength=self.n))

    def system_words(self, name: str, which: npt.NDArray[np.bool_]) -> None:
        self.put(name, np.bincount(self.s_sentence[which], minlength=self.n))

    def segments(self) -> None:
        gold, system = self.gold.segments, self.system.segments
        for name, spans in (("tokens", _tokens), ("sentences", _sentences)):
            (g_starts, g_ends), (s_starts, s_ends) = spans(gold), spans(system)
            twin = np.minimum(np.searchsorted(s_ends, g_ends), len(s_ends) - 1)
            same = (s_ends[twin] == g_ends) & (s_starts[twin] == g_starts)
            for column, starts in (("c", g_starts[same]), ("g", g_starts), ("s", s_starts)):
                self.put(f"{name}_{column}", per_sentence(gold, starts))

    def words(self) -> None:
        right = self.alignment.right
        everything = np.ones(len(self.s_sentence), bool)
        tags = _align.UPOS | _align.XPOS | _align.UFEATS
        self.gold_words("words_g", np.ones(len(self.g_sentence), bool))
        self.system_words("words_s", everything)
        for name, bits in (
            ("words_a", _align.ALIGNED), ("upos_c", _align.UPOS), ("xpos_c", _align.XPOS),
            ("ufeats_c", _align.UFEATS), ("alltags_c", tags), ("lemmas_c", _align.LEMMA),
        ):  # fmt: skip
            self.gold_words(name, right(bits))
        correct = self.words_correct
        self.g_kept, self.s_kept = correct.gold, correct.system
        self.gold_words("arcs_g", self.g_kept)
        self.system_words("arcs_s", self.s_kept)
        self.gold_words("arcs_a", self.g_kept & right(_align.ALIGNED))
        self.gold_words("uas_c", correct.heads)
        self.gold_words("las_c", correct.relations)

    def classes(self) -> None:
        aligned = self.alignment.right(_align.ALIGNED)
        for name, bit in (
            ("content", CONTENT_BIT), ("lexical", LEXICAL_BIT), ("grammatical", GRAMMATICAL_BIT),
        ):  # fmt: skip
            members = self.gold.has(bit)
            self.gold_words(f"{name}_g", members)
            self.system_words(f"{name}_s", self.system.has(bit))
            self.gold_words(f"{name}_a", members & aligned)
            if name != "content":
                self.gold_words(f"{name}_c", members & self.labelled)
        content = self.gold.has(CONTENT_BIT)
        morphology = self.alignment.right(_align.UPOS | _align.UFEATS | _align.CHILDREN)
        self.gold_words("clas_c", content & self.labelled)
        self.gold_words("mlas_c", content & self.labelled & morphology)
        self.gold_words("blex_c", content & self.labelled & self.alignment.right(_align.LEMMA))

    def trees(self) -> None:
        roots = self.gold.treebank.head == 0
        self.gold_words("roots_g", roots)
        self.system_words("roots_s", self.system.treebank.head == 0)
        self.gold_words("roots_a", roots & self.alignment.right(_align.ALIGNED))
        self.gold_words("roots_c", roots & self.alignment.right(_align.HEAD))
        at = NUMBER["sentences_c"]
        wrong = np.bincount(self.g_sentence[self.g_kept & ~self.labelled], minlength=self.n)
        extra = self.s_kept & (self.alignment.to_gold < 0)
        more = np.bincount(self.s_sentence[extra], minlength=self.n)
        self.put("exact_c", (self.rows[:, at] > 0) & (wrong == 0) & (more == 0))

    def added(self, name: str) -> None:
        """Count a metric that a user registered."""
        words = metric_words(name, self.alignment, self.options.convention)
        self.gold_words(f"{name}_g", words.gold)
        self.system_words(f"{name}_s", words.system)
        self.gold_words(f"{name}_c", words.correct)
        self.gold_words(f"{name}_a", words.gold & self.alignment.right(_align.ALIGNED))

    def weighted(self, weights: Mapping[str, float], default: float) -> None:
        g, s = (_weights(side.treebank, weights, default) for side in (self.gold, self.system))
        aligned = self.alignment.right(_align.ALIGNED)
        for name, words in (
            ("weight_g", self.g_kept),
            ("weight_a", self.g_kept & aligned),
            ("wlas_c", self.g_kept & self.labelled),
        ):
            self.put(name, np.bincount(self.g_sentence[words], g[words], self.n))
        self.put("weight_s", np.bincount(self.s_sentence[self.s_kept], s[self.s_kept], self.n))


def _weights(
    treebank: Treebank, weights: Mapping[str, float], default: float
) -> npt.NDArray[np.float64]:
    codes, values = treebank.codes("deprel")
    table = [weights.get(universal_relation(value), default) for value in values]
    return np.array(table, np.float64)[codes] if table else np.zeros(0)


def _tokens(segments: Segmentation) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    return segments.token_starts, segments.token_ends


def _sentences(segments: Segmentation) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    return segments.sentence_starts, segments.sentence_ends
