"""Cells of the Difficulty paper compared with ours: prediction intervals, and why they differ.

A printed value outside the interval of our seeds is explained in one of two ways. A choice that the
paper leaves open reproduces it: whether punctuation counts, which epoch is scored, whether
probabilities are recorded during or after an epoch, how long models of blocks learn. Or it differs
as the other treebanks do: differences follow the number of words in a batch of 32 sentences, and
the line through those of the other treebanks predicts this one. Otherwise it is unexplained.
"""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.stats import t

from studies.parts import compared, read_result, tolerance
from studies.verdicts import OF_DATA
from treegauge import data
from treegauge.learning.difficulty import LARGER_IS_EASIER

MEASURES = tuple(LARGER_IS_EASIER)
TRIALS = 5
"""Shuffles that the paper averages description length over."""
WORDS = 480
"""Words in a batch at which ours and the paper's scores agree."""
SCORE_CHOICES = {
    "": "{}", "after as many updates as batches of 480 words make": "{}_updates",
    "without punctuation": "{}_words", "at the best epoch on dev": "{}_best",
    "without punctuation, at the best epoch on dev": "{}_words_best",
}  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """One way to measure: its values by seed or shuffle, and how many of them the paper averages.

    The spread is that over its values, or one of other treebanks: (standard deviation, df).

    Examples
    --------
    >>> made = Choice("", np.array([1.0, 2.0, 3.0]))
    >>> round(made.mean, 2), [round(end, 2) for end in made.interval]
    (2.0, [-2.97, 6.97])
    """

    label: str
    values: npt.NDArray[np.float64]
    trials: int = 1
    spread: tuple[float, int] | None = None

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
        sd, df = self.spread or (float(self.values.std(ddof=1)), n - 1)
        reach = float(t.ppf(0.975, df) * sd * np.sqrt(1 / self.trials + 1 / n))
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


def choices(treebank: str, measure: str) -> list[Choice]:
    """Return the ways to measure, first the one that is compared with the paper."""
    if measure.endswith("mdl"):
        return _code_choices(treebank)
    own = seeds().filter(treebank=treebank)
    return [Choice(label, values) for label, values in _values(own, measure).items()]


def _values(own: pl.DataFrame, measure: str) -> dict[str, npt.NDArray[np.float64]]:
    """Return a measure's values by seed, by the choices that can be made after training."""
    layer, _, kind = measure.rpartition("_")
    if kind == "vinfo":
        null, known = (own[f"{layer}_{name}"] for name in ("null_entropy", "entropy"))
        least_null, least = (own[f"{layer}_least_{name}"] for name in ("null_entropy", "entropy"))
        gains = {
            "": null - known,
            "with each entropy at its least": least_null - least,
            "with the parser at its best epoch": null - least,
        }
        return {label: values.to_numpy() for label, values in gains.items()}
    names = {"": "{}", "recorded during the epochs": "{}_during"}
    if kind in {"uas", "las"}:
        names = SCORE_CHOICES
    columns = {label: own[name.format(measure)] for label, name in names.items()}
    return {label: values.to_numpy() for label, values in columns.items() if not values.null_count()}


def _code_choices(treebank: str) -> list[Choice]:
    """Return joint bits per word: the last block alone, from the last epoch on, then all before.

    Treebanks without runs on the last block alone have one value, on all blocks before.
    """
    made = []
    for training, said in (("block", "the last block alone"), ("prefix", "all blocks before")):
        own = codes().filter(treebank=treebank, training=training)
        for epoch in sorted(own["epoch"].unique(), reverse=True):
            values = own.filter(epoch=epoch)["joint"].to_numpy()
            made.append(Choice(f"after {epoch} epochs on {said}", values, TRIALS))
    if made:
        return made
    early = one_seed().filter(treebank=treebank)
    last = codes().filter(pl.col("epoch") == pl.col("epoch").max(), training="prefix")
    spread = last.group_by("treebank").agg(pl.col("joint").var())["joint"].to_numpy()
    df = last.height - len(spread)
    # The mean of five shuffles that was kept counts as five values.
    joint = (early["arc_mdl"] + early["rel_mdl"]).to_numpy().repeat(TRIALS)
    return [Choice("on all blocks before", joint, TRIALS, (float(np.sqrt(spread.mean())), df))]


@cache
def words_per_batch() -> dict[str, float]:
    """Return the mean number of words in a batch of 32 training sentences, by treebank."""
    sizes = read_result("content_treebanks")
    batches = (sizes["train_sentences"] / 32).ceil()
    return dict(zip(sizes["treebank"], sizes["train_words"] / batches, strict=True))


@cache
def gaps(measure: str) -> dict[str, float]:
    """Return ours less the printed value by treebank."""
    theirs = published().select("treebank", measure).drop_nulls()
    return {name: choices(name, measure)[0].mean - value for name, value in theirs.iter_rows()}


def expected_gap(treebank: str, measure: str) -> tuple[float, float]:
    """Return the gap that the other treebanks' line over log words per batch predicts.

    With half the width of the 95 % prediction interval.
    """
    others = {name: gap for name, gap in gaps(measure).items() if name != treebank}
    x = np.log([words_per_batch()[name] for name in others])
    y = np.array(list(others.values()))
    slope, start = np.polyfit(x, y, 1)
    df = len(y) - 2
    sd = float(np.sqrt(((y - start - slope * x) ** 2).sum() / df))
    away = np.log(words_per_batch()[treebank]) - x.mean()
    leverage = 1 + 1 / len(y) + away**2 / ((x - x.mean()) ** 2).sum()
    at = float(start + slope * (away + x.mean()))
    return at, float(t.ppf(0.975, df) * sd * np.sqrt(leverage))


def offset_of_blocks() -> tuple[float, float]:
    """Return how many more bits the last block alone takes, at least and at most.

    After 30 and after 10 epochs, over the treebanks where both trainings were run.
    """
    means = codes().group_by("treebank", "training", "epoch").agg(pl.col("joint").mean())
    wide = means.filter(training="block").join(
        means.filter(training="prefix", epoch=30), on="treebank", suffix="_prefix"
    )
    more = wide.with_columns(more=pl.col("joint") - pl.col("joint_prefix"))
    ends = [more.filter(epoch=epoch)["more"].to_numpy() for epoch in (30, 10)]
    return float(ends[0].min()), float(ends[1].max())


def reason(printed: str, every: list[Choice]) -> str | None:
    """Return which seeds or which choice give the printed value; None if none does."""
    first = every[0]
    if first.holds(printed):
        return "within seeds: {:.2f} to {:.2f}".format(*first.interval)
    for one in every[1:]:
        if one.holds(printed):
            return f"{one.label}: {one.mean:.2f}"
    return None


def code_reason(printed: str, every: list[Choice]) -> str | None:
    """Name the two epochs of the last block alone that have the printed joint bits between them."""
    value = float(printed)
    if len(every) == 1:
        low, high = (every[0].mean + more for more in offset_of_blocks())
        if low <= value <= high:
            return (
                f"joint bits on all blocks before; the last block alone, which was not run here, "
                f"would be {low:.2f} to {high:.2f} by the treebanks where it was"
            )
        return None
    alone = [one for one in every if "alone" in one.label]
    for later, sooner in pairwise(alone):
        if later.mean <= value <= sooner.mean:
            return f"between our values {later.label} ({later.mean:.2f}) and {sooner.label}"
    return None


def line_reason(treebank: str, measure: str, printed: str, first: Choice) -> str | None:
    """Explain a cell by the differences of the other treebanks, if they predict it."""
    gap, reach = expected_gap(treebank, measure)
    if abs(first.mean - gap - float(printed)) > reach:
        return None
    cause = "as other treebanks with as many words per batch"
    return f"{cause}: {first.mean - gap:.2f} expected"


def why(treebank: str, measure: str, printed: str, every: list[Choice]) -> str:
    """Say why a value of ours is not the printed one."""
    found = reason(printed, every)
    if found is None and measure.endswith("mdl"):
        found = code_reason(printed, every)
    elif found is None:
        found = line_reason(treebank, measure, printed, every[0])
    if found is not None:
        return found
    tried = "; ".join(f"{one.label} {one.mean:.2f}" for one in every[1:])
    if not measure.endswith("mdl"):
        expected = every[0].mean - expected_gap(treebank, measure)[0]
        tried = "; ".join(filter(None, (tried, f"words per batch {expected:.2f}")))
    return f"unexplained: tried {tried}"


def table1() -> pl.DataFrame:
    """Return Table 1 cell by cell: means over seeds and the interval of one more run.

    Both columns of MDL are compared with the joint bits of arcs and relations, trained on the last
    block alone where that was run.
    """
    rows: list[dict[str, object]] = []
    for theirs in published().to_dicts():
        name = theirs["treebank"]
        for measure in MEASURES:
            every = choices(name, measure)
            value = theirs[measure]
            printed = None if value is None else f"{value:.2f}"
            low, high = every[0].interval
            rows.append({
                "treebank": name, "measure": measure, "seeds": len(every[0].values), "low": low,
                "high": high, "printed": printed, "ours": every[0].mean,
                "why": None if printed is None else why(name, measure, printed, every),
            })  # fmt: skip
    return compared(rows)


def differences() -> pl.DataFrame:
    """Return how far our values lie from the paper's, by measure, and what becomes of the cells."""
    table = read_result("difficulty_table1").drop_nulls("printed")
    gap, value = pl.col("difference"), pl.col("printed").cast(pl.Float64)
    counts = [(pl.col("state") == state).sum().alias(state) for state in OF_DATA]
    return table.group_by("measure", maintain_order=True).agg(
        pl.len().alias("treebanks"), gap.mean().alias("mean difference"),
        gap.abs().mean().alias("mean absolute"), gap.abs().max().alias("largest"),
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
        own = Choice("", seeds().filter(treebank=treebank)[f"arc_{region}"].to_numpy())
        low, high = own.interval
        inside = own.holds(printed)
        more = own.mean > float(printed)
        why = f"within seeds: {low:.2f} to {high:.2f}" if inside else _region(region, treebank, more)
        rows.append({"region": region, "treebank": treebank, "printed": printed, "ours": own.mean,
                     "low": low, "high": high, "why": why})  # fmt: skip
    return compared(rows)
