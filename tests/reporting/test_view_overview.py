"""The overview in a browser, against numbers computed in Python."""

import base64
import re
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

import treegauge as tg
from tests.reporting.browsing import address, page_data, until
from tests.reporting.conftest import QUALITY, TREEBANKS
from treegauge.auditing.audit import Audit, Finding
from treegauge.reporting.inputs import read_inputs
from treegauge.reporting.sections.overview import scored_suite
from treegauge.reporting.sections.scores import score_all
from treegauge.reporting.sections.treebanks import health
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics.convention import Convention
from treegauge.scoring.paired_tests import compare_suite, compare_systems
from treegauge.testing.simulated_parser import simulated_parse
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_conllu
from treegauge.validation.problems import Problem


@pytest.fixture(scope="module")
def results(scored):
    """Scores by treebank, of the systems that have output for it."""
    found = {}
    for name in TREEBANKS:
        gold = read_conllu(scored / name, split="test")
        files = {system: next((scored / system).glob(f"{name[3:].lower()[:3]}*"), None) for system in QUALITY}
        systems = {system: file for system, file in files.items() if file}
        found[name] = evaluate(gold, systems)
    return found


def cells(page):
    rows = page.locator("table.board tbody tr").all()
    return {row.locator("th").inner_text(): row.locator("td:not(.size)").all_inner_texts() for row in rows}


def test_the_table_has_every_score_with_its_interval(tab, scored, results):
    page = tab(scored / "page.html")
    heads = page.locator("table.board thead .head:not(.tools)").all_inner_texts()
    assert heads == ["high", "middle", "low"]
    shown = cells(page)
    for name, scores in results.items():
        for place, system in enumerate(heads):
            known = {one.system for one in scores.systems}
            text = shown[name][place].split("\n")[0]
            if system not in known:
                assert text == "–"
                continue
            metric = scores[system]["LAS"]
            assert text.rstrip("≈") == f"{metric.f1:.2f}"
            row = page.locator("table.board").get_by_role("row", name=name)
            link = row.locator("td:not(.size)").nth(place).locator("a")
            low, high = metric.interval
            assert f"95 % interval {low:.2f} to {high:.2f}" in link.get_attribute("title")


def test_marks_are_those_of_the_paired_tests(tab, scored, results):
    page = tab(scored / "page.html")
    marked = set()
    for name, scores in results.items():
        best = max(scores.systems, key=lambda one: one["LAS"].f1).system
        for row in compare_systems(scores).pairs:
            if best in (row["a"], row["b"]):
                other = row["b"] if row["a"] == best else row["a"]
                text = cells(page)[name][list(QUALITY).index(other)]
                assert ("≈" in text) == (row["p_corrected"] > 0.05), (name, other)
                marked.add("≈" in text)
    assert marked == {True, False}


def test_the_mean_is_over_the_treebanks_that_all_systems_have(tab, scored, results):
    page = tab(scored / "page.html")
    shown = cells(page)["mean over 2 treebanks"]
    for place, system in enumerate(QUALITY):
        mean = sum(results[name][system]["LAS"].f1 for name in TREEBANKS[:2]) / 2
        assert shown[place].startswith(f"{mean:.2f}")
    summary = page.locator(".summary p").all_inner_texts()
    assert len(summary) == 3
    assert summary[0].startswith("This page shows scores of 3 systems on 3 treebanks")
    assert summary[1].startswith("high has the highest mean LAS")


def test_rows_sort_and_filter_and_the_link_keeps_both(tab, scored):
    page = tab(scored / "page.html")
    page.get_by_role("button", name="Sort by middle").click()
    names = page.locator("table.board tbody tr:not(.macro) th").all_inner_texts()
    values = [float(cells(page)[name][1].split("\n")[0].rstrip("≈")) for name in names]
    assert values == sorted(values, reverse=True)
    assert page.evaluate("document.activeElement.ariaLabel") == "Sort by middle", "the focus stays"
    page.locator("#view-overview input.filter").fill("t")
    page.locator("#view-overview input.filter").fill("two")
    assert "1 of 3 treebanks" in page.locator("#view-overview .controls").inner_text()
    again = tab(scored / "page.html", "#" + address(page).partition("#")[2])
    assert again.locator("table.board tbody tr:not(.macro) th").all_inner_texts() == ["UD_Two-B"]
    assert again.locator("th[aria-sort=descending]").count() == 1


def test_a_cell_opens_its_treebank_and_a_column_its_system(tab, scored):
    page = tab(scored / "page.html")
    page.locator("table.board").get_by_role("row", name="UD_Two-B").locator("td a").first.click()
    assert page.locator("#systems-what").inner_text().startswith("UD_Two-B/test: 60 sentences")
    assert "treebank=UD_Two-B" in address(page)
    page.go_back()
    page.wait_for_selector("#view-overview:not([hidden])")
    page.locator("table.board thead a", has_text="low").click()
    until(page, "document.querySelector('#systems-what').innerText === 'low on 2 treebanks'")


def test_two_columns_are_compared(tab, scored):
    page = tab(scored / "page.html")
    start = page.locator("#overview-compare")
    assert start.is_disabled()
    page.get_by_label("Compare low").check()
    page.get_by_label("Compare high").check()
    start.click()
    assert page.locator("#view-compare h2").inner_text() == "Compare"
    assert page.locator("#compare-result .count").inner_text().startswith("low and high, LAS over 2 treebanks")


def test_the_shared_filter_narrows_the_table_and_follows_to_other_views(tab, scored):
    page = tab(scored / "page.html")
    page.locator(".filters").get_by_label("Treebank").select_option("UD_One-A")
    rows = page.locator("table.board tbody tr:not(.macro) th").all_inner_texts()
    assert rows == ["UD_One-A"]
    page.locator("#rail a", has_text="Systems").click()
    assert "treebank=UD_One-A" in address(page)
    assert page.locator("#systems-what").inner_text().startswith("UD_One-A")
    page.go_back()
    page.go_back()
    until(page, "location.hash === ''")
    assert page.locator("table.board tbody tr:not(.macro)").count() == 3


def test_a_leaderboard_is_beside_one_s_own_systems(tab, small):
    page = tab(small / "page.html")
    page.locator("#view-overview").get_by_label("Table").select_option("scores")
    assert "14 of 14 treebanks, 6 systems" in page.locator("#view-overview .controls").inner_text()
    assert "board=table0" in address(page)


def test_the_first_finding_claims_as_many_treebanks_as_score_does(scored):
    text = (scored / "page.html").read_text(encoding="utf-8")
    said, on = page_data(text)["page"]["findings"][0]["sentences"]
    inputs = read_inputs([scored / name for name in (*TREEBANKS, *QUALITY)])
    suite = scored_suite(inputs.scored, score_all(inputs.scored, Convention()))
    assert suite.units == "auto" and suite.signature.endswith("|units:auto"), "as score states them"
    row = next(row for row in suite.claims().pairs if {row["a"], row["b"]} == {"high", "middle"})
    ahead = sum(suite.f1(t, "high") > suite.f1(t, "middle") for t in suite.treebanks)
    least = row["a_better" if row["a"] == "high" else "b_better"]
    assert least < ahead == 2
    board = page_data(text)["overview"]["board"]
    marks = np.frombuffer(base64.b64decode(board["metrics"][0]["marks"]["u8"]), np.uint8).reshape(3, 3)
    below = int((marks[:2, board["systems"].index("middle")] == 3).sum())
    assert on == (
        f"high is above middle on {ahead} of 2 treebanks, significantly on {below} (each tested alone; "
        f"all tests together: on at least {least})."
    ), "the count is that of the signs"
    verdicts = compare_suite(suite).verdicts_of("LAS", "high", "middle")
    assert said.endswith(" ".join(one.sentence for one in verdicts))
    assert "is best on" not in text


def test_a_failed_run_is_named_and_not_drawn_as_a_score(tab, tmp_path):
    for number, code in enumerate(("el_gdt", "te_mtg", "wo_wtf")):
        gold = synthetic(30, seed=number).to_bytes().decode()
        for seed, team in enumerate(("gold", "teams/one", "teams/two")):
            (tmp_path / team).mkdir(parents=True, exist_ok=True)
            text = gold if team == "gold" else simulated_parse(gold, seed=seed)
            if (team, code) != ("teams/two", "wo_wtf"):
                (tmp_path / team / f"{code}.conllu").write_text(text)
    tg.leaderboard(tmp_path / "gold", tmp_path / "teams", out=tmp_path / "out", subsets=10)
    tg.report(tmp_path / "out" / "scores.csv", out=tmp_path / "again.html", metric="LAS")
    for file in (tmp_path / "out" / "index.html", tmp_path / "again.html"):
        page = tab(file)
        heads = page.locator("table.board thead .head:not(.tools)").all_inner_texts()
        assert cells(page)["wo_wtf"][heads.index("two")] == "failed"
        assert "0.00" not in page.locator("table.board").inner_text()
        assert "Failed runs count as 0 in the means." in page.locator("#view-overview").inner_text()
        page = tab(file, "#compare?left=one&right=two")
        until(page, "document.querySelector('#view-compare .difference title') !== null")
        drawn = page.locator("#view-compare .difference title").all_text_contents()
        assert {one.partition(":")[0] for one in drawn} >= {"el_gdt", "te_mtg"}
        assert len(drawn) == 3
        said = page.locator("#view-compare").inner_text()
        assert "Not drawn, because the run failed and counts as 0: two on wo_wtf" in said
    written = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert re.search(r"<tr><td>wo wtf</td>.*<td[^>]*>failed</td>", written)


def test_rows_have_their_size(tab, scored):
    page = tab(scored / "page.html")
    row = page.locator("table.board tbody tr", has_text="UD_Two-B")
    gold = read_conllu(scored / "UD_Two-B", split="test")
    assert row.locator("td.size").all_inner_texts() == ["60", f"{gold.n_words:,}"]


def test_the_health_of_treebanks_is_ordered_and_each_number_leads_to_its_list(tab, small):
    page = tab(small / "page.html")
    (row,) = page_data((small / "page.html").read_text("utf-8"))["treebanks"]["health"]
    report = tg.check(*sorted((small / "UD_Small-Test").glob("*.conllu")), ud_level=3)
    lines = {(one.file, one.line) for one in report.problems if one.severity == "error"}
    assert row["invalid"] == len(lines)
    found = tg.audit(small / "UD_Small-Test")
    grave = [one for one in found.findings if one.level != "note"]
    assert (row["findings"], row["errors"]) == (len(grave), found.count("error"))
    shown = page.locator("#overview-health tbody tr td").all_inner_texts()
    assert shown[2:4] == [f"{len(lines):,}", f"{len(grave):,}"]
    assert "could be misleading" not in page.locator("#view-overview").inner_text()
    for number, name in ((2, "invalid"), (3, "findings")):
        link = page.locator("#overview-health tbody tr td").nth(number).locator("a")
        if not link.count():
            continue
        link.click()
        page.wait_for_selector(f"#treebanks-{name}")
        assert f"list={name}" in address(page)
        page.go_back()
        page.wait_for_selector("#overview-health")


def test_health_looks_first_at_errors_then_at_invalid_lines_then_at_warnings():
    finding = partial(Finding, "leak", split="test", value=1.0)
    audits = [
        Audit("calm", (finding(level="note", message="nothing"),), ""),
        Audit("warned", (finding(level="warning", message="many short"),), ""),
        Audit("leaky", (finding(level="warning", message="b"), finding(level="error", message="13 of 40")), ""),
        Audit("broken", (), ""),
    ]
    problem = Problem("a.conllu", 7, "s1", "2", "unknown-head", 5, 6, "HEAD '9'")
    twice = [problem, problem._replace(start=6), problem._replace(line=9)]
    checks = {"broken": SimpleNamespace(problems=twice, errors=3)}
    rows = health(["calm", "warned", "broken", "leaky"], [], audits, checks)
    assert [row["treebank"] for row in rows] == ["leaky", "broken", "warned", "calm"]
    assert [row["invalid"] for row in rows] == [None, 2, None, None], "lines, not errors"
    assert rows[0]["first"] == "test: 13 of 40"
    assert rows[0]["findings"] == 2 and rows[3]["findings"] == 0
