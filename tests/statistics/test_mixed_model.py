"""REML estimates equal those that lme4 and statsmodels give for published examples."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.statistics.models.mixed_model import RandomTerm, crossed, mixed_model

#: The data of lme4's examples: Belenky et al. (2003), Davies and Goldsmith (1972), Cook (1938).
DATA = Path(__file__).parent / "lme4"


def table(name):
    return pl.read_csv(DATA / f"{name}.csv")


def groups(data, *columns):
    return crossed(*(data[column].to_list() for column in columns))


@pytest.fixture(scope="module")
def sleepstudy():
    """Reaction ~ Days + (Days | Subject)."""
    data = table("sleepstudy")
    x = np.column_stack([np.ones(len(data)), data["Days"]])
    return mixed_model(data["Reaction"], x, [RandomTerm("Subject", groups(data, "Subject"), x)])


@pytest.fixture(scope="module")
def penicillin():
    """diameter ~ 1 + (1 | plate) + (1 | sample)."""
    data = table("penicillin")
    terms = [RandomTerm(name, groups(data, name)) for name in ("plate", "sample")]
    return mixed_model(data["diameter"], np.ones((len(data), 1)), terms)


def test_correlated_slopes_equal_the_published_estimates(sleepstudy):
    spread = sleepstudy.covariances["Subject"]
    sd = np.sqrt(np.diag(spread))
    assert sd == pytest.approx([24.7407, 5.9221], abs=1e-3)
    assert spread[0, 1] / sd.prod() == pytest.approx(0.066, abs=1e-3)
    assert sleepstudy.sigma == pytest.approx(25.5918, abs=1e-3)
    beta, covariance = sleepstudy.fixed
    assert beta == pytest.approx([251.405, 10.467], abs=1e-3)
    assert np.sqrt(np.diag(covariance)) == pytest.approx([6.8246, 1.5458], abs=1e-3)
    assert sleepstudy.deviance == pytest.approx(1743.628, abs=1e-3)


def test_crossed_groups_equal_the_published_estimates(penicillin):
    sds = {part.name: part.sd for part in penicillin.components()}
    assert sds == pytest.approx({"plate": 0.84670, "sample": 1.93161, "residual": 0.54992}, abs=1e-3)
    assert penicillin.fixed[0] == pytest.approx([22.9722], abs=1e-3)
    assert np.sqrt(penicillin.fixed[1][0]) == pytest.approx([0.8086], abs=1e-3)
    assert penicillin.deviance == pytest.approx(330.8606, abs=1e-3)


def test_groups_within_groups_equal_the_published_estimates():
    """angle ~ recipe * temperature + (1 | recipe:replicate)."""
    data = table("cake")
    cells = np.eye(18)[groups(data, "recipe", "temperature")]
    model = mixed_model(data["angle"], cells, [RandomTerm("replicate", groups(data, "recipe", "replicate"))])
    assert model.components()[0].sd ** 2 == pytest.approx(41.837, abs=1e-3)
    assert model.sigma**2 == pytest.approx(20.471, abs=1e-3)
    means = data.group_by("recipe", "temperature").agg(pl.col("angle").mean()).sort("recipe", "temperature")
    assert model.fixed[0] == pytest.approx(means["angle"].to_numpy(), abs=1e-6)


def test_estimates_equal_statsmodels(sleepstudy):
    mixed_lm = pytest.importorskip("statsmodels.regression.mixed_linear_model").MixedLM
    data = table("sleepstudy")
    x = np.column_stack([np.ones(len(data)), data["Days"]])
    other = mixed_lm(data["Reaction"].to_numpy(), x, data["Subject"].to_numpy(), exog_re=x).fit(reml=True)
    assert sleepstudy.covariances["Subject"] == pytest.approx(np.asarray(other.cov_re), rel=1e-3)
    assert sleepstudy.sigma**2 == pytest.approx(other.scale, rel=1e-4)
    assert sleepstudy.deviance == pytest.approx(-2 * other.llf, abs=1e-3)


def test_a_balanced_design_equals_the_analysis_of_variance():
    """REML equals the mean squares of a one-way design, and its interval contains the estimate."""
    scores = np.random.default_rng(3).normal(0, 1, (12, 5)) + np.random.default_rng(4).normal(0, 2, (12, 1))
    inner = scores.var(axis=1, ddof=1).mean()
    outer = scores.mean(axis=1).var(ddof=1) - inner / 5
    model = mixed_model(scores.ravel(), np.ones((60, 1)), [RandomTerm("group", np.repeat(np.arange(12), 5))])
    assert [part.sd**2 for part in model.components()] == pytest.approx([outer, inner], rel=1e-5)
    for part in model.components(0.95):
        assert part.low < part.sd < part.high


def test_a_component_of_zero_has_an_interval_from_zero():
    y = np.tile([0.0, 1.0, 2.0, 3.0], 10)
    model = mixed_model(y, np.ones((40, 1)), [RandomTerm("group", np.repeat(np.arange(10), 4))])
    part = model.components(0.95)[0]
    assert part.sd == pytest.approx(0, abs=1e-3)
    assert part.low == 0 < part.high < 1


def test_fixed_effects_that_cannot_be_told_apart_are_refused():
    x = np.ones((6, 2))
    with pytest.raises(TreegaugeError, match="cannot be told apart"):
        mixed_model(np.arange(6), x, [RandomTerm("group", np.arange(6) // 2)])
