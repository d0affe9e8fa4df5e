"""The graph parser: gradients, probabilities, averages, files, odd input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.errors import TreegaugeError
from treegauge.parse.graph import _learning
from treegauge.parse.graph._arcs import MOST, arc_features, between_tags, score_arcs
from treegauge.parse.graph.mst import GraphModel, GraphParser, Options, encode
from treegauge.parse.registry import load_model, make_parser
from treegauge.score.scoring import Resampling, evaluate
from treegauge.treebank import trees
from treegauge.treebank._grammar.dials import Grammar
from treegauge.treebank.conllu import parse_conllu
from treegauge.treebank.synthetic import synthetic

SMALL = {"bits": 16, "label_bits": 12}
TRAIN, TEST = (synthetic(count, seed=seed) for count, seed in ((300, 1), (100, 2)))


@pytest.fixture(scope="module", params=["mira", "loglinear"])
def model(request):
    return GraphParser(Options(training=request.param, epochs=4, **SMALL)).fit(TRAIN, seed=0)


def uas(model, treebank):
    return np.mean(model.parse(treebank).head == treebank.head)


def test_it_learns_far_more_than_attaching_to_neighbours(model):
    left = np.maximum(TEST.positions - 1, 0)
    assert uas(model, TEST) > 0.7 > np.mean(left == TEST.head)
    result = evaluate(TEST, model.parse(TEST), resampling=Resampling(0)).systems[0]
    assert result["LAS"].f1 > 0.6


def test_probabilities_sum_to_one(model):
    for matrix, size in zip(model.head_probabilities(TEST), TEST.lengths.tolist(), strict=True):
        assert matrix.shape == (size, size + 1)
        assert np.allclose(matrix.sum(axis=1), 1)
        assert (matrix[np.arange(size), np.arange(1, size + 1)] == 0).all()
    relations = model.relation_probabilities(TEST)
    assert relations.shape == (TEST.n_words, len(model.relations))
    assert np.allclose(relations.sum(axis=1), 1)


def test_the_loss_of_an_epoch_is_that_of_the_probabilities():
    options = Options(training="loglinear", epochs=1, **SMALL)
    parser = GraphParser(options).fit(TRAIN, seed=0)
    words = encode(TEST, parser.tags, Options())
    weights = parser.weights.copy()
    order = np.arange(1, dtype=np.int32)
    squares = np.full(len(weights), 1e30, np.float32)  # steps too small to change anything
    mask = np.uint64(len(weights) - 1)
    loss = _learning.head_epoch(
        *words[:4], TEST.head, words.offsets, order, weights, squares, mask, 0.1
    )
    gold = TEST[0].head
    shares = parser.head_probabilities(TEST[:1])[0]
    assert loss == pytest.approx(-np.log(shares[np.arange(len(gold)), gold]).sum())


def test_gradient_of_the_log_linear_model():
    """Central differences of -log p(gold heads) against what one tiny step changes."""
    sentence = TEST[:1]
    tags = sorted(sentence.codes("upos").values)
    words = encode(sentence, tags, Options())
    random = np.random.default_rng(3)
    weights = random.normal(scale=0.3, size=1 << 12).astype(np.float32)
    mask = np.uint64(len(weights) - 1)
    gold = sentence.head

    def loss(values):
        scores = np.zeros((len(gold) + 1, len(gold) + 1))
        score_arcs(*words[:4], values, mask, scores, np.empty(MOST, np.int32))
        total, shares = 0.0, np.empty(len(gold) + 1)
        for d in range(1, len(gold) + 1):
            _learning.softmax_heads(scores, d, shares)
            total -= np.log(shares[gold[d - 1]])
        return total

    expected = np.zeros(len(weights))
    out = np.empty(MOST, np.int32)
    scores = np.zeros((len(gold) + 1, len(gold) + 1))
    score_arcs(*words[:4], weights, mask, scores, out)
    shares = np.empty(len(gold) + 1)
    for d in range(1, len(gold) + 1):
        _learning.softmax_heads(scores, d, shares)
        for h in range(len(gold) + 1):
            if h != d:
                between = between_tags(words.small, h, d)
                for k in range(
                    arc_features(words.words, words.tags, words.ends, h, d, between, mask, out)
                ):
                    expected[out[k]] += shares[h] - (h == gold[d - 1])
    for place in random.choice(np.flatnonzero(expected), 25, replace=False):
        up, down = weights.copy(), weights.copy()
        up[place] += 0.01
        down[place] -= 0.01
        slope = (loss(up) - loss(down)) / (float(up[place]) - float(down[place]))
        assert slope == pytest.approx(expected[place], abs=5e-3)


def test_mira_makes_the_gold_tree_win_by_its_margin():
    one = TRAIN[:1]
    trained = GraphParser(Options(epochs=30, **SMALL)).fit(one, seed=0)
    assert trained.parse(one).head.tolist() == one.head.tolist()


def test_averages_equal_naive_averaging():
    """With sums of step x change, weights - sums / steps is the mean over all steps."""
    few = TRAIN[:5]
    tags = sorted(few.codes("upos").values)
    words = encode(few, tags, Options())
    weights, sums, steps = np.zeros(1 << 14, np.float32), np.zeros(1 << 14), 1
    mask, snapshots = np.uint64((1 << 14) - 1), []
    for sentence in [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]:
        snapshots.append(weights.astype(np.float64))
        order = np.array([sentence], np.int32)
        steps, _ = _learning.mira_epoch(
            *words[:4], few.head, words.offsets, order, weights, sums, steps, mask, False
        )
    # snapshot k holds for steps k to k + 1; the sum counts a change made at step s for steps - s
    assert np.allclose(weights - sums / steps, np.mean([*snapshots, weights], axis=0), atol=1e-5)


def test_same_seed_same_bytes_and_files(model, tmp_path):
    model.save(tmp_path / "a.model")
    again = load_model(tmp_path / "a.model")
    again.save(tmp_path / "b.model")
    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "b.model").read_bytes()
    assert again.parse(TEST).to_bytes() == model.parse(TEST).to_bytes()
    twin = GraphParser(model.options).fit(TRAIN, seed=0)
    twin.save(tmp_path / "c.model")
    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "c.model").read_bytes()
    other = GraphParser(model.options).fit(TRAIN, seed=1)
    assert not np.array_equal(other.weights, model.weights)


def test_files_that_are_no_models(tmp_path, model):
    model.save(tmp_path / "a.model")
    data = (tmp_path / "a.model").read_bytes()
    for number, bad in enumerate([b"", b"text", data[: len(data) // 2]]):
        path = tmp_path / f"{number}.model"
        path.write_bytes(bad)
        with pytest.raises(TreegaugeError, match=r"not a model|cannot read"):
            load_model(path)
    with pytest.raises(TreegaugeError, match="cannot read"):
        load_model(tmp_path / "missing.model")


def test_a_model_of_another_format_is_refused(tmp_path, monkeypatch, model):
    monkeypatch.setattr("treegauge.parse.storage.FORMAT", 99)
    model.save(tmp_path / "new.model")
    monkeypatch.undo()
    with pytest.raises(TreegaugeError, match="format 99; this version reads 1"):
        load_model(tmp_path / "new.model")


def test_epochs_are_told_with_models_that_can_be_used():
    told = []
    parser = make_parser("mst", training="loglinear", epochs=3, label_epochs=2, **SMALL)
    parser.fit(TRAIN, seed=0, on_epoch=lambda epoch, model: told.append((epoch, uas(model, TEST))))
    assert [epoch for epoch, _ in told] == [1, 2, 3]
    assert all(score > 0.5 for _, score in told)


def test_delexicalised_models_do_not_see_forms():
    model = GraphParser(Options(lexical=False, epochs=2, **SMALL)).fit(TRAIN, seed=0)
    other = TEST.with_columns({"form": ["x"] * TEST.n_words})
    assert model.parse(other).head.tolist() == model.parse(TEST).head.tolist()


def test_projective_option_gives_projective_trees():
    rough = synthetic(60, Grammar(nonprojectivity=0.8), seed=3)
    model = GraphParser(Options(projective=True, epochs=2, **SMALL)).fit(rough, seed=0)
    parsed = model.parse(rough)
    assert trees.is_projective(parsed.head, parsed.offsets).all()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["NOUN", "VERB", "ODD", "_"]), min_size=1, max_size=40))
def test_anything_becomes_a_tree_with_one_root(tags):
    model = _tiny()
    text = "".join(f"{i + 1}\tw{i}\t_\t{t}\t_\t_\t_\t_\t_\t_\n" for i, t in enumerate(tags))
    parsed = model.parse(parse_conllu(text + "\n", need_heads=False))
    assert trees.is_tree(parsed.head)[0]
    assert parsed["deprel"].to_list().count("root") == 1


def _tiny() -> GraphModel:
    if not hasattr(_tiny, "model"):
        _tiny.model = GraphParser(Options(epochs=1, **SMALL)).fit(TRAIN[:20], seed=0)
    return _tiny.model


def test_one_word_and_very_long_sentences():
    one = parse_conllu("1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    long = "".join(f"{i + 1}\tw\t_\tNOUN\t_\t_\t{i}\tdep\t_\t_\n" for i in range(600)) + "\n"
    long = parse_conllu(long.replace("\t0\tdep", "\t0\troot"))
    model = GraphParser(Options(epochs=1, **SMALL)).fit(one, seed=0)
    assert model.parse(one).head.tolist() == [0]
    model = GraphParser(Options(epochs=1, **SMALL)).fit(long, seed=0)
    assert trees.is_tree(model.parse(long).head)[0]


def test_what_cannot_be_learned_from_is_refused():
    with pytest.raises(TreegaugeError, match="no words"):
        GraphParser().fit(parse_conllu(""), seed=0)
    two = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    with pytest.raises(TreegaugeError, match=r"text:1: sentence 1 is no tree .*errors='repair'"):
        GraphParser().fit(parse_conllu(two, allow=["several-roots"]), seed=0)


def test_options_are_checked():
    with pytest.raises(TreegaugeError, match=r"from 1 to 1000"):
        make_parser("mst", epochs=0)
    with pytest.raises(TreegaugeError, match="choices: mira, loglinear"):
        make_parser("mst", training="magic")
    with pytest.raises(
        TreegaugeError, match="unknown option of mst 'epoch'; did you mean 'epochs'"
    ):
        make_parser("mst", epoch=3)
    with pytest.raises(TreegaugeError, match="unknown parser 'mts'; did you mean 'mst'"):
        make_parser("mts")
