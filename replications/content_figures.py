"""Figures of the Content study, from the kept tables.

Each is written twice under ``docs/images/replications``: drawn, and as Vega-Lite with its data.
"""

from collections.abc import Callable, Mapping

import polars as pl

from replications.content_data import RELEASE, chosen
from replications.figures import draw
from replications.parts import read_result, release_folder
from treegauge.measure.measuring import measure
from treegauge.plot.analysis import scatter
from treegauge.plot.theme import Spec
from treegauge.plot.treebanks import relation_spectrum


def spectrum() -> Spec:
    """Draw relations from function to content (Figure 2)."""
    return relation_spectrum(measure("wde", str(release_folder(RELEASE)), part="all"))


def sttr() -> Spec:
    """Draw shares of content and function relations against STTR (Figure 3)."""
    frame = read_result("content_treebanks").filter(pl.col("treebank").is_in(chosen("enough")))
    return scatter(frame, "sttr", ["content", "function"])


FIGURES: Mapping[str, Callable[[], Spec]] = {"content_wde": spectrum, "content_sttr": sttr}


def drawn() -> pl.DataFrame:
    """Write the figures of this study."""
    return draw(FIGURES)
