"""Distances between the sets of random, sampled and optimised splits, on ten treebanks.

Run ``python -m studies.selection.split_distances``; with ``--write`` the table goes into
``docs/splitting.md``. The treebanks are looked for under ``TREEGAUGE_UD``. Means over ten seeds.
"""

import sys
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl

from studies.treebanks import release_folder
from treegauge.splitting.assignment import make_split, pool

TREEBANKS = (
    "Afrikaans-AfriBooms", "English-LinES", "Greek-GDT", "Kazakh-KTB", "Marathi-UFAL",
    "Tamil-TTB", "Telugu-MTG", "Turkish-IMST", "Uyghur-UDT", "Vietnamese-VTB",
)  # fmt: skip
PAGE = Path(__file__).parents[2] / "docs" / "splitting.md"


SEEDS = range(10)
KINDS: dict[str, dict[str, Any]] = {
    "low, optimised": {"objective": "low"},
    "low, sampler": {"objective": "sampled-low"},
    "random": {"objective": "random", "documents": False, "min_words": 3},
    "high, sampler": {"objective": "sampled-high"},
    "high, optimised": {"objective": "high"},
}


def distances() -> pl.DataFrame:
    """Return EDV of test from train for each kind of split."""
    root = release_folder("r2.9")
    rows = []
    for name in TREEBANKS:
        sentences = pool(root / f"UD_{name}")
        found = {
            kind: [make_split(sentences, seed=seed, **options).edv for seed in SEEDS] for kind, options in KINDS.items()
        }
        rows.append({"treebank": name} | {kind: fmean(edv) for kind, edv in found.items()})
    return pl.DataFrame(rows)


def main() -> None:
    """Print the table, or write it into the page."""
    frame = distances()
    head = f"| {' | '.join(frame.columns)} |\n|---|{'---:|' * (len(frame.columns) - 1)}\n"
    rows = [[row[0], *(f"{value:.3f}" for value in row[1:])] for row in frame.iter_rows()]
    table = head + "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"
    print(table)
    if "--write" in sys.argv:
        text = PAGE.read_text(encoding="utf-8")
        above, found, _ = text.partition("| treebank |")
        if not found:
            raise SystemExit(f"{PAGE}: found no table to replace")
        PAGE.write_text(above + table, encoding="utf-8")


if __name__ == "__main__":
    main()
