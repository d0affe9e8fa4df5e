"""Learning from where the beam goes wrong, and from what comes after (Aufrant et al. 2017).

As long as some item of the beam is correct (all of its actions had the least cost), nothing
happens. When the last one falls out, the weights of the best correct action and of the derivation
before it are raised by 1, those of the best item are lowered by 1, and the search goes on from that
item, from which the cheapest actions now are the correct ones.

The search gives wrong actions a `margin` for each head that they put out of reach and for a wrong
label, so that correct items stay only if they are ahead by as much. Without it, learning would stop
as soon as all train sentences are right, which takes few steps if there are few of them.
"""

import numpy as np

from treegauge.kernels.beam_oracle import gold_tree
from treegauge.kernels.beam_scores import Sentence, features, forget
from treegauge.kernels.beam_search import (
    Ints,
    Learned,
    Longs,
    Search,
    Words,
    sentence_of,
    start,
    step,
)
from treegauge.kernels.beam_states import ARCS, Int
from treegauge.kernels.beam_weights import Weights, add, roomy
from treegauge.kernels.jit import kernel, part


@part
def _update(
    search: Search, good: Int, good_action: Int, bad: Int, bad_action: Int, sentence: Sentence,
    learned: Learned, clock: float,
) -> Weights:  # fmt: skip
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
    words: Words, heads: Ints, labels: Ints, order: Longs, learned: Learned, search: Search,
    seen: Int, margin: float,
) -> Weights:  # fmt: skip
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
