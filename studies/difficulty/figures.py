"""Figs. 2 and 3 of the Difficulty paper, from the stored tables of the biaffine parser's runs."""

from collections.abc import Callable, Mapping

import polars as pl

from studies.difficulty.gpu import MAP_EDGES
from studies.figures import draw
from studies.parts import read_result
from treegauge.reporting.figures.theme import SIDE, Spec, category, chart, faceted, mark, quantity, themed, tips

SHOWN = 3
"""Treebanks with the largest and with the smallest value that a figure shows."""


def _plain(name: str) -> str:
    return name.removeprefix("UD_")


def treebanks() -> Spec:
    """Draw mean confidence and variability of heads, LAS as colour, words as size (Fig. 2 left)."""
    table = read_result("difficulty_table1").pivot("measure", index="treebank", values="ours")
    means = table.select("treebank", "arc_conf", "arc_var", "las")
    sizes = read_result("content_treebanks").select("treebank", "train_words")
    rows = means.join(sizes, on="treebank").sort("treebank").with_columns(
        pl.col("treebank").str.strip_prefix("UD_"), pl.col("arc_conf", "arc_var").round(4),
        pl.col("las").round(2),
    )  # fmt: skip
    place = {
        "x": quantity("arc_var", "variability"),
        "y": quantity("arc_conf", "confidence"),
        "size": {"field": "train_words", "type": "quantitative", "title": "training words"},
        "color": quantity("las", "dev LAS", scale={"scheme": "viridis", "zero": False}),
        "tooltip": tips(["treebank", "las", "arc_conf", "arc_var"]),
    }
    spec = chart(rows.to_dicts(), 2 * SIDE, 1.5 * SIDE, **mark("point", place, filled=True, opacity=0.85))
    return themed(spec, f"Confidence in gold heads, {rows.height} treebanks", "", dark=False)


def maps() -> Spec:
    """Draw the data maps of the treebanks with the highest and the lowest CONF (Fig. 2 right)."""
    height, width = (float(edges[1] - edges[0]) for edges in MAP_EDGES)
    rows = [
        {"treebank": _plain(row["treebank"]), "conf": round(row["conf"], 3),
         "conf_to": round(row["conf"] + height, 3), "var": round(row["var"], 3),
         "var_to": round(row["var"] + width, 3), "share": row["share"]}
        for row in read_result("difficulty_maps").to_dicts()
    ]  # fmt: skip
    colour = {
        "field": "share", "type": "quantitative", "title": "share of words",
        "scale": {"type": "log", "scheme": "yellowgreenblue"}, "legend": {"format": "~%"},
    }  # fmt: skip
    cell = {
        "x": quantity("var", "variability", scale={"domain": [0, 0.5]}), "x2": {"field": "var_to"},
        "y": quantity("conf", "confidence", scale={"domain": [0, 1]}), "y2": {"field": "conf_to"},
        "color": colour,
    }  # fmt: skip
    inner = {"width": SIDE, "height": SIDE, **mark("rect", cell)}
    order = list(dict.fromkeys(row["treebank"] for row in rows))
    spec = faceted(rows, "treebank", 2, inner, sort=order)
    return themed(spec, "Data maps of heads, five seeds", "", dark=False)


def _extremes(values: dict[str, float]) -> list[str]:
    order = sorted(values, key=lambda name: values[name])
    return [*order[:SHOWN], *order[-SHOWN:]]


def pvi() -> Spec:
    """Draw shares of dev words by PVI of heads, lowest and highest V-INFO (Fig. 3 left)."""
    frame = read_result("difficulty_pvi")
    means = read_result("difficulty_seeds").group_by("treebank").agg(pl.col("arc_vinfo").mean())
    rows = [
        {"treebank": _plain(name), "bits": bits, "share": share}
        for name in _extremes(dict(means.iter_rows()))
        for bits, share in frame.select("bits", name).iter_rows()
    ]
    place = {"x": quantity("bits", "bits"), "y": quantity("share", "share of dev words"), "color": category("treebank")}
    spec = chart(rows, 2 * SIDE, SIDE, **mark("line", place))
    return themed(spec, "Pointwise usable information about heads", "", dark=False)


def blocks() -> Spec:
    """Draw joint bits per word block by block, lowest and highest MDL (Fig. 3 right)."""
    frame = read_result("difficulty_blocks").filter(training="block").with_columns(
        joint=pl.col("arc") + pl.col("rel"), sent=pl.col("before") + pl.col("sentences")
    )  # fmt: skip
    words = read_result("difficulty_codes").filter(training="block")
    last = words.filter(pl.col("epoch") == pl.col("epoch").max())
    means = last.group_by("treebank").agg(pl.col("joint").mean())
    rows = [
        {"treebank": _plain(name), "sentences": sent, "bits": round(bits, 4)}
        for name in _extremes(dict(means.iter_rows()))
        for sent, bits in frame.filter(treebank=name).select("sent", "joint").iter_rows()
    ]
    scale = {"type": "log", "nice": False}
    place = {
        "x": quantity("sentences", "sentences sent, this block included", scale=scale),
        "y": quantity("bits", "bits per word, heads and relations"),
        "color": category("treebank"),
    }
    spec = chart(rows, 2 * SIDE, SIDE, **mark("line", place, point=True))
    return themed(spec, "Code length, block by block", "", dark=False)


FIGURES: Mapping[str, Callable[[], Spec]] = {
    "difficulty_figure2_treebanks": treebanks, "difficulty_figure2_maps": maps,
    "difficulty_figure3_pvi": pvi, "difficulty_figure3_blocks": blocks,
}  # fmt: skip


def drawn() -> pl.DataFrame:
    """Write the figures of this study."""
    return draw(FIGURES)
