r"""Long tables of the pages as CSV in ``docs/tables``, which the site shows as tables again.

A page has a link to the file on a line of its own, ``[Scoring: 33 rows](tables/benchmarks-scoring.csv)``,
so that the repository stays readable and spreadsheets open what the page shows.
``python -m tools.docs.tables PAGE...`` moves the long tables of pages that people write.
"""

import csv
import io
import re
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
HOME = DOCS / "tables"
ROWS = 8
"""Rows of a table that stays in the Markdown of its page."""
FEW = 3
"""The same for pages that are mostly tables, such as benchmarks."""
FOLDED = 20
"""Rows of a table that the site shows without a fold."""
LINK = re.compile(r"^\[([^\]]+)\]\(((?:\.\./)*tables/([\w.-]+\.csv))\)$", re.MULTILINE)
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_TABLE = re.compile(r"^\|.*\|\n\|[-:| ]+\|\n(?:\|.*\|(?:\n|\Z))+", re.MULTILINE)
_FOLD = re.compile(r"<details markdown><summary>(.*?)(?: \(\d+ rows\))?</summary>\n\n\0(\d+)\0\n*</details>")
_NUMBER = re.compile(r"(?:[<>≤≥~ ]*[-−+±]?[\d.,]+ ?%?(?: ?(?:to|–|-) ?[-−+]?[\d.,]+ ?%?)?|-|–|)")


def as_csv(table: str) -> str:
    r"""Return a Markdown table as CSV; cells stay Markdown.

    Examples
    --------
    >>> as_csv("| a | b |\n|---|--:|\n| `x\\|y` | 1,5 |\n")
    'a,b\n`x|y`,"1,5"\n'
    """
    lines = table.strip().split("\n")
    rows = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]] for line in lines]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([rows[0], *rows[2:]])
    return out.getvalue()


def as_markdown(text: str) -> str:
    r"""Return CSV as a Markdown table, columns of numbers to the right.

    Examples
    --------
    >>> print(as_markdown('a,b\n`x|y`,"1,5"\n'))
    | a | b |
    |---|--:|
    | `x\|y` | 1,5 |
    """
    head, *rows = list(csv.reader(io.StringIO(text)))
    right = [all(_NUMBER.fullmatch(row[i]) for row in rows) for i in range(len(head))]
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in (head, *rows)]
    return "\n".join([lines[0], f"|{'|'.join('--:' if one else '---' for one in right)}|", *lines[1:]])


def link(title: str, name: str, rows: int, page: Path) -> str:
    """Return the line of a page that stands for a table."""
    up = "../" * (len(page.relative_to(DOCS).parts) - 1)
    return f"[{title}: {rows} rows]({up}tables/{name}.csv)"


def moved(text: str, page: Path, *, rows: int = ROWS) -> tuple[str, dict[str, str]]:
    """Return a page with links for its long tables, and the tables by name, as CSV."""
    made: dict[str, str] = {}
    lines: list[str] = []

    def taken(table: re.Match[str]) -> str:
        count = table[0].strip().count("\n") - 1
        if count <= rows:
            return table[0]
        before = text[: table.start()]
        title = re.sub(r"[`*\[\]]|\([^)]*\)", "", ["", *_HEADING.findall(before)][-1]).strip()
        stem = f"{page.stem}-{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')}"[:60].strip("-")
        used = {*made, *(name.removesuffix(".csv") for _, _, name in LINK.findall(text))}
        name = next(one for one in (stem, *(f"{stem}-{n}" for n in range(2, 99))) if one not in used)
        made[name] = as_csv(table[0])
        lines.append(link(title or page.stem, name, count, page))
        return f"\0{len(lines) - 1}\0\n"

    new = _TABLE.sub(taken, text)
    for title, number in _FOLD.findall(new):
        lines[int(number)] = re.sub(r"^\[[^\]]*: (\d+ rows)\]", rf"[{title}: \1]", lines[int(number)])
    new = _FOLD.sub("\0\\2\0", new)
    return re.sub(r"\0(\d+)\0", lambda one: lines[int(one[1])], new), made


def write(page: Path, text: str, *, rows: int = ROWS) -> None:
    """Write a page and its long tables."""
    short, made = moved(text, page, rows=rows)
    page.write_text(short, encoding="utf-8")
    for name, content in made.items():
        (HOME / f"{name}.csv").write_text(content, encoding="utf-8")


def shown(markdown: str) -> str:
    """Return a page with its tables in place of their links, long ones folded, each with its file."""

    def table(found: re.Match[str]) -> str:
        title, address, name = found.groups()
        content = as_markdown((HOME / name).read_text(encoding="utf-8"))
        file = f"[{name}]({address}){{ download }}"
        if content.count("\n") - 1 <= FOLDED or "<details" in markdown[: found.start()].rpartition("</details>")[2]:
            return f"{content}\n\n{file}"
        return f"<details markdown><summary>{title}</summary>\n\n{file}\n\n{content}\n\n</details>"

    return LINK.sub(table, markdown)


def unused() -> set[str]:
    """Return files of tables that no page shows, and those that a page shows and nobody has written."""
    named = {name for page in DOCS.rglob("*.md") for _, _, name in LINK.findall(page.read_text(encoding="utf-8"))}
    return named ^ {path.name for path in HOME.glob("*.csv")}


if __name__ == "__main__":
    for one in map(Path, sys.argv[1:]):
        few = one.stem in {"benchmarks", "reliability"}
        write(one.resolve(), one.read_text(encoding="utf-8"), rows=FEW if few else ROWS)
