"""The built site: it opens from a folder on disk, fetches nothing, and its search finds pages."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import treegauge as tg
from tests.reporting.browsing import until
from treegauge.cli.verbs import QUESTION

ROOT = Path(__file__).parents[1]
#: What people look for, and the pages that may come first.
SOUGHT = {
    "significance": ["which_test", "concepts/intervals"],
    "p-value": ["which_test", "concepts/intervals"],
    "cite": ["page"],
    "LLM": ["answers"],
    "spaCy": ["howto/score", "parsers"],
    "wheel": ["parser", "compatibility"],
    "bootstrap": ["concepts/intervals", "scoring"],
    "leaderboard": ["howto/leaderboard", "howto/rank", "shared_task"],
    "leakage": ["concepts/leakage", "howto/audit"],
    "agreement": ["howto/agree"],
    "calibration": ["calibration", "concepts/calibration"],
    "confusion matrix": ["howto/score", "howto/breakdown"],
}
#: 20 screens of 800 pixels; reference that a program writes may be longer.
TALLEST = 16_000
REFERENCE = re.compile(
    r"api/|changelog\.html|validation_tests\.html"
    r"|replications/page\.html"  # a report that `make replicate` writes, not a page of the site
)
WIDTH, HEIGHT = 1280, 800
FETCHED = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*\b(?:src|data|srcset)="
    r"[\"']?\s*(?:https?:)?//"
    r"|<link\b(?=[^>]*\brel=[\"']?(?:stylesheet|icon|preload|preconnect|manifest))[^>]*"
    r"\bhref=[\"']?(?:https?:)?//"
    r"|url\([\"']?(?:https?:)?//|@import",
    re.IGNORECASE,
)


@pytest.fixture(scope="session")
def site(once):
    """The site, built once as `make docs` does but without docstrings; a warning is an error."""
    if find_spec("mkdocs") is None or find_spec("mkdocstrings") is None:
        pytest.skip("mkdocs is not installed: pip install --group docs")

    def make(out):
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(out)]
        quick = {**os.environ, "TREEGAUGE_DOCSTRINGS": "false", "NO_MKDOCS_2_WARNING": "1"}
        built = subprocess.run(command, cwd=ROOT, env=quick, capture_output=True, text=True)
        assert built.returncode == 0, built.stderr

    return once("site", make)


@pytest.fixture
def start(site, browser):
    """The first page, opened from disk; it must stay silent and load files of the site only."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT})
    page = context.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "index.html").as_uri())
    yield page
    context.close()
    assert said == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def opened_search(page):
    page.keyboard.press("/")
    page.wait_for_selector("dialog.finder[open]")
    return page.locator(".finder input")


def first_result(page, box, query):
    box.fill(query)
    wanted = json.dumps(query.split()[0].lower())
    until(
        page,
        f"[...document.querySelectorAll('.finder li')].some(one => one.textContent.toLowerCase().includes({wanted}))",
    )
    return page.locator(".finder li a").first


def test_search_from_disk_finds_what_people_look_for(start):
    box = opened_search(start)
    for query, pages in SOUGHT.items():
        link = first_result(start, box, query)
        found = re.search(r"/site/(.*)\.html", link.get_attribute("href"))[1]
        assert found in pages, f"{query}: {found}, expected one of {pages}"
        assert link.locator("strong").inner_text()
        assert link.locator("span").inner_text()


def test_search_needs_no_mouse_and_shows_markup_as_text(start):
    box = opened_search(start)
    box.fill("<img src=x onerror=alert(1)>")
    until(start, "document.querySelector('.finder [role=status]').textContent")
    assert start.locator(".finder img").count() == 0
    first_result(start, box, "bootstrap")
    start.keyboard.press("ArrowDown")
    target = start.evaluate("document.activeElement.href")
    start.keyboard.press("Enter")
    start.wait_for_url(target)
    opened_search(start)
    start.keyboard.press("Escape")
    assert start.locator("dialog.finder[open]").count() == 0


#: Puts the text of another page into the one that is open, which is far quicker than opening all.
MEASURE = """html => {
  document.querySelector("article").outerHTML = html;
  return document.documentElement.scrollHeight;
}"""
LOADED = """async () => {
  for (const image of document.images) image.loading = "eager";
  await Promise.all([...document.images].map(image => image.decode()));
  return document.documentElement.scrollHeight;
}"""


def test_pages_are_no_taller_than_20_screens(site, start):
    article = re.compile(r"<article.*</article>", re.DOTALL)
    tall, pictured = {}, []
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        text = article.search(path.read_text(encoding="utf-8"))[0]
        if REFERENCE.match(name):
            continue
        if re.search(r'<img (?![^>]*src="data:)', text):
            pictured.append(path)
        elif (height := start.evaluate(MEASURE, text)) > TALLEST:
            tall[name] = height
    for path in pictured:  # pictures are found from their own page only
        start.goto(path.as_uri())
        height = start.evaluate(LOADED)
        if height > TALLEST:
            tall[path.relative_to(site).as_posix()] = height
    assert tall == {}


def test_nothing_is_fetched_from_outside(site):
    for path in [*site.rglob("*.html"), *site.rglob("*.css")]:
        found = FETCHED.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path.relative_to(site)}: {found[0]}"


def test_a_page_names_its_version_source_and_neighbours(site):
    text = (site / "howto" / "rank.html").read_text(encoding="utf-8")
    assert f'<span class="version">{tg.__version__}</span>' in text
    assert re.search(r'Source: <a href="[^"]*/edit/main/docs/howto/rank\.md">docs/howto/rank', text)
    assert 'href="design.html" class="md-footer__link' in text
    assert 'href="leaderboard.html" class="md-footer__link' in text


def test_the_mark_has_colours_of_the_page():
    assets = ROOT / "src" / "treegauge" / "reporting" / "assets"
    known = set(re.findall(r"#[0-9a-f]{6}", (assets / "css" / "tokens.css").read_text()))
    used = set(re.findall(r"#[0-9a-f]{6}", (assets / "logo.svg").read_text()))
    assert used
    assert used <= known


def test_the_library_has_a_page_per_room_with_verbs_first(site):
    index = (site / "api" / "index.html").read_text(encoding="utf-8")
    for verb in QUESTION:
        room = getattr(tg, verb).__module__.split(".")[1]
        assert f'href="{room}.html#{verb}"' in index
        # The example of the demo is its how-to page, which takes as long as the demo.
        assert ">>> " in getattr(tg, verb).__doc__ or verb == "demo", f"tg.{verb} has no example"
    text = (site / "api" / "scoring.html").read_text(encoding="utf-8")
    assert text.index('id="score"') < text.index('id="calibration"')
