"""Data of the EDV study: published scores, and distances of the available treebanks."""

from functools import cache
from statistics import fmean, stdev

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.stats import shapiro

from studies.parts import compared, read_result
from studies.treebanks import release_folder, treebank_folders
from studies.verdicts import SHOWN, UNKNOWN, Why
from treegauge.data import ud25
from treegauge.measures.displacement import edv_masses, slv_masses
from treegauge.measures.measure import measure
from treegauge.statistics.correlation_coefficients import Inference, coefficients
from treegauge.treebanks.data.conllu import read_splits

RELEASE = "r2.5"
MARGIN = 0.1
"""Coefficients that differ by less say the same: the margin of equivalence tests."""
# The distance by its definition, and what the printed values most likely are: masses compared over
# the displacements seen, or over all bins of the axis.
VARIANTS = {"edv": "distance", "edv_masses": "masses", "edv_masses_axis": "masses, all bins"}
SLV_VARIANTS = {"slv": "distance", "slv_masses": "masses", "slv_masses_axis": "masses, all bins"}
DISTANCES = (*VARIANTS, *SLV_VARIANTS)
OF_TRAIN = ("ttr", "crossings", "mean_crossings", "mc_published", "beyond_30")
SIZES = ("train_words", "train_sentences", "mean_train_length", "test_words", "test_sentences", "mean_test_length")
# Scores at hand have one decimal; the authors' had more.
ROUNDING, DRAWS = 0.05, 1000
Floats = npt.NDArray[np.float64]


def treebanks() -> pl.DataFrame:
    """Measure the treebanks of UD 2.5 at hand; scores of UDPipe 1.2 where there are any."""
    own = [name for name in DISTANCES if not name.endswith("_axis")]
    found = measure([*own, *OF_TRAIN], *treebank_folders(RELEASE)).wide
    axis = pl.DataFrame([_over_all_bins(name) for name in found["treebank"]])
    found = found.join(axis, on="treebank").with_columns(pl.col("treebank").str.strip_prefix("UD_"))
    found = found.join(ud25().select("treebank", "las"), on="treebank", how="left")
    return found.select("treebank", *DISTANCES, *OF_TRAIN, "las").sort("treebank")


def _over_all_bins(name: str) -> dict[str, object]:
    sets = read_splits(release_folder(RELEASE) / name)
    train, test = sets["train"], sets["test"]
    return {
        "treebank": name,
        "edv_masses_axis": edv_masses(train, test, support="axis"),
        "slv_masses_axis": slv_masses(train, test, support="axis"),
    }


@cache
def scored() -> pl.DataFrame:
    """Return scores and sizes of all 94 treebanks, and distances of those that have files here."""
    distances = read_result("edv_treebanks").drop("las")
    return ud25().join(distances, on="treebank", how="left", maintain_order="left")


@cache
def at_hand() -> pl.DataFrame:
    """Return the rows of :func:`scored` that have distances."""
    return scored().drop_nulls("edv")


def fewer(found: Inference, printed: str, other: Inference | None = None) -> Why:
    """Say that fewer treebanks explain a difference, if the interval of ours allows it.

    `other` is the same coefficient of the masses over all bins, for the binning is not known.
    """
    part = f"{at_hand().height} of the 94 treebanks"
    interval = f"95 % interval of ours, from {part}: {found.low:.2f} to {found.high:.2f}"
    if not allows(found, printed):
        bins = other is not None and allows(other, printed)
        tried = f"over all bins {other.r:.3f}, " if bins and other is not None else ""
        interval = f"{tried}outside the {interval}; these are small treebanks, not a random sample"
    return Why(interval, least=found.low, most=found.high, margin=MARGIN)


def allows(found: Inference, printed: str) -> bool:
    """Return whether the interval of a coefficient has the printed value."""
    if found.low is None or found.high is None:
        return False
    return found.low <= float(printed) <= found.high


def resampled(draws: Floats, printed: str, digits: int = 2) -> Why:
    """Say that fewer treebanks explain a difference, if a bootstrap over ours allows it."""
    low, high = np.quantile(draws, (0.025, 0.975))
    found = Inference(r=float(np.median(draws)), low=float(low), high=float(high))
    part = f"from {at_hand().height} of the 94 treebanks"
    interval = f"95 % interval of ours (bootstrap), {part}: {low:.{digits}f} to {high:.{digits}f}"
    if not allows(found, printed):
        interval = f"outside the {interval}; these are small treebanks, not a random sample"
    return Why(interval, least=float(low), most=float(high), margin=10.0 if digits == 1 else MARGIN)


@cache
def changes_of_w(number: int) -> dict[str, tuple[float, float]]:
    """Return how far W of LAS and training words moves in so many of the treebanks of UD 2.5 (95 %)."""
    rng = np.random.default_rng(0)
    found = {}
    for variable in ("las", "train_words"):
        values = scored()[variable].to_numpy().astype(np.float64)
        whole = shapiro(values).statistic
        moved = [shapiro(rng.choice(values, number, replace=False)).statistic - whole for _ in range(DRAWS)]
        low, high = np.quantile(moved, (0.025, 0.975))
        found[variable] = (float(low), float(high))
    return found


def fewer_for_w(ours: float, printed: str, other: float | None = None) -> Why:
    """Return why W of fewer treebanks differs, and whether samples of 94 differ as much.

    `other` is W of the masses over all bins, for the binning is not known.
    """
    ends = changes_of_w(at_hand().height)
    las, words = (f"{low:.2f} to {high:.2f}" for low, high in ends.values())
    reason = f"random {at_hand().height} of the 94 treebanks change W of LAS by {las}, W of training words by {words}"
    lowest = min(low for low, _ in ends.values())
    highest = max(high for _, high in ends.values())
    if other is not None and not lowest <= ours - float(printed) <= highest:
        reason = f"over all bins {other:.3f}; {reason}"
    return Why(reason, least=ours - highest, most=ours - lowest, margin=MARGIN / 2)


def unrounded(variable: str, printed: str) -> Why:
    """Return the range that scores with more decimals could give, and if the print is in it."""
    frame = scored()
    las, other = (frame[name].to_numpy().astype(np.float64) for name in ("las", variable))
    noise = np.random.default_rng(0).uniform(-ROUNDING, ROUNDING, (DRAWS, len(las)))
    columns = np.stack([las + noise, np.broadcast_to(other, noise.shape)], axis=-1)
    found = coefficients(columns)[:, 0, 1]
    reason = f"LAS is known to one decimal; more could give {found.min():.3f} to {found.max():.3f}"
    inside = found.min() <= float(printed) <= found.max()
    return Why(reason, state=SHOWN if inside else UNKNOWN)


def values() -> pl.DataFrame:
    """Set means of EDV next to the printed ones, in thousandths, and the reach of -30 to 30."""
    frame = read_result("edv_treebanks")
    with_scores = frame.drop_nulls("las")
    rows: list[dict[str, object]] = []
    why = {
        "distance": "the printed values are not of the distance: the masses have their magnitude",
        "masses": None,
        "masses, all bins": "empty bins make means smaller; see edv_supports for other bins",
    }
    for column, variant in VARIANTS.items():
        numbers = (1000 * with_scores[column]).to_list()
        marathi = 1000 * with_scores.filter(treebank="Marathi-UFAL")[column].item()
        largest = with_scores.sort(column, descending=True)["treebank"][0]
        place = "largest" if largest == "Marathi-UFAL" else f"largest there; ours: {largest}"
        cells = (("mean EDV × 1000", "1.35", fmean(numbers)),
                 ("its sd over treebanks", "0.87", stdev(numbers)),
                 (f"Marathi-UFAL × 1000, the {place}", "5", marathi))  # fmt: skip
        drawn = np.random.default_rng(0).choice(numbers, (DRAWS, len(numbers)))
        spread = (drawn.mean(axis=1), drawn.std(axis=1, ddof=1), drawn.max(axis=1))
        rows += [
            {"value": value, "variant": variant, "printed": printed, "ours": ours,
             "why": why[variant] or resampled(own, printed)}
            for (value, printed, ours), own in zip(cells, spread, strict=True)
        ]  # fmt: skip
    inside = 100 * (1 - frame["beyond_30"])
    rows.append(
        {"value": "% of arcs within -30 to 30, mean over treebanks", "variant": None,
         "printed": "99.40", "ours": fmean(inside.to_list()),
         "why": f"training sets of {frame.height} treebanks; there all of UD 2.5"}
    )  # fmt: skip
    return compared(rows)
