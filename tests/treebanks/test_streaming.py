"""Pieces of a file are the file, in memory and time that do not grow faster than they must."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import TreegaugeError
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import concat
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu, stream_conllu
from treegauge.treebanks.data.problems import ConlluError
from treegauge.treebanks.sources.files import pieces

from .texts import chain, conllu, reading_problems, row, treebanks

ENDS = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}
TROUBLE = (
    conllu(chain("a", "b", name="1"), ["x"], [row(1, "c", 1)])
    + "\n\n# nothing\n\n"
    + conllu(chain("d"), [row(1, "e", 0), row(2, "f", 9)])
    + "# the end"
)


# The same sentences, problems and lines


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 17, 64, 100, 150, 1000])
def test_pieces_of_a_file_with_problems(tmp_path, end, chunk):
    path = tmp_path / "a.conllu"
    path.write_bytes(TROUBLE.replace("\n", end).encode())
    for errors in ("skip", "repair"):
        parts = list(stream_conllu(path, errors=errors, chunk=chunk))
        whole = read_conllu(path, errors=errors)
        assert whole["form"].to_list() == list("abd" if errors == "skip" else "abcdef")
        assert concat(parts).to_bytes() == whole.to_bytes()
        told = [str(problem) for part in parts for problem in part.problems]
        assert told == list(map(str, whole.problems))
        lines = [part.line(r) for part in parts for r in part.rows]
        assert errors == "repair" or lines == [whole.line(r) for r in whole.rows]
    assert len(list(map(str, reading_problems(path, chunk=chunk)))) == len(told)


@settings(max_examples=50, deadline=None)
@given(treebanks(), st.integers(1, 200))
def test_pieces_of_random_treebanks(tmp_path_factory, drawn, chunk):
    path = tmp_path_factory.getbasetemp() / "stream.conllu"
    path.write_bytes(drawn.text.encode())
    assert b"".join(pieces(str(path), chunk)) == drawn.text.encode()
    parts = list(stream_conllu(path, chunk=chunk))
    assert b"".join(part.to_bytes() for part in parts) == drawn.text.encode()
    assert sum(map(len, parts)) == len(drawn.rows)
    assert [form for part in parts for form in part["form"]] == parse_conllu(drawn.text)["form"].to_list()


def test_pieces_are_about_as_large_as_asked_for(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_bytes(synthetic(300, seed=1).to_bytes())
    longest = max(len(one.conllu.encode()) for one in read_conllu(path))
    for chunk in (4_000, 20_000):
        sizes = [len(piece) for piece in pieces(str(path), chunk)]
        assert sum(sizes) == path.stat().st_size
        assert max(sizes) <= chunk + 2 * longest
        assert len(sizes) < 2.5 * sum(sizes) / chunk


def test_a_strict_stream_stops_at_the_first_bad_piece(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(conllu(chain("a"), chain("b")) + "x\n\n" + conllu(chain("c")))
    stream = stream_conllu(path, chunk=40)
    assert next(stream)["form"].to_list() == ["a"]
    with pytest.raises(ConlluError, match=r"a\.conllu:5: error: columns"):
        next(stream)


def test_an_empty_file_has_no_pieces(tmp_path):
    path = tmp_path / "a.conllu"
    path.touch()
    assert list(stream_conllu(path)) == []
    assert list(reading_problems(path)) == []


def test_pieces_of_no_bytes_are_refused(tmp_path):
    path = tmp_path / "a.conllu"
    path.touch()
    with pytest.raises(TreegaugeError, match="at least 1"):
        next(stream_conllu(path, chunk=0))


# Memory

MEMORY = """
import sys
from pathlib import Path
from treegauge.validation.check import validate
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.settings import ScoreOptions
verb, path = sys.argv[1:]
if verb == "check":
    assert {problem.id for problem in validate([path])} == {"non-unique-sent-id"}
else:
    found = evaluate(path, path, chunk=1 << 20, options=ScoreOptions(resamples=0))
    assert found.systems[0].metrics["LAS"].f1 == 100
print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Two files, one four times the other."""
    part = synthetic(2_000, seed=5).to_bytes()
    paths = []
    for megabytes in (10, 40):
        path = tmp_path_factory.mktemp("large") / f"{megabytes}.conllu"
        with path.open("wb") as file:
            for _ in range(megabytes * 1_000_000 // len(part)):
                file.write(part)
        paths.append(path)
    yield paths
    for path in paths:
        path.unlink()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
@pytest.mark.parametrize("verb", ["check", "score"])
def test_memory_does_not_grow_with_the_file(large, verb):
    peaks = []
    for path in large:
        command = [sys.executable, "-c", MEMORY, verb, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout) / 1024)
    small, big = peaks
    assert big < small + 15, f"{verb}: {small:.0f} MiB for 10 MB, {big:.0f} MiB for 40 MB"


# Time: what grows with the square of its input would take many seconds


def sentences_of_one_word(n: int) -> str:
    return conllu(chain("a")) * n


def one_long_sentence(n: int) -> str:
    return conllu([row(i, "a", i - 1, deps=f"{i - 1}:x") for i in range(1, n + 1)])


def bad_deps(n: int) -> str:
    return conllu([row(1, "a", 0, deps="x")]) * n


def bad_heads(n: int) -> str:
    return conllu([row(i, "a", "x") for i in range(1, n + 1)])


def loops(n: int) -> str:
    return conllu([row(i, "a", i) for i in range(1, n + 1)])


def bad_columns(n: int) -> str:
    return "# sent_id = 1\n" + "x\n" * n + "\n"


def comments_inside(n: int) -> str:
    return row(1, "a", 0) + "\n" + "# x\n" * n + "\n"


def blank_lines(n: int) -> str:
    return "\n" * n


def open_ranges(n: int) -> str:
    return conllu([row(f"{i}-{n + 1}", "a") for i in range(1, n)])


@pytest.mark.parametrize(
    ("write", "size", "problems"),
    [
        (sentences_of_one_word, 60_000, 0),
        (one_long_sentence, 60_000, 0),
        (bad_deps, 10_000, 10_000),
        (bad_heads, 10_000, 10_000),
        (loops, 10_000, 10_001),  # and no root
        (bad_columns, 10_000, 10_000),
        (comments_inside, 10_000, 10_000),
        (blank_lines, 1_000_000, 1),
        (open_ranges, 5_000, 9_997),  # all but the first are words inside it, without heads
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_large_and_broken_files_take_seconds(tmp_path, write, size, problems):
    path = tmp_path / "a.conllu"
    path.write_text(write(size))
    parse_conllu(conllu([row(1, "a", 0), "x"]), errors="repair")
    start = time.process_time()
    found = list(reading_problems(path))
    assert time.process_time() - start < 3
    assert len(found) == problems
    if any(problem.blocks_reading for problem in found):
        start = time.process_time()
        with pytest.raises(ConlluError) as caught:
            read_conllu(path)
        assert len(caught.value.problems) == sum(problem.blocks_reading for problem in found)
        read_conllu(path, errors="repair")
        assert time.process_time() - start < 4
