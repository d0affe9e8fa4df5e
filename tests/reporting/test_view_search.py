"""The search in a browser, against matches found in Python."""

from urllib.parse import quote

from tests.reporting.browsing import address, until
from treegauge.treebanks.data.conllu import read_conllu


def link(query, **more):
    parts = {"q": query, **more}
    return "#search?" + "&".join(f"{name}={quote(value)}" for name, value in parts.items())


def with_determiner(treebank):
    """Count nouns that have a DET dependent, and the sentences with one."""
    words, sentences = 0, 0
    for sentence in treebank:
        heads = {h for h, u in zip(sentence.head.tolist(), sentence.upos, strict=True) if u == "DET"}
        found = sum(sentence.upos[h - 1] == "NOUN" for h in heads if h)
        words, sentences = words + found, sentences + bool(found)
    return words, sentences


def test_a_tree_query_finds_what_python_finds(tab, small):
    page = tab(small / "page.html", "#search")
    page.get_by_label("Search for").fill("upos=NOUN > upos=DET")
    page.keyboard.press("Enter")
    parts = [read_conllu(small / "UD_Small-Test", split=part) for part in ("test", "train")]
    (a, b), (c, d) = map(with_determiner, parts)
    total = sum(map(len, parts))
    said = page.locator(".results strong").inner_text()
    assert said == f"{a + c} matches in {b + d} of {total} sentences in this page."
    assert page.locator(".matches > li").count() == 10
    page.get_by_role("button", name="Show 10 more").click()
    assert page.locator(".matches > li svg.tree").count() == 20
    again = tab(small / "page.html", "#" + address(page).partition("#")[2])
    assert again.locator(".results strong").inner_text() == said


def test_text_forms_lemmas_tags_and_relations(tab, small):
    gold = read_conllu(small / "UD_Small-Test", split="test")
    sentence = gold[1]
    asked = {
        "text": " ".join(sentence.form[:2]).upper(),
        "form": sentence.form[0],
        "lemma": gold["lemma"][int(gold.offsets[1])],
        "upos": "NOUN",
        "deprel": "nsubj",
    }
    page = tab(small / "page.html", "#search")
    for mode, text in asked.items():
        page.get_by_role("combobox", name="Look for").select_option(mode)
        page.get_by_label("Search for").fill(text)
        page.get_by_role("button", name="Search").click()
        until(page, f"location.hash.includes('in={mode}')")
        assert page.locator(".matches li").count(), mode
        assert not page.locator(".complaint").count()
    page.get_by_role("combobox", name="Look for").select_option("upos")
    page.get_by_label("Search for").fill("NOUN")
    page.keyboard.press("Enter")
    marked = page.locator(".matches li").first.locator("mark").all_inner_texts()
    assert marked == [f for f, u in zip(gold[0].form, gold[0].upos, strict=True) if u == "NOUN"]


def test_an_error_in_a_query_is_explained_with_its_place(tab, small):
    page = tab(small / "page.html", link("upos=NOUN > colour=red"))
    complaint = page.locator(".complaint")
    assert complaint.locator("mark").inner_text() == "colour"
    said = complaint.inner_text()
    assert "At character 13: 'colour' is not a known key; expected form, lemma" in said
    page.get_by_label("Search for").fill("<img src=x onerror=window.hacked=1>")
    page.keyboard.press("Enter")
    assert "<img" in page.locator(".complaint pre").inner_text()
    assert page.locator("main img").count() == 0


def test_what_a_system_got_wrong_is_found(tab, small):
    page = tab(small / "page.html", link("wrong=head", system="alpha"))
    gold = read_conllu(small / "UD_Small-Test", split="test")
    parsed = read_conllu(small / "alpha.conllu")
    wrong = int((gold.head != parsed.head).sum())
    assert page.locator(".results strong").inner_text().startswith(f"{wrong} matches in")
    assert page.locator(".matches .arc.wrong.head").count()


def test_a_result_opens_in_the_drawer_and_in_a_link(tab, small):
    page = tab(small / "page.html", link("deprel=nsubj"))
    page.locator(".matches button").nth(1).click()
    drawer = page.locator(".drawer")
    title = drawer.locator("h3").inner_text()
    assert title == "Sentences that match deprel=nsubj"
    where = drawer.locator(".count").first.inner_text()
    assert where.startswith("2 of ")
    again = tab(small / "page.html", "#" + address(page).partition("#")[2])
    assert again.locator(".drawer .count").first.inner_text() == where
    page.go_back()
    page.wait_for_selector(".drawer", state="hidden")
    assert page.locator(".matches li").count() == 10


def test_examples_can_be_tried_and_match(tab, small):
    page = tab(small / "page.html", "#search?system=alpha")
    examples = page.locator(".query-help .examples button").all_inner_texts()
    assert len(examples) > 5
    for text in examples:
        page.locator(".query-help").get_by_role("button", name=text, exact=True).click()
        assert page.get_by_label("Search for").input_value() == text
        assert page.locator(".complaint").count() == 0
        assert "sentences in this page" in page.locator(".results strong").inner_text()
