"""Figures of rankings as Vega-Lite dictionaries with their data inside.

Examples
--------
>>> from treegauge.ranking.scores import read_scores
>>> from treegauge.ranking.stability import stability
>>> ranks = stability(read_scores("conll18"), size=10, samples=1000, seed=0)
>>> rank_boxes(ranks)["layer"][0]["mark"]["type"]
'rule'
"""

from typing import Any

import numpy as np

from treegauge.figures.theme import PALETTE, Spec, ink, themed
from treegauge.ranking._paragraph import metric_name
from treegauge.ranking.comparing import CriticalDifference
from treegauge.ranking.exact import Exact
from treegauge.ranking.stability import Stability
from treegauge.ranking.subsets import sizes_text

_FEW = 14
"""Up to so many systems a matrix has room for numbers in its cells."""
_STEP = {"step": 22}


def rank_boxes(ranks: Stability, *, dark: bool = False) -> Spec:
    """Draw a box per system, as Figures 1 and 2 of Fragility do.

    Boxes reach from the first to the third quartile, with a tick at the median; whiskers end at
    the last rank within 1.5 times that distance; ranks beyond are points, darker where they are
    more frequent. Systems are in order of median, then mean rank.

    Parameters
    ----------
    ranks
        Ranks over random subsets.
    dark
        Light on dark.
    """
    table = ranks.table.sort("median", "mean", "system")
    order = table["system"].to_list()
    boxes, beyond = [], []
    for row in table.iter_rows(named=True):
        counts = ranks.counts[ranks.systems.index(row["system"])]
        seen = np.flatnonzero(counts)
        values = 1 + seen / 2
        reach = 1.5 * (row["q3"] - row["q1"])
        inside = (values >= row["q1"] - reach) & (values <= row["q3"] + reach)
        # A quartile between two ranks may have no rank beside it; the box then has no whisker.
        low = min(float(values[inside].min(initial=row["q1"])), row["q1"])
        high = max(float(values[inside].max(initial=row["q3"])), row["q3"])
        known = ("system", "q1", "median", "q3", "mean", "best", "worst")
        boxes.append({**{name: row[name] for name in known}, "low": low, "high": high})
        beyond += [
            {"system": row["system"], "rank": float(v), "share": int(counts[i]) / ranks.samples}
            for v, i in zip(values[~inside], seen[~inside], strict=True)
        ]
    across: Spec = {"field": "system", "type": "nominal", "sort": order, "title": None}
    across["axis"] = {"labelAngle": -45}
    scale = {"reverse": True, "zero": False, "nice": False, "domain": [0.5, len(order) + 0.5]}

    def up(field: str) -> Spec:
        return {"field": field, "type": "quantitative", "scale": scale, "title": "rank"}

    tip = [
        {"field": name, "type": "nominal" if name == "system" else "quantitative"}
        for name in ("system", "best", "q1", "median", "q3", "worst", "mean")
    ]
    inside_of = {"name": "boxes"}
    layers = [
        {
            "data": inside_of,
            "mark": {"type": "rule", "color": ink(dark)},
            "encoding": {"x": across, "y": up("low"), "y2": {"field": "high"}},
        },
        {
            "data": inside_of,
            "mark": {
                "type": "bar",
                "color": PALETTE[0],
                "fillOpacity": 0.5,
                "stroke": ink(dark),
                "size": 12,
            },
            "encoding": {"x": across, "y": up("q1"), "y2": {"field": "q3"}, "tooltip": tip},
        },
        {
            "data": inside_of,
            "mark": {"type": "tick", "color": ink(dark), "thickness": 2, "size": 12},
            "encoding": {"x": across, "y": up("median")},
        },
        {
            "data": {"name": "beyond"},
            "mark": {"type": "point", "size": 14, "filled": True, "color": PALETTE[5]},
            "encoding": {
                "x": across,
                "y": up("rank"),
                "opacity": {
                    "field": "share",
                    "type": "quantitative",
                    "scale": {"type": "sqrt", "range": [0.4, 1]},
                    "legend": None,
                },
                "tooltip": [
                    {"field": "system", "type": "nominal"},
                    {"field": "rank", "type": "quantitative"},
                    {"field": "share", "type": "quantitative"},
                ],
            },
        },
    ]
    spec: Spec = {
        "width": _STEP,
        "height": 320,
        "datasets": {"boxes": boxes, "beyond": beyond},
        "layer": layers,
    }
    return themed(
        spec,
        title=f"Ranks by {metric_name(ranks.sampler.scores.metric)} over random subsets",
        subtitle=f"{ranks.samples:,} subsets of {sizes_text(ranks.sampler.sizes)} treebanks",
        signature=ranks.signature,
        dark=dark,
    )


def pair_matrix(ranks: "Stability | Exact", *, size: int | None = None, dark: bool = False) -> Spec:
    """Draw how often each system is above each other one, systems in order of mean rank.

    Parameters
    ----------
    ranks
        Sampled ranks, or exact counts.
    size
        Which size of subsets, if exact counts have several.
    dark
        Light on dark.
    """
    pairs = ranks.pairs
    if isinstance(ranks, Exact):
        scores = ranks.scores
        ranks.mean_ranks(size)  # refuses a size that was not counted
        chosen = ranks.sizes[0] if size is None else size
        pairs = pairs.filter(size=chosen)
        order = ranks.table.filter(size=chosen)["system"].to_list()
        over = f"all {ranks.subsets(chosen):,} subsets of {chosen} treebanks"
    else:
        scores = ranks.sampler.scores
        order = ranks.table["system"].to_list()
        over = f"{ranks.samples:,} subsets of {sizes_text(ranks.sampler.sizes)} treebanks"
    cells = pairs.select("system", "other", "above", "tied").to_dicts()
    x: Spec = {"field": "other", "type": "nominal", "sort": order, "title": "than"}
    x["axis"] = {"labelAngle": -45, "orient": "top"}
    y = {"field": "system", "type": "nominal", "sort": order, "title": "better"}
    colour = {
        "field": "above",
        "type": "quantitative",
        "scale": {"scheme": "blueorange", "domain": [0, 1], "reverse": True},
        "legend": {"title": "probability", "format": ".0%"},
    }
    tip = [
        {"field": "system", "type": "nominal"},
        {"field": "other", "type": "nominal"},
        {"field": "above", "type": "quantitative", "format": ".4f"},
        {"field": "tied", "type": "quantitative", "format": ".4f"},
    ]
    layers: list[Spec] = [{"mark": "rect", "encoding": {"color": colour, "tooltip": tip}}]
    if len(order) <= _FEW:
        text = {"field": "above", "type": "quantitative", "format": ".2f"}
        layers.append({"mark": {"type": "text", "color": "#222222"}, "encoding": {"text": text}})
    spec: Spec = {
        "width": _STEP if len(order) > _FEW else {"step": 40},
        "height": _STEP,
        "data": {"values": cells},
        "encoding": {"x": x, "y": y},
        "layer": layers,
    }
    return themed(
        spec,
        title=f"Probability of a higher mean {metric_name(scores.metric)}",
        subtitle=over,
        signature=ranks.signature,
        dark=dark,
    )


def agreement(ranks: Stability, *, dark: bool = False) -> Spec:
    """Draw how the ranking of a subset agrees with the full one, by size of the subset.

    Two lines: the mean of Kendall's tau, with a band of one standard deviation, and the share of
    subsets in which a system that leads over all treebanks leads.

    Parameters
    ----------
    ranks
        Ranks over subsets of several sizes.
    dark
        Light on dark.
    """
    tau, first = "Kendall's tau", "same winner"
    rows: list[dict[str, Any]] = []
    for row in ranks.agreement.iter_rows(named=True):
        low, high = row["tau"] - row["tau_sd"], min(row["tau"] + row["tau_sd"], 1.0)
        common = {"size": row["size"]}
        rows.append({**common, "what": tau, "value": row["tau"], "low": low, "high": high})
        rows.append({**common, "what": first, "value": row["top1"], "low": None, "high": None})
    x: Spec = {"field": "size", "type": "quantitative", "title": "treebanks in a subset"}
    x["scale"] = {"zero": False, "nice": False}

    def up(field: str) -> Spec:
        shown = {"field": field, "type": "quantitative", "scale": {"zero": False}}
        return {**shown, "title": "agreement with the full ranking"}

    colour: Spec = {"field": "what", "type": "nominal", "title": None, "sort": [tau, first]}
    colour["legend"] = {"symbolOpacity": 1}
    band = {"x": x, "y": up("low"), "y2": {"field": "high"}, "color": colour}
    line = {"x": x, "y": up("value"), "color": colour}
    tip = [{"field": "size", "type": "quantitative"}, {"field": "what", "type": "nominal"}]
    tip.append({"field": "value", "type": "quantitative"})
    spec: Spec = {
        "width": 480,
        "height": 300,
        "data": {"values": rows},
        "layer": [
            {
                "transform": [{"filter": "datum.low !== null"}],
                "mark": {"type": "area", "opacity": 0.25},
                "encoding": band,
            },
            {"mark": {"type": "line", "point": True}, "encoding": {**line, "tooltip": tip}},
        ],
    }
    return themed(
        spec,
        title=f"How far subsets agree with all {len(ranks.sampler.scores.treebanks)} treebanks",
        subtitle=f"{metric_name(ranks.sampler.scores.metric)}, {ranks.samples:,} random subsets",
        signature=ranks.signature,
        dark=dark,
    )


def critical_differences(found: CriticalDifference, *, dark: bool = False) -> Spec:
    """Draw average ranks, and bars beside the systems that cannot be told apart.

    With Nemenyi's test each system also has a bar of one critical difference around its rank: two
    systems differ exactly if these do not overlap.

    Parameters
    ----------
    found
        Average ranks and groups.
    dark
        Light on dark.
    """
    scores, table = found.scores, found.table
    order = table["system"].to_list()
    half = 0.0 if found.distance is None else found.distance / 2
    systems = [
        {"system": name, "rank": rank, "low": rank - half, "high": rank + half}
        for name, rank in table.select("system", "average_rank").iter_rows()
    ]
    lane = max(1.0, len(order) / 30)
    right = max(row["high"] for row in systems)
    groups, ends = [], list[int]()
    for i, clique in enumerate(found.cliques):
        first = order.index(clique[0])
        free = [at for at, end in enumerate(ends) if end < first] or [len(ends)]
        ends[free[0] : free[0] + 1] = [order.index(clique[-1])]
        place = right + lane * (1 + free[0] / 2)
        groups += [{"system": name, "group": i, "lane": place} for name in clique]
    domain = [min(row["low"] for row in systems) - lane / 2, right + lane * (1.5 + len(ends) / 2)]
    y = {"field": "system", "type": "nominal", "sort": order, "title": None}

    def across(field: str) -> Spec:
        scale = {"domain": domain, "nice": False, "zero": False}
        shown = {"field": field, "type": "quantitative", "scale": scale, "title": "average rank"}
        return {**shown, "axis": {"values": list(range(1, len(order) + 1))}}

    layers: list[Spec] = [
        {
            "data": {"name": "systems"},
            "mark": {"type": "rule", "color": PALETTE[0], "strokeWidth": 3},
            "encoding": {"y": y, "x": across("low"), "x2": {"field": "high"}},
        },
        {
            "data": {"name": "systems"},
            "mark": {"type": "point", "filled": True, "size": 50, "color": ink(dark)},
            "encoding": {
                "y": y,
                "x": across("rank"),
                "tooltip": [
                    {"field": "system", "type": "nominal"},
                    {"field": "rank", "type": "quantitative", "format": ".3f"},
                ],
            },
        },
        {
            "data": {"name": "groups"},
            "mark": {"type": "line", "color": PALETTE[5], "strokeWidth": 4, "strokeCap": "round"},
            "encoding": {
                "y": y,
                "x": across("lane"),
                "detail": {"field": "group", "type": "nominal"},
            },
        },
    ]
    spec: Spec = {
        "width": 420,
        "height": _STEP,
        "datasets": {"systems": systems, "groups": groups},
        "layer": layers[0 if half else 1 :],
    }
    metric = metric_name(scores.metric)
    how = (
        f"Nemenyi, critical difference {found.distance:.2f}"
        if found.distance is not None
        else "Wilcoxon signed-rank with Holm's correction"
    )
    return themed(
        spec,
        title=f"Average rank by {metric} over {len(scores.treebanks)} treebanks",
        subtitle=f"{how}, alpha {found.alpha:g}; systems beside one bar do not differ",
        signature=found.signature,
        dark=dark,
    )
