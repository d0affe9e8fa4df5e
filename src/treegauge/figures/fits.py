"""Figures of distributions and models, as Vega-Lite dictionaries."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from treegauge.figures.marks import LINE, POINT, SIDE, points, quantity, tips
from treegauge.figures.theme import PALETTE, Spec, ink, themed
from treegauge.results.result import sign
from treegauge.statistics.prediction import Predictions
from treegauge.statistics.shape import SkewNormal
from treegauge.statistics.table import TableLike, as_table


def predictions(found: Predictions, target: str, *, dark: bool = False) -> Spec:
    """Draw predicted against true values; on the dashed line they are equal (EDV, Fig. 9)."""
    rows = [row for row in found.table.to_dicts() if row.get("actual") is not None]
    rows = [row for row in rows if row["predicted"] is not None]
    ends = [bound for row in rows for bound in (row["actual"], row["predicted"])] or [0.0, 1.0]
    x, y_title = quantity("actual", target), f"{target}, predicted"
    diagonal = {"type": "line", "color": ink(dark), "strokeDash": [4, 4]}
    layers: list[Spec] = [
        {
            "data": {"values": [{"x": end, "y": end} for end in (min(ends), max(ends))]},
            "mark": diagonal,
            "encoding": {"x": quantity("x", target), "y": quantity("y", y_title)},
        }
    ]
    if found.low is not None:
        interval = {"x": x, "y": quantity("low", y_title), "y2": {"field": "high"}}
        layers.append({"mark": {"type": "rule", "opacity": 0.3}, "encoding": interval})
    point = {
        "x": x,
        "y": quantity("predicted", y_title),
        "tooltip": tips(["row", "actual", "predicted"]),
    }
    layers.append({"mark": POINT, "encoding": point})
    error = found.mean_absolute_error
    return themed(
        {
            "data": {"values": rows},
            "width": 1.5 * SIDE,
            "height": 1.5 * SIDE,
            "layer": layers,
        },
        title=f"{target}, predicted and true",
        subtitle="no true values" if error is None else f"mean absolute error {error:.2f}",
        signature=found.signature,
        dark=dark,
    )


def distributions(
    data: TableLike, columns: Sequence[str], *, log: Sequence[str] = (), dark: bool = False
) -> Spec:
    """Draw a histogram of each column (EDV, Fig. 4).

    Examples
    --------
    >>> from treegauge.data import ud25
    >>> len(distributions(ud25(), ["las", "train_words"], log=["train_words"])["concat"])
    2
    """
    table = as_table(data)
    panels = []
    for name in columns:
        sample = table.complete([name], log=[one for one in log if one == name])
        panels.append(
            {
                "width": SIDE,
                "height": SIDE * 0.6,
                "data": {"values": [{"x": value} for value in sample.values[:, 0].tolist()]},
                "mark": {"type": "bar", "color": PALETTE[0]},
                "encoding": {
                    "x": {"field": "x", "bin": {"maxbins": 20}, "title": sample.names[0]},
                    "y": {"aggregate": "count", "title": "rows"},
                },
            }
        )
    return themed(
        {"concat": panels, "columns": min(3, len(panels))},
        title="Distributions",
        signature=sign(figure="distributions", table=table.name),
        dark=dark,
    )


def shape(found: SkewNormal, numbers: npt.ArrayLike, name: str, *, dark: bool = False) -> Spec:
    """Draw a histogram with the fitted curve over it (EDV, Fig. 12)."""
    known = np.asarray(numbers, dtype=np.float64)
    known = known[np.isfinite(known)]
    heights, edges = np.histogram(known, bins="auto", density=True)
    steps = zip(edges[:-1].tolist(), edges[1:].tolist(), heights.tolist(), strict=True)
    bars = [{"left": left, "right": right, "height": height} for left, right, height in steps]
    reach = np.linspace(known.min() - found.sd / 2, known.max() + found.sd / 2, 121)
    tested = "" if found.p_chi2 is None else f"; chi-square {found.chi2:.2f}, p {found.p_chi2:.3f}"
    bar = {
        "x": quantity("left", name),
        "x2": {"field": "right"},
        "y": quantity("height", "density"),
        "y2": {"datum": 0},
    }
    layers = [
        {
            "data": {"values": bars},
            "mark": {"type": "rect", "color": PALETTE[0], "opacity": 0.5},
            "encoding": bar,
        },
        {
            "data": {"values": points(reach, found.density(reach))},
            "mark": LINE,
            "encoding": {"x": quantity("x", name), "y": quantity("y", "density")},
        },
    ]
    return themed(
        {"width": 2 * SIDE, "height": SIDE, "layer": layers},
        title=f"{name} and a skew-normal curve",
        subtitle=f"mean {found.mean:.2f}, sd {found.sd:.2f}{tested}",
        signature=found.signature,
        dark=dark,
    )
