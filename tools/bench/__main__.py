"""``python -m tools.bench [NAMES...]``: run all parts, or those named, with their peers."""

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tools.bench import (
    corpus,
    everyday,
    growth,
    leaderboard,
    leaks,
    measures,
    ranking,
    reading,
    resampling,
    running,
    scoring,
    splitting,
    streaming,
    training,
    validation,
)
from tools.bench.machine import machine
from tools.bench.measuring import SLOW, tell
from tools.bench.tables import Section, wrap
from tools.docs import tables

PAGE = Path("docs/benchmarks.md")
ON_CORPUS: dict[str, Callable[[corpus.Corpus, int], Section]] = {
    "everyday": everyday.run, "reading": reading.run, "scoring": scoring.run,
    "streaming": streaming.run, "measuring": measures.run, "splitting": splitting.run,
    "growth": growth.run, "validation": validation.run,
}  # fmt: skip
OWN_DATA: dict[str, Callable[[int], Section]] = {
    "ranking": ranking.run, "leaderboard": leaderboard.run, "resampling": resampling.run,
    "training": training.run, "running": running.run, "leaks": leaks.run,
}  # fmt: skip
# Running fills this process with dask and a ledger, and so comes last.
PARTS = (
    "everyday reading scoring validation streaming measuring splitting leaks ranking leaderboard "
    "resampling growth training running"
).split()


def main() -> int:
    """Run the parts; return 1 if a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--repeats", type=int, default=3, help="number of rounds, of which the median counts (3)")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE}, or parts of it")
    options = parser.parse_args()
    for name in options.names:
        if name not in PARTS:
            parser.error(f"no part {name!r}; there are {', '.join(PARTS)}")
    names = [name for name in PARTS if name in (options.names or PARTS)]
    sections = []
    with tempfile.TemporaryDirectory(prefix="treegauge-bench-") as folder:
        files = corpus.make(Path(folder)) if set(names) & set(ON_CORPUS) else None
        for name in names:
            if name in ON_CORPUS and files:
                sections.append(ON_CORPUS[name](files, options.repeats))
            else:
                sections.append(OWN_DATA[name](options.repeats))
            print(f"{sections[-1]}\n", flush=True)
    if options.write:
        made = page(preface(options.repeats), list(map(str, sections)), PAGE.read_text("utf-8"))
        tables.write(PAGE.resolve(), made, rows=tables.FEW)
        tell(f"wrote {PAGE}")
    missed = [target for section in sections for target in section.targets if not target.reached]
    print("\n".join(map(str, missed)) if missed else "all targets reached")
    return 1 if missed else 0


def page(beginning: str, sections: list[str], kept: str = "") -> str:
    r"""Replace the sections of a page that have the same names.

    Examples
    --------
    >>> page("# New", ["## B\n\n2", "## C\n\n3"], "# Old\n\n## A\n\n1\n\n## B\n\n0\n")
    '# New\n\n## A\n\n1\n\n## B\n\n2\n\n## C\n\n3\n'
    """
    made = {one.partition("\n")[0]: one for one in sections}
    old = [f"## {one}".rstrip() for one in kept.split("\n## ")[1:]]
    whole = {one.partition("\n")[0]: one for one in old} | made
    return "\n\n".join([beginning, *whole.values()]) + "\n"


def preface(repeats: int) -> str:
    """Return how the figures were measured, and on what machine."""
    how = (
        "`make bench` measures everything again; `python -m tools.bench NAME --write` rewrites one "
        "section. Contenders take turns, each in a fresh process after an untimed warm-up; figures "
        f"are medians of {repeats} rounds (two where a round takes more than {SLOW:g} s). Ratios "
        "depend less on the machine and its load than seconds. MB are millions of bytes; peak "
        "memory is that of the whole process. Machine and versions are those of the section "
        "written last."
    )
    return "\n\n".join(["# Benchmarks", wrap(how), wrap(machine())])


if __name__ == "__main__":
    sys.exit(main())
