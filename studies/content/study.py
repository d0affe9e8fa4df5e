"""The Content paper replicated on UD 2.9: what attachment scores reward."""

import polars as pl

from studies.content import data as content_data
from studies.content import figures as content_figures
from studies.content import maltparser
from studies.content import scores as content_scores
from studies.content import wde as content_wde
from studies.content.malt import MALT
from studies.parts import Part, kept

UD = ("r2.9",)
RUNS = (
    "long: treegauge run studies/content/all_treebanks_beam.toml --store ../runs/all_treebanks/beam, the "
    "same for mst and udpipe, then python -m studies {name}; seed 0, 14, 16 and 66 min, one "
    "at a time on two cores shared with other work"
)


def _table3(frame: pl.DataFrame) -> pl.DataFrame:
    kept = frame.filter(tags="upos").select("x", "y", "printed", "ours", "least", "most", "state")
    both = frame.filter(tags="both").select("x", "y", pl.col("ours").alias("with XPOS"))
    return kept.join(both, on=["x", "y"], maintain_order="left")


def _sttr(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select("types", "words", "share", "printed", "ours", "low", "high")


def _none(frame: pl.DataFrame) -> pl.DataFrame:
    """Return no row: the cells of this table are counted in another, on the paper's release."""
    return frame.head(0)


MALTPARSER = "long: TREEGAUGE_UD=FOLDER python -m studies {}, with r1.2 and maltparser_r1.2 unpacked there; about 30 s"
PARTS: tuple[Part, ...] = (
    Part("content_treebanks", "The treebanks at hand", content_data.treebanks, UD),
    Part("content_wde", "Average word dependency entropy (Figure 2)", content_wde.averages, UD),
    Part("content_order", "Pairs of relations in order", content_wde.order),
    Part("content_sttr", "STTR and shares of relations, UD 2.9", content_wde.sttr, counted=_none),
    Part(
        "content_scores", "Scores of our parsers (Figure 4)", content_data.scores, UD,
        apart=RUNS.format(name="content_scores"),
    ),
    kept(
        MALT, "Scores of the parser nearest to MaltParser's default",
        "long: python -m studies.content.runs TREES, then python -m studies.content.malt "
        "TREES; seeds 0 to 2, 5 min of processor time",
    ),
    Part("content_matrix", "Correlations of scores (Table 3)", content_scores.matrix,
         counted=_none),
    Part(maltparser.WEIGHTS, "Average WDE over 34 treebanks of UD 1.2 (Figure 2)", maltparser.weights,
         apart=MALTPARSER.format(maltparser.WEIGHTS)),
    Part(maltparser.SCORES, "MaltParser's scores on 20 treebanks of UD 1.2 (Figure 4)", maltparser.scores,
         apart=MALTPARSER.format(maltparser.SCORES)),
    Part("content_table3", "Table 3, MaltParser on UD 1.2", maltparser.matrix,
         shown=_table3, counted=maltparser.counted),
    Part("content_order12", "Pairs of relations in order, UD 1.2", maltparser.order),
    Part("content_sttr12", "STTR and shares of relations, UD 1.2 (Figure 3)", maltparser.vocabulary,
         shown=_sttr, counted=maltparser.counted),
    Part("content_decrease", "From LAS to content scores, and STTR", maltparser.decreases),
    Part("content_spread12", "Variance of scores, UD 1.2 (Figure 5)", maltparser.spread),
    Part("content_agreement", "Table 3 summed up", content_scores.agreement),
    Part("content_variance", "Cumulative variance (Figure 5)", content_scores.variance),
    Part("content_spread", "Figure 5 summed up", content_scores.spread),
    Part("content_weights", "One set of weights, or one a language", content_scores.weights),
    Part("content_figures", "Figures 2 to 5 and Table 3 drawn", content_figures.drawn, UD),
)  # fmt: skip
