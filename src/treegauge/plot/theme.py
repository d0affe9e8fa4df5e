"""How every figure looks, in one place."""

from typing import Any

INK, SOFT, LINE = "#1b1f24", "#5a6472", "#d5dae1"
MARK, ACCENT = "#0b6e99", "#d2450f"

#: A figure is a Vega-Lite specification with its data inside.
Spec = dict[str, Any]

_CONFIG: Spec = {
    "font": "system-ui, sans-serif",
    "view": {"stroke": LINE},
    "axis": {
        "gridColor": LINE,
        "gridOpacity": 0.5,
        "domainColor": SOFT,
        "tickColor": SOFT,
        "labelColor": SOFT,
        "titleColor": INK,
        "titleFontWeight": "normal",
    },
    "title": {"color": INK, "fontSize": 12, "fontWeight": 600, "anchor": "start"},
    "point": {"color": MARK, "filled": True, "opacity": 0.7, "size": 36},
    "line": {"color": ACCENT},
    "bar": {"color": MARK},
    "rule": {"color": SOFT},
}


def themed(spec: Spec, signature: str | None = None) -> Spec:
    """Return a complete figure: the house style, and with it the signature of its numbers.

    Examples
    --------
    >>> sorted(themed({"mark": "point"}))
    ['$schema', 'background', 'config', 'mark']
    """
    complete = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "background": "white",
        **spec,
        "config": _CONFIG,
    }
    if signature is not None:
        complete["usermeta"] = {"signature": signature}
    return complete
