"""``treegauge train``, ``parse`` and ``parsers``."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest

from treegauge.parsers.perceptron.parser import BeamParser, Options
from treegauge.parsers.registry import PARSERS, load_model
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.conllu import parse_conllu, read_conllu, write_conllu
from treegauge.treebanks.trees import is_tree

TRAIN, DEV, TEST = (synthetic(count, seed=seed) for count, seed in ((40, 1), (10, 2), (10, 3)))


@pytest.fixture
def folder(tmp_path):
    """A treebank's folder."""
    root = tmp_path / "UD_Syn-X"
    root.mkdir()
    for part, treebank in (("train", TRAIN), ("dev", DEV), ("test", TEST)):
        write_conllu(treebank, root / f"sy_x-ud-{part}.conllu")
    return root


def test_train_and_parse(command, folder, tmp_path):
    model, out = tmp_path / "m.model", tmp_path / "parsed.conllu"
    train = folder / "sy_x-ud-train.conllu"
    done = command("train", "beam", train, "--out", model, "-o", "epochs=2", "--seed", 5)
    assert (done.code, done.out) == (0, "")
    assert f"{model}: beam trained on 40 sentences of sy_x-ud-train in " in done.err
    expected = BeamParser(Options(epochs=2)).fit(TRAIN, seed=5).parse(TEST)
    test = folder / "sy_x-ud-test.conllu"
    assert command("parse", model, test, "--out", out).code == 0
    assert out.read_bytes() == expected.to_bytes()
    assert command("parse", model, "-", stdin=test.read_bytes()).out.encode() == out.read_bytes()


def test_text_without_heads_is_parsed(command, folder, tmp_path):
    command("train", "beam", folder, "--out", tmp_path / "m", "-o", "epochs=1")
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
    command("train", "beam", folder, "--out", tmp_path / "m", "-o", "epochs=1")
    rows = [f"{i}\ta\ta\tNOUN\t_\t_\t{head}\tdep\t_\t_\n" for i, head in enumerate(heads, 1)]
    done = command("parse", tmp_path / "m", "-", stdin="".join([*rows, "\n"]).encode())
    assert (done.code, done.err) == (0, "")
    assert is_tree(parse_conllu(done.out).head)[0]


def test_what_cannot_be_read_is_an_error_or_left_out(command, folder, tmp_path):
    command("train", "beam", folder, "--out", tmp_path / "m", "-o", "epochs=1")
    torn = b"1\ta\n\n" + TEST.to_bytes()
    done = command("parse", tmp_path / "m", "-", stdin=torn)
    assert (done.code, done.out) == (2, "")
    assert "--errors skip|repair" in done.err
    done = command("parse", tmp_path / "m", "-", "--errors", "skip", stdin=torn)
    assert len(parse_conllu(done.out)) == len(TEST)


@pytest.mark.parametrize(
    ("place", "message"),
    [("none/m", "there is no folder {}/none"), (".", "is a folder; expected the name of a file")],
)
def test_a_bad_place_is_refused_before_training(command, folder, tmp_path, place, message):
    told = []
    entry = replace(PARSERS["beam"], compiled=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PARSERS, "beam", entry)
        patch.setattr(BeamParser, "fit", lambda *args, **options: told.append(args))
        done = command("train", "beam", folder, "--out", tmp_path / place)
    assert (done.code, told) == (2, [])
    assert message.format(tmp_path) in done.err


def test_a_folder_brings_its_dev_part(command, folder, tmp_path, monkeypatch):
    given, fit = [], BeamParser.fit

    def watched(self, train, dev=None, **options):
        given.append(dev)
        return fit(self, train, dev, **options)

    monkeypatch.setattr(BeamParser, "fit", watched)
    for name, *more in (("a",), ("b", "--dev", folder / "sy_x-ud-dev.conllu")):
        source = folder if name == "a" else folder / "sy_x-ud-train.conllu"
        assert command("train", "beam", source, "--out", tmp_path / name, *more).code == 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert [dev for dev in given if dev is not None] == [DEV, DEV]  # warming up has none
    best = BeamParser().fit(TRAIN, DEV, seed=0)
    assert load_model(tmp_path / "a").parse(TEST) == best.parse(TEST)


def test_the_bar_tells_of_compilation(command, folder, tmp_path, bars):
    assert command("train", "beam", folder, "--out", tmp_path / "m", "-o", "epochs=1").code == 0
    assert any("compiling kernels" in column for column in bars[0])
    assert "epochs" in bars[1]
    assert command("parse", tmp_path / "m", folder / "sy_x-ud-test.conllu").code == 0
    assert any("compiled on first use" in column for column in bars[2])


def test_kernels_are_compiled_for_the_options_given(command, folder, tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(BeamParser, "__init__", lambda self, how: told.append(how))
    monkeypatch.setattr(BeamParser, "fit", lambda self, *args, **options: Untrained())
    args = ("-o", "epochs=7", "-o", "labelled=false", "-o", "beam=3")
    command("train", "beam", folder, "--out", tmp_path / "m", *args)
    wanted = Options(beam=3, labelled=False)
    assert told == [replace(wanted, epochs=7), replace(wanted, epochs=1)]


class Untrained:
    """A model that learned nothing."""

    def parse(self, treebank):
        return treebank

    def save(self, path):
        return None


def test_parsers_are_listed_with_their_options(command):
    text = command("parsers").out
    for name, entry in PARSERS.items():
        assert f"{name}: {entry.paradigm}" in text
    assert "  beam=8  states kept at each step" in text
    rows = json.loads(command("parsers", "--format", "json").out)["parsers"]
    beam = [row for row in rows if row["parser"] == "beam"]
    assert {row["option"] for row in beam} == set(Options.__dataclass_fields__)
    assert {row["paradigm"] for row in beam} == {"transitions"}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["bean", "{train}"], "unknown parser 'bean'; did you mean 'beam'?"),
        (["beam", "{train}", "-o", "epoch=3"], "unknown option 'epoch=3'; did you mean 'epochs="),
        (["beam", "{train}", "-o", "epochs"], "unknown option 'epochs'"),
        (["beam", "{train}", "-o", "epochs=many"], "option epochs is 'many'"),
        (["beam", "{train}", "-o", "beam=0"], "option beam is 0; expected a whole number from 1"),
        (["beam", "{train}", "-o", "labelled=maybe"], "choices: true, yes, 1, false, no, 0"),
        (["mst", "{train}", "--seed", "-3"], "greater than or equal to 0"),
        (["beam", "{missing}"], "no such file"),
        (["beam", "{empty}"], "no words to learn from"),
        (["beam", "{roots}"], "several-roots: found"),
        (["beam", "{cycle}"], "cycle: found"),
    ],
)
def test_bad_requests_write_nothing(command, folder, tmp_path, args, message):
    row = "{}\ta\ta\tX\t_\t_\t{}\tdep\t_\t_\n"
    (tmp_path / "roots").write_text(row.format(1, 0) + row.format(2, 0) + "\n")
    text = row.format(1, 0) + row.format(2, 3) + row.format(3, 2) + "\n"
    (tmp_path / "cycle").write_text(text)
    (tmp_path / "empty").write_text("")
    names = ("missing", "empty", "roots", "cycle")
    paths = {name: tmp_path / name for name in names} | {"train": folder / "sy_x-ud-train.conllu"}
    before = sorted(tmp_path.iterdir())
    done = command("train", *(arg.format(**paths) for arg in args), "--out", tmp_path / "out")
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert sorted(tmp_path.iterdir()) == before


def test_mended_files_can_be_learned_from(command, tmp_path):
    row = "{}\ta\ta\tX\t_\t_\t{}\tdep\t_\t_\n"
    (tmp_path / "roots.conllu").write_text(row.format(1, 0) + row.format(2, 0) + "\n")
    args = ("train", "beam", tmp_path / "roots.conllu", "--out", tmp_path / "m")
    assert command(*args, "--errors", "repair").code == 0
    assert "no words to learn from" in command(*args, "--errors", "skip").err


def array():
    file = io.BytesIO()
    np.save(file, np.arange(3))
    return file.getvalue()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", array(), b"1\tnot a model\n"])
def test_what_is_no_model(command, folder, tmp_path, content):
    (tmp_path / "m").write_bytes(content)
    out = tmp_path / "parsed"
    done = command("parse", tmp_path / "m", folder / "sy_x-ud-test.conllu", "--out", out)
    assert done.code == 2
    assert f"{tmp_path / 'm'} is not a model of treegauge, or is cut off" in done.err
    assert not out.exists()


def test_a_model_and_no_file(command, folder, tmp_path):
    command("train", "beam", folder, "--out", tmp_path / "m", "-o", "epochs=1")
    done = command("parse", tmp_path / "m", tmp_path / "none", "--out", tmp_path / "parsed")
    assert (done.code, "no such file" in done.err) == (2, True)
    assert read_conllu(folder / "sy_x-ud-test.conllu") == TEST
