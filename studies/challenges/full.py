"""Simple, all and complex words by parsers of whole training sets: the last block of Table 2."""

import polars as pl

from studies.challenges.tables import FULL, by_side, counts
from studies.content.data import parsed
from studies.parts import Part


def scores() -> pl.DataFrame:
    """Return UAS of simple, all and complex words of every treebank with learning curves.

    Reads what the runs of ``studies/content/all_treebanks_*.toml`` kept.
    """
    treebanks = counts().select(parsers=["beam"]).treebanks
    return pl.DataFrame(
        {"treebank": one.treebank, "parser": one.parser,
         "train_sentences": len(one.parts["train"]),
         **by_side(one.treebank, one.gold, one.output.head)}
        for one in parsed()
        if one.treebank in treebanks
    )  # fmt: skip


FULL_PARTS = (
    Part(
        FULL,
        "UAS of simple and complex words, whole training sets",
        scores,
        needs=("r2.9",),
        apart="long: treegauge run studies/content/all_treebanks_beam.toml --store ../runs/all_treebanks/"
        f"beam, the same for mst and udpipe, then python -m studies {FULL}; 6 s after "
        "these runs",
        digits=1,
    ),
)
