"""Costs of actions are exact; the cheapest actions give the gold tree."""

from itertools import product

import numpy as np
import pytest

from treegauge.kernels.beam_states import ARCS, States
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data import trees

from .arc_eager import LEFT, RIGHT, State, least_losses


def projective_trees(length):
    """All projective trees with one root of this number of words."""
    for heads in product(range(length + 1), repeat=length):
        if trees.is_tree(heads)[0] and trees.is_projective(heads)[0]:
            yield np.array(heads, np.int32)


def states_of(heads, room):
    states = States(room, 1)
    states.learn_from(heads, np.zeros(len(heads), np.int32))
    return states


@pytest.mark.parametrize(("length", "count"), [(1, 1), (2, 2), (3, 7), (4, 30), (5, 143)])
def test_costs_equal_exhaustive_search(length, count):
    """Compare all actions in all states that can be reached, of all projective trees."""
    found_trees = list(projective_trees(length))
    assert len(found_trees) == count
    for heads in found_trees:
        least, states = least_losses(heads.tolist()), states_of(heads, 4**length)
        seen, todo = set(), [(0, State())]
        while todo:
            item, state = todo.pop()
            kinds = state.valid(length)
            known = (state.stack, tuple(map(state.head, state.stack)), state.front)
            if known in seen or not kinds:
                continue
            seen.add(known)
            assert [k for k, ok in enumerate(states.valid(item, length)) if ok] == kinds
            found = states.costs(item)
            for kind in kinds:
                after = state.after(kind)
                assert found[kind] == least(after) - least(state), (heads, state, kind)
                todo.append((states.act(item, kind), after))


def walk(heads, seed, noise):
    """Follow actions of the least cost, or any with some chance; give heads and summed costs."""
    random, length = np.random.default_rng(seed), len(heads)
    states = states_of(heads, length)
    item, state, total = 0, State(), 0
    for _ in range(2 * length):
        kinds, found = state.valid(length), states.costs(item)
        least = min(found[kind] for kind in kinds)
        if random.random() >= noise:
            kinds = [kind for kind in kinds if found[kind] == least]
        kind = int(random.choice(kinds))
        total += found[kind]
        item, state = states.act(item, kind), state.after(kind)
    assert state.front == length + 1 and not state.stack
    made = {d: h if h <= length else 0 for d, h, _ in state.arcs}
    return [made[word] for word in range(1, length + 1)], total


def sentences(**dials):
    treebank = synthetic(60, Grammar(**dials), seed=5)
    return [treebank[i].head for i in range(len(treebank))]


def test_the_cheapest_way_gives_the_gold_tree():
    for number, heads in enumerate(sentences()):
        if trees.is_projective(heads)[0]:
            assert walk(heads, number, 0.0) == (heads.tolist(), 0)


def test_costs_add_up_to_the_number_of_wrong_heads():
    for number, heads in enumerate(sentences()):
        found, total = walk(heads, number, 0.3)
        assert trees.is_tree(found)[0]
        if trees.is_projective(heads)[0]:
            assert total == int((found != heads).sum())


def test_the_cheapest_way_of_other_trees_keeps_most_arcs():
    rough = [h for h in sentences(nonprojectivity=0.8) if not trees.is_projective(h)[0]]
    assert len(rough) > 10
    kept = np.concatenate([np.equal(walk(heads, 1, 0.0)[0], heads) for heads in rough])
    assert kept.mean() > 0.8


def test_a_wrong_label_on_a_right_arc_counts():
    heads, labels = np.array([2, 0, 2], np.int32), np.array([4, 1, 3], np.int32)
    states = States(3, 8)
    states.learn_from(heads, labels)
    item = states.act(0, 0)  # 1 | 2 3

    def mislabels(kind, label):
        return states.mislabels(item, ARCS + 2 * label + (kind - LEFT))

    assert [mislabels(LEFT, label) for label in (3, 4)] == [True, False]
    assert not mislabels(RIGHT, 3)  # the arc is wrong anyway
    assert not states.mislabels(item, 0)
