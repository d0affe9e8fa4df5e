"""From gold files and a folder per team to standings and a page; again, only what changed."""

import json
import re
import shutil

import polars as pl
import pytest

import treegauge as tg
from tests.commands import invoke
from tests.tex import compile_latex
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.scoring import submissions
from treegauge.testing.grammar import Grammar
from treegauge.testing.simulated_parser import simulated_parse
from treegauge.testing.synthetic import synthetic

CODES = ("el_gdt", "te_mtg", "af_afribooms", "hu_szeged", "vi_vtb", "mr_ufal", "ta_ttb", "ug_udt")
TEAMS = {"alpha": 1.0, "beta": 2.0, "gamma": 3.0}
QUICK = {"subsets": 200}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a task: eight treebanks, three teams, whose files are named as people name them."""
    home = tmp_path_factory.mktemp("task")
    for team in ("gold", *TEAMS):
        (home / ("gold" if team == "gold" else f"teams/{team}")).mkdir(parents=True)
    for number, code in enumerate(CODES):
        gold = synthetic(40, Grammar(language=number), seed=number)
        tg.write_conllu(gold, home / "gold" / f"{code}-ud-test.conllu")
        for seed, team in enumerate(TEAMS):
            text = simulated_parse(gold.to_bytes().decode(), seed=100 * number + seed)
            (home / "teams" / team / f"{code}.conllu").write_text(text, "utf-8")
    return home


@pytest.fixture
def task(made, tmp_path):
    shutil.copytree(made, tmp_path / "task")
    return tmp_path / "task"


@pytest.fixture
def scores_only(monkeypatch):
    """Keep the scores for the next run, and write no page."""
    monkeypatch.setattr("treegauge.reporting.leaderboard.write_leaderboard", lambda *_: None)


def board(task, **options):
    given = {"out": task / "out", **QUICK, **options}
    return tg.leaderboard(task / "gold", task / "teams", **given)


def files(task):
    return {one.name for one in (task / "out").iterdir()}


def test_scores_are_those_of_score(task, scores_only):
    ranked = board(task)
    suite = tg.score(task / "gold", *(task / "teams" / team for team in TEAMS), resamples=100)
    for code in CODES:
        for team in TEAMS:
            ours = ranked.cells.filter(treebank=f"{code}-ud-test", system=team)
            assert ours["LAS"].item() == suite.f1(f"{code}-ud-test", team)
            assert ours["BLEX"].item() == suite.f1(f"{code}-ud-test", team, "BLEX")
    averages = suite.averages()
    for row in averages.iter_rows(named=True):
        mine = ranked.table.filter(system=row["system"])
        assert mine["score"].item() == pytest.approx(row["LAS"])
        assert (mine["low"].item(), mine["high"].item()) == pytest.approx((row["LAS_low"], row["LAS_high"]))


def test_teams_share_a_letter_if_and_only_if_rank_compare_does_not_separate_them(task):
    ranked = board(task)
    again = tg.rank.compare(task / "out" / "scores.csv", test="wilcoxon-holm", metric="LAS")
    letters = dict(ranked.table.select("system", "group").iter_rows())
    for row in again.json_fields()["pairs"]:
        shared = {*letters[row["system"]]} & {*letters[row["other"]]}
        assert bool(shared) == (row["p_value"] > 0.05), row
    read = list(dict.fromkeys("".join(letters[team] for team in ranked.order)))
    assert read == sorted(read), "letters follow the order of the standings"
    assert "do not differ significantly (Wilcoxon" in str(ranked)
    for code in CODES[6:]:
        (task / "gold" / f"{code}-ud-test.conllu").unlink()
    assert "do not differ significantly: too few treebanks" in str(board(task))


def test_everything_is_written_and_read_again(task):
    ranked = board(task, title="Task <1>")
    assert files(task) == {
        "cells", "index.html", "scores.csv", "ranking.csv", "leaderboard.json", "leaderboard.tex",
        "leaderboard.md", "teams",
    }  # fmt: skip
    again = tg.read_leaderboard(task / "out" / "scores.csv", metric="LAS")
    assert again.table["system"].to_list() == ranked.order
    assert (again.values == ranked.board.values).all()
    written = json.loads((task / "out" / "leaderboard.json").read_text("utf-8"))
    assert [row["system"] for row in written["ranking"]] == ranked.order
    assert pl.read_csv(task / "out" / "ranking.csv")["system"].to_list() == ranked.order
    assert "macro average" in (task / "out" / "leaderboard.tex").read_text("utf-8")
    assert "| macro average |" in (task / "out" / "leaderboard.md").read_text("utf-8")
    page = (task / "out" / "index.html").read_text("utf-8")
    assert "Task &lt;1&gt;" in page
    first = page.index("<table")
    assert page.index('id="static-leaderboard"') < first < page.index('id="static-ranking"')
    assert not re.search(r"<details>.*<table", page[: first + 6], re.DOTALL)
    assert "macro average" in page[first:]


def test_the_page_is_the_same_whether_scores_are_new_or_known(task):
    board(task)
    before = {path.name: path.read_bytes() for path in (task / "out").glob("*.*")}
    assert board(task).scored == 0
    assert before == {path.name: path.read_bytes() for path in (task / "out").glob("*.*")}


def test_only_what_changed_is_scored(task, scores_only):
    assert board(task).scored == 24
    shutil.copytree(task / "teams" / "beta", task / "teams" / "delta")
    assert board(task).scored == 0, "delta has the files of beta"
    file = task / "teams" / "delta" / "el_gdt.conllu"
    gold = (task / "gold" / "el_gdt-ud-test.conllu").read_text("utf-8")
    file.write_text(simulated_parse(gold, seed=999), "utf-8")
    assert board(task).scored == 1
    (task / "gold" / "te_mtg-ud-test.conllu").write_text(
        "# new = gold\n" + (task / "gold" / "te_mtg-ud-test.conllu").read_text("utf-8"), "utf-8"
    )
    assert board(task).scored == 3, "beta and delta have the same output"
    assert board(task, convention="challenges").scored == 25
    assert board(task, metric="UAS").scored == 0
    shutil.rmtree(task / "teams" / "delta")
    assert board(task).board.systems == tuple(TEAMS)


def test_an_interrupted_run_resumes(task, monkeypatch):
    real, calls = submissions.score_cell, []

    def interrupted(*given):
        if len(calls) == 7:
            raise KeyboardInterrupt
        calls.append(1)
        return real(*given)

    monkeypatch.setattr(submissions, "score_cell", interrupted)
    with pytest.raises(KeyboardInterrupt):
        board(task, workers=1)
    monkeypatch.undo()
    assert files(task) == {"cells"}
    assert board(task).scored == 17


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: "[1, 2]",
        lambda text: text.replace('"correct": ', '"correct": 1', 1),
        lambda text: text.replace("treegauge:", "treegauge:0.", 1),
    ],
)
def test_damaged_scores_are_made_again(task, damage, scores_only):
    right = board(task).board.values
    for number, path in enumerate(sorted((task / "out" / "cells").iterdir())):
        if number < 3:
            path.write_text(damage(path.read_text("utf-8")), "utf-8")
    again = board(task)
    assert again.scored == 3
    assert (again.board.values == right).all()


def test_failed_and_missing_runs_are_named_and_treated_as_asked(task):
    (task / "teams" / "beta" / "el_gdt.conllu").unlink()
    bad = task / "teams" / "gamma" / "te_mtg.conllu"
    bad.write_text("1\tfoo\n\n", "utf-8")
    zero = board(task)
    assert set(zero.failures) == {("el_gdt-ud-test", "beta"), ("te_mtg-ud-test", "gamma")}
    assert zero.failures["el_gdt-ud-test", "beta"] == "no output"
    assert zero.failures["te_mtg-ud-test", "gamma"].startswith("te_mtg.conllu")
    assert zero.board.values[1, zero.board.treebanks.index("el_gdt-ud-test")] == 0
    assert zero.table.filter(system="beta")["low"].item() is None
    assert "Failed or missing runs: 2, of 2 teams; their scores count as 0." in str(zero)
    assert "In these tests a failed run is a score of 0: its team is behind" in str(zero)
    assert "failed: beta on el_gdt-ud-test: no output" in str(zero)
    assert "beta on el\\_gdt-ud-test" in (task / "out" / "leaderboard.md").read_text("utf-8")
    assert "Failed and missing runs" in (task / "out" / "index.html").read_text("utf-8")
    tex = (task / "out" / "leaderboard.tex").read_text("utf-8")
    assert "& failed" in tex and "failed: no score; their scores count as 0." in tex and "–: no score" not in tex
    left = board(task, failed="leave-out")
    assert left.scored == 0, "a failure is known, too"
    assert left.board.gaps == 2
    assert left.table.filter(system="beta")["score"].item() > 50
    assert left.groups is None
    assert tg.read_leaderboard(task / "out" / "scores.csv", missing="keep", metric="LAS").gaps == 2
    with pytest.raises(TreegaugeError, match=r"failed or missing runs: 2\nbeta on el_gdt"):
        board(task, failed="refuse")


def test_a_team_without_a_single_output_is_last(task, scores_only):
    (task / "teams" / "nobody").mkdir()
    ranked = board(task)
    assert ranked.order[-1] == "nobody"
    assert ranked.table["failed"].to_list() == [0, 0, 0, 8]
    assert board(task, failed="leave-out").board.dropped == ("nobody",)


def test_teams_whose_files_cannot_be_told_apart_do_not_stop_the_others(task, scores_only):
    for name in ("one", "two"):
        shutil.copy(task / "teams/beta/el_gdt.conllu", task / f"teams/beta/{name}.conllu")
    (task / "teams" / "beta" / "el_gdt.conllu").unlink()
    ranked = board(task)
    reasons = {why for (_, team), why in ranked.failures.items() if team == "beta"}
    assert len(reasons) == 1
    assert "expected one output of each system per treebank" in reasons.pop()


def test_treebank_folders_and_other_file_names_are_matched(task):
    for code, name in (("el_gdt", "UD_Greek-GDT"), ("te_mtg", "UD_Telugu-MTG")):
        (task / "ud" / name).mkdir(parents=True)
        gold = task / "gold" / f"{code}-ud-test.conllu"
        shutil.copy(gold, task / "ud" / name)
        shutil.copy(gold, task / "ud" / name / f"{code}-ud-train.conllu")
    (task / "teams/alpha/el_gdt.conllu").rename(task / "teams/alpha/whatever.conllu")
    (task / "teams/beta/el_gdt.conllu").rename(task / "teams/beta/UD_Greek-GDT.conllu")
    ranked = tg.leaderboard(task / "ud", task / "teams", out=None, **QUICK)
    assert ranked.board.treebanks == ("UD_Greek-GDT", "UD_Telugu-MTG"), "test sets only"
    assert not ranked.failures


def test_threads_do_not_change_anything(task):
    one, two = (board(task, out=None, workers=workers) for workers in (1, 2))
    assert one.to_json() == two.to_json()


def test_one_team_and_one_treebank_are_enough(task):
    for code in CODES[1:]:
        (task / "gold" / f"{code}-ud-test.conllu").unlink()
    teams = {"alpha": task / "teams" / "alpha"}
    ranked = tg.leaderboard(task / "gold", teams, out=task / "out", **QUICK)
    assert ranked.order == ["alpha"]
    assert "No confidence sets of ranks: fewer than 25 treebanks" in str(ranked)


def test_teams_are_also_given_one_by_one(task):
    whole = board(task, out=None)
    named = [f"{team}={task / 'teams' / team}" for team in TEAMS]
    again = tg.leaderboard(task / "gold", *named, out=None, **QUICK)
    assert again.to_json() == whole.to_json()
    one = tg.leaderboard(
        task / "gold", {"a": task / "teams/alpha/el_gdt.conllu"}, out=None, failed="leave-out", **QUICK
    )
    assert len(one.failures) == 7
    assert one.board.treebanks == ("el_gdt-ud-test",)


def test_a_name_given_twice_has_two_runs(task):
    """The score of a team with two runs is that of their counts together."""
    folders = [task / "teams" / name for name in ("alpha", "beta")]
    both = tg.leaderboard(task / "gold", *(f"a={folder}" for folder in folders), out=None, **QUICK)
    assert both.table["system"].to_list() == ["a"]


def test_bad_requests_are_refused(task):
    with pytest.raises(TreegaugeError, match="nowhere: no such file or folder"):
        tg.leaderboard(task / "gold", "a=nowhere")
    with pytest.raises(TreegaugeError, match="expected the folder of a treebank"):
        tg.leaderboard(task / "gold" / "el_gdt-ud-test.conllu", task / "teams")
    with pytest.raises(TreegaugeError, match="none: no such file or folder"):
        tg.leaderboard(task / "gold", task / "none")
    with pytest.raises(TreegaugeError, match="no team; expected a folder of output per team"):
        tg.leaderboard(task / "gold", task / "gold")
    for out in (task / "teams" / "out", task / "gold", task / "teams"):
        with pytest.raises(TreegaugeError, match=r"is among the inputs|is an input"):
            board(task, out=out)
    (task / "site").mkdir()
    (task / "site" / "index.html").write_text("mine")
    with pytest.raises(TreegaugeError, match="and this folder has no leaderboard"):
        board(task, out=task / "site")
    with pytest.raises(ChoiceError, match="unknown policy for failed runs 'drop'"):
        board(task, failed="drop")
    with pytest.raises(ChoiceError, match="unknown metric 'XLAS'"):
        board(task, metric="XLAS")
    (task / "gold" / "el_gdt-ud-test.conllu").write_text("1\tfoo\n\n", "utf-8")
    with pytest.raises(TreegaugeError, match="el_gdt-ud-test"):
        board(task)


def test_the_command(task):
    words = ["leaderboard", task / "gold", task / "teams", "-o", task / "out", "--subsets", 100]
    done = invoke(words)
    assert done.exit_code == 0
    assert done.stdout.startswith("rank  system")
    assert (task / "out" / "index.html").is_file()


def test_the_tables_compile(task, tmp_path):
    (task / "teams" / "beta" / "el_gdt.conllu").unlink()
    latex = board(task, out=None).to_latex()
    assert r"\textbf{" in latex
    compile_latex(latex, tmp_path, packages="booktabs,graphicx")


def test_treebanks_of_few_sentences_rule_out_intervals(task, scores_only):
    for path in task.glob("*/**/el_gdt*.conllu"):
        tg.write_conllu(tg.read_conllu(path)[:4], path)
    ranked = board(task)
    assert ranked.table["low"].null_count() == len(TEAMS)
    assert "No intervals of macro averages: some treebank has too few" in str(ranked)
