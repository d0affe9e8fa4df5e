"""Make all tables of the replications again: ``python -m studies [NAME...] [--pages]``.

Without names all tables are made that need neither a GPU nor an hour, in the order in which they
build on one another; with names, those tables (also the long ones). A table whose treebanks are not
there is left out by name. ``--pages`` only puts the kept tables into the documentation.
"""

import sys
import time
from importlib import import_module
from itertools import chain

from studies.pages import write_pages
from studies.parts import Part

# One module per paper, those that join them, and the front page, which reads all tables.
STUDIES = (
    "fragility.study", "edv.study", "difficulty.study", "selection.study", "content.study", "challenges.study",
    "parsers.study", "parsers.dropout", "parsers.presets", "parsers.encodings", "parsers.confidence", "joined.study",
    "fragility.ranking_rules", "front",
)  # fmt: skip


def all_parts() -> list[Part]:
    """Return the parts of all studies, in order."""
    modules = (import_module(f"studies.{study}") for study in STUDIES)
    return list(chain.from_iterable(module.PARTS for module in modules))


def rebuild(part: Part) -> str:
    """Make one table; say what became of it."""
    if lacking := part.lacking():
        return f"left out: no {' nor '.join(lacking)} under TREEGAUGE_UD"
    start = time.perf_counter()
    changed = part.write()
    took = f"{time.perf_counter() - start:.1f} s"
    return f"{'CHANGED' if changed else 'as it was'}, {took}"


def main() -> None:
    """Make tables, fill the pages, say what was left out."""
    parts = all_parts()
    names = [name for name in sys.argv[1:] if not name.startswith("-")]
    unknown = sorted(set(names) - {part.name for part in parts})
    if unknown:
        sys.exit(f"unknown: {', '.join(unknown)}; there are {', '.join(p.name for p in parts)}")
    for part in [] if "--pages" in sys.argv else parts:
        if names and part.name not in names:
            continue
        if part.apart and not names:
            print(f"{part.name}: kept as committed ({part.apart})")
        else:
            print(f"{part.name}: ", end="", flush=True)
            print(rebuild(part), flush=True)
    for page in write_pages(parts):
        print(f"filled {page}")


if __name__ == "__main__":
    main()
