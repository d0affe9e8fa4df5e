"""Answers of language models are read in any format, and every guess is named."""

import json
from random import Random

import pytest

import treegauge as tg
from tools.answers import DAMAGES, FORMATS, damages, formats, sentences_of
from treegauge.core.errors import TreegaugeError
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.answers.sentences import CUT_OFF, NO_HEAD, read_answer
from treegauge.treebanks.data.conllu import parse_conllu

GOLD = synthetic(40, seed=5)
SENTENCES = sentences_of(GOLD)


@pytest.fixture(scope="module")
def equal():
    return formats(GOLD[:10], seed=1)


@pytest.mark.parametrize("name", FORMATS)
def test_perfect_and_changed_trees_have_the_official_counts_in_every_format(equal, name):
    assert equal[name]


@pytest.mark.parametrize("kind", DAMAGES)
def test_damage_is_named_and_nothing_else(kind):
    hit, right, whole, false, repaired = damages(GOLD, seed=4, only=kind)[kind]
    assert hit > 3
    assert right == hit
    assert false == 0 < whole
    assert repaired > 99


def heads(text: str) -> list[int]:
    return read_answer(text).treebank.head.tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\tA\t2\tdet\n2\tb\t0\troot\n", [2, 0]),
        ("0\tA\tDET\t1\tdet\n1\tb\tNOUN\t-1\troot\n", [2, 0]),
        ("0\tA\tDET\t1\tdet\n1\tb\tNOUN\tROOT\troot\n", [2, 0]),
        ("0\tA\tDET\t2\tdet\n1\tb\tNOUN\t0\troot\n", [2, 0]),
        ("| Word | Head | Relation |\n|---|---|---|\n| A | b | det |\n| b | ROOT | root |\n", [2, 0]),
        ("1\tA\tb-2\tdet\n2\tb\tROOT-0\troot\n", [2, 0]),
        ("1\tA\t2 (b)\tdet\n2\tb\t0 (ROOT)\troot\n", [2, 0]),
        ("det(b-2, A-1)\nroot(ROOT-0, b-2)\n", [2, 0]),
        ("1. A DET 2 det\n2. b NOUN 0 root\n", [2, 0]),
        ('{"1": {"form": "A", "head": 2, "deprel": "det"}, "2": {"form": "b", "head": 0, "deprel": "root"}}', [2, 0]),
        ('{"id": 1, "form": "A", "head": 2, "dep": "det"}\n{"id": 2, "form": "b", "head": 0, "dep": "root"}', [2, 0]),
        ("1\tA\t7\tdet\n2\tb\t0\troot\n", [-1, 0]),
        ("1\tA\t2\tdet\n\n2\tb\t0\troot\n", [2, 0]),
    ],
)  # fmt: skip
def test_heads_are_found(text, expected):
    assert heads(text) == expected


def test_chat_is_left_out_and_lines_that_look_like_trees_are_not():
    answer = read_answer(
        "1. First, I note that the root is 2.\n\n```\n1\tGo\t0\troot\n```\nSee (1) above | or below.\n"
    )
    assert answer.treebank["form"].to_list() == ["Go"]
    assert not answer.unread
    answer = read_answer("1\tA\t2\tdet\n2\tb\t0\troot\n\n1\tC\n2\tno | idea\tat all\t?\t?\t?\n")
    assert len(answer.treebank) == 1
    assert [part.sentence for part in answer.unread] == [1]


@pytest.mark.parametrize(
    "text", ["1\tA\tDET\t2\tdet\n2\tb\tNOUN\t0\troot\n3\tc\tNO", '[[{"id":1,"form":"A","head":2,"deprel":"x"},{"id":2']
)
def test_a_sentence_that_is_cut_off_says_so(text):
    answer = read_answer(text)
    assert answer.treebank["form"].to_list()[0] == "A"
    assert CUT_OFF in answer.assumptions[-1]


def test_conversion_says_what_was_assumed_for_each_sentence(command, tmp_path):
    (tmp_path / "a.txt").write_text(
        "Sure!\n\n1 Dogs NOUN 2 NSUBJ\n2 bark VERB 0 ROOT\n\n1 It PRON 9 nsubj\n2 rains VERB 0 root\n"
    )
    done = command("convert", tmp_path / "a.txt", "-o", tmp_path / "b.conllu")
    assert done.code == 0
    first, second = (tmp_path / "b.conllu").read_text().strip().split("\n\n")
    assert first.startswith("# assumed = spaces for tabs; columns ID FORM UPOS HEAD DEPREL; relations in capitals\n")
    assert NO_HEAD in second
    assert f"{NO_HEAD} (1 of 2 sentences)" in done.err
    (tmp_path / "c.txt").write_text("I cannot do that.")
    done = command("convert", tmp_path / "c.txt")
    assert done.code == 2
    assert "no tree could be read; expected words in lines" in done.err


def test_valid_conllu_is_never_guessed_at(command, tmp_path):
    (tmp_path / "a.txt").write_bytes(GOLD.to_bytes())
    done = command("convert", tmp_path / "a.txt", "-o", tmp_path / "b.conllu")
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "b.conllu").read_bytes() == GOLD.to_bytes()


def test_official_scoring_never_guesses_and_names_the_reader(tmp_path):
    answer = tmp_path / "a.conllu"
    answer.write_text(FORMATS["five columns"](SENTENCES))
    with pytest.raises(TreegaugeError, match="if a language model wrote this, score --align loose") as error:
        tg.score(GOLD, str(answer))
    assert "columns" in str(error.value)
    (tmp_path / "a.json").write_text(FORMATS["JSON list of lists"](SENTENCES))
    with pytest.raises(TreegaugeError, match="the answer of a language model needs --align loose"):
        tg.score(GOLD, str(tmp_path / "a.json"))


def test_a_loose_score_comes_with_the_share_that_was_read(command, tmp_path):
    tg.write_conllu(GOLD, tmp_path / "gold.conllu")
    (tmp_path / "a.json").write_text(FORMATS["JSON list of lists"](SENTENCES[:30]))
    done = command("score", tmp_path / "gold.conllu", tmp_path / "a.json", "--align", "loose")
    assert done.code == 0
    words = GOLD[:30].n_words
    scores = tg.score(GOLD, str(tmp_path / "a.json"), align="loose", resamples=0)
    rows = {row["part"]: row for row in scores.attached["failures"].rows}
    assert rows["read"]["LAS"] == 100
    assert rows["read"]["share"] == pytest.approx(100 * words / GOLD.n_words)
    assert rows["missing sentence"]["sentences"] == 10
    assert f"{rows['read']['share']:.2f}" in done.out
    assert json.loads(scores.to_json())["failures"]["rows"][1]["share"] == pytest.approx(rows["read"]["share"])


def test_runs_of_a_model_are_compared_with_each_other(tmp_path):
    paths = [tmp_path / f"{number}.txt" for number in range(3)]
    for path, run in zip(paths, _runs(), strict=True):
        path.write_text(FORMATS["five columns"](sentences_of(run)))
    scores = tg.score(GOLD, {"model": list(map(str, paths))}, align="loose", resamples=0)
    (row,) = scores.attached["runs"].rows
    single = [tg.score(GOLD, str(path), align="loose", resamples=0).systems[0]["LAS"].f1 for path in paths]
    assert row["best"] == pytest.approx(max(single))
    assert row["mean"] == pytest.approx(sum(single) / 3)
    # Each run has one of ten words wrong, in other places: two of three runs are right about every word.
    assert row["voted"] == 100
    assert row["worst"] < 100
    changed = [100 - one for one in single]
    assert row["agreement"] == pytest.approx(100 - 2 * sum(changed) / 3)


def _runs():
    """Three copies of gold; each has another relation for words that the others have right."""
    relations = GOLD["deprel"].to_list()
    for run in range(3):
        own = ["dep" if i % 30 == 10 * run and one not in ("root", "dep") else one for i, one in enumerate(relations)]
        yield GOLD.with_columns({"deprel": own})


def test_sentences_in_another_order_and_written_twice(tmp_path):
    path = tmp_path / "a.txt"
    order = list(range(40))
    Random(3).shuffle(order)
    path.write_text(FORMATS["five columns"]([SENTENCES[i] for i in [*order, *order[:4]]]))
    (system,) = tg.score(GOLD, str(path), align="loose", resamples=0).systems
    assert system["LAS"].f1 == 100
    assert {"4 sentences written again, of which the first counts", "sentences in another order"} <= {*system.remarks}


@pytest.mark.parametrize(
    "text",
    [
        "1\tx\t0\troot " * 30_000, "| " * 90_000, "nsubj(" + "a-1, " * 30_000 + ")", '{"a": \n' * 20_000,
        "[" * 100_000 + '"', json.dumps([[*range(30_000)], ["x"] * 30_000]),
        json.dumps([{f"k{i}": i for i in range(30_000)} | {"form": "x"}]),
    ],
    ids=["cells", "bars", "arcs", "objects", "lists", "rows", "keys"],
)  # fmt: skip
def test_lines_that_are_too_long_for_a_word_are_not_searched(text):
    """Time grew with the square of their length."""
    assert not len(read_answer(text).treebank)


def test_an_answer_is_text_of_utf8_with_any_bytes_in_it():
    answer = read_answer(b"1\tA\xff\t2\tdet\n2\t\xc3\xa9\xe2\x80\xa8x\t0\troot\n")
    assert answer.treebank["form"].to_list() == ["A\ufffd", "é x"]
    assert parse_conllu(answer.treebank.to_bytes()) == answer.treebank
