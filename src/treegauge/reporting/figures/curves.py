"""Figures of learning curves by class, of simple and complex words, and of complexity."""

from typing import Any

from treegauge.core.errors import TreegaugeError
from treegauge.learning.curves.class_counts import ALL
from treegauge.learning.curves.complexity import Complexities
from treegauge.learning.curves.equivalents import Equivalents
from treegauge.learning.curves.score_grid import Curves
from treegauge.reporting.figures.theme import (
    PALETTE,
    SIDE,
    Spec,
    category,
    chart,
    faceted,
    ink,
    line_scales,
    mark,
    quantity,
    themed,
    tips,
)

_LEGEND = {"symbolType": "stroke", "symbolOpacity": 1, "symbolStrokeWidth": 2}
_COLOURS = {"simple": PALETTE[2], ALL: PALETTE[0], "complex": PALETTE[5]}
_POINT = ("parser", "treebank", "class", "size", "score", "low", "high", "relative", "share")


def curve_data(curves: Curves) -> list[dict[str, Any]]:
    """Return one row per point of a curve; the page draws the same rows.

    ``score``, ``low`` and ``high`` are in percent; ``relative`` is a share of the score at the
    largest size, ``share`` the class's share of the words.
    """
    names = [*_POINT, "relative_low", "relative_high"]
    return curves.table.select(names).to_dicts()


def _percent(share: float | None) -> str:
    """Return a share of words as a label; counts without the class of all words have none."""
    return "" if share is None else f" ({100 * share:.0f} %)"


def learning(curves: Curves, *, min_share: float = 0.01, dark: bool = False) -> Spec:
    """Draw learning curves by class (Challenges, Fig. 1, with relative scores).

    One panel per parser and treebank; sizes are on a logarithmic scale. The curve of all words is
    thick and has an interval band; arrows point in the direction of the head. Classes with a
    smaller share of words than `min_share` are not drawn. :func:`composites` draws curves of simple
    and complex words.
    """
    classes = set(curves.table["class"])
    if {ALL} < classes <= _COLOURS.keys() and not curves.relative:
        return composites(curves, dark=dark)
    shown, low, high, percent, unit = "score", "low", "high", 1, f"{curves.metric} (%)"
    if curves.relative:
        shown, low, high, percent = "relative", "relative_low", "relative_high", 100
        unit = f"% of {curves.metric} at the largest size"
    rows = [
        {
            "panel": _panel(curves, row),
            "class": row["class"],
            "curve": _arrow(row["class"]) + _percent(row["share"]),
            "size": row["size"],
            "value": percent * row[shown],
            "low": None if row[low] is None else percent * row[low],
            "high": None if row[high] is None else percent * row[high],
            "score": row["score"],
        }
        for row in curve_data(curves)
        if row[shown] is not None and (row["class"] == ALL or (row["share"] or 1) >= min_share)
    ]
    order = list(dict.fromkeys(row["curve"] for row in rows))
    colours, dashes = line_scales(order, [ink(dark), *PALETTE])
    named = category("curve", legend=_LEGEND)
    whole = f"datum.class === '{ALL}'"
    line = {
        "y": quantity("value", unit),
        "strokeWidth": {"condition": {"test": whole, "value": 4}, "value": 1.6},
        "strokeDash": {**named, "scale": dashes},
        "tooltip": tips(["class", "size", "score", "value", "low", "high"]),
    }
    reach = {"y": quantity("low", unit), "y2": {"field": "high"}}
    band = {"transform": [{"filter": whole}], **mark("area", reach, opacity=0.15)}
    colour = {**named, "scale": colours}
    layers = [band, mark("line", line, point={"size": 14})]
    inner = {"width": 2 * SIDE, "height": 1.6 * SIDE,
             "encoding": {"x": _sizes(curves), "color": colour}, "layer": layers}  # fmt: skip
    title = "How fast classes of words are learned"
    return themed(faceted(rows, "panel", 2, inner), title, curves.signature, dark)


def _arrow(name: str) -> str:
    """Write the direction of the head as an arrow towards it, as the paper does."""
    return name.replace(" × head right", " →").replace(" × head left", " ←")


def composites(curves: Curves, placed: Equivalents | None = None, *, dark: bool = False) -> Spec:
    """Draw curves of simple, all and complex words, and scores on them (Challenges, Fig. 3).

    One panel per parser and treebank. Scores of another system with their data-size equivalents
    are dashed at the score and dotted down to the number of sentences, in the panel of the parser
    they were `placed` on.
    """
    named = [] if placed is None else placed.table["class"].unique(maintain_order=True).to_list()
    domain = [*_COLOURS, *(name for name in named if name not in _COLOURS)]
    rows = [
        {name: row[name] for name in ("class", "size", "score", "low", "high")}
        | {"panel": _panel(curves, row), "kind": "curve"}
        for row in curve_data(curves)
        if row["score"] is not None and row["class"] in domain
    ]
    if placed is None and {row["class"] for row in rows} <= {ALL}:
        raise TreegaugeError("nothing to draw: expected curves of simple and complex words")
    if placed is not None:
        rows += _placed(curves, placed)
    domain = [name for name in domain if any(row["class"] == name for row in rows)]
    colours = [_COLOURS.get(name, PALETTE[i % len(PALETTE)]) for i, name in enumerate(domain)]
    scale = {"domain": domain, "range": colours}
    unit = f"{curves.metric} (%)"
    y = quantity("score", unit)
    tip = tips(["class", "system", "score", "equivalent"])
    layers: list[Spec] = [
        _only("curve", {"type": "area", "opacity": 0.12},
              {"y": quantity("low", unit), "y2": {"field": "high"}}),
        _only("curve", {"type": "line", "point": {"size": 18}},
              {"y": y, "tooltip": tips(["class", "size", "score", "low", "high"])}),
        _only("score", {"type": "rule", "strokeDash": [6, 3]},
              {"x": _sizes(curves, "start"), "x2": {"field": "end"}, "y": y, "tooltip": tip}),
        _only("drop", {"type": "rule", "strokeDash": [1, 3], "strokeWidth": 2},
              {"x": _sizes(curves, "sentences"), "y": y, "y2": {"field": "floor"}, "tooltip": tip}),
    ]  # fmt: skip
    inner = {
        "width": 1.4 * SIDE,
        "height": 1.4 * SIDE,
        "encoding": {"x": _sizes(curves), "color": category("class", legend=_LEGEND, scale=scale)},
        "layer": layers if placed is not None else layers[:2],
    }
    title = "Simple and complex words by size of the training set"
    return themed(faceted(rows, "panel", 3, inner), title, curves.signature, dark)


def placed_scores(placed: Equivalents, *, dark: bool = False) -> Spec:
    """Draw scores on the learning curves that they were placed on."""
    if placed.curves is None:
        raise TreegaugeError("nothing to draw: these equivalents have no curves")
    return composites(placed.curves, placed, dark=dark)


def scores_by_complexity(found: Complexities, *, dark: bool = False) -> Spec:
    """Draw the score of each class against its COMPLEXITY, by parser (Challenges, Fig. 2)."""
    rows = found.table.to_dicts()
    rows = [row for row in rows if row["group"] == ""] or rows
    rows = [row | {"label": _arrow(row["class"])} for row in rows]
    rhos = ", ".join(
        f"{row['parser']} {row['rho']:.2f}"
        for row in found.correlations.filter(group="").to_dicts()
        if row["rho"] is not None
    )
    y = quantity("score", f"{found.metric} (%) at {found.size} sentences")
    meaning = "COMPLEXITY: simple left, complex right of 0"
    x = quantity("complexity", meaning)
    place: Spec = {"x": x, "y": y, "color": category("parser", legend={"symbolOpacity": 1})}
    tip = tips(["parser", "group", "class", "complexity", "low", "high", "score"])
    middle = {"x": quantity("x", meaning)}
    rule = mark("rule", middle, color=ink(dark), strokeDash=[4, 4], opacity=0.5)
    label = place | {"text": {"field": "label"}}
    layers = [
        {"data": {"values": [{"x": 0}]}, **rule},
        mark("rule", place | {"x": quantity("low", meaning), "x2": {"field": "high"}}, opacity=0.35),
        mark("point", place | {"tooltip": tip}, filled=True, size=40),
        mark("text", label, align="left", dx=5, dy=-5, fontSize=9),
    ]
    spec = chart(rows, 2.6 * SIDE, 1.8 * SIDE, layer=layers)
    rhos = f"Spearman's rho: {rhos}" if rhos else ""
    return themed(spec, "Complexity and score of classes of words", found.signature, dark, rhos)


def _sizes(curves: Curves, field: str = "size") -> Spec:
    axis = {"values": curves.table["size"].unique().sort().to_list(), "format": "d"}
    scale = {"type": "log", "nice": False}
    return quantity(field, "training sentences", scale=scale, axis=axis)


def _panel(curves: Curves, row: dict[str, Any]) -> str:
    several = curves.table["treebank"].n_unique() > 1
    return f"{row['parser']}, {row['treebank']}" if several else str(row["parser"])


def _only(kind: str, mark: Spec, encoding: Spec) -> Spec:
    transform = [{"filter": f"datum.kind === '{kind}'"}]
    return {"transform": transform, "mark": mark, "encoding": encoding}


def _placed(curves: Curves, placed: Equivalents) -> list[dict[str, Any]]:
    """Return the dashed and dotted lines of scores, as rows."""
    curve = curves.table.filter(parser=placed.parser)
    panels = {row["treebank"]: _panel(curves, row) for row in curve.to_dicts()}
    known = [value for value in curves.table["low"].to_list() if value is not None]
    rows = []
    for row in placed.table.to_dicts():
        panel = panels.get(row["treebank"])
        if panel is None:
            continue
        shared = {name: row[name] for name in ("class", "score", "system", "equivalent")}
        shared["panel"] = panel
        ends = {"start": placed.sizes[0], "end": placed.sizes[-1]}
        rows.append(shared | ends | {"kind": "score"})
        if row["sentences"] is not None:
            drop = {"kind": "drop", "sentences": row["sentences"]}
            rows.append(shared | drop | {"floor": min([row["score"], *known])})
    return rows
