"""How far apart the parts of random, sampled and optimised splits are, on ten treebanks.

Run ``python -m replications.split_distances``; with ``--write`` the table goes into
``docs/splitting.md``. The treebanks are looked for under ``TREEGAUGE_UD``.
"""

import os
import sys
from pathlib import Path

import polars as pl

from treegauge.split.pool import pool
from treegauge.split.splitting import split

TREEBANKS = (
    "Afrikaans-AfriBooms", "English-LinES", "Greek-GDT", "Kazakh-KTB", "Marathi-UFAL",
    "Tamil-TTB", "Telugu-MTG", "Turkish-IMST", "Uyghur-UDT", "Vietnamese-VTB",
)  # fmt: skip
PAGE = Path(__file__).parent.parent / "docs" / "splitting.md"


def distances(seed: int = 0) -> pl.DataFrame:
    """Return EDV of test from train for each kind of split."""
    root = Path(os.environ.get("TREEGAUGE_UD", "../shared/ud")) / "r2.9"
    rows = []
    for name in TREEBANKS:
        sentences = pool(root / f"UD_{name}")
        rows.append(
            {
                "treebank": name,
                "low, optimised": split(sentences, "low", seed=seed).edv,
                "low, sampler": split(sentences, "low", seed=seed, method="sampler").edv,
                "random": split(sentences, "random", seed=seed, documents=False, min_words=3).edv,
                "high, sampler": split(sentences, "high", seed=seed, method="sampler").edv,
                "high, optimised": split(sentences, "high", seed=seed).edv,
            }
        )
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
        start = text.index("prints, for ten treebanks of UD 2.9:\n") + len(
            "prints, for ten treebanks of UD 2.9:\n"
        )
        PAGE.write_text(text[:start] + "\n" + table, encoding="utf-8")


if __name__ == "__main__":
    main()
