"""Difficulty of 16 treebanks by the log-linear parser on a CPU, against the published values.

Run ``python -m studies.difficulty.cpu``; name treebanks such as ``Telugu-MTG`` to do only
these. ``--epochs 6``, ``--orders 5`` (0: no description length), ``--no-tags`` (the parser does
not see UPOS), ``--store FOLDER`` (resume an interrupted run), ``--out FILE.csv`` (keep the table,
for ``studies.difficulty.table --cpu``) and ``--option name=value`` (options of the parser)
change what is done. The treebanks are looked for under ``TREEGAUGE_UD``. With ``--option
batch=32`` and ``--epochs 10`` the parser learns as slowly as neural ones do, and words vary alike;
description length needs steps from few sentences, and so learning word by word.

The published values are of a biaffine parser without tags. A linear model cannot make up for them:
with gold tags it is nearer to that parser. UAS and LAS are of parsed trees. Scales differ, so what
counts is Spearman's coefficient.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import spearmanr

from studies.treebanks import release_folder
from treegauge import data
from treegauge.core.files import atomic
from treegauge.core.tables import to_text
from treegauge.learning.difficulty import LARGER_IS_EASIER, absolute_rank, difficulty
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits


def untagged(treebank: Treebank) -> Treebank:
    """Return a treebank whose words have no tags, only forms."""
    return treebank.with_columns({"upos": ["_"] * treebank.n_words})


def treebank(name: str, tags: bool) -> Path | dict[str, Treebank]:
    """Return a treebank as it is, or without tags."""
    folder = release_folder("r2.9") / name
    if tags:
        return folder
    return {split: untagged(one) for split, one in read_splits(folder).items() if split != "test"}


def main() -> None:
    """Measure, print the table, and compare it with the published one."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("treebanks", nargs="*")
    reader.add_argument("--epochs", type=int, default=6)
    reader.add_argument("--orders", type=int, default=5)
    reader.add_argument("--no-tags", dest="tags", action="store_false")
    reader.add_argument("--store", type=Path)
    reader.add_argument("--out", type=Path)
    reader.add_argument("--option", dest="options", action="append", default=[])
    given = reader.parse_args()
    published = data.difficulty_table1()
    names = [f"UD_{name.removeprefix('UD_')}" for name in given.treebanks]
    names = names or published["treebank"].to_list()
    tables, seconds = [], []
    for name in names:
        start = time.process_time()
        one = difficulty(
            treebank(name, given.tags), orders=given.orders, epochs=given.epochs,
            option=given.options, store=given.store, convention="difficulty",
        )  # fmt: skip
        scores = {f"{score}[difficulty]": score for score in ("uas", "las")}
        tables.append(one.table.rename(scores).with_columns(treebank=pl.lit(name)))
        seconds.append(time.process_time() - start)
        print(f"{name}: {seconds[-1]:.1f} s\n{one.signature}", file=sys.stderr, flush=True)
    table = pl.concat(tables)
    print(to_text(table, digits=3))
    print(f"CPU seconds: {sum(seconds):.0f}")
    if given.out:
        with atomic(given.out) as file:
            table.with_columns(pl.Series("seconds", seconds).round(1)).write_csv(file)
    if len(names) < 3:
        return
    theirs = published.filter(published["treebank"].is_in(names))
    order = {name: i for i, name in enumerate(names)}
    theirs = theirs.sort(theirs["treebank"].replace_strict(order))
    print("Spearman's coefficient with the published values:")
    for measure in LARGER_IS_EASIER:
        pair = np.column_stack([one.cast(float).to_numpy() for one in (table[measure], theirs[measure])])
        pair = pair[np.isfinite(pair).all(axis=1)]
        if len(pair) > 2:
            rho = spearmanr(pair[:, 0], pair[:, 1]).statistic
            print(f"  {measure:10} {rho:6.3f}  ({len(pair)} treebanks)")
    ranks = [absolute_rank(one).table.sort("treebank")["rank"] for one in (table, theirs)]
    print(f"  {'rank':10} {spearmanr(*ranks).statistic:6.3f}  ({len(names)} treebanks)")


if __name__ == "__main__":
    main()
