"""Scores of fresh sentences and without leaked ones: the sentences are those of ``diff`` and ``audit``."""

import numpy as np
import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.parsing.baseline import BaselineParser
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.settings import ScoreOptions
from treegauge.scoring.subsets import counts_of
from treegauge.testing.simulated_parser import simulated_parse
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import concat

WHOLE = synthetic(260, seed=3)
TRAIN, OLD, NEW = WHOLE[:100], WHOLE[100:180], WHOLE[180:260]


@pytest.fixture
def releases(tmp_path, monkeypatch):
    """Two releases of a treebank: 50 test sentences stay, 30 are new, two of which are in the training set."""
    home = tmp_path / "r2.5" / "UD_Czech-One", tmp_path / "r2.9" / "UD_Czech-One"
    test = concat([OLD[:50], NEW[:28], TRAIN[4:6]], name="test")
    for folder, part in zip(home, (OLD, test), strict=True):
        folder.mkdir(parents=True)
        tg.write_conllu(TRAIN, folder / "cs_one-ud-train.conllu")
        tg.write_conllu(part, folder / "cs_one-ud-test.conllu")
    monkeypatch.setenv("TREEGAUGE_UD", str(tmp_path))
    return tmp_path


def system(gold):
    return tg.parse_conllu(simulated_parse(gold.to_bytes().decode(), seed=2))


@pytest.mark.parametrize("since", ["r2.5", "2.5", "HOME/r2.5", "HOME/r2.5/UD_Czech-One"])
def test_fresh_sentences_are_those_of_diff(releases, since):
    path = releases / "r2.9" / "UD_Czech-One" / "cs_one-ud-test.conllu"
    gold = tg.read_conllu(path)
    predicted = system(gold)
    fresh = tg.score(path, {"a": predicted}, fresh=since.replace("HOME", str(releases))).attached["fresh"]
    old = releases / "r2.5" / "UD_Czech-One"
    said = {row["sentences"]: row["new"] for row in tg.diff(old, path).attached["sentences"].rows}
    assert fresh.kinds == {"cs_one-ud-test": {"unchanged": 52, "inserted": 28}}
    assert {name: said[name] for name in ("unchanged", "inserted")} == fresh.kinds["cs_one-ud-test"]
    (row,) = fresh.rows
    assert (row["fresh_sentences"], row["old_sentences"]) == (28, 52)
    halves = [tg.score(gold.take(part), predicted.take(part), resamples=0)["text"]["LAS"].f1
              for part in (np.arange(50, 78), np.r_[0:50, 78:80])]  # fmt: skip
    assert [row["fresh"], row["old"]] == pytest.approx(halves)
    assert row["low"] < row["difference"] < row["high"]


def test_leaked_sentences_are_left_out(releases):
    path = releases / "r2.9" / "UD_Czech-One" / "cs_one-ud-test.conllu"
    gold = tg.read_conllu(path)
    predicted = system(gold)
    scores = tg.score(path, {"a": predicted}, leave_out="leaked")
    audited = {row["also_in"]: row for row in tg.audit(path.parent, only="leaks", resamples=19).attached["leaks"].rows}
    assert audited["train"]["same"] + audited["train"]["near"] == 2
    assert scores.sentences == 78
    assert scores["a"]["LAS"].f1 == tg.score(gold[:78], {"a": predicted[:78]}, resamples=0)["a"]["LAS"].f1
    assert "left_out:leaked(2)" in scores.signature
    assert any("left out: 2 of 80 sentences" in note for note in scores.notes)


def test_folders_have_a_row_per_treebank(releases):
    (releases / "out").mkdir()
    gold = tg.read_conllu(releases / "r2.9" / "UD_Czech-One" / "cs_one-ud-test.conllu")
    tg.write_conllu(system(gold), releases / "out" / "cs_one-ud-test.conllu")
    scores = tg.score(releases / "r2.9", releases / "out", split="test", fresh="r2.5", leave_out=None)
    assert [row["fresh_sentences"] for row in scores.attached["fresh"].rows] == [28]
    less = tg.score(releases / "r2.9", releases / "out", split="test", leave_out="leaked")
    assert "left_out:leaked" in less.signature
    assert less.sentences == 78


def test_the_majority_baseline_learns_from_the_training_set_next_to_gold(releases):
    path = releases / "r2.9" / "UD_Czech-One" / "cs_one-ud-test.conllu"
    gold = tg.read_conllu(path)
    scores = tg.score(path, {"a": gold}, baselines=True, resamples=0)
    model = BaselineParser().fit(TRAIN, seed=0)
    expected = tg.score(gold, {"x": model.parse(gold)}, resamples=0)["x"]["LAS"].f1
    assert scores["tag-pairs"]["LAS"].f1 == expected > scores["right-branching"]["UAS"].f1
    assert "tag-pairs" not in tg.score(gold, {"a": gold}, baselines=True, resamples=0).names
    train = path.with_name("cs_one-ud-train.conllu")
    assert "tag-pairs" not in tg.score(train, {"a": TRAIN}, baselines=True, resamples=0).names


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"fresh": "r2.7"}, "UD_Czech-One@2.7"),
        ({"fresh": "r2.5", "leave_out": "leaked"}, "give one of them"),
        ({"leave_out": "seen"}, "leaked"),
        ({"fresh": "r2.5", "resamples": 0}, "give --resamples above 0"),
    ],
)
def test_what_cannot_be_done_says_why(releases, options, said):
    path = releases / "r2.9" / "UD_Czech-One" / "cs_one-ud-test.conllu"
    with pytest.raises(TreegaugeError, match=said):
        tg.score(path, {"a": system(tg.read_conllu(path))}, **options)


def test_documents_start_with_their_first_sentence_that_is_kept():
    gold = tg.synthetic(30, seed=1)
    (run,) = evaluate(gold, {"a": gold}, ScoreOptions())["a"].runs
    mask = np.arange(30) % 3 == 1
    part = counts_of(run, mask)
    documents = np.cumsum(run.starts)[mask]
    assert part.sentences == 10
    assert part.starts.sum() == len(np.unique(documents))
