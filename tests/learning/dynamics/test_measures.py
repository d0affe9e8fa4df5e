"""Data maps, usable information and description length from numbers worked out by hand."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.learning.dynamics.cartography import Regions, data_map, mean_map
from treegauge.learning.dynamics.description_length import BLOCKS, description_length, fitting, read_blocks
from treegauge.learning.dynamics.jobs import TrainingJob, relation_names
from treegauge.learning.dynamics.recording import Recording
from treegauge.learning.dynamics.usable_information import NULLS, null_input, usable_information
from treegauge.testing.synthetic import synthetic

information = partial(tg.difficulty, measure="vinfo")


def recording(p, q=None, treebank="toy#000000"):
    """Heads of probability p; relations likewise; rivals of probability q."""
    p = np.asarray(p, float)
    more = {}
    if q is not None:
        rival = np.ones(p.shape, np.int16)
        with np.errstate(divide="ignore"):
            logs = np.log(np.asarray(q, float))
        more = {
            "head_rival": rival, "head_rival_logp": logs,
            "relation_rival": rival, "relation_rival_logp": logs, "relations": ("a", "b"),
        }  # fmt: skip
    epochs = tuple(range(1, len(p) + 1))
    return Recording(treebank, "train", "sig", epochs, np.log(p), np.log(p), **more)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.floats(0.001, 1), min_size=3, max_size=3), min_size=1, max_size=6))
def test_confidence_and_variability_are_mean_and_population_deviation(p):
    found = data_map(recording(p))
    for word in range(3):
        column = [row[word] for row in p]
        mean = sum(column) / len(column)
        deviation = (sum((x - mean) ** 2 for x in column) / len(column)) ** 0.5
        assert found.confidence["head"][word] == pytest.approx(mean, abs=1e-6)
        assert found.variability["head"][word] == pytest.approx(deviation, abs=1e-6)


def test_correctness_and_forgetting():
    # gold is preferred in epochs 1, 2, 4 of the first word: learned, forgotten once, learned again
    p = [[0.6, 0.2], [0.7, 0.2], [0.3, 0.2], [0.8, 0.2]]
    q = [[0.4, 0.8], [0.3, 0.8], [0.7, 0.8], [0.2, 0.8]]
    found = data_map(recording(p, q))
    assert found.correctness["head"].tolist() == [0.75, 0.0]
    assert found.forgetting["head"].tolist() == [1, 0]
    assert found.values["head"]["forgetting"] == 0.5
    assert data_map(recording(p)).correctness is None


def test_regions_have_the_papers_bounds():
    conf = np.array([0.95, 0.951, 0.951, 0.25, 0.25, 0.26, 0.5])
    var = np.array([0.1, 0.1, 0.11, 0.1, 0.11, 0.0, 0.31])
    expected = ["other", "easy", "other", "hard", "other", "other", "ambiguous"]
    assert Regions().of(conf, var).tolist() == expected


def test_a_map_shows_shares_and_words(tiny, known):
    names = relation_names(tiny)
    jobs = [TrainingJob(tiny, {"train": tiny}, seed, names) for seed in (1, 2)]
    found = [one["train"] for one in known(jobs)]
    assert [seed for _, seed in known.parser.fitted] == [1, 2]
    shown = mean_map(found)
    p = [1 / 2, 2 / 3, 3 / 4]
    assert shown.values["relation"]["confidence"] == pytest.approx(np.mean(p))
    assert shown.values["relation"]["variability"] == pytest.approx(np.std(p))
    words = shown.words(tiny)
    assert words["form"].to_list()[:3] == ["the", "cat", "sleeps"]
    assert words["sent_id"].to_list()[3] == "s2"
    assert shown.table["of"].to_list() == ["heads", "relations"]
    assert "|seed:1+2|" in shown.signature
    assert "parser:known" in shown.signature
    with pytest.raises(TreegaugeError, match="expected the same words"):
        mean_map([found[0], recording([[0.5]])])


def test_pointwise_information_is_a_log_ratio():
    real, null = recording([[0.5, 0.1], [0.8, 0.2]]), recording([[0.25, 0.25], [0.2, 0.8]])
    found = usable_information(real, null)
    np.testing.assert_allclose(found.pvi("head"), [2.0, -2.0], atol=1e-6)
    np.testing.assert_allclose(found.pvi("head", epoch=0), [1.0, np.log2(0.4)], atol=1e-6)
    assert found.values["head"] == pytest.approx(0.0, abs=1e-6)
    assert found.table["negative"].to_list() == [50.0, 50.0]
    with pytest.raises(TreegaugeError, match="same words and epochs"):
        usable_information(real, recording([[0.5, 0.5]]))


def test_input_says_much_and_no_input_says_nothing():
    train, dev = synthetic(200, seed=1), synthetic(60, seed=2)
    quick = {"epochs": 3, "option": {"bits": 16, "label_bits": 12}}
    found = information(train, dev=dev, **quick)[0]
    assert found.values["head"] > 0.5
    assert found.values["relation"] > 1
    # Null against null: the very same model, so nothing at all.
    blank = information(null_input(train), dev=null_input(dev), **quick)[0]
    assert blank.pvi("head").tolist() == [0.0] * dev.n_words
    # What forms add to tags is less than what forms and tags add to nothing.
    beyond = information(train, dev=dev, null="upos", **quick)[0]
    assert beyond.values["head"] < found.values["head"]


@pytest.mark.parametrize("kind", NULLS)
def test_null_inputs_leave_the_trees(kind):
    before = synthetic(20, seed=3)
    after = null_input(before, kind)
    assert (after.head == before.head).all()
    assert after["deprel"].to_list() == before["deprel"].to_list()
    assert after["form"].to_list() != before["form"].to_list()
    if kind == "shuffled":
        for one, two in zip(before, after, strict=True):
            pairs = [sorted(zip(s.form, s.upos, strict=True)) for s in (one, two)]
            assert pairs[0] == pairs[1]
    else:
        assert after["lemma"].unique().to_list() == ["_"]
    if kind == "blank":
        assert after.table.select("form", "upos", "feats", "xpos").unique().rows() == [("_",) * 4]
    with pytest.raises(TreegaugeError, match="unknown null input 'blnk'; did you mean 'blank'"):
        null_input(before, "blnk")


def test_code_lengths_by_hand(tiny, known):
    found = description_length(tiny, engine=known, blocks=(1, 2), orders=2, seed=0)
    for i, (source, _) in enumerate(known.parser.fitted):
        n, first = tiny.n_words, source.n_words
        assert len(source) == 1
        kinds = len(set(source["deprel"]))
        assert found.words[i].tolist() == [first, n - first]
        assert found.bits["head"][i, 0] == pytest.approx(first * np.log2(first))
        assert found.bits["relation"][i, 0] == pytest.approx(first * np.log2(5))
        # later heads have p = 3/4 each, but for a sentence of one word, which costs nothing
        alone = 0 if first == 1 else 1
        expected = -(n - first - alone) * np.log2(0.75)
        assert found.bits["head"][i, 1] == pytest.approx(expected, rel=1e-5)
        new = kinds / (first + kinds)
        seen = [name in set(source["deprel"]) for s in _others(tiny, source) for name in s.deprel]
        each = [0.75 * (1 - new) if one else new / (5 - kinds) for one in seen]
        if kinds > 1:
            assert found.bits["relation"][i, 1] == pytest.approx(-np.log2(each).sum(), rel=1e-5)
    value = found.values["head"]
    assert value["bits"] == pytest.approx(found.bits["head"].sum(axis=1).mean())
    assert value["compression"] == pytest.approx(value["uniform_bits"] / value["bits"])


def _others(treebank, source):
    kept = {sentence.id for sentence in source}
    return [sentence for sentence in treebank if sentence.id not in kept]


def test_prefix_and_block_differ_in_what_is_learned_from(known):
    train = synthetic(60, seed=1)
    for training, sizes in (("prefix", [5, 15, 35]), ("block", [5, 10, 20])):
        known.parser.fitted.clear()
        found = description_length(train, engine=known, blocks=(5, 10, 20, 25), training=training, orders=1)
        assert [len(source) for source, _ in known.parser.fitted] == sizes
        assert found.blocks == (5, 10, 20, 25)
    assert sum(BLOCKS) == 995


def test_blocks_that_do_not_fit_are_refused(known, tiny):
    with pytest.raises(TreegaugeError, match="has 3 sentences, the blocks need 995; choose blocks"):
        description_length(tiny, engine=known)
    with pytest.raises(TreegaugeError, match="at least two"):
        description_length(tiny, engine=known, blocks=[3])
    with pytest.raises(TreegaugeError, match="unknown training 'all'"):
        description_length(tiny, engine=known, blocks=[1, 1], training="all")
    with pytest.raises(TreegaugeError, match="expected numbers of sentences"):
        read_blocks("5;10", 100)


@given(st.integers(10, 3000))
def test_automatic_blocks_fit(sentences):
    sizes = fitting(sentences)
    assert min(sizes) >= 1
    assert sum(sizes) == min(sentences, 995)


def test_learning_compresses_and_noise_does_not(quick):
    train = synthetic(120, seed=1)
    found = description_length(train, engine=quick, blocks=(5, 15, 40, 60), orders=2)
    assert found.values["head"]["compression"] > 1.3
    a_word = found.bits["head"].sum(axis=0) / found.words.sum(axis=0)
    assert a_word[-1] < a_word[0]
    random = np.random.default_rng(0)
    names = random.choice(["a", "b", "c", "d"], train.n_words)
    names[train.head == 0] = "root"
    noisy = description_length(train.with_columns({"deprel": names}), engine=quick, blocks=(5, 15, 40, 60), orders=1)
    assert noisy.values["relation"]["compression"] < found.values["relation"]["compression"]
