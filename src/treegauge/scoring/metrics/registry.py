"""The metrics: the sums behind each score, and how to register new ones."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.plugins import load_plugins, warn, warn_of_plugin
from treegauge.scoring.metrics.convention import Convention, metric_and_convention
from treegauge.scoring.metrics.correct_words import WORD_METRICS, MetricFunction, WordMetric
from treegauge.treebanks.sources.files import Source

#: Sums per sentence; g, s, a, c: gold, system, aligned, correct. Registered metrics add theirs.
COLUMNS = [
    "tokens_c", "tokens_g", "tokens_s",
    "sentences_c", "sentences_g", "sentences_s",
    "words_a", "words_g", "words_s",
    "upos_c", "xpos_c", "ufeats_c", "alltags_c", "lemmas_c",
    "arcs_a", "arcs_g", "arcs_s", "uas_c", "las_c",
    "content_a", "content_g", "content_s", "clas_c", "mlas_c", "blex_c",
    "lexical_a", "lexical_g", "lexical_s", "lexical_c",
    "grammatical_a", "grammatical_g", "grammatical_s", "grammatical_c",
    "roots_a", "roots_g", "roots_s", "roots_c",
    "exact_c",
    "edges_g", "edges_s", "elas_c", "eulas_c",
    "weight_a", "weight_g", "weight_s", "wlas_c",
    "nodes_g", "nodes_s", "mslas_c", "nodelas_c", "nodefeats_c",
]  # fmt: skip
NUMBER = {name: i for i, name in enumerate(COLUMNS)}


class Definition(NamedTuple):
    """Columns of a metric: correct, gold, system and, where it is defined, aligned."""

    correct: str
    gold: str
    system: str
    aligned: str | None
    meaning: str


METRICS = {
    "Tokens": Definition("tokens_c", "tokens_g", "tokens_s", None, "surface tokens"),
    "Sentences": Definition("sentences_c", "sentences_g", "sentences_s", None, "sentences"),
    "Words": Definition("words_a", "words_g", "words_s", None, "syntactic words"),
    "UPOS": Definition("upos_c", "words_g", "words_s", "words_a", "universal tags"),
    "XPOS": Definition("xpos_c", "words_g", "words_s", "words_a", "language-specific tags"),
    "UFeats": Definition("ufeats_c", "words_g", "words_s", "words_a", "universal features"),
    "AllTags": Definition("alltags_c", "words_g", "words_s", "words_a", "UPOS+XPOS+UFeats"),
    "Lemmas": Definition("lemmas_c", "words_g", "words_s", "words_a", "lemmas"),
    "UAS": Definition("uas_c", "arcs_g", "arcs_s", "arcs_a", "heads"),
    "LAS": Definition("las_c", "arcs_g", "arcs_s", "arcs_a", "heads and relations"),
    "CLAS": Definition("clas_c", "content_g", "content_s", "content_a", "content words' LAS"),
    "MLAS": Definition("mlas_c", "content_g", "content_s", "content_a", "CLAS with morphology"),
    "BLEX": Definition("blex_c", "content_g", "content_s", "content_a", "CLAS with lemmas"),
}
MORE = {
    "ContentLAS": Definition("lexical_c", "lexical_g", "lexical_s", "lexical_a", "content relations (function study)"),
    "FunctionLAS": Definition("grammatical_c", "grammatical_g", "grammatical_s", "grammatical_a", "function relations"),
    "Root": Definition("roots_c", "roots_g", "roots_s", "roots_a", "roots"),
    "ExactMatch": Definition("exact_c", "sentences_g", "sentences_s", None, "whole trees"),
}
ENHANCED = {
    "ELAS": Definition("elas_c", "edges_g", "edges_s", None, "enhanced edges"),
    "EULAS": Definition("eulas_c", "edges_g", "edges_s", None, "enhanced edges, no subtypes"),
}
GROUP = "treegauge.metrics"
#: Metrics registered by users and plug-ins.
ADDED: dict[str, Definition] = {}
#: Plug-ins that cannot be used, with the reason.
_LEFT_OUT: dict[str, str] = {}
WEIGHTED = {"WLAS": Definition("wlas_c", "weight_g", "weight_s", "weight_a", "LAS weighted by relation")}
#: Metrics of trees of content nodes, see :mod:`treegauge.scoring.metrics.mslas`.
NODES = {
    "MSLAS": Definition("mslas_c", "nodes_g", "nodes_s", None, "LAS of nodes, times F1 of features"),
    "NodeLAS": Definition("nodelas_c", "nodes_g", "nodes_s", None, "LAS of content nodes"),
    "NodeFeats": Definition("nodefeats_c", "nodes_g", "nodes_s", None, "F1 of nodes' features"),
}
ALL = METRICS | MORE | ENHANCED | WEIGHTED | NODES
#: Metrics with fractional sums.
FRACTIONAL = frozenset({"WLAS", "MSLAS", "NodeFeats"})
_PUNCT = {"UAS", "LAS", "WLAS", "ExactMatch"}
_SUBTYPES = {"LAS", "CLAS", "MLAS", "BLEX", "ContentLAS", "FunctionLAS", "WLAS", "ExactMatch"}


def register_metric(name: str, function: MetricFunction, *, meaning: str) -> None:
    """Register a metric over words; every table, breakdown, curve and page can use it.

    Packages register a metric by an entry point in the group ``treegauge.metrics``: the entry point
    has the metric's name, and the first line of the function's docstring is its meaning.

    Parameters
    ----------
    name
        Its name, also in tables.
    function
        Takes an :class:`~treegauge.scoring.alignment.align.Alignment` and a :class:`Convention` and returns
        :class:`~treegauge.scoring.metrics.correct_words.MetricWords`: the gold words that count, the system
        words that count, and the gold words that are correct.
    meaning
        What it measures, in a few words.
    """
    known = {known_name.lower(): known_name for known_name in [*ALL, *WORD_METRICS]}
    if name.lower() in known:
        raise TreegaugeError(f"there is already a metric called {known[name.lower()]!r}; choose another name")
    if not callable(function):
        raise TreegaugeError(f"metric {name!r} is {function!r}; expected a function")
    correct, gold, system, aligned = columns = [f"{added_group(name)}_{end}" for end in "cgsa"]
    for column in columns:
        NUMBER[column] = len(COLUMNS)
        COLUMNS.append(column)
    ADDED[name] = ALL[name] = Definition(correct, gold, system, aligned, meaning)
    WORD_METRICS[name] = WordMetric(function, meaning)


def added_group(name: str) -> str:
    """Return the start of the column names of a registered metric; no built-in column has it."""
    return f"added:{name}"


def known_metrics() -> dict[str, Definition]:
    """Return all metrics by name, including those of installed plug-ins that can be used."""
    for name, plugin in load_plugins(GROUP).items():
        if name in ADDED or name in _LEFT_OUT:
            continue
        docstring = getattr(plugin.object, "__doc__", None)
        meaning = (docstring if isinstance(docstring, str) else "").strip().partition("\n")[0]
        try:
            register_metric(name, plugin.object, meaning=meaning or name)
        except TreegaugeError as error:
            _LEFT_OUT[name] = f"the metric {name!r} of the plug-in {plugin.origin} cannot be used: {error}"
            warn_of_plugin(plugin, str(error))
    return ALL


def drop_metric(name: str, error: TreegaugeError) -> None:
    """Leave out a metric of a plug-in that failed; a metric registered otherwise is an error."""
    plugin = load_plugins(GROUP).get(name)
    if plugin is None or plugin.object is not WORD_METRICS[name].function:
        raise error
    for registry in (ADDED, ALL, WORD_METRICS):
        del registry[name]
    _LEFT_OUT[name] = str(error)
    warn(f"{error}; the metric is left out")


def metric_label(name: str, convention: Convention) -> str:
    """Return a metric's name as a header, with the convention if it is not official.

    Examples
    --------
    >>> [metric_label(name, Convention(punct=False)) for name in ("UPOS", "LAS", "CLAS")]
    ['UPOS', 'LAS[challenges]', 'CLAS']
    """
    changed = (not convention.punct and name in _PUNCT) or (convention.subtypes and name in _SUBTYPES) or name in ADDED
    return convention.label(name) if changed else name


def metric_column(metric: str) -> str:
    """Return the column of a metric in tables of scores: ``LAS(punct=no)`` is ``LAS[challenges]``.

    Examples
    --------
    >>> metric_column("LAS(punct=no)"), metric_column("speed")
    ('LAS[challenges]', 'speed')
    """
    if "(" not in metric:
        return metric
    name, convention = metric_and_convention(metric)
    return metric_label(canonical(name), convention)


@dataclass(frozen=True)
class Metric:
    r"""One score in percent, with its counts.

    .. math:: P = 100 c/s, \quad R = 100 c/g, \quad F_1 = 200 c/(s+g), \quad A = 100 c/a

    Counts are summed over the whole file and over all runs of a system. An empty denominator gives
    0; aligned accuracy is None for metrics that measure alignment itself.

    Examples
    --------
    >>> m = Metric("LAS", 3, 4, 6, 4)
    >>> m.precision, m.recall, m.f1, m.aligned_accuracy
    (50.0, 75.0, 60.0, 75.0)
    """

    name: str
    correct: float
    gold: float
    system: float
    aligned: float | None
    interval: tuple[float, float] | None = None

    @property
    def precision(self) -> float:
        """Percentage of the system's items that are correct."""
        return _percent(self.correct, self.system)

    @property
    def recall(self) -> float:
        """Percentage of gold items that are correct."""
        return _percent(self.correct, self.gold)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return _percent(2 * self.correct, self.system + self.gold)

    @property
    def aligned_accuracy(self) -> float | None:
        """Percentage of aligned items that are correct."""
        return None if self.aligned is None else _percent(self.correct, self.aligned)

    def to_dict(self) -> dict[str, Any]:
        """Return counts and values under their names in JSON."""
        names = ["correct", "gold", "system", "aligned"]
        names += ["precision", "recall", "f1", "aligned_accuracy"]
        interval = None if self.interval is None else list(self.interval)
        return {name: getattr(self, name) for name in names} | {"interval": interval}


@dataclass(frozen=True)
class MacroMetric(Metric):
    """The mean of a metric over treebanks; a treebank without a score counts as 0.

    Counts are sums over treebanks. Precision, recall, F1 and aligned accuracy are means.
    """

    over: tuple[Metric, ...] = ()
    treebanks: int = 0

    @property
    def precision(self) -> float:
        """Mean precision."""
        return self._mean([one.precision for one in self.over])

    @property
    def recall(self) -> float:
        """Mean recall."""
        return self._mean([one.recall for one in self.over])

    @property
    def f1(self) -> float:
        """Mean F1."""
        return self._mean([one.f1 for one in self.over])

    @property
    def aligned_accuracy(self) -> float | None:
        """Mean aligned accuracy."""
        return None if self.aligned is None else self._mean([one.aligned_accuracy or 0.0 for one in self.over])

    def _mean(self, values: Sequence[float]) -> float:
        return sum(values) / self.treebanks if self.treebanks else 0.0


def _percent(part: float, whole: float) -> float:
    return 100 * (part / whole) if whole else 0.0


def canonical(name: str) -> str:
    """Return a metric's name in its canonical spelling.

    Examples
    --------
    >>> canonical("las")
    'LAS'
    """
    if name in ALL:
        return name
    names = {key.lower(): key for key in known_metrics()}
    if name.lower() not in names:
        refuse_left_out([name])
        raise ChoiceError("metric", name, names.values())
    return names[name.lower()]


def refuse_left_out(names: Iterable[str]) -> None:
    """Refuse names of plug-ins that cannot be used."""
    reasons = {name.lower(): reason for name, reason in _LEFT_OUT.items()}
    for name in names:
        if name not in ALL and name.lower() in reasons:
            raise TreegaugeError(reasons[name.lower()])


def f1(sums: npt.NDArray[np.float64], names: Sequence[str]) -> npt.NDArray[np.float64]:
    """F1 of several metrics, as fractions, from column sums: (..., columns) -> (..., metrics)."""
    used = [[NUMBER[column] for column in ALL[name][:3] if column] for name in names]
    correct, gold, system = (sums[..., list(columns)] for columns in zip(*used, strict=True))
    both = gold + system
    return np.divide(2 * correct, both, out=np.zeros_like(both, dtype=np.float64), where=both > 0)


OTHER = 0.5
"""Word dependency entropy assumed for relations that a treebank lacks."""


def relation_weights(text: str | None) -> tuple[dict[str, float], float]:
    """Return the weights of relations that a text names, and the weight of all other relations.

    The text is wde, a file of 'relation weight' lines, a .conllu file or folder, or the lines
    themselves, with semicolons between them.

    Examples
    --------
    >>> relation_weights("nsubj 2;obj 0.5")
    ({'nsubj': 2.0, 'obj': 0.5}, 1.0)
    """
    if text is None or text == "wde":
        return packaged_weights(), OTHER
    if " " in text and not Path(text).exists():
        return weights_in(text.replace(";", "\n"), "weights"), 1.0
    if Path(text).is_dir() or ".conllu" in Path(text).name:
        from treegauge.measures.structure import word_dependency_entropy
        from treegauge.treebanks.sources.resolver import read_treebank

        return word_dependency_entropy(read_treebank(text)), OTHER
    return read_weights(text), 1.0


def packaged_weights() -> dict[str, float]:
    """Return the averaged word dependency entropy of each universal relation over UD 2.9.

    Examples
    --------
    >>> weights = packaged_weights()
    >>> weights["case"] < weights["obl"]
    True
    """
    from treegauge import data

    frame = data.wde()
    return dict(zip(frame["relation"].to_list(), frame["wde"].to_list(), strict=True))


def read_weights(path: Source) -> dict[str, float]:
    """Read lines of a relation and its weight (0 or more); ``#`` starts a comment."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TreegaugeError(f"{path}: cannot read weights: {error}") from error
    return weights_in(text, path)


def weights_in(text: str, path: Source) -> dict[str, float]:
    """Return the weights in lines of a relation and its weight; messages name the path."""
    weights: dict[str, float] = {}
    for number, line in enumerate(text.split("\n"), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            relation, value = words[0], float(words[1])
            if len(words) != 2 or not 0 <= value < float("inf"):
                raise ValueError
        except (IndexError, ValueError):
            raise TreegaugeError(
                f"{path}:{number}: found {line.strip()!r}, expected a relation and a weight such as 'case 0.1'"
            ) from None
        weights[relation] = value
    return weights
