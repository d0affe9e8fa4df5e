"""Treebanks for tests of the beam parser, and checks of its trees."""

from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu

TRAIN, TEST = synthetic(200, seed=1), synthetic(60, seed=2)


def conllu(*sentences):
    """Make a treebank of sentences of (form, tag, head, relation)."""
    blocks = [
        "".join(
            f"{i}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n"
            for i, (form, tag, head, relation) in enumerate(words, 1)
        )
        for words in sentences
    ]
    return parse_conllu("\n".join([*blocks, ""]), allow=["several-roots", "cycle", "no-root"])


def right(parsed, gold):
    heads = parsed.head == gold.head
    return heads.mean(), (heads & (parsed["deprel"] == gold["deprel"]).to_numpy()).mean()
