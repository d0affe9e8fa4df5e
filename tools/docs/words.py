"""Count the words of the docs: `python -m tools.docs.words` prints words per page and in all.

Words are those that people have to read: tables, code, output and whatever a script writes between
a comment and ``<!-- end -->`` do not count; code within a sentence is one word.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMIT = 50_000
"""Words that README and docs may have in all."""
NOT_COUNTED = re.compile(
    r"<!-- [a-z].*?<!-- end -->|<!--.*?-->|```.*?```|^(?: {4}|\t|\||:::).*?$|</?[a-z][^<>\n]*>",
    re.DOTALL | re.MULTILINE,
)
CODE = re.compile(r"`+[^`\n]+`+|\]\([^)]*\)")


def words(text: str) -> int:
    r"""Return the number of words of a page.

    Examples
    --------
    >>> words("Run `treegauge score`, see [scores](scoring.md).\n\n| a | table |")
    4
    """
    prose = CODE.sub("X", NOT_COUNTED.sub("", text))
    return sum(any(letter.isalnum() for letter in word) for word in prose.split())


def counts() -> dict[str, int]:
    """Return the number of words of every page."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return {str(page.relative_to(ROOT)): words(page.read_text("utf-8")) for page in pages}


def main() -> None:
    """Print the counts; end with an error above the limit."""
    found = counts()
    for page, number in found.items():
        print(f"{number:6,}  {page}")
    total = sum(found.values())
    print(f"{total:6,}  in all; the limit is {LIMIT:,}")
    if total > LIMIT:
        sys.exit(1)


if __name__ == "__main__":
    main()
