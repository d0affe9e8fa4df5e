"""Displacement measures against hand counts, scipy, brute force and published figures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr, wasserstein_distance

from studies.treebanks import treebank_folders
from treegauge.core.errors import ChoiceError
from treegauge.measures.displacement import (
    displacement_distribution,
    displacement_shares,
    displacements,
    edv,
    edv_by_length,
    edv_masses,
    edv_samples,
    mean_med,
    slv,
    slv_masses,
)
from treegauge.measures.registry import MissingError, measures
from treegauge.statistics.probabilities import wasserstein
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, read_splits
from treegauge.treebanks.data.trees import displacement_counts, mean_displacement


def trees(*sentences):
    text = "".join(
        "".join(f"{i}\tw\t_\tX\t_\t_\t{h}\tdep\t_\t_\n" for i, h in enumerate(heads, 1)) + "\n" for heads in sentences
    )
    return parse_conllu(text)


@st.composite
def random_trees(draw):
    sentences = []
    for _ in range(draw(st.integers(1, 5))):
        size = draw(st.integers(2, 45))
        order = draw(st.permutations(range(1, size + 1)))
        heads = [0] * size
        for place, word in enumerate(order[1:], 1):
            heads[word - 1] = order[draw(st.integers(0, place - 1))]
        sentences.append(heads)
    return trees(*sentences)


def inside(treebank):
    found = displacements(treebank)
    return found[np.abs(found) <= 30]


def test_by_hand():
    treebank = trees([2, 3, 0, 3], [0], [0, 1, 1])
    assert displacements(treebank).tolist() == [-1, -1, 1, 1, 2]
    assert measures()["mean_displacement"](treebank) == pytest.approx(2 / 5)
    assert measures()["mdd"](treebank) == pytest.approx(6 / 5)
    np.testing.assert_array_equal(mean_displacement(treebank), [-1 / 3, np.nan, 3 / 2])
    assert mean_med(treebank) == pytest.approx((-1 / 3 + 3 / 2) / 2)
    shares = displacement_shares(treebank)
    assert {d: share for d, share in shares.items() if share} == {"-1": 0.4, "1": 0.4, "2": 0.2}
    assert len(shares) == 60
    assert "0" not in shares


def test_arcs_beyond_thirty_are_left_out():
    chain = [0, *range(1, 40)]
    far = [*chain, 1]  # the last word, 41, hangs from the first
    assert measures()["beyond_30"](trees(far)) == 1 / 40
    assert displacement_distribution(trees(far))[31] == 1.0
    assert edv(trees(chain), trees(far)) == 0
    assert edv(trees(chain), trees(far), limit=40) == pytest.approx(39 / 40)


@settings(max_examples=60, deadline=None)
@given(random_trees(), random_trees())
def test_as_scipy_computes_them(train, test):
    if len(inside(train)) and len(inside(test)):
        expected = wasserstein_distance(inside(train), inside(test))
        assert edv(train, test) == pytest.approx(expected, abs=1e-12)
        p, q = displacement_distribution(train), displacement_distribution(test)
        seen = (p > 0) | (q > 0)
        masses = wasserstein_distance(p[seen], q[seen])
        assert edv_masses(train, test) == pytest.approx(masses, abs=1e-12)
        assert edv_masses(train, test, support="axis") == pytest.approx(wasserstein_distance(p, q), abs=1e-12)
    lengths = wasserstein_distance(train.lengths, test.lengths)
    assert slv(train, test) == pytest.approx(lengths, abs=1e-12)
    longest = max(train.lengths.max(), test.lengths.max())
    p, q = (np.bincount(one.lengths, minlength=longest + 1)[1:] / len(one) for one in (train, test))
    seen = (p > 0) | (q > 0)
    for support, places in (("seen", seen), ("axis", seen | True)):
        masses = wasserstein_distance(p[places], q[places])
        assert slv_masses(train, test, support=support) == pytest.approx(masses, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(random_trees(), random_trees())
def test_distances_are_symmetric_and_nothing_to_oneself(one, two):
    for distance in (edv, edv_masses, slv, slv_masses):
        assert distance(one, two) == pytest.approx(distance(two, one), abs=1e-12)
        assert distance(one, one) == 0


def test_masses_ignore_the_axis():
    right, left = trees([0, 1, 2, 3]), trees([2, 3, 4, 0])
    assert edv(right, left) == 2
    assert edv_masses(right, left) == 0
    short, long = trees([0, 1], [0, 1], [0, 1, 2]), trees([0, 1, 2], [0, 1, 2], [0, 1])
    assert slv(short, long) == pytest.approx(1 / 3)
    assert slv_masses(short, long) == 0


def test_an_unknown_support_is_refused():
    treebank = trees([0, 1, 2])
    for measure in (edv_masses, slv_masses):
        with pytest.raises(ChoiceError, match="support"):
            measure(treebank, treebank, support="bins")


def test_counts_of_sentences_add_up():
    treebank = synthetic(100, seed=3)
    counts = displacement_counts(treebank)
    assert counts.shape == (100, 61)
    np.testing.assert_array_equal(counts.sum(axis=0), np.bincount(inside(treebank) + 30, None, 61))
    one = displacement_counts(treebank[17:18])
    np.testing.assert_array_equal(counts[17:18], one)


def test_samples_of_train():
    train, test = synthetic(300, seed=1), synthetic(200, seed=2)
    found = edv_samples(train, test, sizes=(50, 300, 301), seed=4)
    assert found["300"] == pytest.approx(edv(train, test), abs=1e-12)
    assert found["300:sd"] is None  # all sentences are one sample, of which 20 copies were drawn
    assert found["301"] is found["301:sd"] is None
    random = np.random.default_rng(4)
    each = [edv(train.take(random.choice(300, 50, replace=False)), test) for _ in range(20)]
    assert found["50"] == pytest.approx(np.mean(each), abs=1e-12)
    assert found["50:sd"] == pytest.approx(np.std(each, ddof=1), abs=1e-12)
    with pytest.raises(MissingError, match="300 sentences, fewer than a sample of 2,000"):
        edv_samples(train, test)


def test_many_distances_at_once():
    counts = np.random.default_rng(1).integers(0, 5, (7, 61)) + 1
    other = np.random.default_rng(2).integers(0, 5, 61) + 1
    values = np.arange(61)
    expected = [wasserstein_distance(values, values, row, other) for row in counts]
    np.testing.assert_allclose(wasserstein(counts, other), expected)


def test_length_bins_are_edv_of_the_sentences_of_that_length():
    train, test = synthetic(300, seed=1), synthetic(200, seed=2)
    found = edv_by_length(train, test)
    assert list(found) == [str(length) for length in range(3, 31)]
    for length in range(3, 31):
        parts = [one[np.flatnonzero(one.lengths == length)] for one in (train, test)]
        if all(len(part) for part in parts):
            assert found[str(length)] == pytest.approx(edv(*parts), abs=1e-12)
        else:
            assert found[str(length)] is None
    assert any(value is None for value in found.values())
    assert any(value for value in found.values())


@pytest.mark.parametrize("measure", [edv, edv_masses, edv_by_length])
def test_one_word_sentences_have_no_displacement(measure):
    with pytest.raises(MissingError, match=r"has no arcs|no sentences of the same length"):
        measure(trees([0]), trees([2, 0, 2]))


# The true distance on UD 2.6 to four digits; these files of 2.5 give the same.
TRUE = {
    "Afrikaans-AfriBooms": "0.1899", "Greek-GDT": "0.0462", "Telugu-MTG": "0.0557",
    "Turkish-IMST": "0.0498", "Uyghur-UDT": "0.1535", "Vietnamese-VTB": "0.0596",
}  # fmt: skip


@pytest.mark.parametrize("treebank", TRUE)
def test_figures_of_real_treebanks(ud, treebank):
    parts = read_splits(ud / "r2.5" / f"UD_{treebank}")
    assert f"{edv(parts['train'], parts['test']):.4f}" == TRUE[treebank]


def test_marathi_is_the_largest_only_if_the_axis_is_ignored(ud):
    found = {}
    for name in ("Marathi-UFAL", "North_Sami-Giella", "Latin-Perseus", "Belarusian-HSE"):
        parts = read_splits(ud / "r2.5" / f"UD_{name}")
        found[name] = [measure(parts["train"], parts["test"]) for measure in (edv, edv_masses)]
    assert f"{found['Marathi-UFAL'][0]:.7f}" == "0.2834437"
    assert f"{found['Marathi-UFAL'][1]:.5f}" == "0.00516"
    assert min(found, key=lambda name: found[name][0]) == "Marathi-UFAL"
    assert max(found, key=lambda name: found[name][1]) == "Marathi-UFAL"


def test_the_other_binnings_of_the_masses(ud):
    parts = read_splits(ud / "r2.5" / "UD_Marathi-UFAL")
    train, test = parts["train"], parts["test"]
    assert f"{edv_masses(train, test, support='axis'):.5f}" == "0.00254"
    assert f"{edv_masses(train, test, support='axis', limit=15):.5f}" == "0.00498"


def test_the_variants_rank_treebanks_differently(ud):
    folders = treebank_folders("r2.9")
    parts = [read_splits(folder) for folder in folders]
    each = [[measure(one["train"], one["test"]) for one in parts] for measure in (edv, edv_masses)]
    assert len(folders) == 37
    assert f"{spearmanr(*each).statistic:.2f}" == "0.73"
