"""The front page of the replications: cells counted by state, and every item of the papers.

A *cell* is a printed number that a committed table compares with ours: a row of any table whose
name begins with a paper's (``edv_table2``) and that has the columns ``printed``, ``ours`` and
``why``. Its state follows from the row:

``equal``
    ours rounds to the printed digits;
``within seeds``
    ``why`` begins with "within seeds": the printed value lies in the interval of our seeds;
``unexplained``
    ``why`` begins with "unexplained"; the hypotheses that were tried follow;
``explained``
    ``why`` says anything else.

Explained cells are counted by what the reason rests on (`REASONS`): arithmetic (rounding or an
error in print), another choice that gives the printed value, a test or an interval that includes
it, a prediction from other cells, or a difference that is named without a measure of its effect.

An *item* is a table, a figure, an appendix or a claim of a paper. ``studies/inventory`` has
one file per paper, filled by hand, that says what became of each.
"""

import csv
import re
from pathlib import Path

import polars as pl

from studies.parts import Part, beyond_rounding

INVENTORY = Path(__file__).parent / "inventory"
PAPERS = ("fragility", "edv", "difficulty", "content", "challenges")
COLUMNS = ["paper", "item", "kind", "state", "result", "note"]
KINDS = ("table", "figure", "appendix", "claim")
STATES = ("exact", "within seeds", "explained", "unexplained", "not applicable")
CELL_STATES = ("equal", "within seeds", "explained", "unexplained")
REASONS = {
    "arithmetic": (
        r"misprint|rounded|two decimals|known to one decimal|the chance of more than|follows if"
        r"|with es_ancora|a mean of products|comes out without|contradicts Table 1|read off"
        r"|as published has|without ga_idt"
    ),
    "another choice": (
        r"another reading|definition:|epochs|updates as batches|without punctuation"
        r"|entropy at its least|ranks residuals|over all bins"
    ),
    "tested": (r"interval of ours|the interval is|p = \d|random \d+ of the 94|two samples of a million"),
    "predicted": r"words per batch|follows Table 1|which was not run here",
}
"""What the reasons of explained cells rest on: the first pattern that a reason has."""
NAMED = "named only"
OUTSIDE = "outside the interval"


def cell_state(printed: str, ours: float, why: str | None) -> str:
    """Return the state of one cell.

    Examples
    --------
    >>> cell_state("1.14", 1.1435, None), cell_state("4.0", 4.1, "within seeds: 3.9 to 4.3")
    ('equal', 'within seeds')
    >>> cell_state("4.0", 4.1, "unexplained: not tags"), cell_state("4.0", 4.1, "UD 2.9 for 2.8")
    ('unexplained', 'explained')
    """
    if not beyond_rounding(printed, ours):
        return "equal"
    if why is None:
        raise ValueError(f"{ours} is not the printed {printed}, and the row does not say why")
    for state in ("within seeds", "unexplained"):
        if why.startswith(state):
            return state
    return "explained"


def cells(part: Part) -> list[str]:
    """Return the states of the cells that a committed table compares."""
    return [state for state, _ in _reasons(part)]


def _reasons(part: Part) -> list[tuple[str, str]]:
    """Return the state and the reason of each cell that a committed table compares."""
    frame = part.read()
    if not {"printed", "ours", "why"} <= set(frame.columns):
        return []
    counted = part.counted(frame) if part.counted else frame
    rows = counted.select("printed", "ours", "why").drop_nulls(["printed", "ours"]).iter_rows()
    return [(cell_state(printed, float(ours), why), why or "") for printed, ours, why in rows]


def cell_counts() -> pl.DataFrame:
    """Return how many cells of each paper are equal, within seeds, explained and unexplained."""
    from studies.__main__ import all_parts

    states = {
        paper: [state for part in all_parts() if part.name.startswith(f"{paper}_") for state in cells(part)]
        for paper in PAPERS
    }
    frame = _counted(states, "cells", CELL_STATES)
    return frame.with_columns((100 * pl.col("unexplained") / pl.col("cells")).alias("unexplained %"))


def reason_kind(why: str) -> str:
    """Return what the reason of an explained cell rests on.

    Examples
    --------
    >>> reason_kind("misprint: this row is of -0.428"), reason_kind("28 targets for 56")
    ('arithmetic', 'named only')
    >>> reason_kind("other treebanks: samples of 28 and of 56 differ this much with p = 0.48")
    'tested'
    """
    if why.startswith(OUTSIDE):
        return NAMED
    kinds = (kind for kind, pattern in REASONS.items() if re.search(pattern, why))
    return next(kinds, NAMED)


def reason_counts() -> pl.DataFrame:
    """Return what the reasons of explained cells rest on, by paper."""
    from studies.__main__ import all_parts

    kinds: dict[str, list[str]] = {paper: [] for paper in PAPERS}
    for part in all_parts():
        paper = part.name.split("_")[0]
        if paper in kinds:
            kinds[paper] += [reason_kind(why) for state, why in _reasons(part) if state == "explained"]
    return _counted(kinds, "explained", (*REASONS, NAMED))


def _counted(states: dict[str, list[str]], what: str, kinds: tuple[str, ...]) -> pl.DataFrame:
    """Return one row per paper and one for all: how many there are, and how many of each kind."""
    listed = states | {"all": [state for paper in states.values() for state in paper]}
    papers: dict[str, list[str] | list[int]] = {"paper": list(listed)}
    numbers = {kind: [found.count(kind) for found in listed.values()] for kind in kinds}
    return pl.DataFrame(papers | {what: [len(found) for found in listed.values()]} | numbers)


def items(paper: str) -> list[dict[str, str]]:
    """Return the rows of a paper's inventory."""
    path = INVENTORY / f"{paper}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        rows = list(reader)
    if reader.fieldnames != COLUMNS:
        raise ValueError(f"{path}: found columns {reader.fieldnames}, expected {COLUMNS}")
    return rows


def all_items() -> pl.DataFrame:
    """Return every item of the five papers with its state."""
    return pl.DataFrame([row for paper in PAPERS for row in items(paper)], schema=COLUMNS)


def item_counts() -> pl.DataFrame:
    """Return how many items of each paper are in each state."""
    states = {paper: [row["state"] for row in items(paper)] for paper in PAPERS}
    return _counted(states, "items", STATES)


def _shown_items(frame: pl.DataFrame) -> pl.DataFrame:
    names = pl.col("result").str.replace_all(r"(\S+)", "`$1`")
    return frame.with_columns(names)


PARTS = (
    Part("front_cells", "Cells compared, by state", cell_counts, digits=1),
    Part("front_reasons", "What explained cells rest on", reason_counts),
    Part("front_counts", "Items of the papers, by state", item_counts),
    Part("front_items", "Every table, figure, appendix and claim", all_items, shown=_shown_items),
)
