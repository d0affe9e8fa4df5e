"""Fitted laws against scipy and against simulated curves; contributions add up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import curve_fit

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.learning.curve import curve
from treegauge.learning.curves.advising import expected_gain
from treegauge.learning.curves.equivalents import bend, chance, checked, factor, mix_laws
from treegauge.learning.curves.fits import fit_law, size_weights
from treegauge.learning.training_settings import CurveBands

from .conftest import SIZES, table


def fit(counts, *, law=("power", "log"), **how):
    """Return the laws fitted to the curve of the only parser."""
    (fits,) = curve(counts, law=law, **how).attached["fits"]
    return fits


def advise(counts, *, resamples=1000, **how):
    """Return advice on the only treebank; fewer draws for speed."""
    return expected_gain(counts, CurveBands(resamples=resamples), **how)


N = np.array(SIZES, float)


def power(n, a, b, c):
    return a - b * n**-c


@settings(max_examples=40, deadline=None)
@given(st.floats(60, 95), st.floats(20, 80), st.floats(0.05, 2))
def test_a_power_law_is_found_again(a, b, c):
    found = fit_law("power", N, power(N, a, b, c), np.ones(7))
    assert found.c == pytest.approx(c, rel=1e-3)
    assert found.at(N) == pytest.approx(power(N, a, b, c), abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_weighted_fits_are_scipys(seed):
    rng = np.random.default_rng(seed)
    y = power(N, 85, 60, 0.4) + rng.normal(0, 0.5, 7)
    weights = rng.uniform(0.2, 2, 7)
    sigma = 1 / np.sqrt(weights)
    (a, b, c), _ = curve_fit(power, N, y, p0=(80, 50, 0.5), sigma=sigma, maxfev=20_000)
    found = fit_law("power", N, y, weights)
    assert [float(found.a), float(found.b), float(found.c)] == pytest.approx([a, b, c], rel=1e-3)
    (a, b), _ = curve_fit(lambda n, a, b: a + b * np.log(n), N, y, sigma=sigma)
    line = fit_law("log", N, y, weights)
    assert [float(line.a), float(line.b)] == pytest.approx([a, b], rel=1e-6)


def test_the_mixture_is_the_average_of_its_laws_by_their_chances():
    curve = power(N, 85, 60, 0.4) + np.random.default_rng(1).normal(0, 1, 7)
    mixture = mix_laws(N, curve, np.full(7, 0.2), 5000)
    assert mixture.chances.sum() == pytest.approx(1)
    steps = mixture.chances * (mixture.slopes @ curve)
    expected = curve[-1] + steps @ bend([4.0])[:, 0]
    assert mixture.level(2000) @ curve == pytest.approx(expected)
    # Between sizes it is the curve itself.
    assert mixture.level(500) @ curve == pytest.approx(curve[-1])
    assert mixture.level(20) @ curve == pytest.approx(curve[2])


def test_a_bend_is_a_power_law_and_a_logarithm_at_the_end():
    assert bend([2.0])[0, 0] == pytest.approx(np.log(2), rel=0.01)
    curve = 20 + 9 * np.log(N)
    log_like = mix_laws(N, curve, np.full(7, 1e-4), 10**6)
    sharp = mix_laws(N, power(N, 80, 60, 1.0), np.full(7, 1e-4), 10**6)
    assert log_like.chances[:10].sum() > sharp.chances[:10].sum()


def test_errors_grow_with_distance_with_noise_and_with_bad_fits():
    curve = power(N, 85, 60, 0.4)[:, None]
    words, calm = np.array([5000.0]), np.full((7, 1), 0.05)
    mixture = mix_laws(N, curve[:, 0], calm[:, 0], 5000)
    near, far = (mixture.error(n, curve, calm, words)[0] for n in (700, 5000))
    assert far > 2 * near > 0
    assert mixture.error(700, curve, 50 * calm, words)[0] > near
    assert mixture.error(700, curve, calm, np.array([50.0]))[0] > near
    jumpy = curve + np.array([0, 9, -9, 9, 0, 0, 0])[:, None]
    assert mixture.error(700, jumpy, calm, words)[0] > 1.5 * near


def test_packaged_factors_are_those_that_the_script_measures():
    from tools.calibrate.advice import measured

    made = measured()
    for kind in ("all", "classes"):
        assert checked()[kind]["hits"] == made[kind]["hits"]
        assert checked()[kind]["factors"] == pytest.approx(made[kind]["factors"], abs=2e-3)
        for parser, (inside, number) in made[kind]["hits"].items():
            # Of all words by UDPipe, 30 of 37: no interval and no chance of it is printed.
            assert 0.92 <= inside / number <= 0.97 or (kind, parser, inside) == ("all", "udpipe", 30)
    assert checked()["chance"] == made["chance"]
    assert np.isnan(factor(0.995))


def test_sure_sizes_weigh_more_but_none_rules():
    weights = size_weights(np.array([16, 9, 4, 1, 1, 1, 0.0]))
    assert (np.diff(weights[:4]) > 0).all()
    assert weights.max() / weights.min() < 1 + 16 / (32 / 7) + 0.2
    assert size_weights(np.zeros(3)).tolist() == [1, 1, 1]


def test_extrapolation_covers_the_truth():
    counts = table({("A", "b"): {"x": lambda n: power(n, 85, 70, 0.45)}}, samples=5, noise=0.6, seed=4)
    found = fit(counts, at=[1000, 5000])
    row = found.table.filter(law="power").row(0, named=True)
    assert row["identified"]
    assert row["c_low"] < 0.45 < row["c_high"]
    assert row["a_low"] < 85 < row["a_high"]
    for n in (1000, 5000):
        row = found.predictions.filter(law="mixture", size=n).row(0, named=True)
        assert row["low"] < power(n, 85, 70, 0.45) < row["high"]
        assert found.predictions.filter(law="power", size=n)["low"][0] is None
    held = dict(found.table.select("law", "held_out").rows())
    assert abs(held["power"]) < abs(held["log"])
    assert "at 1000" in found.shown().columns
    assert "promised and measured: 95 % intervals contained" in str(found)


def test_a_logarithm_does_not_identify_a_power_law():
    counts = table({("A", "b"): {"x": lambda n: 20 + 9 * np.log(n)}}, samples=3, noise=0.2)
    found = fit(counts)
    rows = {row["law"]: row for row in found.table.to_dicts()}
    assert not rows["power"]["identified"]
    assert rows["log"]["identified"] is None
    assert any("not identified" in note for note in found.notes)
    shown = {row["law"]: row for row in found.shown().to_dicts()}
    assert shown["power"]["a"] is None
    assert shown["power"]["identified"] == "no"
    # Scores are cut at 100.
    far = fit(counts, at=[10**6])
    assert far.predictions.filter(law="log")["score"].to_list() == [100.0]
    assert far.predictions["low"].null_count() == far.predictions.height
    assert any("checked up to 10 times the largest size" in note for note in far.notes)


def test_a_falling_curve_and_too_few_sizes_are_said_so():
    falling = table({("A", "b"): {"x": lambda n: 60 - 3 * np.log(n)}})
    assert any("the curve does not rise" in note for note in fit(falling).notes)
    short = falling.select(sizes=[5, 10, 20])
    with pytest.raises(TreegaugeError, match="needs at least 4 sizes, got 3"):
        fit(short)
    assert fit(short, law=["log"]).table["law"].to_list() == ["log", "mixture"]
    with pytest.raises(ChoiceError, match="choices: power, log"):
        fit(short, law=["exp"])


CLASSES = {
    "a": lambda n: power(n, 90, 40, 0.5),
    "b": lambda n: power(n, 70, 60, 0.5),
    "c": lambda n: power(n, 50, 45, 0.5),
}
WORDS = {"a": 50_000, "b": 30_000, "c": 20_000}


def overall(n):
    return sum(WORDS[name] * CLASSES[name](n) for name in WORDS) / 100_000


def one(**how):
    return table({("UD_Greek-GDT", "beam"): CLASSES}, words=WORDS, **how)


@pytest.mark.parametrize(("have", "budget"), [(500, 300), (60, 100), (200, 900), (500, 4500)])
def test_advice_on_a_known_curve(have, budget):
    found = advise(one(samples=5, noise=0.3), have=have, budget=budget)
    whole = found.table.row(0, named=True)
    # Between sizes the curve is a chord in ln(size), a little below it.
    assert whole["gain"] == pytest.approx(overall(have + budget) - overall(have), abs=0.6)
    parts = found.table["contribution"][1:]
    assert parts.sum() == pytest.approx(whole["gain"], abs=1e-6)
    assert whole["now"] == pytest.approx(overall(have), abs=0.3)
    assert whole["low"] < overall(have + budget) - overall(have) < whole["high"]
    assert found.doubling == pytest.approx(overall(2 * have) - overall(have), abs=0.4)


def test_the_flat_part_begins_where_doubling_is_not_worth_it():
    found = advise(one(), budget=100, worth=1.0)
    assert overall(2 * found.flat) - overall(found.flat) == pytest.approx(1.0, abs=0.2)
    assert "the curve flattens there" in str(found)
    never = table({("A", "b"): {"x": lambda n: 20 + 9 * np.log(n)}}, samples=3, noise=0.05)
    assert advise(never, budget=100).flat is None


@settings(max_examples=15, deadline=None)
@given(st.integers(5, 800), st.integers(1, 2000), st.integers(0, 99))
def test_contributions_always_add_up(have, budget, seed):
    counts = one(samples=3, noise=2.0, seed=seed)
    found = advise(counts, have=have, budget=budget, resamples=10)
    whole = found.table.row(0, named=True)
    assert found.table["contribution"][1:].sum() == pytest.approx(whole["gain"], abs=1e-6)


def test_no_class_is_promised_more_than_100():
    """What is nearly whole is cut at 100 however fast the rest grows, and a note says so."""
    classes = {"a": lambda n: 90 + 1.6 * np.log(n), "b": lambda n: 20 + 9 * np.log(n)}
    counts = table({("A", "b"): classes}, samples=3, noise=0.1)
    found = advise(counts, budget=2000)
    rows = {row["class"]: row for row in found.table.to_dicts()}
    assert rows["a"]["then"] == pytest.approx(100)
    assert rows["a"]["high"] <= 100 - rows["a"]["now"] + 1e-9
    lost = rows["all"]["gain"] - rows["a"]["contribution"] - rows["b"]["contribution"]
    assert lost > 0.01
    expected = f"predicted above 100, so set to 100: a; contributions add up to {lost:.2f} less"
    assert any(note.startswith(expected) for note in found.notes)


def test_intervals_widen_beyond_the_data():
    counts = one(samples=5, noise=1.0)
    near, far = (advise(counts, budget=budget).table.row(0, named=True) for budget in (50, 4500))
    assert far["high"] - far["low"] > near["high"] - near["low"] > 0


def test_the_need_of_a_gain_is_where_the_gain_and_its_interval_reach_it():
    counts = table({("A", "mst"): {"x": lambda n: 20 + 9 * np.log(n)}}, samples=5, noise=0.2)
    found = advise(counts, gain=3.0)
    assert found.budget == found.have == 500
    need = found.need
    assert need.low < need.sentences < need.high
    for sentences, end in ((need.sentences, "gain"), (need.low, "high"), (need.high, "low")):
        row = advise(counts, budget=sentences).table.row(0, named=True)
        assert row[end] == pytest.approx(3.0, abs=0.1)
    assert 9 * np.log(1 + need.sentences / 500) == pytest.approx(3.0, abs=0.6)
    chances = [advise(counts, gain=3.0, budget=n).need.chance for n in (need.low, need.sentences, need.high)]
    assert chances == pytest.approx([0.025, 0.5, 0.975], abs=0.06)
    assert f"+3 score needs about {need.sentences:,} more sentences ({need.low:,} to {need.high:,})" in str(found)


def test_a_gain_between_measured_sizes_and_one_out_of_reach():
    counts = one(samples=5, noise=0.3)
    inside, enough = (advise(counts, have=50, budget=budget, gain=2.0).need for budget in (50, 150))
    assert overall(50 + inside.sentences) - overall(50) == pytest.approx(2.0, abs=0.5)
    assert 0.1 < inside.chance < 0.9 < enough.chance <= 1
    never = advise(counts, gain=60.0)
    assert (never.need.sentences, never.need.low, never.need.most) == (None, None, 4500)
    assert "needs more than 4,500 more sentences" in str(never)
    assert never.need.chance == pytest.approx(0.005)
    assert "chance" not in str(advise(one(samples=2), gain=1.0)).split("needs")[1].split("\n")[0]
    with pytest.raises(TreegaugeError, match="gain is -1; expected points above 0"):
        advise(counts, gain=-1)


@pytest.mark.parametrize(
    ("parser", "why"),
    [
        ("udpipe", "of gains of udpipe with a chance of 95 %, 25 of 37 came"),
        ("b", "factors of b come from 0 treebanks, needs 4"),
    ],
)
def test_a_chance_is_printed_only_for_parsers_for_which_chances_held(parser, why):
    counts = table({("A", parser): {"x": lambda n: 20 + 9 * np.log(n)}}, samples=5, noise=0.2)
    found = advise(counts, gain=3.0)
    assert found.need.chance is None
    row = found.table.row(0, named=True)
    if parser == "udpipe":  # 30 of 37 intervals held
        assert (found.need.low, found.need.high, row["low"], row["high"]) == (None, None, None, None)
        assert "note: no interval for all words: 95 % intervals of udpipe contained 30 of 37 gains" in str(found)
        assert "of beam and mst hold" in str(found)
        assert found.table["low"][1:].is_not_null().all()  # those of classes hold
        assert fit(counts, at=[1000]).predictions["low"].to_list()[0] is None
    else:
        assert found.need.low < found.need.sentences < found.need.high
        assert row["low"] < row["gain"] < row["high"]
    assert f"note: no chance of the gain: {why}" in str(found)
    assert "are enough" not in str(found)
    # Between measured sizes the chance is that of the samples.
    assert advise(counts, have=50, budget=150, gain=2.0).need.chance > 0.9


def test_chances_are_those_of_the_intervals():
    assert chance(0.0, 1.0) == 0.5
    for level in (0.5, 0.9):
        assert chance(-factor(level), 1.0) == pytest.approx((1 + level) / 2)
        assert chance(2 * factor(level), 2.0) == pytest.approx((1 - level) / 2)


def test_where_intervals_were_not_checked_there_is_none():
    counts = one(samples=3, noise=0.5)
    for few, budget, why in (
        (counts.select(sizes=[5, 50, 500]), 300, "4 sizes or more"),
        (counts.select(sizes=[5, 10, 20]), 30, "the largest 10 times the smallest"),
        (one(samples=2, noise=0.5), 300, "3 training samples of each size"),
        (counts, 9000, "checked up to 10 times the largest size"),
    ):
        found = advise(few, budget=budget)
        assert any(why in note for note in found.notes)
        assert found.table["low"][0] is None
    rare = table({("A", "b"): CLASSES}, words=WORDS | {"c": 60}, samples=3, noise=0.5)
    rows = {row["class"]: row for row in advise(rare, budget=300).table.to_dicts()}
    assert rows["c"]["low"] is None
    assert rows["b"]["low"] < rows["b"]["gain"] < rows["b"]["high"]


def test_advice_that_cannot_be_given_is_refused():
    both = table({("A", "b"): CLASSES, ("B", "b"): CLASSES})
    with pytest.raises(TreegaugeError, match="several treebanks"):
        advise(both, budget=10)
    with pytest.raises(TreegaugeError, match="expected a budget of 1 or more"):
        advise(one(), budget=0)
    with pytest.raises(TreegaugeError, match="at least the 5 sentences"):
        advise(one(), budget=10, have=2)
    with pytest.raises(TreegaugeError, match="at least 3 sizes"):
        advise(one().select(sizes=[5, 10]), budget=10)
