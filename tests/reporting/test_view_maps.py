"""Data maps in a browser, against numbers computed in Python."""

import csv
import re
from io import StringIO

import numpy as np
import pytest

from tests.reporting.browsing import address, until
from treegauge.learning.dynamics.cartography import data_map
from treegauge.learning.dynamics.recording import Recording
from treegauge.reporting.sections.maps import quantised
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu


def test_a_long_table_shows_all_its_rows_when_asked(tab, small):
    page = tab(small / "page.html", "#maps?layer=head&x0=0&x1=0.5&y0=0&y1=1")
    words = page.locator("#maps-words")
    assert words.locator("tbody tr").count() == 25
    words.get_by_role("button", name="Show all 300 rows").click()
    assert words.locator("tbody tr").count() == 300
    assert words.locator(".more").is_hidden()


def test_markup_in_forms_is_shown_as_text(tab, small):
    page = tab(small / "page.html", "#maps?layer=head&x0=0&x1=0.5&y0=0&y1=1")
    first = page.locator("#maps-words tbody tr").first
    assert first.locator("th").inner_text() == "<script>window.hacked=1</script>"
    first.locator("button").click()
    words = page.locator("#maps-tree text.word").all_text_contents()
    assert words[:2] == ["<script>window.hacked=1</script>", "</script><b>&amp;"]
    assert page.evaluate("document.querySelectorAll('section img, section script').length") == 0


def test_a_frame_on_the_map_chooses_words_and_exports_them(tab, small):
    page = tab(small / "page.html", "#maps")
    canvas = page.locator("#view-maps canvas")
    canvas.hover()  # scrolls it into view and waits until it has stopped moving
    place = canvas.bounding_box()
    x, y = place["x"], place["y"]
    page.mouse.move(x + 60, y + 20)
    page.mouse.down()
    page.mouse.move(x + 200, y + 90)
    page.mouse.move(x + 0.7 * place["width"], y + 0.6 * place["height"])
    page.mouse.up()
    box = {k: float(v) for k, v in re.findall(r"([xy][01])=([\d.]+)", address(page))}
    recording = Recording.load(small / "training.npz")
    train = read_conllu(small / "UD_Small-Test", split="train")
    found = data_map(recording)
    conf, var = (quantised(v["head"]) / 65535 for v in (found.confidence, found.variability))
    inside = (var >= box["x0"]) & (var <= box["x1"]) & (conf >= box["y0"]) & (conf <= box["y1"])
    assert 0 < inside.sum() < train.n_words
    said = page.locator("#maps-count").inner_text()
    assert said == f"{inside.sum():,} words of {train.n_words:,} in the frame"

    with page.expect_download() as loading:
        page.get_by_role("button", name="Export CSV").click()
    rows = list(csv.DictReader(StringIO(loading.value.path().read_text())))
    forms = np.array(train["form"].to_list())[inside]
    # What a spreadsheet would take for a formula is quoted.
    safe = [f"'{form}" if form[0] in "=+-@" else form for form in forms]
    assert [row["form"] for row in rows] == safe
    assert [float(row["confidence"]) for row in rows] == pytest.approx(conf[inside], abs=1e-5)
    assert [row["region"] for row in rows] == found.region("head")[inside].tolist()

    with page.expect_download() as loading:
        page.get_by_role("button", name="Export CoNLL-U").click()
    out = parse_conllu(loading.value.path().read_text())
    sentences = np.unique(train.sentence_of[inside])
    assert out["form"].to_list() == train.take(sentences)["form"].to_list()
    assert out.head.tolist() == train.take(sentences).head.tolist()
    marked = [note != "_" for note in out["misc"].to_list()]
    assert sum(marked) == inside.sum()


def test_regions_and_numbers_choose_words_without_a_pointer(tab, small):
    page = tab(small / "page.html", "#maps")
    page.locator("button[data-region=easy]").press("Enter")
    assert "in the frame" in page.locator("#maps-count").inner_text()
    page.get_by_label("confidence from").fill("0.99")
    page.get_by_label("confidence from").press("Enter")
    found = data_map(Recording.load(small / "training.npz"))
    conf, var = (quantised(v["head"]) / 65535 for v in (found.confidence, found.variability))
    number = int(((conf >= 0.99) & (var <= 0.1)).sum())
    assert page.locator("#maps-count").inner_text().startswith(f"{number:,} word")


def test_a_map_is_printed_on_white_paper(tab, small):
    page = tab(small / "page.html", "#maps", color_scheme="dark")
    corner = """(() => {
      const copy = document.createElement("canvas");
      const pen = copy.getContext("2d", { willReadFrequently: true });
      pen.drawImage(document.querySelector("#view-maps canvas"), 0, 0);
      return [...pen.getImageData(0, 0, 1, 1).data];
    })()"""
    assert max(page.evaluate(corner)[:3]) < 60
    page.emulate_media(media="print")
    until(page, f"{corner}[0] === 255")
    assert page.evaluate(corner) == [255, 255, 255, 255]
