"""Figures of the statistics that only the EDV paper uses."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from studies.edv.methods import BinnedCorrelations, SkewNormal
from treegauge.core.result import sign
from treegauge.reporting.figures.analysis import LINE, POINT, xy_rows
from treegauge.reporting.figures.theme import PALETTE, SIDE, Spec, chart, ink, mark, quantity, themed, tips
from treegauge.statistics.data_table import as_table


def by_length(found: BinnedCorrelations) -> Spec:
    """Draw the coefficient of every length with its interval, and its p-value (Fig. 10)."""
    names = ["length", "r", "low", "high", "p_value", "p_adjusted"]
    rows = [row for row in found.table.select(names).to_dicts() if row["r"] is not None]
    x, tip = quantity("length", "length"), tips(names)
    reach = {"x": x, "y": quantity("low", "coefficient"), "y2": {"field": "high"}}
    coefficient = [
        mark("rule", {"y": {"datum": 0}}, color=ink(False)),
        mark("rule", reach, color=PALETTE[0], opacity=0.5),
        {"mark": POINT, "encoding": {"x": x, "y": quantity("r", "coefficient"), "tooltip": tip}},
    ]
    chance = [
        mark("rule", {"y": {"datum": 0.05}}, strokeDash=[4, 4], color=ink(False)),
        {
            "mark": POINT | {"color": PALETTE[5]},
            "encoding": {"x": x, "y": quantity("p_value", "p-value"), "tooltip": tip},
        },
    ]
    panels: list[Spec] = [
        {"width": 2 * SIDE, "height": SIDE, "layer": coefficient},
        {"width": 2 * SIDE, "height": SIDE / 2, "layer": chance},
    ]
    one = found.coefficients.rows[0]
    title = f"{one.target} and {one.variable} by length, given {', '.join(one.given)}"
    spec = {"data": {"values": rows}, "vconcat": panels}
    return themed(spec, title, found.coefficients.signature, False)


def distributions(frame: pl.DataFrame, columns: Sequence[str]) -> Spec:
    """Draw a histogram of each column (Fig. 4)."""
    table = as_table(frame)
    panels = []
    for name in columns:
        sample = table.complete([name])
        rows = [{"x": value} for value in sample.values[:, 0].tolist()]
        x = {"field": "x", "bin": {"maxbins": 20}, "title": name}
        bars = mark("bar", {"x": x, "y": {"aggregate": "count", "title": "rows"}}, color=PALETTE[0])
        panels.append(chart(rows, SIDE, SIDE * 0.6, **bars))
    spec = {"concat": panels, "columns": min(3, len(panels))}
    return themed(spec, "Distributions", sign(figure="distributions", table=table.name), False)


def skewed_histogram(found: SkewNormal, name: str) -> Spec:
    """Draw a histogram with the fitted curve over it (Fig. 12)."""
    known = found.values
    heights, edges = np.histogram(known, bins="auto", density=True)
    steps = zip(edges[:-1].tolist(), edges[1:].tolist(), heights.tolist(), strict=True)
    bars = [{"left": left, "right": right, "height": height} for left, right, height in steps]
    reach = np.linspace(known.min() - found.sd / 2, known.max() + found.sd / 2, 121)
    x, y = quantity("left", name), quantity("height", "density")
    bar = {"x": x, "x2": {"field": "right"}, "y": y, "y2": {"datum": 0}}
    curve = {"x": quantity("x", name), "y": quantity("y", "density")}
    layers = [
        {"data": {"values": bars}, **mark("rect", bar, color=PALETTE[0], opacity=0.5)},
        {"data": {"values": xy_rows(reach, found.density(reach))}, "mark": LINE, "encoding": curve},
    ]
    spec = {"width": 2 * SIDE, "height": SIDE, "layer": layers}
    below = f"mean {found.mean:.2f}, sd {found.sd:.2f}"
    return themed(spec, f"{name} and a skew-normal curve", sign(figure="shape", of=name), False, below)
