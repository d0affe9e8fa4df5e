"""Encodings of trees as labels: coverage on all treebanks, and parsing scores.

Coverage is of whole treebanks, all sets together. The other tables come from
``studies/parsers/label_runs.py``: the setting of the labelling parser was chosen on dev sets of three
treebanks, and then judged on Greek-GDT.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from studies.parts import Part, kept, read_result
from studies.treebanks import treebank_folders

if TYPE_CHECKING:
    from treegauge.parsing.label_encodings import Encoding
    from treegauge.treebanks.data.columns import Treebank

RELEASES = ("r2.5", "r2.9")
COVERAGE = "encodings_coverage"


def coverage() -> pl.DataFrame:
    """Return one row per treebank and encoding."""
    from treegauge.parsing.label_encodings import encodings
    from treegauge.treebanks.data.columns import concat
    from treegauge.treebanks.data.conllu import read_splits

    rows = []
    for release in RELEASES:
        for folder in treebank_folders(release):
            whole = concat(list(read_splits(folder).values()))
            rows += [
                {"release": release, "treebank": folder.name, **encoding_coverage(whole, encoding)}
                for encoding in encodings().values()
            ]
    return pl.DataFrame(rows)


def encoding_coverage(treebank: "Treebank", encoding: "Encoding") -> dict[str, Any]:
    """Encode trees as labels, decode them, and count the preserved trees and arcs."""
    from treegauge.parsing.label_encodings import is_root

    written = encoding.encode(treebank.head, treebank.offsets)
    read = encoding.reader([column.values for column in written], treebank.offsets)
    codes = np.stack([column.codes for column in written])
    wrong = np.flatnonzero(read(codes, is_root(treebank.codes("deprel"))).heads != treebank.head)
    sentences, words = len(treebank), treebank.n_words
    whole = sentences - len(np.unique(treebank.sentence_of[wrong]))
    return {
        "encoding": encoding.name, "sentences": sentences, "words": words,
        "trees": 100 * whole / sentences, "arcs": 100 * (words - len(wrong)) / words, "lost": len(wrong),
        "labels": "/".join(str(len(column.values)) for column in written),
    }  # fmt: skip


def by_encoding() -> pl.DataFrame:
    """Return one row per encoding: shares of all trees and arcs, the worst treebank, and labels."""
    table = read_result(COVERAGE).with_columns(
        pl.col("labels").cast(pl.String).str.split("/").list.eval(pl.element().cast(pl.Int64)).list.sum().alias("size"),
        (pl.col("trees") * pl.col("sentences") / 100).alias("whole"),
    )
    worst = pl.col("arcs").arg_min()
    return table.group_by("encoding", maintain_order=True).agg(
        pl.len().alias("treebanks"),
        (100 * pl.col("whole").sum() / pl.col("sentences").sum()).alias("trees"),
        (100 - 100 * pl.col("lost").sum() / pl.col("words").sum()).alias("arcs"),
        pl.col("arcs").min().alias("lowest arcs"),
        pl.when(pl.col("arcs").min() < 100).then(pl.col("treebank").get(worst).str.strip_prefix("UD_")).alias("of"),
        pl.col("size").median().cast(pl.Int64).alias("labels, median"),
        pl.col("size").max().alias("labels, most"),
    )


def chosen(frame: pl.DataFrame) -> pl.DataFrame:
    """Return mean scores on the dev sets by which the setting was chosen, best trees only."""
    of_all = pl.col("heads").is_null() | pl.col("heads").is_in(["geometric", "arithmetic"])
    means = (
        frame.filter((pl.col("trees") == "best") & of_all)
        .group_by("encoding", "heads", "relations", maintain_order=True)
        .agg(pl.col("uas").mean().alias("UAS"), pl.col("las").mean())
    )
    wide = means.pivot("relations", index=["encoding", "heads", "UAS"], values="las")
    return wide.rename({"heads": "mean of heads", "label": "LAS, relations as labels", "head": "LAS, at heads"}).sort(
        "LAS, at heads", descending=True
    )


def greek(frame: pl.DataFrame) -> pl.DataFrame:
    """Return scores on Greek-GDT; of joined encodings those of the geometric mean."""
    own = pl.col("heads").is_null() | (pl.col("heads") == "geometric")
    wide = frame.filter(own).pivot(
        "set", index=["encoding", "trees", "relations", "seeds"], values=["uas", "las", "las_sd"]
    )
    return wide.select(
        "encoding", "trees", "relations", "seeds", pl.col("las_dev").alias("dev LAS"),
        pl.col("uas_test").alias("test UAS"), pl.col("las_test").alias("test LAS"),
        pl.col("las_sd_test").alias("sd"),
    ).sort("test LAS", descending=True)  # fmt: skip


_GPU = "GPU: python -m studies.parsers.label_runs encode, train and table; "
PARTS = (
    Part(COVERAGE, "Coverage and labels of every encoding, by treebank", coverage, RELEASES,
         digits=3),
    Part("encodings", "Coverage and labels of every encoding", by_encoding, digits=3),
    kept("labelling_chosen", "The labelling parser's setting, chosen on three dev sets",
         f"{_GPU}6 min on one H200 that others used, too", shown=chosen),
    kept("labelling_greek", "The labelling parser by encoding, on Greek-GDT",
         f"{_GPU}10 min on one H200 that others used, too", shown=greek),
)  # fmt: skip
