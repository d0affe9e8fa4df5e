"""Equivalents invert the learning curve."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.learning.curve import equivalent
from treegauge.learning.curves.complexity import composite_counts
from treegauge.learning.curves.equivalents import equivalent_size, isotonic, placing, size_text

from .conftest import SIZES, table

rising = st.lists(st.floats(0.5, 20), min_size=7, max_size=7).map(np.cumsum)
any_curve = st.lists(st.floats(0, 100), min_size=1, max_size=8)
tenths = st.lists(st.integers(0, 1000).map(lambda n: n / 10), min_size=1, max_size=8)


@settings(max_examples=80, deadline=None)
@given(rising, st.floats(0, 1))
def test_the_equivalent_of_a_curves_own_score_is_its_size(curve, where):
    size = 5 * 100**where
    score = np.interp(np.log(size), np.log(SIZES), curve)
    assert equivalent_size(SIZES, curve, score) == pytest.approx(size, rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(tenths.filter(lambda curve: len(curve) > 1), st.integers(-50, 1050).map(lambda n: n / 10))
def test_reading_the_curve_at_the_equivalent_gives_the_score_back(curve, score):
    sizes = np.arange(1, len(curve) + 1) * 10.0
    level = isotonic(curve)
    found = float(equivalent_size(sizes, curve, score))
    if score < level[0] - 1e-6:
        assert found == 0
    elif score > level[-1] + 1e-6:
        assert found == np.inf
    else:
        assert np.interp(np.log(found), np.log(sizes), level) == pytest.approx(score, abs=1e-6)
        # The fewest sentences: a little less gives less.
        less = np.interp(np.log(found * 0.999), np.log(sizes), level)
        assert less < score or found == pytest.approx(sizes[0])


@settings(max_examples=60, deadline=None)
@given(rising, st.floats(0, 100), st.floats(0, 100))
def test_more_score_is_worth_no_fewer_sentences(curve, one, other):
    small, large = sorted((one, other))
    assert equivalent_size(SIZES, curve, small) <= equivalent_size(SIZES, curve, large)


@settings(max_examples=80, deadline=None)
@given(any_curve)
def test_levelling_is_scipys_isotonic_regression(curve):
    assert isotonic(curve) == pytest.approx(isotonic_regression(curve).x, abs=1e-9)


def test_a_stack_of_curves_is_levelled_one_by_one():
    curves = np.random.default_rng(0).random((4, 3, 6))
    level = isotonic(curves)
    for i in range(4):
        for j in range(3):
            assert level[i, j] == pytest.approx(isotonic_regression(curves[i, j]).x)


def test_a_flat_stretch_counts_from_its_start():
    assert equivalent_size([5, 10, 20, 40], [30, 50, 50, 60], 50) == pytest.approx(10)
    # A fall from 52 to 48 is a flat stretch at 50.
    assert equivalent_size([5, 10, 20, 40], [30, 52, 48, 60], 50) == pytest.approx(10)


def test_beyond_the_range_is_said_so():
    sizes = [5, 10, 20]
    found = equivalent_size(sizes, [40, 50, 60], [39.9, 40, 60, 60.1])
    assert [size_text(one, sizes) for one in found] == ["< 5", "5", "20", "> 20"]
    with pytest.raises(TreegaugeError, match="3 sizes and 2 scores"):
        equivalent_size(sizes, [40, 50], 45)


def test_published_equivalents_lie_on_lines_in_ln_size():
    """Table 3 of the paper: of Romanian, four overall scores fall between 100 and 200 sentences.

    Scores are rounded to 0.1 and the line through the outer two is some 3.5 points an e-fold, so
    that an equivalent is known to 0.05 / 3.5 twice over: three per cent.
    """
    published = {73.0: 131, 73.3: 142, 73.6: 155, 73.8: 165}
    slope = (73.8 - 73.0) / np.log(165 / 131)
    ends = [73.0 + slope * np.log(n / 131) for n in (100, 200)]
    for score, sentences in published.items():
        assert equivalent_size([100, 200], ends, score) == pytest.approx(sentences, rel=0.03)


def counts(samples=5, noise=1.0):
    curves = {"a": lambda n: 90 - 60 / n, "b": lambda n: 10 + 10 * np.log(n)}
    names = ("UD_Greek-GDT", "UD_Latin-Perseus")
    return table({(name, "beam"): curves for name in names}, samples=samples, noise=noise)


def test_scores_are_placed_on_the_average_or_on_one_treebank():
    made = composite_counts(counts())
    scores = {"all": 60.0, "simple": 20.0, "complex": 99.0}
    found = equivalent(made, score=scores)
    rows = {row["class"]: row for row in found.table.to_dicts()}
    whole = rows["all"]
    assert 5 < whole["sentences"] < 500
    assert float(whole["low"]) <= float(whole["equivalent"]) <= float(whole["high"])
    assert rows["simple"]["sentences"] is None
    assert (rows["simple"]["equivalent"], rows["complex"]["equivalent"]) == ("< 5", "> 500")
    one = equivalent(made, score={"all": 60.0}, treebank="UD_Greek-GDT")
    assert one.table["treebank"].to_list() == ["UD_Greek-GDT"]
    assert "on:UD_Greek-GDT" in one.signature
    assert one.table["sentences"][0] != whole["sentences"]


def test_intervals_say_when_they_leave_the_range():
    noisy = table({("A", "b"): {"x": lambda n: 40 + 5 * np.log(n)}}, samples=5, noise=8.0)
    top = 40 + 5 * np.log(500)
    row = equivalent(noisy, score={"all": top}, seed=3).table.row(0, named=True)
    assert row["high"] == "> 500"
    assert row["low"] not in {"< 5", "> 500"}


def test_several_systems_and_falling_curves():
    falling = table({("A", "b"): {"x": lambda n: 50.0 if n == 20 else 40 + 5 * np.log(n)}})
    found = equivalent(falling, score={"one": {"all": 55.0}, "two": {"all": 60.0}})
    assert found.table["system"].to_list() == ["one", "two"]
    assert "the curve of all is not monotone: smoothed by isotonic regression" in str(found)


def test_scores_with_and_without_a_system_are_all_placed():
    found = equivalent(counts(), score={"all": 50.0, "one": {"all": 55.0}}).table
    assert found.select("system", "score").rows() == [("", 50.0), ("one", 55.0)]


def test_placing_is_the_equivalent_and_its_interval():
    made = composite_counts(counts())
    place = placing(made, "UD_Greek-GDT")
    for group, name in (("overall", "all"), ("simple", "simple")):
        row = equivalent(made, score={name: 60.0}, treebank="UD_Greek-GDT").table.row(0, named=True)
        assert place(group, 60.0) == (row["equivalent"], row["low"], row["high"])


def test_what_cannot_be_placed_is_refused():
    with pytest.raises(ChoiceError, match="unknown class of words 'nouns'"):
        equivalent(counts(), score={"nouns": 60.0})
    with pytest.raises(TreegaugeError, match="no scores to place"):
        equivalent(counts(), score={})
    with pytest.raises(TreegaugeError, match="expected percent"):
        equivalent(counts(), score={"all": 661})
    with pytest.raises(TreegaugeError, match="the score of all is 661; expected percent"):
        equivalent(counts(), score={"one": {"all": 661}})
    with pytest.raises(ChoiceError, match="unknown treebank"):
        equivalent(counts(), score={"all": 60.0}, treebank="UD_X")
