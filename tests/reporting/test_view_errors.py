"""Errors and their sentences in a browser, against numbers computed in Python."""

from collections import Counter

from tests.reporting.browsing import address, table, until
from tests.reporting.conftest import TREEBANKS
from treegauge.reporting.report import report
from treegauge.scoring.alignment.align import align
from treegauge.scoring.classes.class_scores import class_scores
from treegauge.scoring.classes.confusion import confusion
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics.correct_words import correct_words
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu

NOUN = "#errors?by=upos&class=NOUN&system=alpha"


def aligned(small, system="beta"):
    gold = read_conllu(small / "UD_Small-Test", split="test")
    return gold, align(gold, read_conllu(small / f"{system}.conllu"))


def test_a_class_opens_its_sentences_with_aligned_trees(tab, small):
    page = tab(small / "page.html", "#errors?system=%3Cb%3Ebeta")
    view, drawer = page.locator("#view-errors"), page.locator(".drawer")
    view.get_by_role("combobox", name="By", exact=True).select_option("upos")
    gold, alignment = aligned(small)
    cells = class_scores(alignment, by="upos")
    row = next(r for r in cells.table.to_dicts() if r["class"] == "NOUN")
    wrong = row["gold"] - row["correct"]
    shown = {cells[0]: cells[1:3] for cells in table(page, "#view-errors .data-table")}
    assert shown["NOUN"] == [str(row["gold"]), str(wrong)]
    view.get_by_role("button", name="NOUN", exact=True).click()
    title = drawer.locator("h3").inner_text()
    assert title.startswith(f"<b>beta, upos NOUN: {wrong} of {row['gold']} words incorrect; ")
    assert f"all {wrong} words in {len(cells.errors('NOUN'))} sentences" in title
    place = cells.errors("NOUN", limit=1)[0]
    sentence, parsed = gold[place.sentence], alignment.system.treebank[place.sentence]
    words = drawer.locator("text.word").all_text_contents()
    assert words == [*sentence.form, *sentence.form]
    at = [float(one.get_attribute("x")) for one in drawer.locator("text.word").all()]
    assert at[: len(sentence)] == at[len(sentence) :], "words of both trees are aligned"
    marked = drawer.locator(".sentence-line mark").all_inner_texts()
    assert marked == [sentence.form[i - 1] for i in place.words]
    heads = int((sentence.head != parsed.head).sum())
    assert drawer.locator(".arc.wrong.head").count() == heads
    differing = [
        i
        for i in range(len(sentence))
        if sentence.head[i] != parsed.head[i]
        or sentence.deprel[i].partition(":")[0] != parsed.deprel[i].partition(":")[0]
    ]
    said = drawer.locator(".differences li").all_inner_texts()
    assert len(said) == len(differing)
    for i, text in zip(differing, said, strict=True):
        assert text.startswith("<b>beta ") and f"‘{sentence.form[i]}’" in text


def test_next_previous_and_the_link_to_a_sentence(tab, small):
    page = tab(small / "page.html", NOUN)
    drawer = page.locator(".drawer")
    _, alignment = aligned(small, "alpha")
    ids = [place.sent_id for place in class_scores(alignment, by="upos").errors("NOUN")]
    assert f"1 of {len(ids)}, {ids[0]}" in drawer.inner_text()
    page.keyboard.press("j")
    page.keyboard.press("ArrowRight")
    assert f"3 of {len(ids)}, {ids[2]}" in drawer.inner_text()
    page.keyboard.press("k")
    assert f"2 of {len(ids)}, {ids[1]}" in drawer.inner_text()
    drawer.get_by_label("and with").select_option("<b>beta")
    assert drawer.locator(".tree-name").all_text_contents() == ["gold", "alpha", "<b>beta"]
    again = tab(small / "page.html", "#" + address(page).partition("#")[2])
    other = again.locator(".drawer")
    assert f"2 of {len(ids)}, {ids[1]}" in other.inner_text()
    assert other.locator(".tree-name").all_text_contents() == ["gold", "alpha", "<b>beta"]
    page.keyboard.press("Escape")
    assert drawer.is_hidden()
    assert "open=" not in address(page) and "class=" not in address(page)


def test_back_closes_the_drawer(tab, small):
    page = tab(small / "page.html", "#errors")
    page.locator("#view-errors .costly button").first.click()
    assert page.locator(".drawer").is_visible()
    page.go_back()
    page.wait_for_selector(".drawer", state="hidden")
    page.go_forward()
    page.wait_for_selector(".drawer svg.tree")


def test_the_matrix_counts_confusions_and_opens_their_sentences(tab, small):
    page = tab(small / "page.html", "#errors?system=alpha")
    _, alignment = aligned(small, "alpha")
    correct = correct_words(alignment)
    wrong = int(correct.gold.sum() - correct.relations.sum())
    summary = page.locator("#view-errors .result").inner_text()
    assert f"alpha makes errors in {wrong} of {int(correct.gold.sum())} words" in summary
    page.get_by_role("button", name="Show all").click()
    expected = {(g, s): n for g, s, n, _ in confusion(alignment, of="relation").table.iter_rows()}
    cells = page.locator(".confusion td:not(.same) button").all()
    labels = [cell.get_attribute("aria-label") for cell in cells]
    assert {f"{g} as {s}: {n} word{'s' * (n > 1)}" for (g, s), n in expected.items()} == set(labels)
    (gold, system), count = max(expected.items(), key=lambda pair: pair[1])
    page.get_by_role("button", name=f"{gold} as {system}: ").click()
    title = page.locator(".drawer h3").inner_text()
    assert f"alpha labels {count} {gold} words as {system} (" in title
    assert f"all {count} words in" in title
    said = page.locator(".differences .chosen").first.inner_text()
    assert f"as {system}" in said and f"gold: {gold}" in said
    again = tab(small / "page.html", "#" + address(page).partition("#")[2])
    assert again.locator(".drawer h3").inner_text() == title


def test_arrows_move_in_the_matrix_and_enter_opens(tab, small):
    page = tab(small / "page.html", "#errors")
    first = page.locator(".confusion button").first
    first.focus()
    page.keyboard.press("ArrowRight")
    place = "[document.activeElement.dataset.row, document.activeElement.dataset.column]"
    row, column = page.evaluate(place)
    assert row == first.get_attribute("data-row")
    assert int(column) > int(first.get_attribute("data-column"))
    page.keyboard.press("Enter")
    assert page.locator(".drawer svg.tree").is_visible()
    page.keyboard.press("Escape")
    assert page.evaluate(place) == [row, column], "the focus comes back"


def test_the_costliest_confusions_come_first_in_words(tab, small):
    page = tab(small / "page.html", "#errors?system=alpha")
    said = page.locator(".costly li").all_inner_texts()
    counts = [int(next(word for word in text.split() if word.isdigit())) for text in said]
    assert counts == sorted(counts, reverse=True)
    assert all(" of its errors)" in text for text in said)


def test_a_sentence_is_copied_as_conllu(tab, small):
    page = tab(small / "page.html", NOUN)
    page.evaluate("document.addEventListener('copy', () => { window.copied = document.activeElement.value; })")
    drawer = page.locator(".drawer")
    drawer.get_by_role("button", name="Copy as CoNLL-U").click()
    gold, alignment = aligned(small, "alpha")
    place = class_scores(alignment, by="upos").errors("NOUN", limit=1)[0]
    copied = parse_conllu(page.evaluate("window.copied"))
    sentence = gold[place.sentence]
    assert copied[0].id == sentence.id
    for name in ("form", "lemma", "upos", "feats", "deprel"):
        words = slice(*gold.offsets[place.sentence : place.sentence + 2])
        assert copied[name].to_list() == gold[name].to_list()[words], name
    assert copied.head.tolist() == sentence.head.tolist()
    drawer.get_by_role("button", name="Copy alpha").click()
    parsed = parse_conllu(page.evaluate("window.copied"))
    assert parsed.head.tolist() == alignment.system.treebank[place.sentence].head.tolist()


def test_hebrew_trees_have_their_first_word_on_the_right(tab, tmp_path):
    words, heads, relations = ["הברתק", "ישלף", "כמבוש"], [2, 0, 2], ["nsubj", "root", "obj"]
    for name, own in (("gold", relations), ("other", ["nsubj", "root", "iobj"])):
        rows = zip(words, heads, own, strict=True)
        lines = [f"{i}\t{w}\t_\tX\t_\t_\t{h}\t{r}\t_\t_\n" for i, (w, h, r) in enumerate(rows, 1)]
        (tmp_path / f"{name}.conllu").write_text(f"# sent_id = one\n{''.join(lines)}\n", "utf-8")
    gold, other, out = (tmp_path / name for name in ("gold.conllu", "other.conllu", "page.html"))
    report(other, gold=[gold], out=out)
    page = tab(tmp_path / "page.html", "#errors?gold=obj&given=iobj")
    tree = page.locator(".drawer svg.tree")
    drawn = tree.locator("text.word").all()[:3]
    assert [one.text_content() for one in drawn] == words[::-1]
    at = [float(one.get_attribute("x")) for one in drawn]
    assert at == sorted(at)
    assert drawn[0].get_attribute("direction") == "rtl"
    assert set(tree.locator("text.word.chosen").all_text_contents()) == {"כמבוש"}
    assert tree.get_attribute("aria-label") == " ".join(words)
    assert page.locator(".sentence-text").first.get_attribute("dir") == "auto"
    said = page.locator(".differences").inner_text()
    assert said == "other labels ‘כמבוש’ as iobj; gold: obj (same head, ‘ישלף’)."
    assert "הברתק: nsubj of ‘ישלף’" in tree.locator(".arc title").all_text_contents()


def test_links_keep_names_with_any_characters(tab, small, tmp_path):
    text = (small / "page.html").read_text()
    odd = tmp_path / "page.html"
    odd.write_text(text.replace('"alpha"', '"a&b=c% ?#"'))
    page = tab(odd, "#errors")
    page.locator(".costly button").first.click()
    title = page.locator(".drawer h3").inner_text()
    assert title.startswith("a&b=c% ?# ")
    link = address(page).partition("#")[2]
    for one in (link, link.replace("?", "%3F", 1)):
        assert tab(odd, f"#{one}").locator(".drawer h3").inner_text() == title


def test_a_printed_page_is_as_wide_as_its_paper(tab, small):
    page = tab(small / "page.html", "#errors", viewport={"width": 794, "height": 1123})
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= 794
    assert not page.locator("#rail").is_visible()
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(0, 0, 0)"


def test_the_word_in_question_and_the_names_can_be_seen_on_a_phone(tab, small):
    page = tab(small / "page.html", NOUN, viewport={"width": 390, "height": 844})
    frame = page.locator(".drawer .wide")
    for _ in range(4):
        outer, word = frame.bounding_box(), frame.locator(".word.chosen").first.bounding_box()
        assert outer["x"] <= word["x"] + word["width"] / 2 <= outer["x"] + outer["width"]
        until(page, "document.querySelector('.drawer .tree-name').getBoundingClientRect().left >= 0")
        page.locator(".drawer").get_by_role("button", name="Next").click()


def test_a_rate_over_treebanks_is_called_micro_beside_the_macro_average(tab, scored):
    page = tab(scored / "page.html", "#errors?system=high")
    scores = []
    for name in TREEBANKS:
        (gold,) = (scored / name).glob("*.conllu")
        scores.append(evaluate(gold, {"high": scored / "high" / gold.name})["high"]["LAS"])
    micro = 100 * sum(one.correct for one in scores) / sum(one.gold for one in scores)
    macro = sum(one.f1 for one in scores) / len(scores)
    assert f"{micro:.2f}" != f"{macro:.2f}"
    said = page.locator("#view-errors .result").inner_text()
    assert f"{micro:.2f} % have the correct head and relation (micro average" in said
    assert f"the mean over treebanks, the macro average, is {macro:.2f} %" in said
    page = tab(scored / "page.html", f"#errors?system=high&treebank={TREEBANKS[0]}")
    assert "average" not in page.locator("#view-errors .result").inner_text()


def kinds_counted(small, system):
    """Return the errors of a system by kind, counted word by word."""
    gold, alignment = aligned(small, system)
    parsed = alignment.system.treebank
    heads = gold.head == parsed.head
    names = [[text.partition(":")[0] for text in one["deprel"].to_list()] for one in (gold, parsed)]
    same = [a == b for a, b in zip(*names, strict=True)]
    pairs = list(zip(heads.tolist(), same, strict=True))
    return [pairs.count(pair) for pair in ((False, True), (True, False), (False, False))]


def test_all_systems_are_shown_by_kind_of_error_and_each_opens_its_sentences(tab, small):
    page = tab(small / "page.html", "#errors")
    assert page.locator(".filters").get_by_role("combobox", name="System").input_value() == ""
    rows = {row[0]: row for row in table(page, "[aria-label='Errors by kind and system']")}
    assert rows.keys() == {"alpha", "<b>beta"}
    for name, system in (("alpha", "alpha"), ("<b>beta", "beta")):
        counts = kinds_counted(small, system)
        assert [int(cell) for cell in rows[name][2:5]] == counts
        assert int(rows[name][7]) == sum(counts)
    _, relation, _ = kinds_counted(small, "alpha")
    page.get_by_role("button", name="Read: alpha, only the relation is incorrect").click()
    drawer = page.locator(".drawer")
    assert f"all {relation} words in" in drawer.locator("h3").inner_text()
    assert drawer.locator(".sentence-line mark").count() == drawer.locator(".arc.wrong.label").count() > 0
    said = drawer.locator("h3").inner_text()
    again = tab(small / "page.html", "#" + address(page).partition("#")[2])
    assert again.locator(".drawer h3").inner_text() == said
    cards = page.locator("#view-errors .card")
    assert cards.locator("h4").all_inner_texts() == ["alpha", "<b>beta"]


def test_classes_of_few_words_are_hollow_and_come_last(tab, scored):
    words, wrong = Counter(), Counter()
    for name in TREEBANKS:
        (gold,) = (scored / name).glob("*.conllu")
        found = class_scores(align(read_conllu(gold), read_conllu(scored / "high" / gold.name)), by="relation")
        for row in found.table.to_dicts():
            words[row["class"]] += row["gold"]
            wrong[row["class"]] += row["gold"] - row["correct"]
    page = tab(scored / "page.html", "#errors?by=relation")
    box = page.locator("#view-errors .data-table", has=page.locator("[aria-label='Errors by relation and system']"))
    for _ in range(2):  # in every order
        rows = table(page, "[aria-label='Errors by relation and system']")
        few = [words[row[0]] < 100 for row in rows]
        assert few == sorted(few)
        assert 0 < sum(few) < len(few)
        assert box.locator("tbody td:nth-child(3) .heat-cell.few").count() == sum(few)
        box.locator("thead button").first.click()
    cell = box.locator("tbody tr", has_text="nsubj").locator(".heat-cell").first
    said = f"high, relation nsubj: {wrong['nsubj']} of {words['nsubj']} words incorrect"
    assert said in cell.get_attribute("title")
    cell.click()
    assert page.locator(".drawer h3").inner_text().startswith(said)
    one = tab(scored / "page.html", "#errors?by=relation&system=high")
    shown = [words[row[0]] < 100 for row in table(one, "[aria-label='Errors by relation']")]
    assert shown == sorted(shown)
    hollow = [name for name, count in words.items() if count < 100 and wrong[name]]
    assert one.locator("[aria-label='Errors by relation'] .stack.few:has(span)").count() == len(hollow)


def test_views_keep_the_filter_and_show_all(tab, scored):
    for view in ("errors", "systems"):
        page = tab(scored / "page.html", f"#{view}")
        for name in ("Treebank", "System"):
            field = page.locator(".filters").get_by_role("combobox", name=name)
            assert field.input_value() == ""
            assert field.locator("option").first.inner_text() == f"all {name.lower()}s"
    assert page.locator("#view-systems .card h4").all_inner_texts() == list(TREEBANKS)
    tests = table(page, "[aria-label='Paired tests']")
    assert {row[1] for row in tests} == set(TREEBANKS)
    page.locator(".filters").get_by_role("combobox", name="System").select_option("high")
    assert page.locator("#systems-what").inner_text() == "high on 3 treebanks"
    page.go_back()
    page.wait_for_selector("#view-systems .card")


def test_micro_and_macro_averages_are_labelled(tab, scored):
    page = tab(scored / "page.html", "#systems")
    both = {name: [] for name in ("high", "middle", "low")}
    for name in TREEBANKS[:2]:  # the third lacks a system
        (gold,) = (scored / name).glob("*.conllu")
        found = evaluate(gold, {system: scored / system / gold.name for system in both})
        for system, each in both.items():
            each.append(found[system]["LAS"])
    rows = {(row[0], row[1]): row[2:] for row in table(page, "[aria-label='Averages over 2 treebanks']")}
    for at, each in enumerate(both.values()):
        macro = sum(one.f1 for one in each) / len(each)
        micro = 100 * sum(one.correct for one in each) / sum(one.gold for one in each)
        assert rows["LAS", "macro"][at].startswith(f"{macro:.2f}")
        assert rows["LAS", "micro"][at].startswith(f"{micro:.2f}")


def test_showing_all_rows_never_fails(tab, scored):
    """The button may be pressed by a program or a key after a filter has left few rows."""
    page = tab(scored / "page.html", "#errors?by=relation")
    box = page.locator("#view-errors .data-table:has(input.filter)").first
    more = box.locator(".more button")
    page.evaluate("for (const more of document.querySelectorAll('#view-errors .more')) more.hidden = false")
    box.locator("input.filter").fill("no such class")
    more.evaluate("button => button.click()")  # the tab fails if the page complains
    assert box.locator("tbody tr").count() == 0
