"""Letters of tie groups: what they must show for any pattern of significant pairs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treegauge.statistics.multiple import tie_groups, tie_letters


@st.composite
def relations(draw):
    """Random symmetric relations between up to nine systems, and an order of these."""
    systems = draw(st.integers(1, 9))
    differ = np.zeros((systems, systems), bool)
    for a, b in combinations(range(systems), 2):
        differ[a, b] = differ[b, a] = draw(st.booleans())
    return differ, draw(st.permutations(range(systems)))


def share(letters, a, b):
    return bool({*letters[a].split()} & {*letters[b].split()})


@given(relations())
def test_two_systems_share_a_letter_if_and_only_if_they_do_not_differ(relation):
    differ, order = relation
    letters = [" ".join(own) for own in tie_letters(differ, order)]
    for a, b in combinations(range(len(order)), 2):
        assert share(letters, a, b) == (not differ[a, b])
    for system, own in enumerate(letters):
        assert bool(own) == (len(order) - 1 > differ[system].sum()), "no letter without a tie"


@given(relations())
def test_groups_are_maximal_and_none_is_superfluous(relation):
    differ, order = relation
    groups = tie_groups(differ, order)
    for group in groups:
        others = {*range(len(order))} - {*group}
        assert all(differ[other, list(group)].any() for other in others)
        covered = {pair for g in groups if g != group for pair in combinations(sorted(g), 2)}
        assert {*combinations(sorted(group), 2)} - covered


@given(relations())
def test_letters_follow_the_order_of_the_table(relation):
    differ, order = relation
    letters = tie_letters(differ, order)
    first = [min(order.index(system) for system in group) for group in tie_groups(differ, order)]
    assert first == sorted(first)
    read = [letter for system in order for letter in letters[system]]
    assert list(dict.fromkeys(read)) == sorted({*read}), "a before b, b before c"


def test_more_than_26_groups_have_letters_of_their_own():
    """Thirty systems, each tied with its neighbours only: 29 groups of two."""
    differ = np.abs(np.subtract.outer(np.arange(30), np.arange(30))) > 1
    letters = tie_letters(differ, range(30))
    assert letters[:3] == ["a", "a b", "b c"]
    assert letters[25:] == ["y z", "z aa", "aa ab", "ab ac", "ac"]
    for a, b in combinations(range(30), 2):
        assert share(letters, a, b) == (b - a == 1)


def test_many_systems_with_a_random_pattern_take_no_time():
    """The number of maximal cliques would grow exponentially; that of the letters does not."""
    random = np.random.default_rng(0)
    differ = np.triu(random.random((60, 60)) < 0.3, 1)
    differ |= differ.T
    groups = tie_groups(differ, range(60))
    assert len(groups) <= (~differ).sum() / 2
    for a, b in combinations(range(60), 2):
        assert any({a, b} <= {*group} for group in groups) == (not differ[a, b])


@pytest.mark.parametrize("systems", [1, 2, 5])
def test_equal_systems_share_one_letter(systems):
    expected = [""] if systems == 1 else ["a"] * systems
    assert tie_letters(np.zeros((systems, systems)), range(systems)) == expected
