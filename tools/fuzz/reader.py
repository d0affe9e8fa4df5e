"""No bytes make the reader crash, hang, or lose a sentence without saying so."""

from collections.abc import Sequence

from tools.fuzz.mutation import damaged
from tools.fuzz.official import accepted, blocks
from tools.fuzz.targets import Target
from tools.fuzz.texts import conllu_bytes
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import parse_conllu
from treegauge.treebanks.data.problems import ConlluError, ReadingProblem

BOM = b"\xef\xbb\xbf"


def check(data: bytes) -> str:
    """Check the treatment of every sentence of a file, with errors strict and skip."""
    found, tail = blocks(data.removeprefix(BOM))
    good = [accepted(block.data) for block in found]
    outcome = _check_strict(data, all(good))
    skipped = parse_conllu(data, errors="skip")
    lost = lost_sentences(skipped.problems)
    assert lost == {i for i, fine in enumerate(good) if not fine} | _lost_tail(tail, len(found))
    kept = [block.data for block, fine in zip(found, good, strict=True) if fine]
    assert sentence_bytes(skipped) == kept
    return outcome


def _check_strict(data: bytes, fine: bool) -> str:
    try:
        treebank = parse_conllu(data)
    except ConlluError as error:
        assert error.problems
        assert all(problem.blocks_reading for problem in error.problems)
        assert all(str(problem).isprintable() for problem in error.problems)
        return "refused"
    assert fine
    assert treebank.to_bytes() == data
    return "accepted"


def lost_sentences(problems: Sequence[ReadingProblem]) -> set[int]:
    """Return the numbers of the sentences that were left out."""
    return {problem.sentence for problem in problems if problem.action == "skipped"}


def _lost_tail(tail: bytes, number: int) -> set[int]:
    return set() if tail == tail.decode(errors="replace").encode() else {number}


def sentence_bytes(treebank: Treebank) -> list[bytes]:
    """Return the bytes of each sentence."""
    return [treebank.raw[start:stop].tobytes() for start, stop in treebank.spans]


TARGET = Target(
    "accepts exactly the sentences that the official script accepts, returns accepted files byte "
    "for byte, and reports every sentence it leaves out",
    conllu_bytes, check, damaged,
)  # fmt: skip
