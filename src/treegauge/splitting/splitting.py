"""Assignment of the sentences of a pool to sets."""

from collections.abc import Sequence
from hashlib import sha256
from typing import get_args

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError, check_whole
from treegauge.core.result import sign
from treegauge.splitting.displacement import Strata, optimised_test, sampled_test
from treegauge.splitting.pool import SentencePool
from treegauge.splitting.split import Index, Objective, SizeUnit, Split


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
    steered = objective.endswith(("high", "low"))
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
        chosen = optimised_test(counts, strata, float(shares[2]), adversarial=objective == "high", seed=seed)
        test = chosen[groups]
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
