"""Put the drawings of concept pages into the pages, so that they follow light and dark colours."""

import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

PICTURE = re.compile(r"^!\[([^\]]+)\]\(\.\./(images/concepts/\w+\.svg)\)$", re.MULTILINE)


def on_page_markdown(markdown: str, *, page: "Page", config: "MkDocsConfig", files: "Files") -> str:
    """Replace links to drawings by the drawings, with the text of the link for screen readers."""
    home = Path(config.docs_dir)
    return PICTURE.sub(lambda link: inline(home / link[2], link[1]), markdown)


def inline(path: Path, text: str) -> str:
    """Return a drawing as HTML, in the colours of the page."""
    svg = re.sub(r"<style>.*?</style>", "", path.read_text(encoding="utf-8"), count=1).strip()
    label = f' aria-label="{escape(text)}"'
    return f'<div class="picture">{svg.replace(" role=", label + " role=", 1)}</div>'
