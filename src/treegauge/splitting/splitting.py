"""One call for every way to split a treebank."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import Result, sign
from treegauge.splitting.displacement import optimised_test, sampled_test
from treegauge.splitting.pool import Pool
from treegauge.splitting.strata import Strata
from treegauge.statistics.checks import check_whole
from treegauge.statistics.distance import wasserstein

if TYPE_CHECKING:
    import polars as pl

Objective = Literal["random", "length", "high", "low", "kfold"]
Method = Literal["optimise", "sampler"]
Unit = Literal["sentences", "words"]
Index = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Split(Result):
    """A split: for each part the numbers of its sentences in the pool, in their old order."""

    pool: Pool = field(repr=False)
    parts: dict[str, Index]
    dropped: Index
    settings: dict[str, Any]
    signature: str
    digits = 4

    @property
    def table(self) -> "pl.DataFrame":
        """One row a part: sizes, and its displacement and length distance from the first."""
        import polars as pl

        first = next(iter(self.parts.values()))
        return pl.DataFrame([self._row(name, index, first) for name, index in self.parts.items()])

    def _row(self, name: str, index: Index, first: Index) -> dict[str, Any]:
        lengths = self.pool.lengths[index]
        same = index is first
        return {
            "part": name,
            "sentences": len(index),
            "words": int(lengths.sum()),
            "mean_length": float(lengths.mean()) if len(index) else None,
            "edv": None if same else self._distance(self._displacements(index, first)),
            "slv": None if same else self._distance(self._lengths(index, first)),
        }

    def _displacements(self, *parts: Index) -> list[npt.NDArray[np.int64]]:
        return [self.pool.histograms[part].sum(axis=0, dtype=np.int64) for part in parts]

    def _lengths(self, *parts: Index) -> list[npt.NDArray[np.int64]]:
        size = int(self.pool.lengths.max(initial=0)) + 1
        return [np.bincount(self.pool.lengths[part], minlength=size) for part in parts]

    @staticmethod
    def _distance(pair: list[npt.NDArray[np.int64]]) -> float | None:
        distance = float(wasserstein(*pair))
        return None if np.isnan(distance) else distance

    @property
    def edv(self) -> float:
        """Displacement distance of test from train."""
        return float(wasserstein(*self._displacements(self.parts["train"], self.parts["test"])))


def split(
    pool: Pool,
    objective: Objective = "random",
    *,
    seed: int,
    sizes: Sequence[float] = (60, 20, 20),
    method: Method = "optimise",
    unit: Unit = "sentences",
    documents: bool | None = None,
    folds: int = 5,
    min_words: int | None = None,
) -> Split:
    """Split a treebank.

    Parameters
    ----------
    pool
        The sentences, see :func:`treegauge.splitting.pool.pool`.
    objective
        ``"random"``; ``"length"`` (the longest sentences are the test part); ``"low"`` and
        ``"high"`` (displacements of train and test as alike or as unlike as they get);
        ``"kfold"``.
    seed
        Same seed, same split.
    sizes
        Relative sizes of train, dev and test; dev may be 0.
    method
        For low and high: ``"optimise"`` goes for the distance itself, ``"sampler"`` is the
        published sampler (always four parts train to one part test before dev is taken out).
    unit
        What `sizes` and folds count: ``"sentences"`` or ``"words"``. Low and high splits keep
        sentence lengths equal, so that both agree there.
    documents
        Whether documents (``# newdoc``) stay whole; None: for random and kfold, where there are
        any.
    folds
        Number of folds for ``"kfold"``.
    min_words
        Shorter sentences are left out; None: 3 for low and high, as published, else 1.

    Returns
    -------
    Split
        Every sentence of the pool is in exactly one part or in `dropped`.
    """
    for what, found, choices in (
        ("objective", objective, get_args(Objective)), ("method", method, get_args(Method)),
        ("unit", unit, get_args(Unit)),
    ):  # fmt: skip
        if found not in choices:
            raise ChoiceError(what, found, choices)
    check_whole("seed", seed)
    check_whole("folds", folds, 2)
    check_whole("min_words", 1 if min_words is None else min_words, 1)
    steered = objective in {"high", "low"}
    least = (3 if steered else 1) if min_words is None else min_words
    if documents is None:
        documents = objective in {"random", "kfold"} and pool.has_documents
    if documents and not pool.has_documents:
        raise TreegaugeError(
            f"{pool.treebank.name} has no '# newdoc' comment: no documents to keep"
        )
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
    if objective == "kfold":
        names = [f"fold{i + 1}" for i in range(folds)]
        labels = _cut(
            groups, weight, np.full(folds, 1 / folds), random.permutation(groups.max() + 1)
        )
    elif objective == "random":
        names = ["train", "dev", "test"]
        labels = _cut(groups, weight, shares, random.permutation(groups.max() + 1))
    else:
        names = ["train", "dev", "test"]
        labels = _steered(pool, kept, groups, weight, shares, objective, method, documents, seed)
    parts = {name: kept[labels == i] for i, name in enumerate(names)}
    parts = {name: index for name, index in parts.items() if len(index)}
    if len(parts) < enough:
        gone = ", ".join(name for name in names if name not in parts)
        way = "; choose other sizes" + (", or do not keep documents whole" if documents else "")
        raise TreegaugeError(f"{known}, which leaves none for {gone}{way}")
    settings = {
        "objective": objective, "method": method if steered else None, "seed": seed,
        "sizes": "/".join(f"{size:g}" for size in sizes) if objective != "kfold" else folds,
        "unit": unit, "documents": documents, "min_words": least,
    }  # fmt: skip
    signature = sign(split=pool.treebank.name, **settings)
    dropped = np.flatnonzero(pool.lengths < least)
    return Split(pool, parts, dropped, settings, signature)


def _shares(sizes: Sequence[float]) -> npt.NDArray[np.float64]:
    found = np.asarray(sizes, np.float64)
    if (
        found.shape != (3,)
        or not np.isfinite(found).all()
        or (found < 0).any()
        or not (found[0] and found[2])
    ):
        raise TreegaugeError(
            f"sizes are {'/'.join(map(str, sizes))}; expected train/dev/test such as 60/20/20, "
            "train and test above 0"
        )
    return np.asarray(found / found.sum())


def _cut(
    groups: npt.NDArray[np.int64],
    weight: npt.NDArray[np.int32],
    shares: npt.NDArray[np.float64],
    order: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    """Lay groups out in an order and cut where the shares of their weight end."""
    heavy = np.bincount(groups, weight)[order]
    middle = (np.cumsum(heavy) - heavy / 2) / heavy.sum()
    label = np.searchsorted(np.cumsum(shares)[:-1], middle, "right")
    of_group = np.empty(len(order), np.int64)
    of_group[order] = label
    return of_group[groups]


def _steered(
    pool: Pool,
    kept: Index,
    groups: npt.NDArray[np.int64],
    weight: npt.NDArray[np.int32],
    shares: npt.NDArray[np.float64],
    objective: Objective,
    method: Method,
    documents: bool,
    seed: int,
) -> npt.NDArray[np.int64]:
    """Choose the test part by the objective, then dev from the rest."""
    random = np.random.default_rng([seed, 1])
    lengths = pool.lengths[kept]
    if objective == "length":
        order = np.lexsort((random.random(len(kept)), lengths))
        rest = np.array([shares[0] + shares[1], 0.0, shares[2]])
        if documents:
            raise TreegaugeError("a split by sentence length cannot keep documents whole")
        test = _cut(np.arange(len(kept)), weight, rest, order) == 2
    elif method == "sampler":
        if documents or not np.isclose(shares[2], 0.2):
            raise TreegaugeError(
                "the published sampler deals sentences, one in five to test; use "
                "method='optimise' for documents or other sizes"
            )
        test = sampled_test(pool, kept, adversarial=objective == "high", seed=seed)
    else:
        counts = np.zeros((groups.max() + 1, pool.histograms.shape[1]), np.int32)
        np.add.at(counts, groups, pool.histograms[kept])
        words = np.bincount(groups, lengths)
        strata = np.log2(words).astype(np.int32) if documents else words.astype(np.int32)
        chosen = optimised_test(
            counts, strata, float(shares[2]), adversarial=objective == "high", seed=seed
        )
        test = chosen[groups]
    labels = np.where(test, 2, 0)
    if shares[1] > 0:
        labels[~test] = _dev(
            groups[~test], lengths[~test], weight[~test], shares, documents, random
        )
    return labels


def _dev(
    groups: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int32],
    weight: npt.NDArray[np.int32],
    shares: npt.NDArray[np.float64],
    documents: bool,
    random: np.random.Generator,
) -> npt.NDArray[np.int64]:
    """Divide what is not test into train (0) and dev (1): by chance, the same share of any length.

    Whole documents cannot be had by length.
    """
    part = shares[:2] / shares[:2].sum()
    if documents:
        names, local = np.unique(groups, return_inverse=True)
        return _cut(local.reshape(-1), weight, part, random.permutation(len(names)))
    strata = Strata.of(lengths, float(part[1]))
    return strata.top(random.random(len(lengths))).astype(np.int64)
