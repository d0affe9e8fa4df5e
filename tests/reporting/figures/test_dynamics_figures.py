"""Figures of training dynamics hold the numbers of the results they draw."""

import json

import numpy as np
import pytest
from scipy.stats import gaussian_kde

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.learning.dynamics.description_length import description_length
from treegauge.learning.dynamics.recorder import make_engine
from treegauge.reporting.figures import treebanks as dynamics
from treegauge.reporting.figures.analysis import matrix
from treegauge.statistics.analyse import correlation_matrix
from treegauge.testing.synthetic import synthetic

TRAIN, DEV = synthetic(60, seed=1), synthetic(30, seed=2)


@pytest.fixture(scope="module")
def engine():
    return make_engine("mst", epochs=2, options=["bits=16", "label_bits=12"])


@pytest.fixture(scope="module")
def maps():
    return tg.map(TRAIN, DEV, epochs=2, option=["bits=16", "label_bits=12"])


def test_data_maps_count_every_word_once(maps):
    spec = dynamics.data_maps(maps, layer="relation")
    rows = spec["data"]["values"]
    for one, words in zip(maps, (TRAIN.n_words, DEV.n_words), strict=True):
        own = [row for row in rows if row["treebank"] == one.treebank.partition("#")[0]]
        assert sum(row["words"] for row in own) == words
        confidence = sum(row["words"] * (row["conf"] + row["conf_to"]) / 2 for row in own) / words
        assert confidence == pytest.approx(one.values["relation"]["confidence"], abs=0.02)
    assert json.loads(json.dumps(spec, allow_nan=False)) == spec
    assert spec["facet"]["sort"] == ["syn-1", "syn-2"]


def test_densities_are_densities():
    found = tg.difficulty(TRAIN, measure="vinfo", dev=DEV, epochs=2, option=["bits=16", "label_bits=12"])
    spec = dynamics.pvi_densities(found)
    rows = spec["layer"][0]["data"]["values"]
    x, y = (np.array([row[key] for row in rows]) for key in ("pvi", "density"))
    assert np.trapezoid(y, x) == pytest.approx(1, abs=0.03)
    assert spec["usermeta"]["signature"] == found.signature


def test_the_density_is_that_of_a_kernel_estimate():
    values = np.random.default_rng(0).normal(1, 2, 2000)
    at = np.linspace(-8, 10, 161)
    oracle = gaussian_kde(values, bw_method=0.9 * len(values) ** -0.2)
    np.testing.assert_allclose(dynamics.density(values, at), oracle(at), atol=0.004)
    spike = dynamics.density(np.zeros(5), at)
    assert spike.max() == spike[np.argmin(np.abs(at))]


def test_code_lengths_are_those_of_the_blocks(engine):
    found = description_length(TRAIN, engine=engine, blocks=(5, 10, 20), orders=2)
    rows = dynamics.code_lengths([found], dark=True)["data"]["values"]
    assert [row["sentences"] for row in rows] == [5, 15, 35]
    expected = (found.bits["head"] / found.words).mean(axis=0)
    np.testing.assert_allclose([row["bits"] for row in rows], expected)
    assert all(row["low"] <= row["bits"] <= row["high"] for row in rows)


def test_treebanks_and_their_correlations():
    treebanks = [{"train": synthetic(30, seed=seed), "dev": DEV} for seed in range(1, 5)]
    table = tg.difficulty(*treebanks, orders=0, epochs=2, option=["bits=16", "label_bits=12"])
    spec = dynamics.difficulty_figure(table)
    assert [row["treebank"] for row in spec["data"]["values"]] == ["syn-1", "syn-2", "syn-3", "syn-4"]
    drawn = matrix(correlation_matrix(table.known))
    names = {cell["x"] for cell in drawn["data"]["values"]}
    assert {"las", "arc_conf", "arc_var", "arc_vinfo", "rel_conf"} <= names


def test_nothing_to_draw(maps):
    with pytest.raises(TreegaugeError, match="unknown layer 'heads'; did you mean 'head'"):
        dynamics.data_maps(maps, layer="heads")
    with pytest.raises(TreegaugeError, match="at least one treebank"):
        dynamics.pvi_densities([])
