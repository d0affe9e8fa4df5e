"""Random subsets: uniform, within their bounds, and drawn again from their number."""

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy.stats import chisquare

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability.named_subsets import Constraint, constraints_of, shares
from treegauge.ranking.stability.sampler import BLOCK, Sampler, sizes_of


def toy(families: str, resources: str | None = None) -> Leaderboard:
    names = [f"t{i}" for i in range(len(families))]
    frame = pl.DataFrame({"treebank": names, "A": range(len(names)), "B": range(len(names))})
    metadata = pl.DataFrame({"treebank": names, "family": list(families), "resource": list(resources or families)})
    return read_leaderboard(frame, metadata=metadata)


def drawn(sampler: Sampler, blocks: int = 4) -> Counter:
    masks = np.concatenate([sampler.block(b) for b in range(blocks)], axis=1)
    return Counter(tuple(np.flatnonzero(column).tolist()) for column in masks.T)


@pytest.mark.parametrize("size", [1, 3, 5, 7, 8])
def test_every_subset_is_equally_likely(size):
    counts = drawn(Sampler(toy("abcdefgh"), (size,), seed=3))
    every = list(combinations(range(8), size))
    assert set(counts) <= set(every)
    if len(every) > 1:
        assert chisquare([counts[subset] for subset in every]).pvalue > 1e-3


@pytest.mark.parametrize(
    ("families", "resources", "constraints", "size"),
    [
        ("aaabbcd", None, ["family:1"], 3),
        ("aaabbcd", None, ["family:2"], 4),
        ("aaabbcd", None, ["family=a:1"], 3),
        ("aaaabbc", None, ["family:stratified"], 4),
        ("aaabbcd", "xxyyxyx", ["family:1", "resource:2"], 3),
        ("aaabbcd", "xxyyxyx", ["resource:stratified", "family:1"], 3),
        ("aabbccd", "xyxyxyx", ["family=a:1", "family=b:1", "resource:2"], 4),
    ],
)
def test_constrained_subsets_are_equally_likely_among_those_allowed(families, resources, constraints, size):
    scores = toy(families, resources)
    counts = drawn(Sampler(scores, (size,), 5, constraints_of(constraints)))
    allowed = []
    for subset in combinations(range(len(families)), size):
        fits = True
        for text in constraints:
            left, _, most = text.partition(":")
            column, _, value = left.partition("=")
            values = families if column == "family" else (resources or families)
            held = Counter(values[i] for i in subset)
            if most == "stratified":
                kinds = sorted(set(values))
                quota = shares([values.count(kind) for kind in kinds], size)
                fits &= [held[kind] for kind in kinds] == quota
            else:
                fits &= all(n <= int(most) for kind, n in held.items() if not value or kind == value)
        if fits:
            allowed.append(subset)
    assert set(counts) == set(allowed)
    assert chisquare([counts[subset] for subset in allowed]).pvalue > 1e-3


def test_several_sizes_take_turns():
    sampler = Sampler(toy("abcdefgh"), (2, 5, 8, 1), seed=1)
    mask = sampler.block(2)
    assert mask.sum(axis=0).tolist() == [2, 5, 8, 1] * (BLOCK // 4)
    pairs = Counter(tuple(np.flatnonzero(column)) for column in mask[:, ::4].T)
    assert chisquare(list(pairs.values())).pvalue > 1e-3
    assert len(pairs) == 28


def test_sizes_take_turns_under_constraints_too():
    sampler = Sampler(toy("aabbccdd"), (2, 4), 1, constraints_of(["family:1"]))
    assert sampler.block(0).sum(axis=0).tolist() == [2, 4] * (BLOCK // 2)


def test_a_sample_depends_only_on_seed_and_number():
    scores = read_leaderboard("conll18")
    first, again, other = (Sampler(scores, (10,), 7), Sampler(scores, (10,), 7), Sampler(scores, (10,), 8))
    number = 3 * BLOCK + 17
    assert first.subset(number) == again.subset(number)
    assert first.subset(number) != other.subset(number)
    assert first.columns(number).tolist() == np.flatnonzero(first.block(3)[:, 17]).tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("family", "constraint 'family' is not understood; expected COLUMN:MOST"),
        ("family:some", "is not understood"),
        ("family=a:stratified", "is not understood"),
    ],
)
def test_malformed_constraints(text, message):
    with pytest.raises(TreegaugeError, match=message):
        Constraint.parse(text)


def test_impossible_requests_say_what_is_possible():
    scores = toy("aaabbcd")
    with pytest.raises(ChoiceError, match="unknown column of a constraint 'famly'; did you mean"):
        Constraint.parse("famly:1")
    with pytest.raises(ChoiceError, match="unknown family 'z'; choices: a, b, c, d"):
        Sampler(scores, (2,), 0, constraints_of(["family=z:1"])).subset(0)
    with pytest.raises(TreegaugeError, match=r"no subset of size 5 .* largest possible size is 4"):
        Sampler(scores, (5,), 0, constraints_of(["family:1"])).subset(0)
    with pytest.raises(TreegaugeError, match=r"size 8: the table has 7 treebanks; choose .* 1 to 7"):
        Sampler(scores, (8,))
    with pytest.raises(TreegaugeError, match="seed -1"):
        Sampler(scores, (2,), -1)
    with pytest.raises(TreegaugeError, match="language is not known for t0, t1"):
        Sampler(scores, (2,), 0, constraints_of(["language:1"])).subset(0)


def test_constraints_too_tight_together_end_with_an_error():
    scores = toy("aabb", "xyxy")
    tight = constraints_of(["family=a:0", "resource=x:0"])
    with pytest.raises(TreegaugeError, match="family=a:0 and resource=x:0 taken together"):
        Sampler(scores, (2,), 0, tight).subset(0)


@pytest.mark.parametrize("text", ["", "ten", "5-", "8-3", "0", "1,,2"])
def test_sizes_that_are_none(text):
    with pytest.raises(TreegaugeError, match="size"):
        sizes_of(text, 82)


def test_shares_always_add_up():
    for size in range(1, 83):
        assert sum(shares([61, 5, 7, 9], size)) == size
