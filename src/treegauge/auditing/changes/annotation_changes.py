"""Changes of annotation between two versions of a treebank, counted and grouped."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.auditing.changes.changed_words import WordPairs
from treegauge.auditing.changes.systematic import (
    LAYERS,
    ChangeRule,
    Contexts,
    Layer,
    Systematic,
    annotation_layers,
    systematic_changes,
)
from treegauge.core.lazy import pl

Bools = npt.NDArray[np.bool_]
PATTERNED = ("lemma", "upos", "xpos", "feats", "head", "deprel")
"""Layers whose changes are grouped by pattern and classified as systematic or single."""
Row = dict[str, Any]


class LayerChanges(NamedTuple):
    """A layer of the paired words, and which of its changes are systematic."""

    layer: Layer
    systematic: Systematic


@dataclass(frozen=True, eq=False)
class Changes:
    """Changes in the annotation of paired words, layer by layer."""

    pairs: WordPairs
    parts: tuple[LayerChanges, ...]

    @classmethod
    def of(cls, pairs: WordPairs) -> "Changes":
        """Compare the annotation of paired words."""
        contexts = Contexts(pairs)
        nothing = Systematic([], np.full(len(pairs), -1, np.int32))
        return cls(
            pairs,
            tuple(
                LayerChanges(layer, systematic_changes(layer, contexts) if layer.name in PATTERNED else nothing)
                for layer in annotation_layers(pairs)
            ),
        )

    @cached_property
    def masks(self) -> dict[str, tuple[Bools, Bools]]:
        """For each layer, which pairs changed, and which of these are single corrections."""
        by_layer = {name: (self._none(), self._none()) for name in LAYERS}
        for layer, systematic in self.parts:
            by_layer[layer.name][0][layer.changed] = True
            by_layer[layer.name][1][layer.changed & (systematic.rule_of < 0)] = True
        return by_layer

    def _none(self) -> Bools:
        return np.zeros(len(self.pairs), np.bool_)

    @property
    def rules(self) -> list[ChangeRule]:
        """The systematic changes, sorted by the number of words."""
        rules = [rule for part in self.parts for rule in part.systematic.rules]
        return sorted(rules, key=lambda rule: -rule.changed)

    def layer_rows(self) -> list[Row]:
        """Return one row per layer: the words compared, changed, systematic and single."""
        rows = []
        for name, (changed, single) in self.masks.items():
            total, alone = int(changed.sum()), int(single.sum())
            known = name in PATTERNED
            rows.append(
                {
                    "layer": name,
                    "words": len(self.pairs),
                    "changed": total,
                    "percent": 100 * total / max(len(self.pairs), 1),
                    "systematic": total - alone if known else None,
                    "single": alone if known else None,
                }
            )
        return rows

    def class_rows(self, by: str) -> list[Row]:
        """Return the changes by layer for each word class (old UPOS or relation) that has any."""
        codes, values = self.pairs.old.codes(by)
        classes = codes[self.pairs.old_words]
        words = np.bincount(classes, minlength=len(values))
        counts = {
            name: np.bincount(classes[changed], minlength=len(values))
            for name, (changed, _) in self.masks.items()
            if name in PATTERNED
        }
        totals = sum(counts.values(), np.zeros(len(values), np.int64))
        order = np.argsort(-totals, kind="stable")
        return [
            {"class": values[i], "words": int(words[i])} | {name: int(counts[name][i]) for name in PATTERNED}
            for i in order.tolist()
            if totals[i]
        ]

    def rule_rows(self) -> list[Row]:
        """Return one row per systematic change."""
        return [
            {
                "layer": rule.layer, "where": rule.where, "old": rule.old, "new": rule.new,
                "changed": rule.changed, "places": rule.places,
                "percent": 100 * rule.changed / rule.places,
            }
            for rule in self.rules
        ]  # fmt: skip

    def pattern_rows(self) -> list[Row]:
        """Return one row per pattern of single corrections, frequent ones first.

        The pattern of a head change is the old relation and the position of the new head.
        """
        rows: list[Row] = []
        relations = self.pairs.codes("deprel")
        for layer, systematic in self.parts:
            if layer.name not in PATTERNED:
                continue
            single = np.flatnonzero(layer.changed & (systematic.rule_of < 0))
            olds, values = layer.old, [layer.value(code) for code in range(len(layer.values))]
            if layer.name == "head":
                olds, _, values = relations
            keys = olds[single].astype(np.int64) * len(layer.values) + layer.new[single]
            having = np.bincount(olds, minlength=len(values))
            for key, number in _counted(keys):
                old, new = divmod(key, len(layer.values))
                rows.append(
                    {
                        "layer": layer.name, "old": values[old], "new": layer.value(new),
                        "changed": number, "places": int(having[old]),
                        "percent": 100 * number / int(having[old]),
                    }
                )  # fmt: skip
        return sorted(rows, key=lambda row: -row["changed"])

    def table(self) -> "pl.DataFrame":
        """Return one row per change of a word."""
        from treegauge.treebanks.data.sentence_pairing import sentence_ids

        old, new = self.pairs.old, self.pairs.new
        ids = sentence_ids(old)
        forms, tags = old.codes("form"), old.codes("upos")
        positions, new_positions = old.positions, new.positions
        frames = []
        for layer, systematic in self.parts:
            rows = np.flatnonzero(layer.changed)
            before, after = self.pairs.old_words[rows], self.pairs.new_words[rows]
            sentences = old.sentence_of[before]
            if layer.name == "head":
                values = old.head[before].astype(str), new.head[after].astype(str)
            else:
                values = tuple(
                    np.array([layer.value(code) for code in codes[rows].tolist()], object)
                    for codes in (layer.old, layer.new)
                )  # type: ignore[assignment]
            verdicts = np.where(systematic.rule_of[rows] >= 0, "systematic", "single")
            frames.append(
                pl.DataFrame(
                    {
                        "sentence": sentences + 1,
                        "sent_id": pl.Series([ids[i] for i in sentences.tolist()], dtype=pl.String),
                        "id": positions[before],
                        "new_id": new_positions[after],
                        "form": [forms.values[i] for i in forms.codes[before].tolist()],
                        "upos": [tags.values[i] for i in tags.codes[before].tolist()],
                        "layer": [layer.name] * len(rows),
                        "old": values[0].tolist(),
                        "new": values[1].tolist(),
                        "kind": [verdict if layer.name in PATTERNED else None for verdict in verdicts.tolist()],
                    },
                    schema_overrides=dict.fromkeys(("form", "upos", "layer", "old", "new", "kind"), pl.String),
                )
            )
        order = {name: i for i, name in enumerate(LAYERS)}
        table = pl.concat(frames)
        ranks = table["layer"].replace_strict(order, default=0, return_dtype=pl.Int64)
        return table.with_columns(rank=ranks).sort("sentence", "id", "rank").drop("rank")


def _counted(keys: npt.NDArray[np.integer]) -> Iterator[tuple[int, int]]:
    values, counts = np.unique(keys, return_counts=True)
    yield from zip(values.tolist(), counts.tolist(), strict=True)
