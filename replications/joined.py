"""All measures and what an audit finds, of all treebanks at hand."""

import polars as pl

from replications import joined_data
from replications.parts import Part

UD = ("r2.9",)


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col("treebank").str.strip_prefix("UD_"))


PARTS: tuple[Part, ...] = (
    Part("joined_measures", "Every measure of every treebank", joined_data.measures, UD),
    Part("joined_audit", "What an audit finds, in numbers", joined_data.audits, UD, shown=_plain),
)
