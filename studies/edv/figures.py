"""Figures of the EDV study, from the stored tables."""

from collections.abc import Callable, Mapping
from functools import partial

import polars as pl

from studies.edv import whole as edv_whole
from studies.edv.data import scored
from studies.edv.drawing import by_length as drawn_by_length
from studies.edv.drawing import skewed_histogram
from studies.edv.lengths import VARIANTS, binned
from studies.edv.more_figures import MORE
from studies.edv.tables import GIVEN, LOG
from studies.figures import draw
from studies.parts import read_result
from treegauge.papers.edv import background_figure, remove_background
from treegauge.reporting.figures.analysis import scatter
from treegauge.reporting.figures.theme import Spec

WORDS = ("train_words", "test_words")


def by_length() -> Spec:
    """Draw EDV of every treebank and sentence length (Fig. 3)."""
    frame = read_result("edv_by_length")
    long = frame.select(pl.format("{}, {} words", "treebank", "length").alias("treebank"), "length", *VARIANTS)
    left, right = (scatter(long, column, ["length"]) for column in VARIANTS)
    title = left["title"] | {"text": "EDV by sentence length"}
    return left | {"title": title, "concat": left["concat"] + right["concat"], "columns": 2}


def las() -> Spec:
    """Draw LAS against each variable (Fig. 5, A.4)."""
    return scatter(scored(), "las", [*WORDS, "mean_test_length", *VARIANTS, "slv"], log=WORDS)


def against(column: str) -> Spec:
    """Draw EDV against each variable (Fig. 6, A.5)."""
    return scatter(scored(), column, [*WORDS, "mean_test_length", "slv"], log=WORDS)


def without_background(column: str, given: tuple[str, ...]) -> Spec:
    """Draw what is left of LAS (Figs. 7 and A.6)."""
    return background_figure(remove_background(scored(), "las", column, given, log=LOG))


def by_bin(column: str) -> Spec:
    """Draw the coefficient of EDV and LAS at every length (Fig. 10), for our first parser."""
    first = read_result("edv_length_scores")["parser"].sort()[0]
    return drawn_by_length(binned(first, column))


def splits(parser: str) -> Spec:
    """Draw delta LAS on whole treebanks and the skewed curve (Fig. 12)."""
    return skewed_histogram(edv_whole.shape(parser), "delta LAS")


def against_edv() -> Spec:
    """Draw delta LAS against delta EDV on whole treebanks (Fig. 14)."""
    frame = edv_whole.deltas().filter(parser="beam")
    return scatter(frame, "dLAS", ["dEDV", "dEDV masses", "length"])


FIGURES: Mapping[str, Callable[[], Spec]] = {
    "edv_figure3": by_length,
    "edv_figure5": las,
    "edv_figure6": partial(against, "edv"),
    "edv_figure6_masses": partial(against, "edv_masses"),
    "edv_figure7": partial(without_background, "test_words", GIVEN[:1]),
    "edv_figure8": partial(without_background, "edv", GIVEN),
    "edv_figure8_masses": partial(without_background, "edv_masses", GIVEN),
    "edv_figure10": partial(by_bin, "edv"),
    "edv_figure10_masses": partial(by_bin, "edv_masses"),
    "edv_figure12": partial(splits, "udpipe ud2.0"),
    "edv_figure12_beam": partial(splits, "beam"),
    "edv_figure14": against_edv,
    **MORE,
}


def drawn() -> pl.DataFrame:
    """Write the figures of this study, drawn and as data."""
    return draw(FIGURES)
