"""Description length and usable information of the Difficulty paper, by the choices behind them."""

import numpy as np
import polars as pl
from scipy.stats import spearmanr

from replications.difficulty_cells import MEASURES, published, seeds, seeds_by_words
from replications.parts import read_result

LAYERS = {"arc": "arcs", "rel": "relations"}


def mdl() -> pl.DataFrame:
    """Return how near bits per word come to both printed columns, by what is summed and trained.

    Pearson's coefficient and mean absolute differences over treebanks.
    """
    means = read_result("difficulty_codes").group_by("treebank", "training", "epoch").agg(
        pl.col("arc", "rel", "joint").mean()
    ).sort("training", "epoch", "treebank")  # fmt: skip
    paper = published().select("treebank", "arc_mdl", "rel_mdl")
    rows = []
    for (training, epoch), own in means.group_by("training", "epoch", maintain_order=True):
        both = own.join(paper, on="treebank")
        for of in ("arc", "rel", "joint"):
            gaps = [(both[of] - both[f"{layer}_mdl"]).abs().mean() for layer in LAYERS]
            fits = [pl.select(pl.corr(both[of], both[f"{layer}_mdl"])).item() for layer in LAYERS]
            rows.append((training, epoch, of, both[of].mean(), *fits, *gaps))
    names = ["training", "epoch", "of", "bits per word", "r with arcs", "r with relations",
             "off arcs", "off relations"]  # fmt: skip
    return pl.DataFrame(rows, schema=names, orient="row")


def shown_mdl(frame: pl.DataFrame) -> pl.DataFrame:
    """Return every tenth epoch."""
    return frame.filter(pl.col("epoch") % 10 == 0)


def mdl_columns() -> pl.DataFrame:
    """Return how alike the columns of arcs and relations are, printed and ours."""
    paper = published()
    rows = [("printed", *_alike(paper["arc_mdl"], paper["rel_mdl"]))]
    means = read_result("difficulty_codes").group_by("treebank", "training", "epoch").agg(
        pl.col("arc", "rel").mean()
    ).sort("treebank")  # fmt: skip
    for training in ("prefix", "block"):
        own = means.filter(pl.col("epoch") == pl.col("epoch").max(), training=training)
        rows.append((f"ours, {training}", *_alike(own["arc"], own["rel"])))
    names = ["whose", "r of the two columns", "mean absolute difference"]
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
            both = own.join(paper.select("treebank", f"{layer}_vinfo"), on="treebank",
                            suffix="_paper").drop_nulls(f"{layer}_vinfo_paper")  # fmt: skip
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


def batches() -> pl.DataFrame:
    """Return whether differences from the paper go with the words in a batch of 32 sentences.

    ``zero`` is the number of words at which a line through the differences over log words crosses
    zero; ``off`` are mean absolute differences, in batches of 32 sentences and of 480 words.
    """
    sizes = read_result("content_treebanks").select(
        "treebank", (pl.col("train_words") / (pl.col("train_sentences") / 32).ceil()).alias("size")
    )
    frames = [
        frame.group_by("treebank").agg(pl.exclude("seed").mean())
        for frame in (seeds(), seeds_by_words())
    ]
    rows = []
    for name in (one for one in MEASURES if not one.endswith("mdl")):
        gaps = [
            published().select("treebank", pl.col(name).alias("paper")).drop_nulls()
            .join(frame.select("treebank", name), on="treebank").join(sizes, on="treebank")
            .select("size", gap=pl.col(name) - pl.col("paper"))
            for frame in frames
        ]  # fmt: skip
        words, gap = (gaps[0][column].to_numpy() for column in ("size", "gap"))
        slope, start = np.polyfit(np.log(words), gap, 1)
        rhos = [float(spearmanr(one["size"], one["gap"]).statistic) for one in gaps]
        offs = [float(np.abs(one["gap"].to_numpy()).mean()) for one in gaps]
        rows.append((name, len(gap), rhos[0], float(np.exp(-start / slope)), offs[0], offs[1],
                     rhos[1]))  # fmt: skip
    names = ["measure", "treebanks", "rho with words per batch", "zero", "off, 32 sentences",
             "off, 480 words", "rho that is left"]  # fmt: skip
    return pl.DataFrame(rows, schema=names, orient="row")
