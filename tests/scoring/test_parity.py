"""All counts and tables equal the official script's on real treebanks and on changed copies."""

import pytest
from udtools import udeval

from treegauge.scoring.evaluation import evaluate

from .conftest import UD, real_test_files
from .oracle import ALL_15, TOTALS, assert_same, counts, load, official_counts, ours, repeats_edges
from .perturb import CHANGES, perturb, with_edges

WHOLE = ("UD_Greek-GDT", "UD_Korean-GSD", "UD_Turkish_German-SAGT")
"""Treebanks that are compared from end to end."""


def first(text: str, *, characters: int) -> str:
    """Return whole sentences from the start of a treebank."""
    end = text.find("\n\n", characters) + 2
    return text[:end] if end > 1 else text


def assert_parity_of(gold: str, systems: list[str]) -> None:
    loaded = load(gold)
    for system in systems:
        enhanced = not (repeats_edges(gold) or repeats_edges(system))
        evaluation = udeval.evaluate(loaded, load(system))
        assert_same(ours(gold, system, enhanced=enhanced), evaluation, enhanced=enhanced)


def test_there_are_enough_real_treebanks():
    files = real_test_files()
    if not files:
        pytest.skip(f"no real treebanks in {UD} (set TREEGAUGE_UD)")
    assert len(files) >= 30


def test_real_treebank_with_every_kind_of_change(real_text):
    gold = first(real_text, characters=25_000)
    systems = [perturb(gold, change, seed=seed) for seed, change in enumerate(CHANGES)]
    assert all(system != gold for system in systems)
    assert_parity_of(gold, [gold, *systems])


def test_real_treebank_with_all_changes_at_once(real_text, real):
    """The first part of every treebank, and three of them whole: the official script is slow."""
    gold = real_text if real.parent.name in WHOLE else first(real_text, characters=60_000)
    assert_parity_of(gold, [perturb(gold, "everything", seed=5)])


def test_enhanced_edges_of_a_real_treebank(real_text):
    gold = with_edges(first(real_text, characters=10_000), seed=6)
    system = perturb(gold, "everything", seed=7, rate=0.05)
    evaluation = udeval.evaluate(load(gold), load(system))
    scores = ours(gold, system, enhanced=True)
    found, theirs = counts(scores), official_counts(evaluation, ALL_15)
    if repeats_edges(system):  # two edges that differ in their subtypes alone
        assert found.pop("EULAS") <= theirs.pop("EULAS")
    assert found == theirs
    correct, total, *_ = found["ELAS"]
    assert 0 < correct < total


def test_small_pieces_of_a_real_treebank_add_up(real_text, tmp_path):
    gold = first(real_text, characters=8_000)
    system = perturb(gold, "everything", seed=8)
    paths = [tmp_path / "gold.conllu", tmp_path / "system.conllu"]
    for path, text in zip(paths, (gold, system), strict=True):
        path.write_text(text, encoding="utf-8", newline="")
    pieces = evaluate(*paths, chunk=200, options=TOTALS)
    assert counts(pieces) == counts(ours(gold, system))
