"""Intervals of measures over sentences."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import t

from treegauge.measures.intervals import LEAST_DOCUMENTS, interval_of_sums, measure_interval
from treegauge.measures.measure import measure
from treegauge.measures.registry import measures
from treegauge.measures.vocabulary import entropy_of
from treegauge.statistics.bootstrap import bootstrap
from treegauge.statistics.probabilities import wasserstein
from treegauge.statistics.student_intervals import jackknife, wilson
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import concat
from treegauge.treebanks.data.indexing import document_starts
from treegauge.treebanks.data.trees import displacement_counts

MEASURES = measures()
interval = partial(measure_interval, units="sentences")


@pytest.fixture(scope="module")
def drawn():
    return synthetic(400, seed=8)


def test_means_have_students_interval_of_the_jackknife(drawn):
    low, high = interval(MEASURES["depth"], drawn)
    (table,) = MEASURES["depth"].additive.tables(drawn)
    found = jackknife(table, lambda sums: sums[..., [0]] / sums[..., [1]])
    reach = np.exp(t.ppf(0.975, 399) * found.standard_error[0] / found.value[0])
    assert (low, high) == pytest.approx((found.value[0] / reach, found.value[0] * reach), rel=1e-3)


def test_shares_of_sentences_have_wilsons_interval(drawn):
    one = MEASURES["one_word_sentences"]
    seen, n = one.additive.tables(drawn)[0].sum(axis=0)
    assert interval(one, drawn) == pytest.approx(wilson(seen, n), abs=2e-3)
    # What no sentence has may still be there.
    none = drawn[np.flatnonzero(drawn.lengths > 1)]
    low, high = interval(one, none)
    assert (low, high) == pytest.approx(wilson(0, len(none)))
    assert high > 0


def test_intervals_of_entropies_are_corrected_for_their_bias(drawn):
    few = [drawn[i : i + 50] for i in range(0, 400, 50)]
    truth = MEASURES["feature_entropy"](synthetic(4000, seed=8))
    plain = np.mean([MEASURES["feature_entropy"](part) for part in few])
    middle = np.mean([np.mean(interval(MEASURES["feature_entropy"], part)) for part in few])
    assert abs(middle - truth) < abs(plain - truth) / 2


def test_too_few_sentences_have_no_interval_and_a_reason(drawn):
    assert interval(MEASURES["mdd"], drawn[:49]) == "it needs 50 sentences, found 49"
    assert interval(MEASURES["edv"], drawn, drawn[:99]) == "it needs 100 sentences, found 99"
    assert "does not give a valid interval" in interval(MEASURES["ttr"], drawn)
    row = measure("depth", drawn[:49], interval=True)
    assert "depth: no interval: it needs 50 sentences, found 49" in row.warnings


def test_documents_are_the_units_where_they_are_marked(drawn):
    table = MEASURES["mdd"].additive.tables(drawn)[0]
    starts = document_starts(drawn)
    documents = int(starts.sum())
    assert documents == 20
    assert measure_interval(MEASURES["mdd"], drawn) == interval_of_sums(
        MEASURES["mdd"].additive, (1, np.inf), [np.add.reduceat(table, np.flatnonzero(starts))], documents=True
    )
    few = drawn[: np.flatnonzero(starts)[12]]
    assert "it needs 20 documents, found 12; --units sentences" in measure_interval(MEASURES["feature_entropy"], few)
    assert LEAST_DOCUMENTS["mean"] <= 12
    both = measure("mdd,feature_entropy", few, interval=True)
    assert both.table["units"].to_list() == ["12 documents", None]
    assert "|units:documents" in both.signature
    assert measure("mdd", drawn, interval=True, units="sentences").table["units"].to_list() == ["400 sentences"]


def test_the_entropy_of_a_share_may_be_largest_inside_its_interval():
    one = MEASURES["direction_entropy"].additive
    table = np.tile([[5, 10], [6, 12], [4, 9], [6, 11]], (15, 1))
    low, high = interval_of_sums(one, (0, 1), [table])
    shares = interval_of_sums(MEASURES["head_left"].additive, (0, 1), [table])
    assert shares[0] < 0.5 < shares[1]
    assert high == 1
    assert low == pytest.approx(min(entropy_of([share, 1 - share]) for share in shares))


def test_excess_is_what_random_splits_do_not_explain(drawn):
    far = synthetic(150, Grammar(basic_order="SOV"), seed=3)
    for name in ("edv", "slv"):
        plain, excess = [], []
        for seed in range(6):
            mixed = drawn[np.random.default_rng(seed).permutation(400)]
            plain.append(MEASURES[name](mixed[:250], mixed[250:]))
            excess.append(MEASURES[f"{name}_excess"](mixed[:250], mixed[250:]))
        assert abs(np.mean(excess)) < np.mean(plain) / 4
        assert MEASURES[f"{name}_excess"](drawn, drawn) < 0
    assert MEASURES["edv_excess"](drawn[:250], far) > 0.3


@pytest.mark.parametrize("name", [m.name for m in MEASURES.values() if m.additive])
def test_limits_are_ordered_and_repeatable(name, drawn):
    one = MEASURES[name]
    twice = concat([drawn, drawn])
    treebanks = (twice[:420], twice[420:]) if one.pair else (twice,)
    low, high = interval(one, *treebanks, resamples=60, seed=1)
    assert one.bounds[0] <= low <= high <= one.bounds[1]
    assert (low, high) == interval(one, *treebanks, resamples=60, seed=1)


def test_another_seed_draws_others(drawn):
    pair = drawn[:250], drawn[250:]
    one, two = (interval(MEASURES["edv"], *pair, resamples=60, seed=seed) for seed in (1, 2))
    assert one != two


def test_a_wider_level_is_a_wider_interval(drawn):
    narrow, wide = (interval(MEASURES["mean_length"], drawn, resamples=300, level=level) for level in (0.5, 0.99))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


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
            bootstrap(displacement_counts(part), lambda sums: sums, resamples=200, seed=i, keep=True).values
            for i, part in enumerate((train, test))
        ]
        percentile_covers += np.quantile(wasserstein(*draws), 0.025) <= 0
    assert covered >= 17
    assert percentile_covers == 0


def test_train_and_test_are_drawn_apart(drawn):
    # If both were drawn alike, the same treebank would be at distance 0 from itself every time.
    both = concat([drawn, drawn])
    assert interval(MEASURES["edv"], drawn, drawn, resamples=50)[0] == 0
    far = interval(MEASURES["edv"], both[:300], synthetic(300, seed=10), resamples=50)
    assert far[1] > far[0]
