"""One range of seeds in a separate process: ``python -m tools.fuzz.worker NAME START STOP FOLDER``.

The current seed is in a file that the parent reads if this process dies or hangs. Findings
are written to FOLDER with the input that shows them. The last line printed is a row of results.
"""

import json
import mmap
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random

from tools.fuzz.targets import load


def main() -> None:
    """Try the inputs of a range of seeds."""
    name, first, last, place = sys.argv[1:]
    print(json.dumps(tried(name, int(first), int(last), Path(place))))


def tried(name: str, start: int, stop: int, folder: Path) -> dict[str, object]:
    """Return the row of a range: counts of outcomes, and the seeds that failed."""
    target = load(name)
    folder.mkdir(parents=True, exist_ok=True)
    current = folder / f"{name}-{start}.current"
    current.write_bytes(bytes(8))
    outcomes: Counter[str] = Counter()
    findings = []
    began = time.process_time()
    with current.open("r+b") as file, mmap.mmap(file.fileno(), 8) as at:
        for seed in range(start, stop):
            at[:] = seed.to_bytes(8, "little")
            data = target.make(Random(seed))
            try:
                outcomes[target.check(data)] += 1
            except KeyboardInterrupt:
                raise
            except BaseException:  # any exception is a finding
                findings.append(seed)
                keep(folder, name, seed, data, traceback.format_exc())
    current.unlink()
    seconds = round(time.process_time() - began, 2)
    return {
        "target": name, "start": start, "stop": stop, "each": target.each, "seconds": seconds,
        "outcomes": dict(sorted(outcomes.items())), "findings": findings,
    }  # fmt: skip


def keep(folder: Path, name: str, seed: int, data: bytes, why: str) -> None:
    """Write a finding: the input, and what happened."""
    (folder / f"{name}-{seed}.input").write_bytes(data)
    (folder / f"{name}-{seed}.txt").write_text(why)
    print(f"finding: {name}, seed {seed}: {why.strip().splitlines()[-1]}", file=sys.stderr)


if __name__ == "__main__":
    main()
