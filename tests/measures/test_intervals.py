"""Bootstrap intervals of measures."""

import numpy as np
import pytest

from treegauge.measures.measuring import measure_interval as interval
from treegauge.measures.registry import measures
from treegauge.statistics.bootstrap import bootstrap
from treegauge.statistics.descriptive import wasserstein
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.columns import concat
from treegauge.treebanks.trees import displacement_counts

MEASURES = measures()


@pytest.fixture(scope="module")
def drawn():
    return synthetic(400, seed=8)


def test_shares_and_means_have_the_interval_of_the_bootstrap(drawn):
    one = MEASURES["mdd"]
    (table,) = one.additive.tables(drawn)
    expected = bootstrap(
        table, lambda sums: one.additive.statistic(sums)[..., np.newaxis], resamples=300, seed=4
    )
    found = interval(one, drawn, resamples=300, seed=4)
    assert found == pytest.approx((expected.low[0], expected.high[0]))


@pytest.mark.parametrize("name", [m.name for m in MEASURES.values() if m.additive])
def test_limits_are_ordered_and_repeatable(name, drawn):
    one = MEASURES[name]
    treebanks = (drawn[:250], drawn[250:]) if one.pair else (drawn,)
    low, high = interval(one, *treebanks, resamples=60, seed=1)
    assert one.bounds[0] <= low <= high <= one.bounds[1]
    assert (low, high) == interval(one, *treebanks, resamples=60, seed=1)


def test_another_seed_draws_others(drawn):
    one, two = (interval(MEASURES["mdd"], drawn, resamples=60, seed=seed) for seed in (1, 2))
    assert one != two


def test_a_wider_level_is_a_wider_interval(drawn):
    narrow, wide = (
        interval(MEASURES["mean_length"], drawn, resamples=300, level=level)
        for level in (0.5, 0.99)
    )
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_what_cannot_be_resampled_has_none(drawn):
    assert interval(MEASURES["ttr"], drawn) is None
    assert interval(MEASURES["mdd"], drawn[:1]) is None
    assert interval(MEASURES["edv"], drawn, drawn[:1]) is None


def test_two_samples_of_one_treebank_are_at_distance_zero():
    # The percentile interval would cover the true distance, 0, in none of these.
    whole = synthetic(1200, seed=9)
    covered = percentile_covers = 0
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(1200)
        train, test = whole[order[:900]], whole[order[900:]]
        low, high = interval(MEASURES["edv"], train, test, resamples=200, seed=seed)
        covered += low <= 0 <= high
        draws = [
            bootstrap(
                displacement_counts(part), lambda sums: sums, resamples=200, seed=i, keep=True
            ).values
            for i, part in enumerate((train, test))
        ]
        percentile_covers += np.quantile(wasserstein(*draws), 0.025) <= 0
    assert covered >= 15
    assert percentile_covers == 0


def test_train_and_test_are_drawn_apart(drawn):
    # If both were drawn alike, the same treebank would be at distance 0 from itself every time.
    both = concat([drawn, drawn])
    low, high = interval(MEASURES["edv"], drawn, drawn, resamples=50)
    assert (low, high) == (0, 0)
    far = interval(MEASURES["edv"], both[:300], synthetic(300, seed=10), resamples=50)
    assert far[1] > far[0]
