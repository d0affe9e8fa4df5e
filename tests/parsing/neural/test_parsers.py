"""The three parsers: training, files, checkpoints, and unusual treebanks."""

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.parsing.base import Probabilistic
from treegauge.parsing.registry import load_model, make_parser
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.conllu import parse_conllu
from treegauge.treebanks.data.decoding import spanning_tree

SMALL = {
    "hidden": 12, "layers": 1, "word_size": 10, "char_size": 6, "tag_size": 8, "batch": 8,
    "rate": 0.02, "dropout": 0.1, "device": "cpu",
}  # fmt: skip
ARCS = {**SMALL, "arc_size": 16, "relation_size": 8}
KINDS = {"biaffine": ARCS, "pointer": ARCS, "labelling": {**ARCS, "label_size": 16}}


def make(kind: str, **more):
    return make_parser(kind, **{**KINDS[kind], **more})


def sentence(words: list[tuple[str, int, str]]) -> str:
    rows = [f"{i}\t{form}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_" for i, (form, head, relation) in enumerate(words, 1)]
    return "\n".join(rows) + "\n\n"


@pytest.fixture(scope="module")
def train():
    return synthetic(60, seed=1)


@pytest.fixture(scope="module")
def test():
    return synthetic(15, seed=2)


@pytest.fixture(scope="module")
def models(train):
    return {kind: make(kind, epochs=12).fit(train, seed=0) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_it_learns_and_gives_trees(kind, models, test):
    parsed = models[kind].parse(test)
    assert trees.is_tree(parsed.head, parsed.offsets).all()
    assert (parsed.head == test.head).mean() > 0.5
    roots = [r for r, h in zip(parsed["deprel"], parsed.head, strict=True) if h == 0]
    assert set(roots) == {"root"}
    assert parsed["form"].to_list() == test["form"].to_list()


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities(kind, models, test):
    model = models[kind]
    assert isinstance(model, Probabilistic)
    for matrix, n in zip(model.head_probabilities(test), test.lengths, strict=True):
        assert matrix.shape == (n, n + 1)
        np.testing.assert_allclose(matrix.sum(1), 1, atol=1e-6)
        assert (matrix[range(n), range(1, n + 1)] < 1e-9).all()
    shares = model.relation_probabilities(test)
    assert shares.shape == (test.n_words, len(model.relations))
    assert (shares.sum(1) <= 1 + 1e-6).all()
    assert (shares.sum(1) > 0.9).all()


@pytest.mark.parametrize("kind", KINDS)
def test_it_comes_back_from_a_file(kind, models, test, tmp_path):
    models[kind].save(tmp_path / "m")
    loaded = load_model(tmp_path / "m")
    assert loaded.parse(test) == models[kind].parse(test)
    again = tmp_path / "again"
    loaded.save(again)
    assert again.read_bytes() == (tmp_path / "m").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_same_seed_same_model(kind, train, tmp_path):
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        make(kind, epochs=1).fit(train[:16], seed=seed).save(tmp_path / name)
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b
    assert a != c


@pytest.mark.parametrize("kind", ["biaffine", "labelling"])
def test_killed_and_resumed_is_the_same(kind, train, test, tmp_path):
    """Stopped after two epochs of four by an error in the callback, then run again."""
    options = {"epochs": 4, "patience": 0}
    whole = make(kind, **options).fit(train[:24], test, seed=5)
    cut = make(kind, **options, checkpoint=str(tmp_path / "state"))

    def killed(epoch, model):
        if epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cut.fit(train[:24], test, seed=5, on_epoch=killed)
    seen = []
    resumed = cut.fit(train[:24], test, seed=5, on_epoch=lambda epoch, _: seen.append(epoch))
    assert seen == [3, 4]
    for name, value in whole.learned.arrays.items():
        assert (resumed.learned.arrays[name] == value).all(), name
    with pytest.raises(TreegaugeError, match="not a checkpoint of this training"):
        cut.fit(train[:24], test, seed=6)


def test_the_best_epoch_on_dev_is_kept_and_training_stops(train, test):
    seen = []
    parser = make("biaffine", epochs=40, patience=2)
    model = parser.fit(train[:20], test, seed=1, on_epoch=lambda e, m: seen.append((e, m)))
    assert len(seen) < 40
    best = max(seen, key=lambda pair: _las(pair[1], test))
    assert _las(model, test) >= _las(best[1], test) - 0.05
    assert seen[-1][0] >= 3


def _las(model, gold):
    parsed = model.parse(gold)
    same = np.array(parsed["deprel"].to_list()) == np.array(gold["deprel"].to_list())
    return float(((parsed.head == gold.head) & same).mean())


@pytest.mark.parametrize("kind", KINDS)
def test_odd_treebanks(kind):
    one_word = sentence([("Ja", 0, "root")])
    chain = [(f"w{i % 7}", i, "dep") for i in range(1, 500)]
    long = sentence([("w0", 0, "root"), *chain])
    model = make(kind, epochs=1).fit(parse_conllu(one_word + one_word + long), seed=0)
    strange = parse_conllu(sentence([("\U0001f600\u0416", 2, "dep"), ("ja", 0, "root")]) + one_word)
    for given in (strange, parse_conllu(long), parse_conllu("")):
        parsed = model.parse(given)
        assert trees.is_tree(parsed.head, parsed.offsets).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_treebank_with_one_relation(kind):
    text = sentence([("a", 2, "root"), ("b", 0, "root"), ("c", 2, "root")]) * 3
    gold = parse_conllu(text)
    parsed = make(kind, epochs=1).fit(gold, seed=0).parse(gold)
    assert set(parsed["deprel"]) == {"root"}
    assert trees.is_tree(parsed.head, parsed.offsets).all()


@pytest.mark.parametrize("encoding", ["two-planar", "hierarchical"])
def test_other_encodings(encoding, train, test):
    model = make("labelling", epochs=1, encoding=encoding).fit(train, seed=0)
    parsed = model.parse(test)
    assert trees.is_tree(parsed.head, parsed.offsets).all()


def test_labels_are_read_as_the_tree_that_is_best_on_average(models, test):
    model = models["labelling"]
    shares = model.head_probabilities(test)
    by_labels = replace(model, options=replace(model.options, decoder="labels"))

    def expected(parsed):
        found = [own[np.arange(len(own)), parsed[i].head] for i, own in enumerate(shares)]
        return np.concatenate(found).sum()

    ours, theirs = model.parse(test), by_labels.parse(test)
    assert trees.is_tree(theirs.head, theirs.offsets).all()
    assert expected(ours) >= expected(theirs) - 1e-9
    # What only training needs is not kept.
    assert not any(name.startswith("arc.") for name in model.learned.arrays)


def test_relations_are_chosen_at_heads_or_as_labels(models, train, test):
    model = models["labelling"]
    at_heads = model.relation_probabilities(test)
    elsewhere = test.with_columns({"head": model.parse(test).head})
    changed = (elsewhere.head != test.head) & (abs(at_heads - model.relation_probabilities(elsewhere)).max(1) > 0)
    assert changed.any()
    # A parsed tree's relations are the likeliest legal ones at its own heads.
    parsed = model.parse(test)
    shares = model.relation_probabilities(parsed)
    root = model.relations.index("root")
    shares[:, root] = np.where(parsed.head == 0, 2, -1)
    assert (np.array(model.relations)[shares.argmax(1)] == parsed["deprel"].to_list()).all()
    as_labels = make("labelling", epochs=1, relations="label").fit(train, seed=0)
    same = as_labels.relation_probabilities(test) == as_labels.relation_probabilities(elsewhere)
    assert same.all()
    assert not any(name.startswith("relation.") for name in as_labels.learned.arrays)


def test_plain_labels_learn_nothing_else(train, test):
    """The parser as first published: labels alone, read as they are."""
    options = {"relations": "label", "arc_weight": 0, "decoder": "labels", "encoding": "two-planar"}
    model = make("labelling", epochs=1, **options).fit(train, seed=0)
    assert trees.is_tree(model.parse(test).head, test.offsets).all()


def test_arcs_as_a_second_task_change_labels(train, models):
    alone = make("labelling", epochs=2, arc_weight=0).fit(train, seed=0)
    both = make("labelling", epochs=2).fit(train, seed=0)
    names = alone.learned.arrays.keys()
    assert names == both.learned.arrays.keys()
    moved = [abs(alone.learned.arrays[n] - both.learned.arrays[n]).max() > 0 for n in names]
    assert any(moved)


def test_decoders_and_beams(models, train, test):
    from dataclasses import replace

    model = models["biaffine"]
    projective = replace(model, options=replace(model.options, decoder="projective")).parse(test)
    assert trees.is_projective(projective.head, projective.offsets).all()
    greedy = replace(model, options=replace(model.options, decoder="greedy")).parse(test)
    best = np.concatenate([matrix.argmax(1) for matrix in model.head_probabilities(test)])
    whole = np.repeat(trees.is_tree(best, test.offsets), test.lengths)
    assert whole.mean() > 0
    assert (greedy.head == best)[whole].all()
    assert trees.is_tree(greedy.head, greedy.offsets).all()


def test_a_beam_lets_relations_decide(models, test):
    """The tree is the best under log p(head) + max log p(relation | head), head by head."""
    pointer = models["pointer"]
    first = test[:4]
    arcs = pointer.head_probabilities(first)
    most = int(first.lengths.max())
    relations = np.zeros((first.n_words, most + 1))
    for head in range(most + 1):
        heads = np.minimum(head, np.repeat(first.lengths, first.lengths))
        heads = np.where(heads == first.positions, 0, heads)
        data = pointer.learned.vocabulary.encode(first)
        from dataclasses import replace

        from treegauge.parsing.neural.predicting import Predictor

        asked = Predictor(pointer.learned.arrays, replace(data, heads=heads.astype(np.int32)), pointer.options)
        relations[:, head] = asked.relation_log_probabilities().max(1)
    expected, plain = [], []
    for at, matrix in zip(first.offsets[:-1], arcs, strict=True):
        n = len(matrix)
        scores = np.zeros((n + 1, n + 1))
        for table, extra in ((expected, relations[at : at + n, : n + 1]), (plain, 0)):
            scores[:, 1:] = (np.log(matrix + 1e-12) + extra).T
            table.append(spanning_tree(scores))
    assert (pointer.parse(first).head == np.concatenate(expected)).all()
    narrow = replace(pointer, options=replace(pointer.options, beam=1))
    assert (narrow.parse(first).head == np.concatenate(plain)).all()


@pytest.mark.parametrize("kind", ["biaffine", "pointer"])
def test_trees_may_be_found_side_by_side(kind, models, test):
    model = models[kind]
    with ThreadPoolExecutor(3) as pool:
        heads, _ = model.predictor(test).parse(spanning_tree, model.of_roots, pool.map)
    assert (heads == model.parse(test).head).all()


def test_batches_by_words_and_options(train):
    make("biaffine", epochs=1, batch_tokens=50).fit(train[:10], seed=0)
    with pytest.raises(ChoiceError, match="spanning"):
        make("biaffine", decoder="best")
    with pytest.raises(TreegaugeError, match="option device"):
        make("biaffine", device="gpu?").fit(train, seed=0)


def test_without_torch_the_extra_is_named(monkeypatch):
    monkeypatch.setattr("treegauge.parsing.neural.options.find_spec", lambda name: None)
    with pytest.raises(TreegaugeError, match=r"treegauge\[neural\]"):
        make_parser("biaffine")


def test_options_are_listed_without_torch():
    import subprocess

    code = (
        "import sys\nfrom treegauge.parsing.registry import parsers\n"
        "text = str(parsers()) + str(parsers('biaffine'))\nassert 'biaffine' in text and 'torch' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
