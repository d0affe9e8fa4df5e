"""No bytes make the reader crash, hang, or lose a sentence without saying so."""

from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tools.fuzz import reader, repair
from tools.fuzz.mutation import damaged
from tools.fuzz.reader import BOM
from treegauge.treebanks.data.columns import concat
from treegauge.treebanks.data.conllu import parse_conllu, stream_conllu

from .texts import chain, conllu, row, treebanks

SOUND = conllu(
    chain("Ich", "gehe", name="a"),
    [
        "# text = zum Haus",
        row("1-2", "zum"),
        row(1, "zu", 3, "case"),
        row("1.1", "e"),
        row(2, "dem", 3, "det"),
        row(3, "Haus", 0, "root", deps="0:root|1.1:dep", misc="SpaceAfter=No"),
    ],
    chain("中文", "\u2028x", "é", name="c"),
).encode()


def account(data: bytes) -> None:
    """Check what becomes of every sentence of a file under each policy."""
    reader.check(data)
    repair.check(data)


def test_sound_text_is_accepted():
    assert parse_conllu(SOUND).to_bytes() == SOUND
    account(SOUND)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=80))
@example(b"\n\n\n")
@example(BOM)
@example(BOM + BOM + SOUND)
@example(b"\0")
@example(b"#\xff")
@example(b"1\r\r\n")
def test_random_bytes(data):
    account(data)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([*b"\t\t\t\t\t\t\t\t\t\n\r#123-._ \xff\xc3"]), max_size=120))
def test_random_marks(data):
    account(bytes(data))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 6), st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_damaged_sound_text(seed, times, end):
    random = Random(seed)
    data = SOUND.replace(b"\n", end)
    for _ in range(times):
        data = damaged(data, random)
    account(data)


@settings(max_examples=75, deadline=None)
@given(treebanks(), st.integers(0, 2**32), st.integers(1, 4))
def test_damaged_random_treebanks(treebank, seed, times):
    random, data = Random(seed), treebank.text.encode()
    for _ in range(times):
        data = damaged(data, random)
    account(data)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 4), st.integers(1, 90))
def test_pieces_are_the_whole(tmp_path_factory, seed, times, chunk):
    random, data = Random(seed), SOUND.replace(b"\n", [b"\n", b"\r\n", b"\r"][seed % 3])
    for _ in range(times):
        data = damaged(data, random)
    path = tmp_path_factory.getbasetemp() / "fuzz.conllu"
    path.write_bytes(data)
    for errors in ("skip", "repair"):
        whole = parse_conllu(data, file=str(path), errors=errors)
        parts = list(stream_conllu(path, errors=errors, chunk=chunk))
        assert concat(parts).to_bytes() == whole.to_bytes()
        problems = [problem for part in parts for problem in part.problems]
        assert list(map(str, problems)) == list(map(str, whole.problems))


@pytest.mark.parametrize("length", range(0, len(SOUND), 7))
def test_a_file_cut_anywhere(length):
    account(SOUND[:length])
