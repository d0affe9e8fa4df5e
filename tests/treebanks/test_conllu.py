"""Every byte of a file comes back, and columns hold what an independent reader finds there."""

import re

import conllu as peer
import pytest
from hypothesis import given, settings

from studies.treebanks import treebank_files
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.treebanks.data.columns import COLUMNS, Treebank
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu, read_splits, write_conllu
from treegauge.treebanks.data.problems import ConlluError

from .texts import chain, conllu, row, treebanks

ENDS = {"LF": b"\n", "CRLF": b"\r\n", "CR": b"\r"}
SMALL = 300_000


@pytest.fixture(scope="module")
def files(ud):
    found = treebank_files()
    assert found, f"{ud} holds no treebank"
    return found


@pytest.fixture(scope="module")
def small(files):
    return [path for path in files if path.stat().st_size < SMALL][:40]


# Real treebanks


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_every_real_file_comes_back_byte_for_byte(files, end):
    for path in files:
        data = path.read_bytes().replace(b"\n", end)
        treebank = parse_conllu(data, file=str(path))
        assert treebank.to_bytes() == data, path
        assert len(treebank) == data.count(end + end), path
        assert [p.kind for p in treebank.problems if p.level == "error"] == [], path


@pytest.mark.parametrize("missing", [1, 2])
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_missing_end_comes_back_missing(small, end, missing):
    for path in small:
        data = path.read_bytes().replace(b"\n", end)
        data = data[: len(data) - missing * len(end)]
        treebank = parse_conllu(data)
        assert treebank.to_bytes() == data, path
        assert [p.kind for p in treebank.problems if p.level == "error"] == ["no-final-blank-line"]


def test_columns_of_real_files_are_the_split_lines(small):
    for path in small:
        text = path.read_bytes().decode()
        lines = [line.split("\t") for line in text.split("\n") if re.match(r"\d+\t", line)]
        treebank = read_conllu(path)
        expected = dict(zip(COLUMNS, zip(*lines, strict=True), strict=True))
        for name in COLUMNS:
            ours = treebank[name].to_list()
            assert list(map(str, ours)) == list(expected[name]), (path, name)


def test_words_of_real_files_are_those_of_another_reader(small):
    for path in small[::8]:
        theirs = peer.parse(path.read_text(encoding="utf-8"))
        treebank = read_conllu(path)
        assert len(treebank) == len(theirs)
        for ours, other in zip(treebank, theirs, strict=True):
            words = [token for token in other if isinstance(token["id"], int)]
            assert ours.form == [token["form"] for token in words]
            assert ours.head.tolist() == [token["head"] for token in words]
            assert ours.deprel == [token["deprel"] for token in words]
            assert ours.id == other.metadata.get("sent_id")
            assert ours.text == other.metadata["text"]


# Random treebanks


def _check(treebank: Treebank, rows, comments) -> None:
    assert len(treebank) == len(rows)
    words = [row for sentence in rows for row in sentence if row[0].isdecimal()]
    assert treebank.n_words == len(words)
    for number, name in enumerate(COLUMNS):
        assert list(map(str, treebank[name].to_list())) == [word[number] for word in words]
        codes, values = treebank.codes(name)
        assert [values[code] for code in codes] == [word[number] for word in words]
        assert len(set(values)) == len(values)
    for i, sentence in enumerate(rows):
        assert treebank[i].comment_lines == comments[i]
        first, last = treebank.row_offsets[i : i + 2]
        found = [[treebank.field(r, c) for c in range(10)] for r in range(first, last)]
        assert found == sentence
        cover, plain = [], iter(sentence)
        for fields in plain:
            if "-" in fields[0]:
                start, end = map(int, fields[0].split("-"))
                cover += [fields[0]] * (end - start + 1)
            elif fields[0].isdecimal() and len(cover) < int(fields[0]):
                cover.append(None)
        inside = treebank.multiword[treebank.offsets[i] : treebank.offsets[i + 1]]
        assert [treebank.field(r, 0) if r >= 0 else None for r in inside.tolist()] == cover


@settings(max_examples=60, deadline=None)
@given(treebanks())
def test_random_treebanks_come_back_and_give_their_columns(drawn):
    treebank = parse_conllu(drawn.text)
    assert treebank.to_bytes() == drawn.text.encode()
    _check(treebank, drawn.rows, drawn.comments)


@settings(max_examples=30, deadline=None)
@given(treebanks())
def test_writing_and_reading_a_file(tmp_path_factory, drawn):
    path = tmp_path_factory.getbasetemp() / "random.conllu"
    write_conllu(parse_conllu(drawn.text), path)
    assert path.read_bytes() == drawn.text.encode()
    assert read_conllu(path).to_bytes() == drawn.text.encode()


# Small things


@pytest.mark.parametrize("data", ["", "# only a comment", "# a\n# b\n"])
def test_a_file_without_sentences(data):
    treebank = parse_conllu(data)
    assert (len(treebank), treebank.n_words, treebank.to_bytes()) == (0, 0, data.encode())
    assert treebank["form"].to_list() == []
    assert treebank.table.shape == (0, 11)
    assert parse_conllu(data, errors="repair").to_bytes() == data.encode()


def test_odd_numbers_are_read_as_python_reads_them():
    text = conllu([row("01", "a", "+2"), row(" 2", "b", "０"), row("+3", "c", "1_0")])
    with pytest.raises(ConlluError) as caught:
        parse_conllu(text)
    assert [p.kind for p in caught.value.problems] == ["head-range"]  # 1_0 is 10
    assert parse_conllu(text.replace("1_0", "02")).head.tolist() == [2, 0, 2]


def test_unparsed_text():
    text = conllu([row(1, "a"), row(2, "b")])
    with pytest.raises(ConlluError, match="found HEAD '_'"):
        parse_conllu(text)
    treebank = parse_conllu(text, need_heads=False)
    assert treebank.head.tolist() == [-1, -1]
    assert treebank.parents.tolist() == [-1, -1]


def test_a_sentence_of_which_some_heads_are_missing_is_not_taken_for_a_tree():
    treebank = parse_conllu(conllu([row(1, "a", 2), row(2, "b")]), need_heads=False)
    assert treebank.head.tolist() == [2, -1]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (conllu([row(1, "a", 0), row(2, "b", 0)]), "several-roots"),
        (conllu([row(1, "a", 2), row(2, "b", 1)]), "cycle"),
        (conllu([row(1, "a", 2), row(2, "b", 1)]), "no-root"),
    ],
)
def test_allowed_kinds_pass_and_stay_noted(text, kind):
    allowed = {"cycle", "no-root"} if kind != "several-roots" else {kind}
    treebank = parse_conllu(text, allow=tuple(allowed))
    assert len(treebank) == 1
    assert kind in {problem.kind for problem in treebank.problems}
    with pytest.raises(ConlluError):
        parse_conllu(text, allow=tuple(allowed - {kind}))
    kept = parse_conllu(text, allow=tuple(allowed), errors="repair")
    assert kept.to_bytes() == text.encode()


def test_unknown_choices_name_the_legal_ones():
    with pytest.raises(ChoiceError, match="strict, skip, repair"):
        parse_conllu("", errors="ignore")
    with pytest.raises(ChoiceError, match="several-roots, no-root, cycle"):
        parse_conllu("", allow=["columns"])


def test_text_that_is_no_unicode_is_an_encoding_problem():
    with pytest.raises(ConlluError, match="encoding: found byte 0xED"):
        parse_conllu(conllu(chain("\ud800")))


def test_a_file_too_large_for_one_treebank_is_refused(monkeypatch):
    monkeypatch.setattr("treegauge.treebanks.data.indexing.LIMIT", 10)
    with pytest.raises(TreegaugeError, match="stream_conllu"):
        parse_conllu(conllu(chain("a")))


def test_reading_several_files_lists_the_problems_of_all(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.conllu").write_text(conllu(chain("x"), [row(1, "y", 0), row(2, "z", 5)]))
    with pytest.raises(ConlluError) as caught:
        read_conllu(tmp_path)
    assert [(p.file[-8:], p.line) for p in caught.value.problems] == [("a.conllu", 4), ("b.conllu", 4)]
    treebank = read_conllu(tmp_path, errors="skip")
    assert treebank["form"].to_list() == ["x", "x"]
    assert treebank.policy == "skip"
    assert [p.action for p in treebank.problems] == ["skipped"] * 2


def test_splits_of_a_folder(tmp_path):
    for split, form in (("test", "c"), ("train", "a"), ("dev", "b")):
        (tmp_path / f"x-ud-{split}.conllu").write_text(conllu(chain(form)))
    (tmp_path / "notes.conllu").write_text(conllu(chain("z")))
    splits = read_splits(tmp_path)
    assert {name: tb["form"].to_list() for name, tb in splits.items()} == {"train": ["a"], "dev": ["b"], "test": ["c"]}
    assert splits["dev"].name == f"{tmp_path.name}/dev"
    assert read_conllu(tmp_path)["form"].to_list() == ["a", "b", "c", "z"]
    assert read_conllu(tmp_path).name == tmp_path.name
