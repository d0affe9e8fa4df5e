"""The work list of candidates in a browser: decisions, keys, and exports that can be applied."""

import csv
import shlex
import shutil
import subprocess
from io import StringIO
from pathlib import Path

import pytest

from studies.corrections.injected_errors import inject_errors
from tests.reporting.browsing import address
from treegauge.learning.dynamics.candidates import error_candidates, save_candidates
from treegauge.learning.dynamics.jobs import cross_fit
from treegauge.learning.dynamics.recorder import make_engine
from treegauge.reporting.sections.maps import candidates_page, file_excerpts
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import COLUMNS
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu, write_conllu


@pytest.fixture(scope="module")
def worked(once):
    """A folder with a treebank with injected errors, and the page of its candidates."""

    def make(out: Path) -> None:
        write_conllu(inject_errors(synthetic(90, seed=1), 0.02, seed=0).treebank, out / "xx_test-ud-train.conllu")
        treebank = read_conllu(out / "xx_test-ud-train.conllu")
        held_out = cross_fit(treebank, engine=make_engine("mst", epochs=2), folds=2)
        found = error_candidates(held_out, treebank, count=12)
        save_candidates(treebank, found, out / "page.html")
        save_candidates(treebank, found, out / "list.csv")

    return once("report_candidates", make)


def listed(worked):
    return list(csv.DictReader(StringIO((worked / "list.csv").read_text())))


def test_a_candidate_is_shown_with_both_arcs_and_in_words(tab, worked):
    page = tab(worked / "page.html")  # the page opens with the work list
    first = listed(worked)[0]
    card = page.locator(".candidate")
    assert card.locator("mark").inner_text() == first["form"]
    assert card.locator(".arc.wrong").count() == 1, "what is suggested is drawn below"
    arc = card.locator(".arc.wrong text").text_content()
    assert arc == (first["deprel"] if first["of"] == "head" else first["instead"])
    said = card.inner_text()
    assert f"‘{first['form']}’ is annotated as {first['deprel']} of" in said
    assert "Parsers that never saw this sentence prefer" in said
    assert "times as likely" in said
    assert page.locator("#view-candidates .data-table tbody tr").count() == 12


def test_keys_decide_and_decisions_are_kept(tab, worked):
    page = tab(worked / "page.html", "#candidates")
    for key in "ars":
        page.keyboard.press(key)
    progress = page.locator("#view-candidates span.count", has_text="accepted")
    assert progress.inner_text() == "1 accepted, 1 rejected, 1 skipped, 9 open"
    assert "at=4" in address(page)
    page.keyboard.press("k")
    assert page.locator(".candidate .badge").inner_text() == "skipped"
    page.keyboard.press("u")
    assert progress.inner_text() == "1 accepted, 1 rejected, 0 skipped, 10 open"
    later = page.context.new_page()
    later.goto(address(page))
    again = later.locator("#view-candidates span.count", has_text="accepted")
    assert again.inner_text() == "1 accepted, 1 rejected, 0 skipped, 10 open"
    page.get_by_role("combobox", name="Show").select_option("accept")
    assert page.locator("#view-candidates .data-table tbody tr").count() == 1
    page.locator("#view-candidates input.filter").fill("a")  # in a field, keys are text
    assert progress.inner_text().startswith("1 accepted")
    page.get_by_role("button", name="Clear decisions").click()
    assert progress.inner_text() == "0 accepted, 0 rejected, 0 skipped, 12 open"


def test_a_link_leads_to_a_candidate(tab, worked):
    page = tab(worked / "page.html", "#candidates?at=5")
    assert page.locator(".candidate mark").inner_text() == listed(worked)[4]["form"]
    assert tab(worked / "page.html", "#candidates?at=999").locator(".candidate").inner_text()


def test_it_works_where_storage_is_refused(tab, worked):
    refused = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('refused'); }});"
    page = tab(worked / "page.html", "#candidates", script=refused)
    page.keyboard.press("a")
    assert "1 accepted" in page.locator("#view-candidates").inner_text()
    assert "cannot store your decisions" in page.locator("#view-candidates .bad").inner_text()


def exported(page, name):
    with page.expect_download() as loading:
        page.get_by_role("button", name=name).click()
    return Path(loading.value.path()).read_text(encoding="utf-8")


def test_the_patch_is_a_unified_diff_and_the_table_says_what_was_decided(tab, worked, tmp_path):
    page = tab(worked / "page.html", "#candidates")
    decisions = ["accept", "reject", "accept", "skip", "accept"]
    for one in decisions:
        page.keyboard.press(one[0])
    rows = list(csv.DictReader(StringIO(exported(page, "Export decisions")), delimiter="\t"))
    assert [row["decision"] for row in rows] == decisions + [""] * 7
    source = listed(worked)
    assert [(row["sent_id"], row["word"]) for row in rows] == [(row["sent_id"], row["word"]) for row in source]
    gold = worked / "xx_test-ud-train.conllu"
    out = Path(shutil.copy(gold, tmp_path))
    (tmp_path / "changes.patch").write_text(exported(page, "Export patch"), encoding="utf-8")
    subprocess.run(["git", "apply", "changes.patch"], cwd=tmp_path, check=True)
    before, after = read_conllu(gold), read_conllu(out)
    changed = {}
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        for i in range(len(old)):
            if old.head[i] != new.head[i] or old.deprel[i] != new.deprel[i]:
                changed[number + 1, i + 1] = new
    accepted = [row for row, one in zip(source, decisions, strict=False) if one == "accept"]
    assert set(changed) == {(int(row["sentence"]), int(row["word"])) for row in accepted}
    for row in accepted:
        new = changed[int(row["sentence"]), int(row["word"])]
        at = int(row["word"]) - 1
        value = str(new.head[at]) if row["of"] == "head" else new.deprel[at]
        assert value == row["instead"]


def test_excerpts_are_the_lines_of_the_file():
    text = "# c\n1\tx\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    treebank = parse_conllu(text * 5)
    lines = [f"{line}\n" for line in text.split("\n")[:-1]] * 5
    assert file_excerpts(treebank, [0]) == ([2], [(1, lines[:5])])
    assert file_excerpts(treebank, [4, 2]) == ([14, 8], [(5, lines[4:15])])
    assert file_excerpts(treebank, [4, 0]) == ([14, 2], [(1, lines[:5]), (11, lines[10:15])])
    assert file_excerpts(treebank[3:], [0]) == ([11], [(8, lines[7:14])])
    assert file_excerpts(treebank, []) == ([], [])


def test_markup_in_a_treebank_stays_text(tab, tmp_path, worked):
    treebank = read_conllu(worked / "xx_test-ud-train.conllu")
    forms = ["<img src=x onerror=window.hacked=1>"] * treebank.n_words
    odd = treebank.with_columns({"form": forms, "deprel": ["</script><b>"] * treebank.n_words})
    held_out = cross_fit(odd, engine=make_engine("mst", epochs=1), folds=2)
    found = error_candidates(held_out, odd, count=3, score="odds")
    html = candidates_page(odd, found)
    assert "<img" not in html
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    page = tab(tmp_path / "page.html", "#candidates")
    assert page.locator("main img, main b").count() == 0


@pytest.mark.parametrize("tool", ["git", "patch"])
def test_the_commands_below_the_work_list_apply_the_decisions(tab, worked, tmp_path, tool):
    page = tab(worked / "page.html", "#candidates")
    page.keyboard.press("a")
    with page.expect_download() as patch:
        page.get_by_role("button", name="Export patch").click()
    patch.value.save_as(tmp_path / patch.value.suggested_filename)
    shutil.copy(worked / "xx_test-ud-train.conllu", tmp_path)
    (printed,) = [
        text for text in page.locator("#view-candidates .progress code").all_inner_texts() if text.startswith(tool)
    ]
    before = read_conllu(tmp_path / "xx_test-ud-train.conllu")
    subprocess.run(shlex.split(printed), cwd=tmp_path, check=True, capture_output=True)
    after = read_conllu(tmp_path / "xx_test-ud-train.conllu")
    (first, *_) = listed(worked)
    columns = {name: [a != b for a, b in zip(before[name], after[name], strict=True)] for name in COLUMNS}
    changed = "head" if first["of"] == "head" else "deprel"
    assert {name: sum(marks) for name, marks in columns.items() if any(marks)} == {changed: 1}
