"""ELAS and EULAS: enhanced edges, each counted once."""

import pytest

from treegauge.treebanks.problems import ConlluError

from .oracle import assert_parity, conllu, counts, four, official, ours, row


def edges(first: str, second: str, third: str = "_") -> str:
    """Write a sentence of three words with these enhanced edges."""
    return conllu(
        [
            row(1, "a", 0, "root", deps=first),
            row(2, "b", 1, "obj", deps=second),
            row(3, "c", 1, "conj", deps=third),
        ]
    )


GOLD = edges("0:root", "1:obj|3:obj:x", "1:conj:and>obl:in")


@pytest.mark.parametrize(
    ("system", "elas", "eulas"),
    [
        (GOLD, (4, 4, 4), (4, 4, 4)),
        (edges("0:root", "1:obj|3:obj:y", "1:conj:and>obl:in"), (3, 4, 4), (4, 4, 4)),
        (edges("0:root", "1:obj|3:obj", "1:conj>obl"), (2, 4, 4), (4, 4, 4)),
        (edges("0:root", "1:obj", "1:conj:and"), (2, 4, 3), (2, 4, 3)),
        (edges("2:root", "0:obj|3:obj:x", "2:conj:and>obl:in"), (1, 4, 4), (1, 4, 4)),
        (edges("_", "_", "_"), (0, 4, 0), (0, 4, 0)),
    ],
    ids=["same", "subtype", "no subtypes", "path and edge missing", "other heads", "nothing"],
)
def test_hand_counted_edges(system, elas, eulas):
    scores = assert_parity(GOLD, system)
    assert four(scores, "ELAS") == (*elas, None)
    assert four(scores, "EULAS") == (*eulas, None)


def test_edges_to_empty_nodes_are_dropped():
    gold = edges("0:root|2.1:obj", "1:obj", "2.1:conj")
    scores = assert_parity(gold, edges("0:root", "1:obj|1.1:x", "1:conj"))
    assert four(scores, "ELAS") == (2, 2, 3, None)


def test_heads_of_edges_survive_other_segmentation():
    gold = conllu([row(1, "ab", 2, "obj", deps="2:obj"), row(2, "c", 0, "root", deps="0:root")])
    system = conllu(
        [
            row(1, "a", 3, "obj", deps="3:obj"),
            row(2, "b", 1, "obj", deps="1:obj"),
            row(3, "c", 0, "root", deps="0:root|2:obj"),
        ]
    )
    assert four(assert_parity(gold, system), "ELAS") == (1, 2, 4, None)


def test_repeated_edges_cannot_score_more_than_there_are():
    data = edges("0:root", "1:obj|1:obj")
    assert official(data, data)["ELAS"].correct == 5
    assert official(data, data)["ELAS"].f1 > 1
    assert four(ours(data, data, enhanced=True), "ELAS") == (3, 3, 3, None)
    single = edges("0:root", "1:obj")
    assert four(ours(data, single, enhanced=True), "ELAS") == (2, 3, 2, None)


def test_edges_that_differ_in_subtypes_alone_match_one_to_one_without_them():
    data = edges("0:root", "1:obj:x|1:obj:y")
    assert official(data, data)["EULAS"].correct == 5
    scores = ours(data, data, enhanced=True)
    assert four(scores, "ELAS") == four(scores, "EULAS") == (3, 3, 3, None)


def test_enhanced_edges_are_scored_on_request():
    assert "ELAS" not in counts(ours(GOLD, GOLD))
    assert ours(GOLD, GOLD, enhanced=True).signature.count("enhanced:yes") == 1


def test_every_malformed_field_is_told_with_its_line():
    bad = edges("0:root", "obj", "9:conj")
    with pytest.raises(ConlluError) as caught:
        ours(GOLD, bad, enhanced=True)
    assert [(problem.kind, problem.line) for problem in caught.value.problems] == [
        ("deps", 2),
        ("deps", 3),
    ]
