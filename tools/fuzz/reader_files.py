"""Files of 64 sentences, most of them damaged: each is judged as the official script judges it."""

from random import Random

from tools.fuzz import reader
from tools.fuzz.mutation import damaged
from tools.fuzz.targets import Target
from tools.fuzz.texts import sentence_pool

SENTENCES = 64


def make(random: Random) -> bytes:
    """Draw sentences from a pool and damage four of five."""
    pool = sentence_pool()
    parts = []
    for data in random.choices(pool, k=SENTENCES):
        for _ in range(random.choice((0, 1, 1, 1, 2))):
            data = damaged(data, random)  # noqa: PLW2901 -- step by step
        parts.append(data)
    return b"".join(parts)


TARGET = Target(
    "the same for every sentence of files of 64: none changes what becomes of another",
    make, reader.check, damaged, SENTENCES,
)  # fmt: skip
