"""UDPipe: training, options, hidden gold trees, and errors."""

import os
import pickle
import sys
from dataclasses import fields

import numpy as np
import pytest

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.parsing.options import read_options
from treegauge.parsing.programs.udpipe import UDPipeModel, UDPipeParser, errors_to_log
from treegauge.parsing.programs.udpipe_settings import ORACLES, PUBLISHED, UDPipeOptions, udpipe_values
from treegauge.parsing.registry import load_model, make_parser
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu

QUICK = {"preset": "sized", "iterations": 4, "hidden_layer": 24}
TRAIN, DEV, TEST = (synthetic(n, seed=seed) for n, seed in ((120, 1), (20, 2), (40, 3)))


def fit(train=TRAIN, dev=None, seed=0, **options):
    return UDPipeParser(UDPipeOptions(**QUICK | options)).fit(train, dev, seed=seed)


def uas(model, treebank=TEST):
    return np.mean(model.parse(treebank).head == treebank.head)


@pytest.fixture(scope="module")
def model():
    return fit()


def test_it_learns_far_more_than_attaching_to_neighbours(model):
    result = model.parse(TEST)
    left = np.maximum(TEST.positions - 1, 0)
    assert uas(model) > 0.6 > np.mean(left == TEST.head)
    labelled = (result.head == TEST.head) & (result["deprel"] == TEST["deprel"]).to_numpy()
    assert labelled.mean() > 0.5
    assert trees.is_tree(result.head, result.offsets).all()


def test_gold_trees_are_not_seen(model):
    first = synthetic(40, seed=3).with_columns(
        {"head": np.where(TEST.positions == 1, 0, 1), "deprel": ["root" if p == 1 else "dep" for p in TEST.positions]}
    )
    assert model.parse(first) == model.parse(TEST)
    unparsed = parse_conllu(
        b"".join(
            b"\t".join([*(f := line.split(b"\t"))[:6], b"_", b"_", *f[8:]]) if line[:1].isdigit() else line
            for line in TEST.to_bytes().splitlines(keepends=True)
        ),
        need_heads=False,
    )
    parsed = model.parse(unparsed)
    assert parsed.head.tolist() == model.parse(TEST).head.tolist()


def test_tags_are_seen(model):
    other = TEST.with_columns({"upos": ["X"] * TEST.n_words, "feats": ["_"] * TEST.n_words})
    assert uas(model, other) < uas(model) - 0.1


def test_everything_else_stays(model):
    treebank = synthetic(20, Grammar(contractions=0.8), seed=4)
    restored = model.parse(treebank).with_columns({"head": treebank.head, "deprel": treebank["deprel"]})
    assert restored.to_bytes() == treebank.to_bytes()


def test_saved_and_loaded(model, tmp_path):
    model.save(tmp_path / "m")
    loaded = load_model(tmp_path / "m")
    assert loaded.parse(TEST) == model.parse(TEST)
    assert loaded.options == model.options
    assert pickle.loads(pickle.dumps(model)).parse(TEST) == model.parse(TEST)
    (tmp_path / "m.udpipe").write_bytes(model.data)
    assert UDPipeModel.from_udpipe(tmp_path / "m.udpipe").parse(TEST) == model.parse(TEST)


def test_same_seed_same_bytes_and_another_seed_another_model(tmp_path):
    small = TRAIN[:40]
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        fit(small, seed=seed, iterations=1).save(tmp_path / name)
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b != c


def test_terminals_stay_clean_and_the_log_is_kept(capfd, model):
    made = fit(TRAIN[:40], DEV, iterations=2)
    assert capfd.readouterr() == ("", "")
    assert "heldout UAS" in made.log
    assert "early_stopping=1" in made.log
    assert "heldout" not in model.log
    assert "early_stopping=0" in fit(TRAIN[:40], DEV, early_stopping=False, iterations=1).log


def test_python_errors_survive_the_redirection(capfd, tmp_path):
    with pytest.raises(ZeroDivisionError), errors_to_log(tmp_path / "log"):
        os.write(2, b"hidden")
        raise ZeroDivisionError
    print("shown", file=sys.stderr)
    assert capfd.readouterr() == ("", "shown\n")


def test_on_epoch_is_called_once_at_the_end():
    calls = []
    made = UDPipeParser(UDPipeOptions(**QUICK)).fit(
        TRAIN[:20], seed=0, on_epoch=lambda epoch, model: calls.append((epoch, model))
    )
    assert calls == [(4, made)]


# options


def test_what_the_library_is_told(model):
    assert "iterations=4, hidden_layer=24, batch_size=10" in model.log
    assert "system=projective, oracle=dynamic, structured_interval=0, single_root=1" in model.log
    assert "upostag=12, feats=12, xpostag=0, form=32, lemma=0, deprel=12" in model.log


def test_published_settings():
    assert len(PUBLISHED) == 68
    shared = udpipe_values(UDPipeOptions(), sentences=1, words=1)
    assert (shared["iterations"], shared["hidden_layer"], shared["embedding_form"]) == (30, 200, 50)
    tr, ug, el, ta = (
        udpipe_values(UDPipeOptions(treebank=code), sentences=1, words=1) for code in ("tr", "ug", "el", "ta")
    )
    keys = ("transition_system", "transition_oracle", "learning_rate", "l2", "structured_interval")
    assert [tr[key] for key in keys] == ["projective", "dynamic", 0.01, 0.3, 8]
    assert [ug[key] for key in keys] == ["swap", "static_lazy", 0.02, 0.3, 8]
    assert [el[key] for key in keys] == ["link2", "static", 0.02, 0.3, 8]
    assert [ta[key] for key in keys] == ["projective", "static", 0.02, 0.3, 8]
    for values in PUBLISHED.values():
        assert values["transition_oracle"] in ORACLES[values["transition_system"]]


@pytest.mark.parametrize(
    ("sentences", "words", "hidden", "iterations"),
    [(500, 2400, 100, 10), (500, 5150, 64, 10), (500, 12500, 32, 5), (10, 48, 100, 30), (50, 240, 100, 20)],
)
def test_the_sized_preset_follows_the_data(sentences, words, hidden, iterations):
    values = udpipe_values(UDPipeOptions(preset="sized"), sentences=sentences, words=words)
    assert (values["hidden_layer"], values["iterations"]) == (hidden, iterations)


def test_set_values_win():
    values = udpipe_values(
        UDPipeOptions(treebank="el", transition_system="swap", l2=0, iterations=2), sentences=9, words=99
    )
    assert (values["transition_oracle"], values["l2"], values["iterations"]) == ("static_lazy", 0, 2)
    asked = read_options(UDPipeOptions, ["learning_rate=0.05", "hidden_layer=7", "tags=mixed"])
    assert (asked.learning_rate, asked.hidden_layer, asked.tags) == (0.05, 7, "mixed")


def test_all_systems_train():
    for system, oracles in ORACLES.items():
        for oracle in oracles:
            made = fit(TRAIN[:20], iterations=1, transition_system=system, transition_oracle=oracle)
            assert f"system={system}, oracle={oracle}" in made.log


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nonsense": 3}, "unknown option of udpipe 'nonsense'"),
        ({"iteration": 3}, "did you mean 'iterations'"),
        ({"preset": "slow"}, "choices: ud2.0, fast, sized, library"),
        ({"treebank": "xx"}, "unknown value of option treebank"),
        ({"preset": "fast", "treebank": "el"}, "goes with preset=ud2.0"),
        ({"iterations": 1.5}, "expected a whole number"),
        ({"beam": 0}, "expected a whole number from 1"),
        ({"embedding_form_file": "a;iterations=1"}, "no ';'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(TreegaugeError, match=message):
        make_parser("udpipe", **options)


def test_an_oracle_of_another_system():
    with pytest.raises(ChoiceError, match="unknown transition_oracle of swap 'dynamic'"):
        fit(transition_system="swap", transition_oracle="dynamic")


def test_options_are_all_known_to_the_library():
    """What is not passed on is ours; everything else is passed on under the library's names."""
    ours = {"preset", "treebank", "tags", "beam", "early_stopping", "tagger_iterations"}
    passed = udpipe_values(UDPipeOptions(embedding_form_file="x"), sentences=1, words=1)
    assert {one.name for one in fields(UDPipeOptions)} == ours | set(passed)


# bad input


def treebank(*rows, **options):
    lines = [f"{i}\tw\tw\tX\t_\t_\t{head}\t{rel}\t_\t_" for i, (head, rel) in enumerate(rows, 1)]
    return parse_conllu("\n".join([*lines, "", ""]), **options)


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (treebank((0, "root")), "different from 'root' must exist.*\n.*at least two words"),
        (treebank((0, "root:x"), (1, "dep")), "must have 'root' deprel.*\n.*without a subtype"),
        (treebank((0, "root"), (1, "root")), "any non-root cannot.*\n.*another relation"),
        (treebank((0, "root"), (0, "root"), allow=["several-roots"]), "not a tree with one root"),
        (treebank((2, "a"), (1, "b"), allow=["cycle", "no-root"]), "not a tree with one root"),
        (TRAIN[:0], "no words to train on"),
    ],
)
def test_bad_train_files(train, message, capfd):
    with pytest.raises(TreegaugeError, match=message):
        fit(train)
    assert capfd.readouterr().err == ""


def test_a_bad_dev_file():
    with pytest.raises(TreegaugeError, match="not a tree with one root"):
        fit(dev=treebank((0, "root"), (0, "root"), allow=["several-roots"]))


def test_a_sentence_of_600_words():
    long = treebank((0, "root"), *[(i, "dep") for i in range(1, 600)])
    parsed = fit(long, iterations=1).parse(long)
    assert trees.is_tree(parsed.head).all()


def test_a_missing_file_of_vectors():
    with pytest.raises(TreegaugeError, match=r"Cannot load.*\nhint: give embedding_form_file"):
        fit(embedding_form_file="/no/such/file")


def test_vectors_of_forms_are_used(tmp_path):
    file = tmp_path / "v.txt"
    forms = sorted({form.lower() for form in TRAIN["form"]})
    rows = [f"{form} {' '.join(['0.1'] * 32)}" for form in forms]
    file.write_text("\n".join([f"{len(forms)} 32", *rows, ""]))
    log = fit(iterations=1, embedding_form_file=str(file)).log
    assert f"Initialized 'form' embedding with {len(forms)}," in log


def test_what_is_no_model(tmp_path):
    (tmp_path / "x").write_bytes(b"garbage")
    with pytest.raises(TreegaugeError, match="not a model that UDPipe can load"):
        UDPipeModel.from_udpipe(tmp_path / "x")
    with pytest.raises(TreegaugeError, match="cannot read the model: No such file"):
        UDPipeModel.from_udpipe(tmp_path / "y")


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ufal.udpipe", None)
    with pytest.raises(TreegaugeError, match=r"pip install 'treegauge\[udpipe\]'"):
        make_parser("udpipe")


def test_sentences_without_tags_are_tagged_or_refused(tmp_path):
    """Only a model that learned without tags, or has a tagger, parses them."""
    train, test = synthetic(20, seed=1), synthetic(5, seed=2)
    raw_train, raw = (one.with_columns({"upos": ["_"] * one.n_words}) for one in (train, test))
    small = {"preset": "fast", "iterations": 1, "hidden_layer": 8, "tagger_iterations": 1}

    def fit(treebank, tags):
        return UDPipeParser(UDPipeOptions(**small, tags=tags)).fit(treebank, seed=0)

    with pytest.raises(TreegaugeError, match="has no UPOS tags"):
        fit(train, "gold").parse(raw)
    mixed = fit(train, "mixed").parse(raw)
    assert "_" not in set(mixed["upos"])
    tagless = fit(raw_train, "gold")
    tagless.save(tmp_path / "m.model")
    heads = load_model(tmp_path / "m.model").parse(raw).head.tolist()
    assert heads == tagless.parse(raw).head.tolist()


def test_a_tagger_of_udpipe_is_named_and_its_tags_are_written(command, tmp_path):
    for name, treebank in (("train", synthetic(20, seed=1)), ("test", synthetic(5, seed=2))):
        write_conllu(treebank, tmp_path / f"{name}.conllu")
    small = ["iterations=1", "hidden_layer=8", "tagger_iterations=1", "tags=predicted"]
    done = command(
        "train", "udpipe", tmp_path / "train.conllu", "--out", tmp_path / "m", "--preset", "fast",
        *(word for value in small for word in ("--option", value)),
    )  # fmt: skip
    assert "a tagger is part of the model; it tags the training set\n" in done.err
    done = command("parse", tmp_path / "m", tmp_path / "test.conllu", "--write-tags")
    assert "the model's own tagger tags all" in done.err
    assert "its tags are written" in done.err
    assert done.out == command("parse", tmp_path / "m", tmp_path / "test.conllu").out
