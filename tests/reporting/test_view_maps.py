"""Data maps in a browser, against numbers computed in Python."""

import csv
import re
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest

import treegauge as tg
from tests.reporting.browsing import address, table, until
from treegauge.learning.dynamics.cartography import data_map
from treegauge.learning.dynamics.recording import Recording
from treegauge.reporting.report import report
from treegauge.reporting.sections.maps import quantised
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu, write_conllu


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


def test_a_region_of_one_word_can_be_seen_and_hit(tab, small, tmp_path):
    """One hard word among easy ones: a larger, opaque dot, and a target of 24 pixels."""
    recording = Recording.load(small / "training.npz")
    sure = np.full_like(recording.head_logp, np.log(0.99))
    sure[:, 7] = np.log(0.02)
    replace(recording, head_logp=sure).save(tmp_path / "training.npz")
    report(small / "UD_Small-Test", tmp_path / "training.npz", out=tmp_path / "page.html")
    page = tab(tmp_path / "page.html", "#maps")
    train = read_conllu(small / "UD_Small-Test", split="train")
    answer = page.locator("#maps-answer").inner_text()
    assert f"One word of {train.n_words:,} stayed hard: check it first." in answer
    assert "0.0 % stayed" not in answer
    canvas = page.locator("#view-maps canvas")
    canvas.hover()
    box = canvas.bounding_box()
    x, y = 46, box["height"] - 40 - 0.02 * (box["height"] - 50)  # variability 0, confidence .02
    seen = page.evaluate(
        """([x, y]) => {
          const copy = document.createElement("canvas");
          const pen = copy.getContext("2d", { willReadFrequently: true });
          const source = document.querySelector("#view-maps canvas");
          Object.assign(copy, { width: source.width, height: source.height });
          pen.drawImage(source, 0, 0);
          const { data } = pen.getImageData(x - 12, y - 12, 24, 24);
          const hard = getComputedStyle(document.documentElement).getPropertyValue("--c5").trim();
          const rgb = [1, 3, 5].map((i) => parseInt(hard.slice(i, i + 2), 16)).join();
          let n = 0;
          for (let i = 0; i < data.length; i += 4) n += [...data.slice(i, i + 3)].join() === rgb;
          return n;
        }""",
        [x, y],
    )
    assert seen >= 64, "a dot of 8 by 8 pixels or more, in the colour of its region"
    page.mouse.move(box["x"] + x + 12, box["y"] + y)
    form = train["form"].to_list()[7]
    assert page.locator(".spot").inner_text().startswith(f"{form} ")
    page.locator("button[data-region=hard]").click()
    assert page.locator("#maps-count").inner_text() == f"1 word of {train.n_words:,} in the frame"


def test_maps_of_several_treebanks_are_all_shown_and_keep_the_filter(tab, small, tmp_path):
    files = []
    for number, name in enumerate(("UD_One-A", "UD_Two-B")):
        (tmp_path / name).mkdir()
        train = synthetic(20 + 10 * number, seed=number, prefix=name)
        write_conllu(train, tmp_path / name / f"{name[3:].lower().replace('-', '_')}-ud-train.conllu")
        files += [tmp_path / name, tmp_path / f"recording{number}.npz"]
        tg.map(tmp_path / name, epochs=2, recording=files[-1])
    report(*files, small / "UD_Small-Test", out=tmp_path / "page.html")
    page = tab(tmp_path / "page.html", "#maps")
    rows = table(page, "[aria-label='All data maps']")
    assert [row[0] for row in rows[::2]] == ["UD_One-A/train (train)", "UD_Two-B/train (train)"]
    words = [read_conllu(file, split="train").n_words for file in files[::2]]
    assert [row[2] for row in rows[::2]] == [f"{number:,}" for number in words]
    assert page.locator("#view-maps canvas").is_hidden()
    page.locator("#view-maps tbody a").nth(2).click()
    until(page, "!document.querySelector('#view-maps canvas').closest('[hidden]')")
    assert "UD_Two-B" in page.locator("#view-maps .controls").first.inner_text()
    assert page.locator(".filters").get_by_role("combobox", name="Treebank").input_value() == "UD_Two-B"
    page.locator(".filters").get_by_role("combobox", name="Treebank").select_option("UD_Small-Test")
    assert "No words of UD_Small-Test were recorded." in page.locator("#view-maps .result").first.inner_text()
    assert page.locator("#view-maps canvas").is_hidden()
