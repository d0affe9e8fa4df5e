"""Figures of learning curves, as Vega-Lite dictionaries."""

from typing import Any

from treegauge.curves.attachments import ALL
from treegauge.curves.complexity import Complexities
from treegauge.curves.equivalents import Equivalents
from treegauge.curves.learning import Curves
from treegauge.figures.marks import SIDE, quantity, tips
from treegauge.figures.theme import PALETTE, Spec, ink, themed
from treegauge.results.errors import TreegaugeError

_LEGEND = {"symbolType": "stroke", "symbolOpacity": 1, "symbolStrokeWidth": 2}
_SIDES = {"simple": PALETTE[2], ALL: PALETTE[0], "complex": PALETTE[5]}


def learning(found: Curves, *, min_share: float = 0.01, dark: bool = False) -> Spec:
    """Draw relative curves by class over the logarithm of size (Challenges, Fig. 1).

    Parameters
    ----------
    found
        What :func:`treegauge.curves.learning.learning_curves` gave; one panel a parser and
        treebank. The curve of all words is thick and has its interval around it; arrows point
        to the side of the head.
    min_share
        Classes with a smaller share of words are left out of the picture.
    dark
        Light on dark.
    """
    rows = [
        {
            "panel": _panel(found, row),
            "class": row["class"],
            "curve": f"{_short(row['class'])} ({100 * row['share']:.0f} %)",
            "size": row["size"],
            "relative": 100 * row["relative"],
            "low": 100 * row["relative_low"],
            "high": 100 * row["relative_high"],
            "score": row["score"],
        }
        for row in found.table.to_dicts()
        if row["relative"] is not None and (row["class"] == ALL or row["share"] >= min_share)
    ]
    order = list(dict.fromkeys(row["curve"] for row in rows))
    colours, dashes = _told_apart(order, dark)
    named = {"field": "curve", "type": "nominal", "title": None, "legend": _LEGEND}
    whole = f"datum.class === '{ALL}'"
    line = {
        "mark": {"type": "line", "point": {"size": 14}},
        "encoding": {
            "y": quantity("relative", "% of the score at the largest size"),
            "strokeWidth": {"condition": {"test": whole, "value": 4}, "value": 1.6},
            "strokeDash": {**named, "scale": {"domain": order, "range": dashes}},
            "tooltip": tips(["class", "size", "score", "relative", "low", "high"]),
        },
    }
    band = {
        "transform": [{"filter": whole}],
        "mark": {"type": "area", "opacity": 0.15},
        "encoding": {"y": quantity("low", ""), "y2": {"field": "high"}},
    }
    spec = {
        "data": {"values": rows},
        "facet": {"field": "panel", "title": None},
        "columns": 2,
        "spec": {
            "width": 2 * SIDE,
            "height": 1.6 * SIDE,
            "encoding": {
                "x": _sizes(found),
                "color": {**named, "scale": {"domain": order, "range": colours}},
            },
            "layer": [band, line],
        },
    }
    title = "How fast classes of words are learned"
    return themed(spec, title=title, signature=found.signature, dark=dark)


def _told_apart(order: list[str], dark: bool) -> tuple[list[str], list[list[int]]]:
    """Return a colour and a dash for each curve: black for the first, then all colours in turn."""
    patterns = [[1, 0], [6, 2], [2, 2], [8, 2, 2, 2]]
    rest = range(len(order) - 1)
    colours = [ink(dark), *(PALETTE[i % len(PALETTE)] for i in rest)]
    return colours, [[1, 0], *(patterns[i // len(PALETTE) % len(patterns)] for i in rest)]


def _short(name: str) -> str:
    """Write the side of the head as an arrow towards it, as the paper does."""
    return name.replace(" × head right", " →").replace(" × head left", " ←")


def composites(found: Curves, placed: Equivalents | None = None, *, dark: bool = False) -> Spec:
    """Draw simple, overall and complex curves, and scores placed on them (Challenges, Fig. 3).

    Parameters
    ----------
    found
        Curves of :func:`treegauge.curves.partition.composites`; one panel a parser and treebank.
    placed
        Scores of another system with their data-size equivalents: dashed at the score, dotted down
        to the number of sentences. Drawn in the panel of the parser they were placed on.
    dark
        Light on dark.
    """
    rows = [
        {name: row[name] for name in ("class", "size", "score", "low", "high")}
        | {"panel": _panel(found, row), "kind": "curve"}
        for row in found.table.to_dicts()
        if row["score"] is not None
    ]
    if not any(row["class"] in {"simple", "complex"} for row in rows):
        raise TreegaugeError("nothing to draw: expected curves of simple and complex words")
    if placed is not None:
        rows += _placed(found, placed)
    colours = {"domain": list(_SIDES), "range": list(_SIDES.values())}
    colour: Spec = {"field": "class", "type": "nominal", "title": None, "legend": _LEGEND}
    colour["scale"] = colours
    y = quantity("score", "score")
    layers: list[Spec] = [
        _only("curve", {"type": "area", "opacity": 0.12},
              {"y": quantity("low", ""), "y2": {"field": "high"}}),
        _only("curve", {"type": "line", "point": {"size": 18}},
              {"y": y, "tooltip": tips(["class", "size", "score", "low", "high"])}),
        _only("score", {"type": "rule", "strokeDash": [6, 3]},
              {"x": quantity("start", ""), "x2": {"field": "end"}, "y": y,
               "tooltip": tips(["class", "system", "score", "equivalent"])}),
        _only("drop", {"type": "rule", "strokeDash": [1, 3], "strokeWidth": 2},
              {"x": _sizes(found, "sentences"), "y": y, "y2": {"field": "floor"},
               "tooltip": tips(["class", "system", "score", "equivalent"])}),
    ]  # fmt: skip
    spec = {
        "data": {"values": rows},
        "facet": {"field": "panel", "title": None},
        "columns": 3,
        "spec": {
            "width": 1.4 * SIDE,
            "height": 1.4 * SIDE,
            "encoding": {"x": _sizes(found), "color": colour},
            "layer": layers if placed is not None else layers[:2],
        },
    }
    title = "Simple and complex words by size of the train set"
    return themed(spec, title=title, signature=found.signature, dark=dark)


def complexity(found: Complexities, *, dark: bool = False) -> Spec:
    """Draw every class's score against its COMPLEXITY, a colour a parser (Challenges, Fig. 2)."""
    rows = [
        row | {"label": _short(row["class"])}
        for row in found.table.filter(group="").to_dicts() or found.table.to_dicts()
    ]
    rhos = ", ".join(
        f"{row['parser']} {row['rho']:.2f}"
        for row in found.correlations.filter(group="").to_dicts()
        if row["rho"] is not None
    )
    x = quantity("complexity", "COMPLEXITY: simple left, complex right of 0")
    y = quantity("score", f"score at {found.size} sentences")
    colour = {"field": "parser", "type": "nominal", "title": None}
    centre = {
        "data": {"values": [{"x": 0}]},
        "mark": {"type": "rule", "color": ink(dark), "strokeDash": [4, 4], "opacity": 0.5},
        "encoding": {"x": {"field": "x", "type": "quantitative"}},
    }
    spread = {
        "mark": {"type": "rule", "opacity": 0.35},
        "encoding": {"x": quantity("low", ""), "x2": {"field": "high"}, "y": y, "color": colour},
    }
    told = tips(["parser", "group", "class", "complexity", "low", "high", "score"])
    points = {
        "mark": {"type": "point", "filled": True, "size": 40},
        "encoding": {"x": x, "y": y, "color": colour, "tooltip": told},
    }
    names = {
        "mark": {"type": "text", "align": "left", "dx": 5, "dy": -5, "fontSize": 9},
        "encoding": {"x": x, "y": y, "text": {"field": "label"}, "color": colour},
    }
    spec = {
        "data": {"values": rows},
        "width": 2.6 * SIDE,
        "height": 1.8 * SIDE,
        "layer": [centre, spread, points, names],
    }
    return themed(
        spec,
        title="Is what is learned late learned worse?",
        subtitle=f"Spearman's rho: {rhos}" if rhos else "",
        signature=found.signature,
        dark=dark,
    )


def _sizes(found: Curves, field: str = "size") -> Spec:
    return {
        "field": field,
        "type": "quantitative",
        "title": "train sentences",
        "scale": {"type": "log", "nice": False},
        "axis": {"values": found.table["size"].unique().sort().to_list(), "format": "d"},
    }


def _panel(found: Curves, row: dict[str, Any]) -> str:
    several = found.table["treebank"].n_unique() > 1
    return f"{row['parser']}, {row['treebank']}" if several else str(row["parser"])


def _only(kind: str, mark: Spec, encoding: Spec) -> Spec:
    return {"transform": [{"filter": f"datum.kind === '{kind}'"}], "mark": mark} | {
        "encoding": encoding
    }


def _placed(found: Curves, placed: Equivalents) -> list[dict[str, Any]]:
    """Return the dashed and dotted lines of scores, as rows."""
    curve = found.table.filter(parser=placed.parser)
    panels = {row["treebank"]: _panel(found, row) for row in curve.to_dicts()}
    known = [value for value in found.table["low"].to_list() if value is not None]
    rows = []
    for row in placed.table.to_dicts():
        panel = panels.get(row["treebank"])
        if panel is None:
            continue
        shared = {
            "panel": panel, "class": row["class"], "score": row["score"],
            "system": row["system"], "equivalent": row["equivalent"],
        }  # fmt: skip
        ends = {"start": placed.sizes[0], "end": placed.sizes[-1]}
        rows.append(shared | ends | {"kind": "score"})
        if row["sentences"] is not None:
            drop = {"kind": "drop", "sentences": row["sentences"]}
            rows.append(shared | drop | {"floor": min([row["score"], *known])})
    return rows
