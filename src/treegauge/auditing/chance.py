"""Whether the parts of a treebank are further apart than chance would put them."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from treegauge.auditing.findings import Finding, Level
from treegauge.splitting.pool import Pool, pool
from treegauge.statistics.distance import wasserstein
from treegauge.treebanks.columns import Treebank, concat

Index = npt.NDArray[np.int64]


def check_splits(
    parts: Mapping[str, Treebank], *, draws: int = 999, seed: int = 0, alpha: float = 0.01
) -> Iterator[Finding]:
    r"""Compare the distance of each part from train with that of random splits of the same sizes.

    For displacements (EDV) and sentence lengths (SLV) alike:

    .. math:: p = \frac{1 + \#\{\text{random splits at least as far apart}\}}{1 + \text{draws}}

    A large share of treebanks fails this, since parts differ in source or document; a failure says
    that a score on the test part speaks of other data than the train part, not that it is wrong.
    """
    if "train" not in parts or len(parts["train"]) == 0:
        return
    random = np.random.default_rng(seed)
    for name, other in parts.items():
        if name == "train" or len(other) == 0:
            continue
        both = pool(concat([parts["train"], other]))
        for check, histogram in _HISTOGRAMS.items():
            seen, p = _chance(both, histogram, len(parts["train"]), draws, random)
            if np.isnan(seen):
                continue
            word = "displacements" if check == "edv" else "sentence lengths"
            message = f"{word} are {seen:.4f} apart; random splits come that far with p = {p:.4f}"
            level: Level = "warning" if p <= alpha else "note"
            yield Finding(f"split-{check}", level, f"train/{name}", seen, message, (), p)


def _displacements(both: Pool, index: Index) -> npt.NDArray[np.int64]:
    return np.asarray(both.histograms[index].sum(axis=0, dtype=np.int64))


def _lengths(both: Pool, index: Index) -> npt.NDArray[np.int64]:
    return np.bincount(both.lengths[index], minlength=int(both.lengths.max()) + 1)


_HISTOGRAMS = {"edv": _displacements, "slv": _lengths}


def _chance(
    both: Pool,
    histogram: Callable[[Pool, Index], npt.NDArray[np.int64]],
    n: int,
    draws: int,
    random: np.random.Generator,
) -> tuple[float, float]:
    """Return the distance between the first n sentences and the rest, and its p-value."""
    everything = np.arange(len(both))
    whole, first = histogram(both, everything), histogram(both, everything[:n])
    seen = float(wasserstein(first, whole - first))
    if np.isnan(seen):
        return seen, 1.0
    smaller = min(n, len(both) - n)
    beyond = 0
    for _ in range(draws):
        part = histogram(both, random.choice(len(both), smaller, replace=False))
        beyond += bool(wasserstein(part, whole - part) >= seen - 1e-12)
    return seen, (1 + beyond) / (1 + draws)
