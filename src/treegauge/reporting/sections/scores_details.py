"""Confusions of relations and tags, calibration, tests of classes, and changes between outputs for the page."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.auditing.diff import diff
from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note
from treegauge.core.tables import p_value_cell
from treegauge.core.verbs import command
from treegauge.reporting.inputs import ScoredTreebank
from treegauge.reporting.methods import treebank_of
from treegauge.reporting.packing import floats, numbers, texts
from treegauge.reporting.sections.overview import all_pairs
from treegauge.reporting.sections.treebanks import Versions
from treegauge.scoring.alignment.align import Alignment, align
from treegauge.scoring.calibration import Calibration, EventCalibration, calibrate
from treegauge.scoring.classes.class_scores import Breakdown, Place, places
from treegauge.scoring.classes.class_tests import compare_classes
from treegauge.scoring.confidence import Confidence, has_probabilities
from treegauge.scoring.metrics.convention import Convention
from treegauge.scoring.metrics.correct_words import correct_words
from treegauge.scoring.scores import Scores
from treegauge.treebanks.data.columns import Treebank

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: The number of most frequent cells whose sentences are chosen for the page.
CELLS = 60


class WordConfusions(NamedTuple):
    """Gold words with their value, the system's value (-1: no such word), and their errors."""

    names: list[str]
    gold: Ints
    system: Ints
    counted: Mask
    wrong: Mask
    wrong_head: Mask

    def cells(self) -> list[list[int]]:
        """Return one row per pair with errors: gold and system value, words, other heads.

        The most frequent pair comes first. Pairs of equal values are words with an incorrect head.
        """
        size = len(self.names) + 1
        pairs = self.gold * size + self.system + 1
        counts = np.bincount(pairs[self.wrong], minlength=size**2)
        heads = np.bincount(pairs[self.wrong & self.wrong_head], minlength=size**2)
        order = sorted(np.flatnonzero(counts).tolist(), key=lambda pair: (-counts[pair], pair))
        return [[pair // size, pair % size - 1, int(counts[pair]), int(heads[pair])] for pair in order]

    def data(self) -> dict[str, Any]:
        """Return the data for the page: values, gold words of each, and the cells."""
        words = np.bincount(self.gold[self.counted], minlength=len(self.names))
        return {"names": self.names, "words": words.tolist(), "cells": self.cells()}

    @property
    def kinds(self) -> Ints:
        """What is incorrect: 0 nothing, 1 only the head, 2 only the relation, 3 both, or there is no such word."""
        kind = np.where(self.gold == self.system, 1, np.where(self.wrong_head, 3, 2))
        return np.where(self.wrong, kind, 0)

    def examples(self, treebank: Treebank, limit: int) -> Iterator[list[Place]]:
        """Yield the first sentences of each of the most frequent cells."""
        for gold, system, *_ in self.cells()[:CELLS]:
            chosen = self.wrong & (self.gold == gold) & (self.system == system)
            yield places(treebank, np.flatnonzero(chosen))[:limit]


def relation_confusions(alignment: Alignment, convention: Convention) -> WordConfusions:
    """Return the LAS errors: gold relation, system relation, and whether the head is incorrect.

    Every word that LAS counts as incorrect is in one cell, also a word with the correct relation
    and an incorrect head.
    """
    correct = correct_words(alignment, convention)
    gold, system = (_relations(side.treebank, convention) for side in (alignment.gold, alignment.system))
    names, gold_values, system_values = _paired(gold, system, alignment)
    wrong = correct.gold & ~correct.relations
    return WordConfusions(names, gold_values, system_values, correct.gold, wrong, ~correct.heads)


def tag_confusions(alignment: Alignment, convention: Convention) -> WordConfusions | None:
    """Return the errors in UPOS; None if the system's tags are all those of gold."""
    gold, system = (side.treebank["upos"].to_list() for side in (alignment.gold, alignment.system))
    names, gold_values, system_values = _paired(gold, system, alignment)
    correct = correct_words(alignment, convention)
    wrong = correct.gold & (gold_values != system_values) & (system_values >= 0)
    return (
        WordConfusions(names, gold_values, system_values, correct.gold, wrong, ~correct.heads) if wrong.any() else None
    )


def _relations(treebank: Treebank, convention: Convention) -> list[str]:
    relations = treebank["deprel"].to_list()
    return relations if convention.subtypes else [name.partition(":")[0] for name in relations]


def _paired(gold: Sequence[str], system: Sequence[str], alignment: Alignment) -> tuple[list[str], Ints, Ints]:
    """Return the values, the most frequent in gold first, and each gold word's two values."""
    frequent, counts = np.unique(np.array(gold, object).astype(str), return_counts=True)
    order = np.lexsort((frequent, -counts))
    names = frequent[order].tolist()
    names += sorted(set(system) - set(names))
    place = {name: number for number, name in enumerate(names)}
    gold_values = np.array([place[value] for value in gold], np.int64)
    partners = np.array([place[value] for value in system] or [-1], np.int64)
    return names, gold_values, np.where(alignment.to_system >= 0, partners[alignment.to_system], -1)


def system_confusions(alignment: Alignment, convention: Convention) -> dict[str, WordConfusions]:
    """Return the confusions of one system: of relations, and of UPOS where some tag differs."""
    tags = tag_confusions(alignment, convention)
    confusions = {"relation": relation_confusions(alignment, convention)}
    return confusions | ({} if tags is None else {"upos": tags})


def mean_confusions(runs: Sequence[Mapping[str, WordConfusions]]) -> dict[str, dict[str, Any]]:
    """Return the data of the confusions of a system for the page: means over its runs."""
    means = {}
    for of in dict.fromkeys(name for run in runs for name in run):
        each = [run[of].data() for run in runs if of in run]
        if len(runs) == 1:
            means[of] = each[0]
            continue
        words = {name: count for one in each for name, count in zip(one["names"], one["words"], strict=True) if count}
        names = list(dict.fromkeys([*words, *(name for one in each for name in one["names"])]))
        place = {name: number for number, name in enumerate(names)} | {None: -1}
        cells: dict[tuple[int, int], list[float]] = {}
        for one in each:
            for gold, system, *counts in one["cells"]:
                pair = place[one["names"][gold]], place[one["names"][system] if system >= 0 else None]
                sums = cells.setdefault(pair, [0.0, 0.0])
                sums[:] = [total + count / len(runs) for total, count in zip(sums, counts, strict=True)]
        order = sorted(cells, key=lambda pair: (-cells[pair][0], pair))
        rows = [[*pair, *(round(count, 4) for count in cells[pair])] for pair in order]
        means[of] = {"names": names, "words": [words.get(name, 0) for name in names], "cells": rows}
    return means


def kinds_by_class(runs: Sequence[Mapping[str, WordConfusions]], codes: npt.NDArray[np.int32], classes: int) -> Any:
    """Return the incorrect words of each class by kind (classes x 3): means over the runs of a system."""
    counts = [np.bincount(4 * codes + run["relation"].kinds, minlength=4 * classes) for run in runs]
    return np.mean(counts, axis=0).reshape(classes, 4)[:, 1:]


def page_calibration(alignments: Mapping[str, Alignment], scores: Scores) -> Calibration | None:
    """Return the calibration of the systems that give probabilities; None if no system does.

    A system with unusable probabilities is left out with a note.
    """
    usable = {}
    for name, alignment in alignments.items():
        if has_probabilities(alignment.system.treebank):
            try:
                Confidence(alignment, scores.convention, file=name)
            except TreegaugeError as error:
                note(f"no calibration of {name}: {error}")
            else:
                usable[name] = alignment
    return calibrate(usable, scores) if usable else None


def calibration_data(found: Calibration | None, systems: Sequence[str]) -> list[dict[str, Any] | None]:
    """Return one entry per system, in percent; None for a system without probabilities.

    `ece`, `by_chance`, `p_value`, `bins` and `words` are of labelled arcs; `events` has the numbers
    of heads, relations, arcs and trees; `risk` is the error rate at each coverage in sentences;
    `dropped` has the gain from leaving out the least certain sentences.
    """
    if found is None:
        return [None] * len(systems)
    return [_system(found, name) if name in found.systems else None for name in systems]


def _system(found: Calibration, name: str) -> dict[str, Any]:
    coverage = found.coverage
    events = found.systems[name]
    rows = [row for row in coverage.rows if row["system"] == name]
    arcs = _event(events["arc"])
    return {
        **{key: arcs[key] for key in ("ece", "by_chance", "p_value")},
        "words": arcs["cases"],
        "metric": rows[0]["metric"],
        "bins": [
            {"count": row["cases"], "confidence": _percent(row["probability"]), "accuracy": _percent(row["correct"])}
            for row in events["arc"].bin_rows()
        ],
        "events": [{"event": event, **_event(made)} for event, made in events.items()],
        "risk": [[round(kept, 2), round(risk, 3)] for kept, risk in coverage.curves[name]],
        "aurc": _percent(rows[0]["aurc"]),
        "dropped": [
            {
                "percent": row["dropped"],
                "sentences": row["sentences"],
                **{key: round(row[key], 3) for key in ("score", "gain", "best")},
            }
            for row in rows
        ],
    }


def _event(made: EventCalibration) -> dict[str, Any]:
    numbers = made.numbers
    shares = {"correct": "correct", "probability": "confidence", "ece": "ece",
              "ece_by_chance": "by_chance", "auroc": "auroc", "aurc": "aurc"}  # fmt: skip
    return {
        "cases": numbers["cases"],
        **{name: _percent(numbers[key]) for key, name in shares.items()},
        "p_value": numbers["p_value"],
        "brier": round(numbers["brier"], 5),
        "log_loss": round(numbers["log_loss"], 5),
    }


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 3)


#: The largest number of pairs of outputs whose changes are on a page.
MOST_CHANGES = 6


def compared_outputs(scored: Sequence[ScoredTreebank], results: Sequence[Scores]) -> list[Versions]:
    """Compare the first two runs of each system, and systems of one run if there is room for all pairs.

    Systems are compared from the lower LAS to the higher.
    """
    runs, systems = list[Versions](), list[tuple[ScoredTreebank, Scores, str, str]]()
    for one, scores in zip(scored, results, strict=True):
        for name in (name for name, own in one.systems.items() if len(own) > 1):
            if len(runs) < MOST_CHANGES:
                runs.append(_compared_outputs(one, scores, (name, 0), (name, 1)))
        order = [system.system for system in sorted(scores.systems, key=lambda system: system["LAS"].f1)]
        single = [name for name in order if len(one.systems[name]) == 1]
        systems += [(one, scores, a, b) for a, b in combinations(single, 2)]
    if len(runs) + len(systems) > MOST_CHANGES:
        return runs
    return runs + [_compared_outputs(one, scores, (a, 0), (b, 0)) for one, scores, a, b in systems]


def _compared_outputs(one: ScoredTreebank, scores: Scores, old: tuple[str, int], new: tuple[str, int]) -> Versions:
    """Compare two outputs; what is not annotation, such as probabilities, is left out."""
    outputs = [one.systems[name][run] for name, run in (old, new)]
    correct = [correct_words(align(one.gold, output), scores.convention) for output in outputs]
    before, after = (own.relations for own in correct)
    fixed, broken = int((after & ~before).sum()), int((before & ~after).sum())
    facts: dict[str, Any] = {"words": int(correct[0].gold.sum()), "fixed": fixed, "broken": broken}
    tests: Any = scores.attached.get("comparisons")
    for row in tests.pairs if tests else ():
        if {row["a"], row["b"]} == {old[0], new[0]}:
            sign = 1 if row["a"] == new[0] else -1
            ends = sorted(sign * end for end in (row["low"], row["high"]) if end is not None)
            facts |= {
                "difference": sign * row["difference"],
                "low": ends[0] if ends else None,
                "high": ends[-1] if ends else None,
            }
    plain = [output.with_columns({"misc": ["_"] * output.n_words}) for output in outputs]
    signature = diff(*outputs).signature
    names = [f"{name}, run {run + 1}" if old[0] == new[0] else name for name, run in (old, new)]
    files = [one.files[name][run] for name, run in (old, new)]
    treebank = treebank_of(one.gold.name)
    made = command(diff, *files)
    return Versions(treebank, (names[0], names[1]), [treebank], diff(*plain), made, facts, signature)


#: The largest number of pairs of systems times treebanks for which classes are tested.
MOST_TESTED = 120
LEVEL = 0.95


def class_pairs(
    breakdowns: Mapping[str, Breakdown], classes: Sequence[str], units: Any, treebanks: int
) -> list[dict[str, Any]] | None:
    """Return the tests of every pair by class, in the order given; None for too many pairs.

    p-values are corrected over the classes of a pair.
    """
    systems = list(breakdowns)
    if len(systems) < 2 or comb(len(systems), 2) * treebanks > MOST_TESTED:
        return None
    found = []
    for a, b in all_pairs(systems):
        rows = compare_classes(breakdowns[systems[a]], breakdowns[systems[b]], units, level=LEVEL, correction="holm")
        by_class = {row["class"]: row for row in rows}
        columns = {
            name: [by_class.get(one, {}).get(name) for one in classes]
            for name in ("difference", "low", "high", "p_corrected", "sign")
        }
        p_values, signs = columns.pop("p_corrected"), columns.pop("sign")
        ours, theirs = breakdowns[systems[a]], breakdowns[systems[b]]
        held = [sentences_apart(ours, theirs, name) if name in ours.gold.names else 0 for name in classes]
        found.append(
            {"sentences": numbers(held)}
            | {name: floats(_filled(values)) for name, values in columns.items()}
            | {"p": texts(list(map(p_value_cell, p_values))), "sure": numbers([sign in (">", "<") for sign in signs])}
        )
    return found


def sentences_apart(ours: Breakdown, theirs: Breakdown, name: str) -> int:
    """Return the number of sentences with a word of a class that only one of two systems has right."""
    sides = (ours.errors(name, unlike=theirs), theirs.errors(name, unlike=ours))
    return len({place.sentence for side in sides for place in side})


def joined_places(several: Sequence[Sequence[Place]]) -> list[Place]:
    """Return each sentence of several lists once, with all its words.

    Examples
    --------
    >>> joined_places([[Place(3, "s3", (1,))], [Place(3, "s3", (4, 1)), Place(5, "s5", (2,))]])
    [Place(sentence=3, sent_id='s3', words=(1, 4)), Place(sentence=5, sent_id='s5', words=(2,))]
    """
    held: dict[int, Place] = {}
    for place in chain.from_iterable(several):
        known = held.get(place.sentence)
        words = {*place.words, *(known.words if known else ())}
        held[place.sentence] = place._replace(words=tuple(sorted(words)))
    return list(held.values())


def _filled(values: Sequence[float | None]) -> Any:
    return [np.nan if value is None else value for value in values]
