"""Paired tests against scipy, full enumeration, and by how they behave."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.statistics import draws as resampling
from treegauge.statistics.permutation import paired_bootstrap, paired_permutation

MIRROR = {"two-sided": "two-sided", "greater": "less", "less": "greater"}


def ratio(sums):
    return sums[..., [0]] / sums[..., [1]]


def pair(n, gain=0.0, seed=0):
    """Two systems on the same sentences, whose words they get right independently."""
    random = np.random.default_rng(seed)
    words = random.integers(1, 30, n)
    a, b = random.binomial(words, 0.8 + gain), random.binomial(words, 0.8)
    return np.column_stack([a, words]), np.column_stack([b, words])


def never_worse(n, better):
    a, _ = pair(n)
    b = a.copy()
    b[np.flatnonzero(a[:, 0])[:better], 0] -= 1
    return a, b


@pytest.mark.parametrize("alternative", MIRROR)
def test_exact_test_equals_enumeration_by_hand(alternative):
    a = np.array([[3, 4], [2, 5], [6, 6], [1, 2], [4, 4]])
    b = np.array([[1, 4], [3, 6], [4, 6], [1, 2], [3, 4]])

    def difference(x, y):
        return x[:, 0].sum() / x[:, 1].sum() - y[:, 0].sum() / y[:, 1].sum()

    observed, count = difference(a, b), 0
    for swap in product([False, True], repeat=5):
        mask = np.array(swap)[:, None]
        value = difference(np.where(mask, b, a), np.where(mask, a, b))
        count += {
            "two-sided": abs(value) >= abs(observed) - 1e-12,
            "greater": value >= observed - 1e-12,
            "less": value <= observed + 1e-12,
        }[alternative]
    got = paired_permutation(a, b, ratio, alternative=alternative, permutations=16)
    assert (got.exact, got.draws) == (True, 16)  # one of the five units is the same in both
    assert got.p_value[0] == pytest.approx(count / 32)


@pytest.mark.parametrize("alternative", MIRROR)
def test_exact_test_equals_scipy(alternative):
    random = np.random.default_rng(2)
    a, b = random.normal(0.5, 1, 9), random.normal(0, 1, 9)
    theirs = stats.permutation_test(
        (a, b), lambda x, y, axis: x.mean(axis) - y.mean(axis), permutation_type="samples",
        vectorized=True, alternative=alternative, n_resamples=np.inf,
    )  # fmt: skip
    ones = np.ones(9)
    got = paired_permutation(np.column_stack([a, ones]), np.column_stack([b, ones]), ratio, alternative=alternative)
    assert got.exact
    assert got.p_value[0] == pytest.approx(theirs.pvalue, rel=1e-12)


@pytest.mark.parametrize("alternative", MIRROR)
def test_random_test_agrees_with_scipy(alternative):
    a, b = pair(120, gain=0.015, seed=3)
    theirs = stats.permutation_test(
        (a[:, 0], b[:, 0]), lambda x, y, axis: x.sum(axis) - y.sum(axis),
        permutation_type="samples", vectorized=True, alternative=alternative,
        n_resamples=20_000, batch=1000, rng=np.random.default_rng(0),
    )  # fmt: skip
    got = paired_permutation(a, b, ratio, alternative=alternative, permutations=20_000, seed=1)
    assert not got.exact
    assert got.p_value[0] == pytest.approx(theirs.pvalue, abs=0.015)


@pytest.mark.parametrize("chunk", [16, 70])
def test_random_swaps_are_fair_and_independent(monkeypatch, chunk):
    monkeypatch.setattr(resampling, "CHUNK", chunk)
    n = 70
    a, b = np.eye(n, dtype=int), np.zeros((n, n), dtype=int)
    units = resampling.Units([a, b])
    sums = np.concatenate(list(resampling.swapped_sums(units, np.arange(n), 20_000, seed=0)))
    assert (sums.sum(axis=1) == 1).all()
    moved = sums[:, 1]
    assert set(np.unique(moved)) == {0, 1}
    assert np.abs(np.cov(moved.T) - np.eye(n) / 4).max() < 3 / np.sqrt(20_000)
    assert np.abs(moved.mean(axis=0) - 0.5).max() < 2.5 / np.sqrt(20_000)


@pytest.mark.parametrize(("n", "columns"), [(3, 1), (200, 3), (70, 65)])
def test_swaps_are_those_of_a_plain_loop(monkeypatch, n, columns):
    monkeypatch.setattr(resampling, "CHUNK", 64)
    a, b = np.random.default_rng(3).integers(1, 60, (2, n, columns))
    coins = [resampling.stream(5, 3, i) for i in range(-(-n // 64))]
    got = np.concatenate(list(resampling.swapped_sums(resampling.Units([a, b]), np.arange(n), 37, seed=5)))
    for sums in got:
        words = [int(random.integers(2**64 - 1, dtype="u8", endpoint=True)) for random in coins]
        octets = b"".join(word.to_bytes(8, "little") for word in words)
        coin = [digit == "1" for octet in octets for digit in f"{octet:08b}"]
        swapped = np.array(coin[:n])[:, None]
        assert (sums[0] == np.where(swapped, b, a).sum(axis=0)).all()
        assert (sums[1] == np.where(swapped, a, b).sum(axis=0)).all()


@pytest.mark.parametrize("test", [paired_permutation, paired_bootstrap])
@pytest.mark.parametrize("factor", [1, 0.1])
def test_block_size_changes_nothing(monkeypatch, test, factor):
    monkeypatch.setattr(resampling, "CHUNK", 64)
    a, b = (counts * factor for counts in pair(300, gain=0.01))
    number = "permutations" if test is paired_permutation else "resamples"
    whole = test(a, b, ratio, seed=2, **{number: 999})
    for name, size in {"BUDGET": 64 * 7, "DRAWN": 100, "TOGETHER": 3, "UNTHREADED": 50}.items():
        monkeypatch.setattr(resampling, name, size)
    parts = test(a, b, ratio, seed=2, **{number: 999})
    assert 0.001 < whole.p_value[0] < 1
    assert whole.p_value == parts.p_value


@pytest.mark.parametrize("test", [paired_permutation, paired_bootstrap])
def test_a_system_never_worse_is_significantly_better(test):
    a, b = never_worse(1000, better=40)
    got = test(a, b, ratio)
    assert got.p_value[0] == pytest.approx(1 / 10_001)


def test_few_differences_are_not_significant_even_when_all_favour_a():
    a, b = never_worse(1000, better=3)
    assert paired_permutation(a, b, ratio).p_value[0] == 2 / 2**3
    assert paired_permutation(a, b, ratio, alternative="greater").p_value[0] == 1 / 2**3


def test_paired_bootstrap_p_value_is_the_centred_share():
    a, b = pair(80, gain=0.02, seed=4)
    for alternative in MIRROR:
        got = paired_bootstrap(a, b, ratio, alternative=alternative, resamples=500)
        values = resampling.bootstrap_values(resampling.Units([a, b]), ratio, 500, 0)[:, :, 0]
        draws, observed = values[:, 0] - values[:, 1], got.difference[0]
        extreme = {
            "two-sided": np.abs(draws - observed) >= abs(observed),
            "greater": draws >= 2 * observed,
            "less": draws <= 2 * observed,
        }[alternative]
        assert got.p_value[0] == (1 + extreme.sum()) / 501


@pytest.mark.parametrize(("test", "number"), [(paired_permutation, "permutations"), (paired_bootstrap, "resamples")])
def test_equal_systems_are_rarely_told_apart(test, number):
    p_values = np.array([test(*pair(60, seed=s), ratio, seed=s, **{number: 199}).p_value[0] for s in range(300)])
    assert 0.02 <= (p_values <= 0.05).mean() <= 0.09
    assert stats.kstest(p_values, "uniform").pvalue > 0.001


@pytest.mark.parametrize("test", [paired_permutation, paired_bootstrap])
def test_identical_systems(test):
    a, _ = pair(20)
    for alternative in MIRROR:
        got = test(a, a, ratio, alternative=alternative)
        assert (got.difference[0], got.p_value[0]) == (0, 1)


counts = arrays(np.int64, st.tuples(st.just(2), st.integers(1, 12), st.just(2)), elements=st.integers(0, 5))


@settings(max_examples=40, deadline=None)
@given(counts, st.sampled_from(sorted(MIRROR)), st.sampled_from([2, 30, 5000]), st.integers(0, 9))
def test_permutation_mirrors_and_stays_in_range(systems, alternative, number, seed):
    a, b = systems
    options = {"permutations": number, "seed": seed}
    got = paired_permutation(a, b, lambda s: s, alternative=alternative, **options)
    back = paired_permutation(b, a, lambda s: s, alternative=MIRROR[alternative], **options)
    assert ((got.p_value > 0) & (got.p_value <= 1)).all()
    assert (got.p_value == back.p_value).all()
    assert (got.difference == -back.difference).all()


@settings(max_examples=40, deadline=None)
@given(counts, st.sampled_from(sorted(MIRROR)), st.integers(0, 9))
def test_bootstrap_mirrors_and_stays_in_range(systems, alternative, seed):
    a, b = systems
    options = {"resamples": 50, "seed": seed}
    got = paired_bootstrap(a, b, lambda s: s, alternative=alternative, **options)
    back = paired_bootstrap(b, a, lambda s: s, alternative=MIRROR[alternative], **options)
    assert ((got.p_value > 0) & (got.p_value <= 1)).all()
    assert (got.p_value == back.p_value).all()
    assert (got.difference == -back.difference).all()


@pytest.mark.parametrize("test", [paired_permutation, paired_bootstrap])
def test_runs_are_averaged(test):
    a, b = pair(40, gain=0.02)
    plain = test(a, b, ratio)
    repeated = test([a, a, a], [b, b], ratio)
    assert repeated.p_value == plain.p_value
    assert repeated.difference == pytest.approx(plain.difference)
    c, _ = pair(40, seed=9)
    c[:, 1] = a[:, 1]
    both = test([a, c], b, ratio)
    expected = ratio((a + c).sum(axis=0)) - ratio(b.sum(axis=0))
    assert both.difference == pytest.approx(expected)


def test_metric_undefined_for_both_systems():
    a, b = pair(10)
    zero = np.zeros((10, 1), dtype=int)
    statistic = lambda s: s[..., [0, 2]] / s[..., [1, 2]]  # noqa: E731
    for test in (paired_permutation, paired_bootstrap):
        got = test(np.hstack([a, zero]), np.hstack([b, zero]), statistic)
        assert np.isnan(got.p_value).tolist() == [False, True]


def test_undefined_swaps_count_as_extreme():
    a, b = np.array([[1, 2], [1, 0]]), np.array([[0, 0], [0, 2]])
    # Swapping one unit alone leaves a system without words; swapping both turns 1 into -1.
    assert paired_permutation(a, b, ratio).p_value[0] == 4 / 4
    assert paired_permutation(a, b, ratio, alternative="greater").p_value[0] == 3 / 4


@pytest.mark.parametrize("test", [paired_permutation, paired_bootstrap])
def test_bad_input_is_named(test):
    a, b = pair(10)
    with pytest.raises(TreegaugeError, match=r"not paired: found 9 x 2 and 10 x 2"):
        test(a, b[:9], ratio)
    with pytest.raises(TreegaugeError, match="runs differ in shape"):
        test([a, a[:9]], b, ratio)
    with pytest.raises(ChoiceError, match="did you mean 'greater'"):
        test(a, b, ratio, alternative="greatr")
    with pytest.raises(TreegaugeError, match="seed"):
        test(a, b, ratio, seed=-3)
