"""The graph parser: gradients, probabilities, averages, files, odd input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import TreegaugeError
from treegauge.kernels import graph_learning as _learning
from treegauge.kernels import graph_trees as _trees
from treegauge.kernels.features import ARCS, LETTERS, RELATIONS, LearnedTable, Lesson, Squares, pairs
from treegauge.parsing.mst import GraphModel, GraphOptions, GraphParser, graph_words
from treegauge.parsing.registry import load_model, make_parser
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.settings import ScoreOptions
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.conllu import parse_conllu

from .graphs import SMALL, TEST, TRAIN


@pytest.fixture(scope="module", params=["mira", "loglinear"])
def model(request):
    return GraphParser(GraphOptions(training=request.param, epochs=4, **SMALL)).fit(TRAIN, seed=0)


def uas(model, treebank):
    return np.mean(model.parse(treebank).head == treebank.head)


def test_it_learns_far_more_than_attaching_to_neighbours(model):
    left = np.maximum(TEST.positions - 1, 0)
    assert uas(model, TEST) > 0.7 > np.mean(left == TEST.head)
    result = evaluate(TEST, model.parse(TEST), options=ScoreOptions(resamples=0)).systems[0]
    assert result["LAS"].f1 > 0.6


def test_probabilities_sum_to_one(model):
    for matrix, size in zip(model.head_probabilities(TEST), TEST.lengths.tolist(), strict=True):
        assert matrix.shape == (size, size + 1)
        assert np.allclose(matrix.sum(axis=1), 1)
        assert (matrix[np.arange(size), np.arange(1, size + 1)] == 0).all()
    relations = model.relation_probabilities(TEST)
    assert relations.shape == (TEST.n_words, len(model.relations))
    assert np.allclose(relations.sum(axis=1), 1)


def test_the_losses_of_an_epoch_are_those_of_the_probabilities():
    model = GraphParser(GraphOptions(training="loglinear", epochs=1, **SMALL)).fit(TRAIN, seed=0)
    words, (arcs, names) = graph_words(TEST, model.tags, 3), model.options.templates
    order = np.arange(1, dtype=np.int32)
    gold = TEST[0].head
    weights, table = model.weights.copy(), model.table.copy()
    kept = [Squares.of(np.zeros(one.shape)) for one in (weights, table)]
    for one in kept:
        one.squares[:] = 1e30  # so large that steps change nothing
    loss = _learning.head_epoch(words, TEST.head, order, arcs, weights, kept[0], 0, 0.1)
    shares = model.head_probabilities(TEST[:1])[0]
    assert loss == pytest.approx(-np.log(shares[np.arange(len(gold)), gold]).sum())
    wanted = np.array([model.relations.index(name) for name in TEST["deprel"]], np.int32)
    learned = (words, TEST.head, wanted, order, names, table)
    loss = _learning.relation_epoch(*learned, kept[1], 0, 0.1)
    shares = model.relation_probabilities(TEST[:1])
    expected = -np.log(shares[np.arange(len(gold)), wanted[: len(gold)]]).sum()
    assert loss == pytest.approx(expected)


def test_mira_makes_the_gold_tree_win_by_its_margin():
    one = TRAIN[:1]
    trained = GraphParser(GraphOptions(epochs=30, **SMALL)).fit(one, seed=0)
    assert trained.parse(one).head.tolist() == one.head.tolist()


def test_averages_equal_naive_averaging():
    """With sums of step x change, weights - sums / steps is the mean over all steps."""
    few = TRAIN[:5]
    words, (arcs, names) = (graph_words(few, sorted(few.codes("upos").values), 3), GraphOptions().templates)
    relations = sorted(few.codes("deprel").values)
    wanted = np.array([relations.index(name) for name in few["deprel"]], np.int32)
    table = np.zeros((1 << 10, len(relations)), np.float32)
    learned = [np.zeros(1 << 14, np.float32), np.zeros(1 << 14), table, np.zeros(table.shape)]
    tables = LearnedTable.of(*learned[:2]), LearnedTable.of(*learned[2:])
    found = np.zeros_like(wanted), np.zeros_like(wanted)
    snapshots, steps = [], 1
    for sentence in [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]:
        snapshots.append([learned[k].astype(np.float64) for k in (0, 2)])
        lesson = Lesson(np.array(few.head), wanted, *tables, steps, True)
        _trees.best_trees(
            words, np.array([sentence], np.int32), arcs, names, learned[0], table,
            relations.index("root"), True, True, lesson, *found,
        )  # fmt: skip
        steps += 1
    # snapshot k holds for steps k to k + 1; the sum counts a change made at step s for steps - s
    for at, (now, sums) in enumerate((learned[:2], learned[2:])):
        expected = np.mean([*(one[at] for one in snapshots), now], axis=0)
        assert np.abs(now).max() > 0
        assert np.allclose(now - sums / steps, expected, atol=1e-5)


def test_relations_are_learned_with_trees_as_long_as_wished():
    def table(**options):
        return GraphParser(GraphOptions(**options, **SMALL)).fit(TRAIN[:50], seed=0).table

    for training in ("mira", "loglinear"):
        once = table(training=training, epochs=2, label_epochs=1)
        twice = table(training=training, epochs=2, label_epochs=2)
        assert np.count_nonzero(once) > 0
        assert not np.array_equal(once, twice)


def test_a_root_relation_below_a_word_and_another_below_the_root_do_no_harm():
    odd = TRAIN[:30]
    names = odd["deprel"].to_list()
    places = odd.offsets[:-1]
    for at in places.tolist():
        names[at] = "root"
        names[at + int(np.flatnonzero(odd.head[at:] == 0)[0])] = "dep"
    odd = odd.with_columns({"deprel": names})
    parsed = GraphParser(GraphOptions(**SMALL)).fit(odd, seed=0).parse(odd)
    assert np.mean(parsed.head == odd.head) > 0.97
    assert [name == "root" for name in parsed["deprel"]] == (parsed.head == 0).tolist()


@settings(max_examples=50, deadline=None)
@given(st.booleans(), st.booleans(), st.sampled_from([ARCS, RELATIONS]))
def test_templates_hold_what_was_wished_for(lexical, endings, text):
    found = pairs(text, lexical=lexical, endings=endings)
    used = {LETTERS[c // 5] for c in [*found.heads.ravel(), *found.dependents.ravel()] if c >= 0}
    assert used == {"p"} | ({"w"} if lexical else set()) | ({*"xyzq"} & {*text} if lexical and endings else set())
    empty = [(found.heads[h] < 0).all() + 2 * (found.dependents[d] < 0).all() for h, d in found.pairs]
    first, second = found.alone
    assert empty == [2] * first + [1] * (second - first) + [0] * (len(empty) - second)
    assert len({tuple(pair) for pair in found.pairs.tolist()}) == len(found.pairs)
    if lexical and endings:
        assert len(found.pairs) == len(text.split())


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
        with pytest.raises(TreegaugeError, match=r"not a treegauge model|cannot read"):
            load_model(path)
    with pytest.raises(TreegaugeError, match="cannot read"):
        load_model(tmp_path / "missing.model")


def test_a_model_of_another_format_is_refused(tmp_path, monkeypatch, model):
    monkeypatch.setattr("treegauge.parsing.base.FORMAT", 99)
    model.save(tmp_path / "new.model")
    monkeypatch.undo()
    with pytest.raises(TreegaugeError, match="format 99 of a later version of treegauge; this version reads format 2"):
        load_model(tmp_path / "new.model")


def test_epochs_are_told_with_models_that_can_be_used():
    told = []
    parser = make_parser("mst", training="loglinear", epochs=3, label_epochs=2, **SMALL)
    parser.fit(TRAIN, seed=0, on_epoch=lambda epoch, model: told.append((epoch, uas(model, TEST))))
    assert [epoch for epoch, _ in told] == [1, 2, 3]
    assert all(score > 0.5 for _, score in told)


def test_delexicalised_models_do_not_see_forms():
    model = GraphParser(GraphOptions(lexical=False, epochs=2, **SMALL)).fit(TRAIN, seed=0)
    other = TEST.with_columns({"form": ["x"] * TEST.n_words})
    assert model.parse(other).head.tolist() == model.parse(TEST).head.tolist()


def test_projective_option_gives_projective_trees():
    rough = synthetic(60, Grammar(nonprojectivity=0.8), seed=3)
    for projective in (True, False):
        options = GraphOptions(projective=projective, epochs=4, **SMALL)
        parsed = GraphParser(options).fit(rough, seed=0).parse(rough)
        assert trees.is_projective(parsed.head, parsed.offsets).all() == projective
        assert trees.is_tree(parsed.head, parsed.offsets).all()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["NOUN", "VERB", "ODD", "Z"]), min_size=1, max_size=40))
def test_anything_becomes_a_tree_with_one_root(tags):
    model = _tiny()
    text = "".join(f"{i + 1}\tw{i}\t_\t{t}\t_\t_\t_\t_\t_\t_\n" for i, t in enumerate(tags))
    parsed = model.parse(parse_conllu(text + "\n", need_heads=False))
    assert trees.is_tree(parsed.head)[0]
    assert parsed["deprel"].to_list().count("root") == 1


def _tiny() -> GraphModel:
    if not hasattr(_tiny, "model"):
        _tiny.model = GraphParser(GraphOptions(epochs=1, **SMALL)).fit(TRAIN[:20], seed=0)
    return _tiny.model


def test_one_word_and_very_long_sentences():
    one = parse_conllu("1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    long = "".join(f"{i + 1}\tw\t_\tNOUN\t_\t_\t{i}\tdep\t_\t_\n" for i in range(600)) + "\n"
    long = parse_conllu(long.replace("\t0\tdep", "\t0\troot"))
    model = GraphParser(GraphOptions(epochs=1, **SMALL)).fit(one, seed=0)
    assert model.parse(one).head.tolist() == [0]
    model = GraphParser(GraphOptions(epochs=1, **SMALL)).fit(long, seed=0)
    assert trees.is_tree(model.parse(long).head)[0]


def test_what_cannot_be_learned_from_is_refused():
    with pytest.raises(TreegaugeError, match="no words"):
        GraphParser().fit(parse_conllu(""), seed=0)
    two = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    with pytest.raises(TreegaugeError, match=r"text:1: sentence 1 is not a tree .*errors='repair'"):
        GraphParser().fit(parse_conllu(two, allow=["several-roots"]), seed=0)


def test_options_are_checked():
    with pytest.raises(TreegaugeError, match=r"from 1 to 1000"):
        make_parser("mst", epochs=0)
    with pytest.raises(TreegaugeError, match="choices: mira, loglinear"):
        make_parser("mst", training="magic")
    with pytest.raises(TreegaugeError, match="unknown option of mst 'epoch'; did you mean 'epochs'"):
        make_parser("mst", epoch=3)
    with pytest.raises(TreegaugeError, match="unknown parser 'mts'; did you mean 'mst'"):
        make_parser("mts")
