import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.probabilities import cumulative_variance


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(0, 100), min_size=2, max_size=30))
def test_equals_the_variance_of_each_beginning(scores):
    ranked = sorted(scores, reverse=True)
    expected = [np.var(ranked[:k]) for k in range(2, len(ranked) + 1)]
    np.testing.assert_allclose(cumulative_variance(scores), expected, atol=1e-9)


def test_another_score_may_decide_on_the_order():
    found = cumulative_variance([1.0, 5.0, 3.0], by=[10, 30, 20])
    np.testing.assert_allclose(found, [np.var([5, 3]), np.var([5, 3, 1])])


@pytest.mark.parametrize(
    ("scores", "by", "told"), [([1.0], None, "two scores"), ([1, 2], [1], "two scores"), ([1, np.nan], None, "numbers")]
)
def test_bad_input(scores, by, told):
    with pytest.raises(TreegaugeError, match=told):
        cumulative_variance(scores, by)
