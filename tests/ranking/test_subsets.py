"""Macro averages and error reductions over subsets."""

import polars as pl
import pytest

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability.named_subsets import average_subsets, restrict

FRAME = pl.DataFrame({"treebank": ["easy", "hard"], "old": [98.0, 50.0], "new": [99.0, 90.0]})
BOARD = read_leaderboard(FRAME)


def test_the_papers_own_example():
    result = average_subsets(BOARD, {"both": ["easy", "hard"]})
    assert result.table.to_dicts() == [
        {"subset": "both", "treebanks": 2, "old": 74.0, "new": 94.5, "E(old, new)": 65.0}
    ]


def test_pairs_are_taken_as_given():
    result = average_subsets(BOARD, {"easy": ["easy"]}, pairs=[("new", "old")])
    assert result.table["E(new, old)"].item() == pytest.approx(-100)


def test_members_without_a_score_are_left_out_and_named():
    mine = {"mine": ["easy", "nowhere"]}
    result = average_subsets(BOARD, mine)
    assert result.table["treebanks"].item() == 1
    assert result.to_dict()["absent"] == {"mine": ["nowhere"]}
    with pytest.raises(TreegaugeError, match=r"subset mine: no score for nowhere; .* easy, hard"):
        average_subsets(BOARD, {"mine": ["nowhere"]})


def test_bad_requests():
    scores = BOARD
    with pytest.raises(ChoiceError, match="unknown subset 'Ma19'; did you mean 'Ma18'"):
        average_subsets(scores, ["Ma19"])
    with pytest.raises(ChoiceError, match="unknown system 'C'; choices: old, new"):
        average_subsets(scores, {"x": ["easy"]}, pairs=[("C", "old")])
    perfect = pl.DataFrame({"treebank": ["x"], "A": [100.0], "B": [99.0]})
    with pytest.raises(TreegaugeError, match="a reference that makes errors: found 100"):
        average_subsets(read_leaderboard(perfect), {"x": ["x"]}, pairs=[("A", "B")])


def test_restrict_takes_named_subsets_and_codes():
    scores = read_leaderboard("conll18")
    assert len(restrict(scores, "Ma18").treebanks) == 12
    assert restrict(scores, "cs_pdt, Greek-GDT").treebanks == ("cs_pdt", "el_gdt")
    assert restrict(scores, "el_gdt").treebanks == ("el_gdt",)
    assert restrict(scores, ["Ma18", "el_gdt"]).treebanks[-1] == "el_gdt"
    assert restrict(scores, ()) is scores
    with pytest.raises(TreegaugeError, match="treebanks Lh16: no score for ta_ttb"):
        restrict(scores, "Lh16")
    fewer = restrict(scores, "Lh16", missing="drop-treebank")
    assert len(fewer.treebanks) == 7
    assert fewer.dropped == ("ta_ttb",)
    assert "absent:ta_ttb" in fewer.signature
    with pytest.raises(ChoiceError, match="unknown subset or treebank 'Ma81'"):
        restrict(scores, "Ma81")
