"""Random analyses of one text, as strange as the official script allows."""

from itertools import pairwise
from random import Random

LETTERS = "aAbBßÉé.\u200b中"
SPACES = ["", "", "", " ", "\u00a0", "\u2009", "\u3000"]
RELATIONS = ["nsubj", "nsubj:pass", "obj", "det", "case", "aux:pass", "punct", "odd", "_", ":", "cc"]
FEATURES = ["_", "Case=Nom", "Number=Sing|Case=Nom", "Case=Nom|Number=Sing", "Typo=Yes", "Case",
            "Gender=Fem,Masc", "Gender=Masc,Fem", "Number[psor]=Sing|Poss=Yes"]  # fmt: skip


def row(
    number: int | str,
    form: str,
    head: int | str = "_",
    deprel: str = "_",
    *,
    lemma: str = "_",
    upos: str = "_",
    xpos: str = "_",
    feats: str = "_",
    deps: str = "_",
    misc: str = "_",
) -> str:
    """Write one line of a sentence."""
    fields = [number, form, lemma, upos, xpos, feats, head, deprel, deps, misc]
    return "\t".join(map(str, fields))


def conllu(*sentences: list[str]) -> str:
    """Write sentences of lines, each with its blank line."""
    return "".join("\n".join([*lines, "", ""]) for lines in sentences)


def text(random: Random, most: int = 16) -> str:
    """Return random characters."""
    return "".join(random.choices(LETTERS, k=random.randint(1, most)))


def analysis(characters: str, random: Random, multiword: float = 0.3) -> str:
    """Cut a text into sentences and tokens at random, and annotate them at random."""
    ends = [i for i in range(1, len(characters)) if random.random() < 0.25]
    edges = [0, *ends, len(characters)]
    return conllu(*(sentence(characters[i:j], random, multiword) for i, j in pairwise(edges)))


def sentence(characters: str, random: Random, multiword: float) -> list[str]:
    """Analyse the characters of one sentence."""
    ends = [i for i in range(1, len(characters)) if random.random() < 0.6]
    edges = [0, *ends, len(characters)]
    groups: list[tuple[str, list[str] | None]] = []
    for i, j in pairwise(edges):
        surface = random.choice(SPACES).join(characters[i:j])
        inner = None
        if random.random() < multiword:
            sizes = random.choice([1, 2, 2, 3])
            inner = [inner_form(characters[i:j], random) for _ in range(sizes)]
        groups.append((surface, inner))
    size = sum(1 if inner is None else len(inner) for _, inner in groups)
    heads = tree(size, random)
    lines: list[str] = []
    n = 0
    for surface, inner in groups:
        if inner is not None:
            lines.append(row(f"{n + 1}-{n + len(inner)}", surface))
        for form in inner or [surface]:
            n += 1
            lines.append(word(n, form, heads, random))
            if random.random() < 0.05:
                lines.append(row(f"{n}.1", "empty"))
    return lines


def inner_form(characters: str, random: Random) -> str:
    """Return a random word inside a multiword token: often a piece of it, sometimes blank."""
    i = random.randrange(len(characters))
    piece = characters[i : random.randrange(i, len(characters)) + 1]
    return random.choice([piece, piece.upper(), piece.lower(), "a", "a b", " ", "b"])


def tree(size: int, random: Random) -> list[int]:
    """Return a random tree: each word is attached to one that was placed before it."""
    order = list(range(1, size + 1))
    random.shuffle(order)
    heads = [0] * (size + 1)
    for i, number in enumerate(order[1:], 1):
        heads[number] = order[random.randrange(i)]
    return heads


def word(number: int, form: str, heads: list[int], random: Random) -> str:
    """Annotate one word."""
    size = len(heads) - 1
    edges = {
        (random.randrange(size + 1), random.choice(["obj", "conj>obl", "det"])): random.choice(["", ":x"])
        for _ in range(random.choice([0, 0, 1, 2]))
    }
    deps = [f"{head}:{path}{subtype}" for (head, path), subtype in edges.items()]
    return row(
        number, form, heads[number], random.choice(RELATIONS),
        lemma=random.choice(["_", "a", "A"]), upos=random.choice(["X", "PUNCT"]),
        xpos=random.choice(["_", "x"]), feats=random.choice(FEATURES),
        deps="|".join(deps) or "_",
    )  # fmt: skip
