"""Cells of the Difficulty paper beside ours: intervals over seeds, and open choices that differ.

The paper leaves some choices open: whether punctuation counts, which epoch is scored, whether
probabilities are recorded during or after an epoch, how long models of blocks learn. A printed
value outside the interval of our seeds is *explained* where one of these choices reproduces it, and
*unexplained* where none does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.stats import t

from replications.parts import compared, read_result, tolerance
from treegauge import data
from treegauge.dynamics.difficulty import LARGER_IS_EASIER

MEASURES = tuple(LARGER_IS_EASIER)
TRIALS = 5
"""Shuffles that the paper averages description length over."""
BY_WORDS = "in batches of 480 words"
SCORE_CHOICES = {
    "": "{}", "without punctuation": "{}_words", "at the best epoch on dev": "{}_best",
    "without punctuation, at the best epoch on dev": "{}_words_best",
}  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """One way to measure: its values by seed or shuffle, and how many of them the paper averages.

    The spread over seeds is its own or that of another choice, which has more of them.

    Examples
    --------
    >>> made = Choice("", np.array([1.0, 2.0, 3.0]))
    >>> round(made.mean, 2), [round(end, 2) for end in made.interval]
    (2.0, [-2.97, 6.97])
    """

    label: str
    values: npt.NDArray[np.float64]
    trials: int = 1
    like: "Choice | None" = None

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return float(self.values.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """Where the mean of as many new runs as the paper made lies in 95 % of cases.

        Student's prediction interval.
        """
        source = self.values if self.like is None else self.like.values
        spread = float(source.std(ddof=1)) * np.sqrt(1 / self.trials + 1 / len(self.values))
        reach = float(t.ppf(0.975, len(source) - 1)) * spread
        return self.mean - reach, self.mean + reach

    def holds(self, printed: str) -> bool:
        """Return whether a printed value lies in the interval, rounding apart."""
        low, high = self.interval
        return bool(low - tolerance(printed) <= float(printed) <= high + tolerance(printed))


def published() -> pl.DataFrame:
    """Return the paper's values of the treebanks at hand."""
    return data.difficulty_table1().sort("treebank")


@cache
def seeds() -> pl.DataFrame:
    """Return the biaffine parser's values by treebank and seed."""
    return read_result("difficulty_seeds")


@cache
def seeds_by_words() -> pl.DataFrame:
    """Return the same of a parser that learned in batches of 480 words."""
    return read_result("difficulty_words")


@cache
def codes() -> pl.DataFrame:
    """Return bits per word by treebank, training, shuffle and epoch."""
    return read_result("difficulty_codes")


@cache
def codes_by_words() -> pl.DataFrame:
    """Return the same of parsers that learned in batches of 480 words."""
    return read_result("difficulty_words_codes")


def choices(treebank: str, measure: str) -> Iterator[Choice]:
    """Yield the ways to measure, first the one that is compared with the paper."""
    if measure.endswith("mdl"):
        yield from _code_choices(treebank)
        return
    for batches, said in ((seeds(), ""), (seeds_by_words(), BY_WORDS)):
        own = batches.filter(treebank=treebank)
        for label, values in _values(own, measure).items():
            like = Choice("", _values(seeds().filter(treebank=treebank), measure)[label])
            yield Choice(", ".join(filter(None, (said, label))), values, 1, like)


def _values(own: pl.DataFrame, measure: str) -> dict[str, npt.NDArray[np.float64]]:
    """Return a measure's values by seed, by the choices that can be made after training."""
    layer, _, kind = measure.rpartition("_")
    if kind == "vinfo":
        null, known = (own[f"{layer}_{name}"] for name in ("null_entropy", "entropy"))
        least_null, least = (own[f"{layer}_least_{name}"] for name in ("null_entropy", "entropy"))
        gains = {
            "": null - known, "with each entropy at its least": least_null - least,
            "with the parser at its best epoch": null - least,
        }  # fmt: skip
        return {label: values.to_numpy() for label, values in gains.items()}
    names = {"": "{}", "recorded during the epochs": "{}_during"}
    if kind in {"uas", "las"}:
        names = SCORE_CHOICES
    return {label: own[name.format(measure)].to_numpy() for label, name in names.items()}


def _code_choices(treebank: str) -> Iterator[Choice]:
    """Yield joint bits per word: the last block alone, then all before, from the last epoch on."""
    for batches, more in ((codes(), ""), (codes_by_words(), f", {BY_WORDS}")):
        for training, said in (("block", "the last block alone"), ("prefix", "all blocks before")):
            own, like = (
                frame.filter(treebank=treebank, training=training) for frame in (batches, codes())
            )
            for epoch in sorted(own["epoch"].unique(), reverse=True):
                values, spread = (
                    one.filter(epoch=epoch)["joint"].to_numpy() for one in (own, like)
                )
                label = f"after {epoch} epochs on {said}{more}"
                yield Choice(label, values, TRIALS, Choice("", spread))


def reason(printed: str, every: list[Choice], measure: str) -> str:
    """Say why a value of ours is not the printed one."""
    first = every[0]
    if first.holds(printed):
        return "within seeds: {:.2f} to {:.2f}".format(*first.interval)
    for one in every[1:]:
        if one.holds(printed):
            return f"{one.label}: {one.mean:.2f}"
    if measure.endswith("mdl"):
        own = [one for one in every if "block alone" in one.label]
        ends = [end for one in own for end in one.interval]
        if min(ends) <= float(printed) <= max(ends):
            above = min((one for one in own if one.mean >= float(printed)), key=lambda c: c.mean)
            return f"between two of our epochs, the upper one {above.label}: {above.mean:.2f}"
    tried = "; ".join(f"{one.label} {one.mean:.2f}" for one in every[1:])
    return f"unexplained: tried {tried}"


def table1() -> pl.DataFrame:
    """Return Table 1 cell by cell: means of five seeds and the interval of one more run.

    Both columns of MDL are compared with the joint bits of arcs and relations, trained on the last
    block alone.
    """
    rows: list[dict[str, object]] = []
    for theirs in published().to_dicts():
        for name in MEASURES:
            every = list(choices(theirs["treebank"], name))
            value = theirs[name]
            printed = None if value is None else f"{value:.2f}"
            low, high = every[0].interval
            rows.append({
                "treebank": theirs["treebank"], "measure": name, "printed": printed,
                "ours": every[0].mean, "low": low, "high": high,
                "why": None if printed is None else reason(printed, every, name),
            })  # fmt: skip
    return compared(rows)


def differences() -> pl.DataFrame:
    """Return how far our values lie from the paper's, by measure."""
    table = read_result("difficulty_table1").drop_nulls("printed")
    gap, value = pl.col("difference"), pl.col("printed").cast(pl.Float64)
    inside = value.is_between("low", "high").sum()
    return table.group_by("measure", maintain_order=True).agg(
        pl.len().alias("treebanks"), gap.mean().alias("mean difference"),
        gap.abs().mean().alias("mean absolute"), gap.abs().max().alias("largest"),
        inside.alias("within seeds"),
        pl.col("why").str.starts_with("unexplained").fill_null(False).sum().alias("unexplained"),
        pl.corr("ours", value, method="spearman").alias("spearman"),
    )  # fmt: skip


REGIONS = (
    ("easy", "UD_English-Atis", "65.26"), ("easy", "UD_Turkish-IMST", "3.04"),
    ("easy", "UD_Uyghur-UDT", "7.61"), ("easy", "UD_Vietnamese-VTB", "0.001"),
    ("hard", "UD_English-Atis", "0"), ("hard", "UD_Turkish-IMST", "9.5"),
    ("hard", "UD_Uyghur-UDT", "5.45"), ("hard", "UD_Vietnamese-VTB", "5.06"),
)  # fmt: skip
"""Shares of training words in regions of the data map of heads, in percent (section 5.1)."""


def regions() -> pl.DataFrame:
    """Return shares of easy (CONF > .95) and hard (CONF <= .25) words, both with VAR <= .1."""
    rows: list[dict[str, Any]] = []
    for region, treebank, printed in REGIONS:
        own = Choice("", seeds().filter(treebank=treebank)[f"arc_{region}"].to_numpy())
        low, high = own.interval
        inside = own.holds(printed)
        share = "a share at a bound that many words are near: it moves with CONF and VAR of Table 1"
        why = f"within seeds: {low:.2f} to {high:.2f}" if inside else share
        rows.append({"region": region, "treebank": treebank, "printed": printed, "ours": own.mean,
                     "low": low, "high": high, "why": why})  # fmt: skip
    return compared(rows)
