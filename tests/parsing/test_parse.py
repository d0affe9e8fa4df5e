"""``treegauge parse``: trees for a file."""

import io

import numpy as np
import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.parsing.registry import load_model, make_parser
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu, write_conllu
from treegauge.treebanks.data.trees import is_tree

TRAIN, TEST = synthetic(40, seed=1), synthetic(10, seed=3)


@pytest.fixture
def folder(tmp_path):
    """A treebank folder, and a model in the same place."""
    root = tmp_path / "UD_Syn-X"
    root.mkdir()
    for split, treebank in (("train", TRAIN), ("test", TEST)):
        write_conllu(treebank, root / f"sy_x-ud-{split}.conllu")
    make_parser("beam", epochs=1).fit(TRAIN, seed=0).save(tmp_path / "m")
    return root


def test_python_and_the_command_parse_alike(command, folder, tmp_path):
    done = command("parse", tmp_path / "m", folder, "--split", "test")
    by_file = tg.parse(tmp_path / "m", folder / "sy_x-ud-test.conllu", out=tmp_path / "out.conllu")
    by_model = tg.parse(load_model(tmp_path / "m"), TEST)
    assert done.out.encode() == (tmp_path / "out.conllu").read_bytes()
    assert by_model.treebank == by_file.treebank
    assert by_model.document == done.out.encode()
    assert by_file.document is None
    assert by_file.table["file"].to_list() == [str(tmp_path / "out.conllu")]
    assert by_file.signature.count("#") == 3  # the model, what was parsed, and the outcome
    with pytest.raises(TreegaugeError, match="dev"):
        tg.parse(tmp_path / "m", folder, split="dev")


def test_the_result_of_training_is_a_model(folder, tmp_path):
    trained = tg.train("beam", TRAIN, out=tmp_path / "again", option=["epochs=1"])
    assert tg.parse(trained, TEST).treebank == tg.parse(tmp_path / "m", TEST).treebank


def test_the_parse_does_not_replace_what_was_parsed(folder, tmp_path):
    test = folder / "sy_x-ud-test.conllu"
    before = test.read_bytes()
    with pytest.raises(TreegaugeError, match="is an input and would be overwritten"):
        tg.parse(tmp_path / "m", test, out=test)
    with pytest.raises(TreegaugeError, match="is an input and would be overwritten"):
        tg.train("mst", test, out=test)
    assert test.read_bytes() == before


@pytest.mark.parametrize(("name", "message"), [("none/x.conllu", "there is no folder"), ("", "is a folder; expected")])
def test_a_place_that_cannot_be_written_is_refused_before_parsing(folder, tmp_path, name, message, monkeypatch):
    monkeypatch.setattr("treegauge.parsing.beam.BeamModel.parse", None)
    with pytest.raises(TreegaugeError, match=message):
        tg.parse(tmp_path / "m", TEST, out=tmp_path / name)


def array():
    file = io.BytesIO()
    np.save(file, np.arange(3))
    return file.getvalue()


def test_text_without_heads_is_parsed(command, folder, tmp_path):
    bare = TEST.with_columns({"deprel": ["_"] * TEST.n_words}).to_bytes().decode()
    lines = [line.split("\t") for line in bare.split("\n")]
    for fields in lines:
        if fields[0].isdecimal():
            fields[6] = "_"
    done = command("parse", tmp_path / "m", "-", stdin="\n".join(map("\t".join, lines)).encode())
    assert done.code == 0
    assert done.out.encode() == load_model(tmp_path / "m").parse(TEST).to_bytes()


@pytest.mark.parametrize("heads", [(0, 0, 1), (2, 1, 2), (0, 3, 2)])
def test_heads_that_are_no_trees_are_replaced(command, folder, tmp_path, heads):
    rows = [f"{i}\ta\ta\tNOUN\t_\t_\t{head}\tdep\t_\t_\n" for i, head in enumerate(heads, 1)]
    done = command("parse", tmp_path / "m", "-", stdin="".join([*rows, "\n"]).encode())
    assert (done.code, done.err) == (0, "")
    assert is_tree(parse_conllu(done.out).head)[0]


def test_what_cannot_be_read_is_an_error_or_left_out(command, folder, tmp_path):
    torn = b"1\ta\n\n" + TEST.to_bytes()
    done = command("parse", tmp_path / "m", "-", stdin=torn)
    assert (done.code, done.out) == (2, "")
    assert "--errors skip|repair" in done.err
    done = command("parse", tmp_path / "m", "-", "--errors", "skip", stdin=torn)
    assert len(parse_conllu(done.out)) == len(TEST)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", array(), b"1\tnot a model\n"])
def test_what_is_no_model(command, folder, tmp_path, content):
    (tmp_path / "m").write_bytes(content)
    out = tmp_path / "parsed"
    done = command("parse", tmp_path / "m", folder / "sy_x-ud-test.conllu", "--out", out)
    assert done.code == 2
    assert f"{tmp_path / 'm'} is not a treegauge model, or is truncated" in done.err
    assert not out.exists()


def test_a_model_and_no_file(command, folder, tmp_path):
    done = command("parse", tmp_path / "m", tmp_path / "none", "--out", tmp_path / "parsed")
    assert (done.code, "no such file" in done.err) == (2, True)
    assert read_conllu(folder / "sy_x-ud-test.conllu") == TEST
