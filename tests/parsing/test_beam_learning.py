"""The weights and relations of the beam parser against a learner in plain Python."""

import numpy as np
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.kernels.beam_search import Search
from treegauge.kernels.beam_weights import BeamWeights
from treegauge.parsing.beam import BeamParser, _Training, label_table
from treegauge.parsing.beam_model import BeamOptions, BeamVocabulary, ending
from treegauge.parsing.tag_sources import GOLD
from treegauge.treebanks.data import trees

from .arc_eager import LEFT, State, features, least_losses
from .beams import TRAIN, conllu


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
                    found.append((total, after, good and wanted == label, [*past, (names, kind, label)]))
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
    options = BeamOptions(beam=3, epochs=3, margin=margin)
    vocabulary = BeamVocabulary.of(treebank, options)
    relations = vocabulary.relations
    words = vocabulary.words(treebank, options)
    label_numbers = relations.column(treebank.codes("deprel"))
    table = label_table(treebank, words.tag, label_numbers, vocabulary.tags.size)
    number = {"none": 1, "root": 2, **{t: i for i, t in enumerate(vocabulary.tags.values, 3)}}

    def labels(dependent, head, direction):
        start, stop = table.bounds[number[dependent], number[head], direction]
        return [relations.values[label] for label in table.labels[start:stop]]

    naive = Naive(options, labels, vocabulary.tags)
    weights = BeamWeights(vocabulary.actions)
    search = Search(words, options.templates, table, weights, options.beam)
    seen = [[(form, tag, ending(3)(form)) for form, tag, _, _ in one] for one in drawn]
    random = np.random.default_rng(0)
    for epoch in range(options.epochs):
        order = random.permutation(len(drawn))
        search.learn(treebank.head, label_numbers, order, epoch * len(drawn), margin)
        for one in order:
            naive.learn(seen[one], [w[2] for w in drawn[one]], [w[3] for w in drawn[one]])
    average = naive.average()
    assert max(average.values()) > 1
    rows = weights.averaged(options.epochs * len(drawn))
    finished = BeamWeights.restored(*rows, vocabulary.actions)
    search = Search(words, options.templates, table, finished, 1)
    compared = 0
    for one, shown in enumerate(seen):
        search.begin(one)
        item, state = 0, State()
        for _ in range(2 * len(shown)):
            sums = search.scores(item)
            names = features(state, shown)
            for kind in (0, 1):
                assert sums[kind] == pytest.approx(naive.score(average, names, kind, None), abs=1e-4)
            for kind in (LEFT, LEFT + 1):
                for label, name in enumerate(relations.values):
                    found = sums[2 + 2 * label + kind - LEFT] + sums[-2 + kind - LEFT]
                    assert found == pytest.approx(naive.score(average, names, kind, name), abs=1e-4)
                    compared += 1
            kind = int(random.choice(state.valid(len(shown))))
            label = int(random.integers(len(relations))) if kind >= LEFT else 0
            action = 2 + 2 * label + kind - LEFT if kind >= LEFT else kind
            item = search.act(item, action)
            state = state.after(kind, relations.values[label])
    assert compared > 500


def test_rows_of_weights_keep_what_was_added():
    """The table against a dictionary: growing rows, dense rows, growing table."""
    random = np.random.default_rng(1)
    weights = BeamWeights(40, 16, 4, 1)
    expected, totals = {}, {}
    features_ = random.integers(1, 2**63, 300).astype(np.uint64) | np.uint64(1)
    for clock in range(8000):
        key, action = int(random.choice(features_[: 1 + clock // 20])), int(random.integers(40))
        change = float(random.choice([-1, 1]))
        weights.change(key, action, change, clock)
        expected[key, action] = expected.get((key, action), 0) + change
        totals[key, action] = totals.get((key, action), 0) + change * clock
    keys, bounds, actions, values = weights.averaged(8000)
    found = {
        (int(key), int(actions[place])): float(values[place])
        for row, key in enumerate(keys)
        for place in range(bounds[row], bounds[row + 1])
    }
    means = {one: np.float32(w - totals[one] / 8000) for one, w in expected.items()}
    assert found == {one: value for one, value in means.items() if value != 0}
    finished = BeamWeights.restored(keys, bounds, actions, values, 40)
    assert finished.sums(features_[:1]).tolist() == [means.get((int(features_[0]), action), 0) for action in range(40)]


def dense(model):
    """Give a model's weights as a dictionary."""
    keys, bounds, actions, values = model.rows
    names = zip(np.repeat(keys, np.diff(bounds)).tolist(), actions.tolist(), strict=True)
    return dict(zip(names, values.tolist(), strict=True))


def test_the_weights_of_learners_are_averaged():
    """Learners go on from one generator, so that with one epoch each can be had alone."""
    train = TRAIN[:12]
    together = BeamParser(BeamOptions(epochs=1, learners=3)).fit(train, seed=4)
    random, alone = np.random.default_rng(4), []
    for _ in range(3):
        training = _Training(BeamOptions(epochs=1, learners=1), train, GOLD)
        training.learn(random)
        alone.append(dense(training.model()))
    names = set().union(*alone)
    assert not alone[0].keys() == alone[1].keys() == alone[2].keys()
    expected = {name: sum(one.get(name, 0) for one in alone) / 3 for name in names}
    assert dense(together) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_relations_to_try():
    treebank = conllu(
        [("a", "X", 2, "p"), ("b", "Y", 0, "root"), ("c", "X", 2, "q")], [("a", "Y", 2, "r"), ("b", "X", 0, "top")]
    )
    vocabulary = BeamVocabulary.of(treebank, BeamOptions())
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


def test_sentences_in_a_given_order():
    treebank = conllu(*random_trees(20, seed=5))
    parser = BeamParser(BeamOptions(epochs=2, learners=1))
    backwards = np.arange(20)[::-1]
    ordered = parser.fit(treebank, seed=0, order=lambda epoch: backwards)
    turned = parser.fit(treebank.take(backwards), seed=0, order=lambda epoch: np.arange(20))
    asked = []
    other = parser.fit(treebank, seed=0, order=lambda epoch: asked.append(epoch) or np.arange(20))
    # Features have other numbers where words come in another order; their weights are the same.
    weights = [np.sort(model.rows[3]).tolist() for model in (ordered, turned, other)]
    assert weights[0] == weights[1]
    assert weights[0] != weights[2]
    assert asked == [1, 2]


@pytest.mark.parametrize("order", [[0, 1], [0, 1, 1], [0, 1, 3]])
def test_an_order_must_have_every_sentence_once(order):
    treebank = conllu(*random_trees(3, seed=5))
    with pytest.raises(TreegaugeError, match="order of epoch 1 must have each of the 3 training"):
        BeamParser().fit(treebank, seed=0, order=lambda epoch: np.array(order))
