"""Names and texts of any content survive in the data of a page and never end its script."""

import json
from functools import cache
from html.parser import HTMLParser
from random import Random

from tools.fuzz.mutation import spliced
from tools.fuzz.targets import Target
from treegauge.reporting.packing import block

_PIECES = [b"</script>", b"<!--", b"-->", b"<script", b"]]>", b"&lt;", b"\\u003c", b"\xe2\x80\xa8",
           b"\xe2\x80\xa9", b"\0", b"'", b'"', b"\\", b"</SCRIPT ", b"javascript:", b"${x}",
           b"\xed\xa0\x80", b"\xff", b"\xef\xbf\xbf", b"\r\n"]  # fmt: skip


def make(random: Random) -> bytes:
    """Return a text of characters with a meaning in HTML and JavaScript."""
    text = b"".join(random.choices(_PIECES, k=random.randrange(1, 8)))
    for _ in range(random.randrange(3)):
        text = spliced(text, random, _PIECES)
    return text


def vary(data: bytes, random: Random) -> bytes:
    """Change the text."""
    return spliced(data, random, _PIECES)


class _Elements(HTMLParser):
    """Counts script elements and collects their contents."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.scripts: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.append(tag)
        if tag == "script":
            self.scripts.append("")
            self._inside = True

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "script"

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.scripts[-1] += data


@cache
def _plain() -> list[str]:
    return _parsed("plain").elements


def _parsed(text: str) -> _Elements:
    from treegauge.reporting.page import Section, page

    data = {"name": text, "rows": [{text: [text, 1.5, None]}]}
    section = Section("scores", text, text, data, short=[text], treebanks=[text], systems=[text])
    html = page(text, text, [section])
    html.encode()
    elements = _Elements()
    # The code of the page is always the same; only the parts with the text are parsed.
    start, end = html.index("<style>"), html.index("</style>")
    last = html.rindex("<script>")
    elements.feed(html[:start] + html[end + len("</style>") : last])
    return elements


def check(data: bytes) -> str:
    """Put a text into every place of a page that takes one, and read the page again."""
    text = data.decode(errors="replace").replace("\n", " ")
    assert json.loads(block({"text": text})) == {"text": text}
    if len(data) % 16:  # a whole page takes a thousand times as long
        return "packed"
    found = _parsed(text)
    assert found.elements == _plain()
    assert any(text in script or json.loads(script).get("name") == text for script in found.scripts)
    return "page"


TARGET = Target("gives back every text of its data, and no text adds or ends an element of the page", make, check, vary)
