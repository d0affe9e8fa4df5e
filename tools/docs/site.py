"""The one place that ties the site to its generator: MkDocs calls the functions ``on_...``.

They add the pages that are made (commands, library, notebooks, copies), put tables and drawings into pages,
and write the index of the search; other modules of this folder return text and know no generator.
Colours, type and the mark come from the assets of the page of ``treegauge report``, so that both look alike.
Every page says which version it describes and which file it was made of.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # MkDocs runs this file by its path

from tools.docs import api, commands, notebooks_as_pages, search, tables
from treegauge import __version__
from treegauge.cli.verbs import QUESTION
from treegauge.reporting.page import asset

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
#: Pages that are made from files outside of the folder of the documentation.
COPIED = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md", "security.md": ".github/SECURITY.md"}
#: Where generated pages come from; all others are files of their own.
MADE = {**COPIED, "commands/": "tools/docs/commands.py", "api/": "tools/docs/api.py", "notebooks/": "docs/notebooks/"}
#: The theme counts 20 pixels a rem, the page of treegauge 16.
SCALE = 16 / 20
#: A table of more rows can be reached by the keyboard, since it may scroll.
ROWS = 12
_TABLE = re.compile(r"<table>(.*?)</table>", re.DOTALL)
_BLOCK = re.compile(r":root[^{]*\{(.*?)\}", re.DOTALL)
_PICTURE = re.compile(r"^!\[([^\]]+)\]\(\.\./(images/concepts/\w+\.svg)\)$", re.MULTILINE)
#: Docstrings have roles and formulas of reStructuredText, which Markdown would show as they are.
_ROLE = re.compile(r":(?:attr|class|data|func|math|meth|mod):(?=<code>)")
_MATH = re.compile(r"<p>\.\. math::\s*(.*?)</p>", re.DOTALL)
_built: dict[str, tuple[str, str]] = {}


def on_config(config: "MkDocsConfig") -> "MkDocsConfig":
    """Hand the mark to the theme, which draws it within the page, and list a page per command."""
    config.extra["mark"] = asset("logo.svg").strip()
    config.nav = _with_commands(config.nav)
    _built.clear()
    return config


def _with_commands(nav: Any) -> Any:
    if isinstance(nav, list):
        return [_with_commands(one) for one in nav]
    if isinstance(nav, dict):
        return {title: _with_commands(below) for title, below in nav.items()}
    return [nav, *({name: f"commands/{name}.md"} for name in QUESTION)] if nav == "commands/index.md" else nav


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """Add the colours, the icon, and the pages of files that belong to the repository."""
    from mkdocs.structure.files import File

    made = {"tokens.css": tokens(asset("css/tokens.css")), "favicon.svg": asset("logo.svg")}
    made |= {name: copied(path) for name, path in COPIED.items()}
    made |= {**commands.pages(), **api.pages(), **notebooks_as_pages.pages()}
    made["llms.txt"] = llms_text(config.nav or [])
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def tokens(text: str) -> str:
    """Return the variables of the page for the two schemes of the site.

    Examples
    --------
    >>> print(tokens(":root { --ink: #111; --t: 1.25rem; } @media x { :root { --ink: #eee; } }"))
    :root, [data-md-color-scheme="default"] { --ink: #111; --t: 1rem; }
    [data-md-color-scheme="slate"] { --ink: #eee; }
    """
    light, dark = (re.sub(r"color-scheme: [^;]*;", "", found) for found in _BLOCK.findall(text))
    scaled = re.sub(r"([\d.]+)rem", lambda size: f"{float(size[1]) * SCALE:g}rem", light)
    return f':root, [data-md-color-scheme="default"] {{{scaled}}}\n[data-md-color-scheme="slate"] {{{dark}}}'


def copied(path: str) -> str:
    """Return a file of the repository as a page, with links as they are within the site."""
    text = (ROOT / path).read_text(encoding="utf-8").replace("](docs/", "](")
    for name, source in COPIED.items():
        text = text.replace(f"]({source}", f"]({name}")
    return text


def llms_text(nav: list[Any]) -> str:
    """Return the pages for programs that read: Markdown sources with their first sentence, by section (llmstxt.org)."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    raw = project["urls"]["Homepage"].replace("github.com", "raw.githubusercontent.com")
    lines = [f"# {project['name']}", "", f"> {project['description']}", ""]
    for section in nav:
        ((title, pages),) = section.items()
        lines += [f"## {title}", ""]
        for name, path in _pages(pages):
            source = source_of(path)
            about = first_sentence((ROOT / source).read_text(encoding="utf-8")) if source.endswith(".md") else ""
            shown = name or heading((ROOT / source).read_text(encoding="utf-8"))
            lines.append(f"- [{shown}]({raw}/main/{source})" + f": {about}" * bool(about))
        lines.append("")
    return "\n".join(lines)


def _pages(nav: Any) -> Iterator[tuple[str, str]]:
    """Yield the titles, empty where the page has its own, and the files of the pages below."""
    for one in nav if isinstance(nav, list) else [nav]:
        if isinstance(one, str):
            yield "", one
            continue
        for title, below in one.items():
            if isinstance(below, str):
                yield title, below
            else:
                yield from _pages(below)


def heading(text: str) -> str:
    """Return the title of a page."""
    return next((line.removeprefix("# ").strip() for line in text.splitlines() if line.startswith("# ")), "Start")


def first_sentence(text: str) -> str:
    r"""Return the first sentence of a page as plain text.

    Examples
    --------
    >>> first_sentence("# Score\n\n```sh\nx\n```\n\nCounts are [official](a.md). More.")
    'Counts are official.'
    """
    plain = re.sub(r"```.*?```|<[^>]+>|!\[[^\]]*\]\([^)]*\)", "", text, flags=re.DOTALL)
    for block in plain.split("\n\n"):
        words = " ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", block).split())
        if words and words[0] not in "#|-=:{>%" and not words.startswith("---"):
            return re.split(r"(?<=[.?!])\s", words)[0]
    return ""


def source_of(name: str) -> str:
    """Return the file of the repository that a page is made of.

    Examples
    --------
    >>> source_of("howto/score.md"), source_of("api/scoring.md"), source_of("contributing.md")
    ('docs/howto/score.md', 'tools/docs/api.py', 'CONTRIBUTING.md')
    """
    if (ROOT / "docs" / name).exists():
        return f"docs/{name}"
    made = next(path for start, path in MADE.items() if name.startswith(start))
    return f"{made}{Path(name).stem}.ipynb" if made.endswith("/") else made


def on_page_markdown(markdown: str, *, page: "Page", config: "MkDocsConfig", files: "Files") -> str:
    """Put tables and the drawings of concepts into the page, and the options after a guide."""
    home = Path(config.docs_dir)
    text = _PICTURE.sub(lambda link: inline(home / link[2], link[1]), tables.shown(markdown))
    name = Path(page.file.src_uri).stem
    if page.file.src_uri == f"howto/{name}.md" and name in QUESTION:
        text += f"\n\n[All options of `treegauge {name}`](../commands/{name}.md)\n"
    return text


def inline(path: Path, text: str) -> str:
    """Return a drawing as HTML in the colours of the page, with a text for screen readers."""
    svg = re.sub(r"<style>.*?</style>", "", path.read_text(encoding="utf-8"), count=1).strip()
    label = f' aria-label="{escape(text)}"'
    return f'<div class="picture">{svg.replace(" role=", label + " role=", 1)}</div>'


def on_page_content(html: str, page: "Page", config: "MkDocsConfig", files: object) -> str:
    """Put tables into frames, and say which file the page is made of, with a link to edit it."""
    html = _MATH.sub(r"<pre><code>\1</code></pre>", _ROLE.sub("", html))
    _built[page.file.url] = (str(page.title), html)
    html = _TABLE.sub(framed, html)
    source = source_of(page.file.src_uri)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    link = f"{project['urls']['Homepage']}/edit/main/{source}"
    return f'{html}\n<p class="source">Source: <a href="{link}">{source}</a></p>'


def framed(table: re.Match[str]) -> str:
    """Return a table in a frame in which a long or wide one scrolls, also by keys.

    Examples
    --------
    >>> framed(_TABLE.search("<table><tr><td>1</td></tr></table>"))
    '<div class="frame"><table class="data"><tr><td>1</td></tr></table></div>'
    """
    keys = ' tabindex="0" role="region" aria-label="Table"' if table[1].count("<tr") > ROWS else ""
    return f'<div class="frame"{keys}><table class="data">{table[1]}</table></div>'


def on_post_page(output: str, page: "Page", config: "MkDocsConfig") -> str:
    """Show the version next to the name."""
    version = f'<span class="version">{__version__}</span>'
    named, found = re.subn(r'(<span class="md-ellipsis">\s*treegauge)(?=\s*</span>)', rf"\1 {version}", output, count=1)
    if not found:
        raise ValueError(f"{page.file.src_uri}: the theme has no name to put the version next to")
    return named


def on_post_build(config: "MkDocsConfig") -> None:
    """Write the index of the search."""
    text = search.index(_built, (Path(config.docs_dir) / "glossary.md").read_text(encoding="utf-8"))
    Path(config.site_dir, search.TARGET).write_text(text, encoding="utf-8")
