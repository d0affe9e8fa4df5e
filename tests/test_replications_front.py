"""Every item of the five papers has a state, cells are counted, and pages stay short."""

import re
from pathlib import Path

import pytest

from studies.__main__ import all_parts
from studies.front import KINDS, PAPERS, STATES, cell_counts, items, print_counts, table_counts
from studies.verdicts import CONSISTENT, INCONSISTENT, OF_DATA, OF_PRINT

ROOT = Path(__file__).parent.parent
RESULTS = {part.name for part in all_parts()}
MOST_WORDS = 25_000
"""Of all pages of replications, tables included."""
PAGES = [*(ROOT / "docs" / "replications").glob("*.md"), ROOT / "docs" / "replications.md"]

# What the papers number: tables, figures, appendices; and how many claims and wishes were listed.
NUMBERED: dict[str, tuple[list[str], list[str], list[str]]] = {
    "fragility": ([str(n) for n in range(1, 11)], ["1", "2"], ["A", "B"]),
    "edv": (
        [*"1234567", "B.1", "D.1"],
        [*(str(n) for n in range(1, 15)), *(f"A.{n}" for n in range(1, 9)), "B.1", "D.1"],
        [*"ABCD"],
    ),
    "difficulty": (["1"], ["1", "2", "3"], ["A", "B"]),
    "content": (["1", "2", "3"], ["1", "2", "3", "4", "5"], []),
    "challenges": (["1", "2", "3"], ["1", "2", "3"], []),
}
CLAIMS = {"fragility": 26, "edv": 17, "difficulty": 22, "content": 9, "challenges": 22}


@pytest.mark.parametrize("paper", PAPERS)
def test_no_item_of_a_paper_is_missing(paper: str) -> None:
    tables, figures, appendices = NUMBERED[paper]
    expected = [f"Table {n}" for n in tables] + [f"Figure {n}" for n in figures]
    expected += [f"Appendix {letter}" for letter in appendices]
    rows = items(paper)
    listed = [row["item"] for row in rows]
    assert not set(expected) - set(listed)
    assert len(set(listed)) == len(listed)
    assert sum(row["kind"] == "claim" for row in rows) >= CLAIMS[paper]


@pytest.mark.parametrize("paper", PAPERS)
def test_items_have_a_known_state_and_name_results_that_exist(paper: str) -> None:
    for row in items(paper):
        assert row["paper"] == paper
        assert row["kind"] in KINDS, row
        assert row["state"] in STATES, row
        for name in row["result"].split():
            assert name in RESULTS or ("/" in name and (ROOT / name).is_file()), row
        # What was not redone, or came out differently, needs a reason.
        assert row["result"] or row["state"] == "not applicable", row
        assert row["note"] != "to do", row
        assert row["note"] or row["state"] in {"exact", "within seeds"}, row


def test_cells_of_data_and_of_the_print_are_counted_apart() -> None:
    of_data, of_print, tables = cell_counts(), print_counts(), table_counts()
    for frame, states in ((of_data, OF_DATA), (of_print, OF_PRINT)):
        total = frame.row(-1, named=True)
        assert total["paper"] == "all"
        assert total["cells"] == sum(total[state] for state in states) > 100
    every = tables.row(-1, named=True)
    assert every["cells"] == of_data["cells"][-1] + of_print["cells"][-1]
    derived = tables.filter(table="edv_derived").row(0, named=True)
    # Counted by hand in the paper: rows of Tables 4, 6, 7 and B.1, without p-values below .001.
    assert derived["cells"] == derived[CONSISTENT] + derived[INCONSISTENT] == 173


def test_replications_are_short_enough_to_be_read() -> None:
    words = sum(len(page.read_text("utf-8").split()) for page in PAGES)
    assert words <= MOST_WORDS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_are_short(page: Path) -> None:
    limit = 800 if page.name == "replications.md" else 1500
    assert words_outside_tables(page.read_text("utf-8")) <= limit


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_folded_tables_are_rendered(page: Path) -> None:
    opened = re.findall(r"<details[^>]*>", page.read_text("utf-8"))
    assert all(" markdown" in tag for tag in opened)


def test_words_of_tables_code_and_comments_do_not_count() -> None:
    text = "Two words.\n\n| a | b |\n| --- | --- |\n\n```\nx\n```\n<!-- no -->\n![alt text](x.svg)\n"
    assert words_outside_tables(text) == 2


def words_outside_tables(text: str) -> int:
    """Words of a page, without tables, fenced code, comments, images and tags."""
    for pattern in (r"```.*?```", r"<!--.*?-->", r"!\[[^\]]*\]\([^)]*\)", r"<[^>]+>"):
        text = re.sub(pattern, "", text, flags=re.DOTALL)
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("|")]
    return sum(any(c.isalnum() for c in word) for word in " ".join(lines).split())
