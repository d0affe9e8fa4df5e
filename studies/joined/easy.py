"""Treebanks whose scores are high because of short sentences, known words or overlap."""

from typing import Any

import numpy as np
import polars as pl

from studies.content.data import chosen
from studies.joined.data import LABELS
from studies.joined.models import EVERYWHERE, GIVEN, LOG, rows_of
from studies.parts import read_result
from treegauge.statistics.linear_model import regress

#: A class in which a treebank has fewer words says nothing of how hard the class is.
LEAST = 30
ORDER = {name: place for place, name in enumerate((*LABELS, "new", "seen"))}
FEATURES = {
    "length": "short sentences", "words": "known words", "tree": "known tree shapes",
    "text": "test sentences in train",
}  # fmt: skip


def gifts() -> pl.DataFrame:
    r"""Return what the make-up of a test set is worth, in points of LAS.

    With :math:`s_t(c)` the share of a treebank's test words in class c, and bars for means over
    treebanks with 100 train sentences or more,

    .. math:: g_t = \sum_c (s_t(c) - \bar s(c))\, \bar{\mathrm{LAS}}(c)

    that is how far LAS would lie above the average if each class were as hard as it is on average:
    indirect standardisation.
    For sentences that train has, too: LAS less that of the other sentences.
    """
    counts = read_result("joined_classes").filter(
        pl.col("treebank").is_in(chosen("enough")), pl.col("parser").is_in(EVERYWHERE)
    )
    counts = counts.with_columns(
        (pl.col("words") / pl.col("words").sum().over("treebank", "parser", "feature")).alias("share"),
        (100 * pl.col("correct") / pl.col("words")).alias("las"),
    )
    rows = []
    for (feature, parser), some in counts.group_by("feature", "parser", maintain_order=True):
        shares = some.pivot("class", index="treebank", values="share").fill_null(0.0)
        names = shares.columns[1:]
        if feature == "text":
            rows.append(_repeated(some))
            continue
        hard = some.filter(pl.col("words") >= LEAST).group_by("class").agg(pl.col("las").mean())
        worth = dict(hard.iter_rows())
        values = shares.select(names).to_numpy()
        gift = (values - values.mean(axis=0)) @ np.array([worth[name] for name in names])
        rows.append(pl.DataFrame({"treebank": shares["treebank"], "parser": parser, "feature": feature, "gift": gift}))
    return pl.concat(rows).sort("treebank", "parser", "feature")


def _repeated(some: pl.DataFrame) -> pl.DataFrame:
    grouped = some.group_by("treebank", "parser", maintain_order=True)
    total = grouped.agg(
        (100 * pl.col("correct").sum() / pl.col("words").sum()).alias("all"),
        pl.col("las").filter(pl.col("class") == "new").first().alias("new"),
    )
    gift = pl.col("all") - pl.col("new")
    return total.select("treebank", "parser", pl.lit("text").alias("feature"), gift.alias("gift"))


def hardness() -> pl.DataFrame:
    """Return how hard each class of words is on average, and how many words are in it."""
    counts = read_result("joined_classes").filter(
        pl.col("treebank").is_in(chosen("enough")), pl.col("parser").is_in(EVERYWHERE), pl.col("feature") != "text"
    )
    whole = pl.col("words").sum().over("treebank", "parser", "feature")
    counts = counts.with_columns((100 * pl.col("words") / whole).alias("share"))
    las = (100 * pl.col("correct") / pl.col("words")).filter(pl.col("words") >= LEAST)
    treebanks = len(chosen("enough"))
    return (
        counts.group_by("feature", "class", "parser", maintain_order=True)
        .agg(las.mean().alias("las"), (pl.col("share").sum() / treebanks).alias("share"),
             (pl.col("words") >= LEAST).sum().alias("treebanks"))
        .pivot("parser", index=["feature", "class", "share", "treebanks"], values="las")
        .sort("feature", pl.col("class").replace_strict(ORDER))
    )  # fmt: skip


def easy() -> pl.DataFrame:
    """List treebanks in the upper half of LAS that would not be there without a gift.

    LAS is the mean of the parsers that were run everywhere. A treebank is ``easy`` if its LAS is
    above the median of those with 100 train sentences; a reason is wrong if its gift is at least a
    point and LAS without it is not above the median. ``surplus`` is LAS less what size and mean
    length predict, each treebank from the others.
    """
    frame = rows_of("enough").with_columns(pl.mean_horizontal(EVERYWHERE).alias("las"))
    found = gifts().group_by("treebank", "feature").agg(pl.col("gift").mean())
    wide = found.pivot("feature", index="treebank", values="gift").select("treebank", *FEATURES)
    model = regress(frame, "las", GIVEN, log=LOG).leave_one_out()
    predicted = dict(zip(model.labels, model.predicted.tolist(), strict=True))
    frame = frame.join(wide, on="treebank", how="left", maintain_order="left")
    median = float(np.median(frame["las"].to_numpy()))
    rows = []
    for row in frame.iter_rows(named=True):
        reasons = [meaning for name, meaning in FEATURES.items()
                   if row["las"] > median >= row["las"] - row[name] and row[name] >= 1]  # fmt: skip
        kept: dict[str, Any] = {"treebank": row["treebank"], "las": row["las"], "median": median}
        kept |= {"surplus": row["las"] - predicted[row["treebank"]]}
        kept |= {name: row[name] for name in FEATURES}
        kept |= {"leaked": row["leaked"], "oov": 100 * row["oov"]}
        kept |= {"mean_test_length": row["mean_test_length"]}
        kept |= {"tree_overlap": 100 * row["tree_overlap"], "wrong": "; ".join(reasons)}
        rows.append(kept)
    return pl.DataFrame(rows).sort("las", descending=True)
