"""What the page does in a browser, checked against numbers computed in Python."""

import csv
import json
import re
import shlex
from io import StringIO

import numpy as np
import polars as pl
import pytest

from tests.commands import invoke
from treegauge.curves.attachments import COLUMNS, attachments
from treegauge.curves.curve import curve
from treegauge.curves.equivalents import equivalent_size
from treegauge.dynamics.cartography import data_map
from treegauge.dynamics.recording import Recording
from treegauge.ranking.exact import exact_ranks
from treegauge.ranking.leaderboard import ranks_of
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability import stability
from treegauge.reporting.maps import quantised
from treegauge.reporting.report import report
from treegauge.scoring.align import align
from treegauge.scoring.breakdown import breakdown
from treegauge.treebanks.conllu import parse_conllu, read_conllu

SAMPLES = 500


def address(page):
    """Return the page's address as the page has it: `page.url` lags behind its scripts."""
    return page.evaluate("location.href")


def table(page, within):
    """Return the rows of a table as lists of text."""
    rows = page.locator(f"{within} tbody tr")
    return [row.locator("th,td").all_inner_texts() for row in rows.all()]


@pytest.fixture(scope="module")
def scores(small):
    return read_leaderboard(small / "scores.csv")


def ranked(scores, columns):
    """Return system, rank, mean as the page shows them."""
    chosen = scores.select(treebanks=[scores.treebanks[i] for i in columns])
    totals = chosen.fixed_point()[0].sum(axis=1)
    means = chosen.values.mean(axis=1)
    found = zip(scores.systems, ranks_of(totals), means, strict=True)
    return {name: (f"{r:g}", f"{mean:.2f}") for name, r, mean in found}


def test_the_slider_moves_boxes_and_probabilities(tab, small, scores):
    page = tab(small / "page.html")
    slider = page.locator("#ranking input[type=range]")
    slider.focus()
    start = int(slider.input_value())
    slider.press("ArrowLeft")
    assert int(slider.input_value()) == start - 1
    size = int(re.match(r"(\d+) of 14", page.locator("#ranking-size").inner_text())[1])
    counted, drawn = exact_ranks(scores, size=size), stability(scores, size=size, samples=SAMPLES)
    order = scores.table["system"].to_list()
    won, tied, lost = counted.count(order[0], order[1])
    said = page.locator("#ranking-pair").inner_text()
    total = counted.subsets(size)
    assert f"{order[0]} is above {order[1]} in {100 * won / total:.2f} %" in said
    assert f"below in {100 * lost / total:.2f} %, equal in {100 * tied / total:.2f} %" in said
    tau = drawn.agreement["tau"].item()
    assert f"tau of {tau:.3f}" in page.locator("#ranking").inner_text()
    titles = page.locator("#ranking .box title").all_text_contents()
    rows = {row["system"]: row for row in drawn.table.to_dicts()}
    means = dict(zip(scores.systems, counted.mean_ranks()[0], strict=True))
    expected = {
        f"{name}: best {row['best']:g}, quartiles {row['q1']:g} {row['median']:g} {row['q3']:g}, "
        f"worst {row['worst']:g}, mean {means[name]:.3f}"
        for name, row in rows.items()
    }
    assert set(titles) == expected


def test_treebanks_chosen_by_hand_rank_the_systems_anew(tab, small, scores):
    page = tab(small / "page.html")
    picker = page.locator("#ranking .picker")
    picker.get_by_role("button", name="None").click()
    assert "No treebank" in page.locator("#ranking-live").inner_text()
    for code in scores.treebanks[2:5]:
        picker.get_by_label(code, exact=True).check()
    shown = {row[0]: (row[1], row[2]) for row in table(page, "#ranking-live")}
    assert shown == ranked(scores, [2, 3, 4])
    page.get_by_role("button", name="mean LAS").click()
    means = [float(row[2]) for row in table(page, "#ranking-live")]
    assert means == sorted(means, reverse=True)
    link = address(page)
    again = tab(small / "page.html", "#" + link.partition("#")[2])
    shown = {row[0]: (row[1], row[2]) for row in table(again, "#ranking-live")}
    assert shown == ranked(scores, [2, 3, 4])


def test_an_outlier_subset_gives_the_rank_it_is_said_to_give(tab, small, scores):
    page = tab(small / "page.html")
    size = int(re.match(r"(\d+) of 14", page.locator("#ranking-size").inner_text())[1])
    system = scores.table["system"].to_list()[3]
    page.locator("#ranking").get_by_role("combobox", name="System").select_option(label=system)
    worst = stability(scores, size=size, samples=SAMPLES).table.filter(system=system)["worst"]
    page.locator("button[data-outlier=worst]").click()
    shown = {row[0]: row[1] for row in table(page, "#ranking-live")}
    assert float(shown[system]) == worst.item()
    assert f"{size} of 14 treebanks" in page.locator("#ranking .picker").inner_text()


def test_a_cell_shows_its_sentences_with_both_trees(tab, small):
    page = tab(small / "page.html")
    page.locator("#scores").get_by_role("combobox", name="By").select_option("upos")
    gold = read_conllu(small / "UD_Small-Test", split="test")
    system = read_conllu(small / "beta.conllu")
    cells = breakdown(align(gold, system), by="upos")
    row = next(r for r in cells.table.to_dicts() if r["class"] == "NOUN")
    button = page.locator("#scores .heat tr", has_text="NOUN").locator("button").nth(1)
    assert button.inner_text() == f"{row['f1']:.1f}"
    button.click()
    panel = page.locator("#scores-sentences")
    wrong = row["gold"] - row["correct"]
    assert f"<b>beta, upos NOUN: {wrong} words of {row['gold']} wrong" in panel.inner_text()
    places = cells.errors("NOUN", limit=8)
    assert panel.locator("figcaption code").all_inner_texts() == [p.sent_id for p in places]
    tree, place = panel.locator("svg.tree").first, places[0]
    sentence, parsed = gold[place.sentence], system[place.sentence]
    assert tree.locator("text.word").all_text_contents() == sentence.form
    chosen = tree.locator("text.word.chosen").all_text_contents()
    assert chosen == [sentence.form[i - 1] for i in place.words]
    heads = int((sentence.head != parsed.head).sum())
    assert tree.locator(".arc.wrong.head").count() == heads
    assert tree.locator(".arc").count() == 2 * len(sentence)
    assert "class=NOUN" in address(page)
    page.keyboard.press("Escape")
    assert panel.inner_text() == ""


def test_hebrew_trees_have_their_first_word_on_the_right(tab, tmp_path):
    words, heads, relations = ["הברתק", "ישלף", "כמבוש"], [2, 0, 2], ["nsubj", "root", "obj"]
    for name, own in (("gold", relations), ("other", ["nsubj", "root", "iobj"])):
        rows = zip(words, heads, own, strict=True)
        lines = [f"{i}\t{w}\t_\tX\t_\t_\t{h}\t{r}\t_\t_\n" for i, (w, h, r) in enumerate(rows, 1)]
        (tmp_path / f"{name}.conllu").write_text(f"# sent_id = one\n{''.join(lines)}\n", "utf-8")
    gold, other, out = (tmp_path / name for name in ("gold.conllu", "other.conllu", "page.html"))
    report(other, gold=[gold], out=out)
    page = tab(tmp_path / "page.html")
    page.locator("#scores").get_by_role("combobox", name="By").select_option("relation")
    page.locator("#scores .heat tr", has_text="obj").locator("button").first.click()
    tree = page.locator("#scores-sentences svg.tree").first
    drawn = tree.locator("text.word").all()
    assert [one.text_content() for one in drawn] == words[::-1]
    at = [float(one.get_attribute("x")) for one in drawn]
    assert at == sorted(at)
    assert drawn[0].get_attribute("direction") == "rtl"
    assert tree.locator("text.word.chosen").all_text_contents() == ["כמבוש"]
    assert tree.get_attribute("aria-label") == " ".join(words)
    titles = tree.locator(".arc title").all_text_contents()
    assert "ישלף → הברתק: nsubj" in titles


def test_a_deep_link_opens_the_sentences_behind_a_cell(tab, small):
    page = tab(small / "page.html", "#scores?by=upos&class=NOUN&system=alpha")
    assert "alpha, upos NOUN" in page.locator("#scores-sentences").inner_text()
    assert page.locator("#scores-sentences svg.tree").count() > 0


def test_links_keep_names_with_any_characters(tab, small, tmp_path):
    text = (small / "page.html").read_text()
    odd = tmp_path / "page.html"
    odd.write_text(text.replace('"alpha"', '"a&b=c% ?#"'))
    page = tab(odd)
    page.locator("#scores .heat button").first.click()
    again = tab(odd, "#" + address(page).partition("#")[2])
    assert "a&b=c% ?#" in again.locator("#scores-sentences strong").inner_text()
    mailed = address(page).partition("#")[2].replace("?", "%3F", 1)
    other = tab(odd, "#" + mailed)
    assert "a&b=c% ?#" in other.locator("#scores-sentences strong").inner_text()


def test_a_long_table_shows_all_its_rows_when_asked(tab, small):
    page = tab(small / "page.html", "#maps?layer=head&x0=0&x1=0.5&y0=0&y1=1")
    words = page.locator("#maps-words")
    assert words.locator("tbody tr").count() == 25
    words.get_by_role("button", name="Show all 300 rows").click()
    assert words.locator("tbody tr").count() == 300
    assert words.locator(".more").is_hidden()


def test_the_command_below_a_choice_gives_its_ranks(tab, small, scores, monkeypatch):
    page = tab(small / "page.html")
    page.locator("#ranking .picker").get_by_role("button", name="None").click()
    for code in scores.treebanks[3:7]:
        page.locator("#ranking .picker").get_by_label(code, exact=True).check()
    shown = {row[0]: row[1] for row in table(page, "#ranking-live")}
    name, *words = shlex.split(page.locator("#ranking-command").inner_text())
    assert name == "treegauge"
    monkeypatch.chdir(small)
    result = invoke([*words, "--format", "json"])
    assert result.exit_code == 0, result.output
    ranks = {row["system"]: f"{row['mean']:g}" for row in json.loads(result.output)["systems"]}
    assert ranks == shown


def test_markup_in_forms_is_shown_as_text(tab, small):
    page = tab(small / "page.html", "#maps?layer=head&x0=0&x1=0.5&y0=0&y1=1")
    first = page.locator("#maps-words tbody tr").first
    assert first.locator("th").inner_text() == "<script>window.hacked=1</script>"
    first.locator("button").click()
    words = page.locator("#maps-tree text.word").all_text_contents()
    assert words[:2] == ["<script>window.hacked=1</script>", "</script><b>&amp;"]
    assert page.evaluate("document.querySelectorAll('section img, section script').length") == 0


def test_a_frame_on_the_map_chooses_words_and_exports_them(tab, small):
    page = tab(small / "page.html")
    canvas = page.locator("#maps canvas")
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
    page = tab(small / "page.html")
    page.locator("button[data-region=easy]").press("Enter")
    assert "in the frame" in page.locator("#maps-count").inner_text()
    page.get_by_label("confidence from").fill("0.99")
    page.get_by_label("confidence from").press("Enter")
    found = data_map(Recording.load(small / "training.npz"))
    conf, var = (quantised(v["head"]) / 65535 for v in (found.confidence, found.variability))
    number = int(((conf >= 0.99) & (var <= 0.1)).sum())
    assert page.locator("#maps-count").inner_text().startswith(f"{number:,} word")


def test_tables_sort_and_filter(tab, small):
    page = tab(small / "page.html", "#treebanks?family=lengths")
    audit = page.locator("#treebanks .data-table").nth(1)
    checks = audit.locator("tbody tr td:nth-child(4)")
    every = checks.all_inner_texts()
    audit.locator("input.filter").fill(every[-1].upper())
    assert checks.all_inner_texts() == [check for check in every if check == every[-1]]
    assert len(set(every)) > 1
    audit.locator("input.filter").fill("")
    audit.get_by_role("button", name="check").click()
    assert checks.all_inner_texts() == sorted(every)
    assert audit.locator("th[aria-sort=ascending]").inner_text().startswith("check")


def test_keys_lead_through_the_page(tab, small):
    page = tab(small / "page.html")
    page.keyboard.press("2")
    page.wait_for_function("document.activeElement.id === 'ranking'")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.className") == "filter"
    page.keyboard.type("2")  # in a field, keys are text
    assert page.evaluate("document.activeElement.value") == "2"
    cell = page.locator("#scores .heat button").first
    cell.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    place = page.evaluate(
        "[document.activeElement.dataset.row, document.activeElement.dataset.system]"
    )
    assert place == ["1", "1"]


def test_the_section_one_reads_can_be_seen_in_the_menu_of_a_phone(tab, small):
    page = tab(small / "page.html", "#methods", viewport={"width": 390, "height": 800})
    link = page.locator("nav a[aria-current]")
    assert link.inner_text() == "Methods"
    place = link.bounding_box()
    assert 0 <= place["x"] <= 390 - place["width"]


@pytest.mark.parametrize("width", [1280, 390])
def test_no_width_makes_the_page_scroll_sideways(tab, small, width):
    page = tab(small / "page.html", viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_printed_page_is_as_wide_as_its_paper(tab, small):
    link = "#scores?by=upos&class=NOUN&system=alpha"
    page = tab(small / "page.html", link, viewport={"width": 794, "height": 1123})
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 794
    assert not page.locator("nav").is_visible()
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(0, 0, 0)"


def test_a_map_is_printed_on_white_paper(tab, small):
    page = tab(small / "page.html", color_scheme="dark")
    corner = """(() => {
      const copy = document.createElement("canvas");
      const pen = copy.getContext("2d", { willReadFrequently: true });
      pen.drawImage(document.querySelector("#maps canvas"), 0, 0);
      return [...pen.getImageData(0, 0, 1, 1).data];
    })()"""
    assert max(page.evaluate(corner)[:3]) < 60
    page.emulate_media(media="print")
    page.wait_for_function(f"{corner}[0] === 255")
    assert page.evaluate(corner) == [255, 255, 255, 255]


def test_the_word_in_question_can_be_seen_on_a_phone(tab, small):
    link = "#scores?by=upos&class=NOUN&system=alpha"
    page = tab(small / "page.html", link, viewport={"width": 390, "height": 844})
    frames = page.locator("#scores-sentences .tree-box .wide").all()
    for frame in frames:
        outer, word = frame.bounding_box(), frame.locator(".word.chosen").first.bounding_box()
        assert outer["x"] <= word["x"] + word["width"] / 2 <= outer["x"] + outer["width"]
    assert len(frames) > 3


def test_it_works_with_frozen_timers_on_a_slow_machine(tab, small, scores):
    names = ("setTimeout", "setInterval", "requestAnimationFrame", "requestIdleCallback")
    frozen = "".join(f"window.{name} = () => 0;" for name in names)
    page = tab(small / "page.html", "#ranking?size=2", script=frozen, slow=4)
    assert page.evaluate("setTimeout(() => 1, 0)") == 0
    assert page.locator("#ranking-size").inner_text().startswith("2 of 14")
    slider = page.locator("#ranking input[type=range]")
    slider.evaluate("e => { e.value = 2; e.dispatchEvent(new Event('input')) }")
    assert page.locator("#ranking-size").inner_text().startswith("3 of 14")
    page.locator("button[data-region=easy]").evaluate("e => e.click()")
    assert "in the frame" in page.locator("#maps-count").inner_text()
    page.locator("#scores .heat button").first.evaluate("e => e.click()")
    assert page.locator("#scores-sentences").inner_text()


def test_without_a_script_the_tables_are_there(tab, small):
    page = tab(small / "page.html", java_script_enabled=False)
    assert "Without JavaScript" in page.locator("noscript").inner_text()
    page.locator("summary", has_text="Ranking over all treebanks").click()
    assert "75." in page.locator("#ranking details").first.inner_text()


def test_learning_curves_place_scores(tab, tmp_path):
    rows = [
        (name, "mst", size, sample, kind, round(share * total), total)
        for name in ("UD_A-A", "UD_B-B")
        for i, size in enumerate((5, 10, 20, 40))
        for sample in (0, 1)
        for kind, total, share in (
            ("all", 1000, 0.4 + 0.1 * i + 0.01 * sample),
            ("NOUN", 400, 0.3 + 0.12 * i),
            ("VERB", 300, 0.5 + 0.1 * (i != 2) * i),
        )
    ]
    counts = attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row"))
    counts.save(tmp_path / "counts.csv")
    (tmp_path / "page.html").write_text(report(str(tmp_path / "counts.csv"), out=None).html)
    page = tab(tmp_path / "page.html", "#learning?score=55.5")
    curves = curve(counts).table

    def worth(kind, score):
        curve = curves.filter(pl.col("class") == kind).sort("size")
        return float(equivalent_size(curve["size"], curve["score"], score))

    said = page.locator("#learning-worth")
    assert f"all words is worth {worth('all', 55.5):.1f} annotated" in said.inner_text()
    page.locator("#learning").get_by_role("combobox", name="on").select_option("VERB")
    page.locator("#learning label.field input").first.fill("58")
    assert f"VERB is worth {worth('VERB', 58):.1f} annotated" in said.inner_text()
    page.locator("#learning label.field input").first.fill("99")
    assert "more than 40" in said.inner_text()
    texts = page.locator("#learning .chart").first.locator("circle title").all_text_contents()
    assert f"all, 5 sentences: {curves['score'][0]:.1f}" in texts
