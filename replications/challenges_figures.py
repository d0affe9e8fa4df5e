"""Figures 1 to 3 of the Challenges paper, from committed counts."""

import polars as pl

from replications.challenges_tables import counts, found
from replications.challenges_transfer import on_curves
from replications.figures import draw
from replications.parts import Part
from treegauge.curves.curve import curve
from treegauge.curves.partition import composites
from treegauge.figures import curves as plots


def drawn() -> pl.DataFrame:
    """Write the figures, drawn and as data."""
    beam = counts().select(parsers=["beam"])
    return draw(
        {
            "challenges_figure1": lambda: plots.learning(
                curve(beam, relative=True), min_share=0.02
            ),
            "challenges_figure2": lambda: plots.complexity(found()),
            "challenges_figure3": lambda: plots.composites(
                curve(composites(counts()), min_words=1), on_curves()
            ),
        }
    )


FIGURES = (Part("challenges_figures", "Figs. 1 to 3 drawn", drawn),)
