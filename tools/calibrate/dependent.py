"""Statements on real documents, sentences and genera, drawn again: plasmode data."""

from collections.abc import Callable
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from tools.calibrate.plasmode import JUDGING, JUDGING_MORE, JUDGING_SENTENCES, population, score_table
from tools.calibrate.registry import Trials, statement
from tools.calibrate.scoring import kept
from treegauge.measures.intervals import interval_of_sums, random_splits
from treegauge.measures.registry import measures
from treegauge.scoring.classes.class_tests import ClassTable, class_difference, class_f1
from treegauge.statistics.hierarchy import hierarchy
from treegauge.statistics.probabilities import wasserstein
from treegauge.statistics.student_intervals import signed_rank

interval = partial(statement, kind="interval", nominal=0.95)
Floats = npt.NDArray[np.float64]
ONE_DOCUMENT = "one of 32 documents has 121 of the longest sentences; half of the samples lack it"
FEW_LARGE = "8 of 53 documents have half of the sentences, and differ from one another"
WIDE = "wider than need be: few documents, of which a rare long one may be missing"
ALLOWS = "slightly too wide: allows for a rare long document, of which this treebank has none"
LARGEST = "the true value is 1, the largest there is, so that intervals can miss on one side only"
RARE = "0.2 to 3 % of sentences have such an arc, some of them several"
#: Random splits of the test of `audit`; more make p-values finer, not larger or smaller.
SPLITS = 199


def short(treebank: str) -> str:
    """Return the name of a treebank without its release."""
    return treebank.rpartition("UD_")[2]


@cache
def table(name: str, *treebanks: str, documents: bool) -> tuple[Floats, ...]:
    """Return the additive tables of a measure, one row per document or sentence."""
    real = [population(treebank) for treebank in treebanks]
    additive = measures()[name].additive
    assert additive is not None
    made = [np.asarray(one, np.float64) for one in additive.tables(*(one.treebank for one in real))]
    if documents:
        made = [np.add.reduceat(one, each.bounds[:-1]) for one, each in zip(made, real, strict=True)]
    return tuple(made)


def drawn_intervals(
    random: np.random.Generator, name: str, tables: tuple[Floats, ...], units: int, repetitions: int, *,
    documents: bool = True,
) -> Trials:  # fmt: skip
    """Draw units with replacement; the truth is the value of all of them."""
    measure = measures()[name]
    additive = measure.additive
    assert additive is not None

    def value(*sums: Floats) -> float:
        if additive.kind == "binary":
            return _binary(float(additive.statistic(*sums)))
        return float(additive.statistic(*sums))

    truth = value(*(one.sum(axis=0) for one in tables))
    ends, estimates = np.full((repetitions, 2), np.nan), np.empty(repetitions)
    for i in range(repetitions):
        drawn = [one[random.integers(len(one), size=units)] for one in tables]
        estimates[i] = value(*(one.sum(axis=0) for one in drawn))
        limits = interval_of_sums(additive, measure.bounds, drawn, 200, 0.95, i, documents=documents)
        ends[i] = limits or (np.nan, np.nan)
    hits = (ends[:, 0] <= truth + 1e-12) & (truth <= ends[:, 1] + 1e-12)
    # A distance of 0 and an entropy of 1 are at the end of the scale, where no estimate is normal.
    edge = additive.kind in {"distance", "binary"}
    return Trials(hits, ends[:, 1] - ends[:, 0], None if edge else estimates)


def _binary(share: float) -> float:
    parts = np.array([share, 1 - share])
    parts = parts[parts > 0]
    return float(-(parts * np.log2(parts)).sum())


@interval(
    name="measure-documents",
    verb="measure",
    says="mdd 3.29 (3.18 to 3.41), 12 documents",
    cases={
        f"{short(treebank)}, {name}, {number} documents": (treebank, name, number)
        for treebank in JUDGING
        for name, numbers in (
            ("mean_length", (10, 20)), ("mdd", (10, 20)), ("head_left", (10, 20)), ("feature_entropy", (20,)),
            ("direction_entropy_by_relation", (20,)),
        )
        for number in numbers
    }
    | {
        f"{short(treebank)}, {name}, 20 documents": (treebank, name, 20)
        for treebank in JUDGING_MORE
        for name in ("mean_length", "mdd", "head_left")
    },
    secondary="mean width",
    covers=("measures.low", "measures.high"),
    repetitions=3000,
    quick=60,
    fails={
        **{f"Estonian-EWT, {one}": ONE_DOCUMENT for one in (
            "mean_length, 20 documents", "head_left, 10 documents", "direction_entropy_by_relation, 20 documents",
        )},
        "Wolof-WTB, mean_length, 10 documents": FEW_LARGE,
        "Wolof-WTB, direction_entropy_by_relation, 20 documents": FEW_LARGE,
        "Wolof-WTB, mean_length, 20 documents": WIDE, "Wolof-WTB, mdd, 10 documents": WIDE,
        "Coptic-Scriptorium, mean_length, 10 documents": WIDE, "Coptic-Scriptorium, mean_length, 20 documents": WIDE,
        "Coptic-Scriptorium, mdd, 10 documents": WIDE,
        "English-GUM, mean_length, 20 documents": ALLOWS, "English-GUM, mdd, 20 documents": ALLOWS,
        "Romanian-RRT, mean_length, 20 documents": ALLOWS, "Swedish-Talbanken, mean_length, 20 documents": ALLOWS,
    },
)  # fmt: skip
def measures_over_documents(random: np.random.Generator, case: tuple[str, str, int], repetitions: int) -> Trials:
    """Real documents drawn with replacement; the truth is the value of the whole treebank."""
    treebank, name, number = case
    return drawn_intervals(random, name, table(name, treebank, documents=True), number, repetitions)


@interval(
    name="measure-distance-documents",
    verb="measure",
    says="EDV 0.16 (0.00 to 0.24), 20 documents",
    cases={
        f"{name}, {short(a)} and {short(b)}, 20 documents each": (name, a, b)
        for name in ("edv", "slv")
        for a, b in [*((one, one) for one in JUDGING[1:]), (JUDGING[0], JUDGING[3])]
    },
    secondary="mean width",
    covers=("measures.low", "measures.high"),
    repetitions=500,
    quick=12,
    fails={
        "edv, Estonian-EWT and English-GUM, 20 documents each": "slightly too wide: the true distance is small",
        "slv, Estonian-EWT and English-GUM, 20 documents each": ONE_DOCUMENT,
        "slv, Coptic-Scriptorium and Coptic-Scriptorium, 20 documents each": "too wide: the true distance is 0",
    },
)
def distances_over_documents(random: np.random.Generator, case: tuple[str, str, str], repetitions: int) -> Trials:
    """Real documents drawn twice from one treebank (the true distance is 0), or from two."""
    name, a, b = case
    return drawn_intervals(random, name, table(name, a, b, documents=True), 20, repetitions)


@interval(
    name="measure-sentences",
    verb="measure",
    says="mdd 2.55 (2.47 to 2.63), 1029 sentences",
    cases={
        f"{short(treebank)}, {name}, {number} sentences": (treebank, name, number)
        for treebank in JUDGING_SENTENCES
        for name, numbers in (
            ("mean_length", (50,)), ("mdd", (50, 200)), ("direction_entropy", (50, 200)),
            ("nonprojective_arcs", (200,)),
        )
        for number in numbers
    },
    secondary="mean width",
    covers=("measures.low", "measures.high"),
    repetitions=3000,
    quick=60,
    fails={
        "Gothic-PROIEL, direction_entropy, 50 sentences": LARGEST,
        "Gothic-PROIEL, direction_entropy, 200 sentences": LARGEST,
        "Telugu-MTG, nonprojective_arcs, 200 sentences": RARE,
        "Vietnamese-VTB, nonprojective_arcs, 200 sentences": RARE,
    },
)  # fmt: skip
def measures_over_sentences(random: np.random.Generator, case: tuple[str, str, int], repetitions: int) -> Trials:
    """Real sentences drawn independently; the truth is the value of the whole treebank."""
    treebank, name, number = case
    return drawn_intervals(random, name, table(name, treebank, documents=False), number, repetitions, documents=False)


@statement(
    name="audit-split-documents",
    verb="audit",
    says="EDV is 0.190, larger than in random splits of this size (p = 0.01, by document)",
    kind="test",
    nominal=0.05,
    cases={f"{short(treebank)}, {name}": (treebank, name) for treebank in JUDGING for name in ("edv", "slv")},
    secondary="power where test documents are from the half with longer sentences",
    covers=("audit.p_value",),
    repetitions=2000,
    quick=60,
)
def split_by_documents(random: np.random.Generator, case: tuple[str, str], repetitions: int) -> Trials:
    """Make a fifth of the real documents, drawn without replacement, the test set."""
    treebank, name = case
    counts = table(name, treebank, treebank, documents=True)[0]
    lengths = table("slv", treebank, treebank, documents=True)[0]
    longer = np.argsort(lengths @ np.arange(lengths.shape[1]) / lengths.sum(axis=1))[len(counts) // 2 :]
    size = len(counts) // 5

    def p_value(test: npt.NDArray[np.intp]) -> float:
        inside = np.isin(np.arange(len(counts)), test)
        pair = [counts[~inside], counts[inside]]
        distance = float(wasserstein(*(part.sum(axis=0) for part in pair)))
        far = random_splits(pair, wasserstein, SPLITS, random) >= distance - 1e-12
        return (1 + int(far.sum())) / (1 + SPLITS)

    none = [p_value(random.permutation(len(counts))[:size]) <= 0.05 for _ in range(repetitions)]
    some = [p_value(random.permutation(longer)[:size]) <= 0.05 for _ in range(repetitions // 10)]
    return Trials(np.array(none), np.array(some))


@interval(
    name="score-class-documents",
    verb="breakdown",
    says="nsubj: A - B 2.4 (0.3 to 4.5), 20 documents",
    cases={
        f"{language}, {number} documents": (language, number)
        for language in ("Greek", "English", "Coptic", "Wolof", "Estonian")
        for number in (12, 20)
    },
    secondary="mean width (points)",
    covers=("breakdowns.differences.low", "breakdowns.differences.high"),
    repetitions=3000,
    quick=60,
)
def classes_over_documents(random: np.random.Generator, case: tuple[str, int], repetitions: int) -> Trials:
    """Draw documents of real parses of the beam and the MST parser, for the eight most frequent relations in turn."""
    language, number = case
    beam, mst = kept()[f"{language} relations"].astype(np.int64)
    truth = [
        100 * float(class_f1(a.sum(axis=0))[0] - class_f1(b.sum(axis=0))[0]) for a, b in zip(beam, mst, strict=True)
    ]
    hits, widths = [], []
    for i in range(50 * repetitions):
        one = i % len(beam)
        drawn = random.integers(beam.shape[1], size=number)
        a, b = beam[one, drawn], mst[one, drawn]
        some = (a[:, [1, 3]].sum(axis=1) + b[:, 3]) > 0
        low, high = (100 * float(limit[0]) for limit in class_difference(ClassTable("", a[some], b[some])).interval())
        if not np.isnan(low):
            hits.append(low <= truth[one] <= high)
            widths.append(high - low)
        if len(hits) == repetitions:
            break
    return Trials(np.array(hits), np.array(widths))


def _sizes() -> npt.NDArray[np.intp]:
    """Return the number of treebanks of each genus of CoNLL 2018."""
    return np.bincount(score_table().genera)


def by_genus(
    random: np.random.Generator, sizes: npt.NDArray[np.intp], share: float, repetitions: int
) -> tuple[Any, Floats]:
    """Return genera and differences with variance 1 (repetitions, treebanks), a share of it the genus's."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    kin = random.normal(size=(repetitions, codes[-1] + 1))[:, codes]
    return codes, np.sqrt(share) * kin + np.sqrt(1 - share) * random.normal(size=(repetitions, len(codes)))


def _differs(codes: Any, values: Floats) -> npt.NDArray[np.bool_]:
    return np.asarray(hierarchy(values, codes.tolist()).alike.p_value() <= 0.05)


def _certified(codes: Any, values: Floats) -> npt.NDArray[np.bool_]:
    means = np.stack([np.bincount(codes, row) / np.bincount(codes) for row in values])
    return np.array([signed_rank(row).p_value <= 0.05 for row in means])


TESTS: dict[str, Callable[[Any, Floats], npt.NDArray[np.bool_]]] = {"compare": _differs, "certify": _certified}


@statement(
    name="compare-genera",
    verb="rank compare",
    says="the interval for other treebanks excludes 0; certify: primary test p = 0.03",
    kind="test",
    nominal=0.05,
    cases={
        f"{verb}, genus share {share}": (verb, share) for verb in TESTS for share in (0.0, 0.5, 0.8)
    },
    secondary="power at half a standard deviation",
    fails={"compare, genus share 0.5": "three genera have 46 of 82 treebanks; the primary test of certify holds"},
    covers=("differences.pairs.low", "differences.pairs.high", "certificate.tests.wilcoxon_by_*"),
    repetitions=10_000,
    quick=500,
)  # fmt: skip
def compared_by_genus(random: np.random.Generator, case: tuple[str, float], repetitions: int) -> Trials:
    """Equal systems on the treebanks of CoNLL 2018; the genus has a share of the variance."""
    verb, share = case
    codes, made = by_genus(random, _sizes(), share, repetitions)
    more = by_genus(random, _sizes(), share, repetitions // 5)[1] + 0.5
    return Trials(TESTS[verb](codes, made), TESTS[verb](codes, more))


@interval(
    name="compare-new-genus",
    verb="rank compare",
    says="on one new treebank of a new family: -6.6 to +7.0 points",
    cases={"one of 26 genera left out": None, "15 genera drawn": 15, "26 genera drawn": 26},
    secondary="mean width (points)",
    covers=("differences.pairs.new_*", "certificate.new_treebank.*"),
    repetitions=4000,
    quick=200,
)
def new_genus(random: np.random.Generator, genera: int | None, repetitions: int) -> Trials:
    """Random pairs of the 26 systems of CoNLL 2018, and a treebank of a genus that was left out, or drawn again."""
    real = score_table()
    pairs, number = list(combinations(range(len(real.systems)), 2)), real.genera.max() + 1
    hits, widths = list[bool](), list[float]()
    while len(hits) < repetitions:
        a, b = pairs[random.integers(len(pairs))]
        gap, new = real.scores[a] - real.scores[b], random.integers(number)
        drawn = np.delete(np.arange(number), new) if genera is None else random.integers(number, size=genera)
        members = [np.flatnonzero(real.genera == one) for one in drawn]
        kin = np.repeat(np.arange(len(drawn)), [len(one) for one in members])
        low, high = map(float, hierarchy(gap[np.concatenate(members)], kin.tolist()).new.interval())
        if np.isnan(low):
            continue
        came = gap[random.choice(np.flatnonzero(real.genera == new))]
        hits.append(low <= came <= high)
        widths.append(high - low)
    return Trials(np.array(hits), np.array(widths))
