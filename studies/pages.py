"""Put stored tables into pages of the documentation, so that no number is copied by hand.

A page says where with a pair of comments:

    <!-- result: fragility_table3 -->
    <!-- end -->

A table of more rows than a page shows itself is a file in ``docs/tables``, to which the page has a link.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import polars as pl

from studies.parts import Part
from tools.docs import tables
from treegauge.core.files import atomic

DOCS = Path(__file__).parent.parent / "docs"
PLACE = re.compile(r"<!-- result: (\S+) -->\n.*?<!-- end -->", re.DOTALL)
MOST = 20
"""Rows of a table that the page of a replication shows."""
WHOLE = ("content_table3", "fragility_table3")
"""Tables that such a page shows at any length: what the paper is about."""
UNSEEN = ("why", "least", "most", "margin", "difference", "low", "high", "printed p", "p")
"""Columns that such a page leaves to the file."""


def markdown(frame: pl.DataFrame, digits: int = 2) -> str:
    r"""Lay out a frame as a Markdown table.

    Examples
    --------
    >>> print(markdown(pl.DataFrame({"system": ["a", "b|c"], "rank": [1.5, None]}), digits=1))
    | system | rank |
    | --- | ---: |
    | a | 1.5 |
    | b\|c |  |
    """

    def cell(value: object) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float):
            short = f"{value:.{digits}f}"
            small = float(short) == 0 and value != 0
            return f"{value:.1g}" if small else short
        return "" if value is None else str(value).replace("|", "\\|")

    rule = ["---:" if dtype.is_numeric() else "---" for dtype in frame.dtypes]
    rows = [frame.columns, rule, *([cell(value) for value in row] for row in frame.iter_rows())]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def filled(text: str, parts: Mapping[str, Part], page: Path) -> tuple[str, dict[str, str]]:
    """Return a page with its tables as they are kept, and the files of its long tables by name.

    A page of a replication shows the rows that were printed, with their state, and names
    the file that has all rows, intervals and reasons; of a long table it names the file only.
    """
    short, files = page.parent.name == "replications", dict[str, str]()

    def table(place: re.Match[str]) -> str:
        name = place[1]
        part = parts[name]
        frame = part.read()
        shown = part.shown(frame) if part.shown else frame
        if short and not part.shown:
            if "printed" in shown.columns and shown["printed"].null_count() < shown.height:
                shown = shown.filter(pl.col("printed").is_not_null())
            shown = shown.drop([name for name in UNSEEN if name in shown.columns])
        if short and shown.height > MOST and name not in WHOLE:
            return f"<!-- result: {name} -->\n\n{part.title}: `studies/results/{name}.csv`\n\n<!-- end -->"
        if "why" in shown.columns and shown["why"].null_count() == shown.height:
            shown = shown.drop("why")
        laid = markdown(shown, part.digits)
        if shown.height > tables.ROWS:
            file = f"{page.stem}-{name}"
            files[file] = tables.as_csv(laid)
            laid = tables.link(part.title, file, shown.height, page)
        return f"<!-- result: {name} -->\n\n{laid}\n\n<!-- end -->"

    return PLACE.sub(table, text), files


def pages() -> list[Path]:
    """Return the pages that hold tables of ours."""
    return [page for page in sorted(DOCS.rglob("*.md")) if PLACE.search(page.read_text("utf-8"))]


def write_pages(parts: Iterable[Part]) -> list[Path]:
    """Fill all pages; return those that changed."""
    named = {part.name: part for part in parts}
    changed = []
    for page in pages():
        before = page.read_text("utf-8")
        after, files = filled(before, named, page)
        for name, content in files.items():
            (tables.HOME / f"{name}.csv").write_text(content, encoding="utf-8")
        if after != before:
            with atomic(page) as out:
                out.write(after.encode())
            changed.append(page)
    return changed
