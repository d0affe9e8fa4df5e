"""Uninformed baselines: every tree as likely as the next, arcs as short as they can be."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import chisquare

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.scoring.metrics.baselines import (
    BASELINES,
    arranged,
    baseline_parse,
    optimal_arrangement,
    random_projective,
)
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu


def is_tree(heads: tuple[int, ...]) -> bool:
    for word in range(1, len(heads) + 1):
        seen, at = set(), word
        while at and at not in seen:
            seen.add(at)
            at = heads[at - 1]
        if at:
            return False
    return heads.count(0) == 1


def is_projective(heads: tuple[int, ...]) -> bool:
    def below(word: int, head: int) -> bool:
        while word and word != head:
            word = heads[word - 1]
        return word == head

    return all(
        below(between, head)
        for word, head in enumerate(heads, 1)
        if head
        for between in range(min(word, head) + 1, max(word, head))
    )


def length(heads: tuple[int, ...]) -> int:
    return sum(abs(word - head) for word, head in enumerate(heads, 1) if head)


def all_trees(n: int) -> list[tuple[int, ...]]:
    return [heads for heads in product(range(n + 1), repeat=n) if is_tree(heads)]


@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 60])
def test_baselines_are_projective_trees(name: str, n: int) -> None:
    random = np.random.default_rng(n)
    for _ in range(5):
        heads = tuple(BASELINES[name](n, random).tolist())
        assert len(heads) == n and is_tree(heads) and is_projective(heads)


def test_chains() -> None:
    random = np.random.default_rng(0)
    assert BASELINES["right-branching"](3, random).tolist() == [0, 1, 2]
    assert BASELINES["left-branching"](3, random).tolist() == [2, 3, 0]


def test_all_projective_trees_are_equally_likely() -> None:
    projective = [heads for heads in all_trees(4) if is_projective(heads)]
    assert len(projective) == 30
    random = np.random.default_rng(1)
    drawn = [tuple(random_projective(4, random).tolist()) for _ in range(6000)]
    counts = [drawn.count(heads) for heads in projective]
    assert sum(counts) == 6000
    assert chisquare(counts).pvalue > 0.001


def test_arrangements_are_the_shortest_projective_ones() -> None:
    for heads in all_trees(5):
        neighbours: list[list[int]] = [[] for _ in heads]
        for word, head in enumerate(heads):
            if head:
                neighbours[word].append(head - 1)
                neighbours[head - 1].append(word)
        least = min(
            length(moved)
            for order in permutations(range(1, 6))
            if is_projective(moved := tuple(rearranged(heads, order)))
        )
        assert length(tuple(arranged(neighbours, heads.index(0)).tolist())) == least


def rearranged(heads: tuple[int, ...], order: tuple[int, ...]) -> list[int]:
    """Return the heads after word w has moved to place order[w - 1]."""
    moved = [0] * len(heads)
    for word, head in enumerate(heads):
        moved[order[word] - 1] = order[head - 1] if head else 0
    return moved


def test_arranged_trees_have_shorter_arcs_than_random_ones() -> None:
    random = np.random.default_rng(2)
    total = [0, 0]
    for _ in range(200):
        total[0] += length(tuple(optimal_arrangement(15, random).tolist()))
        total[1] += length(tuple(random_projective(15, random).tolist()))
    assert total[0] < total[1]


def test_baselines_take_no_power_from_tests() -> None:
    gold = synthetic(40, seed=1)
    text = gold.to_bytes().decode().replace("\tnsubj\t", "\tobj\t")
    systems = {"x": gold, "y": parse_conllu(text)}
    alone = tg.score(gold, systems).attached["comparisons"]
    beside = tg.score(gold, systems, baselines=True).attached["comparisons"]
    assert beside.table.equals(alone.table)


def test_rows_of_baselines_beside_systems(tmp_path) -> None:
    gold = synthetic(40, seed=1)
    scores = tg.score(gold, {"x": gold}, baselines=True, resamples=0)
    assert [one.system for one in scores.systems] == ["x", *BASELINES]
    assert scores["right-branching"]["UAS"].f1 == pytest.approx(
        tg.score(gold, baseline_parse(gold, "right-branching"), resamples=0).systems[0]["UAS"].f1
    )
    assert 0 < scores["random-projective"]["UAS"].f1 < 60
    again = tg.score(gold, {"x": gold}, baselines=True, resamples=0)
    assert again.table.equals(scores.table)
    for folder in ("gold", "mine"):
        (tmp_path / folder).mkdir()
        for name in ("a", "b"):
            write_conllu(gold, tmp_path / folder / f"{name}.conllu")
    suite = tg.score(tmp_path / "gold", tmp_path / "mine", baselines=True, resamples=0)
    assert [one for one in suite.names if one in BASELINES] == list(BASELINES)


def test_a_margin_needs_a_test_of_two_systems() -> None:
    gold = synthetic(40, seed=1)
    for systems, options in (({"x": gold}, {}), ({"x": gold, "y": gold}, {"test": "none"})):
        with pytest.raises(TreegaugeError, match="--margin needs at least two systems"):
            tg.score(gold, systems, margin=1, **options)
