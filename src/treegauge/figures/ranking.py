"""Figures of rankings: rank boxes, pairwise probabilities, agreement, critical differences.

The data of each figure come from one function, ``..._data``; the page draws the same data.

Examples
--------
>>> from treegauge.ranking.reading import read_leaderboard
>>> from treegauge.ranking.stability import stability
>>> ranks = stability(read_leaderboard("conll18"), size=10, samples=1000, seed=0)
>>> rank_boxes(ranks)["layer"][0]["mark"]["type"]
'rule'
"""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from treegauge.figures.theme import PALETTE, Spec, category, ink, quantity, themed, tips
from treegauge.ranking.compare import CriticalDifference
from treegauge.ranking.exact import Exact
from treegauge.ranking.leaderboard import metric_name
from treegauge.ranking.sampler import sizes_text
from treegauge.ranking.stability import Stability

if TYPE_CHECKING:
    import polars as pl

Rows = list[dict[str, Any]]
FigureKind = Literal["boxes", "pairs", "agreement"]
_FEW = 14
"""The largest number of systems for which a matrix has room for numbers in its cells."""
_STEP = {"step": 22}


def rank_box_data(ranks: Stability) -> dict[str, Rows]:
    """Return the boxes of ranks, in order of median and mean, and the ranks beyond the whiskers.

    Whiskers (``low``, ``high``) end at the last rank within 1.5 times the interquartile range.
    """
    boxes: Rows = []
    beyond: Rows = []
    for row in ranks.table.sort("median", "mean", "system").iter_rows(named=True):
        counts = ranks.counts[ranks.systems.index(row["system"])]
        places = np.flatnonzero(counts)
        values = 1 + places / 2
        reach = 1.5 * (row["q3"] - row["q1"])
        inside = (values >= row["q1"] - reach) & (values <= row["q3"] + reach)
        # A quartile between two ranks may have no rank beside it; the box then has no whisker.
        low = min(float(values[inside].min(initial=row["q1"])), row["q1"])
        high = max(float(values[inside].max(initial=row["q3"])), row["q3"])
        names = ("system", "best", "q1", "median", "q3", "worst", "mean")
        boxes.append({**{name: row[name] for name in names}, "low": low, "high": high})
        beyond += [
            {"system": row["system"], "rank": float(v), "share": int(counts[i]) / ranks.samples}
            for v, i in zip(values[~inside], places[~inside], strict=True)
        ]
    return {"boxes": boxes, "beyond": beyond}


def rank_boxes(ranks: Stability, *, dark: bool = False) -> Spec:
    """Draw a box per system, as Figures 1 and 2 of Fragility do.

    Boxes reach from the first to the third quartile, with a tick at the median; ranks beyond the
    whiskers are points, darker where they are more frequent.
    """
    data = rank_box_data(ranks)
    order = [row["system"] for row in data["boxes"]]
    x = category("system", sort=order, axis={"labelAngle": -45})
    scale = {"reverse": True, "zero": False, "nice": False, "domain": [0.5, len(order) + 0.5]}

    def up(field: str) -> Spec:
        return quantity(field, "rank", scale=scale)

    inside = {"name": "boxes"}
    tick = {"type": "tick", "color": ink(dark), "thickness": 2, "size": 12}
    box = {"type": "bar", "color": PALETTE[0], "fillOpacity": 0.5, "stroke": ink(dark), "size": 12}
    shade = {"field": "share", "type": "quantitative", "legend": None,
             "scale": {"type": "sqrt", "range": [0.4, 1]}}  # fmt: skip
    tip = tips(["system", "best", "q1", "median", "q3", "worst", "mean"])
    layers: list[Spec] = [
        {"data": inside, "mark": {"type": "rule", "color": ink(dark)},
         "encoding": {"x": x, "y": up("low"), "y2": {"field": "high"}}},
        {"data": inside, "mark": box,
         "encoding": {"x": x, "y": up("q1"), "y2": {"field": "q3"}, "tooltip": tip}},
        {"data": inside, "mark": tick, "encoding": {"x": x, "y": up("median")}},
        {"data": {"name": "beyond"},
         "mark": {"type": "point", "size": 14, "filled": True, "color": PALETTE[5]},
         "encoding": {"x": x, "y": up("rank"), "opacity": shade,
                      "tooltip": tips(["system", "rank", "share"])}},
    ]  # fmt: skip
    return themed(
        {"width": _STEP, "height": 320, "datasets": data, "layer": layers},
        f"Ranks by {metric_name(ranks.sampler.board.metric)} over random subsets",
        ranks.signature,
        dark,
        f"{ranks.samples:,} subsets of {sizes_text(ranks.sampler.sizes)} treebanks",
    )


def ranks_figure(ranks: Stability, *, kind: FigureKind | None = None, dark: bool = False) -> Spec:
    """Draw ranks over random subsets.

    Parameters
    ----------
    ranks
        Ranks over random subsets.
    kind
        ``boxes`` of ranks, the matrix of ``pairs``, or ``agreement`` by size of the subsets;
        default: boxes for one size, agreement for several.
    dark
        Light on dark.
    """
    kind = kind or ("boxes" if len(ranks.sampler.sizes) == 1 else "agreement")
    if kind == "pairs":
        return pair_matrix(ranks, dark=dark)
    return rank_boxes(ranks, dark=dark) if kind == "boxes" else agreement(ranks, dark=dark)


def pair_data(ranks: Stability | Exact) -> "pl.DataFrame":
    """Return how often each system is above each other one; exact counts have a size each."""
    names = ["system", "other", "above", "tied"]
    return ranks.pairs.select(["size", *names] if isinstance(ranks, Exact) else names)


def pair_matrix(ranks: Stability | Exact, *, size: int | None = None, dark: bool = False) -> Spec:
    """Draw how often each system is above each other one, systems in order of mean rank.

    Parameters
    ----------
    ranks
        Sampled ranks, or exact counts.
    size
        Which size of subsets, if exact counts have several.
    """
    cells = pair_data(ranks)
    if isinstance(ranks, Exact):
        scores = ranks.board
        ranks.mean_ranks(size)  # refuses a size that was not counted
        chosen = ranks.sizes[0] if size is None else size
        cells = cells.filter(size=chosen)
        order = ranks.table.filter(size=chosen)["system"].to_list()
        over = f"all {ranks.subsets(chosen):,} subsets of {chosen} treebanks"
    else:
        scores = ranks.sampler.board
        order = ranks.table["system"].to_list()
        over = f"{ranks.samples:,} subsets of {sizes_text(ranks.sampler.sizes)} treebanks"
    x = category("other", "than", sort=order, axis={"labelAngle": -45, "orient": "top"})
    y = category("system", "better", sort=order)
    colour = {
        "field": "above", "type": "quantitative",
        "scale": {"scheme": "blueorange", "domain": [0, 1], "reverse": True},
        "legend": {"title": "probability", "format": ".0%"},
    }  # fmt: skip
    tip = [*tips(["system", "other"]),
           *({**one, "format": ".4f"} for one in tips(["above", "tied"]))]  # fmt: skip
    layers: list[Spec] = [{"mark": "rect", "encoding": {"color": colour, "tooltip": tip}}]
    if len(order) <= _FEW:
        text = {"field": "above", "type": "quantitative", "format": ".2f"}
        layers.append({"mark": {"type": "text", "color": "#222222"}, "encoding": {"text": text}})
    spec: Spec = {
        "width": _STEP if len(order) > _FEW else {"step": 40},
        "height": _STEP,
        "data": {"values": cells.to_dicts()},
        "encoding": {"x": x, "y": y},
        "layer": layers,
    }
    title = f"Probability of a higher mean {metric_name(scores.metric)}"
    return themed(spec, title, ranks.signature, dark, over)


def agreement_data(ranks: Stability) -> Rows:
    """Return, for each size of subsets, Kendall's tau with the full ranking and the same winner."""
    rows: Rows = []
    for row in ranks.agreement.iter_rows(named=True):
        low, high = row["tau"] - row["tau_sd"], min(row["tau"] + row["tau_sd"], 1.0)
        size = row["size"]
        rows.append({"size": size, "what": TAU, "value": row["tau"], "low": low, "high": high})
        rows.append({"size": size, "what": WINNER, "value": row["top1"], "low": None, "high": None})
    return rows


TAU, WINNER = "Kendall's tau", "same winner"
"""The two lines of the figure of agreement."""


def agreement(ranks: Stability, *, dark: bool = False) -> Spec:
    """Draw how the ranking of a subset agrees with the full one, by size of the subset.

    Two lines: the mean of Kendall's tau, with a band of one standard deviation, and the share of
    subsets in which a system that leads over all treebanks leads.
    """
    x = quantity("size", "treebanks in a subset", scale={"zero": False, "nice": False})
    colour = category("what", sort=[TAU, WINNER], legend={"symbolOpacity": 1})
    title = "agreement with the full ranking"
    band = {"x": x, "y": quantity("low", title), "y2": {"field": "high"}, "color": colour}
    line = {"x": x, "y": quantity("value", title), "color": colour}
    spec: Spec = {
        "width": 480,
        "height": 300,
        "data": {"values": agreement_data(ranks)},
        "layer": [
            {"transform": [{"filter": "datum.low !== null"}],
             "mark": {"type": "area", "opacity": 0.25}, "encoding": band},
            {"mark": {"type": "line", "point": True},
             "encoding": {**line, "tooltip": tips(["size", "what", "value"])}},
        ],
    }  # fmt: skip
    return themed(
        spec,
        f"How far subsets agree with all {len(ranks.sampler.board.treebanks)} treebanks",
        ranks.signature,
        dark,
        f"{metric_name(ranks.sampler.board.metric)}, {ranks.samples:,} random subsets",
    )


def critical_difference_data(found: CriticalDifference) -> dict[str, Rows]:
    """Return average ranks with their bars, and groups of similar systems, each in a lane."""
    table = found.table
    order = table["system"].to_list()
    half = 0.0 if found.distance is None else found.distance / 2
    systems = [
        {"system": name, "rank": rank, "low": rank - half, "high": rank + half}
        for name, rank in table.select("system", "average_rank").iter_rows()
    ]
    right = max(row["high"] for row in systems)
    lane = max(1.0, len(order) / 30)
    groups: Rows = []
    ends: list[int] = []
    for i, clique in enumerate(found.cliques):
        first = order.index(clique[0])
        free = [at for at, end in enumerate(ends) if end < first] or [len(ends)]
        ends[free[0] : free[0] + 1] = [order.index(clique[-1])]
        place = right + lane * (1 + free[0] / 2)
        groups += [{"system": name, "group": i, "lane": place} for name in clique]
    return {"systems": systems, "groups": groups}


def critical_differences(found: CriticalDifference, *, dark: bool = False) -> Spec:
    """Draw average ranks, and bars beside systems whose difference is not significant.

    With Nemenyi's test each system also has a bar of one critical difference around its rank: two
    systems differ exactly if these do not overlap.
    """
    data = critical_difference_data(found)
    order = [row["system"] for row in data["systems"]]
    lane = max(1.0, len(order) / 30)
    right = max([row["high"] for row in data["systems"]] + [row["lane"] for row in data["groups"]])
    domain = [min(row["low"] for row in data["systems"]) - lane / 2, right + lane]
    y = category("system", sort=order)

    def across(field: str) -> Spec:
        scale = {"domain": domain, "nice": False, "zero": False}
        axis = {"values": list(range(1, len(order) + 1))}
        return quantity(field, "average rank", scale=scale, axis=axis)

    tip = [{"field": "system"}, {"field": "rank", "format": ".3f"}]
    layers: list[Spec] = [
        {"data": {"name": "systems"},
         "mark": {"type": "rule", "color": PALETTE[0], "strokeWidth": 3},
         "encoding": {"y": y, "x": across("low"), "x2": {"field": "high"}}},
        {"data": {"name": "systems"},
         "mark": {"type": "point", "filled": True, "size": 50, "color": ink(dark)},
         "encoding": {"y": y, "x": across("rank"), "tooltip": tip}},
        {"data": {"name": "groups"},
         "mark": {"type": "line", "color": PALETTE[5], "strokeWidth": 4, "strokeCap": "round"},
         "encoding": {"y": y, "x": across("lane"), "detail": category("group")}},
    ]  # fmt: skip
    distance = found.distance
    how = (
        f"Nemenyi, critical difference {distance:.2f}"
        if distance is not None
        else "Wilcoxon signed-rank with Holm's correction"
    )
    metric = metric_name(found.board.metric)
    return themed(
        {"width": 420, "height": _STEP, "datasets": data, "layer": layers[0 if distance else 1 :]},
        f"Average rank by {metric} over {len(found.board.treebanks)} treebanks",
        found.signature,
        dark,
        f"{how}, level {found.level:g}; systems beside one bar cannot be told apart",
    )
