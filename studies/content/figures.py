"""Figures of the Content study, from the stored tables.

Each is written twice under ``docs/images/replications``: drawn, and as Vega-Lite with its data.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from studies.content.data import RELEASE, chosen
from studies.content.maltparser import COLUMNS, METRICS, SCORES
from studies.content.scores import some
from studies.figures import draw
from studies.parts import read_result
from studies.treebanks import treebank_folders
from treegauge.core.result import sign
from treegauge.measures.measure import measure
from treegauge.papers.of_scores import content_correlations
from treegauge.reporting.figures.analysis import matrix, scatter
from treegauge.reporting.figures.scores import by_treebank, ranked_rows
from treegauge.reporting.figures.theme import Spec, category, chart, mark, quantity, themed, tips
from treegauge.reporting.figures.treebanks import relation_spectrum
from treegauge.statistics.probabilities import cumulative_variance


def spectrum() -> Spec:
    """Draw relations from function to content (Figure 2)."""
    return relation_spectrum(measure("wde", *treebank_folders(RELEASE), split="all"))


def sttr() -> Spec:
    """Draw shares of content and function relations against STTR (Figure 3)."""
    frame = read_result("content_treebanks").filter(pl.col("treebank").is_in(chosen("enough")))
    return scatter(frame, "sttr", ["content", "function"])


def scores() -> Spec:
    """Draw LAS, WLAS, content precision and recall of every treebank (Figure 4)."""
    return by_treebank(some("malt", "enough"), [*METRICS, "function_f1"])


def table3() -> Spec:
    """Draw the matrix of Table 3 as ours has it."""
    return matrix(content_correlations(read_result(SCORES).filter(tags="upos"), COLUMNS))


def variances(frame: pl.DataFrame, metrics: Sequence[str], *, dark: bool = False) -> Spec:
    """Draw the variance of scores as treebanks are added from the best down (Content, Fig. 5).

    `frame` and `metrics` are those of :func:`by_treebank`.

    Examples
    --------
    >>> found = pl.DataFrame({"treebank": ["UD_A-B", "UD_C-D"], "LAS": [80, 90], "WLAS": [70, 85]})
    >>> [row["variance"] for row in variances(found, ["LAS", "WLAS"])["data"]["values"]]
    [25.0, 56.25]
    """
    ranked = ranked_rows(frame, metrics)
    best = [row[metrics[0]] for row in ranked]
    rows: list[dict[str, Any]] = []
    for metric in metrics:
        found = cumulative_variance([row[metric] for row in ranked], by=best).tolist()
        rows += [
            {"best": place, "added": row["treebank"], "score": metric, "variance": value}
            for place, (row, value) in enumerate(zip(ranked[1:], found, strict=True), 2)
        ]
    named = category("score", sort=list(metrics))
    x, y = quantity("best", "treebanks, the best first"), quantity("variance", "variance of scores")
    tip = tips(["best", "added", "score", "variance"])
    place = {"x": x, "y": y, "color": named, "strokeDash": named, "tooltip": tip}
    spec = chart(rows, 360, 240, **mark("line", place, point={"size": 14}))
    title = f"How scores spread, from the best by {metrics[0]} down"
    return themed(spec, title, sign(figure="variances"), dark)


def variance() -> Spec:
    """Draw the variance of scores as treebanks are added from the best down (Figure 5)."""
    return variances(some("malt", "enough"), METRICS)


FIGURES: Mapping[str, Callable[[], Spec]] = {
    "content_wde": spectrum, "content_sttr": sttr, "content_scores": scores,
    "content_table3": table3, "content_variance": variance,
}  # fmt: skip


def drawn() -> pl.DataFrame:
    """Write the figures of this study."""
    return draw(FIGURES)
