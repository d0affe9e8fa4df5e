"""Counts equal those of the official script whatever types of enhancement are left out.

An input is the codes, a zero byte, the gold file, a zero byte, and the system's file. Every set of
codes is as likely as every other.
"""

from random import Random

from tools.fuzz import scorer
from tools.fuzz.analyses import analysis, text
from tools.fuzz.mutation import damaged
from tools.fuzz.official import KINDS
from tools.fuzz.targets import Target

_BETWEEN = b"\0"
_RELATIONS = ("root", "nsubj", "nsubj:pass", "obj", "obl:in", "xcomp", "acl", "acl:relcl", "conj", "aclx")
_STEPS = (
    "root", "nsubj", "nsubj:xsubj", "nsubj:pass", "obj", "conj", "conj:and", "conjx", "ref",
    "obl:in", "obl:pass", "obl:arg:in", "nmod:of", "nmod:", "advcl:relcl", ":", "",
)  # fmt: skip
_LENGTHS = (1, 1, 1, 2, 3)


def make(random: Random) -> bytes:
    """Make two analyses of one text with many enhanced edges; one pair in twenty is damaged."""
    codes = "".join(code for code in KINDS if random.random() < 0.5)
    characters = text(random, random.choice((4, 16, 40)))
    gold = enhanced(analysis(characters, random), random, 1.0)
    other = analysis(characters, random)
    system = enhanced(*((gold, random, 0.2) if random.random() < 0.7 else (other, random, 1.0)))
    sides = [gold.encode(), system.encode()]
    if random.random() < 0.05:
        side = random.randrange(2)
        sides[side] = damaged(sides[side], random).replace(_BETWEEN, b"")
    return _BETWEEN.join((codes.encode(), *sides))


def enhanced(sentences: str, random: Random, share: float) -> str:
    """Give this share of the words a random relation and random enhanced edges."""
    return "".join(
        "\n".join([*(_word(line, size, random, share) for line in lines), "", ""])
        for block in sentences.split("\n\n")[:-1]
        for lines in [block.split("\n")]
        for size in [sum(line.split("\t")[0].isdigit() for line in lines)]
    )


def _word(line: str, size: int, random: Random, share: float) -> str:
    fields = line.split("\t")
    if fields[0].isdigit() and random.random() < share:
        fields[7] = random.choice(_RELATIONS)
        edges = [
            f"{_head(size, random)}:{'>'.join(random.choices(_STEPS, k=random.choice(_LENGTHS)))}"
            for _ in range(random.choice((0, 1, 1, 2, 2, 3)))
        ]
        fields[8] = "|".join(edges) or "_"
    return "\t".join(fields)


def _head(size: int, random: Random) -> str:
    return "1.1" if random.random() < 0.05 else str(random.randint(0, size))


def vary(data: bytes, random: Random) -> bytes:
    """Damage one side."""
    codes, _, pair = data.partition(_BETWEEN)
    return codes + _BETWEEN + scorer.vary(pair, random)


def check(data: bytes) -> str:
    """Score a pair with both programs and compare counts, or refusals."""
    codes, _, pair = data.partition(_BETWEEN)
    gold, _, system = pair.partition(_BETWEEN)
    return scorer.compared(gold, system, "".join(c for c in KINDS if c.encode() in codes))


TARGET = Target(
    "the same for enhanced edges without the types of enhancement of any codes: edges that are "
    "listed twice count one to one",
    make, check, vary,
)  # fmt: skip
