"""A study of 3 systems x 3 runs x 6 treebanks: the same means and p-values in every verb.

The output comes from a store, as a student has it. Verbs get it as folders with a folder per run, as
a repeated name, as the store itself, as mappings and as objects.
"""

import json
import re
from pathlib import Path

import pytest

import treegauge as tg

CODES = {
    "Czech-PDT": "cs_pdt", "Greek-GDT": "el_gdt", "Telugu-MTG": "te_mtg",
    "Turkish-IMST": "tr_imst", "Welsh-CCG": "cy_ccg", "Wolof-WTB": "wo_wtb",
}  # fmt: skip
PARSERS = [{"name": "beam", "options": {"epochs": epochs, "beam": 1}} for epochs in (1, 2)]
PARSERS += [{"name": "mst", "options": {"epochs": 1, "bits": 12}}]
SMALL = {"subsets": 20}


class Study:
    """Gold, and the output in every form."""

    def __init__(self, home):
        self.gold, self.store = home / "room", home / "study.store"
        for number, (name, code) in enumerate(CODES.items()):
            folder = self.gold / f"UD_{name}"
            folder.mkdir(parents=True)
            for part, size in (("train", 12), ("test", 24)):
                text = tg.synthetic(size, seed=10 * number + size).to_bytes().decode()
                marked = text.replace("# newdoc", "# was newdoc")  # so that sentences are the units
                (folder / f"{code}-ud-{part}.conllu").write_text(marked, encoding="utf-8")
        plan = tg.Plan((tg.grid("score", "UD_*", parsers=PARSERS, seeds=[0, 1, 2]),), "study", str(self.gold))
        assert tg.run(plan, self.store, pool="inline").failed == 0
        self.results = tg.results(self.store, parses=home / "parses")
        folders = dict(zip("abc", sorted((home / "parses").iterdir()), strict=True))
        runs = {name: sorted(folder.iterdir()) for name, folder in folders.items()}
        self.ways = {
            "folders": [f"{name}={folder}" for name, folder in folders.items()],
            "runs": [f"{name}={run}" for name, own in runs.items() for run in own],
            "store": [self.store],
            "home": [home / "parses"],
            "mapping": [runs],
        }
        tests = {f"UD_{name}": f"UD_{name}/{code}-ud-test.conllu" for name, code in CODES.items()}
        self.treebanks = {name: tg.read_conllu(self.gold / file) for name, file in tests.items()}
        self.objects = {
            name: {code: [tg.read_conllu(run / f"{code}.conllu") for run in own] for code in tests}
            for name, own in runs.items()
        }
        scores = tg.score(self.gold, *self.ways["folders"])
        self.means = [one["LAS"].f1 for one in scores.systems]
        self.p_values = [row["p_corrected"] for row in scores.attached["comparisons"].pairs]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return Study(tmp_path_factory.mktemp("study"))


def compared(result):
    """Return the means of systems and the p-values of their pairs."""
    rows = result["comparisons"]["rows"]
    return [row["LAS"] for row in result["averages"]], [row["p_corrected"] for row in rows]


@pytest.mark.parametrize("way", ["folders", "runs", "store", "home", "mapping", "objects"])
def test_score_reads_all_forms(study, way):
    given = (study.treebanks, study.objects) if way == "objects" else (study.gold, *study.ways[way])
    means, p_values = compared(tg.score(*given).to_dict())
    assert means == pytest.approx(study.means, rel=1e-12)
    assert p_values == pytest.approx(study.p_values, rel=1e-9)
    assert 0 < min(p_values) < 0.05


def test_results_has_the_means_of_score_and_their_spread_over_seeds(study):
    rows = [row for row in study.results.attached["means"].rows if row["treebank"] == "macro average"]
    means = [row for row in rows if row["metric"] == "LAS"]
    assert [row["mean"] for row in means] == pytest.approx(study.means, rel=1e-12)
    for row, folder in zip(means, study.ways["folders"], strict=True):
        runs = [
            tg.score(study.gold, folder.partition("=")[2] + f"/sample0.seed{seed}", resamples=0) for seed in range(3)
        ]
        values = [run.systems[0]["LAS"].f1 for run in runs]
        mean = sum(values) / 3
        sd = (sum((value - mean) ** 2 for value in values) / 2) ** 0.5
        assert row["sd"] == pytest.approx(sd)
        assert (row["high"] - row["low"]) / 2 == pytest.approx(4.302652730 * sd / 3**0.5)  # t, two degrees of freedom
        assert f"{mean:.2f} ± {sd:.2f}" in str(study.results)


def test_score_says_the_same_in_table_latex_json_and_csv(study, command):
    words = ["score", study.gold, *study.ways["folders"]]
    means, p_values = compared(json.loads(command(*words, "--format", "json").out))
    assert means == pytest.approx(study.means, rel=1e-12)
    assert p_values == pytest.approx(study.p_values, rel=1e-12)
    text, latex = (command(*words, "--format", form).out for form in ("text", "latex"))
    for mean in study.means:
        assert f"{mean:.2f}" in text and f"{mean:.2f}" in latex
    assert all(f"{p:.4f}" in text or "<0.0001" in text for p in study.p_values)


def test_differences_of_classes_are_those_of_their_scores(study):
    """Of classes without a test, they were those of counts added over runs."""
    found = tg.breakdown(study.gold, *study.ways["folders"][1:], by="relation")
    b, c = ({row["class"]: row["f1"] for row in one.table.to_dicts()} for one in found.systems.values())
    untested = 0
    for row in found.differences:
        if row["gold"]:
            assert row["difference"] == pytest.approx(b[row["class"]] - c[row["class"]], abs=1e-9), row
            untested += row["p_value"] is None
    assert untested


def test_marks_in_latex_are_those_of_the_p_values(study, command):
    """Marks of every row of the table, computed here from the p-values and claims in JSON."""
    words = ["score", study.gold, *study.ways["folders"]]
    made = json.loads(command(*words, "--format", "json").out)
    better = {name: set() for name in [*CODES, ""]}
    for row in made["comparisons"]["rows"]:
        if row["p_corrected"] <= 0.05:
            better[""].add((row["a"], row["b"]) if row["difference"] > 0 else (row["b"], row["a"]))
    for row in made["claims"]["rows"]:
        for one, other in ("ab", "ba"):
            for treebank in row[f"{one}_better_on"]:
                better[treebank.removeprefix("UD_")].add((row[one], row[other]))
    scores = {
        one["treebank"].removeprefix("UD_"): {s["system"]: s["metrics"]["LAS"]["f1"] for s in one["systems"]}
        for one in made["treebanks"]
    }
    scores[""] = dict(zip("abc", study.means, strict=True))
    lines = {
        line.split(" & ")[0]: line for line in command(*words, "--format", "latex").out.splitlines() if " & " in line
    }
    seen = set()
    for treebank, won in better.items():
        own = scores[treebank]
        best = max(own, key=own.get)
        tied = {name for name in own if name != best and (best, name) not in won}
        expected = {name: "‡" if tied and name in {best, *tied} else "†" if name == best else "" for name in own}
        title = treebank.replace("-", " ") if treebank else "macro average"
        found = [
            (r"\ddag" in cell and "‡") or (r"\dag" in cell and "†") or "" for cell in lines[title].split(" & ")[2:]
        ]
        assert found == list(expected.values()), title
        seen |= {*found}
    assert seen == {"†", "‡", ""}
    latex = re.findall(r"\\textsuperscript\{\\(d?dag)\}", "\n".join(lines.values()))
    marks = ["‡" if mark == "ddag" else "†" for mark in latex]
    assert len(marks) > 3
    for form, pattern in (("markdown", r"[\d*]([†‡])"), ("html", r"<sup>(.)</sup>"), ("typst", r'#super\("(.)"\)')):
        found = re.findall(pattern, command(*words, "--format", form).out)
        assert found[: len(marks)] == marks, form


@pytest.mark.parametrize("way", ["folders", "runs", "store", "home"])
def test_breakdown_of_all_words_is_the_score(study, way):
    """All words are in the class of words without a feature that no word has."""
    found = tg.breakdown(study.gold, *study.ways[way], by="feats:None")
    assert found.table["f1"].to_list() == pytest.approx(study.means, rel=1e-12)


def test_breakdown_tests_two_systems_as_score_does(study, command):
    two = study.ways["folders"][:2]
    (pair,) = tg.score(study.gold, *two).attached["comparisons"].pairs
    words = ["breakdown", study.gold, *two, "--by", "feats:None", "--overlap", "2", "--confusion", "upos"]
    made = json.loads(command(*words, "--format", "json").out)
    (row,) = made["differences"]
    for name in ("difference", "low", "high", "p_value"):
        assert row[name] == pytest.approx(pair[name], rel=1e-9)
    assert 0 < row["p_value"] < 1e-6
    words_of_gold = sum(one.n_words for one in study.treebanks.values())
    assert sum(one["words"] for one in made["overlap"]["by_number_of_systems"]) == words_of_gold
    assert {row["treebank"] for row in made["overlap"]["rows"]} == set(study.treebanks)


@pytest.mark.parametrize("way", ["folders", "runs", "store", "home"])
def test_rank_vote_leaderboard_and_certify_have_the_means_of_score(study, way, command, tmp_path):
    words, best = study.ways[way], max(study.means)
    names = list("abc") if way in {"folders", "runs"} else tg.score(study.gold, *words, resamples=0).names
    board = tg.rank(*words, gold=study.gold, **SMALL).board
    assert board.values.mean(axis=1).tolist() == pytest.approx(study.means, rel=1e-12)
    assert tg.vote(study.gold, *words).rows[0]["LAS"] == pytest.approx(best, rel=1e-12)
    standings = json.loads(
        command("leaderboard", study.gold, *words, "--out", tmp_path / "board", "--format", "json", "--subsets", 20).out
    )
    scores = {row["system"]: row["score"] for row in standings["ranking"]}
    assert [scores[name] for name in names] == pytest.approx(study.means, rel=1e-12)
    if way in {"folders", "runs"}:  # names with spaces are no claim
        made = command("certify", *words, "--gold", study.gold, "--claim", "b > a", "--format", "json").out
        assert json.loads(made)["difference"]["value"] == pytest.approx(study.means[1] - study.means[0], rel=1e-9)


@pytest.mark.parametrize("way", ["folders", "runs", "store", "home"])
def test_gold_among_the_words_of_rank_and_certify(study, way, command):
    """As in report, gold is told by the words: here the treebanks with training sets."""
    words = study.ways[way]
    board = tg.rank(study.gold, *words, **SMALL).board
    assert board.values.mean(axis=1).tolist() == pytest.approx(study.means, rel=1e-12)
    if way in {"folders", "runs"}:
        made = command("certify", study.gold, *words, "--claim", "b > a", "--format", "json").out
        assert json.loads(made)["difference"]["value"] == pytest.approx(study.means[1] - study.means[0], rel=1e-9)


def test_gold_that_is_not_told_is_asked_for(study, command):
    home, folders = study.ways["home"][0], study.ways["folders"]
    for words in (["rank", home], ["rank", *folders], ["certify", *folders, "--claim", "b > a"]):
        failed = command(*words)
        assert failed.code == 2 and "--gold GOLD SYSTEM" in failed.err and "GOLD NAME=PATH" in failed.err


def test_the_commands_of_the_readme(study, command, tmp_path, monkeypatch):
    """A study as the README describes it, from output to tables and page."""
    for name, code in CODES.items():
        (tmp_path / "gold" / f"UD_{name}").mkdir(parents=True)
        file = f"UD_{name}/{code}-ud-test.conllu"
        (tmp_path / "gold" / file).write_bytes((study.gold / file).read_bytes())
    for name, word in zip(("careful", "hasty"), study.ways["folders"], strict=False):
        for run in Path(word.partition("=")[2]).iterdir():
            (tmp_path / "runs" / name / run.name).mkdir(parents=True)
            for file in run.iterdir():
                (tmp_path / "runs" / name / run.name / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^    treegauge (.* gold careful=.*)$", readme, re.MULTILINE)
    assert len(lines) == 4
    printed = [command(*line.split()) for line in lines]
    assert [one.code for one in printed] == [0] * 4
    for mean in study.means[:2]:
        assert f"{mean:.2f}" in printed[0].out
        assert f"{mean:.2f}" in Path("table.tex").read_text()
    assert "difference" in Path("errors.tex").read_text()
    assert f"highest mean LAS, {max(study.means[:2]):.2f}" in Path("page.html").read_text()


@pytest.mark.parametrize("way", ["folders", "runs"])
def test_the_page_has_the_means_and_p_values_of_score(study, way, tmp_path, command):
    if way == "runs":
        out = tmp_path / "page.html"
        assert command("report", study.gold, *study.ways[way], "--out", out, "--subsets", 20).code == 0
        html = out.read_text(encoding="utf-8")
        assert f"b has the highest mean LAS, {max(study.means):.2f}" in re.sub(r"<[^>]+>", "", html)
        return
    overview = tg.report(study.gold, *study.ways[way], out=None, **SMALL).sections[0].data
    (las,) = [one for one in overview["board"]["metrics"] if one["name"] == "LAS"]
    assert overview["board"]["systems"] == ["a", "b", "c"]
    assert [one["mean"] for one in las["macro"]] == pytest.approx(study.means, rel=1e-12)
    assert [row["p_corrected"] for row in overview["pairs"]] == pytest.approx(study.p_values, rel=1e-9)
