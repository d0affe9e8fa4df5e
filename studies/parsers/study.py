"""Scores and times of our neural parsers, stored from runs on other machines."""

import polars as pl

from studies.parsers import other_parsers, predicted_tags
from studies.parts import Part, kept


def by_subset(frame: pl.DataFrame) -> pl.DataFrame:
    """Return LAS of each parser by subset and tags, the paper's in brackets."""
    las = frame.filter(pl.col("measure").str.starts_with("las_"))
    paper = pl.when(pl.col("paper").is_null()).then(pl.lit("")).otherwise(pl.format(" ({})", "paper"))
    cells = las.with_columns(pl.col("measure").str.strip_prefix("las_"), pl.format("{}{}", "ours", paper).alias("text"))
    return cells.pivot("measure", index=["subset", "tags", "treebanks"], values="text")


PARTS = (
    kept("paradigms", "Graph, pointer and labelling parsers on five treebanks",
         "GPU: studies/parsers/paradigms.py train, then python -m studies.parsers.paradigms table; "
         "three to six seeds, about 10 min on one H200"),
    kept("experiment1", "Fragility's Experiment 1 with our parsers, by treebank",
         "GPU: python -m studies.fragility.experiment1 tag, encode, train and table; 47 min of "
         "processor time for taggers, three seeds, 12 min on one H200"),
    kept("experiment1_subsets", "Fragility's Experiment 1 with our parsers, by subset",
         "GPU: python -m studies.fragility.experiment1 table, from the runs of experiment1; three "
         "seeds, 12 min",
         shown=by_subset),
    kept("supar_cpu", "Our biaffine parser and SuPar's on one core",
         "long: python -m studies.parsers.supar_cpu; two seeds, about 15 min of one core"),
    Part("other_parsers", "spaCy, Stanza and our parsers from scratch on a small treebank",
         other_parsers.make, needs=("r2.9",),
         apart="long: python -m studies other_parsers; seed 0, about 6 min of one core"),
    *predicted_tags.PARTS,
)  # fmt: skip
