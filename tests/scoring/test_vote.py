"""``treegauge vote`` from Python: the trees of one gold file and of a folder, and the scores."""

import pytest

import treegauge as tg
from treegauge.scoring.vote import voted


def test_the_trees_of_the_vote_are_scored_like_any_output(treebanks, tmp_path):
    systems = {name: treebanks[name] for name in ("good", "poor")}
    target = tmp_path / "voted.conllu"
    made = tg.vote(treebanks["gold"], systems, votes=["poor=3"], out=target)
    assert made.treebank == voted(systems, ["poor=3"]) == tg.read_conllu(target)
    assert made.rows[1]["LAS"] == pytest.approx(tg.score(treebanks["gold"], target, resamples=0).systems[0]["LAS"].f1)
    without = tg.vote(treebanks["gold"], systems, convention="no-punct")
    assert set(without.rows[0]) == {"combination", "UAS[challenges]", "LAS[challenges]"}


def test_runs_share_the_vote_of_their_system(treebanks):
    """Three runs of one system do not outvote another one; alone, they vote with each other."""
    good, poor = treebanks["good"], treebanks["poor"]
    assert tg.vote(treebanks["gold"], {"a": good, "b": [poor] * 3}).treebank == voted({"a": good, "b": poor})
    assert tg.vote(treebanks["gold"], {"b": [poor] * 3}).treebank["head"].equals(poor["head"])


def test_folders_get_a_file_per_treebank(treebanks, tmp_path):
    for name in ("gold", "good", "poor"):
        (tmp_path / name).mkdir()
        tg.write_conllu(treebanks[name], tmp_path / name / "x.conllu")
    tg.write_conllu(treebanks["gold"][:20], tmp_path / "gold" / "y.conllu")
    tg.write_conllu(treebanks["good"][:20], tmp_path / "good" / "y.conllu")
    made = tg.vote(tmp_path / "gold", tmp_path / "good", tmp_path / "poor", out=tmp_path / "out")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["x.conllu"]  # poor lacks y
    assert tg.read_conllu(tmp_path / "out" / "x.conllu") == made.treebank
