"""The data of figures and of the page: one schema for Python and for the browser.

`PAGE_DATA` has the type of each block of data on a page, by its name: ``data-scores`` in the HTML
is a :class:`ScoresData`. Functions of this package that make data return the same types. Scores are
in percent; ``Packed`` holds numbers as base64 of little-endian arrays.
"""

from typing import Any, NotRequired, TypedDict

#: Numbers as base64, by kind: u8, u16, u32 (whole numbers from 0 on) or f32; NaN is missing.
Packed = dict[str, str]
Interval = tuple[float, float] | list[float] | None


class PackedTexts(TypedDict):
    """The distinct texts, and the number of the text at every position."""

    values: list[str]
    codes: Packed


class PackedTrees(TypedDict):
    """Sentences one after the other; heads are stored plus one, 0 is none."""

    offsets: Packed
    id: list[str]
    form: PackedTexts
    upos: PackedTexts
    deprel: PackedTexts
    head: Packed
    lemma: NotRequired[PackedTexts]
    feats: NotRequired[PackedTexts]
    glued: NotRequired[Packed]


class ParsedWords(TypedDict):
    """A system's analysis of the gold words; heads are positions in the gold sentence, plus one."""

    head: Packed
    deprel: PackedTexts
    upos: NotRequired[PackedTexts]


class IntervalScore(TypedDict):
    """F1 of a system and its confidence interval."""

    f1: float
    interval: Interval


class MetricScores(TypedDict):
    """A metric and the score of every system, in the order of the systems."""

    name: str
    systems: list[IntervalScore]


class ClassScore(TypedDict, total=False):
    """A system's score on a class; examples are a sentence and the positions of its words."""

    correct: int
    precision: float | None
    recall: float | None
    f1: float | None
    examples: list[Any]


#: A class of words: its name, its gold words, and the score of every system.
ClassScores = TypedDict("ClassScores", {"class": str, "gold": int, "systems": list[ClassScore]})


class ClassTests(TypedDict):
    """Tests of a pair of systems, one number per class."""

    difference: Packed
    low: Packed
    high: Packed
    p_corrected: Packed


class ClassBreakdown(TypedDict):
    """Scores by one kind of class; `pairs` has the tests of every pair, None if too many."""

    by: str
    rows: list[ClassScores]
    pairs: list[ClassTests] | None


class Comparison(TypedDict):
    """A pair of systems: difference, limits and the smallest detectable difference, in points."""

    metric: str
    a: str
    b: str
    f1_a: float
    f1_b: float
    difference: float
    runs_a: NotRequired[int]
    runs_b: NotRequired[int]
    treebanks: NotRequired[int]
    new_low: NotRequired[float | None]
    new_high: NotRequired[float | None]
    error_reduction: NotRequired[float | None]
    low: NotRequired[float | None]
    high: NotRequired[float | None]
    detectable: NotRequired[float | None]
    p_value: NotRequired[float | None]
    p_corrected: NotRequired[float | None]


class TreebankSystems(TypedDict):
    """Everything about the systems on one treebank, and some of its sentences."""

    treebank: str
    name: str
    signature: str
    sentences: int
    words: int
    systems: list[str]
    metrics: list[MetricScores]
    tests: list[Comparison]
    breakdowns: list[ClassBreakdown]
    convention: dict[str, bool]
    confusion: list[dict[str, Any]]
    gold: PackedTrees
    parsed: list[ParsedWords]
    calibration: list[dict[str, Any] | None]


class ScoresData(TypedDict):
    """Scores by treebank."""

    treebanks: list[TreebankSystems]


class MacroAverage(TypedDict):
    """A system's mean over the common treebanks; systems that share a letter do not differ."""

    mean: float
    interval: Interval
    group: str


class BoardMetric(TypedDict):
    """A metric of the board, one row per treebank; marks: 1 best, 2 tied with it, 3 below it."""

    name: str
    scores: Packed
    low: Packed
    high: Packed
    marks: Packed
    macro: list[MacroAverage] | None


class BoardTreebank(TypedDict):
    """A row of the board."""

    treebank: str
    name: str
    sentences: int
    words: int


class Board(TypedDict):
    """Systems by treebanks; all systems have output for the `common` treebanks."""

    systems: list[str]
    treebanks: list[BoardTreebank]
    common: int
    metrics: list[BoardMetric]


class OverviewData(TypedDict):
    """The table of the overview, and the comparison of every pair over all treebanks."""

    board: Board
    pairs: list[Comparison]


class WholeScores(TypedDict):
    """Scores times a scale, systems by treebanks, so that a browser adds them exactly."""

    scale: int
    values: Packed | list[int]


class TablePairs(TypedDict):
    """Mean differences of all pairs in points, for other treebanks, with their test."""

    difference: Packed
    low: Packed
    high: Packed
    detectable: Packed
    p: Packed


class ClaimText(TypedDict):
    """A certificate."""

    a: str
    b: str
    text: str
    signature: str


class RankedBoard(TypedDict):
    """A table of scores and its ranks over subsets; arrays are by size, system, system."""

    name: str
    scored: bool
    metric: str
    commands: dict[str, str]
    systems: list[str]
    treebanks: list[dict[str, Any]]
    scores: WholeScores
    failed: list[list[int]]
    subsets: list[dict[str, Any]]
    sizes: list[int]
    usual: int
    drawn: list[int | None]
    numbers: list[str]
    exact: bool
    means: Packed
    above: Packed
    tau: list[float]
    top: list[float]
    boxes: Packed
    best: Packed
    worst: Packed
    classes: list[list[dict[str, Any]]]
    pairs: TablePairs
    claims: list[ClaimText]
    intervals: list[Interval] | None
    sets: list[list[int]] | None
    groups: list[str] | None


class RankingData(TypedDict):
    """The ranked tables: systems scored here first."""

    boards: list[RankedBoard]


class ViewFindings(TypedDict):
    """The main findings of a view, in sentences."""

    view: str
    title: str
    sentences: list[str]


class PageFacts(TypedDict):
    """The facts that the page needs before any view is opened."""

    title: str
    start: str
    summary: list[str]
    findings: list[ViewFindings]
    treebanks: list[str]
    systems: list[str]
    boards: list[str]


class TreebanksData(TypedDict):
    """Profiles, measures, displacements and audits of treebanks."""

    families: dict[str, str]
    measures: list[dict[str, Any]]
    profiles: list[dict[str, Any]]
    treebanks: list[dict[str, Any]]
    reach: int
    displacements: dict[str, list[float]]
    audits: list[dict[str, Any]]


class ChangesData(TypedDict):
    """Comparisons of pairs of releases."""

    pairs: list[dict[str, Any]]


class MapLayer(TypedDict):
    """Numbers of every word of a map, in steps; correctness in percent."""

    confidence: Packed
    variability: Packed
    region: Packed
    correctness: Packed | None


class MapPoints(TypedDict):
    """A data map: words, numbers by layer, regions and their limits."""

    treebank: str
    name: str
    signature: str
    total: int
    words: PackedTrees
    layers: dict[str, MapLayer]
    regions: list[str]
    bounds: dict[str, float]
    values: dict[str, dict[str, float]]


class MapsData(TypedDict):
    """Data maps; confidence and variability are in `steps` from 0 to 1."""

    maps: list[MapPoints]
    steps: int


class CandidateWork(TypedDict):
    """Annotations to check in one treebank, the most suspicious first."""

    treebank: str
    name: str
    signature: str
    held_out: bool
    file: str
    context: int
    excerpts: list[tuple[int, list[str]]]
    words: PackedTrees
    items: list[dict[str, Any]]


class CandidatesData(TypedDict):
    """The work lists."""

    lists: list[CandidateWork]


class LearningData(TypedDict):
    """Learning curves, complexity of classes, and results of transfer."""

    curves: list[list[Any]]
    complexity: list[dict[str, Any]]
    average: str
    treebanks: list[str]
    transfers: list[dict[str, Any]]
    notes: NotRequired[list[str]]
    metric: NotRequired[str]
    score: NotRequired[float]
    correlations: NotRequired[list[dict[str, Any]]]


#: The schema of every block of data in a page, by its name.
PAGE_DATA: dict[str, type] = {
    "page": PageFacts,
    "overview": OverviewData,
    "scores": ScoresData,
    "ranking": RankingData,
    "treebanks": TreebanksData,
    "changes": ChangesData,
    "maps": MapsData,
    "candidates": CandidatesData,
    "learning": LearningData,
}
