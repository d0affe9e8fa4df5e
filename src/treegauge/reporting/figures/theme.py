"""The look of all figures: colours safe for colour-blind readers, light and dark, and marks."""

from collections.abc import Sequence
from typing import Any

#: A figure is a Vega-Lite specification with its data inside.
Spec = dict[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"

#: Okabe and Ito's palette, black left out: distinguishable with any common colour vision.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
#: Light to dark, so that it is also a scale of greys in print.
SEQUENCE = ("#f0f6fb", "#c9e0f0", "#8fc1e0", "#4d9bc9", "#0072B2", "#00487a")
#: Fonts of one width on all systems: a label takes the room that it was measured to take.
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"
#: Width and height of a small panel.
SIDE = 220
_INK = {False: "#1b1f24", True: "#eceff3"}
_SOFT = {False: "#5a6472", True: "#a9b4c2"}
_LINE = {False: "#d5dae1", True: "#3a4450"}
_PAPER = {False: "#ffffff", True: "#14181d"}


def ink(dark: bool) -> str:
    """Return the colour of text and outlines."""
    return _INK[dark]


def themed(spec: Spec, title: str, signature: str, dark: bool, subtitle: str = "") -> Spec:
    """Return a complete chart: with schema, title, colours, and the signature of its numbers.

    The signature is kept as ``usermeta``, which renderers ignore.
    """
    head: Spec = {"text": title, "anchor": "start"}
    if subtitle:
        head["subtitle"] = subtitle
    return {
        "$schema": SCHEMA,
        "usermeta": {"signature": signature},
        "background": _PAPER[dark],
        "title": head,
        **spec,
        "config": {
            "font": FONT,
            "view": {"stroke": None},
            "axis": {
                "gridColor": _LINE[dark],
                "domainColor": _SOFT[dark],
                "tickColor": _SOFT[dark],
                "labelColor": _SOFT[dark],
                "titleColor": _INK[dark],
                "titleFontWeight": "normal",
            },
            "legend": {"labelColor": _SOFT[dark], "titleColor": _INK[dark], "titleFontWeight": "normal"},
            "title": {"color": _INK[dark], "subtitleColor": _SOFT[dark], "fontWeight": 600},
            "range": {"category": list(PALETTE), "heatmap": list(SEQUENCE), "ramp": list(SEQUENCE)},
        },
    }


def quantity(field: str, title: str, **more: Any) -> Spec:
    """Return the encoding of a number; the axis need not start at zero."""
    shown = {"field": field, "type": "quantitative", "title": title, "scale": {"zero": False}}
    return shown | more


def chart(rows: list[dict[str, Any]], width: Any, height: Any, **more: Any) -> Spec:
    """Return a chart of rows; a size is a number of pixels, or a step per name."""
    return {"data": {"values": rows}, "width": width, "height": height, **more}


def mark(kind: str, encoding: Spec, **style: Any) -> Spec:
    """Return a layer: a kind of mark with its style and its channels."""
    return {"mark": {"type": kind, **style} if style else kind, "encoding": encoding}


def category(field: str, title: str | None = None, **more: Any) -> Spec:
    """Return the encoding of a name."""
    return {"field": field, "type": "nominal", "title": title} | more


_DASHES = ([1, 0], [6, 2], [2, 2], [8, 2, 2, 2])


def line_scales(names: Sequence[str], colours: Sequence[str] = PALETTE) -> tuple[Spec, Spec]:
    """Return scales of colours and of dashes: each colour in turn, then the next pattern of dashes."""
    shades = [colours[i % len(colours)] for i in range(len(names))]
    dashes = [_DASHES[i // len(colours) % len(_DASHES)] for i in range(len(names))]
    return {"domain": list(names), "range": shades}, {"domain": list(names), "range": dashes}


def faceted(rows: list[dict[str, Any]], field: str, columns: int, inner: Spec, **more: Any) -> Spec:
    """Return a chart with one panel per value of a field."""
    facet = {"field": field, "title": None, **more}
    return {"data": {"values": rows}, "facet": facet, "columns": columns, "spec": inner}


def tips(fields: Sequence[str]) -> list[Spec]:
    """Return the encoding of tooltips."""
    return [{"field": field} for field in fields]


def certainty(value: float, low: float | None, high: float | None, even: float = 0.0) -> float:
    """Return the distance from no difference in half-widths of the interval, from -1 to 1; 0 without an interval.

    Examples
    --------
    >>> certainty(2.0, -2.0, 6.0), certainty(-3.0, -5.0, -1.0), certainty(1.0, None, None)
    (0.5, -1.0, 0.0)
    """
    if low is None or high is None:
        return 0.0
    reach = value - low if value > even else high - value
    side = float(value > even) - float(value < even)
    return max(-1.0, min(1.0, (value - even) / reach)) if reach else side


def side_colours(title: str) -> Spec:
    """Return the colours of a certainty: white where nothing is known."""
    return {
        "field": "certain", "type": "quantitative", "title": title,
        "scale": {"domain": [-1, 1], "range": [PALETTE[5], "#ffffff", PALETTE[0]], "interpolate": "rgb"},
        "legend": {"values": [-1, 0, 1], "labelExpr": "datum.value == 0 ? 'open' : 'certain'"},
    }  # fmt: skip
