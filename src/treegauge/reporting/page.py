"""One HTML file that works anywhere: nothing is fetched, nothing is sent."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from typing import Any

from treegauge import __version__
from treegauge.core.result import Result
from treegauge.reporting.methods import Method, methods_html
from treegauge.reporting.packing import to_json

#: Scripts in the order in which the page has them; all share one scope.
SCRIPTS = (
    "core", "chart", "tree", "table", "heat", "scores", "ranks", "picker", "ranking", "treebanks",
    "mapdata", "mapview", "maps", "curves", "equivalents", "learning", "main",
)  # fmt: skip


@dataclass(frozen=True)
class Section:
    """A section: text and tables that need no script, and data for what can be moved and clicked.

    `key` is its name in links and of the script that brings it to life; `title`, `text` and the
    main findings (`short`, a sentence each) are plain text; `data` becomes JSON for the script;
    `tables` are results by caption, folded, and `shown` those that are open from the start, without
    a script; `methods` say how numbers are made.
    """

    key: str
    title: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    tables: Sequence[tuple[str, Result]] = ()
    methods: Sequence[Method] = ()
    short: Sequence[str] = ()
    shown: Sequence[tuple[str, Result]] = ()

    def to_html(self) -> str:
        """Return the section as HTML.

        Examples
        --------
        >>> print(Section("a", "A & B", "text").to_html())
        <section id="a" tabindex="-1" aria-labelledby="a-title">
        <h2 id="a-title">A &amp; B</h2>
        <p class="lead">text</p>
        <div class="live"></div>
        </section>
        """
        lines = [
            f'<section id="{self.key}" tabindex="-1" aria-labelledby="{self.key}-title">',
            f'<h2 id="{self.key}-title">{escape(self.title)}</h2>',
            *(f'<p class="lead">{escape(text)}</p>' for text in self.text.split("\n")),
        ]
        lines += [
            f"<h3>{escape(caption)}</h3>{_region(caption, result)}"
            for caption, result in self.shown
        ]
        lines.append('<div class="live"></div>')
        lines += [
            f"<details><summary>{escape(caption)}</summary>{_region(caption, result)}</details>"
            for caption, result in self.tables
        ]
        return "\n".join([*lines, "</section>"])


def _region(caption: str, result: Result) -> str:
    """Return tables in a frame of their own, in which wide ones scroll."""
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f"{result.to_html()}</div>"
    )


def asset(name: str) -> str:
    """Return a packaged script or style."""
    home = files(__name__.rpartition(".")[0]).joinpath("assets")
    return home.joinpath(name).read_text(encoding="utf-8")


def page(title: str, introduction: str, sections: Sequence[Section]) -> str:
    """Return a complete HTML page; the same sections give the same bytes.

    The title and the introduction are plain text; the methods behind the sections come last.

    Examples
    --------
    >>> html = page("<b>", "text", [Section("a", "A & B", "below")])
    >>> "<b>" in html, 'href="#a"' in html, "src=" in html
    (False, True, False)
    """
    keys = [(section.key, section.title) for section in sections]
    links = "".join(
        f'<a href="#{key}">{escape(name)}</a>' for key, name in [*keys, ("methods", "Methods")]
    )
    body = "\n".join(section.to_html() for section in sections)
    findings = "".join(
        f'<li><a href="#{section.key}">{escape(section.title)}</a>: '
        f"{escape(' '.join(section.short))}</li>"
        for section in sections
        if section.short
    )
    short = f'<ul class="short">{findings}</ul>' if findings else ""
    data = "\n".join(
        f'<script type="application/json" id="data-{section.key}">{to_json(section.data)}</script>'
        for section in sections
        if section.data
    )
    scripts = "\n".join(asset(f"{name}.js") for name in SCRIPTS)
    code = f'\n(() => {{\n"use strict";\n{scripts}}})();\n'
    # The browser may run this script and no other, and load nothing from anywhere.
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="generator" content="treegauge {__version__}">
<title>{escape(title)}</title>
<style>
{asset("page.css")}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the numbers</a>
<header><h1>{escape(title)}</h1>
{"".join(f"<p>{escape(text)}</p>" for text in introduction.split(chr(10)))}
{short}</header>
<nav aria-label="Sections">{links}</nav>
<main id="main">
<noscript><p>Without JavaScript this page shows its tables; charts and trees need it.</p></noscript>
{body}
{methods_html([(section.title, section.methods) for section in sections])}
</main>
<footer><p>Made by treegauge {__version__}. Keys: 1 to 9 go to a section, / to its filter,
Escape closes sentences.</p></footer>
{data}
<script>{code}</script>
</body>
</html>
"""
