"""Rows that resemble each other, and columns chosen because they are the strongest."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from treegauge.core.errors import ChoiceError
from treegauge.data import ud25
from treegauge.statistics.analyse import correlation_matrix
from treegauge.statistics.clusters import Clusters, over_clusters, strongest, weighted_coefficients
from treegauge.statistics.correlation import correlate
from treegauge.statistics.correlation_coefficients import coefficients
from treegauge.statistics.data_table import as_table
from treegauge.statistics.units import LEAST_CLUSTERS


@pytest.mark.parametrize("method", ["spearman", "pearson", "kendall"])
def test_weights_are_rows_that_occur_so_often(method):
    random = np.random.default_rng(0)
    values = random.normal(size=(15, 3)).round(1)  # with ties
    weights = random.integers(0, 3, (4, 15))
    found = weighted_coefficients(values, weights.astype(float), method)
    for counts, matrix in zip(weights, found, strict=True):
        np.testing.assert_allclose(matrix, coefficients(np.repeat(values, counts, 0), method))


def test_a_genus_is_known_from_names_and_codes_or_a_column():
    table = as_table({"treebank": ["UD_Greek-GDT", "Czech-PDT", "hsb_ufal", "T1"], "kin": list("aab ")})
    assert table.kinds("genus") == ["Greek", "Slavic", "Slavic", None]
    assert table.kinds("family") == ["Indo-European"] * 3 + [None]
    assert table.kinds("language") == ["Greek", "Czech", "Upper Sorbian", None]
    assert table.kinds("kin") == ["a", "a", "b", " "]
    assert table.kinds("none") is None
    with pytest.raises(ChoiceError, match="did you mean 'genus'"):
        table.kinds("genius")


def doubled(random, rows, per):
    """Rows in clusters of equal rows: what independent rows say, said several times."""
    values = random.normal(size=(rows, 2))
    return np.repeat(values, per, axis=0), np.repeat(np.arange(rows), per)


def test_repeated_rows_are_no_new_evidence():
    random = np.random.default_rng(1)
    rejected = naive = 0
    for _ in range(300):
        values, codes = doubled(random, 12, 4)
        rejected += over_clusters(values, Clusters(codes), "spearman", 1).p_value()[0] <= 0.05
        naive += stats.spearmanr(*values.T).pvalue <= 0.05
    assert rejected / 300 < 0.09
    assert naive / 300 > 0.25


def test_analyse_allows_for_genera_and_says_so():
    clustered = correlate(ud25(), "las", ["test_words"], resamples=200)
    alone = correlate(ud25(), "las", ["test_words"], resamples=200, cluster="none")
    wide, narrow = (found.rows[0] for found in (clustered, alone))
    assert wide.inference.r == narrow.inference.r
    assert wide.inference.high - wide.inference.low > narrow.inference.high - narrow.inference.low
    assert wide.inference.p_value > narrow.inference.p_value
    assert wide.detectable_r > narrow.detectable_r
    assert wide.bca_low != narrow.bca_low
    assert "94 rows in 26 clusters (genus)" in clustered.notes[0]
    assert not alone.notes
    pair = correlation_matrix(ud25(), "las,test_words").pairs[0]
    assert (pair["low"], pair["p_value"]) == (wide.inference.low, wide.inference.p_value)


def test_too_few_clusters_have_no_interval():
    random = np.random.default_rng(2)
    rows = 3 * (LEAST_CLUSTERS - 1)
    frame = pl.DataFrame(
        {"las": random.normal(60, 5, rows), "edv": random.normal(size=rows)}
        | {"kin": [f"k{i % (LEAST_CLUSTERS - 1)}" for i in range(rows)]}
    )
    found = correlate(frame, "las", ["edv"], cluster="kin")
    assert found.rows[0].inference.low is found.rows[0].inference.p_value is None
    assert found.rows[0].bca_low is None
    assert "too few for intervals" in found.notes[0]


def test_the_strongest_column_is_pulled_towards_zero():
    random = np.random.default_rng(3)
    covered, nearer = [], []
    for _ in range(200):
        values = random.normal(size=(30, 9))  # nothing is there
        best = strongest(values, 8, Clusters(np.arange(30)), "spearman", 0.95)
        covered.append(best.low <= 0 <= best.high)
        nearer.append(abs(best.value) < abs(best.observed))
        expected = max(coefficients(values)[0, 1:], key=abs)
        assert best.observed == pytest.approx(expected)
    assert np.mean(covered) > 0.9
    assert np.mean(nearer) > 0.9


def test_analyse_names_the_strongest_of_its_columns():
    found = correlate(ud25(), "las", ["test_words", "train_words", "dev_words"], resamples=0)
    summary = found.summary
    assert (summary["strongest"], summary["selected_from"]) == ("train_words", 3)
    assert summary["selected_low"] < summary["selected_r"] < summary["selected_high"]
    assert "strongest of 3 columns: train_words, r 0.661" in str(found)
    assert not correlate(ud25(), "las", ["test_words"], resamples=0).summary
