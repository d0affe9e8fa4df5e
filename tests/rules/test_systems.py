"""The rule `systems`: odd or wrong output is treated alike, and named in one sentence, in all verbs.

``rank`` and ``certify`` take the words with ``gold``, and so do the other verbs that read tables of scores.
"""

import pytest

import treegauge as tg
from studies.corrections.injected_errors import inject_errors
from treegauge.core.errors import TreegaugeError
from treegauge.testing.synthetic import synthetic


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A gold file in a folder, good output, output that is cut off or malformed, and a table."""
    home = tmp_path_factory.mktemp("systems")
    gold = synthetic(60, seed=1)
    text = gold.to_bytes().decode()
    (home / "gold").mkdir()
    (home / "runs").mkdir()
    tg.write_conllu(gold, home / "gold" / "x.conllu")
    for name in ("good.conllu", "other.conllu", "runs/1.conllu", "runs/2.conllu", "runs/3.conllu"):
        tg.write_conllu(gold, home / name)
    (home / "cut.conllu").write_text("\n\n".join(text.split("\n\n")[:50]) + "\n\n", encoding="utf-8")
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("1\t"))
    lines[first] = "\t".join([*lines[first].split("\t")[:6], "1", *lines[first].split("\t")[7:]])
    (home / "cycle.conllu").write_text("\n".join(lines), encoding="utf-8")
    (home / "table.csv").write_text("treebank,system,LAS\nx,a,81.2\n", encoding="utf-8")
    return home


VERBS = {
    "score": lambda home, *words: tg.score(home / "gold" / "x.conllu", *words, resamples=0),
    "breakdown": lambda home, *words: tg.breakdown(home / "gold" / "x.conllu", *words),
    "vote": lambda home, *words: tg.vote(home / "gold" / "x.conllu", *words),
    "design": lambda home, *words: tg.design(*words, gold=home / "gold" / "x.conllu", units="sentences"),
    "leaderboard": lambda home, *words: tg.leaderboard(home / "gold", *words, out=None, failed="refuse", subsets=100),
    "report": lambda home, *words: tg.report(*words, gold=home / "gold" / "x.conllu", out=None),
    "rank": lambda home, *words: tg.rank(*words, gold=home / "gold"),
    "certify": lambda home, *words: tg.certify(*words, gold=home / "gold", claim="a > b"),
}
WRONG = {
    "missing": ("a=HOME/nowhere.conllu", "nowhere.conllu: no such file or folder"),
    "cut off": ("a=HOME/cut.conllu", "ends after sentence 50 of 60 (line 836): the output is incomplete"),
    "malformed": ("a=HOME/cycle.conllu", "cycle.conllu:4: error: cycle"),
    "a table": ("a=HOME/table.csv", "table.csv is a score table"),
    "no path": ("a=", "found 'a='; expected PATH or NAME=PATH"),
    "no name": ("=HOME/good.conllu", "expected PATH or NAME=PATH"),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_output_gets_the_same_sentence_in_every_verb(home, verb, wrong):
    word, sentence = WRONG[wrong]
    with pytest.raises(TreegaugeError) as error:
        VERBS[verb](home, f"b={home}/good.conllu", word.replace("HOME", str(home)))
    assert sentence in str(error.value)


def test_a_repeated_name_is_runs_of_one_system(home):
    words = [f"a={home}/good.conllu", f"a={home}/other.conllu", f"b={home}/good.conllu"]
    scores = VERBS["score"](home, *words)
    assert [(one.system, len(one.runs)) for one in scores.systems] == [("a", 2), ("b", 1)]
    assert VERBS["leaderboard"](home, *words).table["system"].to_list() == ["a", "b"]
    mapped = VERBS["score"](home, {"a": [f"{home}/good.conllu", f"{home}/other.conllu"]})
    assert len(mapped["a"].runs) == 2
    for verb in ("breakdown", "vote"):
        with pytest.raises(TreegaugeError, match="needs one run per system; 'a' has 2"):
            VERBS[verb](home, *words)


def test_a_folder_beside_a_gold_file_has_the_runs_of_a_system(home):
    scores = VERBS["score"](home, f"a={home}/runs", f"b={home}/good.conllu")
    assert [len(one.runs) for one in scores.systems] == [3, 1]
    with pytest.raises(TreegaugeError, match=r"found no \.conllu file in this folder"):
        (home / "empty").mkdir()
        VERBS["score"](home, f"a={home}/empty")


def test_rank_and_certify_score_folders_of_output_and_average_runs(tmp_path):
    for seed, code in enumerate(("el_gdt", "te_mtg", "tr_imst")):
        gold = synthetic(30, seed=seed)
        for folder, source in (
            ("gold", gold),
            ("a1", gold),
            ("a2", inject_errors(gold, seed=seed).treebank),
            ("b", gold),
        ):
            (tmp_path / folder).mkdir(exist_ok=True)
            if (folder, code) != ("b", "tr_imst"):
                tg.write_conllu(source, tmp_path / folder / f"{code}.conllu")
    words, gold = [f"a={tmp_path}/a1", f"a={tmp_path}/a2", f"b={tmp_path}/b"], tmp_path / "gold"
    scores = tg.score(gold, *words, metric="UAS", resamples=0)
    ranks = tg.rank(*words, gold=gold, metric="UAS", missing="drop-treebank", size=1)
    assert ranks.board.treebanks == ("el_gdt", "te_mtg")
    expected = [scores.treebanks[code]["a"]["UAS"].f1 for code in ranks.board.treebanks]
    assert ranks.board.values[ranks.board.system("a")].tolist() == expected
    assert "average:macro" in ranks.signature
    evidence = tg.certify(*words, gold=gold, claim="b > a", missing="drop-treebank", metric="UAS")
    assert "average:macro" in evidence.signature
    for verb in (tg.rank, tg.rank.compare):
        with pytest.raises(TreegaugeError, match="b on tr_imst: no output"):
            verb(*words, gold=gold)
