"""Repaired sentences are readable by the official script, and valid ones stay unchanged."""

from tools.fuzz.mutation import damaged
from tools.fuzz.official import accepted, blocks
from tools.fuzz.reader import BOM, lost_sentences, sentence_bytes
from tools.fuzz.targets import Target
from tools.fuzz.texts import conllu_bytes
from treegauge.treebanks.data.conllu import parse_conllu


def check(data: bytes) -> str:
    """Repair a file, check every sentence of the result, and repair the result again."""
    found, _ = blocks(data.removeprefix(BOM))
    repaired = parse_conllu(data, errors="repair")
    lost = lost_sentences(repaired.problems) - {len(found)}
    good = [accepted(block.data) for block in found]
    assert not lost & {i for i, fine in enumerate(good) if fine}
    kept = [i for i in range(len(found)) if i not in lost]
    for i, piece in zip(kept, sentence_bytes(repaired), strict=True):
        assert accepted(piece)
        if good[i]:
            assert piece.startswith(found[i].data)
            assert not piece.removeprefix(found[i].data).strip(b"\r\n")
    again = parse_conllu(repaired.to_bytes(), errors="repair")
    assert again.to_bytes() == repaired.to_bytes()
    assert all(problem.level == "warning" for problem in again.problems)
    return "left some out" if lost else "sound" if all(good) else "repaired"


TARGET = Target(
    "gives only sentences that the official script accepts, changes no other sentence, and finds "
    "nothing to repair in its own result",
    conllu_bytes, check, damaged,
)  # fmt: skip
