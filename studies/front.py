"""The front page of the replications: cells counted by state, and every item of the papers.

A *cell* is a printed number that a committed table compares with ours: a row of any table whose
name begins with a paper's (``edv_table2``) and that has the columns ``printed``, ``ours`` and
``state``, which the table's study writes (`studies.verdicts`). Sizes of treebanks are not cells.

An *item* is a table, a figure, an appendix or a claim of a paper. ``studies/inventory`` has
one file per paper, filled by hand, that says what became of each.
"""

import csv
from pathlib import Path

import polars as pl

from studies.parts import Part
from studies.verdicts import OF_DATA, OF_PRINT
from studies.verdicts import STATES as OF_ALL

INVENTORY = Path(__file__).parent / "inventory"
PAPERS = ("fragility", "edv", "difficulty", "content", "challenges")
COLUMNS = ["paper", "item", "kind", "state", "result", "note"]
KINDS = ("table", "figure", "appendix", "claim")
STATES = ("exact", "within seeds", "explained", "unexplained", "not applicable")


def cells(part: Part) -> list[str]:
    """Return the states of the cells that a committed table compares."""
    frame = part.read()
    if not {"printed", "ours", "state"} <= set(frame.columns):
        return []
    counted = part.counted(frame) if part.counted else frame
    states = counted.drop_nulls(["printed", "ours"])["state"].to_list()
    if unknown := set(states) - set(OF_ALL):
        raise ValueError(f"{part.name}: unknown states {unknown}")
    return states


def cell_counts(states: tuple[str, ...] = OF_DATA) -> pl.DataFrame:
    """Return how many cells of each paper are in each state."""
    from studies.__main__ import all_parts

    found = {
        paper: [
            state
            for part in all_parts()
            if part.name.startswith(f"{paper}_")
            for state in cells(part)
            if state in states
        ]
        for paper in PAPERS
    }
    return _counted(found, "cells", states)


def print_counts() -> pl.DataFrame:
    """Return how many cells follow from other printed numbers, by paper."""
    return cell_counts(OF_PRINT).filter(pl.col("cells") > 0)


def table_counts() -> pl.DataFrame:
    """Return how many cells of each table are in each state."""
    from studies.__main__ import all_parts

    found = {part.name: cells(part) for part in all_parts() if part.name.split("_")[0] in PAPERS}
    return _counted({name: states for name, states in found.items() if states}, "cells", OF_ALL, first="table")


def _counted(states: dict[str, list[str]], what: str, kinds: tuple[str, ...], first: str = "paper") -> pl.DataFrame:
    """Return one row per paper or table and one for all: how many there are, and of each kind."""
    listed = states | {"all": [state for paper in states.values() for state in paper]}
    papers: dict[str, list[str] | list[int]] = {first: list(listed)}
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


def made() -> pl.DataFrame:
    """Return what tables there are, and which of them ``make replicate`` makes."""
    from studies.__main__ import all_parts

    rows = [
        {"table": part.name, "what": part.title, "needs": " ".join(part.needs), "made": part.apart or "make replicate"}
        for part in all_parts()
    ]
    return pl.DataFrame(rows)


PARTS = (
    Part("front_cells", "Cells computed from data, by state", cell_counts),
    Part("front_print", "Cells that follow from other printed numbers", print_counts),
    Part("front_tables", "Cells of every table, by state", table_counts),
    Part("front_counts", "Items of the papers, by state", item_counts),
    Part("front_items", "Every table, figure, appendix and claim", all_items),
    Part("front_made", "All tables, and how each is made", made),
)
