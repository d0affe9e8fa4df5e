"""Kemeny's order: equal to brute force, to integer programming, and honest about its bound."""

from itertools import permutations

import numpy as np
import pytest

import treegauge.ranking.rules.kemeny as module
from treegauge.ranking.comparing.strengths import votes_of
from treegauge.ranking.rules.kemeny import kemeny
from treegauge.ranking.tables.reading import read_leaderboard


def votes(scores):
    above = (1 + np.sign(scores[:, None] - scores[None])) / 2
    return above.sum(axis=2) * (1 - np.eye(len(scores)))


def against(order, table):
    return sum(table[b, a] for i, a in enumerate(order) for b in order[i + 1 :])


@pytest.mark.parametrize("systems", [1, 2, 3, 4, 5, 6, 7])
def test_equals_brute_force(systems):
    random = np.random.default_rng(systems)
    for treebanks in (1, 2, 3, 4, 7, 12):
        for ties in (3, 1000):
            table = votes(random.integers(0, ties, (systems, treebanks)).astype(float))
            found = kemeny(table)
            fewest = min(against(order, table) for order in permutations(range(systems)))
            assert sorted(found.order) == list(range(systems))
            assert found.cost == against(found.order, table) == fewest
            assert found.exact


def test_equals_brute_force_with_eight_systems_and_gaps():
    random = np.random.default_rng(0)
    scores = random.normal(70, 3, (8, 9)).round(0)
    above = (1 + np.sign(scores[:, None] - scores[None])) / 2
    known = random.random((8, 9)) < 0.7
    table = (above * (known[:, None] & known[None])).sum(axis=2) * (1 - np.eye(8))
    orders = np.array(list(permutations(range(8))))
    upper = np.triu_indices(8, 1)
    costs = table[orders[:, upper[1]], orders[:, upper[0]]].sum(axis=1)
    found = kemeny(table)
    assert found.cost == against(found.order, table) == costs.min()
    assert found.exact


def test_search_and_integer_programming_agree(monkeypatch):
    random = np.random.default_rng(3)
    for systems in (9, 12, 15):
        won = np.triu(random.integers(1, 30, (systems, systems)), 1)
        won *= random.integers(0, 2, won.shape)
        table = won + np.triu(random.integers(0, 9, won.shape), 1).T.astype(float)
        searched = kemeny(table)
        monkeypatch.setattr(module, "MOST", 0)
        programmed = kemeny(table)
        monkeypatch.undo()
        assert searched.cost == programmed.cost == against(programmed.order, table)


def test_the_shared_task_is_solved_exactly():
    table = votes_of(read_leaderboard("conll18")).sum(axis=0)
    found = kemeny(table)
    assert found.exact
    assert found.cost == against(found.order, table) == 3326.5
    for at in range(len(found.order) - 1):  # no neighbours lose to each other
        a, b = found.order[at : at + 2]
        assert table[a, b] >= table[b, a]


def test_26_systems_in_circles_are_solved_exactly():
    table = votes(np.random.default_rng(1).random((26, 7)))
    found = kemeny(table)
    assert found.exact
    assert found.cost == against(found.order, table)


def test_beyond_26_systems_a_bound_is_given_where_the_search_gives_up(monkeypatch):
    monkeypatch.setattr(module, "MOST", 3)
    random = np.random.default_rng(0)
    won = np.triu(random.integers(0, 2, (30, 30)), 1)
    table = (won + np.tril(1 - won.T, -1)).astype(float)
    found = kemeny(table)
    assert not found.exact
    pairs = 30 * 29 / 2
    assert 0 < found.bound < found.cost == against(found.order, table) < pairs / 2


def test_of_equally_good_orders_the_given_one_is_kept():
    table = votes(np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]]))
    assert kemeny(table, np.array([0, 1, 2])).order.tolist() == [2, 0, 1]
    assert kemeny(table, np.array([1, 0, 2])).order.tolist() == [2, 1, 0]
