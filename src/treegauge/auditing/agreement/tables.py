"""The tables of ``agree``: layers, classes, and scores in both directions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.auditing.agreement.annotators import Annotations, pairs_of
from treegauge.auditing.agreement.layers import Coding, class_codings, codings, column_coding
from treegauge.kernels.tree_edit import distances, postorder
from treegauge.scoring.alignment.align import align
from treegauge.scoring.certainty import UnitCounts, intervals
from treegauge.scoring.metrics.convention import Convention
from treegauge.scoring.metrics.las_counts import tally
from treegauge.scoring.settings import ScoreOptions
from treegauge.statistics.kappa_and_alpha import (
    LEAST_APART,
    LEAST_DISTANCE_UNITS,
    agreement,
    class_agreement,
    coefficient_interval,
    distance_alpha,
)
from treegauge.statistics.student_intervals import StudentEstimate
from treegauge.statistics.units import UnitKind, few_units, text_units, units_note
from treegauge.treebanks.data.trees import is_tree

Ints = npt.NDArray[np.int32]
#: Maximum number of pairs of trees for the mean expected distance.
PAIRS = 20_000


class AnnotatedTrees(NamedTuple):
    """The trees of one annotator: heads, codes of relations, and the first word of each sentence.

    `item` has the number of each tree's sentence, common to all annotators.
    """

    head: Ints
    label: Ints
    offsets: Ints
    item: Ints


def tree_alpha(
    annotators: Sequence[AnnotatedTrees], units: npt.NDArray[np.int64], *, seed: int = 0, pairs: int = PAIRS
) -> StudentEstimate:
    r"""Return alpha of dependency trees, with its standard error over units.

    The distance of two trees is the smallest number of words to insert, delete or relabel to turn
    one into the other; a word's label is its relation, and dependents are ordered as in the
    sentence.

    Parameters
    ----------
    annotators
        The trees of each annotator, which must be trees; a sentence may be missing.
    units
        For each sentence its unit (itself, or its document), from 0.
    seed, pairs
        Number of random pairs for the mean distance of unrelated trees; all pairs if there are
        fewer.

    Notes
    -----
    :math:`\alpha_{plain}` of Skjærholt (2014), *A chance-corrected measure of inter-annotator
    agreement for syntax*, ACL: squared tree edit distances, those of Zhang and Shasha (1989).
    """
    count = len(annotators)
    sizes = [np.diff(trees.offsets) for trees in annotators]
    label = np.concatenate([trees.label for trees in annotators])
    head = np.concatenate([trees.head for trees in annotators])
    offsets = np.concatenate(([0], np.cumsum(np.concatenate(sizes)))).astype(np.int32)
    item = np.concatenate([trees.item for trees in annotators]).astype(np.int64)
    owner = np.repeat(np.arange(count), [len(size) for size in sizes])
    nodes = *postorder(head, label, offsets), offsets

    def squared(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        edit_distances = distances(*nodes, first.astype(np.int32), *nodes, second.astype(np.int32))
        return edit_distances.astype(np.float64) ** 2

    tree_of = np.full((count, int(item.max(initial=-1)) + 1), -1, np.int64)
    tree_of[owner, item] = np.arange(len(item))
    number = (tree_of >= 0).sum(axis=0)
    within = np.zeros(len(number))
    for a in range(count):
        for b in range(a):
            both = np.flatnonzero((tree_of[a] >= 0) & (tree_of[b] >= 0))
            within[both] += 2 * squared(tree_of[a, both], tree_of[b, both]) / (number[both] - 1)
    usable = np.flatnonzero(number >= 2)
    kept = np.sort(tree_of[:, usable][tree_of[:, usable] >= 0])
    first, second = _pairs(len(kept), pairs, seed)
    between = squared(kept[first], kept[second])
    ends = np.stack([units[item[kept[first]]], units[item[kept[second]]]], axis=1)
    return distance_alpha(within[usable], units[usable], number[usable], between, ends)


def _pairs(trees: int, most: int, seed: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return all pairs of different trees, or a random sample of this size."""
    if trees * (trees - 1) // 2 <= most:
        first, second = np.triu_indices(trees, 1)
        return first, second
    random = np.random.default_rng(seed)
    first = random.integers(trees, size=most)
    return first, (first + random.integers(1, trees, size=most)) % trees


@dataclass(frozen=True, eq=False)
class AgreementUnits:
    """The unit of each sentence, numbered from 0, and the kind of unit."""

    kind: UnitKind
    of_sentence: npt.NDArray[np.int64]
    marked: int

    @property
    def number(self) -> int:
        """Number of units."""
        return int(self.of_sentence.max(initial=-1)) + 1

    def notes(self, level: float) -> list[str]:
        """Return notes on the units of intervals: too few, or why there is no interval."""
        return [few_units(self.number, self.kind) or units_note(self.number, self.kind, level, self.marked)]


def agreement_units(annotations: Annotations, wanted: str) -> AgreementUnits:
    """Return the units: `wanted`, or documents if enough are marked, else sentences."""
    marked = len(np.unique(annotations.documents))
    marked = marked if marked > 1 else 0
    kind = text_units(marked, wanted, what="the first annotation")
    units = annotations.documents if kind == "documents" else np.arange(annotations.sentences)
    return AgreementUnits(kind, units, marked)


Rows = list[dict[str, Any]]
#: Minimum number of words of a class, over all annotators, for it to be shown.
LEAST_WORDS = 10


def layer_table(
    annotations: Annotations, units: AgreementUnits, convention: Convention, *, level: float, seed: int
) -> tuple[Rows, list[str]]:
    """Return one row per layer, and notes."""
    rows: Rows = []
    for coding in codings(annotations, convention):
        places = units.of_sentence[coding.sentence]
        estimate = agreement(coding.codes, places)
        row = {"layer": coding.layer, "items": coding.coded}
        rows.append(row | _columns(estimate, ("observed", "kappa", "alpha"), level))
    trees, notes = _tree_row(annotations, units, convention, level, seed)
    return rows + trees, notes


def _columns(estimate: StudentEstimate, names: Sequence[str], level: float) -> dict[str, Any]:
    """Return estimates with their limits; the first is a share, in percent."""
    low, high = coefficient_interval(estimate, level)
    columns: dict[str, Any] = {}
    for k, name in enumerate(names):
        for column, values in ((name, estimate.value), (f"{name}_low", low), (f"{name}_high", high)):
            scaled = float(values[k]) * (1 if k else 100)
            columns[column] = scaled if np.isfinite(scaled) else None
    return columns


def _tree_row(
    annotations: Annotations, units: AgreementUnits, convention: Convention, level: float, seed: int
) -> tuple[Rows, list[str]]:
    """Return the row of whole trees, and notes on it."""
    sets, skipped = _trees(annotations, convention)
    shared = sum(np.isin(np.arange(annotations.sentences), trees.item) for trees in sets)
    items = int((np.asarray(shared) >= 2).sum())
    notes = [f"trees: left out {skipped} sentences that are not trees or have different words"]
    if items < 2:
        return [], notes if skipped else []
    same = agreement(_same_trees(annotations, sets), units.of_sentence)
    alpha = tree_alpha(sets, units.of_sentence, seed=seed)
    nothing = np.array([np.nan])
    estimate = StudentEstimate(
        np.concatenate([same.value[:1], nothing, alpha.value]),
        np.concatenate([same.standard_error[:1], nothing, alpha.standard_error]),
        np.concatenate([same.df[:1], nothing, alpha.df]),
    )
    if np.isnan(alpha.standard_error[0]) and units.number >= LEAST_DISTANCE_UNITS:
        why = f"trees differ in fewer than {LEAST_APART} {units.kind}"
        notes.append(f"no interval of alpha of trees: {why}")
    elif np.isnan(alpha.standard_error[0]):
        notes.append(
            f"no interval of alpha of trees: {units.number} {units.kind}, needs at least {LEAST_DISTANCE_UNITS}"
        )
    trees = sum(len(annotator.item) for annotator in sets)
    if trees * (trees - 1) // 2 > PAIRS:
        notes.append(f"trees: the expected distance is that of {PAIRS:,} random pairs of trees")
    row = {"layer": "trees", "items": items} | _columns(estimate, ("observed", "kappa", "alpha"), level)
    return [row], notes if skipped else notes[1:]


def _trees(annotations: Annotations, convention: Convention) -> tuple[list[AnnotatedTrees], int]:
    """Return the trees of sentences with the same words for all, and the number of others."""
    relations = column_coding(annotations, "deprel", replace(convention, punct=True))
    bounds, sets = annotations.sentence_bounds, []
    whole = np.zeros((annotations.sentences, len(annotations.annotators)), bool)
    for column, annotator in enumerate(annotations.annotators):
        treebank = annotator.treebank
        count = np.bincount(annotator.keys[annotator.keys >= 0], minlength=annotations.sentences)
        sound = is_tree(treebank.head, treebank.offsets) & (treebank.lengths > 0)
        sound &= (annotator.keys >= 0) & (count[annotator.keys] == 1)
        if not annotations.by_id:  # its end must be that of the first annotator's sentence
            sound &= annotator.sentence_ends == bounds[annotator.keys + 1]
            sound &= np.concatenate(([0], annotator.sentence_ends[:-1])) == bounds[annotator.keys]
        chosen = np.flatnonzero(sound)
        whole[annotator.keys[chosen], column] = True
        words = np.flatnonzero(sound[treebank.sentence_of])
        offsets = np.concatenate(([0], np.cumsum(treebank.lengths[chosen]))).astype(np.int32)
        label = relations.codes[annotator.item[words], column].astype(np.int32)
        head = np.ascontiguousarray(treebank.head[words], dtype=np.int32)
        sets.append(AnnotatedTrees(head, label, offsets, annotator.keys[chosen].astype(np.int32)))
    return sets, int((annotations.present & ~whole).any(axis=1).sum())


def _same_trees(annotations: Annotations, sets: Sequence[AnnotatedTrees]) -> np.ndarray[Any, Any]:
    """Return codes of trees; equal codes mean identical trees."""
    numbers: dict[tuple[bytes, bytes], int] = {}
    codes = np.full((annotations.sentences, len(sets)), -1, np.int64)
    for column, trees in enumerate(sets):
        for tree, item in enumerate(trees.item.tolist()):
            words = slice(trees.offsets[tree], trees.offsets[tree + 1])
            shape = trees.head[words].tobytes(), trees.label[words].tobytes()
            codes[item, column] = numbers.setdefault(shape, len(numbers))
    return codes


def class_table(
    annotations: Annotations, units: AgreementUnits, convention: Convention, layers: Sequence[str], level: float
) -> Rows:
    """Return one row per class of the layers, the most frequent first."""
    rows: Rows = []
    for layer in layers:
        for name, coding in class_codings(annotations, layer, convention).items():
            rows += _classes(coding, name if layer == "feats" else "", layer, units, level)
    return rows


def _classes(coding: Coding, feature: str, layer: str, units: AgreementUnits, level: float) -> Rows:
    pairable = coding.codes[(coding.codes >= 0).sum(axis=1) >= 2]
    counts = np.bincount(pairable[pairable >= 0], minlength=len(coding.values))
    places = units.of_sentence[coding.sentence]
    rows = []
    for code in np.argsort(-counts, kind="stable").tolist():
        value = coding.values[code]
        if counts[code] < LEAST_WORDS or (feature and value == "none"):
            continue
        estimate = class_agreement(coding.codes, places, code)
        name = f"{feature}={value}" if feature else value
        words = float(counts[code]) / coding.codes.shape[1]
        row = {"layer": layer, "class": name, "words": words}
        rows.append(row | _columns(estimate, ("specific", "kappa", "alpha"), level))
    return rows


def score_table(annotations: Annotations, units: AgreementUnits, convention: Convention, level: float) -> Rows:
    """Return UAS and LAS of every annotator with every other as gold, as in ``score``."""
    rows: Rows = []
    options = ScoreOptions(convention=convention)
    for a, b in sorted([(a, b) for x, y in pairs_of(annotations) for a, b in ((x, y), (y, x))]):
        gold, system = annotations.annotators[a], annotations.annotators[b]
        gold_treebank, system_treebank, keys = gold.treebank, system.treebank, gold.keys
        if annotations.by_id:
            _, i, j = np.intersect1d(
                np.where(gold.keys < 0, -1, gold.keys), np.where(system.keys < 0, -2, system.keys), return_indices=True
            )
            if not len(i):
                continue
            gold_treebank, system_treebank, keys = (gold_treebank.take(i), system_treebank.take(j), gold.keys[i])
        counted = tally(align(gold_treebank, system_treebank), options)
        unit = units.of_sentence[keys]
        starts = np.concatenate(([True], unit[1:] != unit[:-1]))
        names = ["UAS", "LAS"]
        counts = UnitCounts([replace(counted, starts=starts)], names, units.kind)
        limits = intervals(counts, ScoreOptions(level=level))
        sums = counts.mean.sum(axis=0)
        for k, (metric, ends) in enumerate(zip(names, limits, strict=True)):
            score = float(100 * sums[k] / sums[k + 2]) if sums[k + 2] else None
            low, high = ends or (None, None)
            rows.append(
                {
                    "gold": gold.name, "system": system.name, "metric": convention.label(metric),
                    "score": score, "score_low": low, "score_high": high,
                }
            )  # fmt: skip
    return rows
