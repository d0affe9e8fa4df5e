"""The Content paper, redone on UD 2.9: what attachment scores reward."""

import polars as pl

from replications import content_data, content_figures, content_wde
from replications.parts import Part

UD = ("r2.9",)


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col("treebank").str.strip_prefix("UD_"))


PARTS: tuple[Part, ...] = (
    Part("content_treebanks", "The treebanks at hand", content_data.treebanks, UD, shown=_plain),
    Part("content_wde", "Average word dependency entropy (Figure 2)", content_wde.averages, UD),
    Part("content_order", "Pairs of relations in order", content_wde.order),
    Part("content_sttr", "STTR and shares of relations (Figure 3)", content_wde.sttr),
    Part("content_figures", "Figures 2 and 3 drawn", content_figures.drawn, UD),
)  # fmt: skip
