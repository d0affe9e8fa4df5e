"""The EDV paper's second parser, UDPipe 2 on UD 2.6: the study of the package on published scores."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from statistics import fmean, stdev
from typing import Any

import numpy as np
import polars as pl

import treegauge as tg
from studies.edv.data import DISTANCES, MARGIN, OF_TRAIN, changes_of_w
from studies.edv.tables import GIVEN, LOG
from studies.figures import draw
from studies.parts import compared, read_result
from studies.treebanks import treebank_folders
from studies.verdicts import Why
from treegauge.data import ud26
from treegauge.measures.measure import measure
from treegauge.papers.edv import background_figure, edv_tables, remove_background
from treegauge.papers.study import Draft, StudyResult
from treegauge.reporting.figures.theme import Spec
from treegauge.statistics.correlation_coefficients import inference

RELEASE = "r2.6"
NOT_RUN = ("Czech-PDT", "German-HDT", "Hindi-HDTB", "Russian-SynTagRus")
"""Treebanks that were too large for EDV's authors; at most five more of the 95 others are not theirs."""
PAPER, DRAWS = 90, 200
# Table; columns that name its rows; its value; the column of the study that has the printed one.
CELLS = (
    ("Table 1", ("variable",), "W", "W, UD 2.6"),
    ("Table 2", ("variable",), "rho", "UDPipe 2"),
    ("Table 3", ("x", "y"), "rho", "UDPipe 2"),
    ("Table 4", ("variable", "given"), "r", "UDPipe 2"),
    ("Table 5", ("model", "predictor"), "adjusted_r2", "adjusted_r2, UDPipe 2"),
    ("Table 5", ("model", "predictor"), "importance", "importance, UDPipe 2"),
    ("Table 6", ("set", "variable", "given"), "r", "UDPipe 2"),
    ("Table B.1", ("variable",), "rho", "UD 2.6"),
    ("Figures 7 and 8", ("variable", "divided by"), "rho", "UDPipe 2"),
)
Cell = tuple[str, str, str]
"""Table, row, value."""


def treebanks() -> pl.DataFrame:
    """Measure the treebanks of UD 2.6 at hand, with scores of UDPipe 2."""
    names = [name for name in DISTANCES if not name.endswith("_axis")]
    found = measure([*names, *OF_TRAIN], *treebank_folders(RELEASE)).wide
    found = found.with_columns(pl.col("treebank").str.strip_prefix("UD_"))
    return found.join(ud26().select("treebank", "las"), on="treebank", how="left").sort("treebank")


@cache
def scored() -> pl.DataFrame:
    """Return scores and sizes of 95 treebanks, and distances of those that have files here."""
    distances = read_result("edv_ud26_treebanks").drop("las")
    frame = ud26().filter(~pl.col("treebank").is_in(list(NOT_RUN)))
    return frame.join(distances, on="treebank", how="left", maintain_order="left")


@cache
def study() -> StudyResult:
    """Run the study of the package on them."""
    return tg.study("edv", scored(), out=None)


def _values(tables: Mapping[str, list[dict[str, Any]]]) -> Iterator[tuple[Cell, dict[str, Any]]]:
    """Give the place and the row of each cell; the R2 of a model is one cell."""
    for item, names, value, _ in CELLS:
        seen = set()
        for row in tables.get(item, []):
            label = " | ".join(str(row[name]) for name in names)
            if value == "adjusted_r2":
                label = row["model"]
            alone = value == "importance" and row["model"] == row["predictor"]  # 100 % by definition
            if label not in seen and not alone:
                yield (item, label, value), row
            seen.add(label)


def _drawn(frames: Iterator[pl.DataFrame]) -> dict[Cell, list[float]]:
    """Return the cells of the tables of each frame."""
    found: dict[Cell, list[float]] = {}
    for frame in frames:
        draft = Draft("edv")
        edv_tables(draft, frame)
        for cell, row in _values({table.item: [dict(row) for row in table.rows] for table in draft.tables}):
            if row[cell[2]] is not None:
                found.setdefault(cell, []).append(row[cell[2]])
    return found


def _subsets() -> Iterator[pl.DataFrame]:
    """Give random 90 of the 95 treebanks: which ones the paper has is not known."""
    rng, frame = np.random.default_rng(0), scored().drop([*DISTANCES[:2], "slv", "slv_masses"], strict=False)
    for _ in range(DRAWS):
        yield frame[np.sort(rng.choice(frame.height, PAPER, replace=False)).tolist()]


def _resamples() -> Iterator[pl.DataFrame]:
    """Give treebanks with EDV, drawn with replacement."""
    rng, frame = np.random.default_rng(0), scored().drop_nulls("edv")
    for _ in range(DRAWS):
        drawn = frame[rng.integers(frame.height, size=frame.height).tolist()]
        yield drawn.with_columns(treebank=pl.format("{} {}", "treebank", pl.int_range(pl.len())))


def cells() -> pl.DataFrame:
    """Set the study's values next to the printed ones, with what decides the state of each."""
    columns = {(item, value): f"printed: {column}" for item, _, value, column in CELLS}
    subsets, resamples = _drawn(_subsets()), _drawn(_resamples())
    found = {table.item: table.rows for table in study().attached["tables"]}
    rows: list[dict[str, object]] = []
    for cell, row in _values(found):
        item, label, value = cell
        printed = row.get(columns[item, value]) or None
        if printed is None:
            continue
        distances = any(word in label.replace("|", " ").split() for word in ("edv", "slv", "edv_masses"))
        distances = distances or item in {"Table 4", "Table 6", "Table B.1"}
        variant = "masses" if "edv_masses" in label else "distance" if distances else None
        known: dict[str, object] = {"item": item, "row": label, "variant": variant, "statistic": value}
        known |= {"treebanks": row.get("n"), "printed": printed, "ours": row[value]}
        if not distances:
            low, high = np.quantile(subsets[cell], (0.025, 0.975))
            least, most = float(low), float(high)
            known |= {"seed low": least, "seed high": most}
            known["why"] = f"random 90 of the 95 treebanks give {least:.3f} to {most:.3f}"
        else:
            known["why"] = _why(cell, row, resamples)
        rows.append(known)
    return compared(rows).drop("seed low", "seed high")


def _why(cell: Cell, row: dict[str, Any], resamples: Mapping[Cell, list[float]]) -> Why:
    """Return the interval of a cell with EDV: of fewer treebanks than the paper's."""
    item, _, value = cell
    number = scored().drop_nulls("edv").height
    margin = 10.0 if value == "importance" else MARGIN
    low, high = row.get("low"), row.get("high")
    how = ""
    if item == "Table 1":
        ends = changes_of_w(number).values()
        low = row["W"] - max(most for _, most in ends)
        high = row["W"] - min(least for least, _ in ends)
        margin, how = MARGIN / 2, " (random treebanks: LAS and words)"
    elif low is None and value == "rho":
        found = inference(row["rho"], row.get("n") or number)
        low, high = found.low, found.high
    elif low is None:
        low, high = (float(end) for end in np.quantile(resamples[cell], (0.025, 0.975)))
        how = " (bootstrap)"
    return Why(
        f"95 % interval of ours{how}, from {number} of the 90 treebanks: {low:.2f} to {high:.2f}",
        least=low, most=high, margin=margin,
    )  # fmt: skip


def values() -> pl.DataFrame:
    """Set means of EDV next to the printed ones, in thousandths, and the reach of -30 to 30."""
    frame = scored().drop_nulls("edv")
    rows: list[dict[str, object]] = []
    for column, variant in (("edv", "distance"), ("edv_masses", "masses")):
        numbers = (1000 * frame[column]).to_list()
        drawn = np.random.default_rng(0).choice(numbers, (1000, len(numbers)))
        spread = (drawn.mean(axis=1), drawn.std(axis=1, ddof=1))
        both = (("mean EDV × 1000", "1.40", fmean(numbers)), ("its sd over treebanks", "0.85", stdev(numbers)))
        for (value, printed, ours), own in zip(both, spread, strict=True):
            low, high = np.quantile(own, (0.025, 0.975))
            said = (
                f"95 % interval of ours (bootstrap), from {len(numbers)} of the 90 treebanks: {low:.2f} to {high:.2f}"
            )
            why = Why(said, least=float(low), most=float(high), margin=MARGIN)
            rows.append({"value": value, "variant": variant, "printed": printed, "ours": ours, "why": why})
    inside = 100 * (1 - read_result("edv_ud26_treebanks")["beyond_30"])
    rows.append(
        {"value": "% of arcs within -30 to 30, mean over treebanks", "variant": None, "printed": "99.38",
         "ours": fmean(inside.to_list()), "why": f"training sets of {len(inside)} treebanks; there all of UD 2.6"}
    )  # fmt: skip
    return compared(rows)


@cache
def _with_texts() -> StudyResult:
    return tg.study("edv", *treebank_folders(RELEASE), ud26(), out=None)


def _figure(item: str, *, texts: bool = False) -> Spec:
    """Return a figure of the study."""
    return dict((_with_texts() if texts else study()).figures[item])


def _without_background(column: str, given: tuple[str, ...]) -> Spec:
    return background_figure(remove_background(scored(), "las", column, given, log=LOG))


FIGURES: Mapping[str, Callable[[], Spec]] = {
    **{
        f"edv_ud26_figure{number}": partial(_figure, f"Figure {number}", texts=number < 4)
        for number in (2, 3, 4, 5, 6, 11)
    },
    "edv_ud26_figure8": partial(_without_background, "edv", GIVEN),
    "edv_ud26_figureA3": partial(_without_background, "test_words", GIVEN[:1]),
}


def drawn() -> pl.DataFrame:
    """Write the figures of UD 2.6, drawn and as data."""
    return draw(FIGURES)
