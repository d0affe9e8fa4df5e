"""What axe-core says of the pages, and whether a keyboard is enough."""

import json
from importlib.resources import files
from itertools import combinations

import numpy as np
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
    page.keyboard.press("8")
    until(page, "document.activeElement.id === 'view-maps'")
    page.locator("button[data-region=hard]").focus()
    page.keyboard.press("Space")
    assert "in the frame" in page.locator("#maps-count").inner_text()


#: Colours of marks that stand for different things in one drawing.
MARKS = {
    "kinds of errors": ("--c0", "--c1", "--k2"),
    "regions of a data map": ("--c2", "--c5", "--c3", "--c0"),
    "better and worse": ("--pos", "--neg"),
}
#: Machado, Oliveira and Fernandes (2009), deuteranopia of severity 1, for linear RGB.
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def linear(colour):
    values = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    light, dark = sorted((float(linear(colour) @ XYZ[1]) for colour in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(rgb):
    x, y, z = np.cbrt(XYZ @ rgb / (XYZ @ np.ones(3)))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def seen_apart(one, other):
    """Return the distance in CIELAB of two colours as people with deuteranopia see them."""
    seen = [lab(np.clip(DEUTERANOPIA @ linear(colour), 0, 1)) for colour in (one, other)]
    return float(np.linalg.norm(seen[0] - seen[1]))


def test_the_simulation_knows_what_cannot_be_told_apart():
    assert seen_apart("#c04e00", "#c04e00") == 0
    assert seen_apart("#b0c000", "#ffa020") < 25 < seen_apart("#0072b2", "#c04e00")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_are_seen_on_the_paper_and_told_apart_with_deuteranopia(tab, small, scheme):
    page = tab(small / "page.html", color_scheme=scheme)
    names = sorted({name for group in MARKS.values() for name in (*group,)} | {f"--c{i}" for i in range(6)})
    read = "(names) => names.map((name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim())"
    colours = dict(zip(names, page.evaluate(read, names), strict=True))
    (paper,) = page.evaluate(read, ["--paper"])
    assert {name: contrast(colour, paper) for name, colour in colours.items() if contrast(colour, paper) < 3} == {}
    apart = {
        (what, a, b): seen_apart(colours[a], colours[b])
        for what, group in MARKS.items()
        for a, b in combinations(group, 2)
    }
    assert {pair: value for pair, value in apart.items() if value < 12} == {}
