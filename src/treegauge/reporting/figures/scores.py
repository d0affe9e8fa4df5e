"""Figures of scores: systems with intervals, classes of words, and many treebanks."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.result import sign
from treegauge.reporting.figures.theme import (
    PALETTE,
    Spec,
    category,
    certainty,
    chart,
    faceted,
    ink,
    mark,
    quantity,
    side_colours,
    themed,
    tips,
)
from treegauge.scoring.calibration import Calibration
from treegauge.scoring.classes.class_scores import Breakdown, Breakdowns
from treegauge.scoring.classes.confusion import Confusion
from treegauge.scoring.metrics.registry import MORE
from treegauge.scoring.paired_tests import Comparisons
from treegauge.scoring.scores import Scores
from treegauge.scoring.suite import Suite

STEP = 18
"""The width of a treebank's column."""


def interval_data(scores: Scores) -> list[dict[str, Any]]:
    """Return each metric's score, interval and counts (correct, gold, system words) by system, also for the page."""
    keys = ("correct", "gold", "system")
    by_metric = {
        name: [
            {"f1": one[name].f1, "interval": one[name].interval, "counts": [getattr(one[name], key) for key in keys]}
            for one in scores.systems
        ]
        for name in scores.systems[0].metrics
        if name not in MORE
    }
    return [{"name": scores.label(name), "systems": each} for name, each in by_metric.items()]


def score_intervals(scores: Scores, *, metrics: Sequence[str] = (), dark: bool = False) -> Spec:
    """Draw the scores of systems with their confidence intervals, one panel per metric.

    The metrics are by default those chosen when scoring, else UAS and LAS.
    """
    data = {one["name"]: one["systems"] for one in interval_data(scores)}
    metrics = metrics or [scores.label(name) for name in scores.chosen or ("UAS", "LAS")]
    for name in metrics:
        if name not in data:
            raise ChoiceError("metric", name, data)
    order = [one.system for one in scores.systems]
    rows = [
        {"metric": name, "system": system, "score": one["f1"],
         "low": (one["interval"] or [one["f1"]])[0], "high": (one["interval"] or [one["f1"]])[-1]}
        for name in metrics
        for system, one in zip(order, data[name], strict=True)
    ]  # fmt: skip
    place: Spec = {"y": category("system", sort=order), "color": category("system", legend=None)}
    reach = place | {"x": quantity("low", "percent"), "x2": {"field": "high"}}
    tip = tips(["system", "metric", "score", "low", "high"])
    point = place | {"x": quantity("score", "percent"), "tooltip": tip}
    layers = [mark("rule", reach, strokeWidth=2), mark("point", point, filled=True, size=60)]
    inner = {"width": 300, "height": {"step": 24}, "layer": layers}
    spec = faceted(rows, "metric", 2, inner, sort=list(metrics))
    spec["resolve"] = {"scale": {"x": "independent"}}
    return themed(spec, "Scores with confidence intervals", scores.signature, dark)


def forest(found: Comparisons, *, metrics: Sequence[str] = (), dark: bool = False) -> Spec:
    """Draw the difference of every pair of systems with its interval, one panel per metric.

    Intervals that do not reach 0 are drawn in full colour, others are pale.
    """
    rows = [
        {"metric": row["metric"], "pair": f"{row['a']} − {row['b']}", "difference": row["difference"],
         "low": row["low"], "high": row["high"], "p": row.get("p_corrected")}
        for row in found.table.to_dicts()
        if row["difference"] is not None and row["low"] is not None
    ]  # fmt: skip
    known = list(dict.fromkeys(row["metric"] for row in rows))
    for name in metrics:
        if name not in known:
            raise ChoiceError("metric", name, known)
    chosen = list(metrics or known)
    if not chosen:
        raise TreegaugeError("nothing to draw: no difference has an interval")
    rows = [row for row in rows if row["metric"] in chosen]
    y = category("pair", sort=list(dict.fromkeys(row["pair"] for row in rows)))
    sure = {"condition": {"test": "datum.low > 0 || datum.high < 0", "value": 1}, "value": 0.45}
    reach = {"y": y, "x": quantity("low", "points"), "x2": {"field": "high"}, "opacity": sure}
    tip = tips(["pair", "metric", "difference", "low", "high", "p"])
    point = {"y": y, "x": quantity("difference", "points"), "opacity": sure, "tooltip": tip}
    layers = [
        mark("rule", {"x": {"datum": 0}}, color=ink(dark), strokeDash=[4, 4], opacity=0.5),
        mark("rule", reach, strokeWidth=2, color=PALETTE[0]),
        mark("point", point, filled=True, size=60, color=PALETTE[0]),
    ]
    inner = {"width": 300, "height": {"step": 24}, "layer": layers}
    spec = faceted(rows, "metric", 2, inner, sort=chosen)
    spec["resolve"] = {"scale": {"x": "independent"}}
    below = "Pale: the interval includes 0. Intervals are for one pair; p-values are corrected for all."
    return themed(spec, "Differences with confidence intervals", found.signature, dark, below)


def class_data(breakdowns: Mapping[str, Breakdown]) -> dict[str, dict[str, Any]]:
    """Return, by class, its gold words and every system's scores in percent, also for the page."""
    names = ("correct", "precision", "recall", "f1")
    rows: dict[str, dict[str, Any]] = {}
    for number, found in enumerate(breakdowns.values()):
        for row in found.table.filter(found.table["gold"] > 0).iter_rows(named=True):
            start = {"class": row["class"], "gold": row["gold"], "systems": [{} for _ in breakdowns]}
            rows.setdefault(row["class"], start)["systems"][number] = {name: row[name] for name in names}
    return rows


#: Fewer gold words than these are drawn paler, and palest.
SURE, UNSURE = 400, 100


def class_heat(found: Breakdown | Breakdowns, *, dark: bool = False) -> Spec:
    """Draw the F1 of every class of words, one column per system; of two systems also the difference.

    A class of fewer words is paler: the share of n correct words is uncertain by about 1/sqrt(n). The
    shade of a difference is its distance from 0 in half-widths of its interval: at full colour the interval excludes 0.
    Classes without an interval are white.
    """
    breakdowns = found.systems if isinstance(found, Breakdowns) else {"F1": found}
    data = class_data(breakdowns)
    rows = [
        {"class": name, "system": system, "gold": row["gold"], **cell}
        for name, row in data.items()
        for system, cell in zip(breakdowns, row["systems"], strict=True)
        if cell
    ]
    x, y = category("system", sort=[*breakdowns, "difference"]), category("class", sort=list(data))
    text = {"field": "f1", "type": "quantitative", "format": ".1f"}
    sure, unsure = f"datum.gold >= {SURE}", f"datum.gold < {UNSURE}"
    white, grey = ({"test": f"datum.f1 > 70 && {sure}", "value": "white"}, {"test": unsure, "value": "#767676"})
    readable = {"condition": [white, grey], "value": "black"}
    shade = {"condition": [{"test": sure, "value": 1}, {"test": unsure, "value": 0.25}], "value": 0.55}
    colour = quantity("f1", "F1", scale={"domain": [0, 100]})
    tip = tips(["class", "system", "gold", "correct", "precision", "recall"])
    layers = [
        mark("rect", {"color": colour, "opacity": shade, "tooltip": tip}),
        mark("text", {"text": text, "color": readable}, fontSize=10),
    ]
    if isinstance(found, Breakdowns) and found.differences:
        layers += _class_differences(found, list(data))
    below = f"Paler: fewer than {SURE} words in gold; palest: fewer than {UNSURE}."
    spec = chart(rows, {"step": 70}, {"step": 18}, encoding={"x": x, "y": y}, layer=layers)
    spec["resolve"] = {"scale": {"color": "independent"}}
    return themed(spec, "Scores by class of words", found.signature, dark, below)


def _class_differences(found: Breakdowns, classes: Sequence[str]) -> list[Spec]:
    """Return the column of differences of two systems, shaded by their certainty."""
    names = ("class", "difference", "low", "high", "p_corrected")
    rows = [
        {name: row[name] for name in names}
        | {"system": "difference", "certain": certainty(row["difference"], row["low"], row["high"])}
        for row in found.differences
        if row["class"] in classes
    ]
    a, b = found.systems
    text = {"field": "difference", "type": "quantitative", "format": "+.1f"}
    readable = {"condition": {"test": "abs(datum.certain) > 0.8", "value": "white"}, "value": "black"}
    shown = {"color": side_colours(f"{b} better | {a} better"), "tooltip": tips(list(names))}
    layers = [mark("rect", shown), mark("text", {"text": text, "color": readable}, fontSize=10)]
    return [{"data": {"values": rows}, **layer} for layer in layers]


#: Number of values in a confusion matrix, the most frequent in gold.
MOST_VALUES = 20


def confusion_heat(found: Confusion, *, dark: bool = False) -> Spec:
    """Draw the confusion matrix of one system: the share of each gold value's words by what the system gave.

    As in :func:`class_heat`, the rows of values with few words are paler.
    """
    words = found.counts.sum(axis=1).tolist()
    order = sorted((i for i, number in enumerate(words) if number), key=lambda i: -words[i])[:MOST_VALUES]
    rows = [
        {"gold": found.names[g], "system": found.names[s], "count": int(found.counts[g, s]),
         "share": 100 * int(found.counts[g, s]) / words[g], "words": words[g]}
        for g, s in product(order, order) if found.counts[g, s]
    ]  # fmt: skip
    names = [found.names[i] for i in order]
    x, y = category("system", "system", sort=names, scale={"domain": names}), category("gold", "gold", sort=names)
    sure, unsure = f"datum.words >= {SURE}", f"datum.words < {UNSURE}"
    shade = {"condition": [{"test": sure, "value": 1}, {"test": unsure, "value": 0.25}], "value": 0.55}
    readable = {"condition": {"test": f"datum.share > 50 && {sure}", "value": "white"}, "value": "black"}
    colour = quantity("share", "% of the gold value's words", scale={"type": "sqrt", "domain": [0, 100]})
    text = {"field": "share", "type": "quantitative", "format": ".0f"}
    layers = [
        mark(
            "rect", {"color": colour, "opacity": shade, "tooltip": tips(["gold", "system", "count", "share", "words"])}
        ),
        mark("text", {"text": text, "color": readable}, fontSize=10)
        | {"transform": [{"filter": "datum.share >= 0.5"}]},
    ]
    name = dict(part.partition(":")[::2] for part in found.signature.split("|")).get("system", "the system")
    below = f"Rows: gold; columns: {name}. Paler: fewer than {SURE} words in gold; palest: fewer than {UNSURE}."
    if left := len(words) - len(order):
        below += f" Not drawn: {left} rarer values."
    spec = chart(rows, {"step": 30}, {"step": 18}, encoding={"x": x, "y": y}, layer=layers)
    return themed(spec, "What is confused with what", found.signature, dark, below)


def by_treebank(frame: "pl.DataFrame", metrics: Sequence[str], *, dark: bool = False) -> Spec:
    """Draw several scores of every treebank, ordered by the first of them (Content, Fig. 4).

    The frame has a column ``treebank`` and one for each metric, in percent.

    Examples
    --------
    >>> import polars as pl
    >>> found = pl.DataFrame({"treebank": ["UD_A-B", "UD_C-D"], "LAS": [80, 90], "WLAS": [70, 85]})
    >>> spec = by_treebank(found, ["LAS", "WLAS"])
    >>> spec["encoding"]["x"]["sort"], len(spec["data"]["values"])
    (['C-D', 'A-B'], 4)
    """
    ranked = ranked_rows(frame, metrics)
    rows = [
        {"treebank": row["treebank"], "score": metric, "value": row[metric]} for row in ranked for metric in metrics
    ]
    named = category("score", scale={"domain": list(metrics)})  # with `sort` colours and shapes are two legends
    x = category("treebank", sort=[row["treebank"] for row in ranked])
    y, tip = quantity("value", "percent"), tips(["treebank", "score", "value"])
    place = {"x": x, "y": y, "color": named, "shape": named, "tooltip": tip}
    spec = chart(rows, {"step": STEP}, 260, **mark("point", place, filled=True, size=36))
    title = f"Scores by treebank, in the order of {metrics[0]}"
    return themed(spec, title, sign(figure="by_treebank"), dark)


def suite(found: Suite, *, metric: str = "", dark: bool = False) -> Spec:
    """Draw one metric (LAS) of every system on every treebank."""
    name = metric or (found.chosen or ("LAS",))[0]
    spec = by_treebank(found.by_treebank(name), list(found.names), dark=dark)
    title = {"text": f"{found.label(name)} by treebank", "anchor": "start"}
    return {**spec, "title": title, "usermeta": {"signature": found.signature}}


def ranked_rows(frame: "pl.DataFrame", metrics: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows ordered by the first metric, with treebank names without their prefix."""
    if not metrics:
        raise TreegaugeError("nothing to draw: expected one score at least")
    for name in ("treebank", *metrics):
        if name not in frame.columns:
            raise ChoiceError("column", name, frame.columns)
    rows = frame.select("treebank", *metrics).to_dicts()
    lacking = [row["treebank"] for row in rows if any(row[name] is None for name in metrics)]
    if lacking or len(rows) < 2:
        raise TreegaugeError(
            "expected two treebanks or more with all scores; "
            + (f"some are missing of {', '.join(lacking)}" if lacking else f"found {len(rows)}")
        )
    rows.sort(key=lambda row: -row[metrics[0]])
    return [row | {"treebank": row["treebank"].removeprefix("UD_")} for row in rows]


#: Width and height of a panel.
SIDE = 300
_TITLES = {"head": "heads", "relation": "relations", "arc": "labelled arcs", "tree": "trees"}


def reliability_data(found: Calibration, event: str = "arc") -> list[dict[str, Any]]:
    """Return the bins of every system: mean probability, share correct, number of cases."""
    return [
        {"system": system, **row}
        for system, events in found.systems.items()
        if event in events
        for row in events[event].bin_rows()
    ]


def coverage_data(found: Calibration) -> list[dict[str, Any]]:
    """Return the error rate of every system by the share of most certain sentences kept."""
    return [
        {"system": system, "coverage": kept, "risk": risk}
        for system, curve in found.coverage.curves.items()
        for kept, risk in curve
    ]


def calibration(found: Calibration, *, event: str = "arc", dark: bool = False) -> Spec:
    """Draw the reliability diagram of an event, and the risk-coverage curve of sentences.

    Events are head, relation, arc and tree.
    """
    known = list(dict.fromkeys(name for events in found.systems.values() for name in events))
    if event not in known:
        raise ChoiceError("event", event, known)
    order = list(found.systems)
    system = category("system", sort=order)
    place: Spec = {
        "x": quantity("probability", "mean probability", scale={"domain": [0, 1]}),
        "y": quantity("correct", "share correct", scale={"domain": [0, 1]}),
    }
    diagonal: Spec = {
        "data": {"values": [{"probability": end, "correct": end} for end in (0, 1)]},
        **mark("line", place, color=ink(dark), strokeDash=[4, 4], strokeWidth=1),
    }
    tip = tips(["system", "probability", "correct", "cases"])
    shape = category("system", sort=order, legend=None)
    shown = place | {"color": system, "shape": shape, "tooltip": tip}
    lines = mark("line", place | {"color": system}, strokeWidth=1.5)
    points = mark("point", shown, filled=True, size=36)
    reliability = chart(
        reliability_data(found, event), SIDE, SIDE, layer=[diagonal, lines, points],
        title=f"Reliability of {_TITLES[event]}",
    )  # fmt: skip
    curve: Spec = {
        "x": quantity("coverage", "sentences kept, the most certain first (%)"),
        "y": quantity("risk", "labelled arcs incorrect (%)", scale={"zero": True}),
        "color": system,
        "tooltip": tips(["system", "coverage", "risk"]),
    }
    risk = chart(coverage_data(found), SIDE, SIDE, **mark("line", curve, strokeWidth=1.5), title="Risk and coverage")
    spec = {"hconcat": [reliability, risk]}
    return themed(spec, "Calibration of probabilities", found.signature, dark)
