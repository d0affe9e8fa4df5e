"""Figures of the replications, drawn and as Vega-Lite with their data."""

from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl

from treegauge.reporting.figures.drawing import save
from treegauge.reporting.figures.theme import Spec

IMAGES = Path(__file__).parent.parent / "docs" / "images" / "replications"


def draw(figures: Mapping[str, Callable[[], Spec]]) -> pl.DataFrame:
    """Write figures, drawn and as data; return what was written."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, make in figures.items():
        spec = make()
        for ending in (".svg", ".json"):
            save(spec, IMAGES / f"{name}{ending}")
        rows.append({"figure": name, "title": spec["title"]["text"]})
    return pl.DataFrame(rows)
