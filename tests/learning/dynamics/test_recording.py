"""Recordings have the model's probabilities, survive files, and refuse invalid values."""

import numpy as np
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.learning.dynamics.jobs import TrainingJob, relation_names
from treegauge.learning.dynamics.recorder import make_engine, record
from treegauge.learning.dynamics.recording import FLOOR, Recording
from treegauge.parsing.registry import make_parser
from treegauge.testing.synthetic import synthetic


def made(p, **more):
    logp = np.log(np.asarray(p, float))
    return Recording("toy#000000", "train", "sig", tuple(range(1, len(logp) + 1)), logp, logp, **more)


def test_gold_probabilities_are_the_models(tiny, known):
    found = known([TrainingJob(tiny, {"train": tiny}, relations=relation_names(tiny))])[0]["train"]
    assert found.epochs == (1, 2, 3)
    p = np.exp(found.head_logp)
    for epoch in (1, 2, 3):
        expected = np.full(8, epoch / (epoch + 1))
        expected[3] = 1.0  # the sentence of one word has one head
        np.testing.assert_allclose(p[epoch - 1], expected, rtol=1e-6)
        np.testing.assert_allclose(np.exp(found.relation_logp[epoch - 1]), epoch / (epoch + 1), rtol=1e-6)
    assert found.head_rival[0, 3] == -1
    assert found.correct("head")[:, 3].all()
    assert found.correct("head").all()  # in three words two others share what gold leaves
    assert found.correct("head")[-1].all() and found.correct("relation")[-1].all()


def test_a_rival_is_never_gold_nor_the_word_itself(quick):
    train = synthetic(60, seed=4)
    found = quick([TrainingJob(train, {"train": train}, relations=relation_names(train))])[0]["train"]
    assert (found.head_rival != train.head).all()
    assert (found.head_rival != train.positions).all()
    names = np.array(found.relations)[found.relation_rival]
    assert (names != np.array(train["deprel"].to_list())).all()


def test_what_the_log_linear_parser_says_is_recorded_as_it_is(quick):
    train, dev = synthetic(60, seed=4), synthetic(20, seed=5)
    parser = quick.parser
    model = parser.fit(train, seed=7)
    found = quick([TrainingJob(train, {"dev": dev}, seed=7, relations=relation_names(train, dev))])[0]["dev"]
    heads = model.head_probabilities(dev)
    gold = [p[j, h] for i, p in enumerate(heads) for j, h in enumerate(dev[i].head)]
    np.testing.assert_allclose(np.exp(found.head_logp[-1]), gold, rtol=1e-5)
    best = np.concatenate([p.argmax(axis=1) for p in heads])
    assert (found.correct("head")[-1] == (best == dev.head)).all()
    shares = model.relation_probabilities(dev)
    if set(dev["deprel"]) <= set(model.relations):
        index = [model.relations.index(name) for name in dev["deprel"]]
        expected = shares[np.arange(dev.n_words), index]
        np.testing.assert_allclose(np.exp(found.relation_logp[-1]), expected, rtol=1e-5)


def test_unseen_relations_share_what_is_kept_for_new_ones(tiny, known):
    names = (*relation_names(tiny[:1]), "advmod", "punct")  # the last two are not in train
    found = known([TrainingJob(tiny[:1], {"dev": tiny}, relations=names, every=False)])[0]["dev"]
    assert found.epochs == (3,)
    p = np.exp(found.relation_logp[0])
    new = 3 / (3 + 3)  # three relations in three words
    np.testing.assert_allclose(p[[6, 7]], new / 2, rtol=1e-6)
    np.testing.assert_allclose(p[:6], 0.75 * (1 - new), rtol=1e-6)
    assert found.relations == names


def test_relations_outside_the_inventory_are_named(tiny, known):
    with pytest.raises(TreegaugeError, match="unknown relation 'advmod'"):
        known([TrainingJob(tiny[:1], {"dev": tiny})])


def test_files_give_back_every_bit(tmp_path, quick):
    train = synthetic(20, seed=1)
    job = TrainingJob(train, {"train": train}, relations=relation_names(train))
    before = quick([job])[0]["train"]
    path = tmp_path / "r.npz"
    before.save(path)
    after = Recording.load(path)
    for name in Recording.__dataclass_fields__:
        old, new = getattr(before, name), getattr(after, name)
        if isinstance(old, np.ndarray):
            assert (old == new).all()
            assert old.dtype == new.dtype
        else:
            assert old == new
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(TreegaugeError, match="not a recording, or is truncated"):
        Recording.load(path)


def test_arrays_of_others_are_welcome_and_checked():
    one = made([[0.5, 0.2]])
    with pytest.raises(TreegaugeError, match="has no rivals"):
        one.correct("head")
    with np.errstate(divide="ignore"):
        assert made([[0.0, 1.0]]).head_logp[0, 0] == np.float32(FLOOR)
    with pytest.raises(TreegaugeError, match="not logarithms of probabilities"):
        made([[1.5, 0.2]])
    with pytest.raises(TreegaugeError, match="expected \\(1 epochs, words\\)"):
        Recording("t#0", "train", "s", (1,), np.zeros((2, 3)), np.zeros((2, 3)))
    with pytest.raises(TreegaugeError, match="relation_logp has the shape"):
        Recording("t#0", "train", "s", (1,), np.zeros((1, 3)), np.zeros((1, 2)))
    with pytest.raises(TreegaugeError, match=r"unknown kind of file '\.csv'"):
        one.save("x.csv")
    with pytest.raises(TreegaugeError, match="pass the treebank that was recorded"):
        one.check(synthetic(3, seed=1))


def test_same_seed_same_numbers(quick):
    train = synthetic(30, seed=2)
    job = TrainingJob(train, {"train": train}, seed=5)
    one, two = (quick([job])[0]["train"] for _ in range(2))
    assert (one.head_logp == two.head_logp).all()
    assert (one.relation_logp == two.relation_logp).all()


def test_parsers_without_probabilities_are_refused(tiny):
    with pytest.raises(TreegaugeError, match="has no probabilities of heads"):
        record(make_parser("beam", epochs=1), TrainingJob(tiny, {"train": tiny}))
    with pytest.raises(TreegaugeError, match="does not report its epochs"):
        make_engine("command")
