"""The frame of the page in a browser: rail, links, keys, widths, and no script at all."""

import pytest

from tests.reporting.browsing import address, until

VIEWS = [
    "Overview", "Systems", "Compare", "Errors", "Ranking", "Treebanks", "Changes", "Data maps", "Work list",
    "Search", "Methods",
]  # fmt: skip
#: Targets of less than 24 pixels, but for links within a sentence.
SMALL_TARGETS = """() => [...document.querySelectorAll("button, summary, select, input, a")].flatMap((node) => {
  const box = (node.closest("label") && node.matches("[type=checkbox]") ? node.closest("label") : node);
  const { width, height } = box.getBoundingClientRect();
  const inline = node.matches("a:not(.info)") && node.closest("p, li, dd, h3, h4");
  if (!width || !height || node.matches(".skip") || inline || (width >= 24 && height >= 24)) return [];
  return [`${node.tagName} ${node.className} ${node.textContent.trim().slice(0, 30)} ${width} x ${height}`];
})"""
#: Texts that reach out of their drawing, and drawings that begin or end off screen.
CUT = """() => [...document.querySelectorAll(".view:not([hidden]) :is(svg.chart, canvas)")].flatMap((chart) => {
  const frame = chart.getBoundingClientRect();
  if (!frame.width) return [];
  const off = frame.left < 0 || frame.right > innerWidth + 1 ? [chart.getAttribute("aria-label") || "drawing"] : [];
  const out = [...chart.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.width && (box.left < frame.left - 1.5 || box.right > frame.right + 1.5);
  });
  return [...off, ...out.map((text) => text.textContent)];
})"""


def test_views_without_data_are_absent(tab, small):
    page = tab(small / "page.html")
    assert page.locator("#rail a").all_inner_texts() == VIEWS
    assert page.locator(".view:visible h2").all_inner_texts() == ["Overview"]


def test_links_open_views_and_back_and_forward_work(tab, small):
    page = tab(small / "page.html")
    page.locator("#rail a", has_text="Ranking").click()
    page.locator("#rail a", has_text="Treebanks").click()
    assert page.locator(".view:visible h2").all_inner_texts() == ["Treebanks"]
    assert page.title() == "Treebanks · Small <i>page</i>"
    assert page.locator("#rail a[aria-current]").inner_text() == "Treebanks"
    page.go_back()
    page.wait_for_selector("#view-ranking:not([hidden])")
    page.go_forward()
    page.wait_for_selector("#view-treebanks:not([hidden])")
    assert page.locator(".view:visible").count() == 1


def test_a_link_to_nothing_known_opens_the_first_view(tab, small):
    page = tab(small / "page.html", "#none?treebank=x&system=y")
    assert page.locator(".view:visible h2").all_inner_texts() == ["Overview"]


def test_keys_lead_through_the_page(tab, small):
    page = tab(small / "page.html")
    page.keyboard.press("5")
    until(page, "document.activeElement.id === 'view-ranking'")
    page.keyboard.press("1")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.className") == "filter"
    page.keyboard.type("2")  # in a field, keys are text
    assert page.evaluate("document.activeElement.value") == "2"


def test_the_skip_link_leads_to_the_view(tab, small):
    page = tab(small / "page.html", "#systems")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the numbers"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "view-systems"
    assert address(page).endswith("#systems")


@pytest.mark.parametrize("width", [1920, 1280, 768, 390])
def test_no_width_makes_the_page_scroll_sideways(tab, small, width):
    page = tab(small / "page.html", viewport={"width": width, "height": 800})
    for link in page.locator("#rail a").all():
        link.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        place = link.bounding_box()
        assert 0 <= place["x"] <= width - place["width"], "the rail shows which view is open"


def test_it_works_with_frozen_timers_on_a_slow_machine(tab, small):
    names = ("setTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback")
    frozen = "".join(f"window.{name} = () => 0;" for name in names)
    page = tab(small / "page.html", "#ranking?size=2", script=frozen, slow=4)
    assert page.evaluate("setTimeout(() => 1, 0)") == 0
    assert page.locator("#ranking-size").inner_text().startswith("2 of 14")
    slider = page.locator("#view-ranking input[type=range]")
    slider.evaluate("e => { e.value = 2; e.dispatchEvent(new Event('input')) }")
    assert page.locator("#ranking-size").inner_text().startswith("3 of 14")
    page.keyboard.press("8")
    page.locator("button[data-region=easy]").evaluate("e => e.click()")
    assert "in the frame" in page.locator("#maps-count").inner_text()


def test_without_a_script_the_tables_are_there(tab, small):
    page = tab(small / "page.html", java_script_enabled=False)
    assert "Without JavaScript" in page.locator("noscript").inner_text()
    page.locator("summary", has_text="Ranking over all treebanks").click()
    assert "75." in page.locator("[data-view=ranking] details").first.inner_text()
    assert page.get_by_role("heading", name="Methods").is_visible()


@pytest.mark.parametrize("width", [390, 768, 1440, 1920])
def test_nothing_is_cut_off_or_too_small_to_hit(tab, demo, width):
    page = tab(demo / "index.html", viewport={"width": width, "height": 900})
    faults, charts = [], 0
    for link in page.locator("#rail a").all():
        link.click()
        page.wait_for_timeout(100)  # drawings wait for their width
        charts += page.locator(".view:visible :is(svg.chart, canvas)").count()
        found = [*page.evaluate(SMALL_TARGETS), *page.evaluate(CUT)]
        faults += [f"{link.inner_text()}: {fault}" for fault in found]
    assert charts > 30
    assert faults == []


def test_every_view_has_a_key(tab, demo):
    page = tab(demo / "index.html")
    links = page.locator("#rail a")
    names = links.all_inner_texts()
    assert len(names) == 13
    for place, name in enumerate(names):
        key = links.nth(place).get_attribute("title").removeprefix("Key: ")
        page.keyboard.press(key.replace("Shift+", "Shift+Digit"))
        until(page, f"document.querySelector('#rail a[aria-current]').textContent === {name!r}")
        assert page.locator(".view:visible h2").all_inner_texts() == [name]
    assert "0, then Shift with a digit" in page.locator("footer").inner_text()


def test_a_wide_screen_is_used(tab, demo):
    """Of the width beside the rail at least two thirds hold something."""
    page = tab(demo / "index.html", viewport={"width": 1920, "height": 1080})
    for view in ("systems", "errors", "compare", "ranking", "treebanks", "maps", "learning", "changes"):
        page.evaluate(f"location.hash = '#{view}'")
        until(page, f"document.querySelector('#view-{view}:not([hidden])')")
        page.wait_for_timeout(100)
        right = page.evaluate(
            "Math.max(...[...document.querySelectorAll('.view:not([hidden]) .live :is(table, svg, canvas, .card)')]"
            ".map((node) => node.getBoundingClientRect().right))"
        )
        assert right > 200 + (1920 - 200) * 2 / 3, (view, right)
