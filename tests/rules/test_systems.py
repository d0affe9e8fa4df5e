"""The rule `systems`: odd or wrong output is treated alike, and named in one sentence, in all verbs.

``rank`` and ``certify`` take the words with ``gold``, and so do the other verbs that read tables of scores.
"""

import json
import os
import shutil
from contextlib import nullcontext
from html import escape
from types import SimpleNamespace

import pytest
from scipy.stats import rankdata

import treegauge as tg
from studies.corrections.injected_errors import inject_errors
from tests.commands import schema_errors
from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import listening
from treegauge.testing.synthetic import synthetic


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A gold file in a folder, good output, output that is cut off or malformed, and a table."""
    home = tmp_path_factory.mktemp("systems")
    gold = synthetic(60, seed=1)
    text = gold.to_bytes().decode()
    (home / "gold").mkdir()
    (home / "runs").mkdir()
    tg.write_conllu(gold, home / "gold" / "x.conllu")
    for name in ("good.conllu", "other.conllu", "runs/1.conllu", "runs/2.conllu", "runs/3.conllu"):
        tg.write_conllu(gold, home / name)
    (home / "cut.conllu").write_text("\n\n".join(text.split("\n\n")[:50]) + "\n\n", encoding="utf-8")
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("1\t"))
    lines[first] = "\t".join([*lines[first].split("\t")[:6], "1", *lines[first].split("\t")[7:]])
    (home / "cycle.conllu").write_text("\n".join(lines), encoding="utf-8")
    (home / "table.csv").write_text("treebank,system,LAS\nx,a,81.2\n", encoding="utf-8")
    return home


VERBS = {
    "score": lambda home, *words: tg.score(home / "gold" / "x.conllu", *words, resamples=0),
    "breakdown": lambda home, *words: tg.breakdown(home / "gold" / "x.conllu", *words),
    "vote": lambda home, *words: tg.vote(home / "gold" / "x.conllu", *words),
    "design": lambda home, *words: tg.design(*words, gold=home / "gold" / "x.conllu", units="sentences"),
    "leaderboard": lambda home, *words: tg.leaderboard(home / "gold", *words, out=None, failed="refuse", subsets=100),
    "report": lambda home, *words: tg.report(*words, gold=home / "gold" / "x.conllu", out=None),
    "rank": lambda home, *words: tg.rank(*words, gold=home / "gold"),
    "certify": lambda home, *words: tg.certify(*words, gold=home / "gold", claim="a > b"),
}
WRONG = {
    "missing": ("a=HOME/nowhere.conllu", "nowhere.conllu: no such file or folder"),
    "cut off": ("a=HOME/cut.conllu", "ends after sentence 50 of 60 (line 836): the output is incomplete"),
    "malformed": ("a=HOME/cycle.conllu", "cycle.conllu:4: error: cycle"),
    "a table": ("a=HOME/table.csv", "table.csv is a score table"),
    "no path": ("a=", "found 'a='; expected PATH or NAME=PATH"),
    "no name": ("=HOME/good.conllu", "expected PATH or NAME=PATH"),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_output_gets_the_same_sentence_in_every_verb(home, verb, wrong):
    word, sentence = WRONG[wrong]
    with pytest.raises(TreegaugeError) as error:
        VERBS[verb](home, f"b={home}/good.conllu", word.replace("HOME", str(home)))
    assert sentence in str(error.value)


def test_a_repeated_name_is_runs_of_one_system(home):
    words = [f"a={home}/good.conllu", f"a={home}/other.conllu", f"b={home}/good.conllu"]
    scores = VERBS["score"](home, *words)
    assert [(one.system, len(one.runs)) for one in scores.systems] == [("a", 2), ("b", 1)]
    assert VERBS["leaderboard"](home, *words).table["system"].to_list() == ["a", "b"]
    mapped = VERBS["score"](home, {"a": [f"{home}/good.conllu", f"{home}/other.conllu"]})
    assert len(mapped["a"].runs) == 2


def test_a_folder_beside_a_gold_file_has_the_runs_of_a_system(home):
    scores = VERBS["score"](home, f"a={home}/runs", f"b={home}/good.conllu")
    assert [len(one.runs) for one in scores.systems] == [3, 1]
    with pytest.raises(TreegaugeError, match=r"found no \.conllu file in this folder"):
        (home / "empty").mkdir()
        VERBS["score"](home, f"a={home}/empty")


def test_rank_and_certify_score_folders_of_output_and_average_runs(tmp_path):
    for seed, code in enumerate(("el_gdt", "te_mtg", "tr_imst")):
        gold = synthetic(30, seed=seed)
        for folder, source in (
            ("gold", gold),
            ("a1", gold),
            ("a2", inject_errors(gold, seed=seed).treebank),
            ("b", gold),
        ):
            (tmp_path / folder).mkdir(exist_ok=True)
            if (folder, code) != ("b", "tr_imst"):
                tg.write_conllu(source, tmp_path / folder / f"{code}.conllu")
    words, gold = [f"a={tmp_path}/a1", f"a={tmp_path}/a2", f"b={tmp_path}/b"], tmp_path / "gold"
    scores = tg.score(gold, *words, metric="UAS", resamples=0)
    ranks = tg.rank(*words, gold=gold, metric="UAS", missing="drop-treebank", size=1)
    assert ranks.board.treebanks == ("el_gdt", "te_mtg")
    expected = [scores.treebanks[code]["a"]["UAS"].f1 for code in ranks.board.treebanks]
    assert ranks.board.values[ranks.board.system("a")].tolist() == expected
    assert "average:macro" in ranks.signature
    evidence = tg.certify(*words, gold=gold, claim="b > a", missing="drop-treebank", metric="UAS")
    assert "average:macro" in evidence.signature
    for verb in (tg.rank, tg.rank.compare):
        with pytest.raises(TreegaugeError, match="b on tr_imst: no output"):
            verb(*words, gold=gold)


# ------------------------------------------------------------------------- a messy shared task

TREEBANKS = ("cs_pdt", "el_gdt", "te_mtg", "tr_imst")
#: What is wrong with a team's output for te_mtg, and the sentence about it.
MESSES = {
    "missing": "no output",
    "one_run_missing": "no output in 1 of 2 runs",
    "cut": "ends after sentence 12 of 20 (line ",
    "malformed": "te_mtg.conllu:4: error: cycle",
    "doubled": "new.conllu and old.conllu have the text of te_mtg.conllu; expected one output of each system",
    "retokenised": "gold and system do not contain the same text (ignoring spaces)",
}


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    """Gold, and teams: two clean ones with runs, one with other names, and one per kind of mess."""
    home = tmp_path_factory.mktemp("task")
    golds = {code: synthetic(20, seed=number) for number, code in enumerate(TREEBANKS)}
    runs = {"clean": ("run1/", "run2/", "run3/"), "one_run_missing": ("run1/", "run2/")}
    for number, team in enumerate(("gold", "clean", "misnamed", "single", *MESSES)):
        for place, run in enumerate(runs.get(team, ("",))):
            folder = home / ("gold" if team == "gold" else f"teams/{team}/{run}")
            folder.mkdir(parents=True)
            for code, gold in golds.items():
                bad = inject_errors(gold, seed=10 * number + place).treebank
                name = f"output{TREEBANKS.index(code)}" if team == "misnamed" else code
                tg.write_conllu(gold if team == "gold" else bad, folder / f"{name}.conllu")
    teams = home / "teams"
    (teams / "missing" / "te_mtg.conllu").unlink()
    (teams / "one_run_missing" / "run2" / "te_mtg.conllu").unlink()
    (teams / "doubled" / "te_mtg.conllu").rename(teams / "doubled" / "old.conllu")
    (teams / "doubled" / "new.conllu").write_bytes((teams / "doubled" / "old.conllu").read_bytes())
    for team, change in (("cut", _cut), ("malformed", _with_cycle), ("retokenised", _with_another_word)):
        path = teams / team / "te_mtg.conllu"
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    return home


def _cut(text):
    return "\n\n".join(text.split("\n\n")[:12]) + "\n\n"


def _with_first_word(text, column, value):
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("1\t"))
    cells = lines[first].split("\t")
    lines[first] = "\t".join([*cells[:column], value, *cells[column + 1 :]])
    return "\n".join(lines)


def _with_cycle(text):
    return _with_first_word(text, 6, "1")


def _with_another_word(text):
    return _with_first_word(text, 1, "another")


class Notes:
    """Collects notes."""

    def __init__(self):
        self.texts = []

    def note(self, text):
        self.texts.append(text)

    def task(self, what, total):
        return nullcontext(SimpleNamespace(advance=lambda amount=1: None, update=lambda *_: None))


def _said(verb, home, team):
    """Return what a verb says about a team's output for te_mtg."""
    gold, two = home / "gold", [f"{name}={home}/teams/{name}" for name in ("clean", team)]
    if verb in {"score", "leaderboard"}:
        found = (
            tg.score(gold, *two, resamples=0) if verb == "score" else tg.leaderboard(gold, *two, out=None, subsets=9)
        )
        assert f"{team} on te_mtg: " in str(found)
        return found.failures["te_mtg", team]
    notes = Notes()
    try:
        with listening(notes):
            if verb in {"breakdown", "vote"}:
                getattr(tg, verb)(gold, *two)
            else:
                how = {"claim": f"clean > {team}"} if verb == "certify" else {}
                getattr(tg, verb)(*two, gold=gold, **how)
    except TreegaugeError as error:
        notes.texts.append(str(error))
    (said,) = [text for text in notes.texts if f"{team} on te_mtg: " in text]
    return said.partition(f"{team} on te_mtg: ")[2].partition("; this treebank is left out")[0].partition("\nleave")[0]


@pytest.mark.parametrize("team", MESSES)
def test_a_mess_has_the_same_sentence_in_every_verb(task, team):
    said = {verb: _said(verb, task, team) for verb in ("score", "leaderboard", "breakdown", "vote", "rank", "certify")}
    folder = f"{task}/teams/{team}/"
    plain = {text.replace(folder, "").replace("clean on ", "") for text in said.values()}
    assert len(plain) == 1, plain
    assert MESSES[team] in plain.pop()


@pytest.mark.parametrize("team", ["cut", "malformed", "doubled", "retokenised"])
def test_a_page_refuses_a_mess_with_the_same_sentence(task, team):
    with pytest.raises(TreegaugeError) as error:
        tg.report(f"{team}={task}/teams/{team}", gold=task / "gold", out=None, subsets=9)
    assert MESSES[team] in str(error.value)


def test_the_board_of_a_messy_task_ranks_as_an_independent_computation(task, tmp_path):
    """LAS by counting lines: the output has the words of gold, and its relations have no subtypes."""

    def arcs(path):
        lines = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if line[:1].isdigit()]
        return [(cells[6], cells[7].partition(":")[0]) for cells in lines if cells[0].isdigit()]

    def las(team, code):
        if team in MESSES and code == "te_mtg":
            return 0.0
        name = f"output{TREEBANKS.index(code)}" if team == "misnamed" else code
        gold = arcs(task / "gold" / f"{code}.conllu")
        runs = [arcs(path) for path in (task / "teams" / team).rglob(f"{name}.conllu")]
        return sum(100 * sum(map(tuple.__eq__, gold, run)) / len(gold) for run in runs) / len(runs)

    out, teams = tmp_path / "board", task / "teams"
    first = tg.leaderboard(task / "gold", *(f"{team}={teams / team}" for team in MESSES), out=out, subsets=9)
    late = tg.leaderboard(task / "gold", teams, out=out, subsets=9)  # three teams are late
    assert (first.scored, late.scored) == (6 * 3 + 3, 3 * 4)
    means = {path.name: sum(las(path.name, code) for code in TREEBANKS) / 4 for path in sorted(teams.iterdir())}
    assert dict(late.table.select("system", "score").rows()) == pytest.approx(means, rel=1e-12)
    ranks = rankdata([-round(mean, 9) for mean in means.values()])
    assert dict(late.table.select("system", "rank").rows()) == dict(zip(means, ranks, strict=True))


#: What the report of a team says: cause, file and line of each failure.
CAUSES = {
    "missing": ("missing", None, None),
    "one_run_missing": ("missing", None, None),
    "cut": ("cut off", "te_mtg.conllu", 191),
    "malformed": ("malformed", "te_mtg.conllu", 4),
    "doubled": ("doubled", "new.conllu and old.conllu", None),
    "retokenised": ("other text", "te_mtg.conllu", 4),
    "bad_run": ("other text", "run2/te_mtg.conllu", 4),
    "no_such_run": ("wrong primary run", "primary.txt", 1),
}


@pytest.fixture(scope="module")
def board(task, tmp_path_factory):
    """The board of the messy task, with a team whose second run is wrong, and primary runs."""
    home = tmp_path_factory.mktemp("board")
    shutil.copytree(task / "teams", home / "teams")
    for team in ("bad_run", "primary", "no_such_run"):
        shutil.copytree(task / "teams" / "clean", home / "teams" / team)
    path = home / "teams" / "bad_run" / "run2" / "te_mtg.conllu"
    path.write_text(_with_another_word(path.read_text(encoding="utf-8")), encoding="utf-8")
    (home / "teams" / "primary" / "primary.txt").write_text("run2\n", encoding="utf-8")
    (home / "teams" / "no_such_run" / "primary.txt").write_text("run9", encoding="utf-8")
    return home, tg.leaderboard(task / "gold", home / "teams", out=home / "out", subsets=9)


def _rows(text, caption):
    """Return the cells of the table below a heading of a report in Markdown."""
    lines = text.partition(f"\n## {caption}")[2].partition("\n#")[0].replace("\\", "").split("\n")
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")][2:]


@pytest.mark.parametrize("team", CAUSES)
def test_the_report_of_a_team_names_the_cause_file_and_line(board, team):
    home, _ = board
    text = (home / "out" / "teams" / f"{team}.md").read_text(encoding="utf-8")
    html = (home / "out" / "teams" / f"{team}.html").read_text(encoding="utf-8")
    rows = _rows(text, "Failed and missing runs")
    assert len(rows) == (4 if team == "no_such_run" else 1)
    for cause, treebank, file, line, why in rows:
        assert (cause, file or None, int(line) if line else None) == CAUSES[team]
        assert treebank == "Telugu MTG" or team == "no_such_run"
        assert MESSES.get(team, "") in why
        assert escape(why.split(";")[0], quote=True) in html
    assert f"Failed on {len(rows)} of 4 treebanks: {len(rows)} {CAUSES[team][0]}." in text
    assert team != "one_run_missing" or "no output in 1 of 2 runs (run2)" in text
    worst = _rows(text, "Treebanks")[0]
    assert worst[1] == "failed"
    assert float(worst[-1]) < -50


def test_the_run_that_primary_txt_names_counts_and_else_the_mean(board, task):
    home, ranked = board
    said = dict(ranked.table.select("system", "score").iter_rows())
    only = tg.score(task / "gold", f"x={task}/teams/clean/run2", resamples=0).averages()["LAS"].item()
    assert said["primary"] == pytest.approx(only)
    assert said["clean"] != said["primary"]
    assert (ranked.runs["primary"], ranked.runs["clean"], ranked.runs["single"]) == (
        "run2, as primary.txt says", "mean over 3 runs", "one run",
    )  # fmt: skip
    assert "clean: mean over 3 runs; " in str(ranked)
    again = tg.score(task / "gold", f"primary={home}/teams/primary", resamples=0)
    assert again.averages()["LAS"].item() == said["primary"], "the same in every verb"
    gold = task / "gold" / "te_mtg.conllu"
    runs = [tg.score(gold, f"{home}/teams/{team}", resamples=0).systems[0].runs for team in ("clean", "primary")]
    assert list(map(len, runs)) == [3, 1]
    with pytest.raises(
        TreegaugeError, match=r"primary\.txt:1: found 'run9'; expected the name of a run, one of: run1, "
    ):
        tg.score(gold, f"{home}/teams/no_such_run", resamples=0)
    feed = json.loads((home / "out" / "leaderboard.json").read_text(encoding="utf-8"))
    assert not schema_errors(feed)
    assert feed["runs"] == dict(ranked.runs)
    assert {(one["system"], one["reason"]) for one in feed["failures"]} == {
        (team, why) for (_, team), why in ranked.failures.items()
    }


def test_relations_of_a_report_are_those_of_breakdown(board, task):
    home, ranked = board
    team, rival = "single", next(name for name in ranked.order if name != "single")
    rows = _rows((home / "out" / "teams" / "single.md").read_text(encoding="utf-8"), "Relations")
    cells = {team: {}, rival: {}}
    for name, sums in cells.items():
        found = tg.breakdown(task / "gold", f"{name}={home}/teams/{name}")[name]
        for runs in found.runs.values():
            for one in runs:
                for row in one.table.iter_rows(named=True):
                    counts = sums.setdefault(row["class"], [0, 0, 0])
                    for place, column in enumerate(("correct", "gold", "system")):
                        counts[place] += row[column] / len(runs)
    lost = {key: cells[rival][key][0] - counts[0] for key, counts in cells[team].items()}
    assert [float(row[-1]) for row in rows] == pytest.approx(
        sorted((n for n in lost.values() if n > 1e-9), reverse=True)[: len(rows)], abs=0.006
    )
    for relation, gold, own, other, _ in rows:
        for name, shown in ((team, own), (rival, other)):
            right, words, system = cells[name][relation]
            assert float(shown) == pytest.approx(200 * right / (words + system), abs=0.006)
        assert int(gold) == cells[team][relation][1]


def test_reports_of_teams_that_are_gone_are_removed(board, task):
    home, _ = board
    (home / "out" / "teams" / "notes.txt").write_text("mine", encoding="utf-8")
    teams = [f"{name}={home}/teams/{name}" for name in ("single", "cut")]
    tg.leaderboard(task / "gold", *teams, out=home / "out", subsets=9)
    assert {one.name for one in (home / "out" / "teams").iterdir()} == {
        "single.md", "single.html", "cut.md", "cut.html", "notes.txt",
    }  # fmt: skip


def test_every_verb_takes_the_primary_run(board, task):
    home, _ = board
    gold = task / "gold"
    words = [f"x={home}/teams/primary", f"y={home}/teams/single"]
    plain = [f"x={task}/teams/clean/run2", f"y={home}/teams/single"]
    expected = tg.score(gold, *plain, resamples=0).averages()["LAS"].to_list()
    board_of = tg.rank(*words, gold=gold, size=1, subsets=9).board
    assert board_of.values.mean(axis=1).tolist() == pytest.approx(expected, rel=1e-12)
    claims = [tg.certify(*given, gold=gold, claim="x > y").difference.value for given in (words, plain)]
    assert claims[0] == claims[1] == pytest.approx(expected[0] - expected[1])
    for verb in (tg.vote, lambda *given: tg.breakdown(*given, by="upos")):
        mine, other = (verb(gold, *given).to_dict() for given in (words, plain))
        assert mine["rows"] == other["rows"]
    pages = [tg.report(*given, gold=gold, out=None, subsets=9).sections[0].data["board"] for given in (words, plain)]
    assert pages[0]["metrics"] == pages[1]["metrics"]
    wrong = [f"x={home}/teams/no_such_run", words[1]]
    for verb in ("rank", "certify", "vote", "breakdown", "report"):
        how = {"claim": "x > y"} if verb == "certify" else {}
        how |= {"out": None, "subsets": 9} if verb == "report" else {}
        given, named = ((gold, *wrong), {}) if verb in {"vote", "breakdown"} else (wrong, {"gold": gold})
        with pytest.raises(TreegaugeError, match=r"primary\.txt:1: found 'run9'; expected the name of a run"):
            getattr(tg, verb)(*given, **named, **how)


def test_a_board_of_common_treebanks_before_a_deadline(task, tmp_path):
    teams = shutil.copytree(task / "teams", tmp_path / "teams")
    for path in teams.rglob("*.conllu"):
        os.utime(path, (1_777_600_000, 1_777_600_000))  # 2026-05-01 01:46:40 UTC
    late = teams / "single" / "el_gdt.conllu"
    os.utime(late, (1_777_700_000, 1_777_700_000))  # 2026-05-02 05:33:20 UTC
    two = [f"{name}={teams}/{name}" for name in ("clean", "single", "missing")]
    how = {"out": None, "subsets": 9}
    found = tg.leaderboard(task / "gold", *two, deadline="2026-05-01", **how)
    why = "el_gdt.conllu changed 2026-05-02 05:33 UTC, after the deadline 2026-05-01"
    assert found.failures == {("el_gdt", "single"): why, ("te_mtg", "missing"): "no output"}
    whole = tg.leaderboard(task / "gold", *two, **how)
    assert list(whole.failures) == [("te_mtg", "missing")]
    assert (
        tg.leaderboard(task / "gold", *two, deadline="2026-05-02T08:33:20+03:00", **how).failures.keys()
        == found.failures.keys()
    )
    assert tg.leaderboard(task / "gold", *two, deadline="2026-05-02T08:33:21+03:00", **how).failures == whole.failures
    with pytest.raises(TreegaugeError, match=r"found 'May', expected a time such as 2026-05-01"):
        tg.leaderboard(task / "gold", *two, deadline="May", **how)
    common = tg.leaderboard(task / "gold", *two, common=True, **how)
    assert (common.board.treebanks, common.failures) == (("cs_pdt", "el_gdt", "tr_imst"), {})
    slavic = tg.leaderboard(task / "gold", *two, where=["language=Czech,Turkish"], **how)
    assert slavic.board.treebanks == ("cs_pdt", "tr_imst")
    for one, choice in (
        (found, "deadline:2026-05-01"),
        (common, "common:yes"),
        (slavic, "where:language=Czech,Turkish"),
    ):
        assert choice in one.signature.split("|")
    scores = dict(zip(whole.board.treebanks, whole.board.values[whole.board.system("single")], strict=True))
    assert dict(slavic.table.select("system", "score").rows())["single"] == pytest.approx(
        (scores["cs_pdt"] + scores["tr_imst"]) / 2
    )
    sentences = tg.leaderboard(task / "gold", *two, units="sentences", **how)
    assert "units:sentences" in sentences.signature
    with pytest.raises(TreegaugeError, match="no row meets genus=Celtic; genus has "):
        tg.leaderboard(task / "gold", *two, where=["genus=Celtic"], **how)
