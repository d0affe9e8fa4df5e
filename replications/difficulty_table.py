"""The Difficulty paper's Table 1 by our biaffine parser, beside the published values.

    python -m replications.difficulty_table OUT/difficulty.json [--cpu CPU.csv]

reads what ``replications.difficulty_gpu`` wrote, writes ``replications/results/difficulty_gpu.csv``
(one row a treebank and measure: ours, the paper's, the difference) and prints how well they agree.
With ``--cpu``, what ``replications.difficulty_cpu --out CPU.csv`` wrote is compared with both.

UAS and LAS count all words, punctuation too, each word with its best head; ``uas_words`` and
``las_words`` leave out words with UPOS PUNCT and are set against the same published columns.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import spearmanr

from treegauge import data
from treegauge.dynamics.absolute_rank import LARGER_IS_EASIER, absolute_rank
from treegauge.files import atomic
from treegauge.tables import to_text

OUT = Path(__file__).parent / "results" / "difficulty_gpu.csv"
MEASURES = {name: name for name in LARGER_IS_EASIER} | {"uas_words": "uas", "las_words": "las"}
"""Our columns, and the published ones that they are set against."""


def beside(ours: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Return one row a treebank and measure: both values and their difference."""
    rows = []
    theirs = {row["treebank"]: row for row in published.iter_rows(named=True)}
    for row in ours.iter_rows(named=True):
        for name, other in MEASURES.items():
            paper = theirs[row["treebank"]][other]
            gap = None if paper is None else round(row[name] - paper, 4)
            value = round(row[name], 4)
            rows.append((row["treebank"], name, value, paper, gap))
    return pl.DataFrame(
        rows, schema=["treebank", "measure", "ours", "paper", "difference"], orient="row"
    )


def agreement(table: pl.DataFrame) -> pl.DataFrame:
    """Return one row a measure: differences over treebanks, and Spearman's coefficient."""
    rows = []
    for name in MEASURES:
        known = table.filter((pl.col("measure") == name) & pl.col("paper").is_not_null())
        gaps = known["difference"].to_numpy()
        rho = spearmanr(known["ours"], known["paper"]).statistic
        rows.append((name, len(gaps), gaps.mean(), np.abs(gaps).mean(), np.abs(gaps).max(), rho))
    names = ["measure", "treebanks", "mean", "mean absolute", "largest", "spearman"]
    return pl.DataFrame(rows, schema=names, orient="row")


def ranks_alike(one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """Return Spearman's coefficient between two tables of the same treebanks, by measure."""
    one, other = (a.join(b.select("treebank"), on="treebank").sort("treebank")
                  for a, b in ((one, other), (other, one)))  # fmt: skip
    both = one.join(other, on="treebank", suffix="_other")
    rows = []
    for name in LARGER_IS_EASIER:
        if name in one.columns and name in other.columns:
            known = both.drop_nulls([name, f"{name}_other"])
            if len(known) > 2:
                rho = spearmanr(known[name], known[f"{name}_other"]).statistic
                rows.append((name, len(known), float(rho)))
    shared = [row[0] for row in rows]
    places = [absolute_rank(own, shared).table.sort("treebank")["rank"] for own in (one, other)]
    rows.append(("absolute rank", len(both), float(spearmanr(*places).statistic)))
    return pl.DataFrame(rows, schema=["measure", "treebanks", "spearman"], orient="row")


def main() -> None:
    """Write the table and print how well it agrees."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("found", type=Path, help="difficulty.json")
    reader.add_argument("--cpu", type=Path, help="table of the log-linear parser")
    given = reader.parse_args()
    rows = json.loads(given.found.read_text())
    ours = pl.DataFrame(
        [{key: row[key] for key in ("treebank", *MEASURES, "pair_seconds", "coding_seconds")}
         for row in rows]
    )  # fmt: skip
    published = data.difficulty_table1()
    published = published.select(
        "treebank", *(pl.col(name).cast(pl.Float64, strict=False) for name in LARGER_IS_EASIER)
    ).filter(pl.col("treebank").is_in(ours["treebank"].to_list()))
    table = beside(ours, published)
    with atomic(OUT) as file:
        table.write_csv(file)
    print(to_text(agreement(table), digits=3))
    print(to_text(ranks_alike(ours, published), digits=3))
    seconds = sum(row["pair_seconds"] + row["coding_seconds"] for row in rows)
    print(f"{len(ours)} treebanks, {seconds:.0f} s")
    if given.cpu:
        linear = pl.read_csv(given.cpu)
        spent = linear["seconds"].sum()
        known = linear.drop([one for one in LARGER_IS_EASIER if linear[one].is_null().all()])
        print(f"log-linear parser, {spent:.0f} s of one CPU core; with the biaffine parser:")
        print(to_text(ranks_alike(known, ours), digits=3))
        print("with the published values:")
        print(to_text(ranks_alike(known, published), digits=3))


if __name__ == "__main__":
    main()
