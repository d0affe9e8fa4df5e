"""The scores: which sums make which metric."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import ChoiceError

# Per-sentence sums. g, s, a, c: gold, system, aligned, correct.
COLUMNS = (
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
)  # fmt: skip
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
    "XPOS": Definition("xpos_c", "words_g", "words_s", "words_a", "language's own tags"),
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
    "ContentLAS": Definition(
        "lexical_c", "lexical_g", "lexical_s", "lexical_a", "content relations (function study)"
    ),
    "FunctionLAS": Definition(
        "grammatical_c", "grammatical_g", "grammatical_s", "grammatical_a", "function relations"
    ),
    "Root": Definition("roots_c", "roots_g", "roots_s", "roots_a", "roots"),
    "ExactMatch": Definition("exact_c", "sentences_g", "sentences_s", None, "whole trees"),
}
ENHANCED = {
    "ELAS": Definition("elas_c", "edges_g", "edges_s", None, "enhanced edges"),
    "EULAS": Definition("eulas_c", "edges_g", "edges_s", None, "enhanced edges, no subtypes"),
}
WEIGHTED = {
    "WLAS": Definition("wlas_c", "weight_g", "weight_s", "weight_a", "LAS weighted by relation"),
}
ALL = METRICS | MORE | ENHANCED | WEIGHTED


@dataclass(frozen=True)
class Metric:
    r"""One score with its counts.

    .. math:: P = c/s, \quad R = c/g, \quad F_1 = 2c/(s+g), \quad A = c/a

    Sums run over the whole file. An empty denominator gives 0; aligned accuracy is None where
    alignment is what is measured. With several runs of a system the counts are their sums.

    Examples
    --------
    >>> m = Metric("LAS", 3, 4, 6, 4)
    >>> m.precision, m.recall, m.f1, m.aligned_accuracy
    (0.5, 0.75, 0.6, 0.75)
    """

    name: str
    correct: float
    gold: float
    system: float
    aligned: float | None
    interval: tuple[float, float] | None = None

    @property
    def precision(self) -> float:
        """Correct of all the system's."""
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """Correct of all the gold ones."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = self.system + self.gold
        return 2 * self.correct / both if both else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """Correct of all aligned."""
        if self.aligned is None:
            return None
        return self.correct / self.aligned if self.aligned else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return counts and values under the names of the JSON format."""
        return {
            "correct": self.correct,
            "gold": self.gold,
            "system": self.system,
            "aligned": self.aligned,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "aligned_accuracy": self.aligned_accuracy,
            "interval": None if self.interval is None else list(self.interval),
        }


def definition(name: str) -> Definition:
    """Return the definition of a metric by name, in any case.

    Examples
    --------
    >>> definition("las").correct
    'las_c'
    """
    by_lower = {key.lower(): value for key, value in ALL.items()}
    if name.lower() not in by_lower:
        raise ChoiceError("metric", name, ALL)
    return by_lower[name.lower()]


def canonical(name: str) -> str:
    """Return a metric's name as it is written here."""
    definition(name)
    return {key.lower(): key for key in ALL}[name.lower()]


def f1(sums: npt.NDArray[np.float64], names: list[str]) -> npt.NDArray[np.float64]:
    """F1 of several metrics from arrays of column sums, (..., columns) -> (..., metrics)."""
    used = [ALL[name] for name in names]
    correct = sums[..., [NUMBER[d.correct] for d in used]]
    gold = sums[..., [NUMBER[d.gold] for d in used]]
    system = sums[..., [NUMBER[d.system] for d in used]]
    both = gold + system
    return np.divide(2 * correct, both, out=np.zeros_like(both, dtype=np.float64), where=both > 0)
