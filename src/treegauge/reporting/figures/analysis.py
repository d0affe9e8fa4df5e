"""Figures of correlations and models, as Vega-Lite dictionaries."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.result import sign
from treegauge.reporting.figures.theme import PALETTE, SIDE, Spec, category, chart, ink, mark, quantity, themed, tips
from treegauge.statistics.analyse import CorrelationMatrix
from treegauge.statistics.correlation import Correlations
from treegauge.statistics.correlation_coefficients import LeastSquares, correlated_pair
from treegauge.statistics.data_table import TableLike, as_table
from treegauge.statistics.linear_model import Predictions, Regression

Floats = npt.NDArray[np.float64]
POINT: Spec = {"type": "point", "color": PALETTE[0], "filled": True, "opacity": 0.7, "size": 36}
LINE: Spec = {"type": "line", "color": PALETTE[5]}


def scatter(
    data: TableLike, target: str, variables: Sequence[str], *, log: Sequence[str] = (), dark: bool = False
) -> Spec:
    """Draw a target against each variable, with the least-squares fit (EDV, Figs. 5 and 6).

    Columns in `log` are fitted and drawn on a logarithmic scale.

    Examples
    --------
    >>> from treegauge.data import ud25
    >>> figure = scatter(ud25(), "las", ["train_words"], log=["train_words"])
    >>> figure["concat"][0]["title"]
    'rho = 0.661'
    """
    table = as_table(data)
    panels = []
    for variable in variables:
        logs = [name for name in log if name in {variable, target}]
        sample = table.complete([target, variable], log=logs)
        y, x = sample.values[:, 0], sample.values[:, 1]
        rho = correlated_pair(sample.values).r if len(y) > 1 else None
        title = "rho missing" if rho is None else f"rho = {rho:.3f}"
        panels.append(point_panel(x, y, sample.labels, sample.names[1], sample.names[0], title))
    spec = {"concat": panels, "columns": min(3, len(panels))}
    signature = sign(figure="scatter", table=table.name, log="+".join(log) or None)
    return themed(spec, f"{target} against {', '.join(variables)}", signature, dark)


def correlation(found: Correlations, *, dark: bool = False) -> Spec:
    """Draw the target of correlations against each variable."""
    if found.data is None:
        raise TreegaugeError("these correlations were stored without their data; compute them again to draw them")
    return scatter(found.data, found.rows[0].target, found.variables, log=found.log, dark=dark)


def matrix(found: CorrelationMatrix, *, dark: bool = False) -> Spec:
    """Draw the correlation matrix, with the coefficients in the cells.

    Examples
    --------
    >>> from treegauge.data import ud25
    >>> from treegauge.statistics.analyse import correlation_matrix
    >>> figure = matrix(correlation_matrix(ud25(), ["las", "train_words"]))
    >>> len(figure["data"]["values"])
    4
    """
    cells: list[dict[str, Any]] = [{"x": name, "y": name, "r": 1.0} for name in found.names]
    for pair in found.pairs:
        for x, y in ((pair["x"], pair["y"]), (pair["y"], pair["x"])):
            cells.append({"x": x, "y": y, **{key: pair[key] for key in ("r", "n", "p_adjusted")}})
    place = {name: category(name, sort=list(found.names)) for name in ("x", "y")}
    colour = quantity("r", "coefficient", scale={"scheme": "redblue", "domain": [-1, 1]})
    readable = {"condition": {"test": "abs(datum.r) > 0.6", "value": "white"}, "value": "black"}
    number = {"field": "r", "type": "quantitative", "format": ".2f"}
    layers = [
        mark("rect", {"color": colour, "tooltip": tips(["x", "y", "r", "n", "p_adjusted"])}),
        mark("text", {"text": number, "color": readable}, fontSize=10),
    ]
    spec = chart(cells, {"step": 44}, {"step": 30}, encoding=place, layer=layers)
    return themed(spec, "Correlations", found.signature, dark)


def predictions(found: Predictions | Regression, *, dark: bool = False) -> Spec:
    """Draw predicted against true values; on the dashed line they are equal (EDV, Fig. 9).

    For a linear model, these are leave-one-out predictions.
    """
    found = found.leave_one_out() if isinstance(found, Regression) else found
    target = found.target
    rows = [row for row in found.table.to_dicts() if row.get("actual") is not None]
    rows = [row for row in rows if row["predicted"] is not None]
    ends = [bound for row in rows for bound in (row["actual"], row["predicted"])] or [0.0, 1.0]
    x, y_title = quantity("actual", target), f"{target}, predicted"
    diagonal = {"x": quantity("x", target), "y": quantity("y", y_title)}
    corners = [{"x": end, "y": end} for end in (min(ends), max(ends))]
    layers = [mark("line", diagonal, color=ink(dark), strokeDash=[4, 4])]
    layers[0]["data"] = {"values": corners}
    if found.low is not None:
        interval = {"x": x, "y": quantity("low", y_title), "y2": {"field": "high"}}
        layers.append(mark("rule", interval, opacity=0.3))
    tip = tips(["row", "actual", "predicted"])
    place = {"x": x, "y": quantity("predicted", y_title), "tooltip": tip}
    layers.append({"mark": POINT, "encoding": place})
    error = found.mean_absolute_error
    below = "no true values" if error is None else f"mean absolute error {error:.2f}"
    spec = chart(rows, 1.5 * SIDE, 1.5 * SIDE, layer=layers)
    return themed(spec, f"{target}, predicted and true", found.signature, dark, below)


def point_panel(x: Floats, y: Floats, labels: Sequence[str], x_name: str, y_name: str, title: str) -> Spec:
    """Return a panel of points with their fit, with logarithmic axes for logarithms."""
    rows = xy_rows(_natural(x, x_name), y)
    for row, label in zip(rows, labels, strict=True):
        row["row"] = label
    layers: list[Spec] = [{"data": {"values": rows}, "mark": POINT, "encoding": {"tooltip": tips(["row", "x", "y"])}}]
    if len(x) > 2 and np.ptp(x) > 0:
        line = LeastSquares.of(np.column_stack([y, x]))
        ends = np.linspace(x.min(), x.max(), 2)
        fitted = line.mean + (ends - line.centre[0]) / line.scale[0] * line.slopes[0]
        layers.append({"data": {"values": xy_rows(_natural(ends, x_name), fitted)}, "mark": LINE})
    horizontal = quantity("x", x_name.removeprefix("log(").removesuffix(")"))
    if x_name.startswith("log("):
        horizontal["scale"] = {"type": "log", "nice": False}
        horizontal["axis"] = {"format": "~s", "labelOverlap": "greedy"}
    place = {"x": horizontal, "y": quantity("y", y_name)}
    return {"title": title, "width": SIDE, "height": SIDE, "encoding": place, "layer": layers}


def _natural(values: Floats, name: str) -> Floats:
    return np.exp(values) if name.startswith("log(") else values


def xy_rows(x: Floats, y: Floats) -> list[dict[str, Any]]:
    """Return rows with the fields ``x`` and ``y``."""
    return [{"x": a, "y": b} for a, b in zip(x.tolist(), y.tolist(), strict=True)]
