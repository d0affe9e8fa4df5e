"""Small random treebanks: any tag under any relation in any tree, often wrong."""

import random

from tests.validation.cases import surface
from tests.validation.damage_kinds import TAGS
from tests.validation.damage_words import DEPREL_WORDS, FEATURES, MISC_ITEMS

LIKELY = {
    "punct": "PUNCT", "det": "DET", "case": "ADP", "mark": "SCONJ", "cc": "CCONJ", "aux": "AUX",
    "cop": "AUX", "goeswith": "X", "nummod": "NUM", "advmod": "ADV", "expl": "PRON",
}  # fmt: skip
FORMS = "a b c d , . go π 10".split()
LEMMAS = "_ be avoir být".split()
LANGUAGES = ("en", "cs", "fr", "ru", "ud")


def invented(seed: int, sentences: int = 60) -> tuple[str, str]:
    """Return a treebank and its language; equal seeds give equal treebanks."""
    draw = random.Random(seed)
    enhanced = draw.random() < 0.6
    text = "".join(
        _sentence(draw, number, enhanced if draw.random() < 0.98 else not enhanced) for number in range(sentences)
    )
    return text, draw.choice(LANGUAGES)


def _tree(size: int, draw: random.Random) -> list[int]:
    heads = [0] * (size + 1)
    order = list(range(1, size + 1))
    draw.shuffle(order)
    for place, word in enumerate(order[1:], 1):
        heads[word] = draw.choice(order[:place])
    return heads


def _sentence(draw: random.Random, number: int, enhanced: bool) -> str:
    size = draw.choice([1, 2, 3, 4, 5, 6, 8, 10])
    heads = _tree(size, draw)
    usual = draw.sample(DEPREL_WORDS[:37], draw.randint(2, 6))
    rows, inside = [], 0
    for word in range(1, size + 1):
        if inside < word < size and draw.random() < 0.1:
            inside = min(size, word + draw.randint(0, 2))
            feats, misc = draw.choice(["_", "_", "Typo=Yes"]), draw.choice(["_", "SpaceAfter=No"])
            rows.append([f"{word}-{inside}", "xy", *"___", feats, *"___", misc])
        rows.append(_word(draw, word, heads[word], usual))
        if enhanced:
            rows[-1][8] = _deps(draw, heads[word], rows[-1][7], size)
            if draw.random() < 0.08:
                deps = f"{draw.randint(0, size)}:{draw.choice(DEPREL_WORDS)}"
                tag = draw.choice([*TAGS, "_"])
                rows.append([f"{word}.1", "e", "e", tag, *"____", deps, "_"])
    lines = ["\t".join(row) for row in rows]
    comments = "# newpar\n" * (draw.random() < 0.05)
    comments += f"# sent_id = s{number}\n# text = {surface(lines)}\n"
    return comments + "".join(f"{line}\n" for line in lines) + "\n"


def _word(draw: random.Random, word: int, head: int, usual: list[str]) -> list[str]:
    relation = draw.choice(usual if draw.random() < 0.8 else DEPREL_WORDS)
    if head == 0 and draw.random() < 0.97:
        relation = "root"
    tag = draw.choice(TAGS) if draw.random() < 0.7 else LIKELY.get(relation, "NOUN")
    feats = sorted(draw.sample(FEATURES, draw.choice([0, 0, 0, 1, 1, 2])), key=str.lower)
    form = draw.choice(FORMS)
    misc = ["_"] * 6 + ["SpaceAfter=No", "Lang=cs", "Lang=fr", "Subject=Outer"]
    return [
        str(word), form, draw.choice([form, form, *LEMMAS]), tag, "_", "|".join(feats) or "_",
        str(head), relation, "_", draw.choice([*misc, draw.choice(MISC_ITEMS)]),
    ]  # fmt: skip


def _deps(draw: random.Random, head: int, relation: str, size: int) -> str:
    way = draw.random()
    if way < 0.03:
        return "_"
    if way < 0.2:
        return f"{draw.randint(0, size)}:{draw.choice(DEPREL_WORDS)}"
    if way < 0.4:
        edges = {(draw.randint(0, size), draw.choice(DEPREL_WORDS)) for _ in range(2)}
        return "|".join(f"{one}:{name}" for one, name in sorted(edges))
    return f"{head}:{relation}"
