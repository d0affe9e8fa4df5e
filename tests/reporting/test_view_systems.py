"""Systems in a browser, against numbers computed in Python."""

from tests.reporting.browsing import address, table
from tests.reporting.conftest import TREEBANKS
from treegauge.scoring.alignment.align import align
from treegauge.scoring.classes.class_scores import class_scores
from treegauge.scoring.evaluation import evaluate
from treegauge.treebanks.data.conllu import read_conllu


def test_all_metrics_of_all_systems_on_a_treebank(tab, scored):
    page = tab(scored / "page.html", "#systems?treebank=UD_Three-C&metric=UAS")
    gold = read_conllu(scored / TREEBANKS[2], split="test")
    files = {name: next((scored / name).glob("three*")) for name in ("high", "middle")}
    scores = evaluate(gold, files)
    shown = {row[0]: row[1:] for row in table(page, "[aria-label^='Scores, UD_Three-C']")}
    for metric in ("UPOS", "UAS", "LAS", "MLAS"):
        for cell, name in zip(shown[metric], files, strict=True):
            assert cell.startswith(f"{scores[name][metric].f1:.2f}")
    titles = page.locator("#view-systems svg title").all_text_contents()
    low, high = scores["high"]["UAS"].interval
    assert f"high: {scores['high']['UAS'].f1:.2f} ({low:.2f} to {high:.2f})" in titles


def test_one_system_has_its_errors_by_relation(tab, scored):
    page = tab(scored / "page.html", "#systems?system=low&treebank=UD_One-A")
    gold = read_conllu(scored / TREEBANKS[0], split="test")
    cells = class_scores(align(gold, read_conllu(next((scored / "low").glob("one*")))), by="relation")
    wrong = {row["class"]: row["gold"] - row["correct"] for row in cells.table.to_dicts()}
    shown = table(page, "[aria-label='Errors by relation']")
    assert [int(row[1]) for row in shown] == sorted(wrong.values(), reverse=True)[: len(shown)]
    assert all(wrong[row[0]] == int(row[1]) for row in shown)
    pairs = table(page, "[aria-label='Paired tests']")
    assert [row[0] for row in pairs] == ["high and low", "middle and low"]
    page.locator("[aria-label='Paired tests'] tbody a").first.click()
    assert "left=high&right=low" in address(page)
