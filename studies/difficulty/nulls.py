"""Nulls without a network: how many bits heads cost on dev if less, or nothing, is known.

The null of V-information is a parser whose words are all ``_``. It still knows how long a sentence is
and where in it a word stands. Here heads are coded by their displacement alone, by counts of the
training set: with the sentence's ends (displacements that leave it are impossible), or without them.
"""

import numpy as np
import numpy.typing as npt
import polars as pl

from studies.difficulty.cells import published
from studies.parts import read_result
from studies.treebanks import release_folder
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits

FAR = 200
"""Displacements that are told apart on either side."""
PRIOR = 0.1
"""What is added to every count."""


def displacement_bits(train: Treebank, dev: Treebank, *, ends: bool) -> float:
    """Return mean bits per dev word of its head, coded by displacement, the root as one more."""
    counts = np.full(2 * FAR + 2, PRIOR)
    np.add.at(counts, displacements(train), 1)
    shares = counts / counts.sum()
    bits = -np.log2(shares[displacements(dev)])
    if ends:
        sums = np.concatenate([[0.0], np.cumsum(shares[:-1])])
        lengths = np.repeat(dev.lengths, dev.lengths)
        places = np.arange(dev.n_words) - np.repeat(dev.offsets[:-1], dev.lengths)
        first, last = np.maximum(FAR - places, 0), np.minimum(FAR + lengths - 1 - places, 2 * FAR)
        bits += np.log2(sums[last + 1] - sums[first] - shares[FAR] + shares[-1])
    return float(bits.mean())


def displacements(treebank: Treebank) -> npt.NDArray[np.int64]:
    """Return numbers of displacements: head less word plus `FAR`, and one more for roots."""
    places = np.arange(treebank.n_words) - np.repeat(treebank.offsets[:-1], treebank.lengths) + 1
    away = np.clip(treebank.head - places, -FAR, FAR) + FAR
    return np.where(treebank.head == 0, 2 * FAR + 1, away).astype(np.int64)


def table() -> pl.DataFrame:
    """Return V-INFO of arcs by null, means over treebanks: bits of the null less those of our parser."""
    seeds = read_result("difficulty_seeds").group_by("treebank").agg(pl.col("arc_null_entropy", "arc_entropy").mean())
    epochs = read_result("difficulty_epochs").select("treebank", "epoch", "arc_null_entropy")
    both = seeds.join(published().select("treebank", "arc_vinfo"), on="treebank").sort("treebank")
    nulls = {"words all _, 30 epochs": both["arc_null_entropy"].to_numpy()}
    for epoch in (10, 5):
        own = epochs.filter(epoch=epoch).sort("treebank")
        nulls[f"words all _, {epoch} epochs"] = own["arc_null_entropy"].to_numpy()
    sets = [read_splits(release_folder("r2.9") / name) for name in both["treebank"]]
    for ends, said in ((True, "displacements within the sentence"), (False, "displacements, ends unknown")):
        nulls[said] = np.array([displacement_bits(one["train"], one["dev"], ends=ends) for one in sets])
    rows = []
    for name, bits in nulls.items():
        gap = bits - both["arc_entropy"].to_numpy() - both["arc_vinfo"].to_numpy()
        rows.append((name, len(gap), bits.mean(), (bits - both["arc_entropy"].to_numpy()).mean(), gap.mean(),
                     np.abs(gap).mean()))  # fmt: skip
    names = ["null", "treebanks", "null entropy", "V-INFO", "less the paper's", "mean absolute"]
    return pl.DataFrame(rows, schema=names, orient="row")
