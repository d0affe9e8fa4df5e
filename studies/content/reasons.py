"""Why function share and content precision correlate at .19 in the paper, and more here.

Each row changes one thing about the correlation: parser, treebanks, definition, frequency, or what
is held fixed. The last rows ask what our own regression of scores on function share, STTR and the
logarithm of training words gives in a sample where the share goes with STTR as weakly as in print.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from studies.content.data import CHOICES, PARSERS, chance
from studies.content.scores import some
from studies.parts import read_result
from treegauge.statistics.correlation_coefficients import inference

SHARE = "function_share"
SCORES = {"C prec": "content_precision", "F prec": "function_precision", "LAS": "las"}
PRINTED = {"C prec": "0.19", "F prec": "0.67", "LAS": "0.43"}
STTR = -0.27
"""The paper's Figure 3 has R = .27 for the share of content relations and STTR."""
Floats = npt.NDArray[np.float64]
Row = dict[str, object]


def frame_of(parser: str, choice: str) -> pl.DataFrame:
    """Return scores next to what is known of the treebanks."""
    known = read_result("content_treebanks").select(
        "treebank", "family", "train_sentences", "words", "sttr", "function", "content",
        pl.col("train_words").log().alias("size"),
    )  # fmt: skip
    return some(parser, choice).join(known, on="treebank", maintain_order="left")


def correlations(
    frame: pl.DataFrame, scores: Mapping[str, str] = SCORES, share: str = SHARE, given: Sequence[str] = ()
) -> dict[str, float]:
    """Return the correlation of function share with each score, with other columns held fixed."""
    fixed = np.column_stack([np.ones(frame.height), *(frame[name].to_numpy() for name in given)])

    def left(name: str) -> Floats:
        values = frame[name].to_numpy()
        return np.asarray(values - fixed @ np.linalg.lstsq(fixed, values, rcond=None)[0])

    return {name: float(np.corrcoef(left(share), left(column))[0, 1]) for name, column in scores.items()}


def expected(
    frame: pl.DataFrame, sttr: float, size: float | None, scores: Mapping[str, str] = SCORES
) -> dict[str, float]:
    r"""Return the correlations of a sample where the share is tied otherwise to STTR and size.

    .. math:: r = (R \beta)_1 / \sqrt{\beta' R \beta + 1 - R^2}

    with the standardised coefficients of our own regression and the changed correlations R of
    its predictors.
    """
    names = [SHARE, "sttr", "size"]
    here = np.corrcoef(frame.select(names).to_numpy().T)
    there = here.copy()
    there[0, 1] = there[1, 0] = sttr
    if size is not None:
        there[0, 2] = there[2, 0] = size
    found = {}
    for name, column in scores.items():
        ours = np.array([np.corrcoef(frame[one], frame[column])[0, 1] for one in names])
        slopes = np.linalg.solve(here, ours)
        variance = slopes @ there @ slopes + 1 - slopes @ ours
        found[name] = float((there @ slopes)[0] / np.sqrt(variance))
    return found


def variants() -> Iterator[tuple[str, str, int, dict[str, float]]]:
    """Yield what was changed, how, the number of treebanks and the correlations."""
    for parser in PARSERS:
        frame = frame_of(parser, "enough")
        yield "parser", parser, frame.height, correlations(frame)
    malt = frame_of("malt", "enough")
    for choice in CHOICES:
        frame = frame_of("malt", choice)
        yield "treebanks", choice, frame.height, correlations(frame)
    europe = pl.col("family") == "Indo-European"
    conditions = {
        "Indo-European": europe, "others": ~europe,
        "1,000 training sentences": pl.col("train_sentences") >= 1000,
        "30,000 words": pl.col("words") >= 30_000, "LAS of 70 or more": pl.col("las") >= 70,
    }  # fmt: skip
    for name, condition in conditions.items():
        frame = malt.filter(condition)
        yield "treebanks", name, frame.height, correlations(frame)
    without = {name: correlations(malt.filter(pl.col("treebank") != name)) for name in malt["treebank"]}
    for which, pick in (("lowest", min), ("highest", max)):
        name = pick(without, key=lambda one: without[one]["C prec"])
        left_out = f"without {name.removeprefix('UD_')} ({which} of all)"
        yield "treebanks", left_out, malt.height - 1, without[name]
    for name, ending in (("relation correct", "_relation"), ("head correct", "_head")):
        other = {key: column + ending * (key != "LAS") for key, column in SCORES.items()}
        yield "definition", name, malt.height, correlations(malt, other)
    shares = malt.with_columns(
        ratio=pl.col(SHARE) / (pl.col(SHARE) + pl.col("content_share")), whole=pl.col("function")
    )
    for name, share in (("of content and function words", "ratio"), ("in all sets", "whole")):
        yield "frequency", name, malt.height, correlations(shares, share=share)
    for given in (["size"], ["sttr"], ["size", "sttr"]):
        name = " and ".join({"size": "training words", "sttr": "STTR"}[one] for one in given)
        yield "held fixed", name, malt.height, correlations(malt, given=given)
    for parser in ("malt", "mst", "beam"):
        frame = frame_of(parser, "enough")
        for name, size in (("share and STTR as printed", None), ("and unrelated to size", 0.0)):
            yield f"regression, {parser}", name, frame.height, expected(frame, STTR, size)


def decreases() -> pl.DataFrame:
    """Correlate STTR and function share with the relative decrease from LAS to other scores."""
    rows: list[Row] = []
    for parser in ("malt", "beam", "mst"):
        for choice in ("enough", "language", "paper"):
            frame = frame_of(parser, choice)
            for name in ("content_precision", "content_recall", "wlas"):
                lost = ((frame["las"] - frame[name]) / frame["las"]).to_numpy()
                row: Row = {
                    "parser": parser, "treebanks": choice, "n": frame.height, "score": name,
                    "mean decrease, %": 100 * float(lost.mean()),
                }  # fmt: skip
                for label, column in (("STTR", "sttr"), ("function share", SHARE)):
                    found = inference(float(np.corrcoef(lost, frame[column])[0, 1]), frame.height)
                    row |= {label: found.r, f"{label}, low": found.low, f"{label}, high": found.high}
                rows.append(row)
    return pl.DataFrame(rows)


def reasons() -> pl.DataFrame:
    """Return all variants with the chance of each to differ as much from the printed values."""
    rows: list[Row] = []
    for what, how, n, found in variants():
        row: Row = {"changed": what, "to": how, "n": n}
        row |= {f"F freq, {name}": value for name, value in found.items()}
        chances = {f"p, {name}": chance(PRINTED[name], value, n) for name, value in found.items()}
        rows.append(row | chances)
    return pl.DataFrame(rows)
