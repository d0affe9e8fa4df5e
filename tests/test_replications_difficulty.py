"""The Difficulty study: intervals over seeds, halves of data maps, and the run on a GPU."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from studies.difficulty import cells as difficulty_cells
from studies.difficulty.cells import Choice, code_reason, reason
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
        low, high = Choice("", np.array(seen)).interval
        held += low <= following <= high
    assert held / 2000 == pytest.approx(0.95, abs=0.015)


def test_reasons_name_seeds_a_choice_or_what_was_tried() -> None:
    narrow = np.array([1.0, 1.01, 0.99])
    own, other = Choice("", narrow), Choice("without punctuation", narrow + 1)
    assert str(reason("1.02", [own, other])).startswith("within seeds: ")
    assert reason("2.00", [own, other]) == "without punctuation: 2.00"
    assert reason("5.00", [own, other]) is None
    sooner, later = (
        Choice(f"after {epoch} epochs on the last block alone", narrow + more) for epoch, more in ((10, 4), (30, 2))
    )
    assert str(code_reason("4.50", [later, sooner])).startswith("between our values after 30")
    assert code_reason("9.00", [later, sooner]) is None


def test_a_line_predicts_a_gap_without_the_treebank_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    words = {f"t{n}": float(np.exp(n)) for n in range(8)}
    found = {name: 2 * np.log(size) - 1 for name, size in words.items()} | {"t3": 100.0}
    monkeypatch.setattr(difficulty_cells, "words_per_batch", lambda: words)
    monkeypatch.setattr(difficulty_cells, "gaps", lambda _: found)
    gap, reach = difficulty_cells.expected_gap("t3", "uas")
    assert gap == pytest.approx(5)
    assert reach == pytest.approx(0, abs=1e-6)


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
    given = {"epochs": 5, "seeds": 2, "shuffles": 1, "parser": "biaffine", "words": 0}
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


def test_means_of_sentences() -> None:
    assert sentence_means([1, 2, 3, 4], [1, 3]).tolist() == [1, 3]
