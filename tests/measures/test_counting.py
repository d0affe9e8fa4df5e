"""Numbering values, against numpy, which sorts them."""

from unittest.mock import patch

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings

from treegauge.measures.registry import renumber


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 40)), st.sampled_from([0, 1000]))
def test_numbers_are_those_of_numpy_by_table_and_by_sorting(keys, small):
    with patch("treegauge.measures.registry.SMALL", small):
        found = renumber(np.array(keys, np.int64), 41)
    assert found.tolist() == np.unique(keys, return_inverse=True)[1].tolist()
