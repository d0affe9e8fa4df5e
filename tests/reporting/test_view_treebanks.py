"""Treebanks in a browser: profiles, measures and changes between releases."""

import pytest

import treegauge as tg
from tests.reporting.browsing import address, table
from treegauge.auditing.diff import diff
from treegauge.measures.measure import measure
from treegauge.measures.registry import measures
from treegauge.reporting.report import report
from treegauge.reporting.sections.treebanks import FAMILY_NAMES, MEASURE_NAMES
from treegauge.scoring.alignment.align import align
from treegauge.scoring.metrics.correct_words import correct_words
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_conllu, write_conllu


def test_every_measure_and_family_has_a_name():
    several = {"displacements", "edv_samples", "wde"}
    own = {name for name, one in measures().items() if one.function.__module__.startswith("treegauge.")}
    assert own - several <= MEASURE_NAMES.keys()
    assert MEASURE_NAMES.keys() <= measures().keys()
    assert {one.family for one in measures().values()} <= FAMILY_NAMES.keys()
    labels = [one.label for one in MEASURE_NAMES.values()]
    assert len(set(labels)) == len(labels)


def test_shares_and_units_are_those_of_the_measures():
    for name, (_, unit) in MEASURE_NAMES.items():
        if unit == "%":
            assert measures()[name].bounds == (0, 1), name
        assert not (unit and "bits" in measures()[name].meaning and unit != "bits"), name


def test_a_card_says_what_is_known_in_words(tab, small):
    page = tab(small / "page.html", "#treebanks")
    card = page.locator("#view-treebanks .card").inner_text()
    assert "115 sentences" in card and "level 3:" in card
    assert "EDV between train and dev is " in card
    assert " of random splits of this size (p = " in card


def test_measures_have_names_units_and_code_names(tab, small):
    page = tab(small / "page.html", "#treebanks?family=similarity")
    head = page.locator("#view-treebanks th", has_text="Unknown words in test (%)")
    assert head.get_attribute("title").startswith("oov: ")
    found = measure("oov", small / "UD_Small-Test").measured[0].value
    column = page.locator("#view-treebanks .data-table").first.locator("thead th")
    named = [text.startswith("Unknown words in test (%)") for text in column.all_inner_texts()]
    at = named.index(True)
    value = table(page, "#view-treebanks .data-table")[0][at]
    assert float(value) == pytest.approx(100 * found, rel=5e-3)
    head.get_by_role("button").first.click()
    assert "sort=oov" in address(page)
    again = tab(small / "page.html", "#" + address(page).partition("#")[2])
    sorted_by = again.locator("#view-treebanks th[aria-sort=descending]")
    assert sorted_by.inner_text().startswith("Unknown words in test")


def test_tables_sort_and_filter(tab, small):
    page = tab(small / "page.html", "#treebanks")
    audit = page.locator("#view-treebanks .data-table").last
    checks = audit.locator("tbody tr td:nth-child(4)")
    every = checks.all_inner_texts()
    audit.locator("input.filter").fill(every[-1].upper())
    assert checks.all_inner_texts() == [check for check in every if check == every[-1]]
    assert len(set(every)) > 1
    audit.locator("input.filter").fill("")
    audit.get_by_role("button", name="check").click()
    assert checks.all_inner_texts() == sorted(every)
    assert audit.locator("th[aria-sort=ascending]").inner_text().startswith("check")


def test_two_releases_are_compared_with_their_trees(tab, tmp_path):
    old = synthetic(12, seed=1, prefix="a")
    relations = ["obl" if one == "nmod" else one for one in old["deprel"].to_list()]
    new = old.with_columns({"deprel": relations})
    for release, treebank in (("r2.5", old), ("r2.9", new)):
        folder = tmp_path / release / "UD_Small-Test"
        folder.mkdir(parents=True)
        write_conllu(treebank, folder / "xx_test-ud-train.conllu")
    folders = [tmp_path / one / "UD_Small-Test" for one in ("r2.5", "r2.9")]
    report(*folders, out=tmp_path / "page.html")
    page = tab(tmp_path / "page.html", "#changes")
    layers = {row["layer"]: row for row in diff(*folders).attached["layers"].rows}
    said = page.locator("#view-changes .result").inner_text()
    count = layers["deprel"]["changed"]
    share = f"{100 * count / old.n_words:.1f} %"
    assert f"Of {old.n_words} words, 0 head, {count} deprel ({share}) and 0 upos" in said
    assert "1 systematic change. All words are counted, so there is no interval." in said
    (rule,) = table(page, "[aria-label='Systematic changes']")
    first = old["deprel"].to_list().index("nmod")
    sentence = int(old.sentence_of[first])
    assert rule[2:] == [
        "nmod",
        "obl",
        str(count),
        str(count),
        "100.0",
        f"{old[sentence].id}: {old['form'].to_list()[first]}",
    ]
    page.get_by_role("button", name="changed sentences").click()
    drawer = page.locator(".drawer")
    assert drawer.locator(".tree-name").all_text_contents() == ["2.9", "2.5"]
    assert "2.5 labels ‘" in drawer.locator(".differences").inner_text()
    assert "as nmod; 2.9: obl" in drawer.locator(".differences").inner_text()
    assert drawer.locator(".arc.wrong.label").count()
    again = tab(tmp_path / "page.html", "#" + address(page).partition("#")[2])
    assert again.locator(".drawer svg.tree").count() == 1


def test_two_outputs_are_compared_with_what_became_correct(tab, scored):
    page = tab(scored / "page.html", "#changes")
    assert page.locator("#rail a", has_text="Changes").count() == 0, "seven pairs are too many for a page"


def test_runs_and_systems_on_one_text_are_compared(tab, small):
    page = tab(small / "page.html", "#changes")
    gold = read_conllu(small / "UD_Small-Test", split="test")
    correct = {name: correct_words(align(gold, read_conllu(small / f"{name}.conllu"))) for name in ("alpha", "beta")}
    fixed = int((correct["alpha"].relations & ~correct["beta"].relations).sum())
    broken = int((correct["beta"].relations & ~correct["alpha"].relations).sum())
    said = page.locator("#view-changes .result").inner_text()
    assert said.startswith(
        f"From <b>beta to alpha, of {gold.n_words} gold words, {fixed} become correct and {broken} incorrect"
    )
    (row,) = tg.score(gold, *(small / f"{name}.conllu" for name in ("alpha", "beta"))).attached["comparisons"].pairs
    assert row["a"] == "alpha"
    assert (
        f"LAS {row['difference']:+.2f} points (95 % interval {row['low']:+.2f} to {row['high']:+.2f})"
        in said.replace("−", "-")
    )
    made = diff(small / "beta.conllu", small / "alpha.conllu")
    layers = {row["layer"]: row["changed"] for row in made.attached["layers"].rows}
    assert f"{layers['head']} head (" in said
    page.get_by_role("button", name="changed sentences").click()
    assert page.locator(".drawer .tree-name").all_text_contents() == ["alpha", "<b>beta"]
