"""How long intervals and paired tests take on a large test set, and the memory they need."""

import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from treegauge.stats.bootstrap import bootstrap
from treegauge.stats.permutation import paired_permutation

UNITS, COLUMNS, RESAMPLES, PERMUTATIONS = 26_000, 30, 1_000, 10_000
MANY_UNITS = 1_000_000


def f1(sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """F1 of ten metrics laid out as ten columns each of correct, system and gold."""
    third = sums.shape[-1] // 3
    correct, system, gold = (sums[..., i * third : (i + 1) * third] for i in range(3))
    return 2 * correct / (system + gold)


def sentences(units: int, seed: int = 0) -> npt.NDArray[np.int32]:
    """Draw counts as of sentences with 1 to 60 words, about four in five correct."""
    random = np.random.default_rng(seed)
    words = random.integers(1, 61, size=(units, 1), dtype=np.int32)
    everything = np.repeat(words, COLUMNS, axis=1)
    third = COLUMNS // 3
    everything[:, :third] = random.binomial(words, 0.8, size=(units, third))
    return everything


def seconds(action: Callable[[], object], repeats: int = 3) -> float:
    """Return the fastest of some runs, which other work on the machine disturbs least."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_mib(action: Callable[[], object]) -> float:
    """Return the most memory that the arrays made by `action` hold at one time, in MiB."""
    tracemalloc.start()
    action()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def run() -> None:
    """Print the times of the bootstrap and the permutation test, and the bootstrap's memory."""
    a, b = sentences(UNITS), sentences(UNITS, seed=1)
    size = f"{UNITS:,} sentences x {COLUMNS} columns"
    took = seconds(lambda: bootstrap(a, f1, resamples=RESAMPLES))
    print(f"bootstrap, percentile, {size}, {RESAMPLES:,} resamples: {took:.2f} s")
    took = seconds(lambda: bootstrap(a, f1, resamples=RESAMPLES, method="bca"))
    print(f"bootstrap, bca, {size}, {RESAMPLES:,} resamples: {took:.2f} s")
    took = seconds(lambda: paired_permutation(a, b, f1, permutations=PERMUTATIONS), repeats=1)
    print(f"paired permutation, {size}, {PERMUTATIONS:,} permutations: {took:.2f} s")
    many = sentences(MANY_UNITS)
    took = seconds(lambda: bootstrap(many, f1, resamples=100, method="bca"), repeats=1)
    peak = peak_mib(lambda: bootstrap(many, f1, resamples=100, method="bca"))
    print(
        f"bootstrap, bca, {MANY_UNITS:,} sentences x {COLUMNS} columns, 100 resamples: "
        f"{took:.2f} s, {peak:.0f} MiB on top of {many.nbytes / 2**20:.0f} MiB of counts"
    )


if __name__ == "__main__":
    run()
