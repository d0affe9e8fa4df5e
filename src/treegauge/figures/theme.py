"""One look for all figures: colours that colour-blind readers can tell apart, light or dark."""

from typing import Any

#: A figure is a Vega-Lite specification with its data inside.
Spec = dict[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"

#: Okabe and Ito's palette, black left out: distinguishable with any common colour vision.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
#: From little to much: light to dark, so that it is a scale of greys in print, too.
SEQUENCE = ("#f0f6fb", "#c9e0f0", "#8fc1e0", "#4d9bc9", "#0072B2", "#00487a")
_INK = {False: "#1b1f24", True: "#eceff3"}
_SOFT = {False: "#5a6472", True: "#a9b4c2"}
_LINE = {False: "#d5dae1", True: "#3a4450"}
_PAPER = {False: "#ffffff", True: "#14181d"}


def ink(dark: bool) -> str:
    """Return the colour of text and outlines."""
    return _INK[dark]


def contrast(one: str, other: str) -> float:
    r"""Return the contrast of two colours as WCAG defines it: 1 for equal ones, at most 21.

    .. math:: \frac{L_1 + 0.05}{L_2 + 0.05}

    with :math:`L_1 \ge L_2` the relative luminances.

    Examples
    --------
    >>> round(contrast("#000000", "#ffffff"))
    21
    """
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def themed(spec: Spec, *, title: str, subtitle: str = "", signature: str, dark: bool) -> Spec:
    """Complete a chart: schema, title, colours, and the signature of the numbers in it.

    Parameters
    ----------
    spec
        Data, marks and encodings of a Vega-Lite chart.
    title, subtitle
        Text above the chart.
    signature
        Where the numbers come from; kept as ``usermeta``, which renderers ignore.
    dark
        Light on dark instead of dark on light.

    Returns
    -------
    dict
        A whole Vega-Lite v5 specification with its data inside.

    Examples
    --------
    >>> spec = themed({"mark": "bar"}, title="A", signature="treegauge:1", dark=False)
    >>> spec["usermeta"], spec["background"]
    ({'signature': 'treegauge:1'}, '#ffffff')
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
            "font": "system-ui, sans-serif",
            "view": {"stroke": None},
            "axis": {
                "gridColor": _LINE[dark],
                "domainColor": _SOFT[dark],
                "tickColor": _SOFT[dark],
                "labelColor": _SOFT[dark],
                "titleColor": _INK[dark],
                "titleFontWeight": "normal",
            },
            "legend": {
                "labelColor": _SOFT[dark],
                "titleColor": _INK[dark],
                "titleFontWeight": "normal",
            },
            "title": {"color": _INK[dark], "subtitleColor": _SOFT[dark], "fontWeight": 600},
            "range": {
                "category": list(PALETTE),
                "heatmap": list(SEQUENCE),
                "ramp": list(SEQUENCE),
            },
        },
    }
