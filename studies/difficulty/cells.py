"""Cells of the Difficulty paper compared with ours, one setting for all.

Ours are means over seeds of parsers in batches of about 480 words whose words compete as their own
heads, as in SuPar. Description length is that of arcs and relations together, each block coded by a
parser that learned from the block before, for the same number of epochs everywhere, in the same
batches.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.stats import t

from studies.parts import compared, read_result, tolerance
from studies.verdicts import OF_DATA, SHOWN, Why
from treegauge import data
from treegauge.learning.difficulty import LARGER_IS_EASIER

MEASURES = tuple(LARGER_IS_EASIER)
EPOCHS = 30
"""Those of the paper."""
TRIALS = 5
"""Shuffles that the paper averages description length over."""


@dataclass(frozen=True)
class Choice:
    """Values by seed or shuffle, and how many of them the paper averages.

    Examples
    --------
    >>> made = Choice(np.array([1.0, 2.0, 3.0]))
    >>> round(made.mean, 2), [round(end, 2) for end in made.interval]
    (2.0, [-2.97, 6.97])
    """

    values: npt.NDArray[np.float64]
    trials: int = 1

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return float(self.values.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """Where the mean of as many new runs as the paper made lies in 95 % of cases.

        Student's prediction interval.
        """
        n = len(self.values)
        reach = float(t.ppf(0.975, n - 1) * self.values.std(ddof=1) * np.sqrt(1 / self.trials + 1 / n))
        return self.mean - reach, self.mean + reach

    def holds(self, printed: str) -> bool:
        """Return whether a printed value lies in the interval, rounding apart."""
        low, high = self.interval
        return bool(low - tolerance(printed) <= float(printed) <= high + tolerance(printed))


def published() -> pl.DataFrame:
    """Return the paper's values of the available treebanks."""
    return data.difficulty_table1().sort("treebank")


@cache
def seeds() -> pl.DataFrame:
    """Return the biaffine parser's values by treebank and seed."""
    return read_result("difficulty_seeds")


@cache
def codes() -> pl.DataFrame:
    """Return bits per word by treebank, training, shuffle and epoch."""
    return read_result("difficulty_codes")


@cache
def one_seed() -> pl.DataFrame:
    """Return the values of an earlier run with one seed, of all treebanks."""
    frame = read_result("difficulty_gpu").pivot("measure", index="treebank", values="ours")
    return frame.sort("treebank")


@cache
def code_gaps() -> pl.DataFrame:
    """Return the mean distance of joint bits from both printed columns, by treebank and epoch."""
    means = codes().filter(training="block").group_by("treebank", "epoch").agg(pl.col("joint").mean())
    both = means.join(published().select("treebank", "arc_mdl", "rel_mdl"), on="treebank")
    off = pl.mean_horizontal((pl.col("joint") - pl.col(f"{layer}_mdl")).abs() for layer in ("arc", "rel"))
    return both.select("treebank", "epoch", off.alias("off"))


def code_epoch(without: str) -> int:
    """Return the training length whose joint bits lie closest to print on the other treebanks."""
    means = code_gaps().filter(pl.col("treebank") != without).group_by("epoch").agg(pl.col("off").mean())
    return int(means.sort("off", "epoch")["epoch"][0])


def values(treebank: str, measure: str, epochs: int = EPOCHS) -> Choice:
    """Return our values of a measure by seed, or of description length by shuffle."""
    if measure.endswith("mdl"):
        own = codes().filter(treebank=treebank, epoch=epochs, training="block")
        return Choice(own["joint"].to_numpy(), TRIALS)
    own = seeds().filter(treebank=treebank)
    layer, _, kind = measure.rpartition("_")
    if kind == "vinfo":
        return Choice((own[f"{layer}_null_entropy"] - own[f"{layer}_entropy"]).to_numpy())
    return Choice(own[measure].to_numpy())


def tried(treebank: str, measure: str) -> str:
    """Return what other choices give, which do not bring all cells of a measure closer."""
    layer, _, kind = measure.rpartition("_")
    if kind == "mdl":
        epoch = code_epoch(treebank)
        return (
            f"after {epoch} epochs, the length that fits the others best, {values(treebank, measure, epoch).mean:.2f}"
        )
    own = seeds().filter(treebank=treebank)
    if kind in {"uas", "las"}:
        names = {"without punctuation": f"{measure}_words", "at the best epoch on dev": f"{measure}_best"}
        return "; ".join(f"{label} {own[name].to_numpy().mean():.2f}" for label, name in names.items())
    if kind == "vinfo":
        early = read_result("difficulty_epochs").filter(treebank=treebank, epoch=5)[f"{layer}_null_entropy"].item()
        return f"with the null after 5 epochs {early - own[f'{layer}_entropy'].to_numpy().mean():.2f}"
    return f"recorded during the epochs {own[f'{measure}_during'].to_numpy().mean():.2f}"


def table1() -> pl.DataFrame:
    """Return Table 1 cell by cell: means over seeds and the interval of one more run.

    A cell of description length has its cause shown if the print is within seeds after the number of
    epochs that fits the other treebanks best.
    """
    rows: list[dict[str, object]] = []
    for theirs in published().to_dicts():
        name = theirs["treebank"]
        for measure in MEASURES:
            own, value = values(name, measure), theirs[measure]
            printed = None if value is None else f"{value:.2f}"
            low, high = own.interval
            why = None
            if printed is not None:
                inside = own.holds(printed)
                why = Why(f"within seeds: {low:.2f} to {high:.2f}" if inside else f"tried: {tried(name, measure)}")
                if not inside and measure.endswith("mdl") and values(name, measure, code_epoch(name)).holds(printed):
                    why = Why(tried(name, measure), state=SHOWN)
            rows.append({
                "treebank": name, "measure": measure, "seeds": len(own.values), "low": low,
                "high": high, "printed": printed, "ours": own.mean, "why": why,
            })  # fmt: skip
    return compared(rows)


def differences() -> pl.DataFrame:
    """Return how far our values lie from the paper's, before and now, and the states of cells."""
    before = read_result("difficulty_before").rename({"ours": "earlier"})
    table = read_result("difficulty_table1").drop_nulls(["printed", "ours"]).join(before, on=["treebank", "measure"])
    gap, value = pl.col("difference"), pl.col("printed").cast(pl.Float64)
    counts = [(pl.col("state") == state).sum().alias(state) for state in OF_DATA]
    return table.group_by("measure", maintain_order=True).agg(
        pl.len().alias("treebanks"), (pl.col("earlier") - value).abs().mean().alias("mean absolute, before"),
        gap.abs().mean().alias("mean absolute"), gap.mean().alias("mean difference"), gap.abs().max().alias("largest"),
        pl.corr("ours", value, method="spearman").alias("spearman"), *counts,
    )  # fmt: skip


REGIONS = (
    ("easy", "UD_English-Atis", "65.26"), ("easy", "UD_Turkish-IMST", "3.04"),
    ("easy", "UD_Uyghur-UDT", "7.61"), ("easy", "UD_Vietnamese-VTB", "0.001"),
    ("hard", "UD_English-Atis", "0"), ("hard", "UD_Turkish-IMST", "9.5"),
    ("hard", "UD_Uyghur-UDT", "5.45"), ("hard", "UD_Vietnamese-VTB", "5.06"),
)  # fmt: skip
"""Shares of training words in regions of the data map of heads, in percent (section 5.1)."""


def _region(region: str, treebank: str, more: bool) -> str:
    """Return which of the treebank's means would give our map more, or fewer, words of a region.

    Higher confidence adds easy words and removes hard ones; lower variability adds both.
    """
    table = read_result("difficulty_table1").filter(treebank=treebank)
    reasons = []
    for measure, name, adds in (("arc_conf", "CONF", region == "easy"), ("arc_var", "VAR", False)):
        cell = table.row(by_predicate=pl.col("measure") == measure, named=True)
        same = abs(cell["difference"]) <= 0.005
        if not same and ((cell["difference"] > 0) == adds) == more:
            reasons.append(f"mean {name} {cell['ours']:.3f} for {cell['printed']}")
    if not reasons:
        return "unexplained: neither mean CONF nor mean VAR differs that way"
    return f"follows Table 1: {' and '.join(reasons)}"


def regions() -> pl.DataFrame:
    """Return shares of easy (CONF > .95) and hard (CONF <= .25) words, both with VAR <= .1."""
    rows: list[dict[str, Any]] = []
    for region, treebank, printed in REGIONS:
        own = Choice(seeds().filter(treebank=treebank)[f"arc_{region}"].to_numpy())
        low, high = own.interval
        inside = own.holds(printed)
        more = own.mean > float(printed)
        why = f"within seeds: {low:.2f} to {high:.2f}" if inside else _region(region, treebank, more)
        rows.append({"region": region, "treebank": treebank, "printed": printed, "ours": own.mean,
                     "low": low, "high": high, "why": why})  # fmt: skip
    return compared(rows)
