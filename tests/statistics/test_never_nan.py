"""Whatever the table, an analysis has numbers, gaps with a reason, or one clear error."""

import json

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.analyse import correlation_matrix
from treegauge.statistics.correlation import correlate
from treegauge.statistics.linear_model import regress

NUMBERS = st.one_of(st.integers(-3, 3), st.sampled_from([0.1, 1e-12, 1e9, 1e9 + 1]))
ANALYSES = {
    "correlation": lambda t: correlate(t, "y", ["x"], ["a", "b"], by="b", cut="mean", resamples=8),
    "kendall": lambda t: correlate(t, "y", ["x"], ["a"], method="kendall", resamples=8),
    "pearson": lambda t: correlate(t, "y", ["x"], ["a", "b"], method="pearson", resamples=8),
    "matrix": correlation_matrix,
    "regression": lambda t: regress(t, "y", ["x", "a"]),
    "predictions": lambda t: regress(t, "y", ["x"]).leave_one_out(),
}


@st.composite
def tables(draw):
    size = draw(st.integers(0, 14))
    cells = draw(st.sampled_from([NUMBERS, NUMBERS, st.one_of(st.none(), NUMBERS)]))
    return {name: draw(st.lists(cells, min_size=size, max_size=size)) for name in "yxab"}


@pytest.mark.parametrize("analysis", ANALYSES)
@given(table=tables())
@settings(max_examples=60, deadline=None)
def test_no_nan_no_crash(analysis, table):
    try:
        found = ANALYSES[analysis](table)
    except TreegaugeError as error:
        assert str(error)
        return
    json.dumps(found.to_dict(), allow_nan=False)
    assert "nan" not in str(found).lower().replace("variance", "")
