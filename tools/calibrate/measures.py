"""Statements of `measure`: intervals of means, shares, entropies and distances."""

from functools import cache
from typing import Any

import numpy as np

from tools.calibrate import plasmode
from tools.calibrate.registry import Trials, statement
from treegauge.measures.intervals import MatchedSamples, measure_interval
from treegauge.measures.registry import measures
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import Treebank

#: Sentences of the invented treebank that serves as the population.
EVERYTHING = 4000


#: Kinds of invented text.
KINDS = {"plain": Grammar(), "late": Grammar(basic_order="SOV"), "terse": Grammar(function_words=0.3)}


@cache
def population(kind: str = "plain") -> Treebank:
    """Return the sentences that samples are drawn from, with replacement."""
    return synthetic(EVERYTHING, KINDS[kind], seed=1)


@cache
def truth(name: str, *kinds: str) -> float:
    """Return the value of a measure in the population."""
    value = measures()[name](*(population(kind) for kind in kinds))
    assert isinstance(value, float)
    return value


def drawn(random: np.random.Generator, sentences: int, kind: str = "plain") -> Treebank:
    """Draw a treebank with replacement, as from an infinite population."""
    return population(kind)[random.integers(EVERYTHING, size=sentences)]


def intervals(
    random: np.random.Generator, name: str, sizes: tuple[int, ...], kinds: tuple[str, ...], repetitions: int
) -> Trials:
    """Draw samples, and check whether the interval of a measure contains the true value."""
    measure, real = measures()[name], truth(name, *kinds)
    low, high = np.empty(repetitions), np.empty(repetitions)
    for i in range(repetitions):
        samples = [drawn(random, n, kind) for n, kind in zip(sizes, kinds, strict=True)]
        limits = measure_interval(measure, *samples, resamples=200, seed=i, units="sentences")
        low[i], high[i] = (np.nan, np.nan) if isinstance(limits, str) else limits
    return Trials((low <= real) & (real <= high), high - low)


def of_one(name: str, *sizes: int) -> dict[str, Any]:
    """Return the cases of a measure of one treebank."""
    return {f"{name}, {size} sentences": (name, size) for size in sizes}


@statement(
    name="measure-mean-interval",
    verb="measure",
    says="words per sentence 15.1 (13.2 to 17.4)",
    kind="interval",
    nominal=0.95,
    cases=of_one("mean_length", 50, 500) | of_one("mdd", 50) | of_one("depth", 50),
    secondary="mean width",
    covers=("measures.low", "measures.high"),
    repetitions=2000,
    quick=60,
    fails={"mdd, 50 sentences": "slightly too wide: allows for a tail as long as in real text"},
)
def interval_of_means(random: np.random.Generator, case: tuple[str, int], repetitions: int) -> Trials:
    """Sentences drawn from an invented treebank of 4,000."""
    return intervals(random, case[0], (case[1],), ("plain",), repetitions)


@statement(
    name="measure-share-interval",
    verb="measure",
    says="share of non-projective arcs 0.008 (0.003 to 0.018)",
    kind="interval",
    nominal=0.95,
    cases=of_one("nonprojective_arcs", 50, 200) | of_one("nonprojective_sentences", 50)
    | of_one("head_left", 50),
    secondary="mean width",
    covers=("measures.low", "measures.high"),
    repetitions=2000,
    quick=60,
)  # fmt: skip
def interval_of_shares(random: np.random.Generator, case: tuple[str, int], repetitions: int) -> Trials:
    """Sentences drawn from an invented treebank of 4,000; 1 % of the arcs are not projective."""
    return intervals(random, case[0], (case[1],), ("plain",), repetitions)


@statement(
    name="measure-entropy-interval",
    verb="measure",
    says="entropy of features 4.21 (4.18 to 4.36)",
    kind="interval",
    nominal=0.95,
    cases=of_one("feature_entropy", 50, 400) | of_one("direction_entropy_by_relation", 50, 400),
    secondary="mean width (bits)",
    covers=("measures.low", "measures.high"),
    repetitions=1500,
    quick=60,
)
def interval_of_entropies(random: np.random.Generator, case: tuple[str, int], repetitions: int) -> Trials:
    """Sentences drawn from an invented treebank of 4,000."""
    return intervals(random, case[0], (case[1],), ("plain",), repetitions)


@statement(
    name="measure-distance-interval",
    verb="measure",
    says="EDV 0.31 (0.12 to 0.44)",
    kind="interval",
    nominal=0.95,
    cases={
        "EDV, 100 and 100 sentences, other word order": ("edv", (100, 100), ("plain", "late")),
        "EDV, 1000 and 300 sentences, other word order": ("edv", (1000, 300), ("plain", "late")),
        "EDV, 100 and 100 sentences, truth 0": ("edv", (100, 100), ("plain", "plain")),
        "SLV, 100 and 100 sentences, truth 0": ("slv", (100, 100), ("plain", "plain")),
        "UPOS, 300 and 300 sentences, fewer function words": ("upos_divergence", (300, 300), ("plain", "terse")),
    },
    secondary="mean width",
    covers=("measures.low", "measures.high"),
    repetitions=500,
    quick=12,
)
def interval_of_distances(
    random: np.random.Generator, case: tuple[str, tuple[int, int], tuple[str, str]], repetitions: int
) -> Trials:
    """Two samples of one invented treebank, or of two of different kinds."""
    return intervals(random, *case, repetitions)


#: Samples of the population that give the true value of a sample of one size.
TRUE_SAMPLES = 4000


@cache
def mean_of_samples(treebank: str, name: str, words: int, documents: bool) -> float:
    """Return the mean of a measure over samples of so many words, of units drawn with replacement."""
    real = plasmode.population(treebank)
    lengths = real.treebank.lengths.tolist()
    bounds = real.bounds.tolist() if documents else list(range(len(real) + 1))
    random, values = np.random.default_rng(0), []
    for _ in range(TRUE_SAMPLES):
        taken: list[int] = []
        size = before = 0
        while size < words:
            unit = int(random.integers(len(bounds) - 1))
            for sentence in range(bounds[unit], bounds[unit + 1]):
                if size < words:
                    taken.append(sentence)
                    before, size = size, size + lengths[sentence]
        if len(taken) > 1 and words - before <= size - words:
            taken.pop()
        value = measures()[name](real.treebank.take(np.array(taken)))
        assert not isinstance(value, dict)
        values.append(float(value))
    return float(np.mean(values))


@statement(
    name="measure-samples",
    verb="measure",
    says="type/token ratio of 5,000 words 0.366 (0.362 to 0.369)",
    kind="interval",
    nominal=0.95,
    cases={
        f"{treebank.rpartition('UD_')[2]}, {name}, {words} words of {number} {units}": (
            treebank, name, words, number, units
        )
        for treebank, name, words, number, units in (
            ("r2.5/UD_Wolof-WTB", "ttr", 2000, 20, "documents"),
            ("r2.5/UD_English-GUM", "ttr", 4000, 20, "documents"),
            ("r2.5/UD_Gothic-PROIEL", "ttr", 600, 200, "sentences"),
            ("r2.5/UD_Gothic-PROIEL", "mdd", 600, 200, "sentences"),
            ("r2.5/UD_Uyghur-UDT", "form_entropy", 1000, 200, "sentences"),
        )
    },
    secondary="mean width",
    covers=("measures.low", "measures.high"),
    repetitions=66,
    quick=4,
    fails={
        "English-GUM, ttr, 4000 words of 20 documents": "slightly too wide: samples of few documents vary",
        "Uyghur-UDT, form_entropy, 1000 words of 200 sentences": "slightly too narrow; few repetitions",
        "Gothic-PROIEL, mdd, 600 words of 200 sentences": "too wide: the jackknife has 20 samples of sentences",
    },
)  # fmt: skip
def interval_of_samples(random: np.random.Generator, case: tuple[str, str, int, int, str], repetitions: int) -> Trials:
    """Draw real documents or sentences, and samples of one size from them; the truth is of samples of all."""
    treebank, name, words, number, units = case
    measure, real = measures()[name], mean_of_samples(treebank, name, words, units == "documents")
    ends, estimates = np.empty((repetitions, 2)), np.empty(repetitions)
    draw = plasmode.documents if units == "documents" else plasmode.sentences
    for i in range(repetitions):
        samples = MatchedSamples(draw(treebank, random, number), words, units=units, seed=i)
        value = samples.value(measure)
        assert not isinstance(value, dict)
        estimates[i] = value
        limits = samples.interval(measure)
        ends[i] = (np.nan, np.nan) if isinstance(limits, str) else limits
    return Trials((ends[:, 0] <= real) & (real <= ends[:, 1]), ends[:, 1] - ends[:, 0], estimates)
