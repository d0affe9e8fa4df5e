"""Inputs of a page are recognised by their contents, and gold is never guessed."""

import json

import polars as pl
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.learning.curves.class_counts import COLUMNS, attachments
from treegauge.reporting.inputs import PageInputs, read_inputs
from treegauge.reporting.report import report
from treegauge.reporting.sections.learning import Votes
from treegauge.testing.simulated_parser import Accuracy, simulated_parse
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu
from treegauge.treebanks.data.problems import ConlluError


@pytest.fixture
def gold():
    return synthetic(12, seed=5)


def parsed(gold, seed):
    return parse_conllu(simulated_parse(gold.to_bytes().decode(), Accuracy(heads=0.7), seed=seed))


def test_analyses_of_one_text_are_gold_and_systems(tmp_path, gold):
    write_conllu(parsed(gold, 1), tmp_path / "a.conllu")
    write_conllu(parsed(gold, 2), tmp_path / "b.conllu")
    write_conllu(gold, tmp_path / "c.conllu")
    write_conllu(synthetic(9, seed=6), tmp_path / "other.conllu")
    files = [tmp_path / f"{name}.conllu" for name in ("a", "b", "other")]
    found = read_inputs(files, gold=[tmp_path / "c.conllu"])
    (one,) = found.scored
    assert one.gold == gold
    assert list(one.systems) == ["a", "b"]
    assert [one.name for one in found.treebanks] == ["c", "other"]
    assert one.command().startswith("treegauge score ")


def test_incomplete_output_of_a_named_gold_file_is_no_treebank(tmp_path, gold):
    """It was shown as another treebank, without a word."""
    write_conllu(gold, tmp_path / "gold.conllu")
    write_conllu(parsed(gold, 1)[:5], tmp_path / "a.conllu")
    for output in (tmp_path / "a.conllu", f"mine={tmp_path / 'a.conllu'}"):
        with pytest.raises(TreegaugeError, match=r" ends after sentence 5 of 12 \(line "):
            report(output, gold=tmp_path / "gold.conllu", out=None)


def test_treebanks_can_be_objects(gold):
    page = report(parsed(gold, 1), gold=gold, out=None)
    assert [one.key for one in page.sections] == ["overview", "scores", "treebanks"]


@pytest.mark.parametrize("names", [("a", "b"), ("en_lines-ud-test", "gold")])
def test_gold_is_never_guessed(tmp_path, gold, names):
    for seed, name in enumerate(names):
        write_conllu(parsed(gold, seed), tmp_path / f"{name}.conllu")
    files = [str(tmp_path / f"{name}.conllu") for name in names]
    with pytest.raises(TreegaugeError, match=r"not known which of them is gold.*--gold FILE"):
        report(*files, out=None)
    with pytest.raises(TreegaugeError, match=r"output of a system, and no gold.*--gold FILE"):
        report(f"mine={files[0]}", out=None)


def test_folders_of_output_are_scored(tmp_path):
    """`report UD_... out/alpha out/beta` once measured the output as treebanks."""
    codes = {"UD_A-X": "aa_x", "UD_B-Y": "bb_y"}
    for number, (name, code) in enumerate(codes.items()):
        (tmp_path / name).mkdir()
        for split in ("train", "test"):
            treebank = synthetic(10, seed=2 * number + (split == "test"))
            write_conllu(treebank, tmp_path / name / f"{code}-ud-{split}.conllu")
        for seed, system in enumerate(("alpha", "beta")):
            (tmp_path / "out" / system).mkdir(parents=True, exist_ok=True)
            target = tmp_path / "out" / system / f"{code}-ud-test.conllu"
            write_conllu(parsed(treebank, seed), target)
    found = read_inputs([*(tmp_path / name for name in codes), tmp_path / "out" / "alpha", tmp_path / "out" / "beta"])
    assert [one.name for one in found.treebanks] == list(codes)
    assert [one.gold.name for one in found.scored] == ["UD_A-X/test", "UD_B-Y/test"]
    assert all(list(one.systems) == ["alpha", "beta"] for one in found.scored)
    with pytest.raises(TreegaugeError, match=r"alpha is a folder of output, and no gold"):
        read_inputs([tmp_path / "out" / "alpha"])


def test_gold_is_what_is_not_a_system(tmp_path, gold):
    """`report gold a=... b=...` took gold for output."""
    texts = {"aa_x": gold, "bb_y": synthetic(9, seed=6)}
    for code, treebank in texts.items():
        home = tmp_path / "gold" / f"UD_{code.upper().replace('_', '-')}"
        flat = tmp_path / "flat"
        for folder in (home, flat):
            folder.mkdir(parents=True, exist_ok=True)
            write_conllu(treebank, folder / f"{code}-ud-test.conllu")
        for number in range(4):
            run = tmp_path / "runs" / "ab"[number // 2] / f"seed{number % 2}"
            run.mkdir(parents=True, exist_ok=True)
            write_conllu(parsed(treebank, number), run / f"{code}.conllu")
    runs = tmp_path / "runs"
    named = [f"{name}={runs / name}" for name in "ab"]
    for sources in (
        [tmp_path / "gold", *named],
        [tmp_path / "flat", *named],
        [tmp_path / "gold", runs / "a", runs / "b"],
        [tmp_path / "gold", runs],
    ):
        found = read_inputs(map(str, sources))
        assert [one.gold for one in found.scored] == list(texts.values())
        assert [{name: len(own) for name, own in one.systems.items()} for one in found.scored] == [{"a": 2, "b": 2}] * 2
    with pytest.raises(TreegaugeError, match=r"if this folder is gold, write --gold .*flat"):
        read_inputs([str(tmp_path / "flat"), *(str(runs / name) for name in "ab")])
    with pytest.raises(TreegaugeError, match=r"x=.*runs: a folder of 2 systems \(a, b\); leave out x="):
        read_inputs([str(tmp_path / "gold"), f"x={runs}"])


def test_two_releases_of_a_treebank_stay_apart(tmp_path):
    folders = []
    for release, size in (("r2.5", 20), ("r2.9", 30)):
        folders.append(tmp_path / release / "UD_Turkish-IMST")
        folders[-1].mkdir(parents=True)
        for split in ("train", "test"):
            treebank = synthetic(size, seed=size + (split == "test"))
            write_conllu(treebank, folders[-1] / f"tr_imst-ud-{split}.conllu")
    page = report(*folders, out=None)
    section, changes = page.sections
    assert changes.key == "changes"
    rows = {row["treebank"]: row["values"]["sentences"] for row in section.data["treebanks"]}
    assert rows == {"UD_Turkish-IMST@2.5": 20, "UD_Turkish-IMST@2.9": 30}
    assert [one["treebank"] for one in section.data["audits"]] == list(rows)
    assert list(section.data["displacements"]) == list(rows)


def test_output_is_scored_against_the_part_of_a_treebank_with_its_text(tmp_path, gold):
    folder = tmp_path / "UD_X-Y"
    folder.mkdir()
    write_conllu(synthetic(20, seed=8), folder / "x_y-ud-train.conllu")
    write_conllu(gold, folder / "x_y-ud-test.conllu")
    write_conllu(parsed(gold, 1), tmp_path / "out.conllu")
    found = read_inputs([f"mine={tmp_path / 'out.conllu'}", str(folder)])
    (one,) = found.scored
    assert one.gold.name == "UD_X-Y/test"
    assert list(one.systems) == ["mine"]
    assert found.folders == {"UD_X-Y": folder}
    assert len(found.treebanks) == 1


def test_files_of_one_name_are_called_by_their_folders(tmp_path, gold):
    for name, seed in (("one", 1), ("two", 2)):
        (tmp_path / name).mkdir()
        write_conllu(parsed(gold, seed), tmp_path / name / "x.conllu")
    write_conllu(gold, tmp_path / "gold.conllu")
    folders = [str(tmp_path / "one"), str(tmp_path / "two")]
    found = read_inputs(folders, gold=[tmp_path / "gold.conllu"])
    assert list(found.scored[0].systems) == ["one", "two"]


def test_tables_are_recognised_by_their_columns(tmp_path):
    rows = [("A", "beam", n, 0, "all", n, 100) for n in (5, 10)]
    counts = attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row"))
    counts.save(tmp_path / "counts.csv")
    counts.frame.write_parquet(tmp_path / "counts.parquet")
    scores = pl.DataFrame({"treebank": ["a", "b"], "x": [1.0, 2.0], "y": [2.0, 1.0]})
    scores.write_csv(tmp_path / "scores.csv")
    votes = {"signature": "s", "rows": [{"left_out": None, "metric": "LAS", "score": 50.0}]}
    (tmp_path / "votes.json").write_text(json.dumps({"signature": "w", "scores": votes}))
    names = ["counts.csv", "counts.parquet", "scores.csv", "votes.json"]
    found = read_inputs([*(str(tmp_path / name) for name in names), "conll18"])
    assert [path.name for path in found.counts] == names[:2]
    assert [one.name for one in found.scores] == ["scores", "conll18"]
    assert Votes.read(found.transfers[0]).signature == "s"


def test_a_recording_needs_its_treebank(small):
    found = read_inputs([str(small / "training.npz"), str(small / "UD_Small-Test")])
    assert found.recordings[0].treebank.name == "UD_Small-Test/train"
    with pytest.raises(TreegaugeError, match=r"recording of train#.*among the inputs, found none"):
        read_inputs([str(small / "training.npz")])


def test_files_are_named_so_that_commands_work_in_one_folder(tmp_path, gold, monkeypatch):
    folder = tmp_path / "data" / "UD_X-Y"
    folder.mkdir(parents=True)
    write_conllu(gold, folder / "x_y-ud-test.conllu")
    write_conllu(parsed(gold, 1), tmp_path / "my out.conllu")
    absolute = read_inputs([str(folder), f"mine={tmp_path / 'my out.conllu'}"])
    expected = "treegauge score data/UD_X-Y/x_y-ud-test.conllu 'mine=my out.conllu'"
    assert absolute.scored[0].command() == expected
    assert absolute.command_path(folder) == "data/UD_X-Y"
    monkeypatch.chdir(tmp_path / "data")
    relative = read_inputs(["UD_X-Y", "mine=../my out.conllu"])
    expected = "treegauge score UD_X-Y/x_y-ud-test.conllu 'mine=../my out.conllu'"
    assert relative.scored[0].command() == expected
    assert PageInputs("/").command_path("/home/me/data/x.csv") == "data/x.csv"


def test_malformed_sentences_are_treated_as_asked(tmp_path, gold):
    broken = gold.to_bytes().decode().replace("\t0\troot\t", "\t99\troot\t", 1)
    (tmp_path / "a.conllu").write_text(broken)
    with pytest.raises(ConlluError, match="head-range"):
        read_inputs([str(tmp_path / "a.conllu")]).treebanks[0].treebank  # noqa: B018
    (kept,) = read_inputs([str(tmp_path / "a.conllu")], errors="skip").treebanks
    assert len(kept.treebank) == len(gold) - 1


def test_scores_that_could_be_fractions_are_refused(tmp_path):
    """The page once showed "mean LAS 0.88"."""
    scores = pl.DataFrame({"treebank": ["a", "b"], "x": [0.81, 0.92], "y": [0.79, 0.88]})
    scores.write_csv(tmp_path / "scores.csv")
    with pytest.raises(TreegaugeError, match="could be fractions"):
        report(tmp_path / "scores.csv", out=None, subsets=10)


@pytest.mark.parametrize("name", ["x=nowhere.conllu", "nowhere.conllu", "x.docx", "empty"])
def test_what_is_not_recognised_is_refused(tmp_path, name):
    (tmp_path / "x.docx").touch()
    (tmp_path / "empty").mkdir()
    with pytest.raises(TreegaugeError, match=r"no such file|not recognised|found no treebank"):
        read_inputs([str(tmp_path / name)])
