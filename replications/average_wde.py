"""Average the word dependency entropy of UD 2.9 treebanks and package it for weighted LAS.

Run ``python -m replications.average_wde``; the treebanks are looked for under ``TREEGAUGE_UD``.
"""

import os
from pathlib import Path

import polars as pl

import treegauge.data
from treegauge.measure.entropy import average_wde, word_dependency_entropy
from treegauge.treebank.conllu import read_conllu

TARGET = Path(treegauge.data.__file__).parent / "wde.parquet"


def main() -> None:
    """Compute, write and print the table."""
    root = Path(os.environ.get("TREEGAUGE_UD", "../shared/ud")) / "r2.9"
    folders = sorted(root.glob("UD_*"))
    each = [word_dependency_entropy(read_conllu(folder)) for folder in folders]
    average = average_wde(each)
    frame = pl.DataFrame(
        {
            "relation": list(average),
            "wde": list(average.values()),
            "treebanks": [sum(name in one for one in each) for name in average],
        }
    ).sort("wde")
    frame.write_parquet(TARGET, compression="zstd")
    with pl.Config(tbl_rows=-1):
        print(f"{len(folders)} treebanks", frame)


if __name__ == "__main__":
    main()
