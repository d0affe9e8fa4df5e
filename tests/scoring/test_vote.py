"""``treegauge vote`` from Python: the trees, the name that is reserved, and one file only."""

import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.scoring.vote import voted


def test_the_trees_of_the_vote_are_scored_like_any_output(treebanks, tmp_path):
    systems = {name: treebanks[name] for name in ("good", "poor")}
    target = tmp_path / "voted.conllu"
    made = tg.vote(treebanks["gold"], systems, votes=["poor=3"], out=target)
    assert made.treebank == voted(systems, ["poor=3"]) == tg.read_conllu(target)
    assert made.rows[1]["LAS"] == pytest.approx(tg.score(treebanks["gold"], target, resamples=0).systems[0]["LAS"].f1)
    without = tg.vote(treebanks["gold"], systems, convention="no-punct")
    assert set(without.rows[0]) == {"combination", "UAS[challenges]", "LAS[challenges]"}


def test_a_folder_is_refused(treebanks, tmp_path):
    (tmp_path / "gold").mkdir()
    tg.write_conllu(treebanks["gold"], tmp_path / "gold" / "x.conllu")
    with pytest.raises(TreegaugeError, match="a vote is of one gold file; got a folder"):
        tg.vote(tmp_path / "gold", {"a": tmp_path / "gold", "b": tmp_path / "gold"})
