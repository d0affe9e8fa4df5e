"""What nobody had: all measures and all parsers' scores of all treebanks at hand, joined."""

import polars as pl

from replications import joined_data, joined_easy, joined_figures, joined_models
from replications.content import RUNS
from replications.parts import Part

UD = ("r2.9",)


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col("treebank").str.strip_prefix("UD_"))


def _strongest(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the beam parser's coefficients given size and length, the clearest first."""
    some = frame.filter(pl.col("given"), parser="beam", treebanks="enough")
    return some.sort("p_value").head(15).drop("parser", "treebanks", "given")


def _regressions(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(treebanks="enough").select(
        "parser", "added", "n", "adj_r2", "gain", "error", "error_gain", "share",
        "standardised", "p_value",
    )  # fmt: skip


def _background(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(treebanks="enough").drop("treebanks")


def _easy(frame: pl.DataFrame) -> pl.DataFrame:
    return _plain(frame).drop("median")


PARTS: tuple[Part, ...] = (
    Part("joined_measures", "Every measure of every treebank", joined_data.measures, UD),
    Part("joined_audit", "What an audit finds, in numbers", joined_data.audits, UD, shown=_plain),
    Part(
        "joined_classes", "Right words by class", joined_data.classes, UD,
        apart=RUNS.format(name="joined_classes"),
    ),
    Part("joined_overview", "Scores and measures", joined_data.overview, shown=_plain),
    Part("joined_power", "What so few treebanks can tell", joined_models.power),
    Part(
        "joined_partial", "Measures and LAS, alone and given size and length",
        joined_models.partial, shown=_strongest, digits=3,
    ),
    Part("joined_findings", "What holds for both parsers", joined_models.findings),
    Part(
        "joined_regressions", "Size, length and one measure more", joined_models.regressions,
        shown=_regressions,
    ),
    Part(
        "joined_background", "Size and length divided out", joined_models.background,
        shown=_background,
    ),
    Part("joined_hardness", "How hard classes of words are", joined_easy.hardness),
    Part("joined_gifts", "What test parts give their treebanks", joined_easy.gifts),
    Part("joined_easy", "Easy for the wrong reason", joined_easy.easy, shown=_easy),
    Part("joined_figures", "Figures and the page", joined_figures.drawn, UD),
)  # fmt: skip
