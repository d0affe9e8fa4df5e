"""``python -m tools.fuzz [NAME...]``: try the next inputs, and store the results."""

import argparse
import json
import os
from collections import defaultdict
from pathlib import Path

from tools.fuzz import results
from tools.fuzz.running import CHUNK, run
from tools.fuzz.targets import NAMES, load


def main() -> int:
    """Run fuzzers; return 1 if there are findings."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--inputs", type=int, default=20_000, help="for each fuzzer (20000)")
    parser.add_argument("--start", type=int, help="first seed, instead of the next one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--chunk", type=int, default=CHUNK, help=f"inputs of a range ({CHUNK})")
    parser.add_argument("--guided", type=int, metavar="SECONDS", help="guide by coverage instead")
    parser.add_argument("--show", type=Path, metavar="INPUT", help="try one input of one fuzzer")
    parser.add_argument("--merge", type=Path, metavar="FILE", help="add rows in JSON lines")
    parser.add_argument("--again", action="store_true", help="try kept findings again")
    options = parser.parse_args()
    for name in options.names:
        if name not in NAMES:
            parser.error(f"no fuzzer {name!r}; there are {', '.join(NAMES)}")
    names = options.names or NAMES
    if options.show:
        print(load(names[0]).check(options.show.read_bytes()))
        return 0
    if options.merge:
        rows = defaultdict(list)
        for line in options.merge.read_text().splitlines():
            row = json.loads(line)
            row = row.get("row", row)
            rows[row["target"]].append(row)
        for name in rows:
            results.add(name, rows[name])
        return 0
    if options.again:
        return sum(results.try_again(name) for name in names)
    found = 0
    for name in names:
        if options.guided:
            from tools.fuzz.guided import guided

            found += guided(name, options.guided)
            continue
        start = results.next_seed(name) if options.start is None else options.start
        found += run(name, options.inputs, start=start, jobs=options.jobs, chunk=options.chunk)
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
