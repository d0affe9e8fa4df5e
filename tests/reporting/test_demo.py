"""The demo and a page of real treebanks open without a complaint."""

import subprocess
import sys

from treegauge.reporting.demo import demo_languages
from treegauge.treebanks.data.conllu import read_conllu

VIEWS = [
    "overview", "systems", "compare", "errors", "ranking", "treebanks", "changes", "maps", "candidates",
    "search", "learning", "transfer", "methods",
]  # fmt: skip


def test_the_demo_says_what_it_does_and_where_the_page_is(demo):
    said = (demo / "said.txt").read_text().splitlines()
    assert said[-1].startswith(f"{demo / 'index.html'} (")
    assert len(said) > 8, "one line per step"
    assert (demo / "index.html").stat().st_size < 3_000_000


def test_the_demo_makes_a_page_with_every_view(demo, tab):
    page = tab(demo / "index.html")
    links = page.locator("#rail a")
    assert links.evaluate_all("links => links.map((link) => link.hash.slice(1))") == VIEWS
    assert "Look first at UD_Imaginary-VSO (" in page.locator("#view-overview").text_content()
    for number, key in enumerate(VIEWS):
        links.nth(number).click()
        assert page.locator(f"#view-{key} .live").inner_text(), f"{key} came to life"
    assert page.locator("#view-treebanks .small").count() == len(demo_languages())
    assert page.locator("#view-treebanks .card").count() == len(demo_languages())
    assert page.locator("#view-candidates .candidate svg.tree").count() == 1
    assert page.locator("#view-learning .chart").count() >= 2


def test_the_demo_needs_no_torch():
    code = "import sys; sys.modules['torch'] = None; import treegauge.reporting.demo"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_page_of_real_treebanks(tab, real, ud):
    test = read_conllu(real / "gold.conllu")
    page = tab(real / "page.html", "#errors?system=mst1")
    assert "On gold, mst1 makes errors in " in page.locator("#view-errors .result").inner_text()
    page.locator("#view-errors .costly button").first.click()
    drawer = page.locator(".drawer")
    assert drawer.locator("text.word").first.text_content() in set(test["form"].to_list())
    assert drawer.locator(".tree-name").all_text_contents() == ["gold", "mst1"]
    page.keyboard.press("Escape")
    page.evaluate("location.hash = '#treebanks'")
    cards = page.locator("#view-treebanks .card h4")
    assert cards.first.inner_text() == "UD_Greek-GDT"
    page.evaluate("location.hash = '#maps'")
    page.locator("button[data-region=hard]").click()
    few = read_conllu(real / "few.conllu")
    assert f"of {few.n_words:,} in the frame" in page.locator("#maps-count").inner_text()
    assert str(ud) not in page.content(), "where the files are is nobody's business"
