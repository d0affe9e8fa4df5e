"""Scores of one or more systems by word class, with the sentences behind each number."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.paper_tables import PaperResult, PaperTable
from treegauge.core.result import Result, sign
from treegauge.scoring.alignment.align import Alignment, align
from treegauge.scoring.classes.classification import Classes, Classifier, Origin, classify
from treegauge.scoring.metrics.convention import Convention, metric_and_convention
from treegauge.scoring.metrics.correct_words import MetricWords, find_word_metric, metric_words
from treegauge.scoring.metrics.registry import metric_label
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import Source
from treegauge.treebanks.sources.resolver import read_treebank

By = str | Classifier | Sequence[str | Classifier]


class Place(NamedTuple):
    """A sentence and positions of words in it (from 1)."""

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
class Breakdown(Result, kind="breakdown", unit="percent"):
    r"""Precision and recall of every word class.

    Recall is over words whose gold annotation is in the class, precision over words that the
    system's own analysis puts there:

    .. math:: R_k = 100 \frac{|\{w \in k : correct\}|}{|k|}, \quad
              P_k = 100 \frac{|\{v \in k' : correct\}|}{|k'|}

    Of several runs or treebanks these are means, and `parts` has the runs by treebank; words and
    sentences are those of the first.
    """

    cells: "pl.DataFrame" = field(repr=False)
    alignment: Alignment = field(repr=False)
    gold: Classes = field(repr=False)
    system: Classes = field(repr=False)
    words: MetricWords = field(repr=False)
    signature: str
    parts: "Mapping[str, Sequence[Breakdown]]" = field(default_factory=dict, repr=False)

    @property
    def table(self) -> "pl.DataFrame":
        """One row per class, the largest first or in the order of a scale."""
        return self.cells

    @property
    def runs(self) -> "Mapping[str, Sequence[Breakdown]]":
        """The breakdowns of single runs by treebank."""
        return self.parts or {self.alignment.gold.treebank.name: [self]}

    def errors(self, name: str, *, limit: int | None = None, unlike: "Breakdown | None" = None) -> list[Place]:
        """Return the gold sentences with incorrect words of a class, and these words.

        With `unlike`, only words that are correct there.
        """
        wrong = self.words.gold & ~self.words.correct
        return self._places(name, wrong if unlike is None else wrong & unlike.words.correct, limit)

    def sentences(self, name: str, *, limit: int | None = None) -> list[Place]:
        """Return the gold sentences with words of a class, correct or not."""
        return self._places(name, self.words.gold, limit)

    def _places(self, name: str, words: npt.NDArray[np.bool_], limit: int | None) -> list[Place]:
        if name not in self.gold.names:
            raise ChoiceError("class", name, self.gold.names)
        chosen = words & (self.gold.codes == self.gold.names.index(name))
        return places(self.alignment.gold.treebank, np.flatnonzero(chosen))[:limit]


@dataclass(frozen=True, eq=False)
class Breakdowns(PaperResult, kind="breakdowns", unit="percent"):
    """Scores by class of words of one or more systems, side by side.

    ``result["careful"].errors("nsubj")`` are the sentences behind a number. For two systems,
    `differences` has the test of each class
    (:func:`treegauge.scoring.classes.class_tests.compare_classes`); `notes` say what was tested.
    Further classes, examples, confusion matrices, overlap and calibration are attached.
    """

    systems: dict[str, Breakdown]
    signature: str
    differences: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    level: float = 0.95
    own_formats: ClassVar[tuple[str, ...]] = (*PaperResult.own_formats, "conllu")

    def __getitem__(self, system: str) -> Breakdown:
        if system not in self.systems:
            raise ChoiceError("system", system, self.systems)
        return self.systems[system]

    @property
    def saved(self) -> "pl.DataFrame":
        """The table for files: that of the featured part, or of all classes; of several treebanks, also of each."""
        if self.featured:
            return super().saved
        others: Any = self.attached.get("breakdowns", ())
        tables: list[pl.DataFrame] = [part.table for part in (self, *others)]
        tables += [part.by_treebank() for part in (self, *others) if len(next(iter(part.systems.values())).runs) > 1]
        return pl.concat(tables, how="diagonal_relaxed")

    def by_treebank(self) -> "pl.DataFrame":
        """Return one row per treebank, system and class: means over runs."""
        return pl.concat(
            mean_breakdown({code: runs})
            .table.rename({"system": "predicted"})
            .select(pl.lit(code).alias("treebank"), pl.lit(name).alias("system"), pl.all())
            for name, cells in self.systems.items()
            for code, runs in cells.runs.items()
        )

    @property
    def table(self) -> "pl.DataFrame":
        """One row per system and class."""
        return pl.concat(
            cells.table.rename({"system": "predicted"}).select(pl.lit(name).alias("system"), pl.all())
            for name, cells in self.systems.items()
        )

    def to_conllu(self) -> str:
        """Return the sentences that `where` found, with the errors in MISC."""
        found: Any = self.attached.get("found")
        if found is None:
            raise TreegaugeError("CoNLL-U has sentences; say which with --where, such as --where wrong=1")
        return str(found.to_conllu())

    def json_fields(self) -> dict[str, Any]:
        """Return the rows and, for two systems, a test per class."""
        return super().json_fields() | {"differences": list(self.differences), "notes": list(self.notes)}

    def shown(self) -> "pl.DataFrame":
        """Return one row per class: gold words, F1 per system and the difference of two systems.

        Of a single system, precision and recall are shown as well.
        """
        first, *others = self.systems.items()
        if not others:
            return first[1].table
        number = ["treebanks"] if "treebanks" in first[1].table.columns else []
        wide = first[1].table.select("class", "gold", "share", *number, pl.col("f1").alias(first[0]))
        for name, cells in others:
            f1 = cells.table.select("class", pl.col("f1").alias(name))
            wide = wide.join(f1, on="class", how="left", maintain_order="left")
        if len(others) == 1:
            difference = pl.col(first[0]) - pl.col(others[0][0])
            wide = wide.with_columns(difference.alias("difference"))
        if self.differences:
            tests = {row["class"]: row for row in self.differences}
            rows = [tests.get(name, {}) for name in wide["class"].to_list()]
            p_values = [row.get("p_corrected") for row in rows]
            wide = wide.with_columns(
                pl.Series("interval", list(map(_interval, rows)), pl.String),
                pl.Series("p_corrected", p_values, pl.Float64),
            )
        return wide

    def paper(self) -> PaperTable:
        """Return the table for a paper: precision, recall and F1 by class, and the difference of two systems."""
        from treegauge.scoring.paper import classes_table

        return classes_table(self)

    def own_text(self) -> str:
        """Return the table and the name of the test."""
        from treegauge.core import tables

        text = tables.to_text(self.shown(), digits=self.digits)
        return "\n".join([text, *self.notes, self.signature])


def _interval(row: Mapping[str, Any]) -> str | None:
    low, high = row.get("low"), row.get("high")
    return None if low is None or high is None else f"{low:+.2f} to {high:+.2f}"


def class_scores(
    gold: "Treebank | Alignment | Source",
    system: "Treebank | Source | None" = None,
    *,
    by: By = "relation",
    metric: str = "LAS",
    convention: str | Convention = "official",
) -> Breakdown:
    """Return precision and recall of every word class.

    Parameters
    ----------
    gold, system
        Two treebanks of the same text, their files, or their alignment.
    by
        A class, or several classes to cross; see :func:`treegauge.scoring.classes.classification.classify`.
    metric
        What counts as correct: UAS, LAS, Label, UPOS, XPOS, UFeats, Lemmas, Words, or a registered
        metric.
    convention
        Which words count, and how relations are compared.

    Returns
    -------
    Breakdown
        A table with counts, precision, recall, F1; ``errors(class)`` gives the sentences.
    """
    alignment = aligned(gold, system)
    metric, convention = metric_and_convention(metric, convention)
    words = metric_words(metric, alignment, convention)
    ours = classify(alignment.gold.treebank, by)
    origin = Origin(alignment.gold.treebank, alignment.system_sentence)
    theirs = classify(alignment.system.treebank, by, origin)
    table = _table(ours, theirs, words, alignment)
    parts = [by] if callable(by) or isinstance(by, str) else by
    title = "×".join(part if isinstance(part, str) else getattr(part, "__name__", "predicate") for part in parts)
    name = metric_label(find_word_metric(metric), convention)
    signature = sign(m=name, by=title, **alignment.signed, **convention.signed)
    return Breakdown(table, alignment, ours, theirs, words, signature)


def mean_breakdown(parts: Mapping[str, Sequence[Breakdown]]) -> Breakdown:
    """Return the mean over treebanks of the means over runs; a class counts where gold has it.

    Precision, recall and F1 are means over the same runs and treebanks: precision is 0, as F1 is, where a
    system puts no word into a class of gold. Column `treebanks` has their number. Counts are means
    over runs, added over treebanks.
    """
    first, number = next(iter(parts.values()))[0], max(map(len, parts.values()))
    if number == len(parts) == 1:
        return first
    counts, rates = pl.col("gold", "system", "aligned", "correct"), pl.col("precision", "recall", "f1")
    frames = [run.cells.with_columns(treebank=pl.lit(code)) for code, runs in parts.items() for run in runs]
    every = pl.concat(frames).with_columns(
        precision=pl.when(pl.col("gold") > 0).then(pl.col("precision").fill_null(0.0)).otherwise("precision")
    )
    means = every.group_by("class", "treebank", maintain_order=True).agg(counts.mean(), rates.mean())
    here = pl.col("gold") > 0
    table = means.group_by("class", maintain_order=True).agg(
        counts.sum(), rates.filter(here).mean(), treebanks=here.sum()
    )
    table = table if len(parts) > 1 else table.drop("treebanks")
    whole = counts if number == 1 else pl.col("gold")
    table = table.with_columns(whole.cast(pl.Int64), pl.col("f1").fill_null(0.0))
    table = table.with_columns(share=100 * pl.col("gold") / max(1, table["gold"].sum()))
    if first.gold.ordered:
        names = {name: place for place, name in enumerate(first.gold.names)}
        table = table.sort(pl.col("class").replace_strict(names, default=len(names)), maintain_order=True)
    else:
        table = table.sort("gold", descending=True, maintain_order=True)
    signature = first.signature
    if len(parts) > 1:
        marks = "\n".join(runs[0].alignment.gold.treebank.mark for runs in parts.values())
        title = f"{len(parts)}treebanks#{sha256(marks.encode()).hexdigest()[:6]}"
        signature = re.sub(r"\|tb:[^|]*", f"|tb:{title}|average:macro", signature)
    return replace(first, cells=table, parts=parts, signature=signature)


def aligned(gold: "Treebank | Alignment | Source", system: "Treebank | Source | None") -> Alignment:
    """Return the alignment of two treebanks or files; an alignment is returned unchanged."""
    if isinstance(gold, Alignment):
        return gold
    if system is None:
        raise TreegaugeError("gold alone has no errors: pass a system's output as well")
    return align(read_treebank(gold), read_treebank(system))


def _table(ours: Classes, theirs: Classes, words: MetricWords, alignment: Alignment) -> "pl.DataFrame":
    names = list(dict.fromkeys([*ours.names, *theirs.names]))
    g_codes, s_codes = ours.among(names), theirs.among(names)
    s_right = np.zeros(alignment.system.treebank.n_words, bool)
    s_right[alignment.to_system[words.correct]] = True

    def number(codes: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        return np.bincount(codes, minlength=len(names))

    gold, system = number(g_codes[words.gold]), number(s_codes[words.system])
    correct, s_correct = number(g_codes[words.correct]), number(s_codes[s_right])
    recall = 100 * (correct / np.maximum(gold, 1))
    precision = 100 * (s_correct / np.maximum(system, 1))
    both = np.maximum(precision + recall, 1e-300)
    frame = pl.DataFrame(
        {
            "class": names,
            "gold": gold,
            "system": system,
            "aligned": number(g_codes[words.gold & (alignment.to_system >= 0)]),
            "correct": correct,
            "precision": np.where(system > 0, precision, np.nan),
            "recall": np.where(gold > 0, recall, np.nan),
            "f1": 2 * precision * recall / both,
            "share": 100 * gold / max(1, gold.sum()),
        },
        nan_to_null=True,
    )
    seen = frame.filter((pl.col("gold") > 0) | (pl.col("system") > 0))
    return seen if ours.ordered else seen.sort("gold", descending=True, maintain_order=True)
