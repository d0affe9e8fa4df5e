"""``treegauge train``: files, folders and names in, a model out."""

import json
import re
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from treegauge.cli import commands as output
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import listening
from treegauge.parsing.beam import BeamParser
from treegauge.parsing.beam_model import BeamOptions
from treegauge.parsing.probabilities.held_out import hold_out
from treegauge.parsing.registry import load_model
from treegauge.parsing.train import train
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_conllu, write_conllu

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
    done = command("train", "beam", train, "--out", model, "--option", "epochs=2", "--seed", 5)
    assert done.code == 0
    assert "m.model" in done.out
    expected, *_, actual, wrote = done.err.splitlines()
    assert wrote == f"wrote {model}"
    assert expected == f"training beam on 40 sentences ({TRAIN.n_words} words)"
    assert re.fullmatch(r"trained beam in \d+\.\d s", actual)
    expected = BeamParser(BeamOptions(epochs=2)).fit(TRAIN, seed=5).parse(TEST)
    test = folder / "sy_x-ud-test.conllu"
    assert command("parse", model, test, "--out", out).code == 0
    assert out.read_bytes() == expected.to_bytes()
    assert command("parse", model, "-", stdin=test.read_bytes()).out.encode() == out.read_bytes()


@pytest.mark.parametrize(
    ("place", "message"), [("none/m", "there is no folder {}/none"), (".", "is a folder; expected the name of a file")]
)
def test_a_bad_place_is_refused_before_training(command, folder, tmp_path, place, message):
    told = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BeamParser, "fit", lambda *args, **options: told.append(args))
        done = command("train", "beam", folder, "--out", tmp_path / place)
    assert (done.code, told) == (2, [])
    assert message.format(tmp_path) in done.err


def test_a_folder_brings_its_dev_set(command, folder, tmp_path, monkeypatch):
    given, fit = [], BeamParser.fit

    def watched(self, train, dev=None, **options):
        given.append(dev)
        return fit(self, train, dev, **options)

    monkeypatch.setattr(BeamParser, "fit", watched)
    for name, *more in (("a",), ("b", "--dev", folder / "sy_x-ud-dev.conllu")):
        source = folder if name == "a" else folder / "sy_x-ud-train.conllu"
        args = ("--out", tmp_path / name, "--calibrate", "none", "--option", "epochs=2", *more)
        assert command("train", "beam", source, *args).code == 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert given == [DEV, DEV]
    best = BeamParser(BeamOptions(epochs=2)).fit(TRAIN, DEV, seed=0)
    assert load_model(tmp_path / "a").parse(TEST) == best.parse(TEST)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["bean", "{train}"], "unknown parser 'bean'; did you mean 'beam'?"),
        (["beam", "{train}", "--option", "epoch=3"], "unknown option 'epoch=3'; did you mean 'epochs'"),
        (["beam", "{train}", "--option", "epochs"], "unknown option 'epochs'"),
        (["beam", "{train}", "--option", "epochs=many"], "option epochs is 'many'"),
        (["beam", "{train}", "--option", "beam=0"], "option beam is 0; expected a whole number from 1"),
        (["beam", "{train}", "--option", "labelled=maybe"], "choices: true, yes, 1, false, no, 0"),
        (["mst", "{train}", "--seed", "-3"], "seed: expected"),
        (["beam", "{missing}"], "no such file"),
        (["beam", "{empty}"], "no words to train on"),
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


def test_repaired_files_can_be_learned_from(command, tmp_path):
    row = "{}\ta\ta\tX\t_\t_\t{}\tdep\t_\t_\n"
    (tmp_path / "roots.conllu").write_text(row.format(1, 0) + row.format(2, 0) + "\n")
    args = ("train", "beam", tmp_path / "roots.conllu", "--out", tmp_path / "m")
    assert command(*args, "--errors", "repair").code == 0
    assert "no words to train on" in command(*args, "--errors", "skip").err


def test_a_treebank_by_name_and_by_code(ud, tmp_path, monkeypatch):
    """TREEGAUGE_UD was ignored by ``train UD_Greek-GDT``."""
    monkeypatch.setenv("TREEGAUGE_UD", str(ud))
    options = {"epochs": 1, "lexical": False}
    made = {
        name: train("mst", name, out=tmp_path / "m", option=options)
        for name in ("UD_Marathi-UFAL@2.9", "mr_ufal@2.9", ud / "r2.9" / "UD_Marathi-UFAL")
    }
    digests = {one.signature.rpartition("#")[2] for one in made.values()}
    assert len(digests) == 1
    row = made["mr_ufal@2.9"].table.row(0, named=True)
    assert (row["treebank"], row["sentences"], row["dev"]) == ("UD_Marathi-UFAL@2.9/train", 373, 46)


def test_python_and_the_command_make_the_same_model(command, folder, tmp_path):
    done = command("train", "mst", folder, "-o", tmp_path / "a", "--option", "epochs=2")
    assert done.code == 0
    trained = train("mst", folder, out=tmp_path / "b", option={"epochs": 2})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert trained.model.parse(TEST) == load_model(tmp_path / "a").parse(TEST)
    assert "|options:epochs=2|" in trained.signature
    with pytest.raises(ChoiceError, match="did you mean 'epochs'"):
        train("mst", folder, out=tmp_path / "c", option={"epoch": 2})


@pytest.fixture
def without_dev(folder):
    """A treebank's folder without a dev set."""
    (folder / "sy_x-ud-dev.conllu").unlink()
    return folder


TINY = {
    "epochs": 1, "hidden": 8, "layers": 1, "word_size": 8, "char_size": 4, "tag_size": 4,
    "arc_size": 8, "relation_size": 4, "device": "cpu",
}  # fmt: skip


def test_a_fifth_of_training_is_held_out_where_there_is_no_dev_set(without_dev, tmp_path):
    pytest.importorskip("torch")
    heard = Heard()
    with listening(heard):
        made = train("biaffine", without_dev, out=tmp_path / "a", option=TINY, seed=4)
    row = made.rows[0]
    assert (row["sentences"], row["dev"]) == (32, 8)
    assert "|held_out:0.2|" in made.signature
    assert any(str(said).startswith("no dev set: 8 of 40 training") for said in heard.said)
    learned, held = hold_out(TRAIN, 0.2, seed=4)
    assert len(learned) + len(held) == len(TRAIN)
    assert sorted([*learned["form"], *held["form"]]) == sorted(TRAIN["form"])
    again = train("biaffine", without_dev, out=tmp_path / "b", option=TINY, seed=4)
    assert again.signature == made.signature
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    whole = train("biaffine", without_dev, out=tmp_path / "c", option=TINY, held_out=0)
    assert (whole.rows[0]["sentences"], whole.rows[0]["dev"]) == (40, 0)


def test_other_parsers_learn_from_all_unless_asked(without_dev, folder, tmp_path):
    assert train("beam", without_dev, out=tmp_path / "a").rows[0]["sentences"] == 40
    asked = train("mst", without_dev, out=tmp_path / "b", held_out=0.5).rows[0]
    assert (asked["sentences"], asked["dev"]) == (20, 20)
    with pytest.raises(TreegaugeError, match=r"held-out is 1\.5; expected a share"):
        train("beam", without_dev, out=tmp_path / "c", held_out=1.5)
    with pytest.raises(TreegaugeError, match="too few to hold some out"):
        train("beam", TRAIN[:1], out=tmp_path / "c", held_out=0.2)


def test_a_dev_set_with_the_training_sentences_is_reported(tmp_path, caplog):
    with caplog.at_level("INFO", "treegauge"):
        train("mst", TRAIN, dev=TRAIN, out=tmp_path / "m", option=["epochs=1"])
    assert "is the training set: early stopping and calibration need" in caplog.text


def test_a_file_without_words_is_refused_by_every_parser(tmp_path):
    (tmp_path / "empty.conllu").write_text("")
    for parser in ("mst", "biaffine"):
        with pytest.raises(TreegaugeError, match="empty has no words to train on"):
            train(parser, tmp_path / "empty.conllu", out=tmp_path / "m")


def test_nothing_is_held_out_beside_a_dev_set(tmp_path, caplog):
    with caplog.at_level("INFO", "treegauge"):
        made = train("mst", TRAIN, dev=DEV, out=tmp_path / "m", held_out=0.5, option={"epochs": 1})
    assert made.rows[0]["sentences"] == 40
    assert f"nothing is held out: {DEV.name} is the dev set" in caplog.messages


class Heard:
    """A listener that writes down what it hears."""

    def __init__(self):
        self.said = []

    def note(self, text):
        self.said.append(text)

    @contextmanager
    def task(self, what, total):
        said = self.said

        class Task:
            done = 0

            def update(self, done, total=None):
                self.done = done
                said.append((what, done))

            def advance(self, amount=1):
                self.update(self.done + amount)

        said.append((what, 0, total))
        yield Task()


@pytest.mark.parametrize(
    ("parser", "option", "what"),
    [("beam", {"epochs": 3}, "epochs"), ("mst", {"epochs": 3}, "epochs"),
     ("udpipe", {"preset": "fast", "iterations": 3}, "iterations of UDPipe")],
)  # fmt: skip
def test_progress_is_shown_while_a_parser_learns(tmp_path, parser, option, what):
    heard = Heard()
    with listening(heard):
        shown = train(parser, TRAIN, out=tmp_path / "a", option=option)
    assert (what, 0, 3) in heard.said
    assert (what, 3) in heard.said
    silent = train(parser, TRAIN, out=tmp_path / "b", option=option)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert shown.signature == silent.signature


def test_a_log_says_how_long_it_takes(command, folder, tmp_path, monkeypatch):
    """UDPipe trained for 36 minutes with nothing in a redirected log."""
    monkeypatch.setattr(output, "PAUSE", 0.0)
    options = ("--option", "preset=fast", "--option", "iterations=2")
    done = command("train", "udpipe", folder, "-o", tmp_path / "m", *options)
    assert done.code == 0, done.err
    assert re.search(r"^iterations of UDPipe: \d of 2.*s so far\)$", done.err, re.M)


SCRIPT = Path(__file__).with_name("external_parser.py")


@pytest.fixture
def files(folder):
    """A file to learn from and one to parse."""
    return folder / "sy_x-ud-train.conllu", folder / "sy_x-ud-test.conllu"


def test_an_external_parser(command, files, tmp_path, monkeypatch):
    train, test = files
    own = tmp_path / "parsers.toml"
    own.write_text(
        f"""
        [mine]
        program = {json.dumps(str(SCRIPT))}
        train = [[{json.dumps(sys.executable)}, "{{program}}", "train", "{{train}}", "{{model}}"]]
        parse = [[{json.dumps(sys.executable)}, "{{program}}", "parse", "{{model}}", "{{input}}",
                  "{{output}}"]]
        """
    )
    monkeypatch.setenv("TREEGAUGE_PARSERS", str(own))
    assert "template=mine" in command("train", "--list", "command").out
    model, out = tmp_path / "m", tmp_path / "parsed.conllu"
    assert command("train", "command", train, "--out", model, "--option", "template=mine").code == 0
    assert command("parse", model, test, "--trust", "--out", out).code == 0
    parsed = read_conllu(out)
    assert parsed["form"].to_list() == TEST["form"].to_list()
    assert parsed.head.tolist() != TEST.head.tolist()


def test_a_program_that_fails_leaves_nothing(command, files, tmp_path, monkeypatch):
    own = tmp_path / "parsers.toml"
    words = json.dumps([sys.executable, str(SCRIPT), "die"])
    own.write_text(f'[mine]\ntrain = [{words}]\nparse = [["true"]]\n')
    monkeypatch.setenv("TREEGAUGE_PARSERS", str(own))
    done = command("train", "command", files[0], "--out", tmp_path / "m", "--option", "template=mine")
    assert done.code == 2
    _, error, _ = done.err.splitlines()
    assert error == "error: mine (training) ended with status 3; its last messages:"
    assert not (tmp_path / "m").exists()


def test_udpipe(command, files, tmp_path):
    train, test = files
    model = tmp_path / "m"
    done = command("train", "udpipe", train, "--out", model, "--option", "preset=fast", "--option", "iterations=1")
    assert done.code == 0
    assert command("parse", model, test).out.count("\n") == TEST.to_bytes().count(b"\n")
