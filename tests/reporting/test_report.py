"""The page of several inputs: stores, output of systems for many treebanks, transfer."""

import base64
import html
import json
import os
import re
import shlex

import numpy as np
import pytest

import treegauge as tg
from tests.commands import invoke
from tests.reporting.browsing import page_data
from treegauge.core.errors import TreegaugeError
from treegauge.experiments.cell_store import Store
from treegauge.experiments.plans import ParserChoice, Plan, grid
from treegauge.experiments.run import run
from treegauge.learning.curves.class_counts import ALL
from treegauge.reporting.inputs import read_inputs
from treegauge.reporting.report import report
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.settings import ScoreOptions
from treegauge.testing.simulated_parser import Accuracy, simulated_parse
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu


def data_of(text, key):
    return page_data(text)[key]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    home = tmp_path_factory.mktemp("treebanks")
    made = []
    for number in range(2):
        folder = home / f"UD_T{number}-Small"
        folder.mkdir()
        for k, (part, size) in enumerate({"train": 30, "dev": 10, "test": 15}.items()):
            write_conllu(synthetic(size, seed=10 * number + k), folder / f"t{number}-ud-{part}.conllu")
        made.append(folder)
    return made


@pytest.fixture(scope="module")
def store(folders, tmp_path_factory):
    home = tmp_path_factory.mktemp("runs") / "store"
    parsers = [ParserChoice("mst", {"epochs": 1, "label_epochs": 1}), ParserChoice("beam", {"epochs": 1, "beam": 1})]
    names = [str(folder) for folder in folders]
    plans = [
        grid("curve", treebanks=names[:1], parsers=parsers[:1], sizes=[5, 20], samples=2,
             parameters={"train_limit": 30, "dev_limit": 5}),
        grid("score", treebanks=names, parsers=parsers),
    ]  # fmt: skip
    done = run(Plan(tuple(plans), "p"), home, pool="inline")
    assert done.failed == 0
    return home


def test_a_page_of_a_store_has_rankings_and_curves(store, folders):
    page = report(store, *folders, out=None, subsets=50)
    (ranking,) = data_of(page.html, "ranking")["boards"]
    scores = Store(store).results(task="score")
    assert {one["code"] for one in ranking["treebanks"]} == {"UD_T0-Small", "UD_T1-Small"}
    column = next(name for name in scores.columns if name.lower() == "las")
    values = [value / ranking["scores"]["scale"] for value in ranking["scores"]["values"]]
    assert sorted(values) == pytest.approx(sorted(scores[column].to_list()))
    learning = data_of(page.html, "learning")
    results = Store(store).results(task="curve")
    whole = [row for row in learning["curves"] if row[2] == ALL]
    assert {row[3] for row in whole} == {5, 20} == set(results["size"])
    assert learning["metric"] == "LAS"
    assert "treegauge curve " in page.html


def test_what_a_page_leaves_out_of_stores_is_said(store, folders, tmp_path, caplog):
    table = tmp_path / "scores.csv"
    rows = [f"{name},{system},{80 + i}" for name in "ab" for i, system in enumerate("xyz")]
    table.write_text("\n".join(["treebank,system,LAS", *rows]))
    home = tmp_path / "length.store"
    tg.difficulty(folders[0], measure="mdl", blocks="auto", orders=1, epochs=1, store=home)
    with caplog.at_level("INFO", logger="treegauge"):
        page = report(store, home, table, *folders, out=None, subsets=50)
    boards = data_of(page.html, "ranking")["boards"]
    assert [len(one["systems"]) for one in boards] == [3, 2]  # of the table and of the store
    assert "length.store: the page leaves out mdl" in caplog.text
    with pytest.raises(TreegaugeError, match="is an input and would be overwritten"):
        report(table, out=table)


def test_a_store_of_map_is_shown_as_its_recording_is(folders, tmp_path):
    home, file = tmp_path / "map.store", tmp_path / "map.npz"
    tg.map(folders[0], seeds=2, epochs=2, candidates=3, folds=2, store=home, recording=file)
    pages = [report(one, *folders, out=None).html for one in (home, file)]
    (ours,), (theirs,) = (data_of(text, "maps")["maps"] for text in pages)
    for name in ("values", "layers", "words", "signature"):
        assert ours[name] == theirs[name]
    (ours,), (theirs,) = (data_of(text, "candidates")["lists"] for text in pages)
    assert ours["held_out"]
    assert theirs["held_out"]
    names = ("line", "word", "score")
    assert [[one[name] for name in names] for one in ours["items"][:3]] == [
        [one[name] for name in names] for one in theirs["items"]
    ]
    with pytest.raises(TreegaugeError, match="expected this treebank among the inputs"):
        report(home, folders[1], out=None)


def test_a_page_of_curves_needs_their_treebank(store, folders, tmp_path, monkeypatch):
    monkeypatch.setenv("TREEGAUGE_UD", str(tmp_path))
    moved = folders[0].rename(tmp_path.parent / "elsewhere")
    try:
        with pytest.raises(TreegaugeError, match="UD_T0-Small is not in"):
            report(store, out=None, subsets=50)
    finally:
        moved.rename(folders[0])


def test_a_data_map_has_the_same_numbers_on_the_page(folders, tmp_path):
    """Once only the first of several recordings was kept, and the page found other candidates."""
    train = folders[0] / "t0-ud-train.conllu"
    found = tg.map(
        train, epochs=2, seeds=2, candidates=5, folds=2, recording=tmp_path / "r.npz", store=tmp_path / "store"
    )
    made = tg.report(train, tmp_path / "r.npz", out=None).sections
    data = {section.key: section.data for section in made}
    (one,) = data["maps"]["maps"]
    assert one["values"] == found.results[0].values
    words = found.attached["candidates"].words
    (shown,) = data["candidates"]["lists"]
    assert [(item["word"], item["score"]) for item in shown["items"]] == [(word.word, word.score) for word in words]


def commands_of(text, name):
    article = text[text.index(f"<h4>{name}") :].partition("</article>")[0]
    return html.unescape(re.search(r"<dt>Command</dt><dd><code>(.*?)</code>", article, re.S)[1])


def means(text):
    (found,) = data_of(text, "ranking")["boards"]
    packed = np.frombuffer(base64.b64decode(found["means"]["f32"]), "<f4")
    at = packed.reshape(-1, len(found["systems"]))[found["usual"]]
    return dict(zip(found["systems"], at.tolist(), strict=True))


def follow(commands):
    """Run commands here and return what the last one prints."""
    for command in commands.split("\n"):
        name, *words = shlex.split(command)
        if name == "python":
            exec(words[1], {})
            continue
        result = invoke(words)
        assert result.exit_code == 0, result.output
    return {row["system"]: row["mean"] for row in json.loads(result.stdout)["systems"]}


def test_the_ranking_of_a_store_can_be_made_again(store, folders, monkeypatch):
    text = report(str(store), *map(str, folders), out=None, subsets=50).html
    # Nothing but the temporary folder holds both, and paths are told from there.
    monkeypatch.chdir(os.path.commonpath([store.parent, folders[0].parent]))
    assert follow(commands_of(text, "Mean ranks")) == pytest.approx(means(text))


def test_the_ranking_of_scored_files_can_be_made_again(three, monkeypatch):
    text = report(three / "one", three / "two", gold=three / "gold", out=None, subsets=20).html
    monkeypatch.chdir(three)
    assert follow(commands_of(text, "Mean ranks")) == pytest.approx(means(text))


@pytest.fixture
def three(tmp_path):
    """Three gold files in a folder, and two systems' folders with files of the same names."""
    rng = np.random.default_rng(0)
    for name in ("gold", "one", "two"):
        (tmp_path / name).mkdir()
    for k in range(3):
        gold = synthetic(10, seed=40 + k)
        write_conllu(gold, tmp_path / "gold" / f"t{k}.conllu")
        for name, share in (("one", 0.9), ("two", 0.7)):
            seed = int(rng.integers(1000))
            parsed = simulated_parse(gold.to_bytes().decode(), Accuracy(heads=share), seed=seed)
            write_conllu(parse_conllu(parsed), tmp_path / name / f"t{k}.conllu")
    return tmp_path


def test_output_for_several_treebanks_is_scored_and_ranked(three):
    inputs = [str(three / name) for name in ("one", "two")]
    found = read_inputs(inputs, gold=[three / "gold"])
    assert [one.gold.name for one in found.scored] == ["t0", "t1", "t2"]
    assert all(list(one.systems) == ["one", "two"] for one in found.scored)
    text = report(*inputs, gold=str(three / "gold"), out=None, subsets=20).html
    (ranking,) = data_of(text, "ranking")["boards"]
    assert [t["code"] for t in ranking["treebanks"]] == ["t0", "t1", "t2"]
    las = evaluate(three / "gold" / "t1.conllu", three / "one" / "t1.conllu",
                   options=ScoreOptions(resamples=0)).systems[0]["LAS"].f1  # fmt: skip
    scored = data_of(text, "scores")["treebanks"][1]
    shown = next(m for m in scored["metrics"] if m["name"] == "LAS")
    assert shown["systems"][0]["f1"] == las


@pytest.mark.parametrize("convention", ["official", "challenges"])
def test_scores_are_those_of_score_under_any_convention(three, convention):
    gold, system = three / "gold" / "t0.conllu", three / "one" / "t0.conllu"
    page = tg.report(f"one={system}", gold=gold, out=None, convention=convention)
    found = tg.score(gold, {"one": system}, convention=convention)
    (shown,) = data_of(page.html, "scores")["treebanks"]
    values = {metric["name"]: metric["systems"][0]["f1"] for metric in shown["metrics"]}
    for metric in ("UAS", "LAS"):
        assert values[found.label(metric)] == found["one"][metric].f1
    assert ("LAS[challenges]" in values) == (convention == "challenges")


def test_votes_are_in_the_section_on_learning(tmp_path):
    rows = [{"left_out": None, "sources": "a+b", "group": "all", "words": 9, "metric": "LAS", "score": 61.5}]
    (tmp_path / "votes.json").write_text(json.dumps({"signature": "sig|<b>", "rows": rows}))
    text = report(str(tmp_path / "votes.json"), out=None).html
    found = data_of(text, "learning")
    assert found["transfers"] == [{"name": "votes", "signature": "sig|<b>", "rows": rows}]
    assert found["curves"] == []
    assert "sig|&lt;b&gt;" in text


def test_two_releases_of_one_treebank_are_compared(tmp_path):
    whole = synthetic(60, seed=4)
    renamed = ["subject" if one == "nsubj" else one for one in whole["deprel"].to_list()]
    folders = []
    for release, treebank in (("2.9", whole.with_columns({"deprel": renamed})), ("2.5", whole)):
        folder = tmp_path / f"r{release}" / "UD_A-B"
        folder.mkdir(parents=True)
        write_conllu(treebank, folder / "a_b-ud-train.conllu")
        folders.append(folder)
    page = report(*folders, out=None)
    (section,) = [one for one in page.sections if one.key == "changes"]
    assert [caption for caption, _ in section.tables] == ["Changes from UD_A-B@2.5 to 2.9"]
    subjects = renamed.count("subject")
    assert f"{subjects} deprel" in section.short[0]
    assert "1 systematic change." in section.short[0]
    assert "<td>nsubj</td><td>subject</td>" in page.html
    assert "words changed" in page.html  # of the trees
    assert not [one for one in report(folders[0], out=None).sections if one.key == "changes"]
