"""Parts of a page: what a section says, the data behind it, and how its numbers were made."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from treegauge.results.result import Result


@dataclass(frozen=True)
class Method:
    """How one kind of number on the page is made.

    Parameters
    ----------
    name
        What the numbers are called on the page.
    equation
        The definition as MathML; see :mod:`treegauge.reporting.maths`.
    text
        What the symbols are, in plain text.
    options
        The choices that were made, in plain text.
    signature
        The line that identifies the numbers.
    command
        The command that makes them again.
    references
        Keys of the papers behind it; see :mod:`treegauge.reporting.references`.
    """

    name: str
    equation: str
    text: str
    options: str = ""
    signature: str = ""
    command: str = ""
    references: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """A section: text and tables that need no script, and data for what can be moved and clicked.

    Parameters
    ----------
    key
        Its name in links, and the name of the script that brings it to life.
    title, text
        Plain text; escaped when the page is made.
    data
        What the script works on; becomes JSON.
    tables
        Results by caption: their tables stand folded below, and serve without a script.
    methods
        How its numbers are made.
    short
        What stands out, a sentence each, for the top of the page; plain text.
    """

    key: str
    title: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    tables: Sequence[tuple[str, Result]] = ()
    methods: Sequence[Method] = ()
    short: Sequence[str] = ()

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
            '<div class="live"></div>',
        ]
        for caption, result in self.tables:
            lines.append(
                f"<details><summary>{escape(caption)}</summary>"
                f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}">'
                f"{result.to_html()}</div></details>"
            )
        return "\n".join([*lines, "</section>"])


def python(*lines: str) -> str:
    """Return a command that runs some lines, for numbers that no command of ours prints.

    Examples
    --------
    >>> print(python("import treegauge", "print(1)"))
    python -c 'import treegauge; print(1)'
    """
    return f"python -c {shlex.quote('; '.join(lines))}"


def literal(told: str) -> str:
    """Return a path that was quoted for a shell as Python writes it, between double quotes.

    Examples
    --------
    >>> print(literal("'my out.npz'"))
    "my out.npz"
    """
    return json.dumps(shlex.split(told)[0], ensure_ascii=False)
