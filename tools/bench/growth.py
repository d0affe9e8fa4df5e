"""Growth of time and memory with ten times the data."""

import math
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tools.bench.corpus import Corpus
from tools.bench.measuring import Contender, Makers, Measured, contest, tell
from tools.bench.tables import Section, Target, took

OURS = "treegauge"
LINEAR = 1.15
"""Exponents up to this count as linear, to allow for caches and noise."""


@dataclass(frozen=True)
class Curve:
    """Sizes, measurements at each, and fitted exponents.

    The exponent b of c size^b is fitted by least squares on logarithms; memory is relative to the
    smallest run.
    """

    sizes: tuple[float, ...]
    runs: tuple[Measured, ...]

    @property
    def exponent(self) -> float:
        """Exponent of time."""
        x = [math.log(size) for size in self.sizes]
        y = [math.log(one.seconds) for one in self.runs]
        middle, level = sum(x) / len(x), sum(y) / len(y)
        slope = sum((a - middle) * (b - level) for a, b in zip(x, y, strict=True))
        return slope / sum((a - middle) ** 2 for a in x)

    @property
    def factor(self) -> float:
        """Growth factor of time for ten times the data, from the last two sizes."""
        rise = math.log(self.runs[-1].seconds / self.runs[-2].seconds)
        return math.exp(rise / math.log10(self.sizes[-1] / self.sizes[-2]))

    @property
    def bytes_each(self) -> float:
        """Bytes per further unit, from the last two sizes."""
        more = self.runs[-1].peak - self.runs[-2].peak
        return 1e6 * more / (self.sizes[-1] - self.sizes[-2])

    def row(self, name: str) -> list[str]:
        """Return the row of the table."""
        return [
            name,
            " ".join(f"{size:,.0f}" for size in self.sizes),
            " ".join(took(one.seconds) for one in self.runs),
            f"{self.factor:.1f}",
            f"{self.exponent:.2f}",
            " ".join(f"{one.peak:.0f}" for one in self.runs),
            f"{self.bytes_each:,.1f}" if self.sizes[-1] > 1000 else "",
        ]


HEAD = ("", "sizes", "s", "factor for 10x", "exponent", "peak MB", "bytes per unit")


def reader(columns: bool) -> Callable[[], Contender]:
    """Return a function that reads a file and, optionally, creates all ten columns."""
    return _reading("treegauge_frame" if columns else "treegauge")


def _reading(name: str) -> Callable[[], Contender]:
    def make() -> Contender:
        from tools.bench import reading

        return Contender(getattr(reading, name)().action, lambda _: None)

    return make


def scorer(resamples: int) -> Callable[[], Contender]:
    """Return a function that scores a pair of files."""

    def make() -> Contender:
        from tools.bench.scoring import treegauge

        return Contender(treegauge(resamples, "percentile").action, lambda _: None)

    return make


def measurer() -> Contender:
    """Compute all measures of one file."""
    from treegauge.measures.measure import measure

    return Contender(lambda path: measure("all", path), lambda _: None)


def splitter() -> Contender:
    """Search for the split with the smallest distance."""
    from treegauge.splitting.assignment import make_split, pool

    return Contender(lambda path: make_split(pool(path), "low", seed=0), lambda _: None)


def ranker(share: int | None = None) -> Callable[[], Contender]:
    """Return a function for the exact count of this number of treebanks."""

    def make() -> Contender:
        import numpy as np
        import polars as pl

        from treegauge.ranking.reading import read_leaderboard
        from treegauge.ranking.stability.exact_win_rates import exact_ranks

        whole = read_leaderboard("conll18")

        def run(treebanks: int) -> Any:
            chosen = np.random.default_rng(0).integers(len(whole.treebanks), size=treebanks)
            names = tuple(f"treebank{i}" for i in range(treebanks))
            table = replace(
                whole, treebanks=names, values=whole.values[:, chosen], metadata=pl.DataFrame({"treebank": names})
            )
            return exact_ranks(table, size=treebanks // share if share else 10)

        return Contender(run, lambda _: None)

    return make


def sampler() -> Contender:
    """Rank over this number of random subsets."""
    from tools.bench.ranking import sampled

    return Contender(sampled().action, lambda _: None)


def resampler(units: int | None) -> Callable[[], Contender]:
    """Return a function that resamples this number of sentences, or this number of times."""

    def make() -> Contender:
        from tools.bench.resampling import f1, sentences
        from treegauge.statistics.bootstrap import bootstrap

        def run(size: int) -> Any:
            counts = sentences(size if units is None else units)
            return bootstrap(counts, f1, resamples=1000 if units is None else size)

        return Contender(run, lambda _: None)

    return make


def recorder() -> Contender:
    """Record this number of cells."""
    from tools.bench.ledger import recorded

    def run(cells: int) -> None:
        with tempfile.TemporaryDirectory(prefix="treegauge-bench-") as folder:
            recorded(Path(folder), cells)

    return Contender(run, lambda _: None)


def resumer() -> Contender:
    """Find the missing cells among this number of recorded ones; there are none."""
    from tools.bench.ledger import batches, missing, recorded

    folder = tempfile.TemporaryDirectory(prefix="treegauge-bench-")
    made: dict[int, Any] = {}

    def run(cells: int) -> None:
        if cells not in made:
            made[cells] = recorded(Path(folder.name) / str(cells), cells)
        if missing(made[cells], batches(cells)):
            raise SystemExit("cells are missing")

    return Contender(run, lambda _: None)


READ, COLUMNS, SCORE, INTERVALS = "reading", "ten columns", "scoring", "scoring, 1,000 resamples"
MEASURE, SPLIT = "all measures", "split, low EDV"
BY_TREEBANKS, BY_BOTH = "exact ranking, size 10", "exact ranking, size an eighth"
SAMPLES, UNITS, DRAWS = "ranking, random subsets", "1,000 resamples", "resamples of 2,600 sentences"
RECORD, RESUME = "recording cells", "resuming cells"
JOBS: dict[str, Makers] = {
    name: {OURS: maker}
    for name, maker in {
        READ: reader(False), COLUMNS: reader(True), SCORE: scorer(0), INTERVALS: scorer(1000),
        MEASURE: measurer, SPLIT: splitter, BY_TREEBANKS: ranker(), BY_BOTH: ranker(share=8),
        SAMPLES: sampler, UNITS: resampler(None), DRAWS: resampler(2_600),
        RECORD: recorder, RESUME: resumer,
    }.items()
}  # fmt: skip
SIZES: Mapping[str, tuple[int, ...]] = {
    BY_TREEBANKS: (41, 82, 164, 328),
    BY_BOTH: (41, 82, 164),
    SAMPLES: (100_000, 1_000_000, 10_000_000),
    UNITS: (2_600, 26_000, 260_000),
    DRAWS: (1_000, 10_000, 100_000),
    RECORD: (10_000, 100_000, 1_000_000),
    RESUME: (10_000, 100_000, 1_000_000),
}
COUNTED = {
    **dict.fromkeys((READ, COLUMNS, MEASURE), "words"),
    **dict.fromkeys((SCORE, INTERVALS), "words, two files"),
    SPLIT: "sentences", **dict.fromkeys((BY_TREEBANKS, BY_BOTH), "treebanks"),
    SAMPLES: "subsets", UNITS: "sentences", DRAWS: "resamples",
    **dict.fromkeys((RECORD, RESUME), "cells"),
}  # fmt: skip
STEEP = {BY_TREEBANKS, BY_BOTH}
"""Jobs with superlinear growth; the text says why."""


def curve(job: str, given: Sequence[Sequence[str | Path | float]], sizes: Sequence[float],
          small: Sequence[str | Path | float], repeats: int) -> Curve:  # fmt: skip
    """Measure a job at growing sizes; the largest once."""
    runs = []
    for i, one in enumerate(given):
        rounds = 1 if i == len(given) - 1 else repeats
        found = contest("growth", job, [OURS], *one, small=small, repeats=rounds)
        runs.append(found[OURS])
    return Curve(tuple(sizes), tuple(runs))


def of_files(job: str, corpus: Corpus, repeats: int) -> Curve:
    """Measure a job on a tenth of the corpus, all of it, and all of it ten times over."""
    pairs = (corpus.tenth, (corpus.gold, corpus.system), ten_times(corpus))
    count = 2 if job in {SCORE, INTERVALS} else 1
    total = corpus.sentences if COUNTED[job] == "sentences" else corpus.words
    sizes = (total / 10, total, total * 10)
    return curve(job, [pair[:count] for pair in pairs], sizes, corpus.small[:count], repeats)


def of_numbers(job: str, repeats: int) -> Curve:
    """Measure a job whose argument is a number."""
    sizes = SIZES[job]
    # The warm-up records the cells to be resumed.
    small = [] if job == RESUME else [sizes[0]]
    return curve(job, [[size] for size in sizes], sizes, small, repeats)


def ten_times(corpus: Corpus) -> tuple[Path, Path]:
    """Write both files ten times over, once."""
    made = []
    for path in (corpus.gold, corpus.system):
        many = path.with_name(f"ten-{path.name}")
        if not many.exists():
            tell(f"writing {path.name} ten times")
            with many.open("wb") as file:
                for _ in range(10):
                    with path.open("rb") as one:
                        shutil.copyfileobj(one, file)
        made.append(many)
    return made[0], made[1]


def run(corpus: Corpus, repeats: int) -> Section:
    """Measure all jobs at three sizes or more."""
    rows, targets = [], []
    for job in JOBS:
        found = of_numbers(job, repeats) if job in SIZES else of_files(job, corpus, repeats)
        rows.append(found.row(f"{job} ({COUNTED[job]})"))
        if job not in STEEP:
            aim = f"{job}: linear or better (exponent at most {LINEAR})"
            targets.append(Target(aim, f"{found.exponent:.2f}", found.exponent <= LINEAR))
    text = (
        "Files are a tenth of the corpus, the corpus, and ten copies of it. The exponent b is "
        "fitted to time = c size^b; a constant start brings it below 1. Exact ranking adds up, for "
        "each pair of systems, treebanks x subset size x possible sums: more than linear with a "
        "fixed subset size, cubic where it grows with the number of treebanks."
    )
    return Section("Growth", text, HEAD, rows, targets)
