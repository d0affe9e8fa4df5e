"""Intervals against scipy, against full enumeration, and by their coverage."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import stats

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.statistics import draws as resampling
from treegauge.statistics.bootstrap import bootstrap


def ratio(sums):
    return sums[..., [0]] / sums[..., [1]]


def f1_and_recall(sums):
    correct, system, gold = sums[..., 0], sums[..., 1], sums[..., 2]
    return np.stack([2 * correct / (system + gold), correct / gold], axis=-1)


def identity(sums):
    return sums


def sentences(n, seed=0, accuracy=0.8):
    random = np.random.default_rng(seed)
    words = random.integers(1, 40, n)
    return np.column_stack([random.binomial(words, accuracy), words])


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_agrees_with_scipy_on_a_mean(method):
    sample = np.random.default_rng(3).gamma(1, size=60)
    ours = bootstrap(np.column_stack([sample, np.ones(60)]), ratio, resamples=20_000, method=method, level=0.9)
    theirs = stats.bootstrap(
        (sample,), np.mean, n_resamples=20_000, method=method, confidence_level=0.9, rng=np.random.default_rng(4)
    )
    assert ours.estimate[0] == pytest.approx(sample.mean(), rel=1e-12)
    assert ours.low[0] == pytest.approx(theirs.confidence_interval.low, abs=0.01)
    assert ours.high[0] == pytest.approx(theirs.confidence_interval.high, abs=0.01)
    assert ours.standard_error[0] == pytest.approx(theirs.standard_error, rel=0.02)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_agrees_with_scipy_on_a_ratio(method):
    counts = sentences(50, seed=8)
    ours = bootstrap(counts, ratio, resamples=20_000, method=method)
    theirs = stats.bootstrap(
        (counts[:, 0], counts[:, 1]),
        lambda correct, words, axis: correct.sum(axis) / words.sum(axis),
        paired=True, n_resamples=20_000, method=method, rng=np.random.default_rng(4),
    )  # fmt: skip
    assert ours.low[0] == pytest.approx(theirs.confidence_interval.low, abs=0.0015)
    assert ours.high[0] == pytest.approx(theirs.confidence_interval.high, abs=0.0015)


def test_bca_levels_follow_the_textbook_formula():
    counts = np.column_stack([np.random.default_rng(0).lognormal(sigma=1.5, size=25), np.ones(25)])
    got = bootstrap(counts, ratio, method="bca", keep=True, level=0.8)
    estimate = got.estimate[0]
    left_out = np.array([np.delete(counts[:, 0], i).mean() for i in range(25)])
    deviation = left_out.mean() - left_out
    acceleration = (deviation**3).sum() / (6 * (deviation**2).sum() ** 1.5)
    bias = stats.norm.ppf((got.values[:, 0] < estimate).mean())
    z = bias + stats.norm.ppf([0.1, 0.9])
    levels = stats.norm.cdf(bias + z / (1 - acceleration * z))
    expected = np.quantile(got.values[:, 0], levels)
    assert (got.low[0], got.high[0]) == pytest.approx(tuple(expected), rel=1e-9)


@pytest.mark.parametrize("chunk", [7, 40, 1 << 15])
def test_units_are_drawn_uniformly_with_replacement(monkeypatch, chunk):
    monkeypatch.setattr(resampling, "CHUNK", chunk)
    n, draws = 40, 20_000
    drawn = bootstrap(np.eye(n, dtype=int), identity, resamples=draws, keep=True).values
    assert (drawn == drawn.astype(int)).all()
    assert (drawn.sum(axis=1) == n).all()
    assert drawn.mean(axis=0) == pytest.approx(np.ones(n), abs=5 / np.sqrt(draws))
    law = np.eye(n) - 1 / n  # covariance of a multinomial
    assert np.abs(np.cov(drawn.T) - law).max() < 7 / np.sqrt(draws)


def test_chunks_are_drawn_independently(monkeypatch):
    monkeypatch.setattr(resampling, "CHUNK", 500)
    drawn = bootstrap(np.eye(1000, dtype=int), identity, resamples=2, keep=True).values
    assert abs(np.corrcoef(drawn[0, :500], drawn[0, 500:])[0, 1]) < 0.15


def test_sums_are_exact():
    counts = np.random.default_rng(1).integers(0, 10**6, (500, 3))
    both = np.hstack([counts, np.eye(500, dtype=int)])
    drawn = bootstrap(both, identity, resamples=50, keep=True).values.astype(np.int64)
    assert (drawn[:, :3] == drawn[:, 3:] @ counts).all()


def one_by_one(counts, resamples, seed):
    """Draw for each resample and chunk by itself, and add the units that were picked."""
    size = resampling.CHUNK
    chunks = [counts[start : start + size] for start in range(0, len(counts), size)]
    shares = resampling.stream(seed, 0)
    draws = [resampling.stream(seed, 1, i) for i in range(len(chunks))]
    sums = np.zeros((resamples, counts.shape[1]), dtype=np.int64)
    for b in range(resamples):
        drawn = shares.multinomial(len(counts), [len(chunk) / len(counts) for chunk in chunks])
        for chunk, random, number in zip(chunks, draws, drawn, strict=True):
            sums[b] += chunk[random.integers(len(chunk), size=number)].sum(axis=0)
    return sums


@pytest.mark.parametrize(
    ("n", "columns", "chunk"),
    [(1, 3, 8), (2, 1, 1), (7, 3, 8), (301, 3, 8), (301, 36, 64), (333, 65, 100),
     (9001, 2, 1 << 15), (40_000, 3, 1 << 15)],
)  # fmt: skip
def test_resamples_are_those_of_a_plain_loop(monkeypatch, n, columns, chunk):
    monkeypatch.setattr(resampling, "CHUNK", chunk)
    counts = np.random.default_rng(2).integers(1, 60, (n, columns))
    got = bootstrap(counts, identity, resamples=37, seed=5, keep=True).values
    assert (got == one_by_one(counts, 37, seed=5)).all()


@pytest.mark.parametrize("columns", [2, 70])
@pytest.mark.parametrize("factor", [1, 0.1])
def test_block_size_and_number_of_resamples_change_nothing(monkeypatch, factor, columns):
    monkeypatch.setattr(resampling, "CHUNK", 64)
    counts = np.tile(sentences(300) * factor, columns // 2)
    whole = bootstrap(counts, ratio, resamples=200, seed=5, keep=True).values
    for name, size in {"BUDGET": 64 * 7, "DRAWN": 100, "TOGETHER": 3, "UNTHREADED": 50}.items():
        monkeypatch.setattr(resampling, name, size)
    parts = bootstrap(counts, ratio, resamples=150, seed=5, keep=True).values
    assert whole[:150].tobytes() == parts.tobytes()


def test_seeds_differ_and_repeat():
    counts = sentences(50)
    first, again, other = (bootstrap(counts, ratio, seed=s, keep=True).values for s in (1, 1, 2))
    assert first.tobytes() == again.tobytes()
    assert (first != other).any()


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.float32, np.float64])
def test_type_of_the_counts_changes_nothing(dtype):
    counts = sentences(40)
    expected = bootstrap(counts, ratio)
    got = bootstrap(counts.astype(dtype), ratio)
    assert (got.low, got.high) == (expected.low, expected.high)


def test_counts_are_neither_changed_nor_kept():
    counts = sentences(40) * 0.3
    before = counts.copy()
    bootstrap(counts, ratio, method="bca")
    assert (counts == before).all()


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize(
    "counts",
    [
        [[3, 4]],
        [[3, 4]] * 5,
        [[0.1, 0.3]] * 7,
        [[3, 4], [6, 8], [9, 12]],
        [[0, 4], [0, 8]],
        [[0.1, 0.3], [0.2, 0.6], [0.7, 2.1]],
    ],
)
def test_nothing_varies(counts, method):
    got = bootstrap(counts, ratio, method=method, resamples=50)
    assert got.low == got.high == got.estimate
    assert got.standard_error == 0


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_resamples_without_the_relation_are_left_out(method):
    counts = np.zeros((6, 2), dtype=int)
    counts[0] = 1, 2
    counts[1] = 2, 2
    got = bootstrap(counts, ratio, method=method, keep=True)
    assert np.isnan(got.values).any()
    assert 0.5 <= got.low[0] <= got.estimate[0] == 0.75 <= got.high[0] <= 1


def test_only_unit_with_the_relation():
    counts = np.zeros((6, 2), dtype=int)
    counts[2] = 1, 2
    got = bootstrap(counts, ratio, method="bca")
    assert got.low == got.high == got.estimate == 0.5


def test_undefined_metric_stays_undefined_and_alone():
    counts = np.column_stack([sentences(20), np.zeros(20, dtype=int)])
    got = bootstrap(counts, lambda s: s[..., [0, 2]] / s[..., [1, 2]], method="bca")
    assert np.isfinite([got.low[0], got.high[0], got.standard_error[0]]).all()
    assert np.isnan([got.estimate[1], got.low[1], got.high[1], got.standard_error[1]]).all()


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_coverage(method):
    hits = 0
    for trial in range(400):
        got = bootstrap(sentences(60, seed=trial), ratio, resamples=250, level=0.9, method=method, seed=trial)
        hits += got.low[0] <= 0.8 <= got.high[0]
    assert 0.85 <= hits / 400 <= 0.94


def test_huge_skew_keeps_limits_inside_the_resamples():
    counts = np.column_stack([[*([0] * 30), 1000.0], np.ones(31)])
    got = bootstrap(counts, ratio, method="bca", keep=True, level=0.999)
    assert got.values.min() <= got.low[0] <= got.high[0] <= got.values.max()


def test_one_run_is_the_plain_bootstrap():
    counts = sentences(40)
    for method in ("percentile", "bca"):
        one, plain = (bootstrap([counts], ratio, method=method), bootstrap(counts, ratio, method=method))
        assert (one.low, one.high) == (plain.low, plain.high)


def test_runs_follow_the_enumerated_law():
    runs = [np.array([[1, 4], [5, 6], [2, 3]]), np.array([[3, 4], [4, 6], [3, 3]])]
    scores = [
        np.mean([runs[r][list(units)].sum(0)[0] / runs[r][list(units)].sum(0)[1] for r in picked])
        for units in product(range(3), repeat=3)
        for picked in product(range(2), repeat=2)
    ]
    got = bootstrap(runs, ratio, resamples=20_000, keep=True)
    assert got.estimate[0] == pytest.approx((8 / 13 + 10 / 13) / 2)
    assert got.values.mean() == pytest.approx(np.mean(scores), abs=0.004)
    assert got.standard_error[0] == pytest.approx(np.std(scores), rel=0.02)
    assert stats.ks_2samp(got.values[:, 0].round(9), np.round(scores, 9)).statistic < 0.02


def test_runs_bca_accelerates_over_both_factors():
    runs = [sentences(12, seed=4, accuracy=a) for a in (0.5, 0.8, 0.82, 0.84)]
    runs = [np.column_stack([r[:, 0].clip(max=runs[0][:, 1]), runs[0][:, 1]]) for r in runs]
    got = bootstrap(runs, ratio, method="bca", keep=True, level=0.8)

    def score(units, picked):
        return np.mean([runs[r][units].sum(0)[0] / runs[r][units].sum(0)[1] for r in picked])

    everything, all_runs = np.arange(12), np.arange(4)
    influences = []
    for left_out in (
        [score(np.delete(everything, i), all_runs) for i in range(12)],
        [score(everything, np.delete(all_runs, i)) for i in range(4)],
    ):
        n = len(left_out)
        influences.append((n - 1) / n * (np.mean(left_out) - np.array(left_out)))
    pooled = np.concatenate(influences)
    acceleration = (pooled**3).sum() / (6 * (pooled**2).sum() ** 1.5)
    bias = stats.norm.ppf((got.values[:, 0] < got.estimate[0]).mean())
    z = bias + stats.norm.ppf([0.1, 0.9])
    expected = np.quantile(got.values[:, 0], stats.norm.cdf(bias + z / (1 - acceleration * z)))
    assert (got.low[0], got.high[0]) == pytest.approx(tuple(expected), rel=1e-6)


def test_equal_runs_add_no_spread():
    counts = sentences(40)
    plain = bootstrap(counts, ratio)
    equal = bootstrap([counts] * 9, ratio)
    assert equal.low == pytest.approx(plain.low)
    assert equal.standard_error == pytest.approx(plain.standard_error)
    still = bootstrap([counts[:1]] * 9, ratio, method="bca")
    assert still.low == still.high == still.estimate


@settings(max_examples=40, deadline=None)
@given(
    arrays(np.int64, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=st.integers(0, 9)),
    st.sampled_from(["percentile", "bca"]),
    st.integers(0, 99),
)
def test_intervals_are_always_defined(counts, method, seed):
    got = bootstrap(counts, identity, resamples=20, method=method, seed=seed)
    assert (got.estimate == counts.sum(axis=0)).all()
    assert (got.low <= got.high).all()
    assert (got.standard_error >= 0).all()
    assert np.isfinite([got.low, got.high, got.standard_error]).all()


@settings(max_examples=40, deadline=None)
@given(
    arrays(
        np.float64,
        st.tuples(st.integers(1, 30), st.just(2)),
        elements=st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-200),
    )
)
def test_scaled_sums_keep_their_precision(counts):
    total = resampling.Units([counts]).total()[0]
    room = 2.0**-51 * np.abs(counts).max(axis=0) * len(counts) ** 2
    assert (np.abs(total - counts.sum(axis=0)) <= room).all()


def test_several_metrics_at_once_equal_each_alone():
    correct_words = sentences(30)
    counts = np.column_stack([correct_words, correct_words[:, 1] + 1])
    both = bootstrap(counts, f1_and_recall, method="bca")
    for i in range(2):
        alone = bootstrap(counts, lambda s, i=i: f1_and_recall(s)[..., [i]], method="bca")
        assert (both.low[i], both.high[i]) == (alone.low[0], alone.high[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"counts": [1, 2]}, "shape (n_units, n_columns)"),
        ({"counts": np.empty((0, 2))}, "found float64 of shape (0, 2)"),
        ({"counts": [["a", "b"]]}, "expected numbers"),
        ({"counts": [[1, 2], [3]]}, "expected a table of numbers"),
        ({"counts": [[1.0, np.nan]]}, "finite"),
        ({"counts": [[1.0, 1e308], [1, 1e308]]}, "finite"),
        ({"statistic": lambda s: s[..., 0]}, "found (1,)"),
        ({"resamples": 1}, "resamples: expected a whole number of at least 2, found 1"),
        ({"resamples": 10.0}, "resamples"),
        ({"level": 95}, "level: expected a number between 0 and 1, such as 0.95, found 95"),
        ({"seed": -1}, "seed"),
        ({"seed": None}, "seed"),
    ],
)
def test_bad_input_is_named(change, message):
    options = {"counts": sentences(5), "statistic": ratio} | change
    with pytest.raises(TreegaugeError) as caught:
        bootstrap(options.pop("counts"), options.pop("statistic"), **options)
    assert message in str(caught.value)


def test_unknown_method_lists_the_known_ones():
    with pytest.raises(ChoiceError, match="did you mean 'bca'"):
        bootstrap(sentences(5), ratio, method="bcaa")


def test_runs_must_match():
    with pytest.raises(TreegaugeError, match="runs differ in shape"):
        bootstrap([sentences(5), sentences(4)], ratio)
    with pytest.raises(TreegaugeError, match="at least 1 x 1"):
        bootstrap([], ratio)
