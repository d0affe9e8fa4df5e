"""Description length and usable information of the Difficulty paper, by the choices behind them."""

import polars as pl

from studies.difficulty.cells import code_epoch, one_seed, published
from studies.parts import read_result

LAYERS = {"arc": "arcs", "rel": "relations"}


def mdl() -> pl.DataFrame:
    """Return the distance of bits per word from both printed columns, by variant.

    Pearson's coefficient and mean absolute differences over treebanks. The earlier run with all
    treebanks was trained on all blocks before, for 30 epochs.
    """
    keys = ["training", "epoch"]
    means = read_result("difficulty_codes").group_by("treebank", *keys).agg(pl.col("arc", "rel", "joint").mean())
    early = one_seed().select(
        "treebank", pl.lit("prefix, earlier run").alias("training"),
        pl.lit(30, pl.Int64).alias("epoch"), pl.col("arc_mdl").alias("arc"),
        pl.col("rel_mdl").alias("rel"), (pl.col("arc_mdl") + pl.col("rel_mdl")).alias("joint"),
    )  # fmt: skip
    paper = published().select("treebank", "arc_mdl", "rel_mdl")
    every = pl.concat([means, early]).sort("training", "epoch", "treebank")
    rows = []
    for (training, epoch), own in every.group_by(keys, maintain_order=True):
        both = own.join(paper, on="treebank")
        for of in ("arc", "rel", "joint"):
            offs = [(both[of] - both[f"{layer}_mdl"]).abs().mean() for layer in LAYERS]
            fits = [pl.select(pl.corr(both[of], both[f"{layer}_mdl"])).item() for layer in LAYERS]
            rows.append((training, epoch, of, both.height, both[of].mean(), *fits, *offs))
    chosen = means.filter(
        pl.struct("treebank", "epoch").map_elements(
            lambda row: row["epoch"] == code_epoch(row["treebank"]), return_dtype=pl.Boolean
        ), training="block",
    ).join(paper, on="treebank")  # fmt: skip
    offs = [(chosen["joint"] - chosen[f"{layer}_mdl"]).abs().mean() for layer in LAYERS]
    rows.append((
        "block, length chosen on the others", 0, "joint", chosen.height, chosen["joint"].mean(), None, None, *offs,
    ))  # fmt: skip
    names = ["training", "epoch", "of", "treebanks", "bits per word", "r with arcs",
             "r with relations", "off arcs", "off relations"]  # fmt: skip
    return pl.DataFrame(rows, schema=names, orient="row")


def shown_mdl(frame: pl.DataFrame) -> pl.DataFrame:
    """Return joint bits after 10, 15, 20 and 30 epochs, and by the length chosen on the others."""
    return frame.filter(pl.col("epoch").is_in([0, 10, 15, 20, 30]), of="joint")


def mdl_columns() -> pl.DataFrame:
    """Return how alike the columns of arcs and relations are, printed and ours."""
    paper = published()
    early = one_seed()
    rows = [
        ("printed", paper.height, *_alike(paper["arc_mdl"], paper["rel_mdl"])),
        ("ours, prefix, earlier run", early.height, *_alike(early["arc_mdl"], early["rel_mdl"])),
    ]
    means = read_result("difficulty_codes").group_by("treebank", "training", "epoch").agg(
        pl.col("arc", "rel").mean()
    ).sort("treebank")  # fmt: skip
    for training in ("prefix", "block"):
        own = means.filter(pl.col("epoch") == pl.col("epoch").max(), training=training)
        rows.append((f"ours, {training}", own.height, *_alike(own["arc"], own["rel"])))
    names = ["whose", "treebanks", "r of the two columns", "mean absolute difference"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _alike(one: pl.Series, other: pl.Series) -> tuple[float, float]:
    return pl.select(pl.corr(one, other)).item(), float((one - other).abs().mean())  # type: ignore[arg-type]


def vinfo() -> pl.DataFrame:
    """Return both entropies and usable information by epoch, means over treebanks and seeds.

    Each ``sd`` is the standard deviation over seeds, its root mean square over treebanks; the
    difference from the paper is over the treebanks with a printed value.
    """
    epochs, paper = read_result("difficulty_epochs"), published()
    rows = []
    for (epoch,), own in epochs.group_by("epoch", maintain_order=True):
        for layer, name in LAYERS.items():
            both = own.join(paper.select("treebank", f"{layer}_vinfo"), on="treebank", suffix="_paper").drop_nulls(
                f"{layer}_vinfo_paper"
            )
            gap = both[f"{layer}_vinfo"] - both[f"{layer}_vinfo_paper"]
            spreads = [
                float((both[f"{layer}_{kind}_sd"] ** 2).mean()) ** 0.5  # type: ignore[arg-type]
                for kind in ("null_entropy", "entropy", "vinfo")
            ]
            rows.append((
                name, epoch, both.height, both[f"{layer}_null_entropy"].mean(), spreads[0],
                both[f"{layer}_entropy"].mean(), spreads[1], both[f"{layer}_vinfo"].mean(),
                spreads[2], gap.mean(), gap.abs().mean(),
            ))  # fmt: skip
    names = ["of", "epoch", "treebanks", "null entropy", "null sd", "entropy", "entropy sd",
             "V-INFO", "V-INFO sd", "less the paper's", "mean absolute"]  # fmt: skip
    return pl.DataFrame(rows, schema=names, orient="row").sort("of", "epoch")
