"""The vote against an enumeration of all trees, and against single parses."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import TreegaugeError
from treegauge.learning.source_panel import Panel, delexicalised, panel, train_sources
from treegauge.parsing.registry import make_parser
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.decoding import pool_heads, vote_heads, vote_relations, vote_trees


def single_rooted(n):
    """All trees over n words with one root, by brute force."""
    found = []
    for heads in product(range(n + 1), repeat=n):
        array = np.array(heads, np.int32)
        if trees.is_tree(array, np.array([0, n], np.int32))[0]:
            found.append(heads)
    return found


TREES = {n: single_rooted(n) for n in (1, 2, 3, 4)}


def test_there_are_as_many_trees_as_cayley_says():
    assert {n: len(found) for n, found in TREES.items()} == {n: n ** (n - 1) for n in TREES}


@st.composite
def ballots(draw):
    n = draw(st.integers(1, 4))
    parsers = draw(st.integers(1, 4))
    chosen = [draw(st.sampled_from(TREES[n])) for _ in range(parsers)]
    weights = [draw(st.integers(1, 9)) for _ in range(parsers)]
    return n, chosen, weights


@given(ballots())
@settings(max_examples=80, deadline=None)
def test_no_tree_gets_more_votes(given_ballots):
    n, chosen, weights = given_ballots

    def votes(tree):
        return sum(
            weight
            for heads, weight in zip(chosen, weights, strict=True)
            for ours, theirs in zip(tree, heads, strict=True)
            if ours == theirs
        )

    found = tuple(vote_heads(chosen, weights, [0, n]).tolist())
    assert found in TREES[n]
    assert votes(found) == max(map(votes, TREES[n]))


@given(ballots(), st.integers(0, 1000))
@settings(max_examples=50, deadline=None)
def test_no_tree_is_more_probable(given_ballots, seed):
    n, _, weights = given_ballots
    random = np.random.default_rng(seed)
    shares = []
    for _ in weights:
        raw = random.random((n, n + 1)) + 0.01
        raw[np.arange(n), np.arange(1, n + 1)] = 0
        shares.append([raw / raw.sum(axis=1, keepdims=True)])
    pooled = sum(w * rows[0] for w, rows in zip(weights, shares, strict=True))

    def probability(tree):
        return np.prod([pooled[d, h] for d, h in enumerate(tree)])

    found = tuple(pool_heads(shares, weights, [0, n]).tolist())
    assert probability(found) == pytest.approx(max(map(probability, TREES[n])))


@given(ballots())
@settings(max_examples=40, deadline=None)
def test_who_has_more_than_half_decides(given_ballots):
    n, chosen, weights = given_ballots
    weights = [sum(weights) + 1, *weights[1:]]
    assert tuple(vote_heads(chosen, weights, [0, n]).tolist()) == chosen[0]


@pytest.mark.parametrize(("parser", "options"), [("beam", {"epochs": 2}), ("mst", {"epochs": 2, "projective": False})])
def test_one_source_is_its_own_parse_on_real_text(romance, parser, options):
    train, target = romance["Italian-ParTUT"][:60], romance["Galician-TreeGal"][:60]
    model = delexicalised(parser, **options).fit(train, seed=0)
    alone = panel(target, {"it": model}, {"it": 0.3}, probabilities=parser == "mst")
    parsed = model.parse(target)
    assert alone.vote().to_bytes() == parsed.to_bytes()
    assert vote_trees([parsed], [5.0]).to_bytes() == parsed.to_bytes()


def test_sources_that_agree_are_followed(asked):
    same = Panel(("a", "b"), (asked.parses[0],) * 2, (0.5, 0.5))
    assert same.vote() == asked.parses[0]


def test_votes_are_trees_and_near_sources_help(asked, target):
    for some in (None, ["near", "last"], ["free"]):
        voted = asked.vote(some)
        assert trees.is_tree(voted.head, voted.offsets).all()
    right = (asked.vote().head == target.head).mean()
    assert right > (asked.vote(["last"]).head == target.head).mean()


def test_delexicalised_models_do_not_see_words(sources, target):
    renamed = sources["near"].with_columns({"form": [f"w{i}" for i in range(sources["near"].n_words)]})
    wordless = {"beam": {}, "mst": {}, "baseline": {}, "biaffine": {"hidden": 8, "layers": 1, "char_size": 4}}
    for parser, options in wordless.items():
        limits = {"epochs": 1} if parser != "baseline" else {}
        maker = delexicalised(parser, **limits, **options)
        one, two = (maker.fit(train, seed=0) for train in (sources["near"], renamed))
        assert one.parse(target) == two.parse(target)
        if parser == "baseline":
            continue  # which reads no words anyway
        lexical = make_parser(parser, **limits, **options)
        one, two = (lexical.fit(train, seed=0) for train in (sources["near"], renamed))
        assert one.parse(target) != two.parse(target)


def test_relations_are_voted_on_twice():
    heads = [[2, 0]] * 4
    relations = [["obl:arg", "root"], ["obl", "root"], ["obj", "root"], ["obl:arg", "root"]]
    assert vote_relations([2, 0], heads, relations, [0.2, 0.25, 0.4, 0.15]) == ["obl:arg", "root"]
    assert vote_relations([2, 0], heads, relations, [0.1, 0.1, 0.7, 0.1]) == ["obj", "root"]


def test_only_those_who_chose_an_arc_name_it():
    heads, relations = [[2, 0, 1], [2, 0, 2]], [["det", "root", "obj"], ["amod", "root", "obl"]]
    assert vote_relations([2, 0, 2], heads, relations, [0.9, 0.1]) == ["det", "root", "obl"]


def test_arcs_that_nobody_chose():
    heads, relations = [[0, 1, 1], [2, 0, 2]], [["root", "obj", "obl"], ["det", "root", "obl"]]
    named = vote_relations([3, 3, 0], heads, relations, [0.9, 0.1])
    assert named == ["det", "obj", "root"]  # the first says root, which is none under word 3
    assert vote_relations([2, 0], [[0, 1]], [["root", "obj"]], [1]) == ["dep", "root"]


def test_equal_votes_go_to_the_heaviest():
    heads = [[2, 0]] * 3
    relations = [["obj", "root"], ["obl", "root"], ["obl", "root"]]
    assert vote_relations([2, 0], heads, relations, [0.5, 0.25, 0.25])[0] == "obj"
    assert vote_relations([2, 0], heads[::-1], relations[::-1], [0.25, 0.25, 0.5])[0] == "obj"


def test_same_seed_same_bytes(sources, target, models):
    again = train_sources(sources, delexicalised("mst", epochs=3, bits=14, label_bits=12))
    weights = dict.fromkeys(models, 1.0)
    assert panel(target, again, weights).vote() == panel(target, models, weights).vote()


def test_limits(sources):
    maker = delexicalised("mst", epochs=1, bits=12, label_bits=10)
    limited = train_sources(sources, maker, limit=5)
    direct = maker.fit(sources["near"][:5], seed=0)
    assert limited["near"].parse(sources["free"]) == direct.parse(sources["free"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: vote_trees([], []), "no parse to vote with"),
        (lambda a: vote_trees(a.parses, [1, 2]), "3 parsers and 2 weights"),
        (lambda a: vote_trees(a.parses, [0, 0, 0]), "weights are [0.0, 0.0, 0.0]"),
        (lambda a: vote_trees(a.parses, [1, -1, 1]), "expected numbers of at least 0"),
        (lambda a: vote_trees([a.parses[0], a.parses[1][:3]], [1, 1]), "not of the same sentences"),
        (lambda a: a.vote(["neat"]), "unknown source 'neat'; did you mean 'near'?"),
        (lambda a: panel(a.parses[0], {}, {}), "no source: give"),
        (lambda a: delexicalised("bean"), "did you mean 'beam'"),
        (lambda a: train_sources({}, delexicalised("mst"), limit=0), "the limit is 0"),
    ],
)
def test_what_cannot_be_voted_on(asked, call, message):
    with pytest.raises(TreegaugeError) as error:
        call(asked)
    assert message in str(error.value)


def test_probabilities_need_a_parser_that_has_them(sources, target):
    model = delexicalised("beam", epochs=1).fit(sources["near"], seed=0)
    with pytest.raises(TreegaugeError, match="the model of x gives no head probabilities"):
        panel(target, {"x": model}, {"x": 1.0}, probabilities=True)
