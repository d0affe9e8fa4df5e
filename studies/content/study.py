"""The Content paper replicated on UD 2.9: what attachment scores reward."""

import polars as pl

from studies.content import data as content_data
from studies.content import figures as content_figures
from studies.content import reasons as content_reasons
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


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col("treebank").str.strip_prefix("UD_"))


def _scores(frame: pl.DataFrame) -> pl.DataFrame:
    """Return what both parsers that were run everywhere score, and UDPipe's LAS."""
    shown = ["las", "content_f1", "function_f1"]
    wide = _plain(frame).pivot("parser", index="treebank", values=shown, maintain_order=True)
    names = [f"{name}_{parser}" for name in shown for parser in ("beam", "mst")]
    return wide.select("treebank", *names, "las_udpipe")


def _malt(frame: pl.DataFrame) -> pl.DataFrame:
    return _plain(frame).select(
        "treebank", "las", "las_sd", "wlas", "content_precision", "content_recall",
        "function_precision", "function_recall", "function_share",
    )  # fmt: skip


def _matrix(frame: pl.DataFrame) -> pl.DataFrame:
    """Return coefficients of each parser over treebanks with enough sentences, and the reason."""
    some, pair = frame.filter(treebanks="enough"), ["x", "y"]
    wide = some.pivot("parser", index=[*pair, "printed"], values="ours", maintain_order=True)
    malt = some.filter(parser="malt").select(*pair, "heads only", "relations only", "why")
    return wide.join(malt, on=pair, how="left", maintain_order="left")


def _counted(frame: pl.DataFrame) -> pl.DataFrame:
    """Return one row per printed number: the parser nearest to the paper's."""
    return frame.filter(parser="malt", treebanks="enough")


def _counted_sttr(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(treebanks="enough", share="content")


PARTS: tuple[Part, ...] = (
    Part("content_treebanks", "The treebanks at hand", content_data.treebanks, UD, shown=_plain),
    Part("content_wde", "Average word dependency entropy (Figure 2)", content_wde.averages, UD),
    Part("content_order", "Pairs of relations in order", content_wde.order),
    Part("content_sttr", "STTR and shares of relations (Figure 3)", content_wde.sttr,
         counted=_counted_sttr),
    Part(
        "content_scores", "Scores of our parsers (Figure 4)", content_data.scores, UD,
        apart=RUNS.format(name="content_scores"), shown=_scores,
    ),
    kept(
        MALT, "Scores of the parser nearest to MaltParser's default",
        "long: python -m studies.content.runs TREES, then python -m studies.content.malt "
        "TREES; seeds 0 to 2, 5 min of processor time", shown=_malt,
    ),
    Part("content_matrix", "Correlations of scores (Table 3)", content_scores.matrix,
         shown=_matrix, counted=_counted),
    Part("content_reasons", "What decides F freq against C prec", content_reasons.reasons),
    Part("content_decrease", "From LAS to content scores, and STTR", content_reasons.decreases),
    Part("content_agreement", "Table 3 summed up", content_scores.agreement),
    Part("content_variance", "Cumulative variance (Figure 5)", content_scores.variance),
    Part("content_spread", "Figure 5 summed up", content_scores.spread),
    Part("content_weights", "One set of weights, or one a language", content_scores.weights),
    Part("content_figures", "Figures 2 to 5 and Table 3 drawn", content_figures.drawn, UD),
)  # fmt: skip
