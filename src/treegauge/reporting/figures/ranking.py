"""Figures of rankings: rank boxes, pairwise probabilities, agreement, critical differences.

The data of each figure come from a function ``..._data``; the page draws the same data.
"""

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.ranking.compare import CriticalDifference
from treegauge.ranking.leaderboard import metric_name
from treegauge.ranking.pairs import Differences, Improvement
from treegauge.ranking.profiles import THRESHOLDS, Profiles
from treegauge.ranking.stability.exact_win_rates import Exact
from treegauge.ranking.stability.win_rates import Stability
from treegauge.reporting.figures.theme import (
    PALETTE,
    Spec,
    category,
    certainty,
    chart,
    ink,
    line_scales,
    mark,
    quantity,
    side_colours,
    themed,
    tips,
)

if TYPE_CHECKING:
    from treegauge.ranking.standings import Standings
    from treegauge.ranking.strengths import BradleyTerry

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
        # A quartile between two ranks may have no rank next to it; the box then has no whisker.
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
    """Draw one box per system, as in Figures 1 and 2 of Fragility.

    Boxes reach from the first to the third quartile, with a tick at the median; ranks beyond the
    whiskers are points, darker where they are more frequent.
    """
    data = rank_box_data(ranks)
    order = [row["system"] for row in data["boxes"]]
    x = category("system", sort=order, axis={"labelAngle": -45})
    scale = {"reverse": True, "zero": False, "nice": False, "domain": [0.5, len(order) + 0.5]}

    def up(field: str) -> Spec:
        return quantity(field, "rank", scale=scale)

    shade = {"field": "share", "type": "quantitative", "legend": None, "scale": {"type": "sqrt", "range": [0.4, 1]}}
    tip = tips(["system", "best", "q1", "median", "q3", "worst", "mean"])
    box = {"x": x, "y": up("q1"), "y2": {"field": "q3"}, "tooltip": tip}
    hover = tips(["system", "rank", "share"])
    point = {"x": x, "y": up("rank"), "opacity": shade, "tooltip": hover}
    line, blue, red = ink(dark), PALETTE[0], PALETTE[5]
    boxes = [
        mark("rule", {"x": x, "y": up("low"), "y2": {"field": "high"}}, color=line),
        mark("bar", box, color=blue, fillOpacity=0.5, stroke=line, size=12),
        mark("tick", {"x": x, "y": up("median")}, color=line, thickness=2, size=12),
    ]
    layers = [{"data": {"name": "boxes"}, **layer} for layer in boxes]
    beyond = mark("point", point, size=14, filled=True, color=red)
    layers.append({"data": {"name": "beyond"}, **beyond})
    spec = {"width": _STEP, "height": 320, "datasets": data, "layer": layers}
    title = f"Ranks by {metric_name(ranks.board.metric)} over subsets"
    return themed(spec, title, ranks.signature, dark, ranks.subsets_text)


def ranks_figure(ranks: Stability, *, kind: FigureKind | None = None, dark: bool = False) -> Spec:
    """Draw ranks over random subsets.

    Draws ``boxes`` of ranks, the matrix of ``pairs``, or ``agreement`` by size of the subsets. The
    default is boxes for one size, agreement for several.
    """
    kind = kind or ("boxes" if len(ranks.sampler.sizes) == 1 else "agreement")
    if kind == "pairs":
        return pair_matrix(ranks, dark=dark)
    return rank_boxes(ranks, dark=dark) if kind == "boxes" else agreement_by_size(ranks, dark=dark)


def pair_data(ranks: Stability | Exact) -> "pl.DataFrame":
    """Return how often each system is above each other; exact counts also have the size."""
    names = ["system", "other", "above", "tied"]
    return ranks.pairs.select(["size", *names] if isinstance(ranks, Exact) else names)


def pair_matrix(ranks: Stability | Exact, *, size: int | None = None, dark: bool = False) -> Spec:
    """Draw how often each system is above each other, systems in order of mean rank.

    If exact counts have several sizes of subsets, draws one `size`.
    """
    cells, table = pair_data(ranks), ranks.table
    if isinstance(ranks, Exact):
        ranks.mean_ranks(size)  # refuses a size that was not counted
        chosen = ranks.sizes[0] if size is None else size
        cells, table = cells.filter(size=chosen), table.filter(size=chosen)
        over = f"all {ranks.subsets(chosen):,} subsets of {chosen} treebanks"
    else:
        over = ranks.subsets_text
    order = table["system"].to_list()
    x = category("other", "than", sort=order, axis={"labelAngle": -45, "orient": "top"})
    y = category("system", "better", sort=order)
    colour = {
        "field": "above",
        "type": "quantitative",
        "scale": {"scheme": "blueorange", "domain": [0, 1], "reverse": True},
        "legend": {"title": "probability", "format": ".0%"},
    }
    tip = [*tips(["system", "other"]), *({**one, "format": ".4f"} for one in tips(["above", "tied"]))]
    layers = [mark("rect", {"color": colour, "tooltip": tip})]
    if len(order) <= _FEW:
        text = {"field": "above", "type": "quantitative", "format": ".2f"}
        readable = {"expr": "abs(datum.above - 0.5) > 0.35 ? 'white' : '#222222'"}
        layers.append(mark("text", {"text": text}, color=readable))
    width = _STEP if len(order) > _FEW else {"step": 40}
    spec = chart(cells.to_dicts(), width, _STEP, encoding={"x": x, "y": y}, layer=layers)
    title = f"Probability of a higher mean {metric_name(ranks.board.metric)}"
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


def agreement_by_size(ranks: Stability, *, dark: bool = False) -> Spec:
    """Draw the agreement of rankings over subsets with the full ranking, by size.

    Two lines: the mean of Kendall's tau, with a band of one standard deviation, and the share of
    subsets in which a system that leads over all treebanks leads.
    """
    x = quantity("size", "treebanks in a subset", scale={"zero": False, "nice": False})
    colour = category("what", sort=[TAU, WINNER], legend={"symbolOpacity": 1})
    title = "agreement with the full ranking"
    band = {"x": x, "y": quantity("low", title), "y2": {"field": "high"}, "color": colour}
    line = {"x": x, "y": quantity("value", title), "color": colour}
    layers = [
        {"transform": [{"filter": "datum.low !== null"}], **mark("area", band, opacity=0.25)},
        mark("line", {**line, "tooltip": tips(["size", "what", "value"])}, point=True),
    ]
    spec = chart(agreement_data(ranks), 480, 300, layer=layers)
    title = f"Agreement of subsets with all {len(ranks.board.treebanks)} treebanks"
    below = f"{metric_name(ranks.board.metric)}, {ranks.subsets_text}"
    return themed(spec, title, ranks.signature, dark, below)


def critical_difference_data(found: CriticalDifference) -> dict[str, Rows]:
    """Return average ranks with their bars, and groups of similar systems, one lane each."""
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
    """Draw average ranks, with lines that mark systems that do not differ significantly.

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
    reach = {"y": y, "x": across("low"), "x2": {"field": "high"}}
    point = {"y": y, "x": across("rank"), "tooltip": tip}
    group = {"y": y, "x": across("lane"), "detail": category("group")}
    look: dict[str, Any] = {"color": PALETTE[5], "strokeWidth": 4, "strokeCap": "round"}
    if found.distance is None:  # members of a group need not be neighbours
        look |= {"strokeWidth": 1, "point": {"filled": True, "size": 60, "color": PALETTE[5]}}
    bar = mark("line", group, **look)
    layers = [
        {"data": {"name": "systems"}, **mark("rule", reach, color=PALETTE[0], strokeWidth=3)},
        {"data": {"name": "systems"}, **mark("point", point, filled=True, size=50, color=ink(dark))},
        {"data": {"name": "groups"}, **bar},
    ]
    how = "Wilcoxon signed-rank with Holm's correction"
    if found.distance is not None:
        how = f"Nemenyi, critical difference {found.distance:.2f}"
    shown = layers if found.distance else layers[1:]
    spec = {"width": 420, "height": _STEP, "datasets": data, "layer": shown}
    metric = metric_name(found.board.metric)
    title = f"Average rank by {metric} over {len(found.board.treebanks)} treebanks"
    below = f"{how}, level {found.level:g}; systems marked on the same line do not differ significantly"
    return themed(spec, title, found.signature, dark, below)


def profile_data(found: Profiles) -> Rows:
    """Return the share of treebanks and runs above each threshold, by system, from the lowest score on."""
    least = int(found.board.values.min())
    return [
        {"system": found.board.systems[i], "threshold": int(at), "above": float(share)}
        for i in found.order
        for at, share in zip(THRESHOLDS.tolist(), found.above[i], strict=True)
        if at >= least
    ]


def profile_lines(found: Profiles, *, dark: bool = False) -> Spec:
    """Draw one performance profile per system: a higher line is better."""
    metric, order = metric_name(found.board.metric), [found.board.systems[i] for i in found.order]
    colours, dashes = line_scales(order)
    named = category("system", legend={"symbolType": "stroke", "symbolStrokeWidth": 2})
    encoding = {
        "x": quantity("threshold", metric, scale={"zero": False, "nice": False}),
        "y": quantity("above", "share of treebanks and runs", axis={"format": "%"}),
        "color": named | {"scale": colours}, "strokeDash": named | {"scale": dashes},
        "tooltip": tips(["system", "threshold", "above"]),
    }  # fmt: skip
    spec = chart(profile_data(found), 480, 300, **mark("line", encoding, interpolate="step-after"))
    title = f"Share of scores above each {metric}, over {len(found.board.treebanks)} treebanks"
    return themed(spec, title, found.signature, dark, "A line that is higher everywhere is better everywhere.")


def rank_set_data(found: "BradleyTerry | Standings") -> Rows:
    """Return the rank of every system with its confidence set, the best first."""
    return found.table.select("system", "rank", "rank_low", "rank_high").to_dicts()


def confidence_sets(found: "BradleyTerry | Standings", *, dark: bool = False) -> Spec:
    """Draw the confidence set of every system's rank: the ranks that the data do not exclude."""
    rows = rank_set_data(found)
    if any(row["rank_low"] is None for row in rows):
        raise TreegaugeError("nothing to draw: too few treebanks or families for confidence sets of ranks")
    y = category("system", sort=[row["system"] for row in rows])
    scale = {"domain": [0.5, len(rows) + 0.5], "nice": False, "zero": False}
    axis = {"format": "d", "tickMinStep": 1}
    across = {name: quantity(name, "rank", scale=scale, axis=axis) for name in ("rank_low", "rank")}
    reach = {"y": y, "x": across["rank_low"], "x2": {"field": "rank_high"}}
    point = {"y": y, "x": across["rank"], "tooltip": tips(["system", "rank", "rank_low", "rank_high"])}
    layers = [
        mark("rule", reach, color=PALETTE[0], strokeWidth=4, strokeCap="round"),
        mark("point", point, filled=True, size=50, color=ink(dark)),
    ]
    below = "The ranks of each system that the data do not exclude; sets hold singly, not all at once."
    spec = chart(rows, 420, _STEP, layer=layers)
    return themed(spec, "Confidence sets of ranks", found.signature, dark, below)


def pair_heat(found: Differences | Improvement, *, dark: bool = False) -> Spec:
    """Draw a number of every pair, row against column, shaded by how certain its side is.

    The shade is the distance from no difference in half-widths of the interval: at full colour the
    interval excludes "no difference", and the lighter a cell, the less is known.
    """
    probability = isinstance(found, Improvement)
    name, even = ("probability", 0.5) if probability else ("difference", 0.0)
    size = range(len(found.systems))
    rows = []
    for a, b in ((a, b) for a in size for b in size if a != b):
        value, low, high = (found.numbers[key][a, b].item() for key in (name, "low", "high"))
        rows.append({"system": found.systems[a], "other": found.systems[b], "value": value,
                     "low": low, "high": high, "certain": certainty(value, low, high, even)})  # fmt: skip
    order = list(found.systems)
    x, y = category("other", sort=order), category("system", sort=order)
    shade = side_colours("row worse | row better")
    layers = [mark("rect", {"color": shade, "tooltip": tips(["system", "other", "value", "low", "high"])})]
    if len(order) <= _FEW:
        text = {"field": "value", "type": "quantitative", "format": ".2f" if probability else "+.1f"}
        readable = {"condition": {"test": "abs(datum.certain) > 0.8", "value": "white"}, "value": "#222222"}
        layers.append(mark("text", {"text": text, "color": readable}, fontSize=10))
    spec = chart(rows, {"step": 40} if len(order) <= _FEW else _STEP, _STEP, encoding={"x": x, "y": y}, layer=layers)
    title = "Probability that the row is better" if probability else "Mean difference, row minus column"
    return themed(spec, title, found.signature, dark, "Full colour: the interval excludes no difference.")
