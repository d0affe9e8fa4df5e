"""Costs of actions are exact; following the cheapest gives the gold tree."""

from itertools import product

import numpy as np
import pytest

from treegauge.kernels import beam_states as _oracle
from treegauge.kernels import beam_states as _states
from treegauge.kernels.jit import kernel
from treegauge.testing.synthesise import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks import trees

from .arc_eager import LEFT, RIGHT, State, least_losses

costs_of, gold_tree, mislabels_of = (
    kernel(one.py_func) for one in (_oracle.costs, _oracle.gold_tree, _oracle.mislabels)
)
act, begin, valid = (kernel(one.py_func) for one in (_states.act, _states.begin, _states.valid))


def projective_trees(length):
    """All projective trees with one root of so many words."""
    for heads in product(range(length + 1), repeat=length):
        if trees.is_tree(heads)[0] and trees.is_projective(heads)[0]:
            yield np.array(heads, np.int32)


def costs(arena, number, gold):
    cost = np.zeros(4, np.int32)
    costs_of(arena, number, gold, cost)
    return cost.tolist()


def gold_of(heads):
    return gold_tree(heads, np.zeros(len(heads), np.int32))


@pytest.mark.parametrize(("length", "count"), [(1, 1), (2, 2), (3, 7), (4, 30), (5, 143)])
def test_costs_equal_exhaustive_search(length, count):
    """Compare all actions in all states that can be reached, of all projective trees."""
    found_trees = list(projective_trees(length))
    assert len(found_trees) == count
    for heads in found_trees:
        least, gold = least_losses(heads.tolist()), gold_of(heads)
        arena = _states.arena(4**length, 1)
        begin(arena, 1)
        seen, todo = set(), [(0, State())]
        while todo:
            item, state = todo.pop()
            kinds = state.valid(length)
            known = (state.stack, tuple(map(state.head, state.stack)), state.front)
            if known in seen or not kinds:
                continue
            seen.add(known)
            assert [k for k, ok in enumerate(valid(arena, item, length)) if ok] == kinds
            found = costs(arena, item, gold)
            for kind in kinds:
                after = state.after(kind)
                assert found[kind] == least(after) - least(state), (heads, state, kind)
                todo.append((act(arena, item, kind), after))


def walk(heads, seed, noise):
    """Follow actions of the least cost, or any with some chance; give heads and summed costs."""
    random, length = np.random.default_rng(seed), len(heads)
    gold = gold_of(heads)
    arena = _states.arena(length, 1)
    begin(arena, 1)
    item, state, total = 0, State(), 0
    for _ in range(2 * length):
        kinds, found = state.valid(length), costs(arena, item, gold)
        least = min(found[kind] for kind in kinds)
        if random.random() >= noise:
            kinds = [kind for kind in kinds if found[kind] == least]
        kind = int(random.choice(kinds))
        total += found[kind]
        item, state = act(arena, item, kind), state.after(kind)
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
    gold = gold_tree(heads, labels)
    arena = _states.arena(3, 8)
    begin(arena, 1)
    item = act(arena, 0, 0)  # 1 | 2 3

    def mislabels(kind, label):
        action = _states.ARCS + 2 * label + (kind - LEFT)
        return mislabels_of(arena, item, gold, action)

    assert [mislabels(LEFT, label) for label in (3, 4)] == [True, False]
    assert not mislabels(RIGHT, 3)  # the arc is wrong anyway
    assert not mislabels_of(arena, item, gold, 0)
