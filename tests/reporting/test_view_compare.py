"""Comparison of two systems in a browser, against numbers computed in Python."""

import re
import shlex

import pytest

from tests.commands import invoke
from tests.reporting.browsing import address
from tests.reporting.conftest import TREEBANKS
from treegauge.ranking.certify import certify
from treegauge.ranking.reading import read_leaderboard
from treegauge.scoring.alignment.align import align
from treegauge.scoring.classes.class_scores import class_scores
from treegauge.scoring.classes.class_tests import compare_classes
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.paired_tests import compare_systems
from treegauge.treebanks.data.conllu import read_conllu

LINK = "#compare?left=high&right=low&treebank=UD_One-A"


@pytest.fixture(scope="module")
def files(scored):
    gold = read_conllu(scored / TREEBANKS[0], split="test")
    return gold, {name: next((scored / name).glob("one*")) for name in ("high", "middle", "low")}


def test_the_result_is_that_of_the_paired_test(tab, scored, files):
    page = tab(scored / "page.html", LINK)
    tests = compare_systems(evaluate(files[0], files[1])).pairs
    row = next(row for row in tests if (row["a"], row["b"]) == ("high", "low"))
    lines = page.locator("#compare-result .verdict")
    said = lines.all_inner_texts()
    assert said[0].startswith(
        f"On new text from this treebank: high is better than low by {row['difference']:.2f} LAS points "
        f"(95 % interval {row['low']:.2f} to {row['high']:.2f}; p "
    )
    assert said[1].startswith("On new treebanks: too few to say (1 treebank")
    assert lines.first.get_attribute("data-better") == "a"
    found = page.locator("#compare-detectable").inner_text()
    assert f"a true difference of {row['detectable']:.2f} points" in found
    page.get_by_role("button", name="Swap").click()
    assert lines.all_inner_texts() == said, "the sentences are the same from either side"
    assert lines.first.get_attribute("data-better") == "b"


def test_equivalence_names_its_margin_and_the_band_is_drawn(tab, scored, files):
    page = tab(scored / "page.html", "#compare?left=high&right=middle&treebank=UD_One-A")
    pairs = compare_systems(evaluate(files[0], files[1])).pairs
    row = next(row for row in pairs if {row["a"], row["b"]} == {"high", "middle"})
    least = max(abs(row["low"]), abs(row["high"]))
    said = page.locator("#compare-verdict").inner_text()
    assert f"equivalent within a margin of {least:.2f} points or more, not within a smaller one" in said
    for margin, p in ((least + 0.01, True), (least - 0.01, False)):
        alone = {name: files[1][name] for name in ("high", "middle")}
        tested = compare_systems(evaluate(files[0], alone), margin=margin).pairs[0]
        assert (tested["verdict"] == "equivalent") == p
    field = page.get_by_label("Grey band: largest difference that does not matter, points")
    field.fill("90")
    field.press("Enter")
    assert "margin=90" in address(page)


def test_classes_are_those_of_the_library_in_the_order_chosen(tab, scored, files):
    page = tab(scored / "page.html", f"{LINK}&by=upos")
    gold, systems = files
    one, other = (class_scores(align(gold, read_conllu(systems[name])), by="upos") for name in ("high", "low"))
    tested = compare_classes(one, other, "sentences", level=0.95, correction="holm")
    tests = {row["class"]: row for row in tested}
    ours, theirs = ({row["class"]: row for row in cells.table.to_dicts()} for cells in (one, other))
    rows = [row.locator("th,td").all_inner_texts() for row in page.locator(".diverge tbody tr").all()]
    lost = []
    for name, words, a, b, difference, _, errors, p in rows:
        assert words == f"{ours[name]['gold']:,}"
        assert (a, b) == (f"{ours[name]['f1']:.1f}", f"{theirs[name]['f1']:.1f}")
        expected = ours[name]["f1"] - theirs[name]["f1"]
        assert float(re.sub(r"[*+]", "", difference.replace("−", "-"))) == pytest.approx(expected, abs=0.051)
        test = tests[name]["p_corrected"]
        assert (p == "") == (test is None)
        assert ("*" in difference) == (test is not None and test <= 0.05)
        lost.append(int(errors.replace("−", "-")))
        assert lost[-1] == ours[name]["correct"] - theirs[name]["correct"]
    # Classes without an interval come last, in every order.
    known = [tests[row[0]]["low"] is not None for row in rows]
    assert known == sorted(known, reverse=True)
    assert 0 < sum(known) < len(known)
    order = [(not one, -abs(value)) for one, value in zip(known, lost, strict=True)]
    assert order == sorted(order)
    assert page.locator(".diverge .diverging.few").count() == page.locator(".diverge button.few").count()
    assert page.locator(".diverge button.few").count() == len(known) - sum(known)
    cell = page.locator(".diverge button[data-row]").first.get_attribute("title")
    assert cell.endswith(f"{rows[0][1]} words")
    significant = sum(test["p_corrected"] is not None and test["p_corrected"] <= 0.05 for test in tests.values())
    said = page.locator(".class-tests").inner_text()
    assert said.startswith(f"{significant} of " if significant else "No single class is significant: ")
    page.locator("#compare-classes").get_by_label("Order").select_option("class")
    names = page.locator(".diverge tbody th").all_inner_texts()
    assert names == sorted(names, key=lambda name: (tests[name]["low"] is None, name))


def test_sentences_open_in_a_drawer_with_next_and_previous(tab, scored):
    page = tab(scored / "page.html", f"{LINK}&by=upos")
    page.locator(".diverge button[data-row]").first.press("Enter")
    drawer = page.locator(".drawer")
    assert drawer.locator("svg.tree").count() >= 1
    first = drawer.locator(".count").first.inner_text()
    assert first.startswith("1 of ")
    assert "high is correct and low is incorrect at" in drawer.inner_text()
    page.keyboard.press("j")
    assert drawer.locator(".count").first.inner_text().startswith("2 of ")
    link = "#" + address(page).partition("#")[2]
    again = tab(scored / "page.html", link)
    assert again.locator(".drawer .count").first.inner_text().startswith("2 of ")
    page.keyboard.press("Escape")
    assert drawer.is_hidden()
    assert "open=" not in address(page)
    assert page.evaluate("document.activeElement.dataset.row") == "0", "the focus returns"
    page.keyboard.press("Enter")
    assert drawer.is_visible()
    page.go_back()
    page.wait_for_selector(".drawer", state="hidden")


def test_several_treebanks_make_a_map_of_classes(tab, scored):
    page = tab(scored / "page.html", "#compare?left=high&right=low&by=upos")
    heads = page.locator(".diverge thead .turned").all_inner_texts()
    assert heads == list(TREEBANKS[:2]), "the last treebank lacks a system"
    assert "over 2 treebanks" in page.locator("#compare-result").inner_text()
    page.locator(".diverge button[data-row='0'][data-column='0']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    place = page.evaluate("({...document.activeElement.dataset})")
    assert (place["row"], place["column"]) == ("1", "1")


def test_the_certificate_is_that_of_the_library(tab, small, monkeypatch):
    scores = read_leaderboard(small / "scores.csv")
    order = scores.table["system"].to_list()
    page = tab(small / "page.html", f"#compare?table=table0&left={order[1]}&right={order[0]}")
    assert not page.locator("#compare-certificate p").first.is_visible(), "further tests are folded"
    page.locator("#compare-certificate summary").click()
    quote = page.locator("#compare-certificate p").first
    written = certify(scores, claim=f"{order[0]} > {order[1]}")
    assert quote.inner_text().endswith(written.evidence)
    assert page.locator("#compare-result .verdict").all_inner_texts() == [one.sentence for one in written.verdicts]
    page.get_by_role("combobox", name="B", exact=True).select_option(order[5])
    found = certify(scores, claim=f"{order[1]} > {order[5]}")
    page.locator("#compare-certificate summary").click()
    lines = page.locator("#compare-result .verdict").all_inner_texts()
    assert lines == [one.sentence for one in found.verdicts]
    said = quote.inner_text().replace("−", "-")
    assert f"is {found.difference.value:+.2f} points" in said
    assert f"ahead on {found.ahead} treebank" in said
    assert " p " not in said, "the test is that of the verdict"
    _, *words = shlex.split(page.locator("#compare-command").inner_text())
    monkeypatch.chdir(small)
    result = invoke(words)
    assert result.exit_code == 0, result.output
    assert " ".join(found.text.split()) in " ".join(result.stdout.split())


def test_a_class_in_which_breakdown_finds_sentences_has_some_on_the_page(tab, scored, files):
    """A sample of each system's own errors need not have one that the other system avoids."""
    gold, systems = files
    found = {name: class_scores(align(gold, read_conllu(systems[name])), by="relation") for name in ("high", "middle")}
    page = tab(scored / "page.html", "#compare?left=high&right=middle&treebank=UD_One-A&by=relation")
    differing = {}
    for name in found["high"].gold.names:
        sides = (("high", "middle"), ("middle", "high"))
        places = [found[a].errors(name, unlike=found[b]) for a, b in sides]
        differing[name] = len({one.sentence for side in places for one in side})
    assert max(differing.values()) > 8, "more than the page holds of a class"
    for row in page.locator(".diverge tbody tr").all():
        name = row.locator("th").inner_text()
        row.locator("button").first.click()
        drawer = page.locator(".drawer")
        if differing[name]:
            assert drawer.locator(".count").first.inner_text().startswith("1 of "), name
        page.keyboard.press("Escape")
