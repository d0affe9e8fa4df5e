"""The frame of the page in a browser: rail, links, keys, widths, and no script at all."""

import pytest

from tests.reporting.browsing import address, until

VIEWS = [
    "Overview", "Systems", "Compare", "Errors", "Ranking", "Treebanks", "Data maps", "Work list",
    "Search", "Methods",
]  # fmt: skip


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
    page.keyboard.press("7")
    page.locator("button[data-region=easy]").evaluate("e => e.click()")
    assert "in the frame" in page.locator("#maps-count").inner_text()


def test_without_a_script_the_tables_are_there(tab, small):
    page = tab(small / "page.html", java_script_enabled=False)
    assert "Without JavaScript" in page.locator("noscript").inner_text()
    page.locator("summary", has_text="Ranking over all treebanks").click()
    assert "75." in page.locator("[data-view=ranking] details").first.inner_text()
    assert page.get_by_role("heading", name="Methods").is_visible()
