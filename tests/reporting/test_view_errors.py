"""Errors and their sentences in a browser, against numbers computed in Python."""

from tests.reporting.browsing import address
from treegauge.reporting.report import report
from treegauge.scoring.align import align
from treegauge.scoring.breakdown import breakdown
from treegauge.treebanks.conllu import read_conllu


def test_a_cell_shows_its_sentences_with_both_trees(tab, small):
    page = tab(small / "page.html", "#errors")
    page.locator("#view-errors").get_by_role("combobox", name="By").select_option("upos")
    gold = read_conllu(small / "UD_Small-Test", split="test")
    system = read_conllu(small / "beta.conllu")
    cells = breakdown(align(gold, system), by="upos")
    row = next(r for r in cells.table.to_dicts() if r["class"] == "NOUN")
    button = page.locator("#view-errors .heat tr", has_text="NOUN").locator("button").nth(1)
    assert button.inner_text() == f"{row['f1']:.1f}"
    button.click()
    panel = page.locator("#errors-sentences")
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
    page = tab(tmp_path / "page.html", "#errors")
    page.locator("#view-errors").get_by_role("combobox", name="By").select_option("relation")
    page.locator("#view-errors .heat tr", has_text="obj").locator("button").first.click()
    tree = page.locator("#errors-sentences svg.tree").first
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
    page = tab(small / "page.html", "#errors?by=upos&class=NOUN&of=alpha")
    assert "alpha, upos NOUN" in page.locator("#errors-sentences").inner_text()
    assert page.locator("#errors-sentences svg.tree").count() > 0


def test_links_keep_names_with_any_characters(tab, small, tmp_path):
    text = (small / "page.html").read_text()
    odd = tmp_path / "page.html"
    odd.write_text(text.replace('"alpha"', '"a&b=c% ?#"'))
    page = tab(odd, "#errors")
    page.locator("#view-errors .heat button").first.click()
    again = tab(odd, "#" + address(page).partition("#")[2])
    assert "a&b=c% ?#" in again.locator("#errors-sentences strong").inner_text()
    mailed = address(page).partition("#")[2].replace("?", "%3F", 1)
    other = tab(odd, "#" + mailed)
    assert "a&b=c% ?#" in other.locator("#errors-sentences strong").inner_text()


def test_a_printed_page_is_as_wide_as_its_paper(tab, small):
    link = "#errors?by=upos&class=NOUN&of=alpha"
    page = tab(small / "page.html", link, viewport={"width": 794, "height": 1123})
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 794
    assert not page.locator("#rail").is_visible()
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(0, 0, 0)"


def test_the_word_in_question_can_be_seen_on_a_phone(tab, small):
    link = "#errors?by=upos&class=NOUN&of=alpha"
    page = tab(small / "page.html", link, viewport={"width": 390, "height": 844})
    frames = page.locator("#errors-sentences .tree-box .wide").all()
    for frame in frames:
        outer, word = frame.bounding_box(), frame.locator(".word.chosen").first.bounding_box()
        assert outer["x"] <= word["x"] + word["width"] / 2 <= outer["x"] + outer["width"]
    assert len(frames) > 3
