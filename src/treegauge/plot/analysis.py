"""Figures of the analyses of :mod:`treegauge.stats`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.plot.theme import ACCENT, MARK, SOFT, Spec, themed
from treegauge.stats.background import Background
from treegauge.stats.bins import BinnedCorrelations
from treegauge.stats.inference import correlated_pair
from treegauge.stats.least_squares import LeastSquares
from treegauge.stats.matrix import CorrelationMatrix
from treegauge.stats.prediction import Predictions
from treegauge.stats.shape import SkewNormal
from treegauge.stats.table import TableLike, as_table

FloatArray = npt.NDArray[np.float64]
_SIDE = 220


def scatter(
    data: TableLike, target: str, variables: Sequence[str], *, log: Sequence[str] = ()
) -> Spec:
    """Draw a target against each variable, with the least-squares fit (Figs. 5 and 6).

    Parameters
    ----------
    data, target, variables
        A table, the column on the vertical axis, and those on the horizontal ones.
    log
        Columns that are fitted and drawn in logarithms.

    Examples
    --------
    >>> from treegauge.data import ud25
    >>> figure = scatter(ud25(), "las", ["train_words", "edv"][:1], log=["train_words"])
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
        panels.append(_panel(x, y, sample.labels, sample.names[1], sample.names[0], title))
    return themed({"concat": panels, "columns": min(3, len(panels))})


def background(found: Background) -> Spec:
    """Draw each fit that was divided out, then what is left against the variable (Figs. 7, 8).

    Examples
    --------
    >>> from treegauge.data import ud25
    >>> from treegauge.stats.background import remove_background
    >>> found = remove_background(ud25(), "las", "test_words", ["train_words"], resamples=0)
    >>> [panel["title"] for panel in background(found)["hconcat"]]
    ['divided out: train_words', 'what is left: rho = ...']
    """
    panels, labels = [], found.sample.labels
    name = found.target
    for j, stage in enumerate(found.stages[:-1]):
        covariate = found.given[j]
        x = found.sample.values[:, 2 + j]
        panels.append(_panel(x, stage.values, labels, covariate, name, f"divided out: {covariate}"))
        name = f"{found.target}, normalised"
    last = found.stages[-1]
    title = f"what is left: rho = {last.found.r:.3f}"
    x = found.sample.values[:, 1]
    panels.append(_panel(x, last.values, labels, found.variable, name, title))
    return themed({"hconcat": panels}, found.signature)


def bins(found: BinnedCorrelations) -> Spec:
    """Draw the coefficient of every bin with its interval, and below it the p-value (Fig. 10)."""
    names = [found.bin, "r", "low", "high", "p_value", "p_adjusted"]
    rows = [row for row in found.table.select(names).to_dicts() if row["r"] is not None]
    x = _quantity(found.bin, found.bin)
    coefficient = {
        "width": 2 * _SIDE,
        "height": _SIDE,
        "layer": [
            {"mark": "rule", "encoding": {"y": {"datum": 0}}},
            {
                "mark": {"type": "rule", "color": MARK, "opacity": 0.5},
                "encoding": {"x": x, "y": _quantity("low", "coefficient"), "y2": {"field": "high"}},
            },
            {
                "mark": "point",
                "encoding": {"x": x, "y": _quantity("r", "coefficient"), "tooltip": _tips(names)},
            },
        ],
    }
    chance = {
        "width": 2 * _SIDE,
        "height": _SIDE / 2,
        "layer": [
            {"mark": {"type": "rule", "strokeDash": [4, 4]}, "encoding": {"y": {"datum": 0.05}}},
            {
                "mark": {"type": "point", "color": ACCENT},
                "encoding": {"x": x, "y": _quantity("p_value", "p-value"), "tooltip": _tips(names)},
            },
        ],
    }
    return themed({"data": {"values": rows}, "vconcat": [coefficient, chance]}, found.signature)


def matrix(found: CorrelationMatrix) -> Spec:
    """Draw the correlation matrix, coefficients printed in the cells.

    Examples
    --------
    >>> from treegauge.data import ud25
    >>> from treegauge.stats.matrix import correlation_matrix
    >>> figure = matrix(correlation_matrix(ud25(), ["las", "train_words"]))
    >>> len(figure["data"]["values"])
    4
    """
    cells: list[dict[str, Any]] = [{"x": name, "y": name, "r": 1.0} for name in found.names]
    for pair in found.pairs:
        for x, y in ((pair["x"], pair["y"]), (pair["y"], pair["x"])):
            cells.append({"x": x, "y": y, **{key: pair[key] for key in ("r", "n", "p_adjusted")}})
    axis = {"type": "nominal", "sort": list(found.names), "title": None}
    colour = {
        "field": "r",
        "type": "quantitative",
        "scale": {"scheme": "redblue", "domain": [-1, 1]},
        "legend": {"title": "coefficient"},
    }
    white = {"condition": {"test": "abs(datum.r) > 0.6", "value": "white"}, "value": "black"}
    spec = {
        "data": {"values": cells},
        "width": {"step": 44},
        "height": {"step": 30},
        "encoding": {"x": {"field": "x", **axis}, "y": {"field": "y", **axis}},
        "layer": [
            {
                "mark": "rect",
                "encoding": {"color": colour, "tooltip": _tips(["x", "y", "r", "n", "p_adjusted"])},
            },
            {
                "mark": {"type": "text", "fontSize": 10},
                "encoding": {
                    "text": {"field": "r", "type": "quantitative", "format": ".2f"},
                    "color": white,
                },
            },
        ],
    }
    return themed(spec, found.signature)


def predictions(found: Predictions, target: str) -> Spec:
    """Draw predicted against true values, with the line on which they would be equal (Fig. 9)."""
    rows = [row for row in found.table.to_dicts() if row.get("actual") is not None]
    ends = [bound for row in rows for bound in (row["actual"], row["predicted"])] or [0.0, 1.0]
    diagonal = [{"x": end, "y": end} for end in (min(ends), max(ends))]
    x = _quantity("actual", target)
    layers: list[Spec] = [
        {
            "data": {"values": diagonal},
            "mark": {"type": "line", "color": SOFT, "strokeDash": [4, 4]},
            "encoding": {"x": _quantity("x", target), "y": _quantity("y", f"{target}, predicted")},
        }
    ]
    if found.low is not None:
        interval = {"x": x, "y": _quantity("low", f"{target}, predicted"), "y2": {"field": "high"}}
        layers.append({"mark": {"type": "rule", "opacity": 0.3}, "encoding": interval})
    point = {"x": x, "y": _quantity("predicted", f"{target}, predicted")}
    tips = _tips(["row", "actual", "predicted"])
    layers.append({"mark": "point", "encoding": point | {"tooltip": tips}})
    error = found.mean_absolute_error
    title = "no true values" if error is None else f"mean absolute error {error:.2f}"
    spec = {"data": {"values": rows}, "layer": layers, "title": title}
    return themed(spec | {"width": 1.5 * _SIDE, "height": 1.5 * _SIDE}, found.signature)


def distributions(data: TableLike, columns: Sequence[str], *, log: Sequence[str] = ()) -> Spec:
    """Draw a histogram of each column (Fig. 4).

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
        shown = sample.names[0]
        panels.append(
            {
                "width": _SIDE,
                "height": _SIDE * 0.6,
                "data": {"values": [{"x": value} for value in sample.values[:, 0].tolist()]},
                "mark": "bar",
                "encoding": {
                    "x": {"field": "x", "bin": {"maxbins": 20}, "title": shown},
                    "y": {"aggregate": "count", "title": "rows"},
                },
            }
        )
    return themed({"concat": panels, "columns": min(3, len(panels))})


def shape(found: SkewNormal, numbers: npt.ArrayLike, name: str) -> Spec:
    """Draw a histogram with the fitted curve over it (Fig. 12)."""
    known = np.asarray(numbers, dtype=np.float64)
    known = known[np.isfinite(known)]
    heights, edges = np.histogram(known, bins="auto", density=True)
    bars = [
        {"left": left, "right": right, "height": height}
        for left, right, height in zip(
            edges[:-1].tolist(), edges[1:].tolist(), heights.tolist(), strict=True
        )
    ]
    reach = np.linspace(known.min() - found.sd / 2, known.max() + found.sd / 2, 121)
    curve = _points(reach, found.density(reach))
    tested = "" if found.p_chi2 is None else f"; chi-square {found.chi2:.2f}, p {found.p_chi2:.3f}"
    bar = {
        "x": _quantity("left", name),
        "x2": {"field": "right"},
        "y": _quantity("height", "density"),
        "y2": {"datum": 0},
    }
    spec = {
        "title": f"fit: mean {found.mean:.2f}, sd {found.sd:.2f}{tested}",
        "width": 2 * _SIDE,
        "height": _SIDE,
        "layer": [
            {"data": {"values": bars}, "mark": {"type": "rect", "color": MARK, "opacity": 0.5}, "encoding": bar},
            {
                "data": {"values": curve},
                "mark": "line",
                "encoding": {"x": _quantity("x", name), "y": _quantity("y", "density")},
            },
        ],
    }
    return themed(spec, found.signature)


def _panel(
    x: FloatArray, y: FloatArray, labels: Sequence[str], x_name: str, y_name: str, title: str
) -> Spec:
    """Return points with their fit; what was fitted in logarithms gets a logarithmic axis."""
    layers: list[Spec] = []
    if len(x) > 2 and np.ptp(x) > 0:
        line = LeastSquares.of(np.column_stack([y, x]))
        ends = np.linspace(x.min(), x.max(), 2)
        fitted = line.mean + (ends - line.centre[0]) / line.scale[0] * line.slopes[0]
        layers.append({"data": {"values": _points(_natural(ends, x_name), fitted)}, "mark": "line"})
    rows = _points(_natural(x, x_name), y)
    for row, label in zip(rows, labels, strict=True):
        row["row"] = label
    tips = _tips(["row", "x", "y"])
    layers.insert(0, {"data": {"values": rows}, "mark": "point", "encoding": {"tooltip": tips}})
    horizontal = _quantity("x", x_name.removeprefix("log(").removesuffix(")"))
    if x_name.startswith("log("):
        horizontal["scale"] = {"type": "log", "nice": False}
        horizontal["axis"] = {"format": "~s", "labelOverlap": "greedy"}
    return {
        "title": title,
        "width": _SIDE,
        "height": _SIDE,
        "encoding": {"x": horizontal, "y": _quantity("y", y_name)},
        "layer": layers,
    }


def _natural(values: FloatArray, name: str) -> FloatArray:
    return np.exp(values) if name.startswith("log(") else values


def _points(x: FloatArray, y: FloatArray) -> list[dict[str, Any]]:
    return [{"x": a, "y": b} for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def _quantity(field: str, title: str) -> Spec:
    return {"field": field, "type": "quantitative", "title": title, "scale": {"zero": False}}


def _tips(fields: Sequence[str]) -> list[Spec]:
    return [{"field": field} for field in fields]
