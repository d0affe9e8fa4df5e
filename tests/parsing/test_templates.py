"""spaCy and Stanza, trained and run for real by their templates, with the smallest settings."""

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.parsing.programs.command import CommandParser
from treegauge.parsing.programs.command_templates import CommandTemplate, filled_command
from treegauge.parsing.registry import load_model, make_parser
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data import trees

ARGUMENTS = {
    "spacy": (
        "--training.max_steps=12 --training.eval_frequency=6 "
        "--components.tok2vec.model.encode.depth=1 --components.parser.min_action_freq=1"
    ),
    "stanza": (
        "--max_steps=4 --eval_interval=2 --batch_size=100 --num_layers=1 --hidden_dim=8 --cpu "
        "--deep_biaff_hidden_dim=8 --transformed_dim=8 --word_emb_dim=8 --char_emb_dim=4 "
        "--char_hidden_dim=4"
    ),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_parser_from_elsewhere_is_trained_saved_and_run(name, tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # more threads only wait for each other here
    pytest.importorskip(name, reason=f"{name} is not installed; it is in the dependency group dev")
    train = synthetic(30, Grammar(contractions=0.3), seed=1)
    test = synthetic(6, Grammar(contractions=0.3), seed=2)
    parser = make_parser("command", template=name, arguments=ARGUMENTS[name], timeout=600.0)
    parser.fit(train, test, seed=0).save(tmp_path / "m")
    parsed = load_model(tmp_path / "m", trust=True).parse(test)
    assert trees.is_tree(parsed.head, parsed.offsets).all()
    assert parsed["form"].to_list() == test["form"].to_list()
    assert set(parsed["deprel"]) <= {*train["deprel"], "dep"}
    assert len(set(parsed["deprel"])) > 1


def test_arguments_are_words_of_their_own():
    own = CommandTemplate("own", train=(("x", "{arguments}"),), parse=(("y",),))
    assert filled_command(own.train[0], {}, ["a b", "c"]) == ["x", "a b", "c"]
    assert filled_command(own.train[0], {}) == ["x"]
    with pytest.raises(TreegaugeError, match="as a word of its own"):
        CommandTemplate("own", train=(("x={arguments}",),), parse=(("y",),))
    with pytest.raises(TreegaugeError, match="template maltparser takes none"):
        make_parser("command", template="maltparser", arguments="-x")
    with pytest.raises(TreegaugeError, match="option arguments is '\"': No closing quotation"):
        make_parser("command", template="stanza", arguments='"')
    assert CommandParser(template=own).options.arguments == ""
