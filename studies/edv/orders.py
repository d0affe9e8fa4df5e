"""The effect of the order of training sentences on LAS, from the rows of ``edv_curriculum``."""

from statistics import fmean, stdev

import polars as pl
from scipy import stats

from studies.parts import read_result

RANDOM = "random"


def orders() -> pl.DataFrame:
    """Return LAS of each order, and its difference from random orders with an interval.

    Seeds with all orders count. A treebank counts once, by the mean over its seeds; the interval is
    Student's over treebanks.
    """
    runs = read_result("edv_curriculum_runs")
    runs = runs.filter(pl.len().over("treebank", "seed") == runs["order"].n_unique())
    means = runs.group_by("order", "treebank", maintain_order=True).agg(
        pl.len().alias("seeds"), pl.col("las").mean(), pl.col("las").std().alias("sd")
    )
    random = means.filter(order=RANDOM).select("treebank", random="las")
    rows: list[dict[str, object]] = []
    for (order,), frame in means.group_by("order", maintain_order=True):
        joined = frame.join(random, on="treebank", maintain_order="left")
        gaps = (joined["las"] - joined["random"]).to_list()
        row = {"order": order, "treebanks": frame.height,
               "seeds": frame["seeds"].min(), "LAS": fmean(frame["las"]),
               "sd over seeds": frame["sd"].mean()}  # fmt: skip
        if order != RANDOM:
            reach = float(stats.t.ppf(0.975, len(gaps) - 1)) * stdev(gaps) / len(gaps) ** 0.5
            row |= {"LAS less random": fmean(gaps), "low": fmean(gaps) - reach,
                    "high": fmean(gaps) + reach,
                    "below random": sum(gap < 0 for gap in gaps)}  # fmt: skip
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)
