"""Content and function relations, and word dependency entropy."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from scipy.stats import entropy

from treegauge.core.errors import ChoiceError
from treegauge.measures import structure as relations
from treegauge.measures.registry import measures
from treegauge.measures.structure import average_wde, word_dependency_entropy
from treegauge.testing.synthetic import synthetic

# Table 2 of the Content paper; `list` stands in two columns there and is discussed as other.
FUNCTION = "aux auxpass case cc cop det expl mark neg mwe"
CONTENT = (
    "acl advcl advmod amod appos ccomp compound conj csubj csubjpass dislocated dobj iobj name "
    "nmod nsubj nsubjpass nummod parataxis remnant root vocative xcomp"
)
OTHER = "list dep foreign reparandum punct goeswith discourse"


def test_classes_of_the_paper():
    assert relations.CONTENT["v1"] == set(CONTENT.split())
    assert relations.FUNCTION["v1"] == set(FUNCTION.split())
    assert {relations.relation_class(name, "v1") for name in OTHER.split()} == {"other"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("auxpass", "aux:pass"), ("nsubjpass", "nsubj:pass"), ("csubjpass", "csubj:pass"),
        ("dobj", "obj"), ("nmod", "obl"), ("mwe", "fixed"), ("name", "flat"),
        ("remnant", "orphan"),
    ],
)  # fmt: skip
def test_heirs_stay_in_their_class(old, new):
    assert relations.relation_class(old, "v1") == relations.relation_class(new, "v2")
    assert relations.relation_class(old) == relations.relation_class(new)


def test_unknown_version():
    with pytest.raises(ChoiceError, match="choices: v1, v2"):
        relations.relation_class("obj", "v3")


def test_shares(bank):
    treebank = bank(
        [
            {"head": 0}, {"head": 1, "deprel": "nsubj:pass"}, {"head": 1, "deprel": "auxpass"},
            {"head": 1, "deprel": "punct"}, {"head": 1, "deprel": "made-up"},
        ]
    )  # fmt: skip
    assert measures()["content"](treebank) == 2 / 5
    assert measures()["function"](treebank) == 1 / 5
    assert measures()["other"](treebank) == 2 / 5


def test_word_dependency_entropy_by_brute_force():
    treebank = synthetic(400, seed=6)
    forms, labels = treebank["form"].to_list(), treebank["deprel"].to_list()
    groups = defaultdict(Counter)
    for form, label in zip(forms, labels, strict=True):
        groups[label.partition(":")[0]][form] += 1
    size = np.log(len(set(forms)))
    expected = {name: entropy(list(c.values())) / size for name, c in groups.items()}
    assert word_dependency_entropy(treebank) == pytest.approx(expected)


def test_a_missing_relation_is_neither():
    assert average_wde([{"a": 1.0}, {"b": 0.0}]) == {"a": 0.75, "b": 0.25}
