"""The Content paper, redone on UD 2.9: what attachment scores reward."""

import polars as pl

from replications import content_data, content_figures, content_scores, content_wde
from replications.parts import Part

UD = ("r2.9",)
RUNS = (
    "long: treegauge run plans/all_treebanks_beam.toml --store ../runs/all_treebanks/beam, the "
    "same for mst and udpipe, then python -m replications {name}; 14, 16 and 66 min, one at a "
    "time on two cores shared with other work"
)


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col("treebank").str.strip_prefix("UD_"))


def _scores(frame: pl.DataFrame) -> pl.DataFrame:
    """Return what both parsers that were run everywhere score, and UDPipe's LAS."""
    shown = ["las", "wlas", "content_f1", "function_f1"]
    wide = _plain(frame).pivot("parser", index="treebank", values=shown, maintain_order=True)
    names = [f"{name}_{parser}" for name in shown for parser in ("beam", "mst")]
    return wide.select("treebank", *names, "las_udpipe")


def _matrix(frame: pl.DataFrame) -> pl.DataFrame:
    """Return beam's coefficients by choice of treebanks beside the printed ones, and mst's."""
    some = frame.filter(parser="beam")
    pair = ["x", "y"]
    wide = some.pivot("treebanks", index=[*pair, "printed"], values="ours", maintain_order=True)
    mst = frame.filter(parser="mst", treebanks="enough").select(*pair, mst="ours")
    why = some.filter(treebanks="enough").select(*pair, "why")
    for other in (mst, why):
        wide = wide.join(other, on=pair, how="left", maintain_order="left")
    return wide


PARTS: tuple[Part, ...] = (
    Part("content_treebanks", "The treebanks at hand", content_data.treebanks, UD, shown=_plain),
    Part("content_wde", "Average word dependency entropy (Figure 2)", content_wde.averages, UD),
    Part("content_order", "Pairs of relations in order", content_wde.order),
    Part("content_sttr", "STTR and shares of relations (Figure 3)", content_wde.sttr),
    Part(
        "content_scores", "Scores of our parsers (Figure 4)", content_data.scores, UD,
        apart=RUNS.format(name="content_scores"), shown=_scores,
    ),
    Part("content_matrix", "Correlations of scores (Table 3)", content_scores.matrix,
         shown=_matrix),
    Part("content_agreement", "Table 3 summed up", content_scores.agreement),
    Part("content_variance", "Cumulative variance (Figure 5)", content_scores.variance),
    Part("content_spread", "Figure 5 summed up", content_scores.spread),
    Part("content_weights", "One set of weights, or one a language", content_scores.weights),
    Part("content_figures", "Figures 2 to 5 and Table 3 drawn", content_figures.drawn, UD),
)  # fmt: skip
