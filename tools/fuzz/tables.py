"""No file of scores makes the readers of tables and leaderboards crash.

An input is the ending of a file name, a zero byte, and the file.
"""

import csv
import io
import json
from contextlib import suppress
from random import Random

from tools.fuzz.mutation import spliced
from tools.fuzz.places import written
from tools.fuzz.targets import Target
from treegauge.core.errors import TreegaugeError
from treegauge.core.reading import read_file
from treegauge.ranking.reading import read_leaderboard

_ENDINGS = (b"csv", b"tsv", b"txt", b"json")
_NAMES = ("treebank", "system", "score", "metric", "las", "seed", "A", "en_ewt", "UD_Czech-PDT",
          "", " B ", "Ünïcode", "=1+1", "f1", "words")  # fmt: skip
_CELLS = ("81.2", "0.9", "", "NA", "nan", "inf", "-3", "1e999", "1,5", "x", "en_ewt", "cs_pdt",
          '"', "A", "LAS", "\u2028", "100", "\0", "٣")  # fmt: skip
_PIECES = [b",", b";", b"\t", b"\n", b"\r", b'"', b'""', b"{", b"}", b"[", b"]", b":", b"null",
           b"NaN", b"1e999", b"\xff", b"\0", b"\xef\xbb\xbf", b"9" * 400, b"[" * 3000,
           b'"rows"', b'"unit": 3', b"true", b"\\ud800"]  # fmt: skip


def make(random: Random) -> bytes:
    """Return a table of a few rows, valid or damaged."""
    ending = random.choice(_ENDINGS)
    if random.random() < 0.4:
        header = ["treebank", *random.sample(("A", "B", "C", "Ü"), 3)]
        named = random.sample(("en_ewt", "cs_pdt", "x_y", "UD_Greek-GDT"), random.randint(1, 4))
        rows = [[name, *(f"{random.uniform(0, 100):.2f}" for _ in header[1:])] for name in named]
    else:
        header = random.sample(_NAMES, random.randint(1, 5))
        rows = [random.choices(_CELLS, k=len(header)) for _ in range(random.randrange(5))]
    text = _json(header, rows, random) if ending == b"json" else _separated(ending, header, rows)
    for _ in range(random.choice((0, 0, 1, 2, 4))):
        text = spliced(text, random, _PIECES)
    return ending + b"\0" + text


def _separated(ending: bytes, header: list[str], rows: list[list[str]]) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter="\t" if ending == b"tsv" else ",").writerows([header, *rows])
    return file.getvalue().encode()


def _json(header: list[str], rows: list[list[str]], random: Random) -> bytes:
    def number(cell: str) -> object:
        return random.choice((cell, 81.5, 3, None, True, [cell], {"f1": 80.0}))

    named = [{name: number(cell) for name, cell in zip(header, row, strict=True)} for row in rows]
    systems = [{"system": "A", "metrics": {"LAS": {"f1": number("x")}}}]
    content: object = random.choice((
        named, {"kind": "x", "unit": "percent", "rows": named}, {"measures": named},
        {"treebanks": [{"treebank": "en_ewt", "systems": systems}]}, {"systems": systems}, rows,
    ))  # fmt: skip
    return json.dumps(content, ensure_ascii=random.random() < 0.5).encode()


def vary(data: bytes, random: Random) -> bytes:
    """Damage the file."""
    ending, _, text = data.partition(b"\0")
    return ending + b"\0" + spliced(text, random, _PIECES)


def check(data: bytes) -> str:
    """Read a file as a table and as a leaderboard; errors name the file."""
    ending, _, text = data.partition(b"\0")
    if ending not in _ENDINGS:
        ending = b"csv"
    path = written(f"table.{ending.decode()}", text)
    outcome = "table"
    try:
        table = read_file(path)
    except TreegaugeError as error:
        assert path.name in str(error)
        outcome = "refused"
    else:
        assert all(len(row) == len(table.header) for _, row in table.rows)
        with suppress(TreegaugeError):  # columns of lists and numbers
            assert table.frame.shape == (len(table.rows), len(table.header)) or not table.rows
    try:
        board = read_leaderboard(path)
    except TreegaugeError:
        return outcome
    assert board.values.shape == (len(board.systems), len(board.treebanks))
    return "leaderboard"


TARGET = Target(
    "reads a table or names the file and what is wrong with it, and reads a leaderboard of as many "
    "systems and treebanks as it names, or refuses it",
    make, check, vary,
)  # fmt: skip
