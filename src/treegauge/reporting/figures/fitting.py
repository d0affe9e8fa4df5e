"""Figures as wide as a column of a paper: panels wrap, labels fold, one legend stands below.

A figure is first drawn in its natural size by :mod:`treegauge.reporting.figures.drawing`; here the
same specification gets the widths, steps and lines of text with which it fits. What a label needs
beyond the data is only known once it is drawn, so the width of the panels is found by drawing.
"""

import copy
import math
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from treegauge.reporting.figures.theme import Spec

INCH = 96
"""Units of a figure per inch, as in CSS."""
_PANEL = 190  # the least width of a panel with its labels next to another one
_CELL = 26  # the least width of a cell with a number in it
_TEXT, _TITLE = 10, 13
_NARROW, _WIDE = set("fijlrtI.,:;|!'()[]/ -"), set("mwMW%@→←")
_BOX = tuple[float, float, float, float]


def label_width(text: str, size: float = _TEXT) -> float:
    """Estimate the width of a text, rather too wide than too narrow."""
    ems = (0.38 if c in _NARROW else 0.92 if c in _WIDE else 0.72 if c.isupper() else 0.58 for c in text)
    return size * sum(ems)


def folded(text: str, width: float, size: float = _TEXT) -> list[str]:
    """Break a text into lines of at most a width, at spaces, hyphens and underscores if it can be."""
    most = max(4, int(width / max(label_width(text, size), 1) * len(text)))
    if len(text) <= most:
        return [text]
    parts = re.sub(r"([_./×+])(?=\w)", "\\1\u200b ", text)  # a mark tells these breaks from spaces
    return [line.replace("\u200b ", "").rstrip("\u200b") for line in textwrap.wrap(parts, most + 1)]


def fitted(spec: Spec, inches: float, draw: Callable[[Spec], str]) -> Spec:
    """Return a figure that is at most `inches` wide when drawn by `draw`.

    Panels are put below one another where they would be too narrow, a long row of names becomes a
    column, long names and titles get several lines, and the legend stands below. Cells that are too
    narrow for numbers keep their shade only, and a label at a point that would cover another label
    is left out.
    """
    target = inches * INCH
    spec = copy.deepcopy(dict(spec))
    if "hconcat" in spec:
        spec["concat"] = spec.pop("hconcat")
        spec["columns"] = len(spec["concat"])
    _fold_heads(spec, target)
    across = 1
    if "facet" in spec or "concat" in spec:
        number = len(spec["concat"]) if "concat" in spec else len(_names(spec, spec["facet"]["field"]))
        most = int(max(1, min(number, spec.get("columns", number), target // _PANEL)))
        across = spec["columns"] = math.ceil(number / math.ceil(number / most))  # no row is nearly empty
    panels = list(_panels(spec))
    if any("step" in _size(panel, "width") for panel in panels) and _drawn(draw(spec)) > target:
        for panel in panels:
            _turn(panel)
    _legends(spec, target)
    for panel in panels:
        _fold_names(spec, panel, target / across)
    natural = [dict(panel) for panel in panels]
    steps = all("step" in _size(panel, "width") for panel in panels)
    if not (steps and _drawn(draw(spec)) <= target):
        width, widest = target / across - 60, 30.0
        for turn in range(6):  # other ticks need other room: the last turn takes the widest that fitted
            width = max(width, 30.0) if turn < 5 else widest
            for panel, before in zip(panels, natural, strict=True):
                _resize(spec, panel, before, width, target / across)
            room = target - _drawn(draw(spec))
            if room >= 0:
                widest = max(width, widest)
            if 0 <= room < 2:
                break
            width += (room - 1) / across
    return _without_covered(spec, draw)


def _panels(spec: Spec) -> Iterator[Spec]:
    """Yield the parts of a figure that have a width."""
    if "concat" in spec:
        for part in spec["concat"]:
            yield from _panels(part)
    else:
        yield spec.get("spec", spec)


def _layers(panel: Spec) -> list[Spec]:
    return [panel, *panel.get("layer", [])]


def _channels(panel: Spec, *names: str) -> list[Spec]:
    """Return the channels of these names in a panel and its layers."""
    found = [layer.get("encoding", {}).get(name) for layer in _layers(panel) for name in names]
    return [channel for channel in found if isinstance(channel, dict) and "field" in channel]


def _names(spec: Spec, field: str) -> list[str]:
    """Return the distinct values of a field, wherever the figure has its data."""
    sources = [part.get("data", {}).get("values", []) for panel in _panels(spec) for part in (spec, *_layers(panel))]
    sources += spec.get("datasets", {}).values()
    return list(dict.fromkeys(str(row[field]) for rows in sources for row in rows if row.get(field) is not None))


def _size(panel: Spec, name: str) -> Spec:
    size = panel.get(name)
    return size if isinstance(size, dict) else {}


def _drawn(svg: str) -> float:
    found = re.search(r'<svg[^>]*? width="([\d.]+)"', svg)
    return float(found[1]) if found else 0.0


def _fold_heads(spec: Spec, target: float) -> None:
    """Give the title and the subtitle of a figure as many lines as they need."""
    head = spec.get("title")
    if isinstance(head, dict):
        head["text"] = folded(head["text"], target - 24, _TITLE * 1.05)
        if head.get("subtitle"):
            head["subtitle"] = folded(head["subtitle"], target - 24, 11)


def _turn(panel: Spec) -> None:
    """Exchange the axes of a row of names, which then is as long as it needs to be."""
    names, values = _channels(panel, "x"), _channels(panel, "y", "y2")
    if any(one.get("type") != "nominal" for one in names) or any(one.get("type") == "nominal" for one in values):
        return
    pairs = {"x": "y", "y": "x", "x2": "y2", "y2": "x2"}
    for layer in _layers(panel):
        if "encoding" in layer:
            layer["encoding"] = {pairs.get(name, name): one for name, one in layer["encoding"].items()}
    for one in _channels(panel, "x"):
        one.get("scale", {}).pop("reverse", None)
    panel["width"], panel["height"] = panel["height"], {"step": min(_size(panel, "width")["step"], 14)}
    for one in _channels(panel, "y"):
        one.get("axis", {}).pop("labelAngle", None)


def _legends(spec: Spec, target: float) -> None:
    """Put legends below the figure, one below the other, in columns as wide as their names."""
    longest = 0.0
    for panel in _panels(spec):
        for one in _channels(panel, "color", "shape", "strokeDash"):
            if one.get("type") == "nominal" and one.get("legend", 1) is not None:
                longest = max([longest, *(label_width(name) for name in _names(spec, one["field"]))])
    legend: Spec = {"orient": "bottom", "layout": {"bottom": {"anchor": "start", "direction": "vertical", "margin": 6}}}
    legend |= {
        "labelLimit": target - 40,
        "titleLimit": target - 20,
        "gradientLength": min(200, target / 2),
        "tickCount": 3,
    }
    if longest:
        legend["columns"] = int(max(1, (target - 10) // (longest + 30)))
    spec["config"]["legend"] |= legend
    spec["config"]["axis"] |= {"labelSeparation": 4}


def _fold_names(spec: Spec, panel: Spec, room: float) -> None:
    """Fold the names on axes and above panels that are too long for the figure."""
    rows = _channels(panel, "y")
    matrix = any(one.get("type") == "nominal" for one in _channels(panel, "x"))
    for one in [channel for channel in rows if channel.get("type") == "nominal"]:
        names = _names(spec, one["field"])
        limit = room * 0.4
        lines = {name: folded(name, limit) for name in names}
        most = max(map(len, lines.values()), default=1)
        axis = one.setdefault("axis", {})
        if most > 1:
            axis["labelExpr"] = _by_name(lines)
            panel["height"] = {"step": max(_size(panel, "height").get("step", 18), 11 * most + 5)}
        axis |= {"labelLimit": 1.5 * limit, "labelLineHeight": 11}
    for one in [channel for channel in _channels(panel, "x") if channel.get("type") == "nominal"]:
        names = _names(spec, one["field"])
        lines = {name: folded(name, 0.35 * room) for name in names}
        axis = one.setdefault("axis", {})
        axis.update(labelAngle=-90, labelLimit=room, labelOverlap=matrix, labelLineHeight=11)
        if 1 < max(map(len, lines.values())) <= 0.6 * room / len(names) / 11:
            axis["labelExpr"] = _by_name(lines)
    facet = spec.get("facet")
    if facet and panel is spec["spec"]:
        lines = {name: folded(name, 0.8 * room) for name in _names(spec, facet["field"])}
        header = facet.setdefault("header", {})
        header["labelLimit"] = room
        if any(len(each) > 1 for each in lines.values()):
            header["labelExpr"] = _by_name(lines)
    if isinstance(panel.get("title"), str):
        panel["title"] = folded(panel["title"], 0.8 * room, _TITLE)


def _by_name(lines: dict[str, list[str]]) -> str:
    """Return an expression of Vega for the lines of each label."""
    quoted = ", ".join(f"{_quote(name)}: [{', '.join(map(_quote, each))}]" for name, each in lines.items())
    return f"({{{quoted}}})[datum.label] || datum.label"


def _quote(text: str) -> str:
    inner = "".join(c if c.isalnum() or c in " -_.,:()" else f"\\u{ord(c):04x}" for c in text if ord(c) < 0x10000)
    return f'"{inner}"'


def _resize(spec: Spec, panel: Spec, before: Spec, width: float, room: float) -> None:
    """Set the width of a panel, the height in proportion, and what depends on them."""
    panel["width"] = width
    tall = before.get("height")
    if isinstance(tall, int | float):
        wide = before.get("width")
        part = width / wide if isinstance(wide, int | float) else 1.0
        panel["height"] = tall * min(1.15, max(part, 0.5))
    for name, along in (("x", width), ("y", panel["height"])):
        for one in _channels(panel, name):
            title = _title(one)
            if isinstance(title, str) and isinstance(along, int | float):
                one["title"] = folded(title, max(along, 0.6 * room if name == "x" else 60), 11.5)
    across = [one for one in _channels(panel, "x") if one.get("type") == "nominal"]
    if across and [one for one in _channels(panel, "y") if one.get("type") == "nominal"]:
        cell = width / max(1, len(_names(spec, across[0]["field"])))
        size = max(7.0, min(_TEXT, cell - 1))
        for one in across:
            one["axis"]["labelFontSize"] = size
        if cell < _CELL:
            panel["layer"] = [layer for layer in panel["layer"] if _kind(layer) != "text"]


def _title(channel: Spec) -> Any:
    """Return the title of an axis as one text, also if it was folded for another width."""
    title = channel.get("title")
    return " ".join(title) if isinstance(title, list) else title


def _kind(layer: Spec) -> str:
    kind = layer.get("mark")
    return str(kind.get("type")) if isinstance(kind, dict) else str(kind)


def _without_covered(spec: Spec, draw: Callable[[Spec], str]) -> Spec:
    """Leave out labels at points that would cover one another; tooltips and tables still have them."""
    for panel in _panels(spec):
        for layer in panel.get("layer", []):
            field = layer.get("encoding", {}).get("text", {}).get("field")
            if _kind(layer) != "text" or [one for one in _channels(panel, "y") if one.get("type") == "nominal"]:
                continue
            hidden = _covered(draw(spec))
            if hidden and field:
                test = " && ".join(f"datum[{_quote(field)}] !== {_quote(name)}" for name in hidden)
                layer["transform"] = [*layer.get("transform", []), {"filter": test}]
    return spec


def _covered(svg: str) -> list[str]:
    """Return the texts of marks that lie on one before them."""
    kept: list[_BOX] = []
    hidden: list[str] = []
    for group in re.findall(r'<g class="mark-text role-mark.*?</g>', svg, re.DOTALL):
        for x, y, text in re.findall(r"<text[^>]*?translate\(([-\d.]+),([-\d.]+)\)[^>]*>([^<]*)</text>", group):
            left, low = float(x), float(y)
            box = (left - 1, low - 9, left + label_width(text, 9), low + 2)
            if any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in kept):
                hidden.append(text)
            else:
                kept.append(box)
    return hidden
