"""Shapes and directions of trees against hand counts and brute force."""

from collections import Counter, defaultdict
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy

from treegauge.measures import structure
from treegauge.measures.registry import MissingError, measures
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu


@st.composite
def random_bank(draw):
    lines = []
    for _ in range(draw(st.integers(1, 4))):
        size = draw(st.integers(1, 9))
        order = draw(st.permutations(range(1, size + 1)))
        heads = [0] * size
        for place, word in enumerate(order[1:], 1):
            heads[word - 1] = order[draw(st.integers(0, place - 1))]
        for number, head in enumerate(heads, 1):
            tag = draw(st.sampled_from(["NOUN", "VERB"]))
            relation = draw(st.sampled_from(["a", "b", "b:x"]))
            lines.append(f"{number}\tw\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_")
        lines.append("")
    return parse_conllu("\n".join([*lines, ""]))


def arcs(sentence):
    return [(h, i) for i, h in enumerate(sentence.head.tolist(), 1) if h]


def crossing_counts(sentence):
    crossed = possible = 0
    for one, two in combinations(arcs(sentence), 2):
        if set(one) & set(two):
            continue
        possible += 1
        (a, b), (c, d) = sorted([sorted(one), sorted(two)])
        crossed += a < c < b < d
    return crossed, possible


def test_by_hand(bank):
    # A hearing is scheduled on the issue today: "a hearing ... on the issue" has one gap.
    treebank = bank([2, 4, 4, 0, 7, 7, 2, 4], [0], [2, 0])
    assert structure.nonprojective_share(treebank) == 1 / 8
    assert measures()["nonprojective_sentences"](treebank) == 1 / 3
    assert measures()["gap_degree"](treebank) == 1 / 3
    assert measures()["max_gap_degree"](treebank) == 1
    assert structure.mean_depth(treebank) == (3 + 0 + 1) / 3
    assert measures()["max_depth"](treebank) == 3
    assert structure.mean_arity(treebank) == 8 / 4
    assert measures()["max_arity"](treebank) == 3
    assert structure.head_left(treebank) == 2 / 8
    # 7 arcs make 21 pairs; words 2, 4 and 7 have three arcs each, so that 9 pairs share a word.
    assert structure.possible_crossings(treebank).tolist() == [12, 0, 0]
    assert structure.crossings_ratio(treebank) == 1 / 12
    assert structure.mean_crossings(treebank) == 1 / 12


@settings(max_examples=80, deadline=None)
@given(random_bank())
def test_crossings_by_brute_force(treebank):
    counts = [crossing_counts(sentence) for sentence in treebank]
    assert structure.possible_crossings(treebank).tolist() == [q for _, q in counts]
    total = sum(q for _, q in counts)
    if not total:
        with pytest.raises(MissingError, match="could cross"):
            structure.crossings_ratio(treebank)
        return
    assert structure.crossings_ratio(treebank) == pytest.approx(sum(c for c, _ in counts) / total)
    shares = [c / q for c, q in counts if q]
    assert structure.mean_crossings(treebank) == pytest.approx(sum(shares) / len(shares))


@settings(max_examples=80, deadline=None)
@given(random_bank())
def test_direction_entropies_by_brute_force(treebank):
    sides, relations, freedom = Counter(), defaultdict(Counter), defaultdict(Counter)
    for sentence in treebank:
        for head, word in arcs(sentence):
            relation = sentence.deprel[word - 1].partition(":")[0]
            side = head < word
            sides[side] += 1
            relations[relation][side] += 1
            freedom[relation, sentence.upos[word - 1], sentence.upos[head - 1]][side] += 1
    total = sides.total()
    if not total:
        with pytest.raises(MissingError, match="no arcs"):
            structure.word_order_freedom(treebank)
        return

    def conditional(groups):
        each = [g.total() / total * entropy(list(g.values()), base=2) for g in groups.values()]
        return pytest.approx(sum(each), abs=1e-12)

    assert structure.head_left(treebank) == pytest.approx(sides[True] / total)
    expected = entropy(list(sides.values()), base=2)
    assert structure.direction_entropy(treebank) == pytest.approx(expected, abs=1e-12)
    assert structure.direction_entropy_by_relation(treebank) == conditional(relations)
    assert structure.word_order_freedom(treebank) == conditional(freedom)


def test_knowing_more_leaves_less_entropy():
    treebank = synthetic(300, seed=4)
    given_nothing = structure.direction_entropy(treebank)
    given_relation = structure.direction_entropy_by_relation(treebank)
    assert given_nothing >= given_relation >= structure.word_order_freedom(treebank) >= 0
