"""Figures 1 to 3 of the Challenges paper, from committed counts."""

from collections.abc import Callable
from functools import partial

import polars as pl

from studies.challenges.counts import BEAM
from studies.challenges.equivalents import on_parser
from studies.challenges.printed import PARSERS
from studies.challenges.tables import counts, found
from studies.figures import draw
from studies.parts import Part
from treegauge.learning.curve import curve
from treegauge.learning.curves.complexity import composite_counts
from treegauge.reporting.figures import curves as plots
from treegauge.reporting.figures.theme import Spec


def drawn() -> pl.DataFrame:
    """Write the figures, drawn and as data."""
    published = counts(published=True)
    beam = published.select(parsers=[BEAM])
    figures: dict[str, Callable[[], Spec]] = {
        "challenges_figure1": lambda: plots.learning(curve(beam, relative=True), min_share=0.02),
        "challenges_figure2": lambda: plots.scores_by_complexity(found(published=True)),
    }
    for name, (preset, _) in PARSERS.items():
        figures[f"challenges_figure3_{name.lower()}"] = partial(_third, name, preset)
    return draw(figures)


def _third(name: str, preset: str) -> Spec:
    own = composite_counts(counts(published=True).select(parsers=[preset]))
    return plots.composites(curve(own, min_words=1), on_parser(name))


FIGURES = (Part("challenges_figures", "Figs. 1 to 3 drawn", drawn),)
