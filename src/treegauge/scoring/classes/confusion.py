"""Confusion matrices of relations, heads and tags."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core import tables
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import Result, sign
from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.classes.class_scores import Place, aligned, places
from treegauge.scoring.classes.classification import classify
from treegauge.scoring.metrics.convention import OFFICIAL, Convention
from treegauge.scoring.metrics.correct_words import find_word_metric, metric_words
from treegauge.scoring.metrics.registry import metric_label
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import Source


@dataclass(frozen=True, eq=False)
class Confusion(Result, kind="confusion", unit="percent"):
    """How often the system predicted each value for each gold value, over aligned words."""

    names: tuple[str, ...]
    counts: npt.NDArray[np.int64] = field(repr=False)
    alignment: Alignment = field(repr=False)
    codes: tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] = field(repr=False)
    signature: str
    all: bool = False

    @property
    def table(self) -> "pl.DataFrame":
        """One row per confused pair, the most frequent first; agreement is left out.

        `share` is the percentage of the gold value's words.
        """
        g, s = np.nonzero(self.counts * (1 - np.eye(len(self.names), dtype=np.int64)))
        names, counts = np.array(self.names, object), self.counts[g, s]
        columns = {"gold": names[g].tolist(), "system": names[s].tolist(), "count": counts}
        schema = {"gold": pl.String, "system": pl.String, "count": pl.Int64, "share": pl.Float64}
        shares = {"share": 100 * counts / self.counts.sum(axis=1)[g]}
        return pl.DataFrame(columns | shares, schema=schema).sort(
            ["count", "gold", "system"], descending=[True, False, False]
        )

    def shown(self) -> "pl.DataFrame":
        """Return the pairs that occur more than once, at most 20, or all with `all`."""
        return self.table if self.all else self.table.filter(pl.col("count") > 1).head(20)

    @property
    def matrix(self) -> "pl.DataFrame":
        """Gold values as rows, system values as columns."""
        columns = {name: self.counts[:, i] for i, name in enumerate(self.names)}
        return pl.DataFrame({"gold \\ system": self.names} | columns)

    def sentences(self, gold: str, system: str) -> list[Place]:
        """Return the sentences in which one value was confused with the other."""
        for name in (gold, system):
            if name not in self.names:
                raise ChoiceError("value", name, self.names)
        g, s = self.names.index(gold), self.names.index(system)
        treebank, partner = self.alignment.gold.treebank, self.alignment.to_system
        chosen = (partner >= 0) & (self.codes[0] == g) & (self.codes[1][partner] == s)
        return places(treebank, np.flatnonzero(chosen))


def confusion(
    gold: Treebank | Alignment | Source | Sequence[Alignment],
    system: Treebank | Source | None = None,
    *,
    of: str = "relation",
) -> Confusion:
    """Return the confusion matrix of a class of words.

    Parameters
    ----------
    gold, system
        Two treebanks of the same text, their files, or their alignment; or the alignments of
        several runs or treebanks, whose counts are added.
    of
        ``relation`` (or ``deprel``, with subtypes), ``head-upos`` for the heads' tags, ``upos``,
        or any other class of words.
    """
    alignments = gold if isinstance(gold, list) else [aligned(gold, system)]  # type: ignore[arg-type]
    classes = [[classify(side.treebank, of) for side in (one.gold, one.system)] for one in alignments]
    names = sorted({name for sides in classes for side in sides for name in side.names})
    codes = [(ours.among(names), theirs.among(names)) for ours, theirs in classes]
    counts = np.zeros(len(names) ** 2, np.int64)
    for one, (g, s) in zip(alignments, codes, strict=True):
        paired = one.to_system >= 0
        pairs = g[paired].astype(np.int64) * len(names) + s[one.to_system[paired]]
        counts += np.bincount(pairs, minlength=len(counts))
    signature = sign(m="confusion", of=of, **joint_signature(alignments))
    return Confusion(tuple(names), counts.reshape(len(names), -1), alignments[0], codes[0], signature)


#: Number of words of each kind in the printed list.
SHOWN = 5


@dataclass(frozen=True, eq=False)
class ErrorOverlap(Result, kind="overlap", unit="percent"):
    """Gold words that systems get wrong, by the systems that do.

    A system of several runs gets a word wrong if half of them do. `wrong` has one row per system
    and one column per gold word that counts; `words` has the positions of these words, `homes` the
    numbers of their treebanks, and `alignments` those of the first run, by system and treebank.
    """

    systems: tuple[str, ...]
    wrong: npt.NDArray[np.bool_] = field(repr=False)
    words: npt.NDArray[np.intp] = field(repr=False)
    homes: npt.NDArray[np.intp] = field(repr=False)
    alignments: Mapping[str, Sequence[Alignment]] = field(repr=False)
    signature: str

    @property
    def groups(self) -> dict[str, npt.NDArray[np.intp]]:
        """Columns of words that all systems get wrong, and of those that only one gets wrong."""
        times = self.wrong.sum(axis=0)
        columns = {"all systems": np.flatnonzero(times == len(self.systems))}
        for name, errors in zip(self.systems, self.wrong, strict=True):
            columns[f"only {name}"] = np.flatnonzero(errors & (times == 1))
        return columns

    def summary(self) -> list[dict[str, Any]]:
        """Return one row per system: its errors, its unique errors, and those that all share."""
        times = self.wrong.sum(axis=0)
        rows = []
        for name, wrong in zip(self.systems, self.wrong, strict=True):
            errors, alone = int(wrong.sum()), int((wrong & (times == 1)).sum())
            shared = int((times == len(self.systems)).sum())
            row: dict[str, Any] = {"system": name, "errors": errors}
            row |= {"only its own": alone, "share of its own": 100 * alone / max(errors, 1)}
            rows.append(row | {"of all": shared, "share of all": 100 * shared / max(errors, 1)})
        return rows

    def rows(self, limit: int | None = None) -> list[dict[str, Any]]:
        """Return one row per word that all systems or only one get wrong, with all analyses."""
        table = []
        golds = [one.gold.treebank for one in self.alignments[self.systems[0]]]
        for kind, columns in self.groups.items():
            for column in columns[:limit].tolist():
                word, home = int(self.words[column]), int(self.homes[column])
                gold = golds[home]
                sentence = int(gold.sentence_of[word])
                row: dict[str, Any] = {"wrong": kind} | ({"treebank": gold.name} if len(golds) > 1 else {})
                row |= {"sentence": sentence + 1, "sent_id": gold[sentence].id, "word": int(gold.positions[word])}
                row |= {"form": gold.field(int(gold.rows[word]), 1), "gold": _said(gold, word)}
                for name in self.systems:
                    alignment = self.alignments[name][home]
                    partner = int(alignment.to_system[word])
                    row[name] = _said(alignment.system.treebank, partner) if partner >= 0 else "no such word"
                table.append(row)
        return table

    @property
    def table(self) -> "pl.DataFrame":
        """One row per word that all systems or only one get wrong."""
        return pl.DataFrame(self.rows(), infer_schema_length=None)

    def json_fields(self) -> dict[str, Any]:
        """Return the summary, word counts by number of incorrect systems, and the words."""
        times = np.bincount(self.wrong.sum(axis=0), minlength=len(self.systems) + 1)
        counted = [{"systems": i, "words": int(number)} for i, number in enumerate(times)]
        return {"summary": self.summary(), "by_number_of_systems": counted} | super().json_fields()

    def shown(self) -> list[dict[str, Any]]:
        """Return the summary."""
        return self.summary()

    def own_text(self) -> str:
        """Return the summary, word counts by number of incorrect systems, and some words."""
        times = np.bincount(self.wrong.sum(axis=0), minlength=len(self.systems) + 1)
        counted = [
            {"systems that are wrong": i, "words": int(number), "share": 100 * number / times.sum()}
            for i, number in enumerate(times)
        ]
        parts = [tables.to_text(self.summary()), "", tables.to_text(counted)]
        listed = self.rows(SHOWN)
        if listed:
            parts += ["", tables.to_text(listed), f"first {SHOWN} of each; CSV and JSON have all"]
        return "\n".join([*parts, self.signature])


def _said(treebank: Treebank, word: int) -> str:
    row, parent = int(treebank.rows[word]), int(treebank.parents[word])
    above = treebank.field(int(treebank.rows[parent]), 1) if parent >= 0 else "ROOT"
    return f"{treebank.field(row, 7)} of {above}"


def joint_signature(alignments: Sequence[Alignment]) -> dict[str, str]:
    """Return the part of a signature that says what was aligned, of one or several treebanks."""
    marks = list(dict.fromkeys(one.gold.treebank.mark for one in alignments))
    signed = alignments[0].signed
    if len(marks) == 1:
        return signed
    return signed | {"tb": f"{len(marks)}treebanks#{sha256(chr(10).join(marks).encode()).hexdigest()[:6]}"}


def error_overlap(
    alignments: Mapping[str, Alignment | Sequence[Sequence[Alignment]]],
    *,
    best: int,
    metric: str = "LAS",
    convention: Convention = OFFICIAL,
) -> ErrorOverlap:
    """Return the errors that the best systems share, and those that only one of them makes.

    Parameters
    ----------
    alignments
        Systems by name, aligned with the same gold: one alignment, or those of the runs on each
        treebank.
    best
        Number of systems, those with the most correct words first.
    metric, convention
        What counts as correct.
    """
    if best < 2 or len(alignments) < 2:
        raise TreegaugeError(f"--overlap needs at least two systems; got {min(best, len(alignments))}")
    runs = {name: [[one]] if isinstance(one, Alignment) else one for name, one in alignments.items()}
    counted = {
        name: [[metric_words(metric, one, convention) for one in on] for on in own] for name, own in runs.items()
    }
    rows = {
        name: np.concatenate([np.mean([~one.correct for one in on], axis=0) for on in own])
        for name, own in counted.items()
    }
    first = next(iter(counted.values()))
    chosen = np.flatnonzero(np.concatenate([on[0].gold for on in first]))
    ranked = sorted(rows, key=lambda name: float(rows[name].sum()))[:best]
    wrong = np.stack([rows[name][chosen] >= 0.5 for name in ranked])
    sizes = [len(on[0].gold) for on in first]
    homes = np.repeat(np.arange(len(sizes)), sizes)[chosen]
    words = chosen - np.cumsum([0, *sizes])[homes]
    signed = joint_signature([on[0] for on in runs[ranked[0]]]) | {"system": "+".join(ranked)}
    label = metric_label(find_word_metric(metric), convention)
    signature = sign(m=label, overlap=best, **signed, **convention.signed)
    shown = {name: [on[0] for on in runs[name]] for name in ranked}
    return ErrorOverlap(tuple(ranked), wrong, words, homes, shown, signature)
