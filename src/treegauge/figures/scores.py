"""Figures of scores over many treebanks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treegauge.figures.theme import Spec, category, quantity, themed, tips
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import sign
from treegauge.statistics.spread import cumulative_variance

if TYPE_CHECKING:
    import polars as pl

STEP = 18
"""Width of a treebank's place."""


def by_treebank(frame: "pl.DataFrame", metrics: Sequence[str], *, dark: bool = False) -> Spec:
    """Draw several scores of every treebank, the best by the first of them first (Content, Fig. 4).

    Parameters
    ----------
    frame
        A column ``treebank`` and one for each metric, in percent.
    metrics
        Columns to draw; the first one decides on the order.
    dark
        Light on dark.

    Examples
    --------
    >>> import polars as pl
    >>> found = pl.DataFrame({"treebank": ["UD_A-B", "UD_C-D"], "LAS": [80, 90], "WLAS": [70, 85]})
    >>> spec = by_treebank(found, ["LAS", "WLAS"])
    >>> spec["encoding"]["x"]["sort"], len(spec["data"]["values"])
    (['C-D', 'A-B'], 4)
    """
    ranked = _ranked(frame, metrics)
    rows = [
        {"treebank": row["treebank"], "score": metric, "value": row[metric]}
        for row in ranked
        for metric in metrics
    ]
    named = category("score", sort=list(metrics))
    order = [row["treebank"] for row in ranked]
    spec = {
        "data": {"values": rows},
        "width": {"step": STEP},
        "height": 260,
        "mark": {"type": "point", "filled": True, "size": 36},
        "encoding": {
            "x": category("treebank", sort=order),
            "y": quantity("value", "percent"),
            "color": named,
            "shape": named,
            "tooltip": tips(["treebank", "score", "value"]),
        },
    }
    title = f"Scores by treebank, in the order of {metrics[0]}"
    return themed(spec, title=title, signature=sign(figure="by_treebank"), dark=dark)


def variances(frame: "pl.DataFrame", metrics: Sequence[str], *, dark: bool = False) -> Spec:
    """Draw the variance of scores as treebanks are added from the best down (Content, Fig. 5).

    Parameters
    ----------
    frame
        A column ``treebank`` and one for each metric, in percent.
    metrics
        Columns to draw; the first one decides on the order.
    dark
        Light on dark.

    Examples
    --------
    >>> import polars as pl
    >>> found = pl.DataFrame({"treebank": ["UD_A-B", "UD_C-D"], "LAS": [80, 90], "WLAS": [70, 85]})
    >>> [row["variance"] for row in variances(found, ["LAS", "WLAS"])["data"]["values"]]
    [25.0, 56.25]
    """
    ranked = _ranked(frame, metrics)
    best = [row[metrics[0]] for row in ranked]
    rows: list[dict[str, Any]] = []
    for metric in metrics:
        found = cumulative_variance([row[metric] for row in ranked], by=best).tolist()
        rows += [
            {"best": place, "added": row["treebank"], "score": metric, "variance": value}
            for place, (row, value) in enumerate(zip(ranked[1:], found, strict=True), 2)
        ]
    named = category("score", sort=list(metrics))
    spec = {
        "data": {"values": rows},
        "width": 360,
        "height": 240,
        "mark": {"type": "line", "point": {"size": 14}},
        "encoding": {
            "x": quantity("best", "treebanks, the best first"),
            "y": quantity("variance", "variance of scores"),
            "color": named,
            "strokeDash": named,
            "tooltip": tips(["best", "added", "score", "variance"]),
        },
    }
    title = f"How scores spread, from the best by {metrics[0]} down"
    return themed(spec, title=title, signature=sign(figure="variances"), dark=dark)


def _ranked(frame: "pl.DataFrame", metrics: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows from the highest of the first metric down, names without their prefix."""
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
