"""Count the words of README and docs: `python -m tools.docs.words` prints words per page and in all.

Two numbers per page. *Prose* is what people have to read: tables, code, output and whatever a script
writes between a comment and ``<!-- end -->`` do not count; code within a sentence is one word. *All*
is everything on the page, with code, output and tables, but without the rules that draw a table. A notebook
counts with its text, its code and what it printed as text. Data are files apart (``docs/tables``, JSON).
"""

import json
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PROSE, ALL = 40_000, 90_000
"""Words that README and docs may have: prose, and everything."""
NOT_COUNTED = re.compile(
    r"<!-- [a-z].*?<!-- end -->|<!--.*?-->|```.*?```|^(?: {4}|\t|\||:::).*?$|</?[a-z][^<>\n]*>",
    re.DOTALL | re.MULTILINE,
)
CODE = re.compile(r"`+[^`\n]+`+|\]\([^)]*\)")


class Words(NamedTuple):
    """The words of a page."""

    prose: int
    all: int


def counted(text: str) -> int:
    """Return the number of words, which have a letter or a digit."""
    return sum(any(letter.isalnum() for letter in word) for word in text.split())


def words(text: str) -> Words:
    r"""Return the words of a page.

    Examples
    --------
    >>> words("Run `treegauge score`, see [scores](scoring.md).\n\n| a | table |")
    Words(prose=4, all=7)
    """
    return Words(counted(CODE.sub("X", NOT_COUNTED.sub("", text))), counted(text))


def notebook(content: str) -> Words:
    """Return the words of a notebook: its text, its code, and output that is text."""
    prose = everything = 0
    for cell in json.loads(content)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            prose += words(source).prose
        printed = [
            "".join(one.get("text", one.get("data", {}).get("text/plain", ""))) for one in cell.get("outputs", [])
        ]
        everything += counted(" ".join([source, *printed]))
    return Words(prose, everything)


def counts() -> dict[str, Words]:
    """Return the words of every page and notebook."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found = {str(page.relative_to(ROOT)): words(page.read_text("utf-8")) for page in pages}
    books = sorted((ROOT / "docs").rglob("*.ipynb"))
    return found | {str(book.relative_to(ROOT)): notebook(book.read_text("utf-8")) for book in books}


def total() -> Words:
    """Return the words of all pages and notebooks."""
    found = counts().values()
    return Words(sum(one.prose for one in found), sum(one.all for one in found))


def main() -> None:
    """Print the counts; end with an error above a limit."""
    for page, number in counts().items():
        print(f"{number.prose:7,} {number.all:7,}  {page}")
    whole = total()
    print(f"{whole.prose:7,} {whole.all:7,}  prose and all; the limits are {PROSE:,} and {ALL:,}")
    if whole.prose > PROSE or whole.all > ALL:
        sys.exit(1)


if __name__ == "__main__":
    main()
