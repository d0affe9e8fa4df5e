"""The search of the site: its index as a script, so that it also works for pages on disk.

Browsers load no data and start no worker for a page that was opened from a folder, but they run its
scripts. ``search.js`` reads it. Terms of the glossary, with their
synonyms, lead to the page that explains them.
"""

import json
import re
from html.parser import HTMLParser

TARGET = "search_index.js"
HEADINGS = ("h1", "h2", "h3", "h4")
#: Tags that run on within a word or a line; all others separate words.
INLINE = {"a", "abbr", "b", "code", "em", "i", "mark", "small", "span", "strong", "sub", "sup"}
UNREAD = {"script", "style", "svg", "button"}
#: What a match on a page counts; guides come before reference, and reference before studies.
WEIGHTS = {
    "howto/": 1.4, "concepts/": 1.4, "api/": 0.4, "commands/": 0.6, "replications": 0.5,
    "notebooks/": 0.8, "changelog": 0.2, "numbers": 0.8, "glossary": 0.9, "validation_tests": 0.6,
    "contributing": 0.5, "map.html": 0.5, "benchmarks": 0.7, "releases": 0.6, "gallery": 0.6,
    "measures/treebanks": 0.5,
}  # fmt: skip
FIGURE = re.compile(r"[-−+±]?[\d.,–% ]+")
TERM = re.compile(r"^\| ([^|]+) \|.*\| \[[^\]]*\]\(([\w/]+)\.md", re.MULTILINE)

Section = tuple[str, str, str]


class Sections(HTMLParser):
    """The text of a page, heading by heading: anchor, heading and text below it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[list[str]] = [["", "", ""]]
        self._heading = False
        self._cell = False
        self._unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a section at a heading, and leave out what nobody reads."""
        given = dict(attrs)
        self._cell = tag == "td"
        if tag in UNREAD or given.get("class") == "headerlink" or self._unread:
            self._unread += tag not in {"br", "img", "input", "hr", "path", "circle", "use"}
        elif tag in HEADINGS and given.get("id"):
            self.found.append([given["id"] or "", "", ""])
            self._heading = True
        elif tag not in INLINE:
            self._add(" ")

    def handle_endtag(self, tag: str) -> None:
        """End a heading."""
        if self._unread:
            self._unread -= 1
        elif tag in HEADINGS:
            self._heading = False
        elif tag not in INLINE:
            self._add(" ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Pass over a tag without contents."""

    def handle_data(self, data: str) -> None:
        """Add text to the heading or to what is below it, but no cell that is a figure."""
        if not self._unread and not (self._cell and FIGURE.fullmatch(data)):
            self._add(data)

    def _add(self, text: str) -> None:
        self.found[-1][1 if self._heading else 2] += text


def sections(html: str) -> list[Section]:
    """Return anchor, heading and text of the sections of a page, without the figures in tables.

    Examples
    --------
    >>> sections('<h1 id="a">A &amp; B</h1><p>1 <b>two</b></p><td>3</td><td>four</td>')
    [('a', 'A & B', '1 two four')]
    """
    parser = Sections()
    parser.feed(html)
    rows = [(anchor, _line(heading), _line(text)) for anchor, heading, text in parser.found]
    return [row for row in rows if row[1] or row[2]]


def _line(text: str) -> str:
    return " ".join(text.split())


def keywords(glossary: str) -> dict[str, list[str]]:
    """Return the terms of the glossary by the page that explains them.

    Examples
    --------
    >>> keywords("| p-value, *significance* | how often ... | [which test](which_test.md) |")
    {'which_test.html': ['p-value, significance']}
    """
    terms: dict[str, list[str]] = {}
    for term, page in TERM.findall(glossary):
        terms.setdefault(f"{page}.html", []).append(term.replace("*", "").replace("`", ""))
    return terms


def weight(url: str) -> float:
    """Return what a match on a page counts."""
    return next((one for start, one in WEIGHTS.items() if url.startswith(start)), 1.0)


def index(pages: dict[str, tuple[str, str]], glossary: str) -> str:
    """Return the index as a script: per page its address, title, weight, further terms and sections.

    `pages` are title and HTML by address.
    """
    terms = keywords(glossary)
    rows = [
        [url, title, weight(url), "; ".join(terms.get(url, [])), sections(html)] for url, (title, html) in pages.items()
    ]
    return f"window.searchIndex = {json.dumps(rows, ensure_ascii=False, separators=(',', ':'))};\n"
