"""Short CoNLL-U files: seeds of the repository, random sentences, and damaged ones."""

from functools import cache
from pathlib import Path
from random import Random

from tools.fuzz.analyses import analysis, text
from tools.fuzz.mutation import damaged

SEEDS = Path(__file__).with_name("seeds")
_MARKS = [*b"\t\t\t\t\t\t\t\t\t\n\r#123-._ \xff\xc3"]
_COMMENTS = ("# sent_id = s{}", "# text = {}", "# newdoc id = d{}", "#", "# global.columns = ID",
             "# newpar", "# sent_id = ", "#\u2028{}")  # fmt: skip


@cache
def seeds() -> tuple[bytes, ...]:
    """Return the CoNLL-U files of the corpus."""
    return tuple(path.read_bytes() for path in sorted(SEEDS.glob("*.conllu")))


def conllu_bytes(random: Random) -> bytes:
    """Make a short file: random bytes, a random treebank, or a seed, mostly damaged."""
    kind = random.random()
    if kind < 0.05:
        return random.randbytes(random.randrange(80))
    if kind < 0.15:
        return bytes(random.choices(_MARKS, k=random.randrange(120)))
    data = commented(analysis(text(random, 10), random), random).encode() if kind < 0.6 else random.choice(seeds())
    end = random.choice((b"\n", b"\n", b"\n", b"\r\n", b"\r"))
    if end != b"\n":
        data = data.replace(b"\n", end)
    for _ in range(random.choice((0, 1, 1, 2, 3, 6))):
        data = damaged(data, random)
    return data


@cache
def sentence_pool() -> tuple[bytes, ...]:
    """Return sentences of the corpus and random ones, the same each time."""
    random = Random(0)
    sentences = [one + b"\n\n" for data in seeds() for one in data.split(b"\n\n")[:-1]] * 40
    for _ in range(600):
        text_of = commented(analysis(text(random, 10), random), random)
        sentences += [f"{one}\n\n".encode() for one in text_of.split("\n\n")[:-1]]
    return tuple(sentences)


def commented(sentences: str, random: Random) -> str:
    """Put comments before some sentences."""
    parts = []
    for number, part in enumerate(sentences.split("\n\n")[:-1]):
        comments = [random.choice(_COMMENTS).format(number) for _ in range(random.choice((0, 1, 2)))]
        parts.append("\n".join([*comments, part, "", ""]))
    return "".join(parts)
