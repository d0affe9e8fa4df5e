"""Figures of training dynamics: data maps, usable information, code lengths.

`layer` is ``head`` or ``relation`` everywhere.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import joined_signature
from treegauge.learning.difficulty import DifficultyTable
from treegauge.learning.dynamics.cartography import REGIONS, DataMap
from treegauge.learning.dynamics.description_length import DescriptionLength, LengthTable
from treegauge.learning.dynamics.recording import LAYERS
from treegauge.learning.dynamics.usable_information import InformationTable, UsableInformation
from treegauge.learning.map import TreebankMaps
from treegauge.measures.measurements import Measures
from treegauge.measures.structure import CLASSES, average_wde, relation_class
from treegauge.reporting.figures.fitting import label_width
from treegauge.reporting.figures.theme import (
    PALETTE,
    SIDE,
    Spec,
    category,
    chart,
    faceted,
    ink,
    mark,
    quantity,
    themed,
    tips,
)
from treegauge.treebanks.sources.languages import kin_of

Floats = npt.NDArray[np.float64]


def _check(layer: str | None, results: Any) -> str:
    """Return the layer to draw, by default heads."""
    layer = layer or "head"
    if layer not in LAYERS:
        raise ChoiceError("layer", layer, LAYERS)
    if not results:
        raise TreegaugeError("nothing to draw: expected at least one treebank")
    return layer


def _name(mark: str) -> str:
    return mark.rpartition("#")[0] or mark


def _signature(results: Any) -> str:
    """Return the signature of a result, or of several."""
    if hasattr(results, "signature"):
        return str(results.signature)
    return joined_signature([result.signature for result in results])


def data_map_data(found: DataMap, layer: str = "head") -> dict[str, Any]:
    """Return confidence, variability, correctness and region number of every word.

    The page draws single words; the figure shows counts in cells.
    """
    place = {name: number for number, name in enumerate(REGIONS)}
    return {
        "confidence": found.confidence[layer],
        "variability": found.variability[layer],
        "correctness": None if found.correctness is None else found.correctness[layer],
        "region": np.array([place[name] for name in found.region(layer).tolist()], np.int64),
    }


def data_maps(maps: Sequence[DataMap] | TreebankMaps, *, layer: str | None = None, dark: bool = False) -> Spec:
    """Draw data maps, one panel per treebank: the number of words by CONF and VAR (Fig. 2 right).

    Words are counted in cells, so that a figure of a million words is no larger than one of a
    thousand. Lines mark the bounds of the easy and the hard region.

    Examples
    --------
    >>> from treegauge.learning.dynamics.cartography import data_map
    >>> from treegauge.learning.dynamics.recording import Recording
    >>> logp = np.log([[0.2, 0.9], [0.4, 0.9]])
    >>> spec = data_maps([data_map(Recording("toy#0", "train", "treegauge:0", (1, 2), logp, logp))])
    >>> [row["words"] for row in spec["data"]["values"]]
    [1, 1]
    """
    layer = _check(layer, maps)
    rows: list[dict[str, Any]] = []
    width, height = 0.0125, 0.025  # of a cell: VAR is at most 0.5, CONF at most 1
    for map_ in maps:
        data = data_map_data(map_, layer)
        across = np.minimum(data["variability"] / width, 0.5 / width - 1).astype(np.int64)
        up = np.minimum(data["confidence"] / height, 1 / height - 1).astype(np.int64)
        cells, counts = np.unique(np.column_stack([across, up]), axis=0, return_counts=True)
        rows += [
            {
                "treebank": _name(map_.treebank), "var": round(x * width, 4),
                "var_to": round((x + 1) * width, 4), "conf": round(y * height, 4),
                "conf_to": round((y + 1) * height, 4), "words": count,
                "share": count / len(across),
            }
            for (x, y), count in zip(cells.tolist(), counts.tolist(), strict=True)
        ]  # fmt: skip
    bounds = maps[0].regions
    corner = {"type": "rule", "color": ink(dark), "strokeDash": [3, 3], "opacity": 0.7}
    lines = [{"y": y, "x": 0, "x2": bounds.steady} for y in (bounds.easy, bounds.hard)]
    colour = {
        "field": "share", "type": "quantitative", "title": "share of words",
        "scale": {"type": "log", "scheme": "viridis" if dark else "yellowgreenblue"},
        "legend": {"format": ".2~p"},
    }  # fmt: skip
    cell = {
        "x": quantity("var", "variability", scale={"domain": [0, 0.5]}), "x2": {"field": "var_to"},
        "y": quantity("conf", "confidence", scale={"domain": [0, 1]}), "y2": {"field": "conf_to"},
        "color": colour, "tooltip": tips(["treebank", "conf", "var", "words"]),
    }  # fmt: skip
    marked = [{"mark": corner, "encoding": {k: {"datum": v} for k, v in line.items()}} for line in lines]
    layers = [mark("rect", cell), *marked]
    spec = faceted(
        rows, "treebank", min(3, len(maps)), {"width": SIDE, "height": SIDE, "layer": layers},
        sort=[_name(map_.treebank) for map_ in maps], header={"labelColor": ink(dark)},
    )  # fmt: skip
    title = f"How confident a parser is of gold {LAYERS[layer]}"
    return themed(spec, title, _signature(maps), dark)


def treebank_map(found: DifficultyTable, *, layer: str | None = None, dark: bool = False) -> Spec:
    """Draw a point per treebank: mean CONF and VAR, LAS as colour, words as size (Fig. 2 left)."""
    layer = _check(layer, found)
    short = {"head": "arc", "relation": "rel"}[layer]
    las = found[0].convention.label("las")
    names = ["treebank", "words", las, f"{short}_conf", f"{short}_var"]
    place = {
        "x": quantity(f"{short}_var", "variability"),
        "y": quantity(f"{short}_conf", "confidence"),
        "size": {"field": "words", "type": "quantitative", "title": "training words", "legend": {"format": "~s"}},
        "color": quantity(las, "dev LAS", scale={"scheme": "viridis", "zero": False}),
        "tooltip": tips(names),
    }
    point = mark("point", place, filled=True, opacity=0.85, stroke=ink(dark))
    spec = chart(found.table.select(names).to_dicts(), 2 * SIDE, 1.5 * SIDE, **point)
    title = f"Confidence in gold {LAYERS[layer]}, {len(found)} treebanks"
    return themed(spec, title, found.signature, dark)


def difficulty_figure(result: DifficultyTable, **how: Any) -> Spec:
    """Draw the correlations of the measures if they were computed, else the treebanks."""
    from treegauge.reporting.figures.analysis import matrix

    if "correlations" in result.attached:
        return matrix(cast("Any", result.attached["correlations"]), **how)
    return treebank_map(result, **how)


def density(values: Floats, at: Floats) -> Floats:
    """Estimate a density by Gaussian kernels of Silverman's width, on a grid of counts."""
    low, high = np.percentile(values, [25, 75])
    sd = float(values.std())
    spread = min(sd, float(high - low) / 1.34) or sd or 1.0
    step = float(at[1] - at[0])
    width = max(0.9 * spread * len(values) ** -0.2, step)
    edges = np.append(at - step / 2, at[-1] + step / 2)
    counts, _ = np.histogram(values, edges)
    gaps = (at[:, None] - at[None, :]) / width
    weights = np.exp(-0.5 * gaps**2) / (width * np.sqrt(2 * np.pi))
    return np.asarray(weights @ counts / len(values))


def pvi_densities(
    information: Sequence[UsableInformation] | InformationTable, *, layer: str | None = None, dark: bool = False
) -> Spec:
    """Draw the densities of pointwise information, one line per treebank (Fig. 3 left)."""
    layer = _check(layer, information)
    ends = np.concatenate([np.percentile(result.pvi(layer), [0.5, 99.5]) for result in information])
    grid = np.linspace(min(float(ends.min()), -1.0), max(float(ends.max()), 1.0), 161)
    rows = [
        {"treebank": _name(result.treebank), "pvi": x, "density": y}
        for result in information
        for x, y in zip(grid.tolist(), density(result.pvi(layer), grid).tolist(), strict=True)
    ]
    x, y = quantity("pvi", "bits"), quantity("density", "density", stack=None)
    area = {"x": x, "y": y, "color": category("treebank")}
    zero = mark("rule", {"x": {"datum": 0}}, color=ink(dark), strokeDash=[3, 3])
    layers = [
        {"data": {"values": rows}, **mark("area", area, line=True, opacity=0.25)},
        {"data": {"values": [{}]}, **zero},
    ]
    spec = {"width": 2 * SIDE, "height": SIDE, "layer": layers}
    title = f"Pointwise usable information of words about their {LAYERS[layer]}"
    return themed(spec, title, _signature(information), dark)


def code_lengths(
    lengths: Sequence[DescriptionLength] | LengthTable, *, layer: str | None = None, dark: bool = False
) -> Spec:
    """Draw code lengths block by block, means and ranges over orders (Fig. 3 right)."""
    layer = _check(layer, lengths)
    rows = []
    for result in lengths:
        each = result.bits[layer] / result.words
        for j, sent in enumerate(np.cumsum(result.blocks).tolist()):
            column = each[:, j]
            rows.append(
                {"treebank": _name(result.treebank), "sentences": sent,
                 "bits": float(column.mean()),
                 "low": float(column.min()), "high": float(column.max()),
                 "block_bits": float(result.bits[layer][:, j].mean())}
            )  # fmt: skip
    scale = {"type": "log", "nice": False}
    x = quantity("sentences", "sentences sent, this block included", scale=scale)
    tip = tips(["treebank", "sentences", "bits", "block_bits"])
    reach = {"y": quantity("low", "bits per word"), "y2": {"field": "high"}}
    line = {"y": quantity("bits", "bits per word"), "tooltip": tip}
    layers = [mark("area", reach, opacity=0.2), mark("line", line, point=True)]
    place = {"x": x, "color": category("treebank")}
    spec = chart(rows, 2 * SIDE, SIDE, encoding=place, layer=layers)
    title = f"Code length of {LAYERS[layer]}, block by block"
    return themed(spec, title, _signature(lengths), dark)


#: Larger displacements are not drawn.
REACH = 12


def _values(found: Measures, measure: str) -> dict[str, dict[str, float | None]]:
    """Return, by treebank, the values of a measure that has one value per class."""
    wanted = [measured for measured in found.measured if measured.measure == measure and not measured.averaged]
    return {measured.treebank: measured.value for measured in wanted if isinstance(measured.value, dict)}


def _need(found: Measures, measure: str) -> None:
    if not _values(found, measure):
        names = ", ".join(dict.fromkeys(measured.measure for measured in found.measured))
        raise TreegaugeError(f"nothing to draw: expected the measure {measure!r}, found {names}")


def displacement_data(found: Measures, reach: int = REACH) -> dict[str, list[float]]:
    """Return, by treebank, the shares of displacements from -`reach` to `reach`, 0 included.

    The page draws the same data.
    """
    places = range(-reach, reach + 1)
    return {
        treebank: [shares.get(str(place)) or 0.0 for place in places]
        for treebank, shares in _values(found, "displacements").items()
    }


def displacement_spectrum(found: Measures, *, reach: int = REACH, dark: bool = False) -> Spec:
    """Draw the frequency of displacements up to `reach`, one panel per treebank (EDV, Fig. 2).

    Examples
    --------
    >>> from treegauge.measures.measure import measure
    >>> from treegauge.testing.synthetic import synthetic
    >>> spec = displacement_spectrum(measure("displacements", synthetic(50, seed=1)))
    >>> spec["facet"]["field"], len(spec["data"]["values"])
    ('treebank', 24)
    """
    _need(found, "displacements")
    rows = [
        {"treebank": treebank, "displacement": place, "share": share}
        for treebank, shares in displacement_data(found, reach).items()
        for place, share in zip(range(-reach, reach + 1), shares, strict=True)
        if place
    ]
    x = {"field": "displacement", "type": "ordinal", "title": "head right | head left"}
    y = {"field": "share", "type": "quantitative", "axis": {"format": "%"}, "title": None}
    bars = {"width": 200, "height": 110, "mark": {"type": "bar", "color": PALETTE[0]}}
    spec = faceted(rows, "treebank", 3, bars | {"encoding": {"x": x, "y": y}})
    title = "Position of words against their heads"
    return themed(spec, title, found.signature, dark)


def relation_spectrum(found: Measures, *, dark: bool = False) -> Spec:
    """Draw relations by their word dependency entropy, averaged over treebanks (Content, Fig. 2).

    Examples
    --------
    >>> from treegauge.measures.measure import measure
    >>> from treegauge.testing.synthetic import synthetic
    >>> spec = relation_spectrum(measure("wde", synthetic(50, seed=1)))
    >>> spec["data"]["values"][0]["class"] in {"content", "function", "other"}
    True
    """
    _need(found, "wde")
    each = [
        {name: value for name, value in values.items() if value is not None}
        for values in _values(found, "wde").values()
    ]
    average = average_wde(each)
    rows = [
        {"relation": name, "wde": average[name], "class": relation_class(name)}
        for name in sorted(average, key=lambda name: (average[name], name))
    ]
    colours = {"domain": list(CLASSES), "range": [PALETTE[0], PALETTE[5], "#888"]}
    encoding = {
        "y": category("relation", sort=None),
        "x": {"field": "wde", "type": "quantitative", "title": "word dependency entropy"},
        "color": {"field": "class", "type": "nominal", "scale": colours},
    }
    count = "1 treebank" if len(each) == 1 else f"{len(each)} treebanks"
    title = f"Relations from function to content, {count}"
    spec = chart(rows, 420, {"step": 15}, **mark("bar", encoding))
    return themed(spec, title, found.signature, dark)


KINDS = {"displacements": displacement_spectrum, "wde": relation_spectrum}
#: Shapes that tell genera of one colour apart, and the sides of a point that a label can be on.
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")
_SIDES = {"right": ("left", 7, 0), "left": ("right", -7, 0), "above": ("center", 0, -9), "below": ("center", 0, 10)}
_LABEL = 9.0


def measured(found: Measures, *, dark: bool = False) -> Spec:
    """Draw measures: one or several sorted with their intervals, two of several treebanks against each other.

    Languages are labelled and genera coloured. The displacements, and word dependency entropies (wde), have
    figures of their own; other measures with several numbers are drawn one row per number.
    """
    rows = [row for row in found.measured if row.value is not None and not row.averaged]
    names = list(dict.fromkeys(row.measure for row in rows))
    if not names:
        raise TreegaugeError("nothing to draw: found no measure with a value; expected at least one treebank")
    if names[0] in KINDS and len(names) == 1:
        return KINDS[names[0]](found, dark=dark)
    each = [found.listing_of(name).keys() for name in names]
    if len(names) == 2 and len(each[0] & each[1]) > 2:
        return _against(found, names[0], names[1], dark)
    return _sorted_values(found, names, dark)


def _labels(treebanks: Sequence[str]) -> dict[str, str]:
    """Return the language of each treebank, or the treebank's name where several are of one language."""
    languages = {name: kin_of(name, "language") or name for name in treebanks}
    times = Counter(languages.values())
    plain = {name: name.removeprefix("UD_").replace("_", " ") for name in treebanks}
    return {name: language if times[language] == 1 else plain[name] for name, language in languages.items()}


def _genus_channels(genera: Sequence[str]) -> Spec:
    """Return the colour and the shape of each genus; without any there is neither."""
    known = sorted(set(genera) - {""})
    if not known:
        return {"color": {"value": PALETTE[0]}}
    colours = [PALETTE[i % len(PALETTE)] for i in range(len(known))] + ["#888888"]
    shapes = [_SHAPES[i // len(PALETTE) % len(_SHAPES)] for i in range(len(known))] + ["circle"]
    domain = [*known, ""]
    used = domain if "" in genera else known
    legend = {"title": "genus", "symbolLimit": 60, "labelExpr": "datum.value == '' ? 'unknown' : datum.label"}
    return {
        "color": category("genus", scale={"domain": used, "range": colours[: len(used)]}, legend=legend),
        "shape": category("genus", scale={"domain": used, "range": shapes[: len(used)]}, legend=legend),
    }


def _against(found: Measures, across: str, up: str, dark: bool) -> Spec:
    """Draw two measures against each other, one labelled point per treebank."""
    one, two = found.listing_of(across), found.listing_of(up)
    names = _labels(list(dict.fromkeys(treebank for treebank, _ in one)))
    rows: list[dict[str, Any]] = [
        {"treebank": treebank, "group": group, "label": group if len(names) == 1 and group else names[treebank],
         "genus": kin_of(treebank, "genus") or "", across: one[treebank, group], up: two[treebank, group]}
        for treebank, group in one if (treebank, group) in two
    ]  # fmt: skip
    width, height = 2.4 * SIDE, 1.9 * SIDE
    _place_labels(rows, across, up, width, height)
    place = {"x": quantity(across, across), "y": quantity(up, up)}
    points = mark(
        "point", place | _genus_channels([row["genus"] for row in rows])
        | {"tooltip": tips(["treebank", *(["group"] if any(row["group"] for row in rows) else []), across, up])},
        filled=True, size=45, opacity=0.9,
    )  # fmt: skip
    texts = [
        {"transform": [{"filter": f"datum.side == '{side}'"}],
         **mark("text", place | {"text": {"field": "label"}}, align=align, dx=dx, dy=dy, fontSize=_LABEL,
                color=ink(dark), baseline="middle")}
        for side, (align, dx, dy) in _SIDES.items() if any(row["side"] == side for row in rows)
    ]  # fmt: skip
    spec = chart(rows, width, height, layer=[points, *texts])
    return themed(spec, f"{up} against {across}", found.signature, dark)


def _place_labels(rows: list[dict[str, Any]], across: str, up: str, width: float, height: float) -> None:
    """Put each label on the side of its point where it covers the fewest points and labels."""
    xs, ys = ([row[name] for row in rows] for name in (across, up))
    wide, high = (max(values) - min(values) or 1.0 for values in (xs, ys))
    centres = [
        (width * (x - min(xs)) / wide, height * (max(ys) - y) / high) for x, y in zip(xs, ys, strict=True)
    ]  # fmt: skip
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in centres]
    for row, (x, y) in zip(rows, centres, strict=True):
        long = label_width(str(row["label"]), _LABEL)
        boxes = {
            "right": (x + 6, y - 5, x + 6 + long, y + 5), "left": (x - 6 - long, y - 5, x - 6, y + 5),
            "above": (x - long / 2, y - 15, x + long / 2, y - 5), "below": (x - long / 2, y + 5, x + long / 2, y + 15),
        }  # fmt: skip

        def covered(side: str, boxes: dict[str, tuple[float, float, float, float]] = boxes) -> float:
            a, b, c, d = boxes[side]
            outside = max(0.0, c - width) + max(0.0, -a)
            return outside + math.fsum(
                max(0.0, min(c, g) - max(a, e)) * max(0.0, min(d, h) - max(b, f)) for e, f, g, h in taken
            )

        side = min(boxes, key=covered)
        row["side"] = side
        taken.append(boxes[side])


def _sorted_values(found: Measures, names: Sequence[str], dark: bool) -> Spec:
    """Draw values with their intervals, one panel per measure, sorted by the first measure."""
    data = [
        row | {"label": row["treebank"], "low": row["low"], "high": row["high"]}
        for one in found.measured if not one.averaged for row in one.rows() if row["value"] is not None
    ]  # fmt: skip
    several = [name for name in names if any(row["measure"].startswith(f"{name}:") for row in data)]
    if several and len(names) > 1:
        raise ChoiceError("measure to draw with others", several[0], [n for n in names if n not in several])
    titles = _labels(list(dict.fromkeys(row["treebank"] for row in data)))
    for row in data:
        title = titles[row["treebank"]]
        if several:
            row["label"] = row["measure"].partition(":")[2]
            row["genus"], row["measure"] = title, names[0]
        else:
            row["label"] = ", ".join(filter(None, [title if len(titles) > 1 or not row["group"] else "", row["group"]]))
            row["label"] += f" ({row['split']})" if row["split"] and len({r["split"] for r in data}) > 1 else ""
            row["genus"] = kin_of(row["treebank"], "genus") or ""
    first = [row for row in data if row["measure"] == data[0]["measure"]]
    means: dict[str, list[float]] = {}
    for row in first:
        means.setdefault(row["label"], []).append(row["value"])
    order = sorted(means, key=lambda label: (-sum(means[label]) / len(means[label]), label))
    fields = ("treebank", "group", "measure", "label", "genus", "value", "low", "high")
    rows = [{name: row[name] for name in fields if row[name] is not None} for row in data]
    up = category("label", sort=order)
    colours = _genus_channels([row["genus"] for row in rows])
    if several and len(titles) > len(PALETTE):
        colours = {"color": {"value": PALETTE[0]}}
    elif several:
        for channel in colours.values():
            channel["legend"] = {"title": "treebank"}
    tip = tips(["treebank", "label", "value", *(["low", "high"] if any("low" in row for row in rows) else [])])
    point = mark("point", {"y": up, "x": quantity("value", "")} | colours | {"tooltip": tip}, filled=True, size=40)
    layers = [point]
    if any("low" in row for row in rows):
        reach = {"y": up, "x": quantity("low", ""), "x2": {"field": "high"}}
        layers.insert(0, mark("rule", reach, color=ink(dark), opacity=0.5))
    inner = {"width": 1.6 * SIDE if len(names) == 1 else SIDE, "height": {"step": 15}, "layer": layers}
    title = f"{names[0]}" if len(names) == 1 else f"{len(names)} measures"
    if len(names) == 1:
        return themed({"data": {"values": rows}, **inner}, title, found.signature, dark)
    spec = faceted(rows, "measure", 3, inner, sort=list(names), header={"labelColor": ink(dark)})
    spec["resolve"] = {"scale": {"x": "independent"}}
    return themed(spec, title, found.signature, dark)
