"""``tg.synthesise``: treebanks from parameters of a grammar."""

import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic


def test_the_treebank_of_a_seed_and_a_grammar():
    assert tg.synthesise(5, seed=9) == synthetic(5, seed=9) != tg.synthesise(5, seed=8)
    made = tg.synthesise(20, length=5, basic_order="VSO", label_noise=0.5, seed=3)
    assert made == synthetic(20, Grammar(length=5, basic_order="VSO", label_noise=0.5), seed=3)
    assert b"TrueHead=" in made.to_bytes()
    assert tg.synthesise(3, prefix="mine").metadata("sent_id") == ["mine-1", "mine-2", "mine-3"]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"lenght": 5}, TypeError, "lenght"),
        ({"length": "long"}, TreegaugeError, "length is 'long'; expected a number"),
        ({"order_freedom": 2}, TreegaugeError, "order_freedom is 2; expected a number from 0 to 1"),
        ({"basic_order": "XYZ"}, TreegaugeError, "basic_order"),
        ({"prefix": "a b"}, TreegaugeError, "prefix is 'a b'; expected no spaces"),
    ],
)
def test_mistakes(given, error, message):
    with pytest.raises(error, match=message):
        tg.synthesise(3, **given)
