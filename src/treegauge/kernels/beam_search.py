"""Beam search over arc-eager derivations, and learning from where it fails.

As long as some item of the beam is correct (all of its actions had the least cost), nothing is
learned. When the last one falls out, the weights of the best correct action and of the derivation
before it are raised by 1, those of the best item are lowered by 1, and the search continues from
that item, from which the cheapest actions now are the correct ones (Aufrant et al. 2017).

The search gives incorrect actions a `margin` for each head that they put out of reach and for an
incorrect label, so that correct items stay only if they are ahead by as much. Without it, learning
would stop as soon as all training sentences are correct, which takes few steps if there are few.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.kernels.beam_scores import (
    BeamSentence,
    Memory,
    Templates,
    features,
    forget,
    memory,
    scores,
)
from treegauge.kernels.beam_states import (
    ARCS,
    NONE,
    ROOT,
    Arena,
    Gold,
    Int,
    act,
    arena,
    begin,
    costs,
    gold_tree,
    is_left,
    mislabels,
    valid,
)
from treegauge.kernels.beam_weights import BeamWeights, Floats, add, roomy
from treegauge.kernels.jit import inner, kernel, part

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


class BeamWords(NamedTuple):
    """A treebank as numbers."""

    form: Ints
    tag: Ints
    ending: Ints
    offsets: Ints


class Labels(NamedTuple):
    """Labels to try, by the tags of dependent and head and by direction (0 is to the left).

    ``bounds[dependent, head, direction]`` says where in `labels` they begin and end.
    """

    bounds: Ints
    labels: Ints


class Learned(NamedTuple):
    """What scores depend on."""

    templates: Templates
    labels: Labels
    weights: BeamWeights


class BeamCandidates(NamedTuple):
    """Actions of items, from best to worst."""

    score: Doubles
    item: Longs
    action: Longs
    correct: npt.NDArray[np.bool_]


class Search(NamedTuple):
    """Room to search in; the items of the beam are ``beam[0]..beam[1] - 1``.

    `found` holds the best actions of the beam's items, `right` the best correct one of all.
    """

    states: Arena
    memory: Memory
    sums: Floats
    cost: Ints
    beam: Longs
    found: BeamCandidates
    right: BeamCandidates


def _candidates(size: Int) -> BeamCandidates:
    return BeamCandidates(
        np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.bool_)
    )


def search_room(words: BeamWords, learned: Learned, beam: Int) -> Search:
    """Make room to search all sentences of a treebank one after the other."""
    actions = learned.weights.matrix.shape[1]
    longest = int(np.diff(words.offsets).max(initial=0))
    return Search(
        arena(longest, beam), memory(actions, learned.templates), np.zeros(actions, np.float32),
        np.zeros(4, np.int32), np.zeros(2, np.int64), _candidates(beam), _candidates(1),
    )  # fmt: skip


@part
def sentence_of(words: BeamWords, number: Int) -> BeamSentence:
    """Set a sentence up with its root and with places for no word."""
    start = words.offsets[number]
    length = np.int64(words.offsets[number + 1] - start)
    form = np.full(length + 4, NONE, np.uint64)
    tag = np.full(length + 4, NONE, np.uint64)
    ending = np.full(length + 4, NONE, np.uint64)
    form[length + 1] = ROOT
    tag[length + 1] = ROOT
    ending[length + 1] = ROOT
    for word in range(length):
        form[word + 1] = words.form[start + word]
        tag[word + 1] = words.tag[start + word]
        ending[word + 1] = words.ending[start + word]
    return BeamSentence(form, tag, ending, length)


@inner
def start(search: Search, correct: Int) -> None:
    """Put the first state of a new sentence into the beam."""
    forget(search.memory)
    begin(search.states, correct)
    search.beam[0] = 0
    search.beam[1] = 1


@inner
def _offer(
    found: BeamCandidates, count: Int, score: float, item: Int, action: Int, correct: bool
) -> Int:
    """Put a candidate in its place if it is among the best; ties keep their order."""
    if count == len(found.score):
        if score <= found.score[count - 1]:
            return count
        count -= 1
    place = count
    while place > 0 and found.score[place - 1] < score:
        found.score[place] = found.score[place - 1]
        found.item[place] = found.item[place - 1]
        found.action[place] = found.action[place - 1]
        found.correct[place] = found.correct[place - 1]
        place -= 1
    found.score[place] = score
    found.item[place] = item
    found.action[place] = action
    found.correct[place] = correct
    return count + 1


@inner
def step(
    search: Search, sentence: BeamSentence, learned: Learned, gold: Gold, margin: float
) -> None:  # fmt: skip
    """Replace the beam by the best states that follow.

    Of each item, LEFT and RIGHT are tried with their best labels alone, for a beam full of labels
    would see few trees. Items marked as correct pass that on along actions of the least cost. Where
    there is a gold tree, actions score `margin` more for each unit that they cost above the least.
    """
    states, sums, cost = search.states, search.sums, search.cost
    found, right, labels = search.found, search.right, learned.labels
    tied, learning = len(sums) - 2, len(gold.dependents) > 0
    count, rights = np.int64(0), np.int64(0)
    for number in range(search.beam[0], search.beam[1]):
        scores(states, number, sentence, learned.templates, learned.weights, search.memory, sums)
        item, may = states.items[number], valid(states, number, sentence.length)
        least = np.int32(0)
        if learning:
            costs(states, number, gold, cost)
            least = np.int32(2 * sentence.length)
            for kind in range(4):
                if may[kind]:
                    least = min(least, cost[kind])
        top = states.nodes[item.top].word
        for kind in range(4):
            if not may[kind]:
                continue
            lost = cost[kind] - least
            correct = item.correct != 0 and lost == 0
            action, score, side = np.int64(kind), item.score, np.int64(kind) - ARCS
            dependent = top if kind == ARCS else item.front
            if kind >= ARCS:
                head = item.front if kind == ARCS else top
                bounds = labels.bounds[sentence.tag[dependent], sentence.tag[head], side]
                action = ARCS + 2 * np.int64(labels.labels[bounds[0]]) + side
                for place in range(bounds[0] + 1, bounds[1]):
                    other = ARCS + 2 * np.int64(labels.labels[place]) + side
                    if sums[other] > sums[action]:
                        action = other
                score += sums[tied + side]
            mislabelled = learning and mislabels(states, number, gold, action)
            good = correct and not mislabelled
            total = score + sums[action] + margin * (lost + mislabelled)
            count = _offer(found, count, total, number, action, good)
            if correct and not good:
                action = ARCS + 2 * np.int64(gold.label[dependent]) + side
            if correct:
                rights = _offer(right, rights, score + sums[action], number, action, correct)
    search.beam[0] = states.used[0]
    for place in range(count):
        after = act(states, found.item[place], found.action[place])
        states.items[after].score = found.score[place]
        states.items[after].correct = found.correct[place]
    search.beam[1] = states.used[0]


@kernel
def parse_all(words: BeamWords, learned: Learned, search: Search) -> tuple[Ints, Ints]:
    """Parse every sentence; give heads (0 is the root) and labels."""
    heads = np.zeros(len(words.form), np.int32)
    labels = np.zeros(len(words.form), np.int32)
    nothing = gold_tree(heads[:0], labels[:0])
    states = search.states
    for number in range(len(words.offsets) - 1):
        sentence = sentence_of(words, number)
        start(search, np.int64(0))
        for _ in range(2 * sentence.length):
            step(search, sentence, learned, nothing, 0.0)
        before = words.offsets[number] - 1
        at = search.beam[0]
        while states.items[at].previous >= 0:
            action = states.items[at].action
            at = states.items[at].previous
            if action >= ARCS:
                top, front = states.nodes[states.items[at].top].word, states.items[at].front
                dependent, head = (top, front) if is_left(action) else (front, top)
                heads[before + dependent] = head if head <= sentence.length else 0
                labels[before + dependent] = (action - ARCS) >> 1
    return heads, labels


@part
def _update(
    search: Search, good: Int, good_action: Int, bad: Int, bad_action: Int, sentence: BeamSentence,
    learned: Learned, clock: float,
) -> BeamWeights:  # fmt: skip
    """Raise the weights of one derivation and lower those of the other, back to where they part."""
    states, items, keys = search.states, search.states.items, search.memory.keys
    weights, tied = learned.weights, len(search.sums) - 2
    forget(search.memory)
    while True:
        for way in range(2):
            number, action = (good, good_action) if way == 0 else (bad, bad_action)
            count = features(states, number, sentence, learned.templates, search.memory.atoms, keys)
            weights = roomy(weights, keys, count)
            change = 1.0 - 2.0 * way
            for place in range(count):
                add(weights, keys[place], action, change, clock)
                if action >= ARCS and tied > ARCS + 2:
                    add(weights, keys[place], tied + (action - ARCS) % 2, change, clock)
        if good == bad:
            return weights
        good_action, good = items[good].action, items[good].previous
        bad_action, bad = items[bad].action, items[bad].previous


@kernel
def learn_all(
    words: BeamWords, heads: Ints, labels: Ints, order: Longs, learned: Learned, search: Search,
    seen: Int, margin: float,
) -> BeamWeights:  # fmt: skip
    """Learn from sentences in the order given, after `seen` ones; give the new weights."""
    states, found, right = search.states, search.found, search.right
    for turn in range(len(order)):
        begins, ends = words.offsets[order[turn]], words.offsets[order[turn] + 1]
        gold = gold_tree(heads[begins:ends], labels[begins:ends])
        sentence = sentence_of(words, order[turn])
        clock = float(seen + turn)
        start(search, np.int64(1))
        for number in range(2 * sentence.length):
            step(search, sentence, learned, gold, margin)
            first, survives = int(search.beam[0]), -1
            for item in range(search.beam[1] - 1, first - 1, -1):
                if states.items[item].correct:
                    survives = item
            last = number == 2 * sentence.length - 1
            if survives == first or (survives > 0 and not last):
                continue
            good, good_action = right.item[0], right.action[0]
            bad, bad_action = found.item[0], found.action[0]
            weights = _update(search, good, good_action, bad, bad_action, sentence, learned, clock)
            learned = Learned(learned.templates, learned.labels, weights)
            search.beam[1] = first + 1
            states.items[first].correct = 1
            states.items[first].score = 0.0
    return learned.weights
