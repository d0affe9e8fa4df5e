"""Tables of correlations: groups, covariates, corrections, and everything that goes missing."""

import json

import numpy as np
import pandas as pd
import pingouin
import polars as pl
import pytest
from scipy import stats

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.data import ud25
from treegauge.statistics.analyse import correlation_matrix
from treegauge.statistics.correlation import correlate


@pytest.fixture
def frame():
    random = np.random.default_rng(12)
    size = random.normal(size=40)
    return pl.DataFrame(
        {
            "treebank": [f"T{i}" for i in range(40)],
            "las": 70 + 5 * size + random.normal(size=40),
            "words": np.exp(10 + size),
            "edv": random.normal(size=40) - size,
            "length": random.normal(size=40),
            "family": ["a", "b"] * 20,
        }
    )


def test_rows_are_pingouins_partial_correlations(frame):
    found = correlate(frame, "las", ["edv"], ["words", "length"], resamples=0)
    data = pd.DataFrame(frame.drop("treebank", "family").to_dict(as_series=False))
    for row, covariates in zip(found.rows, [[], ["words"], ["words", "length"]], strict=True):
        theirs = (
            pingouin.partial_corr(data, "edv", "las", covariates, method="spearman")
            if covariates
            else pingouin.corr(data.edv, data.las, method="spearman")
        )
        low, high = theirs.iloc[0, 2]
        assert row.inference.r == pytest.approx(theirs["r"].iloc[0])
        assert row.inference.p_value == pytest.approx(theirs.iloc[0, 3])
        assert (round(row.inference.low, 2), round(row.inference.high, 2)) == (low, high)
        assert row.given == tuple(covariates)


def test_logarithms_change_pearson_and_leave_spearman_alone(frame):
    def r(method, log):
        return correlate(frame, "las", ["words"], method=method, log=log, resamples=0).rows[0].inference.r

    assert r("spearman", ["words"]) == r("spearman", [])
    expected = stats.pearsonr(frame["las"], np.log(frame["words"])).statistic
    assert r("pearson", ["words"]) == pytest.approx(expected) != r("pearson", [])


def test_all_other_numeric_columns_by_default(frame):
    found = correlate(frame, "las", given=["length"], by="family", resamples=0)
    assert {row.variable for row in found.rows} == {"words", "edv"}


def test_groups_are_correlated_like_tables_of_their_own(frame):
    found = correlate(frame, "las", ["edv"], ["words"], by="family", resamples=50)
    alone = correlate(frame.filter(family="b"), "las", ["edv"], ["words"], resamples=50)
    assert [row.group for row in found.rows] == ["all", "all", "a", "a", "b", "b"]
    for ours, theirs in zip(found.rows[-2:], alone.rows, strict=True):
        assert (ours.inference, ours.bca_low, ours.n) == (theirs.inference, theirs.bca_low, 20)


def test_numbers_are_cut_at_their_mean_median_or_anywhere(frame):
    for cut, at in (("mean", frame["edv"].mean()), ("median", frame["edv"].median()), (0.5, 0.5)):
        found = correlate(frame, "las", ["words"], by="edv", cut=cut, resamples=0)
        assert [row.n for row in found.rows] == [40, int((frame["edv"] > at).sum()), int((frame["edv"] <= at).sum())]
    assert correlate(frame, "las", ["words"], by="edv", cut="0.5", resamples=0).rows[1].n == found.rows[1].n


def test_p_values_are_adjusted_over_variables_and_groups_with_as_many_covariates(frame):
    found = correlate(frame, "las", ["edv", "length"], ["words"], by="family", resamples=0)
    for k in (0, 1):
        family = [row for row in found.rows if len(row.given) == k]
        assert len(family) == 6
        expected = stats.false_discovery_control([row.inference.p_value for row in family])
        assert [row.p_adjusted for row in family] == pytest.approx(expected.tolist())


def test_bootstrap_intervals_cover_and_depend_on_the_seed_alone(frame):
    one, two, other = (correlate(frame, "las", ["edv"], ["words"], resamples=300, seed=seed) for seed in (1, 1, 2))
    assert one.to_csv() == two.to_csv() != other.to_csv()
    for row in one.rows:
        assert row.bca_low < row.inference.r < row.bca_high


def test_missing_cells_leave_out_their_rows_with_a_note(frame):
    holed = frame.with_columns(edv=pl.when(pl.col("treebank") == "T3").then(None).otherwise("edv"))
    found = correlate(holed, "las", ["edv", "words"], resamples=0)
    assert [row.n for row in found.rows] == [39, 40]
    assert found.notes == ("left out, missing 'edv': T3",)
    whole = correlate(frame.filter(pl.col("treebank") != "T3"), "las", ["edv"], resamples=0)
    assert found.rows[0].inference == whole.rows[0].inference


def test_what_cannot_be_computed_is_missing_and_says_why(frame):
    odd = frame.with_columns(flat=pl.lit(1.0), copy=pl.col("las") * 2, few=pl.col("edv"))
    odd = odd.with_columns(few=pl.when(pl.int_range(pl.len()) < 3).then("few"))
    found = correlate(odd, "las", ["flat", "few", "edv"], ["copy"], resamples=0)
    missing = {(row.variable, row.given) for row in found.rows if row.inference.r is None}
    assert missing == {("flat", ()), ("flat", ("copy",)), ("few", ()), ("few", ("copy",)), ("edv", ("copy",))}
    assert [note for note in found.notes if "left out" not in note] == [
        "flat: missing, because flat has one value only",
        "flat given copy: missing, because flat has one value only",
        "few: 3 complete rows, too few to correlate (at least 4)",
        "edv given copy: missing, because the covariates determine las or edv",
        "strongest column: not corrected for its selection, because 3 rows have all columns (at least 16)",
    ]
    rows = json.loads(json.dumps(found.to_dict(), allow_nan=False))["rows"]
    assert [row["r"] is None for row in rows] == [True, True, True, True, False, True]
    assert rows[5]["p_value"] is rows[5]["detectable_r"] is rows[5]["p_adjusted"] is None


def test_covariates_need_rows(frame):
    few = frame.head(5)
    found = correlate(few, "las", ["edv"], ["length", "words"], resamples=0)
    assert [row.inference.r is None for row in found.rows] == [False, False, True]
    assert found.notes == (
        "edv: 5 rows are too few for an interval and a p-value (at least 8)",
        "edv given length: 5 rows are too few for an interval and a p-value (at least 9)",
        "edv given length, words: missing, because 2 covariates need at least 6 rows",
    )
    assert all(row.inference.low is row.inference.p_value is None for row in found.rows)
    enough = correlate(frame.head(8), "las", ["edv"], resamples=50).rows[0]
    assert enough.inference.low < enough.inference.r < enough.inference.high
    assert 0.7 < enough.detectable_r < 1


def test_nothing_computable_is_an_error(frame):
    with pytest.raises(TreegaugeError, match="no correlation can be computed: edv: 3 complete rows"):
        correlate(frame.head(3), "las", ["edv"])
    with pytest.raises(TreegaugeError, match="las has one value only"):
        correlate(frame.with_columns(las=pl.lit(5)), "las", ["edv", "words"])


def test_a_sign_that_covariates_turn_round_is_noted():
    found = correlate(ud25(), "las", ["test_words"], ["train_words", "dev_words"], resamples=0)
    assert "test_words: 0.434 becomes -0.158 given train_words" in found.notes[0]


def test_collinear_covariates_are_noted(frame):
    twin = frame.with_columns(twin=pl.col("words") + pl.col("length") * 1e-3)
    found = correlate(twin, "las", ["edv"], ["words", "twin"], resamples=0)
    assert any(note.startswith("collinear: variance inflation words") for note in found.notes)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"target": "lass"}, "unknown target column in table: 'lass'; did you mean 'las'"),
        ({"of": ["edw"]}, "unknown column in table: 'edw'; did you mean 'edv'"),
        ({"given": ["word"]}, "unknown covariate in table: 'word'; did you mean 'words'"),
        ({"by": "genus"}, "unknown column to group by in table: 'genus'"),
        ({"log": ["x"]}, "unknown column to take the logarithm of in table: 'x'"),
        ({"of": ["las"]}, "'las' is named twice"),
        ({"given": ["edv"]}, "'edv' is named twice"),
        ({"log": ["edv"]}, r"no logarithm of 'edv' = -\d.* \(T\d+\); expected numbers above 0"),
        ({"of": ["family"]}, r"row 1 \(T0\), column 'family': 'a' is not a number"),
        ({"by": "edv", "cut": "mode"}, "expected mean, median or a number, found 'mode'"),
        ({"by": "edv", "cut": "1"}, None),
        ({"method": "tau"}, "unknown coefficient 'tau'"),
        ({"correction": "fdr"}, "choices: benjamini-hochberg, holm, bonferroni"),
        ({"resamples": 1}, "resamples: expected a whole number of at least 2"),
        ({"level": 1.5}, "level: expected a number between 0 and 1"),
    ],
)
def test_errors_name_what_was_found_and_the_choices(frame, how, message):
    call = {"target": "las", "of": ["edv"], "resamples": 0} | how
    if message is None:
        assert correlate(frame, **call).rows
        return
    with pytest.raises(TreegaugeError, match=message):
        correlate(frame, **call)


def test_too_many_groups_ask_for_a_cut():
    data = {"las": np.arange(80.0), "edv": np.arange(80.0) ** 2, "size": np.arange(80) + 0.5}
    with pytest.raises(TreegaugeError, match="80 values, more than 60 groups; give a cut"):
        correlate(data, "las", ["edv"], by="size")


def test_tables_for_people_hide_what_does_not_vary_and_round_p_values(frame):
    plain = correlate(frame, "las", ["words"], resamples=0)
    assert "group" not in plain.shown().columns
    assert "given" not in plain.shown().columns
    assert "<0.0001" in str(plain)
    assert "bca_low" not in str(plain)
    assert plain.table["p_value"].item() < 1e-6
    assert "textless" in plain.to_latex()
    assert "&lt;0.0001" in plain.to_html()
    assert plain.signature in plain.to_html()


def test_a_matrix_has_every_pair_once(frame):
    found = correlation_matrix(frame, method="pearson", log=["words"])
    names = ["las", "log(words)", "edv", "length"]
    assert list(found.names) == names
    values = frame.select(names[0], pl.col("words").log(), *names[2:]).to_numpy()
    expected = np.corrcoef(values, rowvar=False)
    for pair in found.pairs:
        i, j = names.index(pair["x"]), names.index(pair["y"])
        assert i < j
        assert pair["r"] == pytest.approx(expected[i, j])
    assert len(found.pairs) == 6
    assert found.shown()["las"][1] == found.shown()["log(words)"][0]
    adjusted = stats.false_discovery_control([pair["p_value"] for pair in found.pairs])
    assert [pair["p_adjusted"] for pair in found.pairs] == pytest.approx(adjusted.tolist())


def test_a_matrix_leaves_gaps_where_nothing_can_be_computed(frame):
    odd = frame.select("las", "edv", pl.lit(3).alias("flat")).with_columns(
        few=pl.when(pl.int_range(pl.len()) < 2).then(pl.col("edv"))
    )
    found = correlation_matrix(odd, method="kendall")
    missing = [(pair["x"], pair["y"]) for pair in found.pairs if pair["r"] is None]
    assert missing == [("las", "flat"), ("las", "few"), ("edv", "flat"), ("edv", "few"), ("flat", "few")]
    assert len(found.notes) == 5
    json.dumps(found.to_dict(), allow_nan=False)
    with pytest.raises(TreegaugeError, match="two or more different columns, found las"):
        correlation_matrix(odd, ["las"])
    with pytest.raises(ChoiceError):
        correlation_matrix(odd, ["las", "edw"])


def test_kendall_given_covariates_has_no_p_value_and_says_why(frame):
    found = correlate(frame, "las", ["edv"], ["words"], method="kendall", resamples=0)
    alone, given = found.rows
    assert alone.inference.p_value is not None
    assert given.inference.p_value is given.p_adjusted is None
    assert given.inference.low < given.inference.r < given.inference.high
    assert any("Kendall's partial tau is not 0" in note for note in found.notes)
