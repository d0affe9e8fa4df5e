"""Fragility, Experiment 1 beyond eight subsets: all subsets of the 47 treebanks with scores.

The paper compares three parsers on eight named subsets. With their scores on 47 treebanks every
subset of a size can be counted, and what the paper says of hard and easy subsets can be asked of
treebanks.
"""

from functools import cache

import numpy as np
import polars as pl

from studies.fragility.table1 import METRICS, PAIRS, TENTH, members, row_of, scores_at_hand
from studies.printed import fragility_table1
from treegauge import data
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability.exact_win_rates import exact_ranks
from treegauge.ranking.stability.named_subsets import mean_error_reduction
from treegauge.statistics.correlation import correlate
from treegauge.statistics.hierarchy import hierarchy
from treegauge.statistics.student_intervals import StudentEstimate
from treegauge.statistics.table_joins import load_tables

SIZES = (5, 10, 20)


def by_treebank(metric: str) -> pl.DataFrame:
    """Return one row per treebank: mean score of the three parsers, three error reductions."""
    scores = scores_at_hand(metric)
    rows = []
    for code, values in zip(scores.treebanks, scores.values.T, strict=True):
        at = {name: values[[i]] for i, name in enumerate(scores.systems)}
        reduced = {f"E({a}, {b})": mean_error_reduction(at[a], at[b]) for a, b in PAIRS}
        rows.append({"treebank": code, "mean score": float(values.mean()), **reduced})
    return pl.DataFrame(rows)


def reduced(metric: str) -> Leaderboard:
    """Return a pseudo-table of errors removed: above 0 means that gb-DM17 is ahead of tb-FG19."""
    gain = pl.col("E(tb-FG19, gb-DM17)").round(2)
    frame = by_treebank(metric).select("treebank", gain.alias("gb-DM17"))
    return read_leaderboard(frame.with_columns(pl.lit(0.0).alias("tb-FG19")), metric=metric)


@cache
def all_subsets() -> pl.DataFrame:
    """Return in what share of all subsets of 47 treebanks one parser is ahead of another."""
    rows = []
    for metric in METRICS:
        tables = {"average": scores_at_hand(metric), "mean error reduction": reduced(metric)}
        for by, scores in tables.items():
            counted = exact_ranks(scores, size=SIZES)
            for other, system in PAIRS:
                if by != "average" and other != "tb-FG19":
                    continue  # only these two are close
                for size in SIZES:
                    won, tied, lost = counted.count(system, other, size)
                    total = counted.subsets(size)
                    rows.append(
                        {
                            "metric": metric,
                            "by": by,
                            "pair": f"{system} > {other}",
                            "size": size,
                            "subsets": total,
                            "ahead": won / total,
                            "equal": tied / total,
                            "behind": lost / total,
                        }
                    )
    return pl.DataFrame(rows)


@cache
def difficulty() -> pl.DataFrame:
    """Return how error reductions go with how easy a treebank is, with genera as clusters.

    A treebank is easy by the mean of the three parsers' scores, which is part of the reductions,
    too, or by the median of the systems of CoNLL 2018, which is not.
    """
    rows = []
    for metric in METRICS:
        own = by_treebank(metric)
        task = data.conll18(metric).group_by("treebank").agg(pl.col("score").median())
        ease = {
            "the three parsers": own,
            "CoNLL 2018": own.drop("mean score").join(
                task.rename({"score": "mean score"}), on="treebank", maintain_order="left"
            ),
        }
        for by, frame in ease.items():
            found = correlate(frame, "mean score", [f"E({a}, {b})" for a, b in PAIRS], resamples=0)
            rows += [
                {
                    "metric": metric,
                    "easy by": by,
                    "treebanks": frame.height,
                    "error reduction": row.variable,
                    "spearman": row.inference.r,
                    "low": row.inference.low,
                    "high": row.inference.high,
                    "p": row.inference.p_value,
                }
                for row in found.rows
            ]
    return pl.DataFrame(rows)


@cache
def ahead(metric: str) -> StudentEstimate:
    """Return by how much gb-DM17 is ahead of tb-FG19 on other treebanks, genera as groups."""
    scores = scores_at_hand(metric)
    one, two = (scores.values[scores.system(parser)] for parser in ("gb-DM17", "tb-FG19"))
    genera = load_tables(by_treebank(metric)).kinds("genus")
    return hierarchy(one - two, genera).alike


@cache
def named(metric: str) -> pl.DataFrame:
    """Return Table 1's rows from the scores at hand, Easy with its tenth member."""
    scores = scores_at_hand(metric)
    rows = []
    for subset in fragility_table1()["subset"]:
        codes = members(subset, scores) + ([TENTH] if subset == "Easy" else [])
        row = row_of(scores, codes)
        mean = float(np.mean([row[name] for name in scores.systems]))
        rows.append({"subset": subset, "treebanks": len(codes), "mean score": mean, **row})
    return pl.DataFrame(rows)


def redone() -> pl.DataFrame:
    """Return Table 1 from the available scores: both metrics, Easy with ten members."""
    return pl.concat([named(metric).select(pl.lit(metric).alias("metric"), pl.all()) for metric in METRICS])


def chosen_as_easy() -> pl.DataFrame:
    """Return the treebanks with the highest LAS of any system of the task, one a language."""
    ticked = data.named_subsets()["Easy"]
    best = data.conll18("las").group_by("treebank").agg(pl.col("score").max().alias("best LAS"))
    known = data.conll18_treebanks().select("treebank", "language")
    ordered = best.join(known, on="treebank").sort("best LAS", "treebank", descending=[True, False])
    first = ordered.unique("language", keep="first", maintain_order=True).head(12)
    place = pl.int_range(1, pl.len() + 1).alias("place")
    in_table = pl.when(pl.col("treebank").is_in(ticked)).then(pl.lit("yes")).otherwise(pl.lit("no"))
    return first.select(place, "treebank", "language", "best LAS", in_table.alias("ticked in Table 10"))
