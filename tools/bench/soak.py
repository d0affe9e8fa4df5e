"""Heavy loads, each at two sizes: time, memory, and their growth.

``python -m tools.bench.soak [NAMES...]`` measures them and stores the numbers in
``tools/bench/results/soak.json``; ``--scale 0.01`` runs smaller loads.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.bench.measuring import TREEGAUGE, tell
from treegauge.core.files import atomic

RESULTS = Path(__file__).with_name("results") / "soak.json"
GIGA = 1_000_000_000
LINEAR = 1.15
"""Exponents of time up to here count as linear."""


@dataclass(frozen=True)
class Load:
    """One load at one size: its task, size, time and memory.

    Seconds are wall time and processor time; megabytes are peak memory.
    """

    load: str
    size: float
    unit: str
    seconds: float
    processor: float
    megabytes: float


def measured(load: str, size: float, unit: str, line: Sequence[str | Path], feed: bytes = b"",
             bytes_in: int = 0, pipes: Sequence[Path] = ()) -> Load:  # fmt: skip
    """Run a command and measure it; `bytes_in` of `feed` go to its input, or to each pipe."""
    tell(f"{load}: {size:,.0f} {unit}")
    began = time.perf_counter()
    with subprocess.Popen(
        list(map(str, line)), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as program:
        assert program.stdin is not None
        assert program.stderr is not None
        if bytes_in and not pipes:
            _pour(program.stdin.fileno(), feed, bytes_in)
        program.stdin.close()
        pouring = [threading.Thread(target=_fill, args=(pipe, feed, bytes_in)) for pipe in pipes]
        for thread in pouring:
            thread.start()
        errors = program.stderr.read()
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
        for thread in pouring:
            thread.join()
    if program.returncode not in (0, 1):
        raise SystemExit(f"{load} ended with {program.returncode}: {errors.decode()[-2000:]}")
    took = time.perf_counter() - began
    processor = usage.ru_utime + usage.ru_stime
    return Load(load, size, unit, round(took, 1), round(processor, 1), usage.ru_maxrss // 1000)


def _pour(descriptor: int, feed: bytes, count: int) -> None:
    """Write the same sentences repeatedly, each time with different IDs."""
    written = copy = 0
    while written < count:
        piece = memoryview(feed.replace(b"# sent_id = ", b"# sent_id = %d." % copy))
        while piece:
            sent = os.write(descriptor, piece)
            written += sent
            piece = piece[sent:]
        copy += 1


def _fill(pipe: Path, feed: bytes, count: int) -> None:
    with pipe.open("wb", buffering=0) as file:
        _pour(file.fileno(), feed, count)


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="treegauge-soak-") as name:
        yield Path(name)


def stream(scale: float) -> Iterator[Load]:
    """Check 1 and 10 GB from standard input, and score 1 and 10 GB from two pipes."""
    from treegauge.testing.synthetic import synthetic

    feed = synthetic(700, seed=1).to_bytes()
    for gigabytes in (1, 10):
        size = int(gigabytes * GIGA * scale)
        line = [*TREEGAUGE, "check", "-", "--ud-level", "2", "--format", "json"]
        yield measured("check a stream", size / 1e6, "MB", line, feed, size)
    for gigabytes in (1, 10):
        size = int(gigabytes * GIGA * scale / 2)
        with _folder() as folder:
            pipes = [folder / "gold.conllu", folder / "system.conllu"]
            for pipe in pipes:
                os.mkfifo(pipe)
            line = [*TREEGAUGE, "score", *map(str, pipes)]
            yield measured("score two streams", 2 * size / 1e6, "MB", line, feed, size, pipes)


def suite(scale: float) -> Iterator[Load]:
    """Score 50 systems on 200 and on 2,000 treebanks, with intervals and without tests of pairs."""
    from treegauge.testing.synthetic import synthetic

    systems = 50
    for treebanks in (200, 2000):
        count = max(2, int(treebanks * scale))
        with _folder() as folder:
            names = ["gold", *(f"system{i}" for i in range(systems))]
            for name in names:
                (folder / name).mkdir()
            for number in range(count):
                text = synthetic(3, seed=number).to_bytes()
                for i, name in enumerate(names):
                    own = text.replace(b"\tobj\t", b"\tobl\t", i % 4) if i else text
                    (folder / name / f"xx_t{number}-ud-test.conllu").write_bytes(own)
            folders = [folder / name for name in names]
            line: list[str | Path] = [*TREEGAUGE, "score", *folders, "--test", "none"]
            yield measured(f"score {systems} systems", count, "treebanks", line)


def ledger(scale: float) -> Iterator[Load]:
    """Record, resume and filter a ledger of 100,000 and of a million cells."""
    for cells in (100_000, 1_000_000):
        count = max(4000, int(cells * scale))
        with _folder() as folder:
            for what in ("record", "resume", "filter"):
                line = [sys.executable, "-m", "tools.bench.soak_ledger", what, folder, str(count)]
                yield measured(f"{what} a ledger", count, "cells", line)


def table(scale: float) -> Iterator[Load]:
    """Rank 500 systems on 20,000 subsets of 200 and of 2,000 treebanks."""
    import numpy as np

    systems = 500
    for treebanks in (200, 2000):
        count = max(5, int(treebanks * scale))
        scores = np.random.default_rng(1).normal(80, 5, (count, systems)).round(2)
        with _folder() as folder:
            path = folder / "board.csv"
            rows = ["treebank," + ",".join(f"S{i}" for i in range(systems))]
            rows += [f"t{i}," + ",".join(map(str, row)) for i, row in enumerate(scores.tolist())]
            path.write_text("\n".join(rows) + "\n")
            line: list[str | Path] = [*TREEGAUGE, "rank", "show", path, "--subsets", "20000", "--format", "json"]
            yield measured(f"rank {systems} systems", count, "treebanks", line)


LOADS: dict[str, Callable[[float], Iterator[Load]]] = {
    "ledger": ledger, "table": table, "suite": suite, "stream": stream,
}  # fmt: skip


def kept() -> list[Load]:
    """Return earlier measurements."""
    return [Load(**row) for row in json.loads(RESULTS.read_text())] if RESULTS.exists() else []


def keep(load: Load) -> None:
    """Store one measurement, replacing an earlier one of the same load and size."""
    rows = [one for one in kept() if (one.load, one.size) != (load.load, load.size)]
    lines = ",\n".join(json.dumps(asdict(one)) for one in [*rows, load])
    RESULTS.parent.mkdir(exist_ok=True)
    with atomic(RESULTS) as file:
        file.write(f"[\n{lines}\n]\n".encode())


def main() -> int:
    """Measure loads and store each result."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.soak", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(LOADS))
    parser.add_argument("--scale", type=float, default=1.0, help="share of the sizes; not kept")
    options = parser.parse_args()
    for name in options.names or LOADS:
        for load in LOADS[name](options.scale):
            print(load, flush=True)
            if options.scale == 1.0:
                keep(load)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
