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

An *item* is a table, a figure, an appendix or a claim of a paper. ``replications/inventory`` has
one file per paper, filled by hand, that says what became of each.
"""

import csv
from pathlib import Path

import polars as pl

from replications.parts import Part, beyond_rounding

INVENTORY = Path(__file__).parent / "inventory"
PAPERS = ("fragility", "edv", "difficulty", "content", "challenges")
COLUMNS = ["paper", "item", "kind", "state", "result", "note"]
KINDS = ("table", "figure", "appendix", "claim")
STATES = ("exact", "within seeds", "explained", "unexplained", "not applicable")
CELL_STATES = ("equal", "within seeds", "explained", "unexplained")


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
    frame = part.read()
    if not {"printed", "ours", "why"} <= set(frame.columns):
        return []
    counted = part.counted(frame) if part.counted else frame
    rows = counted.select("printed", "ours", "why").drop_nulls(["printed", "ours"]).iter_rows()
    return [cell_state(printed, float(ours), why) for printed, ours, why in rows]


def cell_counts() -> pl.DataFrame:
    """Return how many cells of each paper are equal, within seeds, explained and unexplained."""
    from replications.__main__ import all_parts

    states = {
        paper: [state for part in all_parts() if part.name.startswith(f"{paper}_")
                for state in cells(part)]
        for paper in PAPERS
    }  # fmt: skip
    frame = _counted(states, "cells", CELL_STATES)
    return frame.with_columns(
        (100 * pl.col("unexplained") / pl.col("cells")).alias("unexplained %")
    )


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
    Part("front_counts", "Items of the papers, by state", item_counts),
    Part("front_items", "Every table, figure, appendix and claim", all_items, shown=_shown_items),
)
