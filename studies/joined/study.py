"""All measures and all parsers' scores of all available treebanks in one table."""

import polars as pl

from studies.content.study import RUNS
from studies.joined import data as joined_data
from studies.joined import easy as joined_easy
from studies.joined import figures as joined_figures
from studies.joined import models as joined_models
from studies.parts import Part
from studies.transfer import pairs as transfer_pairs

UD = ("r2.9",)


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col("treebank").str.strip_prefix("UD_"))


def _clearest(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the beam parser's coefficients given size and length, the most significant first."""
    some = frame.filter(pl.col("given"), parser="beam")
    return some.sort("p_value", nulls_last=True).head(15).drop("parser", "given")


def _easy(frame: pl.DataFrame) -> pl.DataFrame:
    return _plain(frame).drop("median")


PARTS: tuple[Part, ...] = (
    Part("joined_measures", "Every measure of every treebank", joined_data.measures, UD),
    Part("joined_audit", "What an audit finds, in numbers", joined_data.audits, UD, shown=_plain),
    Part("joined_classes", "Correct words by class", joined_data.classes, UD, apart=RUNS.format(name="joined_classes")),
    Part("joined_overview", "Scores and measures", joined_data.overview, shown=_plain),
    Part(
        "joined_partial",
        "Measures and LAS, alone and given size and length",
        joined_models.partial,
        shown=_clearest,
        digits=3,
    ),
    Part("joined_findings", "What holds for both parsers", joined_models.findings),
    Part("joined_strongest", "The strongest measure, corrected for selection", joined_models.strongest),
    Part("joined_regressions", "Size, length and one measure more", joined_models.regressions),
    Part("joined_hardness", "How hard classes of words are", joined_easy.hardness),
    Part("joined_gifts", "What test sets give their treebanks", joined_easy.gifts),
    Part("joined_easy", "Easy for the wrong reason", joined_easy.easy, shown=_easy),
    *transfer_pairs.PARTS,
    Part("joined_figures", "Figures and the page", joined_figures.drawn, UD),
)
