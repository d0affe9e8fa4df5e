"""``treegauge synthesise`` and ``tg.synthesise``: treebanks from parameters of a grammar."""

import pytest

import treegauge as tg
from treegauge.testing.synthesise import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu


def test_the_treebank_of_a_seed(command):
    done = command("synthesise", 5, "--seed", 9)
    assert (done.code, done.err) == (0, "")
    assert done.out.encode() == synthetic(5, seed=9).to_bytes()
    assert command("synthesise", 5, "--seed", 8).out != done.out


def test_parameters_of_the_grammar(command):
    options = {"length": 5, "basic-order": "VSO", "label-noise": 0.5}
    given = [word for name, value in options.items() for word in (f"--{name}", value)]
    done = command("synthesise", 20, *given)
    grammar = Grammar(length=5, basic_order="VSO", label_noise=0.5)
    assert done.out.encode() == synthetic(20, grammar, seed=0).to_bytes()
    assert "TrueHead=" in done.out
    assert len(parse_conllu(done.out)) == 20


def test_python_does_the_same():
    made = tg.synthesise(20, length=5, seed=3)
    assert made.treebank == synthetic(20, Grammar(length=5), seed=3)
    assert made.treebank == tg.synthesise(20, grammar=Grammar(length=5), seed=3).treebank
    assert made.signature.endswith("|synthesise:20|seed:3|prefix:syn|length:5")


def test_packed_files(command, tmp_path):
    path = tmp_path / "a.conllu.xz"
    done = command("synthesise", 3, "-o", path)
    made = synthetic(3, seed=0)
    assert done.out == f"{path}: 3 sentences, {made.n_words} words\n"
    assert read_conllu(path) == made


def test_the_help_names_every_parameter(command):
    text = command("synthesise", "--help").out
    for name in Grammar.__dataclass_fields__:
        assert f"--{name.replace('_', '-')}" in text


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--lenght", "5"], "No such option"),
        (["--length", "long"], "--length"),
        (["--order-freedom", "2"], "order_freedom is 2.0; expected a number from 0 to 1"),
        (["--basic-order", "XYZ"], "basic_order"),
        (["-o", "no/such/folder/a.conllu"], "cannot write"),
    ],
)
def test_mistakes(command, args, message):
    done = command("synthesise", 3, *args)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err
