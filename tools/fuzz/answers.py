"""No answer of a language model makes its reader crash, and every loose score says what share was read.

An input is an answer: the trees of a few sentences in one of the formats of :mod:`tools.answers`, mostly damaged.
"""

import tempfile
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

import treegauge as tg
from tools.answers import FORMATS, sentences_of
from tools.fuzz.mutation import spliced
from tools.fuzz.targets import Target
from treegauge.core.errors import TreegaugeError
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.failures import failure_rows
from treegauge.scoring.settings import ScoreOptions
from treegauge.treebanks.answers.sentences import read_answer
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import TOLERABLE, parse_conllu

_PIECES = [b"\t", b"\n", b"\n\n", b"```", b"|", b"\\|", b"|---|", b"{", b"}", b"[", b"]", b'"', b":", b",", b";", b"\\",
           b"\xff", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\0", b"\r", b"\xef\xbb\xbf", b"[" * 2000, b'{"a":' * 300,
           b"9" * 400, b"1-2", b"-1", b"ROOT", b"word-3", b"null", b"\\ud800", b"Sure!\n", b"# sent_id = x\n",
           b"ID\tFORM\tHEAD\tDEPREL\n", b"nsubj(a-1, b-2)\n", b"_", b" ", b"0", b"2.1"]  # fmt: skip
_LINES = ("1\tGo\t0\troot", "| a | 1 | det |", "2 it 1 obj", '{"id": 1, "form": "a", "head": 0, "deprel": "root"}',
          "Here it is:", "### Sentence 2", "", "```", "1,a,0,root")  # fmt: skip
SIZE = 16


@cache
def gold() -> Treebank:
    """Return the sentences that answers are about."""
    return tg.synthetic(SIZE, seed=11)


def make(random: Random) -> bytes:
    """Return an answer about up to six sentences, damaged up to six times."""
    if random.random() < 0.1:
        data = "\n".join(random.choices(_LINES, k=random.randrange(12))).encode()
    else:
        start = random.randrange(SIZE - 6)
        sentences = sentences_of(gold()[start : start + random.randint(1, 6)])
        data = random.choice(list(FORMATS.values()))(sentences).encode()
    for _ in range(random.choice((0, 1, 1, 2, 4, 6))):
        data = spliced(data, random, _PIECES)
    return data


def check(data: bytes) -> str:
    """Read an answer, read what was written again, and score every fourth."""
    answer = read_answer(data)
    treebank = answer.treebank
    assert len(answer.assumptions) == len(treebank)
    again = parse_conllu(treebank.to_bytes(), name=treebank.name, need_heads=False, allow=TOLERABLE)
    assert again == treebank
    assert all(0 <= part.sentence <= len(treebank) for part in answer.unread)
    if len(data) % 4:
        return "read" if len(treebank) else "nothing read"
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / "a.txt"
        path.write_bytes(data)
        try:
            score = evaluate(gold(), {"a": path}, ScoreOptions(align="loose", resamples=0))["a"]
        except TreegaugeError as error:
            assert "no tree could be read" in str(error), error
            return "refused"
    rows = {row["part"]: row for row in failure_rows(score.failures)}
    assert 0 <= rows["read"]["share"] <= 100
    # What is right was read, and what was not read is named.
    assert score["LAS"].correct <= rows["read"]["words"] <= score["LAS"].gold
    for failure in score.failures:
        assert (failure.aligned | np.logical_or.reduce([*failure.words.values()])).all()
    return "scored"


TARGET = Target(
    "is read without a crash; what is written is CoNLL-U that reads the same; a loose score names every gold word "
    "that was not read",
    make, check, lambda data, random: spliced(data, random, _PIECES),
)  # fmt: skip
