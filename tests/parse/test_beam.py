"""The beam parser: what it learns, what it makes of odd input, its files."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge._jit import kernel
from treegauge.errors import TreegaugeError
from treegauge.parse.perceptron import _scores, _search, _states, _weights
from treegauge.parse.perceptron._learning import learn_all
from treegauge.parse.perceptron.labels import label_table
from treegauge.parse.perceptron.parser import BeamModel, BeamParser, Options, _Training
from treegauge.parse.perceptron.settings import Vocabulary
from treegauge.parse.registry import load_model, make_parser
from treegauge.parse.storage import load_archive, save_model
from treegauge.parse.vocabulary import ending
from treegauge.treebank import trees
from treegauge.treebank._grammar.dials import Grammar
from treegauge.treebank.conllu import parse_conllu, read_splits
from treegauge.treebank.synthetic import synthetic

from .arc_eager import LEFT, State, features, least_losses

act, begin = kernel(_states.act.py_func), kernel(_states.begin.py_func)
forget, scores = kernel(_scores.forget.py_func), kernel(_scores.scores.py_func)
sentence_of = kernel(_search.sentence_of.py_func)
accumulate, add, roomy = (
    kernel(one.py_func) for one in (_weights.accumulate, _weights.add, _weights.roomy)
)
TRAIN, TEST = synthetic(200, seed=1), synthetic(60, seed=2)


def conllu(*sentences):
    """Make a treebank of sentences of (form, tag, head, relation)."""
    blocks = [
        "".join(
            f"{i}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n"
            for i, (form, tag, head, relation) in enumerate(words, 1)
        )
        for words in sentences
    ]
    return parse_conllu("\n".join([*blocks, ""]), allow=["several-roots", "cycle", "no-root"])


def right(parsed, gold):
    heads = parsed.head == gold.head
    return heads.mean(), (heads & (parsed["deprel"] == gold["deprel"]).to_numpy()).mean()


@pytest.fixture(scope="module")
def model():
    return BeamParser(Options(epochs=4)).fit(TRAIN, seed=0)


# learning


def random_trees(count, seed):
    """Draw projective trees of one to five words."""
    random = np.random.default_rng(seed)
    drawn = []
    while len(drawn) < count:
        length = int(random.integers(1, 6))
        heads = random.integers(0, length + 1, length)
        if trees.is_tree(heads)[0] and trees.is_projective(heads)[0]:
            forms, tags = random.choice(list("abcdef"), length), random.choice(list("XYZ"), length)
            names = [str(random.choice(["p", "q"])) if head else "root" for head in heads]
            drawn.append(list(zip(forms, tags, heads.tolist(), names, strict=True)))
    return drawn


class Naive:
    """The learner in plain Python; `average` is the mean of all weights after each sentence."""

    def __init__(self, options, labels, tags):
        self.options, self.labels, self.tags = options, labels, tags
        self.weights, self.total = {}, {}
        self.sentences = 0

    def average(self):
        return {key: value / self.sentences for key, value in self.total.items()}

    def score(self, weights, names, kind, label):
        keys = [(kind, label), (kind,)] if kind >= LEFT else [(kind,)]
        return sum(weights.get((name, key), 0) for name in names for key in keys)

    def choices(self, state, words):
        """Yield kind and label of the actions to try, each arc with its best label."""
        names = features(state, words)
        tag = {0: "none", len(words) + 1: "root", **{i: w[1] for i, w in enumerate(words, 1)}}
        for kind in state.valid(len(words)):
            label = None
            if kind >= LEFT:
                top, front = state.stack[-1], state.front
                pair = (top, front) if kind == LEFT else (front, top)
                legal = self.labels(tag[pair[0]], tag[pair[1]], kind - LEFT)
                label = max(legal, key=lambda one: self.score(self.weights, names, kind, one))
            yield kind, label, names

    def learn(self, words, heads, gold_labels):
        least, length = least_losses(heads), len(words)
        gold = {d: (h or length + 1, gold_labels[d - 1]) for d, h in enumerate(heads, 1)}
        beam = [(0, State(), True, [])]
        for step in range(2 * length):
            found, best = [], None
            for score, state, correct, past in beam:
                kinds = state.valid(length)
                low = min(least(state.after(kind)) for kind in kinds)
                for kind, label, names in self.choices(state, words):
                    after = state.after(kind, label)
                    lost = least(state.after(kind)) - low
                    good = correct and lost == 0
                    wanted = label
                    if kind >= LEFT:
                        dependent, head, _ = after.arcs[-1]
                        wanted = gold[dependent][1] if gold[dependent][0] == head else label
                    total = score + self.score(self.weights, names, kind, label)
                    total += self.options.margin * (lost + (wanted != label))
                    found.append(
                        (total, after, good and wanted == label, [*past, (names, kind, label)])
                    )
                    if good:
                        total = score + self.score(self.weights, names, kind, wanted)
                        if best is None or total > best[0]:
                            best = (total, [*past, (names, kind, wanted)])
            beam = sorted(found, key=lambda one: -one[0])[: self.options.beam]
            last = step == 2 * length - 1
            if not any(one[2] for one in beam) or (last and not beam[0][2]):
                self.update(best[1], beam[0][3])
                beam = [(0, beam[0][1], True, [])]
        self.sentences += 1
        for key, value in self.weights.items():
            self.total[key] = self.total.get(key, 0) + value

    def update(self, good, bad):
        first = next(i for i, (g, b) in enumerate(zip(good, bad, strict=True)) if g[1:] != b[1:])
        for past, change in ((good, 1), (bad, -1)):
            for names, kind, label in past[first:]:
                for name in names:
                    for key in [(kind, label), (kind,)] if kind >= LEFT else [(kind,)]:
                        self.weights[name, key] = self.weights.get((name, key), 0) + change


@pytest.mark.parametrize("margin", [0, 30])
def test_learned_averages_equal_naive_averaging(margin):
    """Scores of all actions in many states, from averages learned twice."""
    drawn = random_trees(25, seed=3)
    treebank = conllu(*drawn)
    options = Options(beam=3, epochs=3, margin=margin)
    vocabulary = Vocabulary.of(treebank, options)
    relations = vocabulary.relations
    words = vocabulary.words(treebank, options)
    label_numbers = relations.column(treebank.codes("deprel"))
    table = label_table(treebank, words.tag, label_numbers, vocabulary.tags.size)
    number = {"none": 1, "root": 2, **{t: i for i, t in enumerate(vocabulary.tags.values, 3)}}

    def labels(dependent, head, direction):
        start, stop = table.bounds[number[dependent], number[head], direction]
        return [relations.values[label] for label in table.labels[start:stop]]

    naive = Naive(options, labels, vocabulary.tags)
    weights = _weights.empty(1 << 12, 1 << 14, 1 << 6, vocabulary.actions)
    seen = [[(form, tag, ending(3)(form)) for form, tag, _, _ in one] for one in drawn]
    random = np.random.default_rng(0)
    for epoch in range(options.epochs):
        order = random.permutation(len(drawn))
        learned = _search.Learned(options.templates, table, weights)
        search = _search.search_room(words, learned, options.beam)
        weights = learn_all(
            words, np.array(treebank.head), label_numbers, order, learned, search,
            epoch * len(drawn), float(margin),
        )  # fmt: skip
        for one in order:
            naive.learn(seen[one], [w[2] for w in drawn[one]], [w[3] for w in drawn[one]])
    average = naive.average()
    assert max(average.values()) > 1
    finished = _weights.restored(
        *_weights.averaged(weights, options.epochs * len(drawn)), vocabulary.actions
    )
    compared = 0
    memory = _scores.memory(vocabulary.actions, options.templates)
    sums = np.zeros(vocabulary.actions, np.float32)
    for one, shown in enumerate(seen):
        sentence = sentence_of(words, one)
        arena = _states.arena(len(shown), 1)
        forget(memory)
        begin(arena, 0)
        item, state = 0, State()
        for _ in range(2 * len(shown)):
            scores(arena, item, sentence, options.templates, finished, memory, sums)
            names = features(state, shown)
            for kind in (0, 1):
                assert sums[kind] == pytest.approx(
                    naive.score(average, names, kind, None), abs=1e-4
                )
            for kind in (LEFT, LEFT + 1):
                for label, name in enumerate(relations.values):
                    found = sums[2 + 2 * label + kind - LEFT] + sums[-2 + kind - LEFT]
                    assert found == pytest.approx(naive.score(average, names, kind, name), abs=1e-4)
                    compared += 1
            kind = int(random.choice(state.valid(len(shown))))
            label = int(random.integers(len(relations))) if kind >= LEFT else 0
            action = 2 + 2 * label + kind - LEFT if kind >= LEFT else kind
            item = act(arena, item, action)
            state = state.after(kind, relations.values[label])
    assert compared > 500


def test_rows_of_weights_keep_what_was_added():
    """The table against a dictionary: growing rows, dense rows, growing table."""
    random = np.random.default_rng(1)
    weights = _weights.empty(16, 4, 1, 40)
    expected, totals = {}, {}
    features_ = random.integers(1, 2**63, 300).astype(np.uint64) | np.uint64(1)
    for clock in range(8000):
        key, action = int(random.choice(features_[: 1 + clock // 20])), int(random.integers(40))
        change = float(random.choice([-1, 1]))
        weights = roomy(weights, np.array([key], np.uint64), 1)
        add(weights, np.uint64(key), action, change, float(clock))
        expected[key, action] = expected.get((key, action), 0) + change
        totals[key, action] = totals.get((key, action), 0) + change * clock
    keys, bounds, actions, values = _weights.averaged(weights, 8000)
    found = {
        (int(key), int(actions[place])): float(values[place])
        for row, key in enumerate(keys)
        for place in range(bounds[row], bounds[row + 1])
    }
    means = {one: np.float32(w - totals[one] / 8000) for one, w in expected.items()}
    assert found == {one: value for one, value in means.items() if value != 0}
    sums = np.zeros(40, np.float32)
    finished = _weights.restored(keys, bounds, actions, values, 40)
    accumulate(finished, features_[:1].copy(), 1, sums)
    assert sums.tolist() == [means.get((int(features_[0]), action), 0) for action in range(40)]


def test_it_learns_heads_and_relations(model):
    uas, las = right(model.parse(TEST), TEST)
    assert uas > 0.8
    assert las > 0.75


def test_real_sentences(ud):
    parts = read_splits(ud / "r2.9" / "UD_Telugu-MTG")
    uas, las = right(BeamParser().fit(parts["train"], seed=1).parse(parts["dev"]), parts["dev"])
    assert uas > 0.9
    assert las > 0.79


def test_an_unlabelled_parser_writes_plain_relations():
    model = BeamParser(Options(labelled=False, epochs=3)).fit(TRAIN, seed=0)
    parsed = model.parse(TEST)
    assert right(parsed, TEST)[0] > 0.75
    expected = ["root" if head == 0 else "dep" for head in parsed.head]
    assert parsed["deprel"].to_list() == expected


def test_delexicalised_models_do_not_see_forms():
    model = BeamParser(Options(lexical=False, epochs=2)).fit(TRAIN, seed=0)
    other = TEST.with_columns({"form": ["x"] * TEST.n_words})
    assert model.parse(other).head.tolist() == model.parse(TEST).head.tolist()
    assert not model.vocabulary.forms.values and not model.vocabulary.endings.values


def test_a_wider_beam_scores_trees_higher(model):
    """Greedy search of the same weights finds other trees, and fewer right ones."""
    greedy = BeamModel(Options(beam=1), model.vocabulary, model.labels, model.rows)
    assert greedy.parse(TEST).head.tolist() != model.parse(TEST).head.tolist()
    assert right(greedy.parse(TEST), TEST)[0] <= right(model.parse(TEST), TEST)[0]


def test_trees_that_are_not_projective_are_learned_from():
    rough = synthetic(80, Grammar(nonprojectivity=0.8), seed=3)
    parsed = BeamParser(Options(epochs=3)).fit(rough, seed=0).parse(rough)
    assert trees.is_projective(parsed.head, parsed.offsets).all()
    assert right(parsed, rough)[0] > 0.8


def test_epochs_are_told_and_the_last_is_kept():
    told = []

    def on_epoch(epoch, model):
        told.append((epoch, model.parse(TEST)))

    model = BeamParser(Options(epochs=3)).fit(TRAIN[:40], TEST, seed=2, on_epoch=on_epoch)
    assert [epoch for epoch, _ in told] == [1, 2, 3]
    assert told[0][1] != told[2][1] == model.parse(TEST)


def dense(model):
    """Give a model's weights as a dictionary."""
    keys, bounds, actions, values = model.rows
    names = zip(np.repeat(keys, np.diff(bounds)).tolist(), actions.tolist(), strict=True)
    return dict(zip(names, values.tolist(), strict=True))


def test_the_weights_of_learners_are_averaged():
    """Learners go on from one generator, so that with one epoch each can be had alone."""
    train = TRAIN[:12]
    together = BeamParser(Options(epochs=1, learners=3)).fit(train, seed=4)
    random, alone = np.random.default_rng(4), []
    for _ in range(3):
        training = _Training(Options(epochs=1, learners=1), train)
        training.learn(random)
        alone.append(dense(training.model()))
    names = set().union(*alone)
    assert not alone[0].keys() == alone[1].keys() == alone[2].keys()
    expected = {name: sum(one.get(name, 0) for one in alone) / 3 for name in names}
    assert dense(together) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_margins_and_several_learners_help_after_few_sentences():
    plain, better = [], []
    for start in range(0, 64, 8):
        train = TRAIN[start : start + 8]
        for how, found in (({"margin": 0, "learners": 1}, plain), ({}, better)):
            found.append(right(BeamParser(Options(**how)).fit(train, seed=0).parse(TEST), TEST))
    assert np.mean(better) > np.mean(plain) + 0.02


def test_interrupts_do_not_crash():
    """Whether they come while sentences are learned from or while they are parsed."""
    code = """
import os, signal, threading, time
from treegauge.parse.perceptron.parser import BeamParser, Options
from treegauge.treebank.synthetic import synthetic
treebank = synthetic(2000, seed=1)
model = BeamParser(Options(epochs=1)).fit(treebank[:50], seed=0)
model.parse(treebank[:50])
for work in (lambda: BeamParser(Options(epochs=100)).fit(treebank, seed=0),
             lambda: [model.parse(treebank) for _ in range(100)]):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        work()
    except KeyboardInterrupt:
        print("interrupted")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\n" * 2), done.stderr


# odd input


words = st.tuples(
    st.sampled_from(["a", "ε", "x y", "the"]), st.sampled_from(["NOUN", "VERB", "ODD", "_"])
)


@settings(max_examples=60, deadline=None)
@given(st.lists(words, min_size=1, max_size=30))
def test_anything_becomes_a_tree_with_one_root(sentence):
    lines = [
        f"{i}\t{form}\t_\t{tag}\t_\t_\t_\t_\t_\tm={i}" for i, (form, tag) in enumerate(sentence, 1)
    ]
    treebank = parse_conllu("\n".join([*lines, "", ""]), need_heads=False)
    for model in _small_models():
        parsed = model.parse(treebank)
        assert trees.is_tree(parsed.head)[0]
        assert trees.is_projective(parsed.head)[0]
        assert parsed["deprel"].to_list().count("root") == 1
        assert parsed["misc"].to_list() == treebank["misc"].to_list()


def _small_models():
    if not hasattr(_small_models, "found"):
        _small_models.found = [
            BeamParser(Options(epochs=1, labelled=labelled, beam=beam)).fit(TRAIN[:15], seed=0)
            for labelled, beam in ((True, 1), (True, 8), (False, 4))
        ]
    return _small_models.found


def test_one_word():
    one = conllu([("Go", "VERB", 0, "root")])
    model = BeamParser().fit(one, seed=0)
    parsed = model.parse(one)
    assert (parsed.head.tolist(), parsed["deprel"].to_list()) == ([0], ["root"])
    # no other relation than the root's was ever seen
    assert trees.is_tree(model.parse(TEST).head, TEST.offsets).all()


def test_a_sentence_of_600_words_among_short_ones():
    long = [(f"w{i % 7}", "X", i, "dep" if i else "root") for i in range(600)]
    treebank = conllu(long, [("Go", "VERB", 0, "root")])
    model = BeamParser(Options(epochs=2)).fit(treebank, seed=0)
    assert right(model.parse(treebank), treebank)[0] > 0.95


def test_one_relation():
    treebank = conllu([("a", "X", 2, "dep"), ("b", "Y", 0, "dep")])
    parsed = BeamParser().fit(treebank, seed=0).parse(treebank)
    assert parsed == treebank


def test_more_relations_than_bits():
    many = [(f"w{i}", f"T{i}", i, f"r{i}" if i else "root") for i in range(90)]
    treebank = conllu(many)
    parsed = BeamParser(Options(epochs=3)).fit(treebank, seed=0).parse(treebank)
    assert parsed["deprel"].to_list() == treebank["deprel"].to_list()


def test_nothing_to_parse(model):
    assert len(model.parse(TEST[:0])) == 0


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ([("a", "X", 0, "root"), ("b", "X", 0, "root")], "sentence 2 is no tree"),
        ([("a", "X", 2, "x"), ("b", "X", 1, "x")], "sentence 2 is no tree"),
    ],
)
def test_what_is_no_tree_is_refused(sentence, message):
    fine = [("a", "X", 0, "root")]
    with pytest.raises(TreegaugeError, match=message):
        BeamParser().fit(conllu(fine, sentence), seed=0)
    with pytest.raises(TreegaugeError, match=message):
        BeamParser().fit(TRAIN, conllu(fine, sentence), seed=0)


def test_no_words_and_bad_seeds_are_refused():
    with pytest.raises(TreegaugeError, match="no words to learn from"):
        BeamParser().fit(parse_conllu(""), seed=0)
    with pytest.raises(
        TreegaugeError, match="seed: expected a whole number of at least 0, found -1"
    ):
        BeamParser().fit(TRAIN, seed=-1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beam": 0}, "option beam is 0; expected a whole number from 1 to 1024"),
        ({"epochs": 2.5}, "expected a whole number"),
        ({"margin": -1}, "option margin is -1; expected a number from 0"),
        ({"learners": -1}, "option learners is -1; expected a whole number from 0"),
        ({"labelled": 1}, "expected true or false"),
        ({"epoch": 1}, "unknown option of beam 'epoch'; did you mean 'epochs'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(TreegaugeError, match=message):
        make_parser("beam", **options)


# files


def test_same_seed_same_bytes(tmp_path):
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        BeamParser(Options(epochs=2)).fit(TRAIN[:50], seed=seed).save(tmp_path / name)
    first, again, other = ((tmp_path / name).read_bytes() for name in "abc")
    assert first == again != other


def test_a_loaded_model_is_the_same(model, tmp_path):
    model.save(tmp_path / "m")
    loaded = load_model(tmp_path / "m")
    assert loaded.parse(TEST) == model.parse(TEST)
    assert loaded.options == model.options
    loaded.save(tmp_path / "again")
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()


def test_cut_off_files(model, tmp_path):
    model.save(tmp_path / "m")
    whole = (tmp_path / "m").read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        (tmp_path / "m").write_bytes(whole[:size])
        with pytest.raises(TreegaugeError, match="is not a model of treegauge, or is cut off"):
            load_model(tmp_path / "m")
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 255
    (tmp_path / "m").write_bytes(changed)
    with pytest.raises(TreegaugeError, match="cut off"):
        load_model(tmp_path / "m")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda header, arrays: header.update(version=0), "version 0 of the beam parser"),
        (lambda header, arrays: header.pop("vocabulary"), "damaged model of beam"),
        (lambda header, arrays: header["options"].update(more=1), "damaged model of beam"),
        (lambda header, arrays: arrays.pop("labels"), "damaged model of beam"),
        (lambda header, arrays: arrays["bounds"].__setitem__(1, 10**6), "do not fit together"),
        (lambda header, arrays: arrays["actions"].fill(60000), "do not fit together"),
        (lambda header, arrays: arrays["labels"].fill(-1), "do not fit together"),
        (lambda header, arrays: header["vocabulary"]["tags"].append("X"), "do not fit together"),
    ],
)
def test_models_of_other_versions_and_damaged_ones(model, tmp_path, change, message):
    model.save(tmp_path / "m")
    header, arrays = load_archive(tmp_path / "m")
    change(header, arrays)
    told = {key: value for key, value in header.items() if key not in {"format", "parser"}}
    save_model(tmp_path / "n", "beam", told, arrays)
    with pytest.raises(TreegaugeError, match=message):
        load_model(tmp_path / "n")


def test_relations_to_try():
    treebank = conllu(
        [("a", "X", 2, "p"), ("b", "Y", 0, "root"), ("c", "X", 2, "q")],
        [("a", "Y", 2, "r"), ("b", "X", 0, "top")],
    )
    vocabulary = Vocabulary.of(treebank, Options())
    tags = vocabulary.tags.column(treebank.codes("upos"))
    numbers = vocabulary.relations.column(treebank.codes("deprel"))
    table = label_table(treebank, tags, numbers, vocabulary.tags.size)
    x, y = vocabulary.tags.numbers(["X", "Y"])

    def tried(dependent, head, direction):
        start, stop = table.bounds[dependent, head, direction]
        return {vocabulary.relations.values[label] for label in table.labels[start:stop]}

    assert tried(x, y, 0) == {"p"}  # seen
    assert tried(x, x, 1) == {"q"}  # seen of X with other heads
    assert tried(y, y, 1) == {"p", "q", "r"}  # Y was never attached to the right
    assert tried(0, x, 0) == tried(0, 0, 1) == {"p", "q", "r"}  # unknown tags
    assert tried(x, 0, 0) == {"p"}
    assert [tried(tag, 2, 0) for tag in (y, x, 0)] == [{"root"}, {"top"}, {"root", "top"}]
