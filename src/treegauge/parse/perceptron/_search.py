"""Beam search over arc-eager derivations, and learning from where it goes wrong."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge._jit import kernel
from treegauge.parse.perceptron._oracle import Gold, costs, gold_tree, label_cost
from treegauge.parse.perceptron._scores import Memory, Sentence, features, forget, scores
from treegauge.parse.perceptron._states import ARCS, REDUCE, SHIFT, Arena, act, arena, begin, valid
from treegauge.parse.perceptron._weights import Weights, add, roomy
from treegauge.parse.perceptron.templates import Templates

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]
NONE, ROOT = 1, 2
import os
TICK = bool(os.environ.get('TICK'))
EARLY = bool(os.environ.get('EARLY'))


class Labels(NamedTuple):
    """Labels to try: of dependents, heads and directions by part of speech."""

    bounds: npt.NDArray[np.int32]  # (dependent, head, direction, begin or end)
    labels: Ints


class Words(NamedTuple):
    """A treebank as numbers."""

    form: Ints
    tag: Ints
    suffix: Ints
    offsets: Ints


class Candidates(NamedTuple):
    """The best actions of the items of a beam, from best to worst."""

    score: Doubles
    item: Longs
    action: Longs
    correct: npt.NDArray[np.bool_]


@kernel
def sentence_of(words: Words, number: int) -> Sentence:
    """Set one sentence up with the root and with places for no word."""
    start, stop = words.offsets[number], words.offsets[number + 1]
    length = stop - start
    form = np.full(length + 4, NONE, np.uint64)
    tag = np.full(length + 4, NONE, np.uint64)
    suffix = np.full(length + 4, NONE, np.uint64)
    form[length + 1] = ROOT
    suffix[length + 1] = ROOT
    tag[length + 1] = ROOT
    for word in range(length):
        form[word + 1] = words.form[start + word]
        tag[word + 1] = words.tag[start + word]
        suffix[word + 1] = words.suffix[start + word]
    return Sentence(form, tag, suffix, length)


@kernel
def _offer(found: Candidates, count: int, score: float, item: int, action: int, ok: bool) -> int:
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
    found.correct[place] = ok
    return count + 1


@kernel
def _expand(
    states: Arena, first: int, last: int, sentence: Sentence, templates: Templates,
    weights: Weights, labels: Labels, memory: Memory, sums: npt.NDArray[np.float32],
    gold: Gold, learning: bool, cost: Ints, found: Candidates, right: Candidates,
) -> int:  # fmt: skip
    """Find the best actions of the items first..last-1, and the best correct one."""
    count = 0
    right.item[0] = -1
    tied = len(sums) - 2
    for number in range(first, last):
        item = states.items[number]
        may_shift, may_reduce, may_left, may_right = valid(states, number, sentence.length)
        scores(states, number, sentence, templates, weights, memory, sums)
        least = 0
        judged = learning and item.correct != 0
        if judged:
            least = _least(states, number, gold, cost, may_shift, may_reduce, may_left, may_right)
        base = item.score
        if may_shift:
            ok = judged and cost[0] == least
            count = _offer(found, count, base + sums[SHIFT], number, SHIFT, ok)
            if ok:
                _offer_right(right, base + sums[SHIFT], number, SHIFT)
        if may_reduce:
            ok = judged and cost[1] == least
            count = _offer(found, count, base + sums[REDUCE], number, REDUCE, ok)
            if ok:
                _offer_right(right, base + sums[REDUCE], number, REDUCE)
        top, front = states.nodes[item.top].word, item.front
        for direction in range(2):
            if not (may_left if direction == 0 else may_right):
                continue
            dependent, head = (top, front) if direction == 0 else (front, top)
            bounds = labels.bounds[sentence.tag[dependent], sentence.tag[head], direction]
            right_arc = judged and cost[2 + direction] == least
            best = ARCS + 2 * labels.labels[bounds[0]] + direction
            for place in range(bounds[0] + 1, bounds[1]):
                action = ARCS + 2 * labels.labels[place] + direction
                if sums[action] > sums[best]:
                    best = action
            score = base + (sums[best] + sums[tied + direction])
            ok = right_arc and label_cost(states, number, gold, best) == 0
            count = _offer(found, count, score, number, best, ok)
            if ok:
                _offer_right(right, score, number, best)
            elif right_arc:
                best = ARCS + 2 * gold.label[dependent] + direction
                score = base + (sums[best] + sums[tied + direction])
                _offer_right(right, score, number, best)
    return count


@kernel
def _least(
    states: Arena, number: int, gold: Gold, cost: Ints,
    may_shift: bool, may_reduce: bool, may_left: bool, may_right: bool,
) -> int:  # fmt: skip
    """Write the costs of the actions; give the least of those that may be done."""
    costs(states, number, gold, cost)
    least = np.int32(1 << 30)
    if may_shift:
        least = min(least, cost[0])
    if may_reduce:
        least = min(least, cost[1])
    if may_left:
        least = min(least, cost[2])
    if may_right:
        least = min(least, cost[3])
    return least


@kernel
def _offer_right(right: Candidates, score: float, item: int, action: int) -> None:
    if right.item[0] < 0 or score > right.score[0]:
        right.score[0] = score
        right.item[0] = item
        right.action[0] = action


@kernel
def candidates(size: int) -> Candidates:
    """Make room for so many candidates."""
    return Candidates(
        np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.bool_)
    )


@kernel
def _step(states: Arena, found: Candidates, count: int) -> int:
    """Do the actions found; give the first of the new items."""
    first = states.used[0]
    for place in range(count):
        number = act(states, found.item[place], found.action[place])
        states.items[number].score = found.score[place]
        states.items[number].correct = found.correct[place]
    return first


@kernel
def parse_all(
    words: Words, templates: Templates, weights: Weights, labels: Labels, memory: Memory, beam: int,
) -> tuple[Ints, Ints]:  # fmt: skip
    """Parse every sentence; give heads (0 is the root) and labels."""
    heads = np.zeros(len(words.form), np.int32)
    relations = np.zeros(len(words.form), np.int32)
    found, right = candidates(beam), candidates(1)
    sums = np.zeros(memory.sums.shape[1], np.float32)
    cost = np.zeros(4, np.int32)
    gold = gold_tree(np.zeros(0, np.int32), np.zeros(0, np.int32))
    states = arena(np.max(words.offsets[1:] - words.offsets[:-1]), beam)
    for number in range(len(words.offsets) - 1):
        sentence = sentence_of(words, number)
        forget(memory)
        first = begin(states)
        last = first + 1
        for _ in range(2 * sentence.length):
            count = _expand(
                states, first, last, sentence, templates, weights, labels, memory, sums,
                gold, False, cost, found, right,
            )  # fmt: skip
            first = _step(states, found, count)
            last = first + count
        start = words.offsets[number] - 1
        at = first
        while states.items[at].previous >= 0:
            action = states.items[at].action
            at = states.items[at].previous
            if action >= ARCS:
                top, front = states.nodes[states.items[at].top].word, states.items[at].front
                dependent, head = (top, front) if action & 1 == ARCS & 1 else (front, top)
                heads[start + dependent] = head if head <= sentence.length else 0
                relations[start + dependent] = (action - ARCS) >> 1
    return heads, relations


@kernel
def _learn(
    states: Arena, good: int, good_action: int, bad: int, bad_action: int, sentence: Sentence,
    templates: Templates, weights: Weights, memory: Memory, keys: npt.NDArray[np.uint64],
    clock: float, lab: Ints,
) -> Weights:  # fmt: skip
    """Raise the weights of one derivation and lower those of the other where they part."""
    items = states.items
    tied = memory.sums.shape[1] - 2
    tie = tied > ARCS + 2
    while good != bad or good_action != bad_action:
        for way in range(2):
            number, action = (good, good_action) if way == 0 else (bad, bad_action)
            count = features(states, number, sentence, templates, memory, keys)
            weights = roomy(weights, keys, count, 2)
            change = np.float32(1 - 2 * way)
            for place in range(count):
                if action < ARCS or not tie or lab[place]:
                    add(weights, keys[place], action, change, clock)
                if tie and action >= ARCS:
                    add(weights, keys[place], tied + (action - ARCS) % 2, change, clock)
        if good == bad:
            break
        good_action, good = items[good].action, items[good].previous
        bad_action, bad = items[bad].action, items[bad].previous
    forget(memory)
    return weights


@kernel
def learn_all(
    words: Words, heads: Ints, relations: Ints, order: Longs, templates: Templates,
    weights: Weights, labels: Labels, memory: Memory, beam: int, seen: int, lab: Ints, ticks: Longs,
) -> Weights:  # fmt: skip
    """Learn from every sentence in turn; `seen` sentences have been learned from before."""
    found, right = candidates(beam), candidates(1)
    sums = np.zeros(memory.sums.shape[1], np.float32)
    keys = np.zeros(len(memory.keys), np.uint64)
    cost = np.zeros(4, np.int32)
    states = arena(np.max(words.offsets[1:] - words.offsets[:-1]), beam)
    for turn in range(len(order)):
        number = order[turn]
        clock = float(seen + turn) if not TICK else float(ticks[0])
        begins, ends = words.offsets[number], words.offsets[number + 1]
        sentence = sentence_of(words, number)
        gold = gold_tree(heads[begins:ends], relations[begins:ends])
        forget(memory)
        first = begin(states)
        last = first + 1
        for _ in range(2 * sentence.length):
            count = _expand(
                states, first, last, sentence, templates, weights, labels, memory, sums,
                gold, True, cost, found, right,
            )  # fmt: skip
            first = _step(states, found, count)
            last = first + count
            if not found.correct[:count].any():
                weights = _learn(
                    states, right.item[0], right.action[0], found.item[0], found.action[0],
                    sentence, templates, weights, memory, keys, clock, lab,
                )  # fmt: skip
                last = first + 1
                ticks[0] += 1
                if TICK:
                    clock = float(ticks[0])
                if EARLY:
                    break
                states.items[first].correct = 1
                states.items[first].score = 0.0
        ticks[0] += 1
        if states.items[first].correct == 0 and not EARLY:
            good = first
            while states.items[good].correct == 0:
                good += 1
            weights = _learn(
                states, states.items[good].previous, states.items[good].action,
                states.items[first].previous, states.items[first].action,
                sentence, templates, weights, memory, keys, clock, lab,
            )  # fmt: skip
    return weights
