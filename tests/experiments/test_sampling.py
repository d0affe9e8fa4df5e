"""The sentences of a sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import TreegaugeError
from treegauge.experiments.builtin import sampled


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.data())
def test_without_replacement_sorted_and_repeatable(available, data):
    size = data.draw(st.integers(1, available))
    sample, seed = data.draw(st.integers(0, 9)), data.draw(st.integers(0, 9))
    nested = data.draw(st.booleans())
    drawn = sampled(available, size, sample, seed=seed, nested=nested)
    assert drawn.dtype == np.int64
    assert len(set(drawn.tolist())) == size
    assert np.all(np.diff(drawn) > 0)
    assert 0 <= drawn[0] <= drawn[-1] < available
    assert np.array_equal(drawn, sampled(available, size, sample, seed=seed, nested=nested))


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 80), st.data())
def test_nested_samplings_contain_the_smaller_ones(available, data):
    small = data.draw(st.integers(1, available))
    large = data.draw(st.integers(small, available))
    inner = sampled(available, small, 3, nested=True)
    assert set(inner) <= set(sampled(available, large, 3, nested=True))


def test_independent_samplings_are_not_nested():
    assert not set(sampled(500, 5, 0)) <= set(sampled(500, 10, 0))


def test_samples_and_seeds_differ():
    drawn = {tuple(sampled(500, 10, sample, seed=seed)) for sample in range(5) for seed in range(5)}
    assert len(drawn) == 25


def test_every_sentence_is_as_likely_as_any_other():
    counts = np.zeros(20)
    for sample in range(2000):
        counts[sampled(20, 5, sample)] += 1
    # Hypergeometric inclusion: mean 500, standard deviation sqrt(2000 * 1/4 * 3/4) = 19.4.
    assert np.all(np.abs(counts - 500) < 5 * 19.4)


def test_too_small_a_treebank_says_so_by_number():
    with pytest.raises(TreegaugeError, match="500 sentences cannot be drawn from 321"):
        sampled(321, 500, 0)


@pytest.mark.parametrize(("size", "sample", "seed"), [(0, 0, 0), (1, -1, 0), (1, 0, -1)])
def test_numbers_below_the_least_are_named(size, sample, seed):
    with pytest.raises(TreegaugeError, match="expected"):
        sampled(10, size, sample, seed=seed)
