"""Statements of `agree` about the agreement of annotators."""

from functools import cache, partial

import numpy as np
import numpy.typing as npt

from tools.calibrate.registry import Trials, statement
from tools.calibrate.simulated import CONCENTRATION
from treegauge.auditing.agreement.tables import AnnotatedTrees, tree_alpha
from treegauge.auditing.triage import THRESHOLDS, Parts, chosen_threshold, expected_error, triage_row
from treegauge.statistics.draws import FloatArray
from treegauge.statistics.kappa_and_alpha import agreement, class_agreement, coefficient_interval
from treegauge.statistics.student_intervals import StudentEstimate
from treegauge.testing.simulated_parser import simulated_parse
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import parse_conllu

Codes = npt.NDArray[np.int64]
interval = partial(statement, verb="agree", kind="interval", nominal=0.95)
WIDTH = "mean width of alpha"
#: Shares of classes, similar to those of parts of speech.
SHARES = np.array([22, 13, 12, 10, 9, 8, 7, 6, 5, 4, 2, 1, 1]) / 100
#: How far classes differ between documents: the parameters of the Dirichlet law add up to this.
TOPICS = 30


def annotated(
    random: np.random.Generator, units: int, *, accuracy: float = 0.8, annotators: int = 2, sentences: int = 1
) -> tuple[Codes, Codes]:
    """Return codes (words, annotators), and the unit of each word.

    A unit has some sentences (lengths log-normal, median 15 words), and of several sentences its
    own distribution of classes. Annotators know the true class of a word with a probability that
    differs between units (mean `accuracy`) and otherwise draw one.
    """
    lengths = np.maximum(1, random.lognormal(np.log(15), 0.6, (units, sentences)).astype(int))
    words = lengths.sum(axis=1)
    unit = np.repeat(np.arange(units), words)
    known = random.beta(CONCENTRATION * accuracy, CONCENTRATION * (1 - accuracy), units)[unit]
    shares = np.broadcast_to(SHARES, (units, len(SHARES)))
    if sentences > 1:
        shares = random.dirichlet(TOPICS * SHARES, units)
    ends = np.cumsum(shares, axis=1)[unit]
    true = (random.random((len(unit), 1)) > ends[:, :-1]).sum(axis=1)
    drawn = random.choice(len(SHARES), (len(unit), annotators), p=SHARES)
    right = random.random((len(unit), annotators)) < known[:, None]
    return np.where(right, true[:, None], drawn), unit


Case = tuple[int, dict[str, float]]


@cache
def _truth(case: tuple[tuple[str, float], ...], category: int) -> FloatArray:
    """Return the true coefficients, from many units."""
    return _estimate(*_many(case), category).value


@cache
def _many(case: tuple[tuple[str, float], ...]) -> tuple[Codes, Codes]:
    """Return many annotated units, the same ones for every class."""
    how = dict(case)
    units = int(40_000 / how.get("sentences", 1))
    return annotated(np.random.default_rng(0), units, **how)  # type: ignore[arg-type]


def _estimate(codes: Codes, unit: Codes, category: int) -> StudentEstimate:
    if category < 0:
        return agreement(codes, unit)
    return class_agreement(codes, unit, category)


def _covered(random: np.random.Generator, case: Case, repetitions: int, category: int = -1) -> Trials:
    """Return whether intervals contain the true values of the three coefficients.

    Samples without an interval are drawn again.
    """
    units, how = case
    truth = _truth(tuple(how.items()), category)
    hits, widths = list[bool](), list[float]()
    while len(hits) < repetitions:
        codes, unit = annotated(random, units, **how)  # type: ignore[arg-type]
        low, high = coefficient_interval(_estimate(codes, unit, category))
        if np.isfinite(low).all():
            which = len(hits) % 3
            hits.append(bool(low[which] <= truth[which] <= high[which]))
            widths.append(float(high[2] - low[2]))
    return Trials(np.array(hits), np.array(widths))


@interval(
    name="agree-layers",
    says="upos: 94.4 % (93.6 to 95.1), kappa 0.937 (0.928 to 0.945), alpha 0.937",
    cases={
        "10 sentences": (10, {}),
        "50 sentences": (50, {}),
        "200 sentences": (200, {}),
        "10 documents": (10, {"sentences": 10}),
        "3 annotators, 10 sentences": (10, {"annotators": 3}),
    },
    secondary=WIDTH,
    covers=("agreement.*_low", "agreement.*_high"),
    quick=30,
)
def layers(random: np.random.Generator, case: Case, repetitions: int) -> Trials:
    """Annotators find the true class of most words, in some units more often than in others.

    Observed agreement, kappa (Cohen's, or Fleiss' for three annotators) and alpha are checked in
    turn.
    """
    return _covered(random, case, repetitions)


@interval(
    name="agree-few-disagreements",
    says="lemma: 98.3 % (96.0 to 99.3), kappa 0.981 (0.955 to 0.992), alpha 0.981",
    cases={"20 sentences": (20, {"accuracy": 0.97}), "100 sentences": (100, {"accuracy": 0.99})},
    secondary=WIDTH,
    covers=("agreement.*_low", "agreement.*_high"),
    quick=30,
    repetitions=1500,
)
def few_disagreements(random: np.random.Generator, case: Case, repetitions: int) -> Trials:
    """Annotators nearly always agree, so few sentences have a disagreement.

    Samples in which fewer than five sentences have one get no interval and are drawn again.
    """
    return _covered(random, case, repetitions)


@interval(
    name="agree-classes",
    says="NOUN: 91 % (86 to 94) specific agreement, alpha 0.88 (0.83 to 0.92)",
    cases={
        "10 sentences, a class of 22 %": (10, 0),
        "50 sentences, a class of 22 %": (50, 0),
        "50 sentences, a class of 5 %": (50, 8),
        "400 sentences, a class of 1 %": (400, 11),
    },
    secondary=WIDTH,
    covers=("agreement-classes.*_low", "agreement-classes.*_high"),
    quick=30,
    repetitions=800,
)
def classes(random: np.random.Generator, case: tuple[int, int], repetitions: int) -> Trials:
    """Sentences as for layers; specific agreement, kappa and alpha of one class in turn."""
    return _covered(random, (case[0], {}), repetitions, case[1])


@cache
def _pool() -> tuple[Treebank, ...]:
    """Return two annotations of invented sentences, of which each has its own error rate."""
    text = synthetic(3000, seed=0).to_bytes().decode()
    return tuple(parse_conllu(simulated_parse(text, seed=seed)) for seed in (1, 2))


@cache
def _relations() -> dict[str, int]:
    values = dict.fromkeys(value for whole in _pool() for value in whole.codes("deprel").values)
    return {value: number for number, value in enumerate(values)}


def _trees(sentences: npt.NDArray[np.int64]) -> list[AnnotatedTrees]:
    numbers, annotators = _relations(), []
    for whole in _pool():
        part = whole.take(sentences)
        codes, values = part.codes("deprel")
        label = np.array([numbers[value] for value in values], np.int32)[codes]
        items = np.arange(len(part), dtype=np.int32)
        annotators.append(AnnotatedTrees(part.head.astype(np.int32), label, part.offsets.astype(np.int32), items))
    return annotators


@cache
def _true_tree_alpha() -> float:
    sentences = np.arange(len(_pool()[0]))
    return float(tree_alpha(_trees(sentences), sentences, pairs=300_000).value[0])


@interval(
    name="agree-trees",
    says="trees: alpha 0.629 (0.601 to 0.656)",
    cases={"40 sentences": 40, "100 sentences": 100},
    secondary=WIDTH,
    covers=("agreement.alpha_*",),
    quick=30,
    repetitions=500,
)
def trees(random: np.random.Generator, sentences: int, repetitions: int) -> Trials:
    """Draw sentences from 3,000 that two annotators annotated with independent errors.

    The truth is alpha of all 3,000, with 300,000 random pairs of trees; estimates have 5,000.
    """
    limits = np.empty((repetitions, 2))
    for i in range(repetitions):
        drawn = random.permutation(len(_pool()[0]))[:sentences]
        made = tree_alpha(_trees(drawn), np.arange(sentences), seed=i, pairs=5000)
        estimate = StudentEstimate(*(np.repeat(one, 2) for one in (made.value, made.standard_error, made.df)))
        low, high = coefficient_interval(estimate)
        limits[i] = low[1], high[1]
    low, high = limits.T
    truth = _true_tree_alpha()
    return Trials((low <= truth) & (truth <= high), high - low)


@statement(
    name="triage-error",
    verb="triage",
    kind="interval",
    nominal=0.95,
    says="accepted 84.8 %, error 11.9 % (10.6 to 13.4)",
    cases={
        "50 sentences for 500": (50, 500, 1),
        "200 sentences for 1000": (200, 1000, 1),
        "20 documents for 100": (20, 100, 10),
        "few errors, 100 sentences": (100, 1000, 1),
    },
    secondary="mean width (points)",
    covers=("triage.*_low", "triage.*_high"),
    quick=60,
    repetitions=5000,
)
def triage_error(random: np.random.Generator, case: tuple[int, int, int], repetitions: int) -> Trials:
    """Words of a sample and of a rest are wrong more often in some units than in others.

    The truth is the error of the rest, which the interval is for. Samples without an interval are drawn again.
    """
    sampled, rest, sentences = case
    share = 0.03 if sampled == 100 else 0.1
    hits, widths = list[bool](), list[float]()
    while len(hits) < repetitions:
        words = np.maximum(1, random.lognormal(np.log(15), 0.6, (sampled + rest, sentences)).astype(int)).sum(axis=1)
        errors = random.binomial(words, random.beta(CONCENTRATION * share, CONCENTRATION * (1 - share), len(words)))
        inside = np.arange(len(words)) < sampled
        estimate = expected_error(Parts(words * inside, errors * inside, words * ~inside))
        low, high = (float(limit) for limit in estimate.interval(share=True))
        if np.isfinite(low):
            hits.append(low <= errors[~inside].sum() / words[~inside].sum() <= high)
            widths.append(100 * (high - low))
    return Trials(np.array(hits), np.array(widths))


def _accepted(
    random: np.random.Generator, units: int, sentences: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], FloatArray]:
    """Draw sentences of units: agreed words, errors among them, and the share of words that agree.

    Sentences differ in difficulty: words of a difficult one are agreed on less often, and are wrong more often.
    """
    words = np.maximum(1, random.lognormal(np.log(15), 0.6, (units, sentences)).astype(np.int64))
    difficulty = random.beta(1.0, 4.0, words.shape)
    agreed = random.binomial(words, 1 - difficulty)
    return agreed, random.binomial(agreed, 0.4 * difficulty), agreed / words


@cache
def _errors_by_threshold() -> dict[float, float]:
    """Return the error of what is accepted at each threshold, in percent, of very many sentences."""
    agreed, wrong, share = _accepted(np.random.default_rng(0), 400_000, 1)
    return {one: 100 * float(wrong[share >= one].sum() / agreed[share >= one].sum()) for one in THRESHOLDS}


@statement(
    name="triage-choice",
    verb="triage",
    kind="verdict",
    nominal=0.05,
    says="--error 3: words are accepted in sentences in which at least 80 % of words agree",
    cases={
        f"{named}, error of the threshold {threshold:g}": (*case, threshold)
        for named, case in (
            ("200 sentences for 1000", (200, 1000, 1)), ("20 documents for 100", (20, 100, 10)),
        )
        for threshold in (0.9, 0.7)
    },
    secondary="share of the words accepted",
    covers=("triage.chosen",),
    quick=60,
    repetitions=3000,
)  # fmt: skip
def triage_choice(random: np.random.Generator, case: tuple[int, int, int, float], repetitions: int) -> Trials:
    """Allow the true error of one threshold: sentences in which fewer words agree have more errors among these.

    A choice is wrong if the words accepted in the rest have a larger error than allowed.
    """
    sampled, rest, sentences, threshold = case
    allowed = _errors_by_threshold()[threshold]
    inside = np.arange(sampled + rest) < sampled
    wrong_choices, shares = list[bool](), list[float]()
    for _ in range(repetitions):
        agreed, wrong, share = _accepted(random, sampled + rest, sentences)
        rows, errors = [], []
        for one in THRESHOLDS:
            words, mistakes = (np.where(share >= one - 1e-12, part, 0).sum(axis=1) for part in (agreed, wrong))
            parts = Parts(words * inside, mistakes * inside, words * ~inside)
            rows.append(triage_row(one, parts, int(agreed[~inside].sum()), 10, 0.95))
            errors.append(100 * mistakes[~inside].sum() / max(words[~inside].sum(), 1))
        best = chosen_threshold(rows, allowed)
        wrong_choices.append(best is not None and bool(errors[best] > allowed))
        shares.append(0.0 if best is None else rows[best]["accepted"] / 100)
    return Trials(np.array(wrong_choices), np.array(shares))
