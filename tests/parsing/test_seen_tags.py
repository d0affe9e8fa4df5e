"""Counts of arcs and contexts: equal to plain counting, bounded, and safe to read from files."""

import json
from collections import Counter

import numpy as np
import pytest

from treegauge.parsing.probabilities.training_text import MOST_NAMES, SeenTags
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu

TRAIN, TEST = synthetic(60, seed=1), synthetic(30, seed=2)
NAMES = tuple(dict.fromkeys([*TRAIN["deprel"], "unheard"]))


def plain(name):
    return name.partition(":")[0]


def arcs(sentence):
    """Yield each word's tag, its head's, the side of the head, and its relation."""
    tags, words = list(sentence.upos), enumerate(zip(sentence.head, sentence.deprel, strict=True))
    for place, (head, relation) in words:
        of_head = tags[head - 1] if head else None
        yield tags[place], of_head, head and (1 if head <= place else 2), plain(relation)


def contexts(sentence):
    tags = ["", *sentence.upos, ""]
    return list(zip(tags, tags[1:], tags[2:], strict=False))


def test_counts_equal_plain_counting():
    by_relation = Counter(arc for own in TRAIN for arc in arcs(own))
    by_tags = Counter(arc[:3] for own in TRAIN for arc in arcs(own))
    neighbours = Counter(one for own in TRAIN for one in contexts(own))
    found = SeenTags.of(TRAIN).sentences(TEST, NAMES)
    for sentence, one in zip(TEST, found, strict=True):
        relations = [NAMES.index(name) for name in sentence.deprel]
        counted = one.arc_counts(np.array(sentence.head), np.array(relations))
        expected = [[by_tags[arc[:3]], by_relation[arc]] for arc in arcs(sentence)]
        np.testing.assert_allclose(counted, np.log1p(expected))
        np.testing.assert_allclose(one.contexts, np.log1p([neighbours[own] for own in contexts(sentence)]))


def test_tags_and_relations_that_the_training_set_lacks():
    other = parse_conllu("1\tGo\t_\tNEW\t_\t_\t0\troot\t_\t_\n\n")
    (one,) = SeenTags.of(TRAIN).sentences(other, NAMES)
    assert one.contexts.tolist() == [0]
    counted = one.arc_counts(np.array([0]), np.array([NAMES.index("unheard")]))
    assert counted.tolist() == [[0, 0]]


def test_a_treebank_without_words():
    empty = parse_conllu("")
    assert SeenTags.of(empty).sentences(TEST, NAMES)[0].contexts.sum() == 0
    assert SeenTags.of(TRAIN).sentences(empty, NAMES) == []


def test_many_tags_stay_small():
    """A column of UPOS with a value of its own for each word must not take the memory."""
    lines = (f"1\tw\t_\tT{k}\t_\t_\t0\tr{k}\t_\t_\n\n" for k in range(500))
    made = SeenTags.of(parse_conllu("".join(lines)))
    assert len(made.tags) == len(made.relations) == MOST_NAMES
    assert made.arcs.sum() == made.contexts.sum() == 500


def test_counts_survive_json():
    made = SeenTags.of(TRAIN)
    again = SeenTags.from_dict(json.loads(json.dumps(made.to_dict())))
    assert (again.tags, again.relations) == (made.tags, made.relations)
    np.testing.assert_array_equal(again.arcs, made.arcs)
    np.testing.assert_array_equal(again.contexts, made.contexts)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("arcs", [[10**9], [1]]), ("arcs", [[5, -9], [1, 1]]), ("contexts", [[1, 2], [3]]),
        ("contexts", [[1], [-3]]), ("arcs", [[[1]], [[1]]]), ("tags", [str(k) for k in range(99)]),
    ],
)  # fmt: skip
def test_damaged_counts_are_refused(name, value):
    values = {**SeenTags.of(TRAIN).to_dict(), name: value}
    with pytest.raises(ValueError, match=r"arcs|contexts|tags"):
        SeenTags.from_dict(values)
