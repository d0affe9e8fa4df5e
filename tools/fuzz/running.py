"""Ranges of seeds, several at a time, each in a process that may crash or hang."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tools.fuzz import results
from tools.fuzz.targets import load
from tools.fuzz.worker import keep

FINDINGS = Path(__file__).with_name("findings")
CHUNK = 20_000
"""Number of inputs per range."""
PATIENCE = 60.0
"""Maximum seconds per input."""


def run(name: str, count: int, *, start: int, jobs: int = 1, chunk: int = CHUNK) -> int:
    """Try `count` inputs from a seed on, record each range, and return the number of findings."""
    each = load(name).each
    count, step = -(-count // each), max(1, chunk // each)
    ranges = [(at, min(at + step, start + count)) for at in range(start, start + count, step)]
    found = 0
    for row in _rows(name, ranges, jobs):
        results.add(name, [row])
        found += len(row["findings"])
        rate = results.inputs(row) / max(row["seconds"], 1e-9)
        print(
            f"{name}: seeds {row['start']:,} to {row['stop'] - 1:,}, {rate:,.0f} per second, "
            f"{row['outcomes']}, {len(row['findings'])} findings",
            flush=True,
        )
    return found


def _rows(name: str, ranges: list[tuple[int, int]], jobs: int) -> Iterator[results.Row]:
    """Run ranges in processes and yield their rows."""
    waiting = ranges[::-1]
    running: dict[subprocess.Popen[str], tuple[int, int, int, float]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            first, last = waiting.pop()
            line = [sys.executable, "-m", "tools.fuzz.worker", name, str(first), str(last), str(FINDINGS)]
            process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
            running[process] = first, last, -1, time.monotonic()
        time.sleep(0.05)
        for process, (first, last, seed, since) in list(running.items()):
            if process.poll() is None:
                now = _current(name, first)
                if now != seed:
                    running[process] = first, last, now, time.monotonic()
                elif time.monotonic() - since > PATIENCE:
                    process.kill()
                continue
            del running[process]
            output = process.stdout.read() if process.stdout else ""
            if process.returncode == 0:
                yield json.loads(output.splitlines()[-1])
            elif not (FINDINGS / f"{name}-{first}.current").exists():
                raise SystemExit(f"{name} did not start: its process ended at once")
            else:
                yield _ended(name, first, _current(name, first), process.returncode)
                if (after := _current(name, first) + 1) < last:
                    waiting.append((after, last))
                (FINDINGS / f"{name}-{first}.current").unlink(missing_ok=True)


def _current(name: str, start: int) -> int:
    """Return the seed that a range is at."""
    path = FINDINGS / f"{name}-{start}.current"
    data = path.read_bytes() if path.exists() else b""
    return max(start, int.from_bytes(data, "little"))


def _ended(name: str, start: int, seed: int, code: int) -> results.Row:
    """Return the row of a range whose process died: the last input is a finding."""
    from random import Random

    keep(FINDINGS, name, seed, load(name).make(Random(seed)), f"the process ended with {code}")
    return {
        "target": name, "start": start, "stop": seed + 1, "each": load(name).each, "seconds": 0.0,
        "outcomes": {}, "findings": [seed],
    }  # fmt: skip
