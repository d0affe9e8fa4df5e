"""The Difficulty study: intervals over seeds, halves of data maps, and the run on a GPU."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from studies.difficulty import cells as difficulty_cells
from studies.difficulty import nulls as difficulty_nulls
from studies.difficulty.cells import Choice
from studies.selection.halves import HALVES, choose_half, sentence_means

LENGTHS = np.random.default_rng(1).integers(1, 40, 300)


@pytest.mark.parametrize("half", HALVES)
def test_halves_have_half_of_the_words(half: str) -> None:
    random = np.random.default_rng(2)
    chosen = choose_half(half, random.random(300), random.random(300), LENGTHS, seed=0)
    assert len(set(chosen.tolist())) == len(chosen)
    assert LENGTHS[chosen].sum() / LENGTHS.sum() == pytest.approx(0.5, abs=0.02)


def test_halves_take_the_sentences_they_are_named_after() -> None:
    confidence, variability = np.linspace(0, 1, 300), np.linspace(1, 0, 300) ** 2
    means = {half: float(confidence[choose_half(half, confidence, variability, LENGTHS, 0)].mean()) for half in HALVES}
    assert means["hard"] == pytest.approx(means["ambiguous"])
    assert means["hard"] < 0.3 < means["random"] < 0.7 < means["easy"]


def test_same_lengths_hold_where_long_sentences_are_hard() -> None:
    confidence = -LENGTHS + np.random.default_rng(3).random(300)
    mean = float(LENGTHS.mean())
    for half in ("easy", "hard"):
        plain, same = (
            float(LENGTHS[choose_half(name, confidence, confidence, LENGTHS, 0)].mean())
            for name in (half, f"{half}, same lengths")
        )
        assert abs(plain - mean) > 5
        assert same == pytest.approx(mean, abs=1)


def test_an_interval_holds_the_next_run_as_often_as_it_says() -> None:
    random = np.random.default_rng(4)
    held = 0
    for _ in range(2000):
        *seen, following = random.normal(size=6)
        low, high = Choice(np.array(seen)).interval
        held += low <= following <= high
    assert held / 2000 == pytest.approx(0.95, abs=0.015)


def test_a_training_length_is_chosen_on_the_other_treebanks(monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand: of joint bits 4, 3, 2 after 10, 20 and 30 epochs, 3 lies closest to the printed 3.1 and 3.3."""
    names = difficulty_cells.published()["treebank"].to_list()[:2]
    bits = {10: 4.0, 20: 3.0, 30: 2.0}
    rows = [(name, "block", epoch, shuffle, bits[epoch]) for name in names for epoch in bits for shuffle in (0, 1)]
    coded = pl.DataFrame(rows, schema=["treebank", "training", "epoch", "shuffle", "joint"], orient="row")
    printed = pl.DataFrame({"treebank": names, "arc_mdl": [3.1, 3.1], "rel_mdl": [3.3, 3.3]})
    monkeypatch.setattr(difficulty_cells, "codes", lambda: coded)
    monkeypatch.setattr(difficulty_cells, "published", lambda: printed)
    difficulty_cells.code_gaps.cache_clear()
    assert difficulty_cells.code_gaps().filter(epoch=20)["off"].to_list() == pytest.approx([0.2, 0.2])
    assert difficulty_cells.code_epoch(names[0]) == 20
    assert difficulty_cells.values(names[0], "rel_mdl").values.tolist() == [2.0, 2.0], "the paper's 30 epochs"
    difficulty_cells.code_gaps.cache_clear()


def test_the_run_gives_rows_that_the_tables_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from studies.difficulty import gpu as difficulty_gpu
    from studies.difficulty import table as difficulty_table
    from treegauge.parsing.neural.options import BiaffineOptions
    from treegauge.parsing.neural.preparation import Vocabulary, encode_parts
    from treegauge.testing.synthetic import synthetic

    train, dev = synthetic(36, seed=1), synthetic(6, seed=2)
    data, parts = encode_parts(train, dev)
    known = Vocabulary.of(train)
    data.save(
        tmp_path / "UD_Telugu-MTG.npz", parts=[len(part) for part in parts],
        tag_names=["?", *known.tags], relation_names=["?", *known.relations],
    )  # fmt: skip
    sizes = dict.fromkeys(("hidden", "word_size", "char_size", "arc_size", "relation_size"), 4)
    small = partial(BiaffineOptions, layers=1, **sizes)
    monkeypatch.setattr(difficulty_gpu, "PARSERS", {"biaffine": small})
    given = {"epochs": 5, "seeds": 2, "shuffles": 1, "parser": "biaffine", "words": 40, "first": 0, "self": 1,
             "trainings": "prefix,block"}  # fmt: skip
    folder, name = str(tmp_path), "UD_Telugu-MTG"
    rows, maps = difficulty_gpu.measures(folder, name, given)
    coded = difficulty_gpu.codes(folder, name, given)
    (run,) = difficulty_table.by_seed(rows).filter(seed=0).to_dicts()
    assert run["arc_vinfo"] == pytest.approx(run["arc_null_entropy"] - run["arc_entropy"])
    assert sum(words for words, *_ in rows[0]["by_relation"].values()) == dev.n_words
    # Blocks of 5, 10 and 20 sentences; alone, the last one learns from 10 sentences, not from 15.
    lengths = difficulty_table.codes(coded)
    assert sorted(lengths["training"]) == ["block", "prefix"]
    assert lengths["joint"].to_list() == pytest.approx((lengths["arc"] + lengths["rel"]).to_list())
    assert lengths["joint"].n_unique() == 2
    halves = difficulty_gpu.halves(folder, name, given | {"map": maps[:1]})
    assert [row["half"] for row in halves[: len(HALVES)]] == list(HALVES)
    (tmp_path / "measures.json").write_text(json.dumps(rows))
    there = [difficulty_gpu.kept(folder, [name], given | {"first": first})[2] for first in (0, 1)]
    assert there == [{("measures", name)}, set()], "seeds 0 and 1 are there, 2 is not"


def test_means_of_sentences() -> None:
    assert sentence_means([1, 2, 3, 4], [1, 3]).tolist() == [1, 3]


def test_bits_of_displacements_by_hand() -> None:
    """Two words, the first the root of the second: with the ends known, each has two possible heads."""
    from treegauge.treebanks.data.conllu import parse_conllu

    text = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t1\tdep\t_\t_\n\n"
    one = parse_conllu(text * 50)
    (free, within) = (difficulty_nulls.displacement_bits(one, one, ends=ends) for ends in (False, True))
    total = 100 + difficulty_nulls.PRIOR * (2 * difficulty_nulls.FAR + 2)
    assert free == pytest.approx(-np.log2(50.1 / total))
    # The first word: root (50.1) or the next word (0.1); the second: root or the word before.
    assert within == pytest.approx((-np.log2(50.1 / 50.2) - np.log2(0.5)) / 2)
