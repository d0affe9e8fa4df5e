"""Areas against integrals by hand and scipy, and properties of COMPLEXITY."""

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import simpson
from scipy.stats import spearmanr

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.learning.curve import complexity, curve, equivalent
from treegauge.learning.curves.complexity import compare_parsers, composite_counts, groups, partition
from treegauge.learning.curves.score_grid import area_between

from .conftest import SIZES, table

X = np.log(SIZES)

points = st.lists(st.integers(1, 2000), min_size=2, max_size=9, unique=True).map(sorted)


def integral(sizes, y):
    """The integral of y over ln(size), as areas are taken."""
    return area_between(sizes, np.asarray(y) / 100, np.zeros(len(sizes)))


def test_a_parabola_in_ln_size_by_hand():
    """The integral of 2 + 3x - x^2/2 over x = ln(size), from ln 5 to ln 500."""
    low, high = np.log(5), np.log(500)
    by_hand = 2 * (high - low) + 3 / 2 * (high**2 - low**2) - (high**3 - low**3) / 6
    assert integral(SIZES, 2 + 3 * X - X**2 / 2) == pytest.approx(by_hand, rel=1e-12)
    # With one size left out the number of intervals is odd and the rule still exact.
    x = X[:-1]
    by_hand = (x[-1] ** 3 - x[0] ** 3) / 3
    assert integral(SIZES[:-1], x**2) == pytest.approx(by_hand, rel=1e-12)


def test_seven_sizes_are_three_parabolas():
    """Each pair of intervals on its own: Lagrange's parabola, integrated by numpy's polynomials."""
    rng = np.random.default_rng(3)
    y = rng.random(7)
    total = 0.0
    for i in (0, 2, 4):
        whole = np.polyint(np.polyfit(X[i : i + 3], y[i : i + 3], 2))
        total += np.polyval(whole, X[i + 2]) - np.polyval(whole, X[i])
    assert integral(SIZES, y) == pytest.approx(total, rel=1e-9)


def simpson_weights(x):
    """The weights of the paper's rule, written out."""
    steps = np.diff(x)
    if len(x) == 2:
        return np.full(2, steps[0] / 2)
    weights = np.zeros(len(x))
    for i in range(0, len(steps) - 1, 2):
        a, b = steps[i], steps[i + 1]
        weights[i : i + 3] += (a + b) / 6 * np.array([2 - b / a, (a + b) ** 2 / (a * b), 2 - a / b])
    if len(steps) % 2:
        a, b = steps[-2], steps[-1]
        weights[-3:] += [
            -(b**3) / (6 * a * (a + b)),
            (b**2 + 3 * a * b) / (6 * a),
            (2 * b**2 + 3 * a * b) / (6 * (a + b)),
        ]
    return weights


@settings(max_examples=60, deadline=None)
@given(points, st.integers(0, 999))
def test_areas_are_the_papers_rule_on_uneven_sizes(sizes, seed):
    x = np.log(sizes)
    y = np.random.default_rng(seed).random(len(x))
    weights = simpson_weights(x)
    # Neighbouring sizes make huge weights of both signs, whose rounding errors grow with them.
    assert integral(sizes, y) == pytest.approx(weights @ y, abs=1e-12 * np.abs(weights).sum())


def test_points_that_make_no_area_are_refused():
    for sizes in ([5], [5, 5], [10, 5]):
        with pytest.raises(TreegaugeError, match="two or more different sizes"):
            integral(sizes, np.ones(len(sizes)))


@settings(max_examples=40, deadline=None)
@given(points, st.integers(0, 999))
def test_a_curve_has_no_area_to_itself_and_sides_change_the_sign(sizes, seed):
    one, other = np.random.default_rng(seed).random((2, len(sizes)))
    assert area_between(sizes, one, one) == 0
    assert area_between(sizes, one, other) == pytest.approx(-area_between(sizes, other, one))


def test_a_constant_gap_is_its_height_times_the_width():
    assert area_between(SIZES, np.full(7, 0.9), np.full(7, 0.8)) == pytest.approx(10 * np.log(100))


def test_a_class_like_the_whole_has_complexity_zero():
    curve = lambda n: 30 + 7 * np.log(n)  # noqa: E731
    counts = table({("A", "b"): {"x": curve, "y": curve}, ("B", "b"): {"x": curve, "y": curve}})
    found = complexity(counts).table
    assert found["complexity"].to_list() == [0.0, 0.0]
    # Half as accurate everywhere is as fast: scores are relative.
    half = table({("A", "b"): {"x": lambda n: 80.0 - n / 10, "y": lambda n: 40.0 - n / 20}})
    assert complexity(half).table["complexity"].to_list() == pytest.approx([0, 0], abs=0.05)


def test_complexity_from_the_definition(two):
    found = complexity(two)
    means = two.frame.group_by("class", "size").agg((100 * pl.col("correct") / pl.col("total")).mean().alias("uas"))
    curve = {
        name: means.filter(pl.col("class") == name).sort("size")["uas"].to_numpy() for name in ("all", "fast", "slow")
    }
    for row in found.table.to_dicts():
        own, whole = curve[row["class"]], curve["all"]
        expected = 100 * simpson(whole / whole[-1] - own / own[-1], x=X)
        assert row["complexity"] == pytest.approx(expected, rel=1e-9)
        assert row["low"] < row["complexity"] < row["high"]
    assert found.table["class"].to_list() == ["fast", "slow"]
    assert found.table["complexity"][0] < 0 < found.table["complexity"][1]
    assert found.table["rank"].to_list() == [1, 2]


def several():
    classes = {
        "a": lambda n: 90 - 30 / n,
        "b": lambda n: 80 - 100 / n,
        "c": lambda n: 20 + 9 * np.log(n),
        "d": lambda n: 5 + 8 * np.log(n),
    }
    shifted = {name: lambda n, f=f: f(n) - 3 for name, f in classes.items()}
    names = ("UD_French-ParTUT", "UD_French-Sequoia", "UD_Greek-GDT")
    curves = {(name, "beam"): classes for name in names}
    curves |= {(name, "mst"): shifted for name in names}
    return table(curves, samples=3, noise=1.0)


def test_codes_of_several_languages_are_several_groups():
    grid = SimpleNamespace(treebanks=("el_gdt", "wo_wtb", "UD_Greek-GUD", "mine", "other"))
    assert {group: mask.sum() for group, mask in groups(grid, "language").items()} == {
        "Greek": 2, "Wolof": 1, "mine": 1, "other": 1,
    }  # fmt: skip


def test_per_treebank_and_per_language_agree_where_they_must():
    counts = several()
    own = complexity(counts, parser="beam", per="treebank").table
    language = complexity(counts, parser="beam", per="language").table
    assert set(language["group"]) == {"French", "Greek"}
    greek = language.filter(group="Greek").drop("group")
    assert greek.equals(own.filter(group="UD_Greek-GDT").drop("group"))
    french = counts.select(treebanks=["UD_French-ParTUT", "UD_French-Sequoia"], parsers=["beam"])
    pooled = complexity(french).table["complexity"].to_list()
    assert language.filter(group="French")["complexity"].to_list() == pytest.approx(pooled)
    with pytest.raises(ChoiceError, match="choices: pooled, language, treebank"):
        complexity(counts, per="family")


def test_matched_compares_with_the_classes_own_treebanks():
    fast, slow = (lambda n: 90 - 30 / n), (lambda n: 20 + 9 * np.log(n))
    counts = table({("A", "b"): {"x": fast, "y": fast}, ("B", "b"): {"x": slow}})
    matched = complexity(counts, matched=True).table.filter(pl.col("class") == "y")
    assert matched["complexity"][0] == pytest.approx(0, abs=1e-9)
    against_all = complexity(counts).table.filter(pl.col("class") == "y")
    assert against_all["complexity"][0] < -10


def test_classes_that_few_treebanks_have_may_be_left_out():
    rising = lambda n: 20 + 9 * np.log(n)  # noqa: E731
    counts = table({("A", "b"): {"x": rising, "y": rising}, ("B", "b"): {"x": rising}})
    assert complexity(counts, min_presence=0.5).table["class"].to_list() == ["x", "y"]
    assert complexity(counts, min_presence=0.6).table["class"].to_list() == ["x"]
    with pytest.raises(TreegaugeError, match="expected a share, 0 to 1"):
        complexity(counts, min_presence=2)


def test_a_class_without_a_correct_word_has_no_curve_and_is_named():
    counts = table({("A", "b"): {"x": lambda n: 50.0 + n / 20, "y": lambda n: 0.0}})
    found = complexity(counts)
    assert found.table["class"].to_list() == ["x"]
    assert "A, b: no word of y is correct at the largest size" in found.notes[-1]
    assert partition(counts).of("A")["y"] == "complex"


def test_an_average_that_hinges_on_one_treebank_is_named():
    """A class unlearned in one treebank: relative scores of 40 against 1 have no upper end."""
    steady = {"x": lambda n: 50 + 5 * np.log(n), "y": lambda n: 60 + 3 * np.log(n)}
    names = ("UD_Greek-GDT", "UD_Latin-Perseus", "UD_Czech-CLTT")
    curves = {(name, "b"): steady for name in names}
    unlearned = {"x": steady["x"], "y": lambda n: 1.0 if n == 500 else 40.0}
    counts = table(curves | {("UD_Uyghur-UDT", "b"): unlearned}, words={"y": 100})
    found = complexity(counts)
    value = dict(found.table.select("class", "complexity").rows())["y"]
    without = complexity(counts.select(treebanks=names))
    expected = dict(without.table.select("class", "complexity").rows())["y"]
    assert found.notes[1:] == (
        f"y, b: {value:.1f} hinges on UD_Uyghur-UDT (100 test words, 1.0 % correct at the largest "
        f"size); without it {expected:.1f}",
    )
    assert without.notes == found.notes[:1]
    assert without.notes[0].startswith("no intervals")
    assert complexity(counts, per="treebank").notes == without.notes


def test_parsers_of_different_treebanks_are_told():
    shape = {"x": lambda n: 50 + 5 * np.log(n)}
    pairs = [("A", "beam"), ("B", "beam"), ("B", "mst"), ("C", "mst"), ("D", "mst")]
    counts = table(dict.fromkeys(pairs, shape))
    told = "parsers were run on different treebanks (beam 2, mst 3; 1 of them shared)"
    for found in (complexity(counts), curve(counts)):
        assert any(note.startswith(told) for note in found.notes)
    for found in (complexity(counts.select(treebanks=["B"])), curve(counts, treebank="each")):
        assert not any("different treebanks" in note for note in found.notes)


def test_no_class_with_enough_words_is_an_error():
    counts = table({("A", "b"): {"x": lambda n: 50 + 5 * np.log(n)}})
    with pytest.raises(TreegaugeError, match="no class has 99999 test words in any treebank"):
        complexity(counts, min_words=99999)
    with pytest.raises(TreegaugeError, match="no treebank has 99999 test words of: all, x"):
        curve(counts, law=["log"], min_words=99999)
    with pytest.raises(TreegaugeError, match="no treebank has 99999 test words of all"):
        equivalent(counts, score={"all": 60.0}, min_words=99999)


def test_spearman_is_scipys():
    found = complexity(several())
    for parser in ("beam", "mst"):
        rows = found.table.filter(parser=parser)
        rho = spearmanr(rows["complexity"], rows["score"])[0]
        told = found.correlations.filter(parser=parser).row(0, named=True)
        assert told["rho"] == pytest.approx(rho)
        assert f"{parser}: Spearman of complexity and score {rho:.3f}" in str(found)


def test_parsers_side_by_side():
    found = complexity(several())
    compared = compare_parsers(found)
    assert compared.table.columns[:5] == ["class", "beam_complexity", "beam_rank", "beam_score", "beam_score_rank"]
    mst = found.table.filter(parser="mst")
    expected = dict(mst.select("class", "complexity").rows())
    assert dict(compared.table.select("class", "mst_complexity").rows()) == expected
    pair = compared.agreement.filter(one="beam complexity", other="mst complexity")
    one, other = compared.table["beam_complexity"], compared.table["mst_complexity"]
    assert pair["rho"][0] == pytest.approx(spearmanr(one, other)[0])
    assert any(note.startswith("mst: ranks by complexity and by score") for note in compared.notes)
    with pytest.raises(TreegaugeError, match="pooled"):
        compare_parsers(complexity(several(), per="treebank"))


def test_composites_sum_the_classes_of_each_side():
    counts = several()
    parted = partition(counts, "beam")
    made = composite_counts(counts, parted)
    assert set(made.frame["class"]) == {"all", "simple", "complex"}
    assert "composite:beam's|partition:treebank" in made.signature
    keys = ["treebank", "parser", "size", "sample"]
    sums = made.frame.filter(pl.col("class") != "all").group_by(keys).agg(pl.col("correct", "total").sum())
    whole = made.frame.filter(pl.col("class") == "all").join(sums, on=keys)
    assert whole.height == 3 * 2 * 7 * 3
    assert whole["correct"].equals(whole["correct_right"])
    assert whole["total"].equals(whole["total_right"])
    groups = parted.of("UD_Greek-GDT")
    simple = [name for name, group in groups.items() if group == "simple"]
    cell = (pl.col("treebank") == "UD_Greek-GDT") & (pl.col("size") == 10)
    cell &= (pl.col("sample") == 0) & (pl.col("parser") == "mst")
    expected = counts.frame.filter(cell & pl.col("class").is_in(simple))["correct"].sum()
    got = made.frame.filter(cell & (pl.col("class") == "simple"))["correct"][0]
    assert got == expected
    own = composite_counts(counts)
    assert "composite:own" in own.signature


def test_rare_classes_may_be_on_neither_side():
    counts = table(
        {("A", "b"): {"x": lambda n: 50 + n / 20, "y": lambda n: 60 - 50 / n, "z": lambda n: 50.0}}, words={"z": 12}
    )
    assert set(partition(counts).of("A")) == {"x", "y", "z"}
    assert set(partition(counts, min_words=30).of("A")) == {"x", "y"}
    with pytest.raises(TreegaugeError, match="no class has 99999 test words"):
        partition(counts, min_words=99999)
    with pytest.raises(ChoiceError, match="unknown treebank 'B'"):
        partition(counts).of("B")


def test_counts_of_another_labelling_task_by_hand(tmp_path):
    """Named entities in the table of docs/curves.md: one parabola over ln 10, ln 20, ln 40."""
    page = Path("docs/curves.md").read_text("utf-8")
    table = page[page.index("treebank,parser,class,total,10/0") :].partition("```")[0]
    (tmp_path / "names.csv").write_text(table, "utf-8")
    found = {row["class"]: row["complexity"] for row in complexity(tmp_path / "names.csv").table.to_dicts()}
    counts = {"PER": (20, 50, 80), "ORG": (5, 10, 20), "LOC": (25, 30, 40)}
    assert found.keys() == counts.keys()
    for name, correct in counts.items():
        gaps = [whole / 140 - own / correct[-1] for whole, own in zip((50, 90, 140), correct, strict=True)]
        assert found[name] == pytest.approx(100 * math.log(2) / 3 * (gaps[0] + 4 * gaps[1] + gaps[2]))
        assert f"{found[name]:.1f} for {name}" in page
