"""Tables 1 to 3 of the Challenges paper on its own treebanks of UD 2.0, with joint tests.

The paper's 56 treebanks are known, and 52 are at hand, so means over treebanks are of the same
population. What separates ours from the print by chance are

- the four treebanks that are not at hand: the variance of a mean of n treebanks times 1 - n / N;
- the 36 treebanks of which the dev set stands for the training set: what that changes is measured
  on the 16 that have both (its mean, which could be a bias, and its variance);
- the samples: five here and five there (twice the variance of a mean of five);
- for UDPipe with 500 sentences, of which one training takes minutes: the 23 treebanks of the longest
  sentences, which were not run. Their scores are estimated by BEAM's and the mean difference of the
  two parsers on the others (a difference estimator), whose variance counts.

They are added up (`Noise`). Cells share them, so the shift that all cells of a table have in
common is tested once (`joint`).
"""

from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.stats import chi2

from studies.challenges.printed import SIDES, TABLE2, directions
from studies.challenges.treebanks import TRAINED
from studies.challenges.ud20 import COUNTS, OF_DEV, ROMANIAN, SCORES
from studies.parts import RESULTS, Part, compared, kept, read_result
from studies.verdicts import Why
from treegauge.learning.curve import complexity
from treegauge.learning.curves.class_counts import Attachments, read_attachments
from treegauge.learning.curves.complexity import composite_counts, partition
from treegauge.learning.training_settings import CurveBands

Floats = npt.NDArray[np.float64]
BEAM, MST, UD20 = "panparser", "mstparser", "ud2.0"
PRESET = {"BEAM": BEAM, "MSTPARSER": MST, "UDPIPE": UD20}
POPULATION, LEAST, DRAWS = 56, 30, 1000
MARGINS = {"UAS": 2.0, "COMPLEXITY": 10.0}
"""Differences that would change no statement of the paper."""
ARROWS = {" × head right": " →", " × head left": " ←"}
# Sources left out; UAS of simple, all and complex words.
TABLE3 = {
    "none": "81.4 74.4 60.3", "French-GSD": "81.2 73.8 59.1", "Italian-ISDT": "81.1 73.6 58.5",
    "Spanish-GSD": "79.9 73.0 59.1", "Bulgarian-BTB": "79.9 73.3 60.1",
}  # fmt: skip


@cache
def counts() -> Attachments:
    """Return the counts of UD 2.0."""
    return read_attachments(RESULTS / f"{COUNTS}.csv")


@cache
def sides() -> Attachments:
    """Return counts of simple, all and complex words, by BEAM's curves in each treebank."""
    return composite_counts(counts(), partition(counts().select(parsers=[BEAM]), BEAM))


def cube(source: Attachments, preset: str, size: int, columns: tuple[str, ...], least: int = LEAST) -> Floats:
    """Return scores by treebank, class and sample; missing ones, and classes of few words, are NaN."""
    frame = source.frame.filter(parser=preset, size=size).with_columns(pl.col("class").str.replace_many(ARROWS))
    treebanks = counts().select(parsers=[BEAM]).treebanks
    found = np.full((len(treebanks), len(columns), 5), np.nan)
    for treebank, sample, name, correct, total in frame.select(
        "treebank", "sample", "class", "correct", "total"
    ).iter_rows():
        if name in columns and total >= least:
            found[treebanks.index(treebank), columns.index(name), sample] = 100 * correct / total
    return found


def known_mean(values: Floats, axis: int) -> Floats:
    """Return means of what is known; NaN where nothing is."""
    known = np.isfinite(values)
    number = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def drawn_means(values: Floats) -> Floats:
    """Return means of columns over random rows, with replacement; a column without any is at its mean."""
    random = np.random.default_rng(0)
    drawn = np.array([known_mean(values[random.integers(len(values), size=len(values))], 0) for _ in range(DRAWS)])
    means = np.nan_to_num(known_mean(values, 0))
    return np.where(np.isfinite(drawn), drawn, means)


@dataclass(frozen=True)
class Noise:
    """Means of columns over treebanks, and the covariance of what separates them from the print."""

    means: Floats
    covariance: Floats
    numbers: Floats

    @property
    def errors(self) -> Floats:
        """Standard errors."""
        return np.sqrt(np.diag(self.covariance))


def noise(found: Floats, changed: Floats, beam: Floats) -> Noise:
    """Return means over treebanks and samples, with their noise; treebanks without a run are estimated.

    `changed` is what training on dev sets changes, by treebank that has both sets, and column;
    `beam` are BEAM's scores, whose samples stand for those of a parser of which one is complete.
    """
    each = known_mean(found, 2)
    numbers = np.isfinite(each).sum(axis=0)
    complete = [sample for sample in range(5) if (np.isfinite(found[:, :, sample]) == np.isfinite(each)).all()]
    estimated = np.zeros((found.shape[1], found.shape[1]))
    absent = ~np.isfinite(each).any(axis=1)
    if absent.any():
        gaps = (each - known_mean(beam, 2))[~absent]
        estimated = np.cov(drawn_means(gaps).T) * absent.mean()
        each[absent] = known_mean(beam, 2)[absent] + known_mean(gaps, 0)
    missing = np.cov(drawn_means(each).T) * (1 - len(each) / POPULATION)
    standing = (len(each) - len(TRAINED)) / len(each)
    bias = np.nan_to_num(known_mean(changed, 0))
    swapped = standing**2 * (np.cov(drawn_means(changed).T) + np.outer(bias, bias))
    own = found[:, :, complete] if len(complete) > 1 else beam
    samples = np.cov(known_mean(own, 0)) * (1 / max(len(complete), 1) + 1 / 5)
    return Noise(known_mean(each, 0), np.atleast_2d(missing + swapped + samples + estimated), numbers)


def change(source: Attachments, preset: str, size: int, columns: tuple[str, ...], least: int = LEAST) -> Floats:
    """Return scores of training sets less those of dev sets, where both are at hand."""
    own = OF_DEV if f"{preset}{OF_DEV}" in source.parsers else ""
    whose = preset if own else BEAM
    both = [known_mean(cube(source, name, size, columns, least), 2) for name in (whose, f"{whose}{OF_DEV}")]
    gap = both[0] - both[1]
    return gap[np.isfinite(gap).any(axis=1)]


@cache
def of_classes(parser: str) -> tuple[dict[str, tuple[str, str]], Noise]:
    """Return the printed UAS of each class, and ours."""
    printed = directions(parser, "UAS")
    columns, preset = tuple(printed), PRESET[parser]
    given = (cube(counts(), name, 500, columns) for name in (preset, BEAM))
    found, beam = given
    return printed, noise(found, change(counts(), preset, 500, columns), beam)


@cache
def areas(preset: str, over: Literal["samples", "treebanks"]) -> dict[str, dict[str, float | None]]:
    """Return COMPLEXITY of every class with its interval over samples or treebanks."""
    table = complexity(counts().select(parsers=[preset]), min_presence=0.1, bands=CurveBands(over=over)).table
    rows = table.with_columns(pl.col("class").str.replace_many(ARROWS)).to_dicts()
    return {row["class"]: row for row in rows}


@cache
def trained_areas(preset: str) -> dict[str, float]:
    """Return COMPLEXITY over the treebanks with both sets, from training sets less from dev sets."""
    names = [f"UD_{name}" for name in TRAINED]
    one, other = (
        {
            row["class"]: row["complexity"]
            for row in complexity(counts().select(parsers=[which], treebanks=names), min_presence=0.1).table.to_dicts()
        }
        for which in (preset, f"{preset}{OF_DEV}")
    )
    arrows = {name: name.replace(" × head right", " →").replace(" × head left", " ←") for name in one}
    return {arrows[name]: one[name] - other[name] for name in one if name in other}


def table1() -> pl.DataFrame:
    """Return the cells of Table 1; UDPipe's are UAS only, since its curves have two sizes."""
    rows: list[dict[str, object]] = []
    for parser in PRESET:
        rows += [] if parser == "UDPIPE" else complexities(parser)
        printed_scores, found = of_classes(parser)
        for i, (name, (printed, known)) in enumerate(printed_scores.items()):
            number = int(found.numbers[i])
            rows.append(_row(parser, "UAS", name, known, printed, found.means[i], [found.errors[i]], number))
    return compared(rows)


def complexities(parser: str) -> list[dict[str, object]]:
    """Return the cells of a parser's COMPLEXITY."""
    rows, preset = [], PRESET[parser]
    over, seeds, moved = areas(preset, "treebanks"), areas(preset, "samples"), trained_areas(BEAM)
    for name, (printed, known) in directions(parser, "COMPLEXITY").items():
        row = over[name]
        parts = [
            _half(row) * sqrt(1 - 52 / POPULATION),
            abs(moved.get(name, 0.0)) * 36 / 52,
            _half(seeds[name]) * sqrt(2),
        ]
        rows.append(_row(parser, "COMPLEXITY", name, known, printed, row["complexity"], parts, row["treebanks"]))
    return rows


def _half(row: dict[str, float | None]) -> float:
    low, high = row["low"], row["high"]
    return 0.0 if low is None or high is None else (high - low) / 3.92


def _row(
    parser: str, value: str, name: str, known: str, printed: str, ours: float | None, parts: list[float], n: object
) -> dict[str, object]:
    error = sqrt(sum(part**2 for part in parts))
    ours = float(str(ours))
    why = Why(f"{(ours - float(printed)) / error:.1f} standard errors ({error:.2f}) from the print",
              least=ours - 1.96 * error, most=ours + 1.96 * error, margin=MARGINS[value])  # fmt: skip
    return {"parser": parser, "value": value, "class": name, "direction": known, "treebanks": n,
            "printed": printed, "ours": ours, "why": why}  # fmt: skip


@cache
def of_sides(parser: str, size: str) -> Noise:
    """Return UAS of simple, all and complex words."""
    found, beam = (cube(sides(), name, int(size), SIDES, 1) for name in (PRESET[parser], BEAM))
    return noise(found, change(sides(), PRESET[parser], int(size), SIDES, 1), beam)


def compared_sizes() -> list[tuple[str, str, str]]:
    """Return parser, size and printed values of Table 2, as far as they were run.

    Whole training sets are at hand where they are small, which do not represent the 56 treebanks.
    """
    wanted = dict.fromkeys(PRESET, ("10", "500"))
    return [(parser, size, TABLE2[parser][size]) for parser, sizes in wanted.items() for size in sizes]


def table2() -> pl.DataFrame:
    """Return the cells of Table 2 that were run."""
    rows: list[dict[str, object]] = []
    for parser, size, line in compared_sizes():
        found = of_sides(parser, size)
        for i, (side, printed) in enumerate(zip(SIDES, line.split(), strict=True)):
            row = _row(parser, "UAS", side, "", printed, found.means[i], [found.errors[i]], int(found.numbers[i]))
            rows.append({"parser": parser, "sentences": size, "words": side} |
                        {key: row[key] for key in ("treebanks", "printed", "ours", "why")})  # fmt: skip
    return compared(rows)


def joint() -> pl.DataFrame:
    """Test once what all cells of a table have in common, and what is left without it."""
    groups: list[tuple[str, str, list[str], Noise]] = []
    for parser in PRESET:
        printed, found = of_classes(parser)
        groups.append((f"Table 1, UAS of {len(printed)} classes", parser, [one for one, _ in printed.values()], found))
    for parser, size, line in compared_sizes():
        groups.append((f"Table 2, {size} sentences", parser, line.split(), of_sides(parser, size)))
    rows = []
    for what, parser, texts, found in groups:
        shifts = found.means - np.array([float(text) for text in texts])
        k = len(shifts)
        common = float(shifts.mean())
        error = sqrt(float(found.covariance.sum())) / k
        least, most = common - 1.96 * error, common + 1.96 * error
        rest = shifts - common
        centred = np.eye(k) - 1 / k
        spread = centred @ found.covariance @ centred
        statistic = float(rest @ np.linalg.pinv(spread, hermitian=True) @ rest)
        rows.append(
            {"cells": what, "parser": parser, "number": k, "above print": int((shifts > 0).sum()),
             "shift": common, "least": least, "most": most,
             "shift is": Why("", least=least, most=most, margin=MARGINS["UAS"]).state_of("0"),
             "p, rest": float(chi2.sf(statistic, k - 1)), "largest rest": float(np.abs(rest).max())}
        )  # fmt: skip
    return pl.DataFrame(rows)


def table3() -> pl.DataFrame:
    """Return Table 3: UAS of Romanian by the vote of four sources, and without one."""
    frame = read_result(SCORES)
    rows: list[dict[str, object]] = []
    for left, line in TABLE3.items():
        some = frame.filter(parser=f"{ROMANIAN} without {left}")
        for side, printed in zip(SIDES, line.split(), strict=True):
            values = some[side].to_numpy()
            error = float(values.std(ddof=1)) * sqrt(2 / len(values))
            row = _row("", "UAS", side, "", printed, float(values.mean()), [max(error, 1e-3)], 1)
            rows.append({"without": left, "words": side} | {key: row[key] for key in ("printed", "ours", "why")})
    return compared(rows)


def wide1(frame: pl.DataFrame) -> pl.DataFrame:
    """Lay out Table 1, a row per class, printed values in brackets; bold where ours differs."""
    text = pl.format("{} ({})", pl.col("ours").round(1), "printed")
    shown = pl.when(pl.col("state").str.starts_with("differs")).then(pl.format("**{}**", text)).otherwise(text)
    long = frame.with_columns(shown=shown, name=pl.format("{}, {}", "parser", "value"))
    return long.pivot("name", index="class", values="shown", maintain_order=True)


def wide2(frame: pl.DataFrame) -> pl.DataFrame:
    """Lay out Table 2 as the paper does, printed values in brackets."""
    shown = pl.format("{} ({})", pl.col("ours").round(1), "printed")
    long = frame.with_columns(shown=shown, name=pl.format("{}, {}", "words", "sentences"))
    return long.pivot("name", index="parser", values="shown", maintain_order=True)


def wide3(frame: pl.DataFrame) -> pl.DataFrame:
    """Lay out Table 3 as the paper does, printed values in brackets."""
    shown = pl.format("{} ({})", pl.col("ours").round(1), "printed")
    return frame.with_columns(shown=shown).pivot("words", index="without", values="shown", maintain_order=True)


RUNS = (
    "long: TREEGAUGE_UD=FOLDER python -m studies.challenges.ud20 BITS panparser mstparser panparser-dev "
    "mstparser-dev romanian ud2.0, with r2.0 unpacked in FOLDER, then python -m studies.challenges.ud20 count BITS; "
    "52 min of processor time and, for UDPipe, {} min"
)
UDPIPE_MINUTES = 243
TABLES20 = (
    kept(COUNTS, "Correct words by treebank of UD 2.0, parser, class, size and sample", RUNS.format(UDPIPE_MINUTES)),
    kept(SCORES, "UAS of whole training sets of UD 2.0, and of votes for Romanian", RUNS.format(UDPIPE_MINUTES)),
    Part("challenges_table1", "Table 1, cell by cell", table1, shown=wide1),
    Part("challenges_table2", "Table 2: simple and complex words", table2, shown=wide2, digits=1),
    Part("challenges_joint", "What all cells of a table have in common", joint),
    Part("challenges_table3", "Table 3: Romanian, one source left out", table3, shown=wide3),
)
