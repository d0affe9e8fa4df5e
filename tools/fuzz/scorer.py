"""Counts of all metrics equal those of the official script, for pairs of files.

An input is the gold file, a zero byte, and the system's file.
"""

from random import Random

from udtools import udeval

from tools.fuzz.analyses import LETTERS, analysis, text
from tools.fuzz.mutation import damaged
from tools.fuzz.official import KINDS, load, match_once
from tools.fuzz.targets import Target
from treegauge.core.errors import TreegaugeError
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics.registry import METRICS
from treegauge.scoring.settings import ScoreOptions
from treegauge.treebanks.data.conllu import parse_conllu, refusals
from treegauge.treebanks.data.relations import check_deps

SUMS = ScoreOptions(resamples=0)
BASIC = SUMS
_BETWEEN = b"\0"


def make(random: Random) -> bytes:
    """Make two analyses of one text; one pair in ten has other characters, one in ten damage."""
    characters = text(random, random.choice((4, 16, 40)))
    gold = analysis(characters, random)
    if random.random() < 0.1:
        at = random.randrange(len(characters))
        characters = characters[:at] + random.choice(LETTERS) + characters[at + 1 :]
    multiword = random.choice((0.0, 0.3, 0.6))
    sides = [gold.encode(), analysis(characters, random, multiword).encode()]
    if random.random() < 0.1:
        side = random.randrange(2)
        sides[side] = damaged(sides[side], random).replace(_BETWEEN, b"")
    return _BETWEEN.join(sides)


def vary(data: bytes, random: Random) -> bytes:
    """Damage one side."""
    sides = list(data.partition(_BETWEEN)[::2])
    side = random.randrange(2)
    sides[side] = damaged(sides[side], random).replace(_BETWEEN, b"")
    return _BETWEEN.join(sides)


def check(data: bytes) -> str:
    """Score a pair with both programs and compare counts, or refusals."""
    gold, _, system = data.partition(_BETWEEN)
    return compared(gold, system, "")


def compared(gold: bytes, system: bytes, codes: str) -> str:
    """Compare counts, or refusals, without the types of enhancement of these codes."""
    kinds = {KINDS[code]: True for code in codes}
    try:
        sides = parse_conllu(gold), parse_conllu(system)
        if any(map(refusals, sides)):
            raise TreegaugeError("refused for scoring")
        # DEPS with heads such as -1 or a lone point are refused here; see parse_deps.
        malformed = any(any(check_deps(side, "")) for side in sides)
        options = BASIC if malformed else ScoreOptions(enhanced=True, enhancements=codes, resamples=0)
        found = evaluate(*sides, options=options).systems[0].metrics
    except TreegaugeError:
        try:
            udeval.evaluate(load(gold, **kinds), load(system, **kinds))
        except (udeval.UDError, ValueError, IndexError):
            return "refused by both"
        raise
    names = METRICS if malformed else (*METRICS, "ELAS")
    for subtypes in (True,) if malformed else (True, False):
        try:
            official = [load(side, **kinds) for side in (gold, system)]
        except (ValueError, IndexError):
            assert malformed
            return "refused by the official script for DEPS"
        for side in official:
            match_once(side, subtypes=subtypes)
        theirs = udeval.evaluate(*official)
        for name in names if subtypes else ("EULAS",):
            ours, one = found[name], theirs[name]
            counts = ours.correct, ours.gold, ours.system, ours.aligned
            wanted = one.correct, one.gold_total, one.system_total, one.aligned_total
            assert counts == wanted, f"{name}, codes {codes or 0}: {counts} {wanted}"
    return "equal counts"


TARGET = Target(
    "has the official script's counts for all metrics, and refuses the pairs that it refuses", make, check, vary
)
