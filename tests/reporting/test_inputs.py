"""Each input says by its contents what it is."""

import json

import polars as pl
import pytest

from treegauge.curves.attachments import COLUMNS, attachments
from treegauge.reporting.building import report
from treegauge.reporting.inputs import Inputs, read_inputs
from treegauge.results.errors import TreegaugeError
from treegauge.testing.simulated_parser import Accuracy, imaginary_parser
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.conllu import parse_conllu, write_conllu
from treegauge.treebanks.problems import ConlluError


@pytest.fixture
def gold():
    return synthetic(12, seed=5)


def parsed(gold, seed):
    return parse_conllu(imaginary_parser(gold.to_bytes().decode(), Accuracy(heads=0.7), seed=seed))


def test_analyses_of_one_text_are_gold_and_systems(tmp_path, gold):
    write_conllu(parsed(gold, 1), tmp_path / "a.conllu")
    write_conllu(parsed(gold, 2), tmp_path / "b.conllu")
    write_conllu(gold, tmp_path / "my_gold.conllu")
    write_conllu(synthetic(9, seed=6), tmp_path / "other.conllu")
    found = read_inputs([str(tmp_path / f"{n}.conllu") for n in ("a", "b", "my_gold", "other")])
    (one,) = found.scored
    assert one.gold == gold
    assert list(one.systems) == ["a", "b"]
    assert [file.treebank.name for file in found.files] == ["my_gold", "other"]
    assert one.command().startswith("treegauge score ")


def test_gold_is_the_first_or_the_one_that_is_named(tmp_path, gold):
    write_conllu(parsed(gold, 1), tmp_path / "a.conllu")
    write_conllu(gold, tmp_path / "b.conllu")
    files = [str(tmp_path / "a.conllu"), str(tmp_path / "b.conllu")]
    assert list(read_inputs(files).scored[0].systems) == ["b"]
    named = read_inputs(files, gold=[files[1]]).scored[0]
    assert list(named.systems) == ["a"]
    assert named.gold == gold


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
    assert found.folders == [folder]
    assert found.files == []


def test_files_of_one_name_are_called_by_their_folders(tmp_path, gold):
    for name, seed in (("one", 1), ("two", 2)):
        (tmp_path / name).mkdir()
        write_conllu(parsed(gold, seed), tmp_path / name / "x.conllu")
    write_conllu(gold, tmp_path / "gold.conllu")
    found = read_inputs(
        [str(tmp_path / "gold.conllu"), str(tmp_path / "one"), str(tmp_path / "two")]
    )
    assert list(found.scored[0].systems) == ["one", "two"]


def test_tables_are_told_apart_by_their_columns(tmp_path):
    rows = [("A", "beam", n, 0, "all", n, 100) for n in (5, 10)]
    counts = attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row"))
    counts.write(tmp_path / "counts.csv")
    counts.frame.write_parquet(tmp_path / "counts.parquet")
    scores = pl.DataFrame({"treebank": ["a", "b"], "x": [1.0, 2.0], "y": [2.0, 1.0]})
    scores.write_csv(tmp_path / "scores.csv")
    votes = {"signature": "s", "rows": [{"left_out": None, "uas": 50.0}]}
    (tmp_path / "votes.json").write_text(json.dumps({"signature": "w", "scores": votes}))
    names = ["counts.csv", "counts.parquet", "scores.csv", "votes.json"]
    found = read_inputs([*(str(tmp_path / name) for name in names), "conll18"])
    assert [path.name for path in found.counts] == names[:2]
    assert found.scores == [str(tmp_path / "scores.csv"), "conll18"]
    assert found.transfers[0].signature == "s"


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
    expected = "treegauge score data/UD_X-Y/x_y-ud-test.conllu mine='my out.conllu'"
    assert absolute.scored[0].command() == expected
    assert absolute.told(folder) == "data/UD_X-Y"
    monkeypatch.chdir(tmp_path / "data")
    relative = read_inputs(["UD_X-Y", "mine=../my out.conllu"])
    expected = "treegauge score UD_X-Y/x_y-ud-test.conllu mine='../my out.conllu'"
    assert relative.scored[0].command() == expected
    assert Inputs("/").told("/home/me/data/x.csv") == "data/x.csv"


def test_malformed_sentences_are_treated_as_asked(tmp_path, gold):
    broken = gold.to_bytes().decode().replace("\t0\troot\t", "\t99\troot\t", 1)
    (tmp_path / "a.conllu").write_text(broken)
    with pytest.raises(ConlluError, match="head-range"):
        read_inputs([str(tmp_path / "a.conllu")]).files[0].treebank  # noqa: B018
    (kept,) = read_inputs([str(tmp_path / "a.conllu")], errors="skip").files
    assert len(kept.treebank) == len(gold) - 1


def test_a_packaged_table_stands_alone():
    with pytest.raises(TreegaugeError, match="a packaged one stands alone"):
        report(["conll18", "fragility_exp1"])


@pytest.mark.parametrize("name", ["x=nowhere.conllu", "nowhere.conllu", "x.docx", "empty"])
def test_what_is_not_known_is_refused_with_what_is(tmp_path, name):
    (tmp_path / "x.docx").touch()
    (tmp_path / "empty").mkdir()
    with pytest.raises(TreegaugeError, match="expected CoNLL-U files"):
        read_inputs([str(tmp_path / name)])
