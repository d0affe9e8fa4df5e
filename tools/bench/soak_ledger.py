"""Ledger operations of the soak test in a separate process: record, resume or filter."""

import sys
from pathlib import Path

from tools.bench.ledger import batches, missing, recorded


def main() -> None:
    """Run ``WHAT FOLDER CELLS``."""
    from treegauge.experiments.cell_store import Store

    what, place, number = sys.argv[1:]
    folder, cells = Path(place), int(number)
    if what == "record":
        recorded(folder, cells)
    elif what == "resume":
        assert missing(Store(folder / "s"), batches(cells)) == 0
    else:
        assert len(Store(folder / "s").results(provenance=False, treebank="*-0"))


if __name__ == "__main__":
    main()
