"""Figures of measured treebanks: displacements, and relations by their entropy."""

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.measures.measurements import Measures
from treegauge.measures.structure import CLASSES, average_wde, relation_class
from treegauge.reporting.figures.theme import PALETTE, Spec, category, chart, faceted, mark, themed

#: Larger displacements are not drawn.
REACH = 12


def _values(found: Measures, measure: str) -> dict[str, dict[str, float | None]]:
    """Return, by treebank, the values of a measure that has one value per class."""
    wanted = [measured for measured in found.measured if measured.measure == measure and not measured.averaged]
    return {measured.treebank: measured.value for measured in wanted if isinstance(measured.value, dict)}


def _check(found: Measures, measure: str) -> None:
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
    _check(found, "displacements")
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
    _check(found, "wde")
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


def measured(found: Measures, *, dark: bool = False) -> Spec:
    """Draw the measured displacements or word dependency entropies (wde)."""
    names = {value.measure for value in found.measured}
    kind = next((kind for kind in KINDS if names == {kind}), None)
    if kind is None:
        raise ChoiceError("measure to draw", ",".join(sorted(names)), KINDS)
    return KINDS[kind](found, dark=dark)
