"""``treegauge synthesise``: treebanks from dials."""

import pytest

from treegauge.testing.grammar_dials import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.conllu import parse_conllu, read_conllu


def test_the_treebank_of_a_seed(command):
    done = command("synthesise", 5, "--seed", 9)
    assert (done.code, done.err) == (0, "")
    assert done.out.encode() == synthetic(5, seed=9).to_bytes()
    assert command("synthesise", 5, "--seed", 8).out != done.out


def test_dials(command):
    done = command(
        "synthesise", 20, "-d", "length=5", "-d", "basic_order=VSO", "-d", "label_noise=0.5"
    )
    grammar = Grammar(length=5, basic_order="VSO", label_noise=0.5)
    assert done.out.encode() == synthetic(20, grammar, seed=0).to_bytes()
    assert "TrueHead=" in done.out
    assert len(parse_conllu(done.out)) == 20


def test_packed_files(command, tmp_path):
    path = tmp_path / "a.conllu.xz"
    assert command("synthesise", 3, "-o", path).code == 0
    assert read_conllu(path) == synthetic(3, seed=0)


def test_the_help_names_every_dial(command):
    text = command("synthesise", "--help").out
    for name in Grammar.__dataclass_fields__:
        assert name in text


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-d", "lenght=5"], "did you mean 'length'"),
        (["-d", "length=long"], "dial length: found 'long', expected one such as"),
        (["-d", "length"], "dial length: found ''"),
        (["-d", "order_freedom=2"], "order_freedom"),
        (["-d", "basic_order=XYZ"], "basic_order"),
        (["-o", "no/such/folder/a.conllu"], "cannot write"),
    ],
)
def test_mistakes(command, args, message):
    done = command("synthesise", 3, *args)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err
