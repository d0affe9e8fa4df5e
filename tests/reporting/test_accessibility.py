"""What axe-core says of the pages, and whether a keyboard is enough."""

import json
from importlib.resources import files

import pytest

from tests.reporting.browsing import until

SYSTEMS = {"demo": "hasty", "real": "mst1"}
#: Of a page in dark colours only the colours are another matter; full reports take long to write.
BRIEF = {"resultTypes": ["violations"], "preload": False}
OPTIONS = {"light": BRIEF, "dark": BRIEF | {"runOnly": ["color-contrast"]}}
#: Rows of a table are made alike; the first show what axe can find.
THIN = """for (const body of document.querySelectorAll("tbody"))
  for (const row of [...body.rows].slice(8)) row.remove();"""
MAP = "#maps?layer=head&x0=0&x1=0.2&y0=0&y1=0.3"


@pytest.fixture(scope="module")
def axe():
    pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize(("made", "scheme"), [("demo", "light"), ("demo", "dark"), ("real", "light")])
def test_axe_finds_no_fault_in_any_view(browser, axe, request, made, scheme):
    folder = request.getfixturevalue(made)
    file = folder / ("index.html" if made == "demo" else "page.html")
    context = browser.new_context(bypass_csp=True, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{file.resolve().as_uri()}#errors?by=upos&class=NOUN&system={SYSTEMS[made]}")
    assert page.locator(".drawer svg.tree").count()
    page.evaluate(axe)
    links = page.locator("#rail a").evaluate_all("links => links.map((link) => link.hash)")
    faults, passed = [], set()
    for link in ["", *links, MAP]:
        if link:
            page.evaluate(f"location.hash = {link!r}")
        # What frames the views is the same everywhere; it is looked at once.
        page.evaluate(THIN)
        within = "'.view:not([hidden])'" if link else "document"
        found = page.evaluate(f"axe.run({within}, {json.dumps(OPTIONS[scheme])})")
        passed |= {one["id"] for one in found["passes"]}
        faults += [
            f"{link} {one['id']}: {one['help']}: {[node['target'] for node in one['nodes'][:3]]}"
            for one in found["violations"]
        ]
    context.close()
    assert "color-contrast" in passed, "axe looked at the page"
    assert scheme == "dark" or len(passed) > 20
    assert faults == []


#: What views show when something is open, was found, or is wrong.
STATES = (
    "#errors?by=upos&class=NOUN&a=alpha&b=%3Cb%3Ebeta&open=UD_Small-Test%2Ftest%20test-1",
    "#errors?of=upos",
    "#search?q=upos%3DNOUN%20%3E%20upos%3DDET&system=alpha",
    "#search?q=upos%3D",
    "#treebanks?family=all",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_in_what_is_open(browser, axe, small, scheme):
    context = browser.new_context(bypass_csp=True, color_scheme=scheme)
    page = context.new_page()
    page.goto((small / "page.html").resolve().as_uri())
    page.evaluate(axe)
    faults = []
    for link in STATES:
        page.evaluate(f"location.hash = {link!r}")
        page.evaluate(THIN)
        found = page.evaluate(f"axe.run(document, {json.dumps(OPTIONS[scheme])})")
        faults += [(link, one["id"], one["nodes"][0]["target"]) for one in found["violations"]]
        if "open=" in link:
            assert page.locator(".drawer svg.tree").is_visible()
    page.locator(".view:visible .exports summary").first.click()
    page.locator(".view:visible a.info").first.click()
    for opened in ("dialog.explain", ".exports[open]"):
        found = page.evaluate(f"axe.run({opened!r}, {json.dumps(OPTIONS[scheme])})")
        faults += [(opened, one["id"], one["nodes"][0]["target"]) for one in found["violations"]]
    context.close()
    assert faults == []


def test_axe_would_find_a_fault(browser, axe):
    page = browser.new_page()
    page.set_content("<button></button>")
    page.evaluate(axe)
    found = {one["id"] for one in page.evaluate("axe.run()")["violations"]}
    page.close()
    assert "button-name" in found


def focused(page):
    return page.evaluate(
        "(() => { const e = document.activeElement; return [e.tagName, e.textContent.trim(),"
        " getComputedStyle(e).outlineStyle] })()"
    )


def test_tab_leads_through_everything_and_can_be_seen(demo, tab):
    page = tab(demo / "index.html", "#errors")
    page.keyboard.press("Tab")
    assert focused(page)[1] == "Skip to the numbers"
    page.keyboard.press("Enter")
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        tag, text, outline = focused(page)
        assert outline != "none", f"{tag} {text} shows that it has the focus"
        seen.append(tag)
    assert {"SELECT", "BUTTON", "DIV"} <= set(seen)


def test_a_cell_is_opened_and_closed_by_keys_alone(demo, tab):
    page = tab(demo / "index.html")
    page.keyboard.press("4")
    page.locator("#view-errors .confusion button").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    drawer = page.locator(".drawer")
    assert "careful labels" in drawer.inner_text()
    page.keyboard.press("Escape")
    assert drawer.is_hidden()
    page.keyboard.press("7")
    until(page, "document.activeElement.id === 'view-maps'")
    page.locator("button[data-region=hard]").focus()
    page.keyboard.press("Space")
    assert "in the frame" in page.locator("#maps-count").inner_text()
