"""``treegauge tag``: copies of files with predicted tags."""

import json

import pytest

from treegauge.cli import commands as output
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.parsing.tag import tag
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_conllu, write_conllu

GRAMMAR = Grammar(vocabulary=60, contractions=0.3)
TRAIN, TEST = (synthetic(n, GRAMMAR, seed=seed) for n, seed in ((40, 1), (15, 2)))


@pytest.fixture
def files(tmp_path):
    for name, treebank in (("train", TRAIN), ("test", TEST)):
        write_conllu(treebank, tmp_path / f"{name}.conllu")
    return tmp_path / "train.conllu", tmp_path / "test.conllu"


def test_other_files_are_tagged(command, files, tmp_path, monkeypatch):
    monkeypatch.setattr(output, "PAUSE", 1e9)  # a busy machine may take long
    train, test = files
    out = tmp_path / "out"
    done = command("tag", train, test, "--out", out, "--folds", 0, "--iterations", 1, "--format", "json")
    assert (done.code, done.err) == (0, f"wrote {out}\n")
    (row,) = json.loads(done.out)["rows"]
    copy = read_conllu(out / "test.conllu")
    assert row["upos"] == pytest.approx(100 * (copy["upos"] == TEST["upos"]).mean())
    assert [path.name for path in out.iterdir()] == ["test.conllu"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--columns", "upos,head"], "unknown column to predict 'head'"),
        (["--folds", "1"], "folds"),
        (["--folds", "0"], "nothing to tag"),
    ],
)
def test_bad_requests_write_nothing(command, files, tmp_path, args, message):
    done = command("tag", files[0], "--out", tmp_path / "out", *args)
    assert done.code == 2
    assert message in done.err
    assert not (tmp_path / "out").exists()


def test_standard_input_gets_a_name(command, tmp_path):
    out = tmp_path / "out"
    args = ("tag", "-", "--out", out, "--folds", 2, "--iterations", 1)
    assert command(*args, stdin=TRAIN[:10].to_bytes()).code == 0
    assert [path.name for path in out.iterdir()] == ["stdin.conllu"]


def test_files(tmp_path):
    folder, out = tmp_path / "UD_X-Y", tmp_path / "out"
    folder.mkdir()
    for part, treebank in (("train", TRAIN), ("test", TEST)):
        write_conllu(treebank, folder / f"x_y-ud-{part}.conllu")
    result = tag(folder, out=out, folds=2, iterations=1)
    assert result.table["tagged"].to_list() == ["by 2 folds", "by train"]
    for part, gold, row in (("train", TRAIN, 0), ("test", TEST, 1)):
        copy = read_conllu(out / f"x_y-ud-{part}.conllu")
        assert copy.with_columns({"upos": gold["upos"]}).to_bytes() == gold.to_bytes()
        right = 100 * (copy["upos"] == gold["upos"]).mean()
        assert result.table["upos"][row] == pytest.approx(right)
        assert 60 < right < 100
    assert "|folds:2|iterations:1|seed:0|" in result.signature
    with pytest.raises(TreegaugeError, match="would be overwritten"):
        tag(folder, out=folder)


def test_unknown_columns_are_refused_before_any_work(tmp_path):
    with pytest.raises(ChoiceError):
        tag("none.conllu", out=tmp_path, columns=["head"])


def test_trees_are_not_looked_at(tmp_path):
    """Files without heads, or with cycles, are tagged as well."""
    found = {}
    for name, head in (("none", "_"), ("cycles", "1")):
        lines = [line.split("\t") for line in TRAIN[:10].to_bytes().decode().split("\n")]
        for fields in lines:
            if fields[0].isdecimal():
                fields[6] = head
        source = tmp_path / f"{name}.conllu"
        source.write_text("\n".join(map("\t".join, lines)))
        tag(source, out=tmp_path / "out", folds=2, iterations=1)
        copy = (tmp_path / "out" / source.name).read_text()
        found[name] = [line.split("\t")[3:4] for line in copy.split("\n")]
    assert found["none"] == found["cycles"]


def test_a_place_that_is_no_folder_is_refused_before_any_work(tmp_path):
    (tmp_path / "file").touch()
    write_conllu(TRAIN, tmp_path / "train.conllu")
    with pytest.raises(TreegaugeError, match="is a file; expected a folder"):
        tag(tmp_path / "train.conllu", out=tmp_path / "file", folds=2, iterations=1)


def test_the_perceptron_tags_as_parsers_do(files, tmp_path):
    from treegauge.parsing.tag_sources import learn_tags

    train, test = files
    done = tag(train, test, out=tmp_path / "out", tagger="perceptron", iterations=10)
    source, tagged, held = learn_tags("predicted", read_conllu(train), read_conllu(test), seed=0)
    assert source.tagger is not None
    for name, expected in (("train", tagged), ("test", held)):
        copy = read_conllu(tmp_path / "out" / f"{name}.conllu")
        assert copy["upos"].to_list() == expected["upos"].to_list()
    assert "tagger:perceptron" in done.signature
    with pytest.raises(TreegaugeError, match="predicts UPOS only"):
        tag(train, out=tmp_path / "no", tagger="perceptron", columns="upos,feats")
