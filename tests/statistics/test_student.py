"""Student's t: against scipy."""

import numpy as np
import pytest
from scipy import stats

from treegauge.statistics.student import student_quantile, student_tail


@pytest.mark.parametrize("df", [1, 1.4, 2, 3.7, 9, 30, 136.2, 455, 5000])
def test_tails_and_quantiles_equal_scipy(df: float) -> None:
    t = np.array([-3, 0, 0.1, 0.5, 1, 1.96, 3, 6, 12, 40])
    assert student_tail(t, df) == pytest.approx(stats.t.sf(t, df), rel=1e-10)
    for share in (0.5, 0.6, 0.8, 0.975, 0.9999):
        assert student_quantile(share, df) == pytest.approx(stats.t.ppf(share, df), rel=1e-10)


def test_many_values_and_the_edges() -> None:
    df = np.linspace(1, 400, 300)
    few = [student_quantile(0.975, one).item() for one in df]
    assert student_quantile(0.975, df) == pytest.approx(few, rel=1e-10)
    tails = [student_tail(2.0, one).item() for one in df]
    assert student_tail(2.0, df) == pytest.approx(tails, rel=1e-10)
    assert student_quantile(0.975, np.inf) == pytest.approx(1.959963985, rel=1e-6)
    assert student_tail(np.inf, 5) == 0
    assert np.isnan(student_tail(np.nan, 5))
    assert np.isnan(student_quantile(0.975, [np.nan, 3])).tolist() == [True, False]
