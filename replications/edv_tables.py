"""EDV against parsing scores on the UD 2.5 treebanks at hand, with both variants of EDV.

Run ``python -m replications.edv_tables``; the treebanks are looked for under ``TREEGAUGE_UD``. It
prints the counterparts of Table 2 (each variable alone) and Table 4 (given covariates).
"""

import os
from pathlib import Path

import polars as pl

from treegauge.data import ud25
from treegauge.measure.measuring import measure
from treegauge.stats.correlation import correlate

SIZES = (
    "train_words", "train_sentences", "mean_train_length", "test_words", "test_sentences",
    "mean_test_length",
)  # fmt: skip
DISTANCES = ("edv", "edv_masses", "slv")


def measured() -> pl.DataFrame:
    """Return published scores and sizes beside the distances of the treebanks at hand."""
    root = Path(os.environ.get("TREEGAUGE_UD", "../shared/ud")) / "r2.5"
    found = measure(",".join(DISTANCES), str(root)).wide
    name = pl.col("treebank").str.strip_prefix("UD_")
    return ud25().join(found.with_columns(name), on="treebank", how="inner").drop_nulls(DISTANCES)


def main() -> None:
    """Print both tables."""
    frame = measured()
    print(f"{frame.height} treebanks of UD 2.5\n\nEach variable alone (as Table 2):")
    print(correlate(frame, "las", [*SIZES, *DISTANCES], seed=0))
    print("\nGiven the size of the train part and the mean test length (as Table 4):")
    print(correlate(frame, "las", DISTANCES, ["train_words", "mean_test_length"], seed=0))


if __name__ == "__main__":
    main()
