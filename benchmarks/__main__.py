"""``python -m benchmarks [NAMES...]``: all parts or those named, beside their peers."""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks import corpus, reading, running, scoring, streaming, training
from benchmarks.measuring import tell
from benchmarks.tables import Section, wrap

PAGE = Path("docs/benchmarks.md")
CONTESTS = {"reading": reading.run, "scoring": scoring.run, "streaming": streaming.run}
OWN_DATA = {"training": training.run, "running": lambda _: running.run()}
REPORTS = {"resampling": "Resampling", "ranking": "Ranking"}
PARTS = [*CONTESTS, *OWN_DATA, *REPORTS]
PACKAGES = "treegauge numpy numba polars ufal.udpipe udapi udtools pyconll conllu".split()


def main() -> int:
    """Run the parts; 1 if a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--repeats", type=int, default=3, help="best of so many rounds (3)")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE}")
    options = parser.parse_args()
    for name in options.names:
        if name not in PARTS:
            parser.error(f"no part {name!r}; there are {', '.join(PARTS)}")
    names = options.names or PARTS
    sections = []
    with tempfile.TemporaryDirectory(prefix="treegauge-bench-") as folder:
        files = corpus.make(Path(folder)) if set(names) & set(CONTESTS) else None
        for name in names:
            if name in CONTESTS and files:
                sections.append(CONTESTS[name](files, options.repeats))
            elif name in OWN_DATA:
                sections.append(OWN_DATA[name](options.repeats))
            else:
                sections.append(report(name))
            print(f"{sections[-1]}\n", flush=True)
    if options.write:
        PAGE.write_text("\n\n".join([preface(options.repeats), *map(str, sections)]) + "\n")
        tell(f"wrote {PAGE}")
    missed = [target for section in sections for target in section.targets if not target.reached]
    print("\n".join(map(str, missed)) if missed else "all targets reached")
    return 1 if missed else 0


def report(name: str) -> Section:
    """Run a part that prints its own lines."""
    tell(name)
    command = [sys.executable, "-m", f"benchmarks.{name}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Section(REPORTS[name], f"```\n{done.stdout.rstrip()}\n```")


def preface(repeats: int) -> str:
    """Say how the figures were made, and with what."""
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} (not installed)")
    how = (
        "Written by `python -m benchmarks --write`; `make bench` prints the same of your machine. "
        "Every contender runs in a fresh process, contenders take turns, and each figure is the "
        f"best of {repeats} rounds. Seconds depend on the machine and on what else it does, ratios "
        "much less. MB are millions of bytes; peak memory is the most the whole process ever "
        "held, its interpreter and libraries included."
    )
    here = (
        f"Here: {platform.system()}, {os.cpu_count()} cores, load {os.getloadavg()[2]:.1f} (1 is "
        f"the benchmarks' own), Python {platform.python_version()}; {', '.join(found)}."
    )
    return "\n\n".join(["# Benchmarks", wrap(how), wrap(here)])


if __name__ == "__main__":
    sys.exit(main())
