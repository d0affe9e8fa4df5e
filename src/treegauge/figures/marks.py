"""Marks and axes that several figures share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.figures.theme import PALETTE, Spec
from treegauge.statistics.least_squares import LeastSquares

FloatArray = npt.NDArray[np.float64]
SIDE = 220
POINT: Spec = {"type": "point", "color": PALETTE[0], "filled": True, "opacity": 0.7, "size": 36}
LINE: Spec = {"type": "line", "color": PALETTE[5]}


def panel(
    x: FloatArray, y: FloatArray, labels: Sequence[str], x_name: str, y_name: str, title: str
) -> Spec:
    """Return points with their fit; what was fitted in logarithms gets a logarithmic axis."""
    rows = points(_natural(x, x_name), y)
    for row, label in zip(rows, labels, strict=True):
        row["row"] = label
    layers: list[Spec] = [
        {"data": {"values": rows}, "mark": POINT, "encoding": {"tooltip": tips(["row", "x", "y"])}}
    ]
    if len(x) > 2 and np.ptp(x) > 0:
        line = LeastSquares.of(np.column_stack([y, x]))
        ends = np.linspace(x.min(), x.max(), 2)
        fitted = line.mean + (ends - line.centre[0]) / line.scale[0] * line.slopes[0]
        layers.append({"data": {"values": points(_natural(ends, x_name), fitted)}, "mark": LINE})
    horizontal = quantity("x", x_name.removeprefix("log(").removesuffix(")"))
    if x_name.startswith("log("):
        horizontal["scale"] = {"type": "log", "nice": False}
        horizontal["axis"] = {"format": "~s", "labelOverlap": "greedy"}
    return {
        "title": title,
        "width": SIDE,
        "height": SIDE,
        "encoding": {"x": horizontal, "y": quantity("y", y_name)},
        "layer": layers,
    }


def _natural(values: FloatArray, name: str) -> FloatArray:
    return np.exp(values) if name.startswith("log(") else values


def points(x: FloatArray, y: FloatArray) -> list[dict[str, Any]]:
    """Return rows with the fields ``x`` and ``y``."""
    return [{"x": a, "y": b} for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def quantity(field: str, title: str) -> Spec:
    """Return the encoding of a number; the axis need not start at zero."""
    return {"field": field, "type": "quantitative", "title": title, "scale": {"zero": False}}


def tips(fields: Sequence[str]) -> list[Spec]:
    """Return what is shown under the pointer."""
    return [{"field": field} for field in fields]
