"""A self-contained page: sections of text, tables and drawings, nothing fetched from anywhere."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from treegauge.result import Result


@dataclass(frozen=True)
class Section:
    """A part of the page: a heading, a paragraph, and results or drawings below it.

    Parameters
    ----------
    title, text
        Plain text; escaped when the page is made.
    parts
        Results (shown as tables with their signatures) and SVG drawings.
    command
        The command that reproduces the section.
    """

    title: str
    text: str
    parts: Sequence[Result | str] = ()
    command: str | None = None

    @property
    def anchor(self) -> str:
        """The section's link target."""
        return "-".join("".join(c if c.isalnum() else " " for c in self.title.lower()).split())

    def to_html(self) -> str:
        """Return the section as HTML."""
        body = [f'<section id="{self.anchor}">', f"<h2>{escape(self.title)}</h2>"]
        body.append(f"<p>{escape(self.text)}</p>")
        for part in self.parts:
            shown = part if isinstance(part, str) else part.to_html()
            body.append(f'<div class="wide">{shown}</div>')
        if self.command:
            body.append(f"<pre><code>{escape(self.command)}</code></pre>")
        return "\n".join([*body, "</section>"])


def page(title: str, introduction: str, sections: Sequence[Section]) -> str:
    """Return a complete HTML page.

    Examples
    --------
    >>> html = page("<b>", "text", [Section("A & B", "below")])
    >>> "<b>" in html, 'href="#a-b"' in html, "http" in html
    (False, True, False)
    """
    style = files(__name__.rpartition(".")[0]).joinpath("page.css").read_text(encoding="utf-8")
    links = "\n".join(f'<a href="#{s.anchor}">{escape(s.title)}</a>' for s in sections)
    body = "\n".join(section.to_html() for section in sections)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{style}</style>
</head>
<body>
<header><h1>{escape(title)}</h1><p>{escape(introduction)}</p><nav>{links}</nav></header>
<main>
{body}
</main>
</body>
</html>
"""
