"""Cases of curves small enough to check by hand."""

import numpy as np
import polars as pl
import pytest

from treegauge.learning.curves.class_counts import COLUMNS, Parse, attachments, count_attachments
from treegauge.learning.curves.complexity import composite_counts
from treegauge.learning.curves.equivalents import equivalent_size, factor, isotonic, mix_laws, size_text
from treegauge.learning.curves.fits import fit_law
from treegauge.learning.curves.score_grid import area_between
from treegauge.testing.synthetic import synthetic


def table(rows):
    return attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row"))


def test_counts_are_shown_by_treebank_and_parser():
    counts = table([("UD_A-B", "beam", n, 0, "all", c, 100) for n, c in ((5, 40), (10, 55))])
    assert counts.shown().shape == (1, 6)


def test_gold_trees_are_all_correct():
    gold = synthetic(40, seed=1)
    counts = count_attachments(gold, [Parse("oracle", 5, 0, gold)])
    assert (counts.table["correct"] == counts.table["total"]).all()


def test_composites_of_a_simple_and_a_complex_class():
    rows = [
        ("A", "beam", n, 0, name, right, total)
        for n, x, y in ((5, 40, 10), (10, 42, 20), (20, 45, 40))
        for name, right, total in (("x", x, 50), ("y", y, 50), ("all", x + y, 100))
    ]
    found = composite_counts(table(rows)).table.filter(size=5)["class", "correct"].rows()
    assert found == [("all", 50), ("complex", 10), ("simple", 40)]


def test_scores_on_a_curve():
    assert isotonic([40.0, 55.0, 53.0, 60.0]).tolist() == [40.0, 54.0, 54.0, 60.0]
    found = equivalent_size([5, 10, 20], [40.0, 50.0, 60.0], [39, 40, 55, 60, 61])
    assert found.round(2).tolist() == [0.0, 5.0, 14.14, 20.0, np.inf]
    assert [size_text(size, [5, 500]) for size in (0.0, 31.6, np.inf)] == ["< 5", "32", "> 500"]


def test_laws_are_found_again():
    sizes = np.array([5.0, 10, 20, 50, 100])
    curve = 80 - 60 * sizes**-0.25
    found = mix_laws(sizes, curve, np.full(5, 0.01), 9000)
    assert round(float(found.level(200) @ curve), 1) == 64.1  # 64.0 by the law
    law = fit_law("power", sizes, 80 - 60 * sizes**-0.5, np.ones(5))
    assert [law.a, law.b, law.c] == pytest.approx([80, 60, 0.5], rel=1e-6)
    assert factor(0.9) < factor(0.95) < factor(0.95, "classes")


def test_areas_between_curves():
    curve = [0.6, 0.8, 1.0]
    assert area_between([5, 50, 500], curve, curve) == 0
    assert round(float(area_between([5, 50, 500], curve, [0.7, 0.9, 1.0])), 2) == -38.38
