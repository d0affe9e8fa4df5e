"""Errors that systems share, and errors that only one of them makes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.core import tables
from treegauge.core.errors import TreegaugeError
from treegauge.core.result import Result, sign
from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.metrics.convention import OFFICIAL, Convention
from treegauge.scoring.metrics.registry import metric_label
from treegauge.scoring.metrics.word_metrics import find_word_metric, metric_words
from treegauge.treebanks.data.columns import Treebank

if TYPE_CHECKING:
    import polars as pl

#: Number of words of each kind in the printed list.
SHOWN = 5


@dataclass(frozen=True, eq=False)
class ErrorOverlap(Result):
    """Gold words that systems get wrong, by the systems that do.

    `wrong` has one row per system and one column per gold word that counts; `words` has the
    positions of these words.
    """

    systems: tuple[str, ...]
    wrong: npt.NDArray[np.bool_] = field(repr=False)
    words: npt.NDArray[np.intp] = field(repr=False)
    alignments: Mapping[str, Alignment] = field(repr=False)
    signature: str
    kind: ClassVar[str] = "overlap"
    unit: ClassVar[str | None] = "percent"

    @property
    def groups(self) -> dict[str, npt.NDArray[np.intp]]:
        """Gold words that all systems get wrong, and those that only one gets wrong."""
        times = self.wrong.sum(axis=0)
        words_by_group = {"all systems": self.words[times == len(self.systems)]}
        for name, errors in zip(self.systems, self.wrong, strict=True):
            words_by_group[f"only {name}"] = self.words[errors & (times == 1)]
        return words_by_group

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
        gold = next(iter(self.alignments.values())).gold.treebank
        table = []
        for kind, words in self.groups.items():
            for word in words[:limit].tolist():
                sentence = int(gold.sentence_of[word])
                row: dict[str, Any] = {"wrong": kind, "sentence": sentence + 1}
                row |= {"sent_id": gold[sentence].id, "word": int(gold.positions[word])}
                row |= {"form": gold.field(int(gold.rows[word]), 1), "gold": _said(gold, word)}
                for name, alignment in self.alignments.items():
                    partner = int(alignment.to_system[word])
                    row[name] = _said(alignment.system.treebank, partner) if partner >= 0 else "no such word"
                table.append(row)
        return table

    @property
    def table(self) -> "pl.DataFrame":
        """One row per word that all systems or only one get wrong."""
        import polars as pl

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


def error_overlap(
    alignments: Mapping[str, Alignment], *, best: int, metric: str = "LAS", convention: Convention = OFFICIAL
) -> ErrorOverlap:
    """Return the errors that the best systems share, and those that only one of them makes.

    Parameters
    ----------
    alignments
        Systems by name, aligned with the same gold.
    best
        Number of systems, those with the most correct words first.
    metric, convention
        What counts as correct.
    """
    if best < 2 or len(alignments) < 2:
        raise TreegaugeError(f"--overlap needs at least two systems; got {min(best, len(alignments))}")
    words_by_system = {name: metric_words(metric, one, convention) for name, one in alignments.items()}
    ranked = sorted(words_by_system, key=lambda name: -int(words_by_system[name].correct.sum()))[:best]
    words = np.flatnonzero(words_by_system[ranked[0]].gold)
    wrong = np.stack([~words_by_system[name].correct[words] for name in ranked])
    first = alignments[ranked[0]].signed | {"system": "+".join(ranked)}
    label = metric_label(find_word_metric(metric), convention)
    signature = sign(m=label, overlap=best, **first, **convention.signed)
    chosen = {name: alignments[name] for name in ranked}
    return ErrorOverlap(tuple(ranked), wrong, words, chosen, signature)
