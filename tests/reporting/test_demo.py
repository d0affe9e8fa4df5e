"""The demo and a page of real treebanks open without a complaint."""

import re
import subprocess
import sys

from treegauge.reporting.demo import languages
from treegauge.treebanks.conllu import read_conllu

SECTIONS = ["scores", "ranking", "treebanks", "maps", "learning", "methods"]


def test_the_demo_says_what_it_does_and_where_the_page_is(demo):
    said = (demo / "said.txt").read_text().splitlines()
    assert said[-1].startswith(f"{demo / 'index.html'} (")
    assert len(said) > 8, "one line per step"
    assert (demo / "index.html").stat().st_size < 3_000_000


def test_the_demo_makes_a_page_with_every_section(demo, tab):
    page = tab(demo / "index.html")
    links = page.locator("nav a").all()
    assert [link.get_attribute("href") for link in links] == [f"#{key}" for key in SECTIONS]
    for key in SECTIONS[:-1]:
        assert page.locator(f"#{key} .live").inner_text(), f"{key} came to life"
        assert page.locator(f"header li a[href='#{key}']").count() == 1, f"{key}, in short"
    assert page.locator("#ranking .box").count() == 26
    assert page.locator("#treebanks .small").count() == len(languages())
    assert page.locator("#learning .chart").count() >= 2
    assert "UD_Imaginary-VSO (1 error" in page.locator("header").inner_text()


def test_the_demo_needs_no_torch():
    code = "import sys; sys.modules['torch'] = None; import treegauge.reporting.demo"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_page_of_real_treebanks(tab, real, ud):
    test = read_conllu(real / "gold.conllu")
    page = tab(real / "page.html")
    page.locator("#scores .heat button").first.click()
    word = page.locator("#scores-sentences svg.tree text.word").first.text_content()
    assert word in set(test["form"].to_list())
    assert page.locator("#treebanks tbody tr").first.inner_text().startswith("UD_Greek-GDT")
    shown = page.locator("#scores .heat thead th").all_inner_texts()
    assert shown[2:] == ["mst1", "mst2"]
    assert re.search(r"120 sentences", page.locator("#scores").inner_text())
    page.locator("button[data-region=hard]").click()
    few = read_conllu(real / "few.conllu")
    assert f"of {few.n_words:,} in the frame" in page.locator("#maps-count").inner_text()
    assert str(ud) not in page.content(), "where the files are is nobody's business"
