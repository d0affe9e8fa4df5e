"""A page as one HTML file that works offline: it loads nothing and sends nothing."""

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import quote

from treegauge import __version__
from treegauge.core.errors import TreegaugeError, lines_of_text
from treegauge.core.result import Result
from treegauge.reporting.methods import Method, methods_html
from treegauge.reporting.packing import block

#: The number of sentences at the top of the overview.
SENTENCES = 3


@dataclass(frozen=True)
class Section:
    """A part of the page: data for the views, and tables that need no script.

    `key` is the name of its data; `title`, `text` and the main findings (`short`, a sentence each)
    are plain text; `data` becomes JSON for the views; `tables` are results by caption, folded, and
    `shown` those that are open, below the view named `view`; `methods` explain the numbers;
    `treebanks` and `systems` are what readers can filter all views by.
    """

    key: str
    title: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    tables: Sequence[tuple[str, Result]] = ()
    methods: Sequence[Method] = ()
    short: Sequence[str] = ()
    shown: Sequence[tuple[str, Result]] = ()
    view: str = ""
    treebanks: Sequence[str] = ()
    systems: Sequence[str] = ()

    @property
    def home(self) -> str:
        """The view that shows this section first."""
        return self.view or self.key

    def to_html(self) -> str:
        """Return the section for readers without JavaScript.

        Examples
        --------
        >>> print(Section("a", "A & B", "text").to_html())
        <section data-view="a" aria-labelledby="static-a">
        <h2 id="static-a">A &amp; B</h2>
        <p class="lead">text</p>
        </section>
        """
        lines = [
            f'<section data-view="{self.home}" aria-labelledby="static-{self.key}">',
            f'<h2 id="static-{self.key}">{escape(self.title)}</h2>',
            *(f'<p class="lead">{escape(text)}</p>' for text in self.text.split("\n")),
        ]
        lines += [
            f'<div class="shown"><h3>{escape(caption)}</h3>{_region(caption, result)}</div>'
            for caption, result in self.shown
        ]
        lines += [
            f"<details><summary>{escape(caption)}</summary>{_region(caption, result)}</details>"
            for caption, result in self.tables
        ]
        return "\n".join([*lines, "</section>"])


def _region(caption: str, result: Result) -> str:
    """Return tables in a frame in which wide tables scroll."""
    return f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}">{result.to_html()}</div>'


def page(title: str, introduction: str, sections: Sequence[Section], *, start: str = "overview") -> str:
    """Return a complete HTML page; the same sections give the same bytes.

    The title and the introduction are plain text; the methods behind the sections come last. A link
    without a view opens the view `start`.

    Examples
    --------
    >>> html = page("<b>", "text", [Section("a", "A & B", "below")])
    >>> "<b>" in html, 'data-view="a"' in html, "src=" in html
    (False, True, False)
    """
    facts = {
        "title": title,
        "start": start,
        "summary": [*filter(None, introduction.split("\n")), *stands_out(sections)][:SENTENCES],
        "findings": [
            {"view": one.home, "title": one.title, "sentences": list(one.short)} for one in sections if one.short
        ],
        "treebanks": _distinct(name for one in sections for name in one.treebanks),
        "systems": _distinct(next((one.systems for one in sections if one.systems), ())),
        "boards": [board["name"] for one in sections for board in one.data.get("boards", ()) if not board["scored"]],
    }
    contents = {"page": facts} | {one.key: one.data for one in sections if one.data}
    data = "\n".join(
        f'<script type="application/json" id="data-{key}">{block(value)}</script>' for key, value in contents.items()
    )
    body = "\n".join(section.to_html() for section in sections)
    code, rules, logo = f"\n{script()}", f"\n{style()}", asset("logo.svg").strip()
    # The browser may run only this script, and may load nothing.
    policy = (
        f"default-src 'none'; script-src {_digest(code)}; style-src {_digest(rules)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    icon = quote(logo)
    return lines_of_text(f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="generator" content="treegauge {__version__}">
<title>{escape(title)}</title>
<link rel="icon" href="data:image/svg+xml,{icon}">
<style>{rules}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the numbers</a>
<header class="top"><span class="logo" aria-hidden="true">{logo}</span><h1>{escape(title)}</h1>
</header>
<nav id="rail" aria-label="Views"></nav>
<main id="main" tabindex="-1">
<noscript><p>Without JavaScript this page shows its tables; charts and trees need it.</p></noscript>
<div id="static">
{"".join(f"<p>{escape(text)}</p>" for text in introduction.split(chr(10)))}
{body}
<div id="methods-text">
{methods_html([(section.title, section.methods) for section in sections])}
</div>
</div>
</main>
<footer><p>Made by treegauge {__version__}. Keys: 1 to 9, 0, then Shift with a digit open a view; / goes to its filter;
Escape closes the sentence panel.</p></footer>
{data}
<script>{code}</script>
</body>
</html>
""")


def counted(number: int, noun: str) -> str:
    """Return a number and its noun.

    Examples
    --------
    >>> counted(1, "treebank"), counted(12_000, "word")
    ('one treebank', '12,000 words')
    """
    return f"one {noun}" if number == 1 else f"{number:,} {noun}s"


def what_was_given(sections: Sequence[Section]) -> str:
    """Return one sentence on the contents of the page."""
    data = {one.key: one.data for one in sections}
    parts = []
    if "scores" in data:
        scored = data["scores"]["treebanks"]
        systems = {name for one in scored for name in one["systems"]}
        words = sum(one["words"] for one in scored)
        numbers = [number for one in scored for number in one["runs"]]
        ends = dict.fromkeys((min(numbers), max(numbers)))
        runs = f", means over {' to '.join(map(str, ends))} runs," * (max(numbers) > 1)
        parts.append(
            f"scores of {counted(len(systems), 'system')}{runs} on {counted(len(scored), 'treebank')} "
            f"({counted(words, 'word')})"
        )
    saved = [one for one in sections if one.key == "saved"]
    parts += [f"saved scores on {counted(len(one.tables), 'treebank')}" for one in saved]
    if "findings" in data:
        parts.append("saved results")
    for board in data.get("ranking", {}).get("boards", ()):
        size = counted(len(board["systems"]), "system")
        over = counted(len(board["treebanks"]), "treebank")
        if "scores" not in data or not board["scored"]:
            parts.append(f"a ranking of {size} over {over} ({board['name']})")
    if "treebanks" in data:
        parts.append(f"profiles of {counted(len(data['treebanks']['treebanks']), 'treebank')}")
    if "maps" in data:
        words = sum(one["total"] for one in data["maps"]["maps"])
        parts.append(f"data maps of {counted(words, 'word')}")
    if data.get("learning", {}).get("curves"):
        parts.append("learning curves")
    if data.get("learning", {}).get("transfers"):
        parts.append("results of transfer")
    *first, last = parts or [""]
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"This page shows {listed}." if parts else ""


def stands_out(sections: Sequence[Section]) -> list[str]:
    """Return the main finding of each section, the most general first.

    If systems were compared over several treebanks, findings on single treebanks are left out.
    """
    over_all = any(one.key == "overview" and one.short for one in sections)
    return [one.short[0] for one in sections if one.short and not (over_all and one.key == "scores")]


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _digest(text: str) -> str:
    """Return the hash by which a content policy names a script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


_ASSETS: Traversable = files("treegauge.reporting").joinpath("assets")
#: The module and the function that start the page.
ENTRY, START = "shell/main.js", "start"
#: Style sheets that come before those of single views.
FIRST_STYLES = ("tokens", "base", "shell", "components")

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w./]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|function|class) (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def asset(name: str) -> str:
    """Return the text of a packaged file, such as ``shell/main.js``."""
    return _ASSETS.joinpath(*name.split("/")).read_text(encoding="utf-8")


def style() -> str:
    """Return all style sheets: tokens, those shared by all views, then those of views by name."""
    names = sorted(sheet.name.removesuffix(".css") for sheet in _ASSETS.joinpath("css").iterdir())
    ordered = [*FIRST_STYLES, *(name for name in names if name not in FIRST_STYLES)]
    return "".join(asset(f"css/{name}.css") for name in ordered)


def script() -> str:
    """Return the script of the page: all modules in order of import, and its start."""
    texts: dict[str, str] = {}
    _collect(ENTRY, texts, ())
    parts = [_wrapped(name, text) for name, text in texts.items()]
    return "\n".join(['"use strict";', *parts, f"{_variable(ENTRY)}.{START}();", ""])


def _collect(name: str, texts: dict[str, str], above: tuple[str, ...]) -> None:
    """Add a module after the modules that it imports."""
    if name in above:
        raise TreegaugeError(f"modules import each other: {' > '.join([*above, name])}")
    if name in texts:
        return
    text = asset(name)
    for _, path in _IMPORT.findall(text):
        _collect(normpath(join(dirname(name), path)), texts, (*above, name))
    texts[name] = text


def _variable(name: str) -> str:
    """Return the variable that holds what a module exports.

    Examples
    --------
    >>> _variable("shell/main.js")
    '$shell_main'
    """
    return "$" + name.removesuffix(".js").replace("/", "_")


def _wrapped(name: str, text: str) -> str:
    r"""Return a module as a function that is called once and returns what the module exports.

    Examples
    --------
    >>> text = 'import { a as b } from "./x.js";\nexport const c = b;\n'
    >>> print(_wrapped("shell/y.js", text))
    const $shell_y = (() => {
    const { a: b } = $shell_x;
    const c = b;
    return { c };
    })();
    """

    def imported(match: re.Match[str]) -> str:
        names = " ".join(match[1].replace(" as ", ": ").split()).removesuffix(",")
        return f"const {{ {names} }} = {_variable(normpath(join(dirname(name), match[2])))};\n"

    exported = _EXPORT.findall(text)
    body = _EXPORT.sub("", _IMPORT.sub(imported, text))
    if invalid := _OTHER.search(body):
        raise TreegaugeError(
            f"{name}: {invalid[0]}\nexpected import {{ names }} from a relative path, or export "
            "before const, function or class"
        )
    names = ", ".join(exported)
    return f"const {_variable(name)} = (() => {{\n{body}return {{ {names} }};\n}})();"
