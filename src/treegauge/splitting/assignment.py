"""The sentences to split, and their assignment to sets: at random, by length, or by displacement."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import get_args

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError, check_whole
from treegauge.core.result import sign
from treegauge.kernels.splits import TEST, draw, swap
from treegauge.splitting.split import Index, Objective, SizeUnit, Split
from treegauge.statistics.probabilities import wasserstein
from treegauge.treebanks.data.columns import Treebank, concat
from treegauge.treebanks.data.conllu import read_conllu
from treegauge.treebanks.data.indexing import document_starts
from treegauge.treebanks.data.trees import displacement_counts, mean_displacement
from treegauge.treebanks.sources.entries import UD_FILE
from treegauge.treebanks.sources.files import Errors, Source
from treegauge.treebanks.sources.inputs import recognise_treebanks


@dataclass(frozen=True, eq=False)
class SentencePool:
    """All sentences of a treebank, each with its file and its number in that file."""

    treebank: Treebank
    files: tuple[str, ...]
    digests: tuple[str, ...]
    origin: npt.NDArray[np.int32]
    number: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.treebank)

    @property
    def code(self) -> str:
        """Code of the files (``el_gdt`` in ``el_gdt-ud-test.conllu``), else the name."""
        named = [UD_FILE.match(file) for file in self.files]
        codes = {match["code"] for match in named if match}
        return codes.pop() if all(named) and len(codes) == 1 else self.treebank.name

    @cached_property
    def lengths(self) -> npt.NDArray[np.int32]:
        """Words of each sentence."""
        return self.treebank.lengths

    @cached_property
    def histograms(self) -> npt.NDArray[np.int32]:
        """Counts of each displacement from -30 to 30, per sentence."""
        return displacement_counts(self.treebank)

    @cached_property
    def med(self) -> npt.NDArray[np.float64]:
        """Mean edge displacement of each sentence, 0 for one-word sentences."""
        return np.nan_to_num(mean_displacement(self.treebank))

    @cached_property
    def documents(self) -> npt.NDArray[np.int32]:
        """The document of each sentence; a ``# newdoc`` comment or a new file starts a document."""
        starts = document_starts(self.treebank)
        starts |= np.diff(self.origin, prepend=-1) != 0
        return (np.cumsum(starts) - 1).astype(np.int32)

    @property
    def has_documents(self) -> bool:
        """Whether there is a ``# newdoc`` comment."""
        return bool(document_starts(self.treebank).any())


def pool(source: Source | Treebank, *, errors: Errors = "strict") -> SentencePool:
    """Collect the sentences of all files of a source."""
    if isinstance(source, Treebank):
        files, parts = [source.name], [source]
    else:
        inputs = recognise_treebanks([source], errors=errors)
        files = [file for treebank_input in inputs for file in treebank_input.files]
        name = inputs[0].name if len(inputs) == 1 else "treebanks"
        parts = [read_conllu(file, name=name, errors=errors) for file in files]
    names = [Path(file).name for file in files]
    twice = [file for i, file in enumerate(names) if file in names[:i]]
    if twice:
        raise TreegaugeError(f"{source}: found two files called {twice[0]}; expected files of one treebank")
    return SentencePool(
        treebank=parts[0] if len(parts) == 1 else concat(parts, name=parts[0].name),
        files=tuple(names),
        digests=tuple(part.digest for part in parts),
        origin=np.repeat(np.arange(len(parts)), [len(p) for p in parts]).astype(np.int32),
        number=np.concatenate([np.arange(1, len(p) + 1) for p in parts]).astype(np.int32),
    )


Bools = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int32]
UnitScores = npt.NDArray[np.floating] | npt.NDArray[np.integer]
_SWAPS = 20  # proposals per sentence; the distance hardly changes after ten
_ROUNDS = 30
LEVELS: dict[str, float] = {"low": 0.0, "0.25": 0.25, "0.5": 0.5, "0.75": 0.75, "high": 1.0}
"""Objectives by EDV: where the split is between the lowest EDV and the highest."""


@dataclass(frozen=True, eq=False)
class Strata:
    """Units by stratum, such as sentences by length, and the number to take from each.

    Fractions from small strata are carried over to the next, so that the total is correct.
    """

    units: npt.NDArray[np.intp]
    bounds: npt.NDArray[np.int32]
    take: npt.NDArray[np.int64]

    @classmethod
    def of(cls, strata: npt.NDArray[np.integer], share: float) -> "Strata":
        """Return units sorted by stratum."""
        units = np.argsort(strata, kind="stable")
        sizes = np.unique(strata, return_counts=True)[1]
        bounds = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
        ends = np.rint(np.cumsum(sizes) * share).astype(np.int64)
        return cls(units, bounds, np.diff(ends, prepend=0))

    def top(self, score: UnitScores) -> Bools:
        """Take from each stratum the units with the highest scores."""
        place, stratum = self._places()
        return self._chosen(-score, place < self.take[stratum])

    def spread(self, score: UnitScores) -> Bools:
        """Take from each stratum units evenly along the order of their scores."""
        place, stratum = self._places()
        sizes, take = np.diff(self.bounds)[stratum], self.take[stratum]
        even = (place * take + take // 2) // sizes < ((place + 1) * take + take // 2) // sizes
        return self._chosen(score, even)

    def _places(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        stratum = np.repeat(np.arange(len(self.take)), np.diff(self.bounds))
        return np.arange(len(self.units)) - self.bounds[stratum], stratum

    def _chosen(self, score: UnitScores, places: Bools) -> Bools:
        """Return the units at these ranks after sorting each stratum by score."""
        stratum = self._places()[1]
        ranked = self.units[np.lexsort((score[self.units], stratum))]
        chosen = np.zeros(len(self.units), bool)
        chosen[ranked[places]] = True
        return chosen


def make_split(
    pool: SentencePool,
    objective: Objective = "random",
    *,
    seed: int,
    sizes: Sequence[float] = (60, 20, 20),
    unit: SizeUnit = "sentences",
    documents: bool | None = None,
    folds: int = 5,
    min_words: int | None = None,
) -> Split:
    """Return a split; the options are those of :func:`treegauge.splitting.split.split`.

    Every sentence of the pool is in exactly one set or in `dropped`.
    """
    for what, value, choices in (("objective", objective, get_args(Objective)), ("unit", unit, get_args(SizeUnit))):
        if value not in choices:
            raise ChoiceError(what, value, choices)
    check_whole("seed", seed)
    check_whole("folds", folds, 2)
    check_whole("min_words", 1 if min_words is None else min_words, 1)
    method = "sampler" if objective.startswith("sampled") else "optimise"
    steered = objective in LEVELS or objective.startswith("sampled")
    least = (3 if steered else 1) if min_words is None else min_words
    if documents is None:
        documents = objective in {"random", "kfold"} and pool.has_documents
    if documents and not pool.has_documents:
        raise TreegaugeError(f"{pool.treebank.name} has no '# newdoc' comment, so there are no documents to keep whole")
    shares = _shares(sizes)
    kept = np.flatnonzero(pool.lengths >= least)
    groups = pool.documents[kept] if documents else np.arange(len(kept))
    groups = np.unique(groups, return_inverse=True)[1].reshape(-1)
    enough = folds if objective == "kfold" else np.count_nonzero(shares)
    units = "documents" if documents else f"sentences of at least {least} words"
    known = f"{pool.treebank.name} has {len(np.unique(groups))} {units}"
    if len(np.unique(groups)) < enough:
        raise TreegaugeError(f"{known}, too few for {enough} parts")
    weight = pool.lengths[kept] if unit == "words" else np.ones(len(kept), np.int32)
    random = np.random.default_rng(seed)
    names = ["train", "dev", "test"]
    if objective == "kfold":
        names = [f"fold{i + 1}" for i in range(folds)]
        shares = np.full(folds, 1 / folds)
    if objective in {"random", "kfold"}:
        labels = _cut(groups, weight, shares, random.permutation(groups.max() + 1))
    else:
        labels = _steered(pool, kept, groups, weight, shares, objective, documents, seed)
    parts = {name: kept[labels == i] for i, name in enumerate(names)}
    parts = {name: index for name, index in parts.items() if len(index)}
    if len(parts) < enough:
        gone = ", ".join(name for name in names if name not in parts)
        advice = "; choose other sizes" + (", or do not keep documents whole" if documents else "")
        raise TreegaugeError(f"{known}, which leaves no sentences for {gone}{advice}")
    settings = {
        "objective": objective.removeprefix("sampled-"), "method": method if steered else None, "seed": seed,
        "sizes": "/".join(f"{size:g}" for size in sizes) if objective != "kfold" else folds,
        "unit": unit, "documents": documents, "min_words": least,
    }  # fmt: skip
    digest = sha256("".join(pool.digests).encode()).hexdigest()[:6]
    signature = sign(split=f"{pool.treebank.name}#{digest}", **settings)
    dropped = np.flatnonzero(pool.lengths < least)
    return Split(pool, parts, dropped, settings, signature)


def parse_sizes(sizes: str) -> list[float]:
    """Parse sizes such as 60/20/20."""
    try:
        return [float(size) for size in sizes.split("/")]
    except ValueError:
        raise TreegaugeError(f"sizes are {sizes!r}; expected, for example, 60/20/20") from None


def _shares(sizes: Sequence[float]) -> npt.NDArray[np.float64]:
    shares = np.asarray(sizes, np.float64)
    if shares.shape != (3,) or not np.isfinite(shares).all() or (shares < 0).any() or not (shares[0] and shares[2]):
        raise TreegaugeError(
            f"sizes are {'/'.join(map(str, sizes))}; expected train/dev/test such as 60/20/20, train and test above 0"
        )
    return np.asarray(shares / shares.sum())


def _cut(
    groups: npt.NDArray[np.int64],
    weight: npt.NDArray[np.int32],
    shares: npt.NDArray[np.float64],
    order: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Divide groups in a given order according to the shares of their weight."""
    heavy = np.bincount(groups, weight)[order]
    middle = (np.cumsum(heavy) - heavy / 2) / heavy.sum()
    label = np.searchsorted(np.cumsum(shares)[:-1], middle, "right")
    of_group = np.empty(len(order), np.int64)
    of_group[order] = label
    return of_group[groups]


def _steered(
    pool: SentencePool,
    kept: Index,
    groups: npt.NDArray[np.int64],
    weight: npt.NDArray[np.int32],
    shares: npt.NDArray[np.float64],
    objective: Objective,
    documents: bool,
    seed: int,
) -> npt.NDArray[np.int64]:
    """Choose the test set by the objective, then the dev set from the remaining sentences."""
    random = np.random.default_rng([seed, 1])
    lengths = pool.lengths[kept]
    if objective == "length":
        order = np.lexsort((random.random(len(kept)), lengths))
        rest = np.array([shares[0] + shares[1], 0.0, shares[2]])
        if documents:
            raise TreegaugeError("a split by sentence length cannot keep documents whole")
        test = _cut(np.arange(len(kept)), weight, rest, order) == 2
    elif objective.startswith("sampled"):
        if documents or not np.isclose(shares[2], 0.2):
            raise TreegaugeError(
                "the published sampler assigns single sentences, one in five to test; use "
                "high or low for documents or other sizes"
            )
        test = sampled_test(pool, kept, adversarial=objective == "sampled-high", seed=seed)
    else:
        counts = np.zeros((groups.max() + 1, pool.histograms.shape[1]), np.int32)
        np.add.at(counts, groups, pool.histograms[kept])
        words = np.bincount(groups, lengths)
        strata = np.log2(words).astype(np.int32) if documents else words.astype(np.int32)
        test = graded_test(counts, strata, float(shares[2]), level=LEVELS[objective], seed=seed)[groups]
    labels = np.where(test, 2, 0)
    part = shares[:2] / shares[:2].sum()
    if part[1] > 0 and documents:
        names, local = np.unique(groups[~test], return_inverse=True)
        order = random.permutation(len(names))
        labels[~test] = _cut(local.reshape(-1), weight[~test], part, order)
    elif part[1] > 0:  # the same share of each length; documents cannot be divided by length
        left = lengths[~test]
        labels[~test] = Strata.of(left, float(part[1])).top(random.random(len(left)))
    return labels


def sampled_test(pool: SentencePool, sentences: npt.NDArray[np.intp], *, adversarial: bool, seed: int) -> Bools:
    """Return a mask of the test sentences (one in five), chosen by the published sampler.

    Sentences are binned by length and sorted by mean edge displacement (MED). Each round draws a
    length at random among those with sentences left, and sets a target MED: in the first round that
    of a random sentence of this length, later that of the training data so far. The four sentences
    nearest to the target go into the training set; the next nearest (complementary) or the furthest
    of that length (adversarial) goes into the test set. If a length has no sentences left, the
    nearest length is used. The lengths drawn do not depend on the objective: with the same seed,
    the test sentences of both have the same lengths.

    Notes
    -----
    Anderson and Gómez-Rodríguez (2022), section 6.1, which leaves open whether the other sentences
    of a round follow its MED, as here, or that of the first one taken. With the latter, low-EDV
    splits have a larger EDV than random splits, on average over ten treebanks.
    """
    lengths, med = pool.lengths[sentences], pool.med[sentences]
    sorting = np.lexsort((med, lengths))
    sizes, starts = np.unique(lengths[sorting], return_index=True)
    luck = np.random.default_rng(seed).random(len(sentences) // 5 + 2)
    bounds = np.append(starts, len(sentences)).astype(np.int32)
    part = draw(med[sorting], bounds, sizes.astype(np.int32), luck, adversarial)
    test = np.empty(len(sentences), bool)
    test[sorting] = part == TEST
    return test


def optimised_test(
    histograms: Counts, strata: npt.NDArray[np.int32], share: float, *, adversarial: bool, seed: int
) -> Bools:
    r"""Choose test units that maximise or minimise EDV itself.

    Each unit has a histogram of displacements. The number of test units is fixed in every stratum
    (sentence length), so sizes and lengths are the same for both objectives.

    *Largest.* By duality :math:`W_1 = \max_f E_{test} f - E_{train} f` over functions of slope at
    most one. For the optimal :math:`f` of the current split, every unit has a score :math:`\sum_w
    (f(d_w) - \bar f)`; the best of each stratum become test units. This is repeated until nothing
    changes, and started from both ends of the order by mean displacement.

    *Smallest.* The start is every k-th unit in the order of mean displacement.

    In both cases, random pairs within a stratum are then swapped if that improves EDV.
    """
    random = np.random.default_rng(seed)
    groups = Strata.of(strata, share)
    places = np.arange(histograms.shape[1]) - histograms.shape[1] // 2
    mean = np.asarray(histograms @ places / np.maximum(histograms.sum(axis=1), 1))
    if adversarial:
        ends = [_ascend(histograms, groups, groups.top(sign * mean)) for sign in (1, -1)]
        test = max(ends, key=lambda candidate: _distance(histograms, candidate))
    else:
        test = groups.spread(mean)
    proposals = random.integers(0, 2**62, size=(max(_SWAPS * len(strata), 2000), 2))
    proposals[:, 0] %= max(len(strata), 1)
    goal = 1.0 if adversarial else -1.0
    swap(histograms, groups.units.astype(np.int32), groups.bounds, test, proposals, goal)
    return test


def graded_test(histograms: Counts, strata: npt.NDArray[np.int32], share: float, *, level: float, seed: int) -> Bools:
    """Choose test units whose EDV is at a level between that of the low split (0) and of the high one (1).

    Pairs of one stratum, a test unit of the low split and one of the high split, are exchanged in
    random order until EDV is nearest to the level, so that sizes and lengths are those of both.
    With one seed, all levels exchange the same pairs in the same order.
    """
    if level in {0, 1}:
        return optimised_test(histograms, strata, share, adversarial=level == 1, seed=seed)
    low, high = (optimised_test(histograms, strata, share, adversarial=hard, seed=seed) for hard in (False, True))
    random = np.random.default_rng([seed, 3])
    pairs = [random.permutation(np.flatnonzero(units)) for units in (low & ~high, high & ~low)]
    pairs = [units[np.argsort(strata[units], kind="stable")] for units in pairs]
    order = random.permutation(len(pairs[0]))
    leaving, coming = (units[order] for units in pairs)
    changes = np.cumsum(histograms[coming] - histograms[leaving], axis=0, dtype=np.int64)
    inside = histograms[low].sum(axis=0) + np.concatenate((np.zeros_like(histograms[:1]), changes))
    reached = wasserstein(inside, histograms.sum(axis=0) - inside)
    exchanged = np.abs(reached - (1 - level) * reached[0] - level * reached[-1]).argmin()
    low[leaving[:exchanged]], low[coming[:exchanged]] = False, True
    return low


def _distance(histograms: Counts, test: Bools) -> float:
    return float(wasserstein(histograms[test].sum(axis=0), histograms[~test].sum(axis=0)))


def _ascend(histograms: Counts, groups: Strata, test: Bools) -> Bools:
    """Take the units with the best scores under the optimal function until nothing changes."""
    best, reached = test, _distance(histograms, test)
    for _ in range(_ROUNDS):
        inside = histograms[test].sum(axis=0, dtype=np.float64)
        outside = histograms[~test].sum(axis=0, dtype=np.float64)
        if inside.sum() == 0 or outside.sum() == 0:
            return best
        gap = np.cumsum(outside / outside.sum() - inside / inside.sum())
        potential = np.concatenate(([0.0], np.cumsum(np.where(gap[:-1] >= 0, 1.0, -1.0))))
        middle = (potential @ inside) / inside.sum()
        test = groups.top(histograms @ (potential - middle))
        now = _distance(histograms, test)
        if now <= reached:
            return best
        best, reached = test, now
    return best
