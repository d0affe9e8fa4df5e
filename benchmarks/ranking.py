"""A million subsets, all subsets, and how the cost grows: 26 systems x 82 treebanks, size 10.

``python -m benchmarks.ranking [LARGEST]``: samples up to LARGEST, by default a hundred million.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from treegauge.ranking.exact import exact
from treegauge.ranking.scores import Scores, read_scores
from treegauge.ranking.stability import stability

LARGEST = 100_000_000
COMMAND = "rank conll18 --metric las --size 10 --samples 1000000 --seed 0 --format json".split()


def seconds(action: Callable[[], object]) -> tuple[float, float]:
    """Return wall and processor seconds of one run."""
    wall, cpu = time.perf_counter(), time.process_time()
    action()
    return time.perf_counter() - wall, time.process_time() - cpu


def sketch(scores: Scores, samples: int) -> None:
    """Do the plain thing with numpy: shuffle, average, sort; a yardstick for the same machine."""
    random = np.random.default_rng(0)
    table = scores.values.T
    for _ in range(samples // 10_000):
        chosen = random.random((10_000, len(table))).argsort(axis=1)[:, :10]
        table[chosen].mean(axis=1).argsort(axis=1).argsort(axis=1)


def whole_command(*extra: str) -> tuple[float, float]:
    """Run the command line in a process of its own; return wall seconds and peak MB."""
    code = (
        "import resource, sys; from treegauge.cli.app import app; "
        "app(sys.argv[1:], standalone_mode=False); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *COMMAND, *extra], check=True, capture_output=True, text=True
    )
    return time.perf_counter() - start, int(done.stderr.split()[-1]) * 1024 / 1e6


def run(largest: int = LARGEST) -> None:
    """Print times, peak memory and growth."""
    scores = read_scores("conll18")
    print("rank stability, 26 systems x 82 treebanks, subsets of 10")
    for name, extra in (("1,000,000 samples", []), ("all subsets (--exact)", ["--exact"])):
        took, peak = whole_command(*extra)
        print(f"  whole command, {name}: {took:.2f} s, peak {peak:.0f} MB")
    wall, cpu = seconds(lambda: exact(scores, size=10))
    print(f"  exact, 325 pairs, size 10: {wall:.2f} s ({cpu:.2f} s of processor)")
    wall, cpu = seconds(lambda: exact(scores, size="all"))
    print(f"  exact, 325 pairs, all 82 sizes: {wall:.2f} s ({cpu:.2f} s of processor)")
    plain, _ = seconds(lambda: sketch(scores, 100_000))
    print(f"  plain numpy sketch, 100,000 samples: {plain:.2f} s")
    samples = 100_000
    while samples <= largest:
        wall, cpu = seconds(lambda n=samples: stability(scores, samples=n))  # type: ignore[misc]
        ratio = plain / 100_000 / (wall / samples)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
        print(
            f"  stability, {samples:>11,} samples: {wall:7.2f} s ({cpu:.2f} s of processor, "
            f"{1e9 * cpu / samples:.0f} ns a sample), {ratio:.1f}x the sketch, peak {peak:.0f} MB",
            flush=True,
        )
        samples *= 10


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else LARGEST)
