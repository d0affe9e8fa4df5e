"""Sentences that occur twice are found with their places, edited ones too; others are not."""

import json

import numpy as np
import pytest

from tests.commands import invoke
from treegauge.auditing.audit import audit
from treegauge.auditing.near_duplicates import find_matches, plain_texts, treebank_texts
from treegauge.core.errors import TreegaugeError
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu

STORIES = [
    "The old harbour master counted every boat before the storm came in .",
    "Nobody in the village remembered when the clock had stopped .",
    "She wrote the letter twice and burned both copies before breakfast .",
    "A train full of musicians passed the border during the night .",
    "Seven engineers argued about the width of a single bolt .",
]


def treebank(*sentences, prefix="s"):
    """A flat treebank of some sentences."""
    rows = []
    for number, sentence in enumerate(sentences, 1):
        rows.append(f"# sent_id = {prefix}{number}")
        for place, form in enumerate(sentence.split(), 1):
            head, relation = (0, "root") if place == 1 else (1, "dep")
            rows.append(f"{place}\t{form}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_")
        rows.append("")
    return parse_conllu("\n".join(rows) + "\n")


def matches(similarity=0.7, training=(), **parts):
    """Pairs of sentences as (part and id, part and id, similarity)."""
    texts = [treebank_texts(one, name, split=name) for name, one in parts.items()]
    found = find_matches(texts, similarity=similarity, training=training)
    rows = zip(found.part, found.number, found.other_part, found.other, strict=True)
    names = [(texts[a].ids[b], texts[c].part, texts[c].ids[d]) for a, b, c, d in rows]
    return [(*name, round(float(value), 3)) for name, value in zip(names, found.similarity, strict=True)]


def levenshtein(one, two):
    """The edit distance by the textbook, as an oracle."""
    row = list(range(len(two) + 1))
    for i, a in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(two, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


def test_a_copy_is_found_whatever_its_case_and_spaces():
    shouted = treebank(STORIES[1].upper().replace(" HAD ", "HAD "), prefix="t")
    assert matches(train=treebank(*STORIES), test=shouted) == [("t1", "train", "s2", 1.0)]


def test_an_edited_copy_has_the_similarity_of_its_edit_distance():
    edited = STORIES[0].replace("harbour", "harbor").replace("every boat", "each ship")
    (found,) = matches(train=treebank(*STORIES), test=treebank(edited, prefix="t"))
    one, two = (text.replace(" ", "").lower() for text in (STORIES[0], edited))
    assert found[:3] == ("t1", "train", "s1")
    assert found[3] == round(1 - levenshtein(one, two) / max(len(one), len(two)), 3)


def test_similarity_is_the_edit_distance_of_long_texts_too():
    random = np.random.default_rng(5)
    words = [f"w{number:03d}" for number in range(400)]
    for length in (13, 16, 17, 64, 150):  # texts of less than, just, and more than 64 characters
        one = list(random.choice(words, length))
        two = list(one)
        for place in random.choice(length, max(1, length // 8), replace=False).tolist():
            two[place] = str(random.choice(words))
        (found,) = matches(similarity=0.5, train=treebank(" ".join(one)), test=treebank(" ".join(two)))
        a, b = "".join(one), "".join(two)
        assert found[3] == round(1 - levenshtein(a, b) / max(len(a), len(b)), 3)


def test_other_sentences_are_no_leaks():
    assert matches(train=treebank(*STORIES[:3]), test=treebank(*STORIES[3:])) == []


def test_a_similarity_of_one_finds_copies_only():
    edited = STORIES[0].replace("harbour", "harbor")
    test = treebank(edited, STORIES[2], prefix="t")
    assert matches(1, train=treebank(*STORIES), test=test) == [("t2", "train", "s3", 1.0)]


def test_matches_are_of_the_part_that_systems_are_tested_on():
    one, two = treebank(STORIES[0]), treebank(STORIES[0], prefix="t")
    assert matches(test=two, train=one) == [("t1", "train", "s1", 1.0)]
    assert matches(dev=one, other=two, training=[1]) == [("s1", "other", "t1", 1.0)]


def test_the_most_similar_sentence_of_each_part_is_named():
    near = STORIES[4].replace("Seven", "Eleven")
    nearer = STORIES[4].replace("Seven", "Sevan")
    found = matches(train=treebank(near, nearer, STORIES[0]), test=treebank(STORIES[4], prefix="t"))
    across = [row for row in found if row[0] == "t1"]
    assert [row[:3] for row in across] == [("t1", "train", "s2")]


def test_within_a_part_a_sentence_repeats_an_earlier_one():
    near = STORIES[3].replace("musicians", "magicians")
    found = matches(train=treebank(STORIES[3], near, STORIES[3]))
    assert [row[:3] for row in found] == [("s2", "train", "s1"), ("s3", "train", "s1")]
    assert found[1][3] == 1.0


def test_short_and_hidden_sentences_do_not_count():
    hello, hidden = "Good morning !", "_ _ _ _ _ _"
    assert matches(train=treebank(hello, hidden), test=treebank(hello, hidden)) == []


def test_multiword_tokens_are_compared_as_they_are_written():
    word = "{}\t{}\t_\tX\t_\t_\t{}\tdep\t_\t_\n"
    forms = ["il", "parle", "longuement", "de", "le", "vieux", "port"]
    lines = [word.format(n, form, n - 1) for n, form in enumerate(forms, 1)]
    lines.insert(3, "4-5\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n")
    texts = treebank_texts(parse_conllu("".join(lines) + "\n"), "some")
    assert texts.text(0) == "ilparlelonguementduvieuxport"


def test_plain_text_lists_are_training_data(tmp_path):
    lists = tmp_path / "corpus.txt"
    lists.write_text(f"Something else entirely, at some length.\n\n{STORIES[2]}\r\n", "utf-8")
    test = {"test": treebank(*STORIES, prefix="t")}
    result = audit(test, against=[lists], resamples=0)
    (leak,) = [f for f in result.findings if f.check == "leak"]
    assert (leak.level, leak.value, leak.examples) == ("error", 1, ("t3",))
    assert leak.split == "corpus.txt/test"
    assert "corpus.txt#" in result.signature
    (pair,) = audit(test, against=[lists], only="leaks").leaks.attached["pairs"].table.to_dicts()
    assert (pair["other_sent_id"], pair["other_file"], pair["tree"]) == ("line 3", str(lists), None)


def test_a_training_set_in_other_training_data_is_no_error(tmp_path):
    (tmp_path / "corpus.txt").write_text(STORIES[2], "utf-8")
    train = {"train": treebank(*STORIES)}
    result = audit(train, against=[tmp_path / "corpus.txt"], resamples=0)
    (leak,) = [f for f in result.findings if f.check == "leak"]
    assert (leak.level, leak.split, leak.value) == ("warning", "corpus.txt/train", 1)


def test_plain_text_of_one_line_without_an_end(tmp_path):
    (tmp_path / "one.txt").write_text("Ein Satz", "utf-8")
    assert plain_texts(tmp_path / "one.txt", "one").text(0) == "einsatz"


def test_binary_files_are_refused(tmp_path):
    (tmp_path / "model.bin").write_bytes(b"\0\1\2")
    with pytest.raises(TreegaugeError, match=r"model.bin: found binary data, expected CoNLL-U"):
        audit({"test": treebank(*STORIES)}, against=[tmp_path / "model.bin"])


def test_a_pattern_that_matches_nothing_is_an_error(tmp_path):
    with pytest.raises(TreegaugeError, match="nothing matches this pattern"):
        audit({"test": treebank(*STORIES)}, against=[tmp_path / "*.txt"])


@pytest.mark.parametrize("wrong", [0, -1, 1.5])
def test_similarities_that_cannot_be(wrong):
    with pytest.raises(TreegaugeError, match="similarity: expected a number above 0, up to 1"):
        audit({"test": treebank(*STORIES)}, similarity=wrong)


def test_many_near_copies_are_errors_though_none_is_a_copy():
    edited = [story.replace("the", "that") for story in STORIES]
    result = audit({"train": treebank(*STORIES), "test": treebank(*edited)}, resamples=0)
    (leak,) = [f for f in result.findings if f.check == "leak"]
    assert leak.level == "error"
    assert leak.message.startswith(
        "5 sentences of test (100.0 %) also in train (leakage): 0 the same, 5 nearly the same"
    )


@pytest.fixture
def folders(tmp_path):
    for name, parts in {
        "UD_X-A": {"train": STORIES[:3], "test": STORIES[3:4]},
        "UD_X-B": {"train": [STORIES[3].replace("night", "day")], "test": [STORIES[4], STORIES[0]]},
    }.items():
        (tmp_path / name).mkdir()
        for split, sentences in parts.items():
            code = name[3:].lower().replace("-", "_")
            one = treebank(*sentences, prefix=f"{code}-{split}-")
            write_conllu(one, tmp_path / name / f"{code}-ud-{split}.conllu")
    return [str(tmp_path / "UD_X-A"), str(tmp_path / "UD_X-B")]


def test_leaks_across_treebanks_are_listed_with_their_files(folders, tmp_path):
    out = tmp_path / "pairs.csv"
    done = invoke(["audit", "--only", "leaks", *folders, "--format", "json"])
    content = json.loads(done.stdout)
    assert done.exit_code == 1
    assert {(row["part"], row["also_in"], row["same"], row["near"]) for row in content["rows"]} == {
        ("UD_X-A/test", "UD_X-B/train", 0, 1),
        ("UD_X-B/test", "UD_X-A/train", 1, 0),
    }
    shares = {row["part"]: row["share"] for row in content["rows"]}
    assert shares == {"UD_X-A/test": 100, "UD_X-B/test": 50}
    pairs = {row["sent_id"]: row for row in content["pairs"]["rows"]}
    assert pairs["x_b-test-2"]["other_sent_id"] == "x_a-train-1"
    assert pairs["x_b-test-2"]["tree"] == "same"
    assert pairs["x_a-test-1"]["other_file"].endswith("x_b-ud-train.conllu")
    assert 0.9 < pairs["x_a-test-1"]["similarity"] < 1
    invoke(["audit", "--only", "leaks", *folders, "--out", str(out)])
    assert out.read_text("utf-8").startswith("part,sent_id,file,also_in,other_sent_id,other_file,")
    assert len(out.read_text("utf-8").splitlines()) == 3


def test_an_audit_of_several_treebanks_names_them(folders):
    result = audit(*folders, resamples=0)
    leaks = {f.split: f.level for f in result.findings if f.check == "leak"}
    assert leaks == {"UD_X-B/train, UD_X-A/test": "error", "UD_X-A/train, UD_X-B/test": "error"}
    assert result.treebank == "2 treebanks"
    assert "UD_X-A/dev" in {f.split for f in result.findings if f.check == "missing-split"}


def test_leaks_takes_single_files(folders):
    files = [f"{folders[0]}/x_a-ud-train.conllu", f"{folders[1]}/x_b-ud-test.conllu"]
    result = audit(*files, only="leaks")
    assert [(one.part.part, one.also_in.part, one.same) for one in result.leaks.overlaps] == [
        ("x_b-ud-test", "x_a-ud-train", 1)
    ]
    assert result.exit_code == 1
    assert audit(*files, only="leaks", fail="never").exit_code == 0


def test_nothing_to_list():
    text = str(audit({"train": treebank(*STORIES[:2]), "test": treebank(*STORIES[2:])}, only="leaks"))
    assert "no sentence occurs twice" in text


def test_the_long_sentences_of_a_release_are_all_in_the_one_before(ud):
    files = [ud / release / "UD_Afrikaans-AfriBooms" / "af_afribooms-ud-test.conllu" for release in ("r2.5", "r2.9")]
    (found,) = [one for one in audit(*files, only="leaks").leaks.overlaps if one.part is not one.also_in]
    assert found.same + found.near == int((found.part.words >= 5).sum())
    assert found.level == "warning"


@pytest.mark.parametrize(("edits", "least"), [("characters", 0.98), ("words", 0.85)])
def test_a_fifth_of_a_real_sentence_may_be_edited(ud, edits, least):
    from tools.bench.planted import judge

    (found,) = [one for one in judge(ud / "r2.9" / "UD_Tamil-TTB") if (one.edits, one.rate) == (edits, 0.2)]
    assert found.recall > least
    assert found.precision > 0.95


def test_what_training_data_has_twice_is_not_listed(tmp_path):
    (tmp_path / "train.txt").write_text(f"{STORIES[0]}\n{STORIES[0]}\n", "utf-8")
    test = {"test": treebank(STORIES[1])}
    result = audit(test, against=[tmp_path / "train.txt"], only="leaks")
    assert result.table.is_empty()
    assert result.leaks.attached["pairs"].table.is_empty()


def test_options_that_would_do_nothing_are_refused():
    test = {"test": treebank(*STORIES)}
    for message, options in {"--against is for leaks and cards": {"against": ["a.txt"], "only": "consistency"}}.items():
        with pytest.raises(TreegaugeError, match=message):
            audit(test, **options)
