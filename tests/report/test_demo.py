"""The demo and a page of real treebanks open without a complaint."""

import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from treegauge.cli.app import app
from treegauge.parse.registry import make_parser
from treegauge.report import demo, ranking
from treegauge.report.building import report
from treegauge.treebank.conllu import read_conllu, write_conllu

SECTIONS = ["scores", "ranking", "treebanks", "maps", "learning", "methods"]


@pytest.fixture
def quick(monkeypatch):
    """Make everything in the demo small; the steps stay the same."""
    monkeypatch.setattr(demo, "PARTS", {"train": 60, "dev": 10, "test": 40})
    monkeypatch.setattr(demo, "SIZES", (5, 20, 60))
    monkeypatch.setattr(demo, "SAMPLES", 2)
    monkeypatch.setattr(ranking, "_sizes", lambda scores: (2, 10, len(scores.treebanks)))


def test_the_demo_makes_a_page_with_every_section(quick, tab, tmp_path):
    result = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "demo"), "--samples", "1000"])
    assert result.exit_code == 0, result.output
    target = tmp_path / "demo" / "index.html"
    assert f"done: open {target}" in result.output
    assert target.stat().st_size < 3_000_000
    page = tab(target)
    links = page.locator("nav a").all()
    assert [link.get_attribute("href") for link in links] == [f"#{key}" for key in SECTIONS]
    for key in SECTIONS[:-1]:
        assert page.locator(f"#{key} .live").inner_text(), f"{key} came to life"
    assert page.locator("#ranking .box").count() == 26
    assert page.locator("#treebanks .small").count() == len(demo.LANGUAGES)
    assert page.locator("#learning .chart").count() >= 2


def test_the_demo_needs_no_torch():
    code = "import sys; sys.modules['torch'] = None; import treegauge.report.demo"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_page_of_real_treebanks(tab, ud, tmp_path):
    folder = next(iter(sorted(ud.glob("*/UD_Greek-GDT"))), None)
    if folder is None:
        pytest.skip(f"no UD_Greek-GDT below {ud}")
    train = read_conllu(folder, split="train")
    test = read_conllu(folder, split="test")
    for epochs in (1, 2):
        model = make_parser("mst", epochs=epochs, label_epochs=1).fit(train[:150], seed=0)
        write_conllu(model.parse(test[:120]), tmp_path / f"mst{epochs}.conllu")
    write_conllu(test[:120], tmp_path / "gold.conllu")
    files = [str(tmp_path / f"{name}.conllu") for name in ("gold", "mst1", "mst2")]
    (tmp_path / "page.html").write_text(report([str(folder), *files]))
    page = tab(tmp_path / "page.html")
    page.locator("#scores .heat button").first.click()
    word = page.locator("#scores-sentences svg.tree text.word").first.text_content()
    assert word in set(test["form"].to_list())
    assert page.locator("#treebanks tbody tr").first.inner_text().startswith("UD_Greek-GDT")
    shown = page.locator("#scores .heat thead th").all_inner_texts()
    assert shown[2:] == ["mst1", "mst2"]
    assert re.search(r"120 sentences", page.locator("#scores").inner_text())
