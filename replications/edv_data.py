"""What the EDV study is made of: published scores beside distances of the treebanks at hand."""

from functools import cache
from statistics import fmean, stdev

import numpy as np
import polars as pl

from replications.parts import compared, read_result, release_folder
from treegauge.data import ud25
from treegauge.measures.measure import measure
from treegauge.statistics.coefficients import coefficients

RELEASE = "r2.5"
# The distance by its definition, and what the printed values most likely are.
VARIANTS = {"edv": "distance", "edv_masses": "masses"}
DISTANCES = (*VARIANTS, "slv")
SIZES = ("train_words", "train_sentences", "mean_train_length", "test_words", "test_sentences",
         "mean_test_length")  # fmt: skip
# Scores at hand have one decimal; the authors' had more.
ROUNDING, DRAWS = 0.05, 1000


def treebanks() -> pl.DataFrame:
    """Measure the treebanks of UD 2.5 at hand; scores of UDPipe 1.2 where there are any."""
    found = measure([*DISTANCES, "beyond_30"], str(release_folder(RELEASE))).wide
    found = found.with_columns(pl.col("treebank").str.strip_prefix("UD_"))
    return found.join(ud25().select("treebank", "las"), on="treebank", how="left").sort("treebank")


@cache
def scored() -> pl.DataFrame:
    """Return scores and sizes of all 94 treebanks, and distances of those that have files here."""
    distances = read_result("edv_treebanks").select("treebank", *DISTANCES)
    return ud25().join(distances, on="treebank", how="left", maintain_order="left")


@cache
def at_hand() -> pl.DataFrame:
    """Return the rows of :func:`scored` that have distances."""
    return scored().drop_nulls("edv")


def fewer(low: float | None, high: float | None, printed: str) -> str:
    """Say that fewer treebanks explain a difference, if the interval of ours allows it."""
    n = at_hand().height
    if low is None or high is None:
        return f"{n} of the 94 treebanks have files here"
    told = f"95 % interval of ours, from {n} of the 94 treebanks: {low:.2f} to {high:.2f}"
    if low <= float(printed) <= high:
        return told
    return f"unexplained: outside the {told}; these are small treebanks, not a random sample"


def unrounded(variable: str, printed: str) -> str:
    """Say what scores with more decimals could give, and whether that allows the printed value."""
    frame = scored()
    las, other = (frame[name].to_numpy().astype(np.float64) for name in ("las", variable))
    noise = np.random.default_rng(0).uniform(-ROUNDING, ROUNDING, (DRAWS, len(las)))
    columns = np.stack([las + noise, np.broadcast_to(other, noise.shape)], axis=-1)
    found = coefficients(columns)[:, 0, 1]
    told = f"LAS is known to one decimal; more could give {found.min():.3f} to {found.max():.3f}"
    inside = found.min() <= float(printed) <= found.max()
    return told if inside else f"unexplained: {told}"


def values() -> pl.DataFrame:
    """Set means of EDV beside the printed ones, in thousandths, and the reach of -30 to 30."""
    frame = read_result("edv_treebanks")
    with_scores = frame.drop_nulls("las")
    rows: list[dict[str, object]] = []
    other = "the printed values are not of the distance: the masses variant has their magnitude"
    part = f"{with_scores.height} of the 94 treebanks have files here"
    for column, variant in VARIANTS.items():
        numbers = (1000 * with_scores[column]).to_list()
        marathi = 1000 * with_scores.filter(treebank="Marathi-UFAL")[column].item()
        largest = with_scores.sort(column, descending=True)["treebank"][0]
        why = part if column == "edv_masses" else other
        told = "there" if largest == "Marathi-UFAL" else f"there; ours: {largest}"
        rows += [
            {"value": "mean EDV × 1000", "variant": variant, "printed": "1.35",
             "ours": fmean(numbers), "why": why},
            {"value": "its sd over treebanks", "variant": variant, "printed": "0.87",
             "ours": stdev(numbers), "why": why},
            {"value": f"Marathi-UFAL × 1000, the largest {told}", "variant": variant,
             "printed": "5", "ours": marathi, "why": why},
        ]  # fmt: skip
    inside = 100 * (1 - frame["beyond_30"])
    rows.append(
        {"value": "% of arcs within -30 to 30, mean over treebanks", "variant": None,
         "printed": "99.40", "ours": fmean(inside.to_list()),
         "why": f"train parts of {frame.height} treebanks; there all of UD 2.5"}
    )  # fmt: skip
    return compared(rows)
