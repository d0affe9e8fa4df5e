"""Figures of what training shows: data maps, usable information, code lengths."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.dynamics.cartography import DataMap
from treegauge.dynamics.description_length import DescriptionLength
from treegauge.dynamics.difficulty import Table
from treegauge.dynamics.recording import LAYERS
from treegauge.dynamics.usable_information import UsableInformation
from treegauge.figures.marks import SIDE, quantity, tips
from treegauge.figures.theme import Spec, ink, themed
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import sign

__all__ = ["code_lengths", "data_maps", "pvi_densities", "treebank_map"]

Floats = npt.NDArray[np.float64]


def _check(layer: str, found: Sequence[object]) -> None:
    if layer not in LAYERS:
        raise ChoiceError("layer", layer, LAYERS)
    if not found:
        raise TreegaugeError("nothing to draw: expected at least one treebank")


def _name(mark: str) -> str:
    return mark.rpartition("#")[0] or mark


def _signature(figure: str, layer: str, found: Sequence[Any]) -> str:
    if len(found) == 1:
        return str(found[0].signature)
    return sign(figure=figure, of=LAYERS[layer], treebanks="+".join(one.treebank for one in found))


def data_maps(found: Sequence[DataMap], *, layer: str = "head", dark: bool = False) -> Spec:
    """Draw data maps, one panel a treebank: how many words have which CONF and VAR (Fig. 2 right).

    Words are counted in cells, so that a figure of a million words is no larger than one of a
    thousand. Lines mark the bounds of the easy and the hard region.

    Parameters
    ----------
    found
        Data maps.
    layer
        ``head`` or ``relation``.
    dark
        Light on dark.

    Examples
    --------
    >>> from treegauge.dynamics.cartography import data_map
    >>> from treegauge.dynamics.recording import Recording
    >>> logp = np.log([[0.2, 0.9], [0.4, 0.9]])
    >>> spec = data_maps([data_map(Recording("toy#0", "train", "treegauge:0", (1, 2), logp, logp))])
    >>> [row["words"] for row in spec["data"]["values"]]
    [1, 1]
    """
    _check(layer, found)
    rows: list[dict[str, Any]] = []
    width, height = 0.0125, 0.025  # of a cell: VAR is at most 0.5, CONF at most 1
    for one in found:
        across = np.minimum(one.variability[layer] / width, 0.5 / width - 1).astype(np.int64)
        up = np.minimum(one.confidence[layer] / height, 1 / height - 1).astype(np.int64)
        cells, counts = np.unique(np.column_stack([across, up]), axis=0, return_counts=True)
        for (x, y), count in zip(cells.tolist(), counts.tolist(), strict=True):
            rows.append(
                {
                    "treebank": _name(one.treebank), "var": round(x * width, 4),
                    "var_to": round((x + 1) * width, 4), "conf": round(y * height, 4),
                    "conf_to": round((y + 1) * height, 4), "words": count,
                    "share": count / len(across),
                }
            )  # fmt: skip
    bounds = found[0].regions
    corner = {"type": "rule", "color": ink(dark), "strokeDash": [3, 3], "opacity": 0.7}
    lines = [
        {"y": bounds.easy, "x": 0, "x2": bounds.steady},
        {"y": bounds.hard, "x": 0, "x2": bounds.steady},
    ]
    colour = {
        "field": "share", "type": "quantitative", "title": "share of words",
        "scale": {"type": "log", "scheme": "viridis" if dark else "yellowgreenblue"},
        "legend": {"format": "~%"},
    }  # fmt: skip
    axis = {"scale": {"domain": [0, 0.5]}, "title": "variability"}
    panel: Spec = {
        "width": SIDE,
        "height": SIDE,
        "layer": [
            {
                "mark": {"type": "rect"},
                "encoding": {
                    "x": {"field": "var", "type": "quantitative", **axis},
                    "x2": {"field": "var_to"},
                    "y": quantity("conf", "confidence") | {"scale": {"domain": [0, 1]}},
                    "y2": {"field": "conf_to"},
                    "color": colour,
                    "tooltip": tips(["treebank", "conf", "var", "words"]),
                },
            },
            *(
                {"mark": corner, "encoding": {k: {"datum": v} for k, v in line.items()}}
                for line in lines
            ),
        ],
    }
    names = [_name(one.treebank) for one in found]
    spec = {
        "data": {"values": rows},
        "facet": {
            "field": "treebank", "title": None, "sort": names,
            "header": {"labelColor": ink(dark)},
        },
        "columns": min(3, len(found)),
        "spec": panel,
    }  # fmt: skip
    title = f"How confident a parser is of gold {LAYERS[layer]}"
    return themed(spec, title=title, signature=_signature("map", layer, found), dark=dark)


def treebank_map(found: Table, *, layer: str = "head", dark: bool = False) -> Spec:
    """Draw one point a treebank: mean CONF and VAR, LAS as colour, words as size (Fig. 2 left).

    Parameters
    ----------
    found
        The measures of several treebanks.
    layer
        ``head`` or ``relation``.
    dark
        Light on dark.
    """
    _check(layer, found.rows)
    short = {"head": "arc", "relation": "rel"}[layer]
    names = ["treebank", "words", "las", f"{short}_conf", f"{short}_var"]
    spec = {
        "data": {"values": found.table.select(names).to_dicts()},
        "width": 2 * SIDE,
        "height": 1.5 * SIDE,
        "mark": {"type": "point", "filled": True, "opacity": 0.85, "stroke": ink(dark)},
        "encoding": {
            "x": quantity(f"{short}_var", "variability"),
            "y": quantity(f"{short}_conf", "confidence"),
            "size": {"field": "words", "type": "quantitative", "title": "train words"},
            "color": {
                "field": "las", "type": "quantitative", "title": "dev LAS",
                "scale": {"scheme": "viridis", "zero": False},
            },
            "tooltip": tips(names),
        },
    }  # fmt: skip
    title = f"Confidence in gold {LAYERS[layer]}, {len(found.rows)} treebanks"
    return themed(spec, title=title, signature=found.signature, dark=dark)


def density(values: Floats, at: Floats) -> Floats:
    """Estimate a density by Gaussian kernels of Silverman's width, on a grid of counts.

    Examples
    --------
    >>> grid = np.linspace(-5, 5, 101)
    >>> found = density(np.array([0.0, 0.5, 1.0]), grid)
    >>> round(float(found.sum() * 0.1), 2)
    1.0
    """
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
    found: Sequence[UsableInformation], *, layer: str = "head", dark: bool = False
) -> Spec:
    """Draw the densities of pointwise information, one line a treebank (Fig. 3 left).

    Parameters
    ----------
    found
        Usable information of one or more treebanks.
    layer
        ``head`` or ``relation``.
    dark
        Light on dark.
    """
    _check(layer, found)
    ends = np.concatenate([np.percentile(one.pvi(layer), [0.5, 99.5]) for one in found])
    at = np.linspace(min(float(ends.min()), -1.0), max(float(ends.max()), 1.0), 161)
    rows = [
        {"treebank": _name(one.treebank), "pvi": x, "density": y}
        for one in found
        for x, y in zip(at.tolist(), density(one.pvi(layer), at).tolist(), strict=True)
    ]
    spec = {
        "width": 2 * SIDE,
        "height": SIDE,
        "layer": [
            {
                "data": {"values": rows},
                "mark": {"type": "area", "line": True, "opacity": 0.25},
                "encoding": {
                    "x": quantity("pvi", "bits"),
                    "y": {**quantity("density", "density"), "stack": None},
                    "color": {"field": "treebank", "type": "nominal", "title": None},
                },
            },
            {
                "data": {"values": [{}]},
                "mark": {"type": "rule", "color": ink(dark), "strokeDash": [3, 3]},
                "encoding": {"x": {"datum": 0}},
            },
        ],
    }
    title = f"What words tell of their {LAYERS[layer]}: pointwise usable information"
    return themed(spec, title=title, signature=_signature("pvi", layer, found), dark=dark)


def code_lengths(
    found: Sequence[DescriptionLength], *, layer: str = "head", dark: bool = False
) -> Spec:
    """Draw code lengths block by block, means and ranges over shuffles (Fig. 3 right).

    Parameters
    ----------
    found
        Description lengths of one or more treebanks.
    layer
        ``head`` or ``relation``.
    dark
        Light on dark.
    """
    _check(layer, found)
    rows = []
    for one in found:
        before = np.cumsum(one.blocks)
        each = one.bits[layer] / one.words
        for j, sent in enumerate(before.tolist()):
            column = each[:, j]
            rows.append(
                {"treebank": _name(one.treebank), "sentences": sent, "bits": float(column.mean()),
                 "low": float(column.min()), "high": float(column.max()),
                 "block_bits": float(one.bits[layer][:, j].mean())}
            )  # fmt: skip
    x = {"field": "sentences", "type": "quantitative", "scale": {"type": "log", "nice": False},
         "title": "sentences sent, this block included"}  # fmt: skip
    colour = {"field": "treebank", "type": "nominal", "title": None}
    spec = {
        "data": {"values": rows},
        "width": 2 * SIDE,
        "height": SIDE,
        "encoding": {"x": x, "color": colour},
        "layer": [
            {
                "mark": {"type": "area", "opacity": 0.2},
                "encoding": {"y": quantity("low", "bits a word"), "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "line", "point": True},
                "encoding": {
                    "y": quantity("bits", "bits a word"),
                    "tooltip": tips(["treebank", "sentences", "bits", "block_bits"]),
                },
            },
        ],
    }
    title = f"Code length of {LAYERS[layer]}, block by block"
    return themed(spec, title=title, signature=_signature("mdl", layer, found), dark=dark)
