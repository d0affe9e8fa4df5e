"""Scores by class of words, with the sentences behind each number."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.kernels import alignment as _align
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result, sign
from treegauge.scoring.align import Alignment, align
from treegauge.scoring.classes import Classes, Classifier, classify
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    import polars as pl

By = str | Classifier | Sequence[str | Classifier]

CRITERIA = {
    "UAS": _align.HEAD,
    "LAS": _align.HEAD | _align.DEPREL,
    "LAS+subtypes": _align.HEAD | _align.FULL_DEPREL,
    "Label": _align.DEPREL,
    "UPOS": _align.UPOS,
    "XPOS": _align.XPOS,
    "UFeats": _align.UFEATS,
    "Lemmas": _align.LEMMA,
    "Words": _align.ALIGNED,
}


class Place(NamedTuple):
    """A sentence and the positions (from 1) of the words in question."""

    sentence: int
    sent_id: str | None
    words: tuple[int, ...]


def places(treebank: Treebank, words: npt.NDArray[np.intp]) -> list[Place]:
    """Group words by sentence."""
    groups: dict[int, list[int]] = {}
    for word in words.tolist():
        sentence = int(treebank.sentence_of[word])
        groups.setdefault(sentence, []).append(word - int(treebank.offsets[sentence]) + 1)
    return [Place(i, treebank[i].id, tuple(here)) for i, here in groups.items()]


@dataclass(frozen=True, eq=False)
class Breakdown(Result):
    r"""Precision and recall of every class of words.

    Recall of a class is over gold words that are in it, precision over system words that are in
    it by the system's own analysis:

    .. math:: R_k = \frac{|\{w \in k : right\}|}{|k|}, \quad
              P_k = \frac{|\{v \in k' : right\}|}{|k'|}
    """

    cells: "pl.DataFrame" = field(repr=False)
    alignment: Alignment = field(repr=False)
    gold: Classes = field(repr=False)
    system: Classes = field(repr=False)
    criterion: int
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row a class, the largest first or in order of the scale; scores are fractions."""
        return self.cells

    def shown(self) -> "pl.DataFrame":
        """Return scores and shares in per cent."""
        import polars as pl

        return self.cells.with_columns(pl.col("precision", "recall", "f1", "share") * 100)

    def errors(self, name: str, *, limit: int | None = None) -> list[Place]:
        """Return the gold sentences in which words of a class went wrong, with these words."""
        return self._places(name, wrong=True, limit=limit)

    def sentences(self, name: str, *, limit: int | None = None) -> list[Place]:
        """Return the gold sentences with words of a class, right or wrong."""
        return self._places(name, wrong=False, limit=limit)

    def _places(self, name: str, *, wrong: bool, limit: int | None) -> list[Place]:
        if name not in self.gold.names:
            raise ChoiceError("class", name, self.gold.names)
        chosen = self.gold.codes == self.gold.names.index(name)
        if wrong:
            chosen &= ~self.alignment.right(self.criterion)
        return places(self.alignment.gold.treebank, np.flatnonzero(chosen))[:limit]


def breakdown(
    gold: Treebank | Alignment,
    system: Treebank | None = None,
    *,
    by: By = "relation",
    metric: str = "LAS",
) -> Breakdown:
    """Break a score down by class of words.

    Parameters
    ----------
    gold, system
        Two treebanks over the same text, or their alignment.
    by
        A class or several crossed ones; see :func:`treegauge.scoring.classes.classify`.
    metric
        What counts as right: UAS, LAS, LAS+subtypes, Label, UPOS, XPOS, UFeats, Lemmas, Words.

    Returns
    -------
    Breakdown
        A table with counts, precision, recall, F1; ``errors(class)`` gives the sentences.
    """
    names = {name.lower(): name for name in CRITERIA}
    if metric.lower() not in names:
        raise ChoiceError("metric to break down", metric, CRITERIA)
    metric = names[metric.lower()]
    alignment = aligned(gold, system)
    bits = CRITERIA[metric]
    ours = classify(alignment.gold.treebank, by)
    theirs = classify(alignment.system.treebank, by)
    right = alignment.right(bits)
    s_right = np.zeros(alignment.system.treebank.n_words, bool)
    s_right[alignment.to_system[right]] = True
    table = _table(ours, theirs, right, s_right, alignment.to_system >= 0)
    told = by if isinstance(by, str) else "×".join(_name(one) for one in _several(by))
    signature = sign(m=metric, by=told, **alignment.signed)
    return Breakdown(table, alignment, ours, theirs, bits, signature)


def aligned(gold: Treebank | Alignment, system: Treebank | None) -> Alignment:
    """Return an alignment as it is, or align two treebanks."""
    if isinstance(gold, Alignment):
        return gold
    if system is None:
        raise TreegaugeError("gold alone has no errors: it needs a system beside it")
    return align(gold, system)


def _several(by: By) -> Sequence[str | Classifier]:
    return [by] if callable(by) or isinstance(by, str) else by


def _name(one: str | Classifier) -> str:
    return one if isinstance(one, str) else getattr(one, "__name__", "predicate")


def _table(
    ours: Classes,
    theirs: Classes,
    right: npt.NDArray[np.bool_],
    s_right: npt.NDArray[np.bool_],
    paired: npt.NDArray[np.bool_],
) -> "pl.DataFrame":
    import polars as pl

    names = list(dict.fromkeys([*ours.names, *theirs.names]))
    place = {name: i for i, name in enumerate(names)}
    g_codes = np.array([place[name] for name in ours.names], np.int64)[ours.codes]
    s_codes = np.array([place[name] for name in theirs.names], np.int64)[theirs.codes]
    n = len(names)
    gold, system = np.bincount(g_codes, minlength=n), np.bincount(s_codes, minlength=n)
    correct = np.bincount(g_codes[right], minlength=n)
    s_correct = np.bincount(s_codes[s_right], minlength=n)
    recall = correct / np.maximum(gold, 1)
    precision = s_correct / np.maximum(system, 1)
    both = np.maximum(precision + recall, 1e-300)
    frame = pl.DataFrame(
        {
            "class": names,
            "gold": gold,
            "system": system,
            "aligned": np.bincount(g_codes[paired], minlength=n),
            "correct": correct,
            "precision": np.where(system > 0, precision, np.nan),
            "recall": np.where(gold > 0, recall, np.nan),
            "f1": 2 * precision * recall / both,
            "share": gold / max(1, gold.sum()),
        },
        nan_to_null=True,
    )
    seen = frame.filter((pl.col("gold") > 0) | (pl.col("system") > 0))
    return seen if ours.ordered else seen.sort("gold", descending=True, maintain_order=True)
