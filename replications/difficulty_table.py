"""The Difficulty paper's Table 1 by our parsers, beside the published values and each other.

    python -m replications.difficulty_table OUT/difficulty.json [--second OTHER.json...]
        [--cpu CPU.csv]

reads what ``replications.difficulty_gpu`` wrote, writes ``replications/results/difficulty_gpu.csv``
(one row a treebank and measure: ours, the paper's, the difference) and prints how well they agree.
With ``--second``, the same of another parser (``difficulty_gpu_second.csv``), which is compared
with both; with ``--cpu``, of the log-linear one, from what ``replications.difficulty_cpu --out
CPU.csv`` wrote (``difficulty_cpu.csv``).

UAS and LAS count all words, punctuation too, each word with its best head; ``uas_words`` and
``las_words`` leave out words with UPOS PUNCT and are set against the same published columns.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import spearmanr

from treegauge import data
from treegauge.dynamics.absolute_rank import LARGER_IS_EASIER, absolute_rank
from treegauge.files import atomic
from treegauge.tables import to_text

RESULTS = Path(__file__).parent / "results"
MEASURES = {name: name for name in LARGER_IS_EASIER} | {"uas_words": "uas", "las_words": "las"}
"""Our columns, and the published ones that they are set against."""


def beside(ours: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Return one row a treebank and measure: both values and their difference."""
    rows = []
    theirs = {row["treebank"]: row for row in published.iter_rows(named=True)}
    for row in ours.iter_rows(named=True):
        for name, other in MEASURES.items():
            if row.get(name) is None:
                continue
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
    for name in table["measure"].unique(maintain_order=True):
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


def correlations_alike(one: pl.DataFrame, other: pl.DataFrame) -> tuple[float, float]:
    """Return how much the measures' correlations with each other differ: mean and largest."""
    names = [name for name in LARGER_IS_EASIER if name in one.columns and name in other.columns]
    both = [
        np.atleast_2d(spearmanr(table.sort("treebank").select(names).to_numpy()).statistic)
        for table in (one, other)
    ]
    gaps = np.abs(both[0] - both[1])[np.triu_indices(len(names), 1)]
    return float(gaps.mean()), float(gaps.max())


def read_runs(paths: Sequence[Path]) -> pl.DataFrame:
    """Return one row a treebank of what ``replications.difficulty_gpu`` wrote."""
    rows = [row for path in paths for row in json.loads(path.read_text())]
    names = ("treebank", *MEASURES, "pair_seconds", "coding_seconds")
    return pl.DataFrame([{key: row[key] for key in names if key in row} for row in rows])


def kept(name: str, ours: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Write a table beside the published values under a name, and return it."""
    table = beside(ours, published)
    with atomic(RESULTS / f"{name}.csv") as file:
        table.write_csv(file)
    return table


def compare(title: str, one: pl.DataFrame, others: dict[str, pl.DataFrame]) -> None:
    """Print how alike a parser and others rank treebanks."""
    for name, other in others.items():
        print(f"{title} and {name}, ranks of treebanks:")
        print(to_text(ranks_alike(one, other), digits=3))
        if not any(other[own].is_null().any() for own in LARGER_IS_EASIER if own in other.columns):
            mean, largest = correlations_alike(one, other)
            print(f"their measures' correlations differ by {mean:.2f}, at most {largest:.2f}")


def main() -> None:
    """Write the tables and print how well they agree."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("found", type=Path, help="difficulty.json")
    reader.add_argument("--second", type=Path, nargs="+", help="the same of another parser")
    reader.add_argument("--cpu", type=Path, help="table of the log-linear parser")
    given = reader.parse_args()
    ours = read_runs([given.found])
    published = data.difficulty_table1()
    published = published.select(
        "treebank", *(pl.col(name).cast(pl.Float64, strict=False) for name in LARGER_IS_EASIER)
    ).filter(pl.col("treebank").is_in(ours["treebank"].to_list()))
    print(to_text(agreement(kept("difficulty_gpu", ours, published)), digits=3))
    print(to_text(ranks_alike(ours, published), digits=3))
    seconds = sum(ours[one].to_numpy().sum() for one in ("pair_seconds", "coding_seconds"))
    print(f"{len(ours)} treebanks, {seconds:.0f} s")
    both = {"the biaffine parser": ours, "the published values": published}
    if given.second:
        second = read_runs(given.second)
        print(to_text(agreement(kept("difficulty_gpu_second", second, published)), digits=3))
        compare("the second parser", second, both)
    if given.cpu:
        linear = pl.read_csv(given.cpu)
        spent = linear["seconds"].sum()
        known = linear.drop([one for one in LARGER_IS_EASIER if linear[one].is_null().all()])
        kept("difficulty_cpu", known, published)
        print(f"log-linear parser, {spent:.0f} s of one CPU core")
        compare("the log-linear parser", known, both)
        sizes = known.select("treebank", "sentences")
        for who, table in (("biaffine", ours), ("log-linear", known)):
            joined = table.select("treebank", "arc_var", "rel_var").join(sizes, on="treebank")
            found = [spearmanr(joined[one], joined["sentences"]).statistic
                     for one in ("arc_var", "rel_var")]  # fmt: skip
            print(f"{who}: VAR and the number of train sentences: {found[0]:.2f} {found[1]:.2f}")


if __name__ == "__main__":
    main()
