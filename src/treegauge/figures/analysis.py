"""Figures of correlations, as Vega-Lite dictionaries."""

from collections.abc import Sequence
from typing import Any

from treegauge.figures.marks import POINT, SIDE, panel, quantity, tips
from treegauge.figures.theme import PALETTE, Spec, ink, themed
from treegauge.results.result import sign
from treegauge.statistics.background import Background
from treegauge.statistics.bins import BinnedCorrelations
from treegauge.statistics.inference import correlated_pair
from treegauge.statistics.matrix import CorrelationMatrix
from treegauge.statistics.table import TableLike, as_table


def scatter(
    data: TableLike,
    target: str,
    variables: Sequence[str],
    *,
    log: Sequence[str] = (),
    dark: bool = False,
) -> Spec:
    """Draw a target against each variable, with the least-squares fit (EDV, Figs. 5 and 6).

    Parameters
    ----------
    data, target, variables
        A table, the column on the vertical axis, and those on the horizontal ones.
    log
        Columns that are fitted and drawn in logarithms.
    dark
        Light on dark.

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
        panels.append(panel(x, y, sample.labels, sample.names[1], sample.names[0], title))
    return themed(
        {"concat": panels, "columns": min(3, len(panels))},
        title=f"{target} against {', '.join(variables)}",
        signature=sign(figure="scatter", table=table.name, log="+".join(log) or None),
        dark=dark,
    )


def background(found: Background, *, dark: bool = False) -> Spec:
    """Draw each fit that was divided out, then what is left (EDV, Figs. 7 and 8).

    Examples
    --------
    >>> from treegauge.data import ud25
    >>> from treegauge.statistics.background import remove_background
    >>> found = remove_background(ud25(), "las", "test_words", ["train_words"], resamples=0)
    >>> [panel["title"] for panel in background(found)["hconcat"]]
    ['divided out: train_words', 'what is left: r = ...']
    """
    panels, labels = [], found.sample.labels
    name = found.target
    for j, stage in enumerate(found.stages[:-1]):
        covariate = found.given[j]
        x = found.sample.values[:, 2 + j]
        panels.append(panel(x, stage.values, labels, covariate, name, f"divided out: {covariate}"))
        name = f"{found.target}, normalised"
    last = found.stages[-1]
    title = f"what is left: r = {last.found.r:.3f}"
    x = found.sample.values[:, 1]
    panels.append(panel(x, last.values, labels, found.variable, name, title))
    return themed(
        {"hconcat": panels},
        title=f"{found.target} without its background",
        signature=found.signature,
        dark=dark,
    )


def bins(found: BinnedCorrelations, *, dark: bool = False) -> Spec:
    """Draw the coefficient of every bin with its interval, and its p-value (EDV, Fig. 10)."""
    names = [found.bin, "r", "low", "high", "p_value", "p_adjusted"]
    rows = [row for row in found.table.select(names).to_dicts() if row["r"] is not None]
    x = quantity(found.bin, found.bin)
    reach = {"x": x, "y": quantity("low", "coefficient"), "y2": {"field": "high"}}
    coefficient = {
        "width": 2 * SIDE,
        "height": SIDE,
        "layer": [
            {"mark": {"type": "rule", "color": ink(dark)}, "encoding": {"y": {"datum": 0}}},
            {
                "mark": {"type": "rule", "color": PALETTE[0], "opacity": 0.5},
                "encoding": reach,
            },
            {
                "mark": POINT,
                "encoding": {"x": x, "y": quantity("r", "coefficient"), "tooltip": tips(names)},
            },
        ],
    }
    threshold = {"type": "rule", "strokeDash": [4, 4], "color": ink(dark)}
    chance = {
        "width": 2 * SIDE,
        "height": SIDE / 2,
        "layer": [
            {"mark": threshold, "encoding": {"y": {"datum": 0.05}}},
            {
                "mark": POINT | {"color": PALETTE[5]},
                "encoding": {"x": x, "y": quantity("p_value", "p-value"), "tooltip": tips(names)},
            },
        ],
    }
    one = found.coefficients.rows[0]
    given = f", given {', '.join(one.given)}" if one.given else ""
    return themed(
        {"data": {"values": rows}, "vconcat": [coefficient, chance]},
        title=f"{one.target} and {one.variable} by {found.bin}{given}",
        signature=found.signature,
        dark=dark,
    )


def matrix(found: CorrelationMatrix, *, dark: bool = False) -> Spec:
    """Draw the correlation matrix, coefficients printed in the cells.

    Examples
    --------
    >>> from treegauge.data import ud25
    >>> from treegauge.statistics.matrix import correlation_matrix
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
    readable = {"condition": {"test": "abs(datum.r) > 0.6", "value": "white"}, "value": "black"}
    number = {"field": "r", "type": "quantitative", "format": ".2f"}
    spec = {
        "data": {"values": cells},
        "width": {"step": 44},
        "height": {"step": 30},
        "encoding": {"x": {"field": "x", **axis}, "y": {"field": "y", **axis}},
        "layer": [
            {
                "mark": "rect",
                "encoding": {"color": colour, "tooltip": tips(["x", "y", "r", "n", "p_adjusted"])},
            },
            {
                "mark": {"type": "text", "fontSize": 10},
                "encoding": {"text": number, "color": readable},
            },
        ],
    }
    return themed(spec, title="Correlations", signature=found.signature, dark=dark)
