"""Sections 1 and 4 of the specification: what every metric counts."""

from types import SimpleNamespace

import pytest
from udtools import udeval

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.scoring.metrics.registry import METRICS, Metric, canonical
from treegauge.scoring.scores import Scores, SystemScore, official_table
from treegauge.treebanks.data import relations

from .oracle import assert_parity, chain, conllu, four, ours, row


def pair(gold: dict[str, str], system: dict[str, str]) -> Scores:
    """Compare two analyses of one word below a root that is right."""
    sides = [
        conllu([row(1, "r", 0, "root"), row(2, "w", 1, one.pop("deprel", "obj"), **one)])
        for one in (dict(gold), dict(system))
    ]
    return assert_parity(*sides)


# ---------------------------------------------------------------------------------- 1 constants


def test_relations_and_features_are_the_official_ones():
    assert udeval.CONTENT_DEPRELS == relations.CONTENT
    assert udeval.FUNCTIONAL_DEPRELS == relations.FUNCTIONAL
    assert udeval.UNIVERSAL_FEATURES == relations.UNIVERSAL_FEATURES
    sizes = (relations.CONTENT, relations.FUNCTIONAL, relations.UNIVERSAL_FEATURES)
    assert [len(names) for names in sizes] == [29, 7, 21]


@pytest.mark.parametrize("deprel", [*sorted(relations.CONTENT), *sorted(relations.FUNCTIONAL)])
def test_content_words_are_those_with_content_relations(deprel):
    scores = pair({"deprel": deprel}, {"deprel": deprel})
    expected = 2 if deprel in relations.CONTENT else 1
    assert four(scores, "CLAS") == (expected,) * 4


@pytest.mark.parametrize("deprel", ["punct", "unknown", "_", "Nsubj", "nsubj ", ""])
def test_punctuation_and_unknown_labels_are_no_content(deprel):
    scores = pair({"deprel": deprel}, {"deprel": deprel})
    assert four(scores, "LAS") == (2, 2, 2, 2)
    for metric in ("CLAS", "MLAS", "BLEX"):
        assert four(scores, metric) == (1, 1, 1, 1)


@pytest.mark.parametrize(
    ("gold", "system", "same"),
    [
        ("_", "", True),
        ("Case=Nom|Number=Sing", "Number=Sing|Case=Nom", True),
        ("Gender=Fem,Masc", "Gender=Masc,Fem", False),
        ("Typo=Yes", "_", True),
        ("ExtPos=ADV|Clusivity=In|NounClass=Bantu1", "_", True),
        ("Number[psor]=Sing", "Number[psor]=Plur", True),
        ("Number[psor]=Sing|Case=Nom", "Case=Nom", True),
        ("Case", "Case=", False),
        ("Case=A=B", "Case=A", False),
        ("Case=Nom|Case=Nom", "Case=Nom", False),
        ("case=Nom", "_", True),
    ],
)
def test_universal_features(gold, system, same):
    for one, other in ((gold, system), (system, gold)):
        scores = pair({"feats": one}, {"feats": other})
        assert four(scores, "UFeats") == (2 if same else 1, 2, 2, 2)


@pytest.mark.parametrize(
    ("gold", "system", "same"),
    [
        ("nsubj:pass", "nsubj", True),
        ("nsubj:pass:x", "nsubj:outer", True),
        ("nsubj:", "nsubj", True),
        (":", "", True),
        (":x", ":y", True),
        ("nsubj", "Nsubj", False),
        ("nsubj", "nsubj ", False),
    ],
)
def test_relations_are_cut_at_the_first_colon(gold, system, same):
    scores = pair({"deprel": gold}, {"deprel": system})
    assert four(scores, "LAS") == (2 if same else 1, 2, 2, 2)


# ---------------------------------------------------------------------------------- 4 attachment


def test_heads_survive_other_segmentation():
    gold = conllu([row(1, "ab", 2, "obj"), row(2, "c", 0, "root"), row(3, "d", 2, "obj")])
    system = conllu([row(1, "a", 3, "obj"), row(2, "b", 1, "obj"), row(3, "c", 0, "root"), row(4, "d", 3, "obj")])
    assert four(assert_parity(gold, system), "UAS") == (2, 3, 4, 2)


def test_an_unaligned_head_is_wrong():
    gold = conllu([row(1, "ab", 0, "root"), row(2, "c", 1, "obj")])
    system = conllu([row(1, "a", 0, "root"), row(2, "b", 1, "obj"), row(3, "c", 1, "obj")])
    assert four(assert_parity(gold, system), "UAS") == (0, 2, 3, 1)


def test_root_equals_root_in_a_sentence_that_was_cut():
    gold = conllu([row(1, "a", 0, "root"), row(2, "b", 1), row(3, "c", 1), row(4, "d", 3)])
    system = conllu([row(1, "a", 0, "root"), row(2, "b", 1)], [row(1, "c", 0, "root"), row(2, "d", 1)])
    scores = assert_parity(gold, system)
    assert four(scores, "UAS") == (3, 4, 4, 4)
    assert four(scores, "Sentences") == (0, 1, 2, None)


def test_micro_over_the_file_never_per_sentence():
    gold = conllu(chain("a"), chain(*"bcdefg"))
    wrong = [row(i, form, i - 1, "odd" if i > 1 else "root") for i, form in enumerate("bcdefg", 1)]
    scores = assert_parity(gold, conllu(chain("a"), wrong))
    assert scores.systems[0]["LAS"].f1 == pytest.approx(200 / 7)


# ------------------------------------------------------------------------- 4 content words, MLAS


def test_content_of_gold_and_of_system_count_each_by_their_own_labels():
    assert four(pair({"deprel": "punct"}, {"deprel": "obj"}), "CLAS") == (1, 1, 2, 1)
    assert four(pair({"deprel": "obj"}, {"deprel": "unknown"}), "CLAS") == (1, 2, 1, 2)


DOG = [
    row(1, "the", 2, "det", lemma="the", upos="DET", feats="Definite=Def"),
    row(2, "dog", 3, "nsubj", lemma="dog", upos="NOUN", feats="Number=Sing"),
    row(3, "can", 4, "aux", lemma="can", upos="AUX", feats="Mood=Ind"),
    row(4, "bark", 0, "root", lemma="bark", upos="VERB", feats="VerbForm=Inf"),
    row(5, "now", 4, "advmod", lemma="now", upos="ADV"),
]


def against(*changed: str) -> Scores:
    """Score the sentence about the dog with some lines changed."""
    by_id = {line.split("\t")[0]: line for line in changed}
    return assert_parity(conllu(DOG), conllu([by_id.get(str(i), DOG[i - 1]) for i in range(1, 6)]))


def test_functional_child_at_the_wrong_head_spoils_both_heads():
    scores = against(DOG[0].replace("\t2\tdet", "\t4\tdet"))
    assert four(scores, "CLAS") == (3, 3, 3, 3)
    assert four(scores, "MLAS") == (1, 3, 3, 3)


@pytest.mark.parametrize(
    ("old", "new", "mlas"),
    [
        ("det", "case", 2),
        ("det", "det:x", 3),
        ("DET", "PRON", 2),
        ("Definite=Def", "Definite=Ind", 2),
        ("Definite=Def", "Definite=Def|Typo=Yes", 3),
        ("the\tthe", "the\tother", 3),
        ("det", "nmod", 2),
    ],
    ids=["relation", "subtype", "tag", "feature", "other feature", "lemma", "content relation"],
)
def test_what_must_be_right_of_a_functional_child(old, new, mlas):
    assert four(against(DOG[0].replace(old, new)), "MLAS")[0] == mlas


def test_content_children_do_not_matter_and_nothing_is_recursive():
    # "now" loses its relation and "the" is wrong: "bark" is neither's head in the sense of MLAS.
    changed = against(DOG[4].replace("advmod", "obl"), DOG[0].replace("DET", "X"))
    assert four(changed, "MLAS") == (1, 3, 3, 3)


def test_extra_missing_and_unaligned_functional_children():
    bare = [row(1, "a", 2, "obj"), row(2, "b", 0, "root")]
    marked = [row(1, "a", 2, "det"), row(2, "b", 0, "root")]
    extra, missing = assert_parity(conllu(bare), conllu(marked)), assert_parity(conllu(marked), conllu(bare))
    assert four(extra, "MLAS") == (0, 2, 1, 2)
    assert four(missing, "MLAS") == (0, 1, 2, 1)
    gold = conllu([row(1, "ab", 2, "det"), row(2, "c", 0, "root")])
    split = conllu([row(1, "a", 3, "det"), row(2, "b", 1, "obj"), row(3, "c", 0, "root")])
    assert four(assert_parity(gold, split), "MLAS") == (0, 1, 2, 1)


def test_functional_children_are_compared_in_their_order():
    gold = conllu([row(1, "a", 3, "det"), row(2, "b", 3, "case"), row(3, "c", 0, "root")])
    swapped = conllu([row(1, "a", 3, "case"), row(2, "b", 3, "det"), row(3, "c", 0, "root")])
    assert four(assert_parity(gold, swapped), "MLAS") == (0, 1, 1, 1)
    assert four(assert_parity(gold, swapped), "CLAS") == (1, 1, 1, 1)


def test_functional_root_is_nobodys_child():
    gold = conllu([row(1, "a", 0, "case"), row(2, "b", 1, "obj")])
    scores = assert_parity(gold, gold.replace("case", "root"))
    assert four(scores, "CLAS") == (1, 1, 2, 1)
    assert four(scores, "MLAS") == (1, 1, 2, 1)


# ------------------------------------------------------------------------------- 4 lemmas and tags


@pytest.mark.parametrize(
    ("gold", "system", "right"),
    [("_", "x", True), ("x", "_", False), ("x", "X", False), ("x", "x", True), ("_", "_", True)],
)
def test_lemmas(gold, system, right):
    scores = pair({"lemma": gold}, {"lemma": system})
    assert four(scores, "Lemmas") == four(scores, "BLEX") == (2 if right else 1, 2, 2, 2)


@pytest.mark.parametrize(("column", "metric"), [("upos", "UPOS"), ("xpos", "XPOS")])
def test_tags_have_no_such_leniency(column, metric):
    for gold, system in (("_", "X"), ("X", "_"), ("x", "X")):
        assert four(pair({column: gold}, {column: system}), metric) == (1, 2, 2, 2)
    assert four(pair({"feats": "_"}, {"feats": "Case=Nom"}), "UFeats") == (1, 2, 2, 2)


def test_all_tags_are_upos_xpos_and_universal_features():
    gold = {"upos": "X", "xpos": "y", "feats": "Case=Nom|Typo=Yes"}
    for change, right in (({"feats": "Case=Nom"}, 2), ({"feats": "_"}, 1), ({"upos": "Y"}, 1), ({"xpos": "z"}, 1)):
        assert four(pair(gold, gold | change), "AllTags") == (right, 2, 2, 2)


# ---------------------------------------------------------------------------- 4 values and layout


def test_values_of_a_metric():
    m = Metric("LAS", 3, 4, 6, 5)
    assert (m.precision, m.recall, m.f1, m.aligned_accuracy) == (50, 75, 60, 60)
    nothing = Metric("LAS", 0, 0, 0, 0)
    assert (nothing.precision, nothing.recall, nothing.f1) == (0.0, 0.0, 0.0)
    assert nothing.aligned_accuracy == 0
    assert Metric("Words", 1, 1, 1, None).aligned_accuracy is None


def test_aligned_accuracy_is_empty_for_segments_and_zero_without_aligned_words():
    scores = assert_parity(conllu(chain("ab")), conllu(chain("a", "b")))
    lines = {line.partition("|")[0].strip(): line for line in scores.official().split("\n")}
    assert [lines[name].endswith(" |") for name in ("Tokens", "Sentences", "Words")] == [True] * 3
    assert lines["UPOS"].endswith("|      0.00")
    counted = {line.partition("|")[0].strip(): line for line in scores.official(counts=True).split("\n")}
    assert counted["UPOS"].rpartition("|")[2].strip() == ""


@pytest.mark.parametrize(("correct", "shown"), [(1, "0.12"), (3, "0.38"), (5, "0.62")])
def test_rounding_is_that_of_binary_halves(correct, shown):
    values = {name: Metric(name, correct, 800, 800, 800) for name in METRICS}
    theirs = {
        name: SimpleNamespace(
            correct=m.correct, gold_total=m.gold, system_total=m.system, aligned_total=m.aligned,
            precision=correct / 800, recall=correct / 800, f1=correct / 800,
            aligned_accuracy=correct / 800,
        )
        for name, m in values.items()
    }  # fmt: skip
    assert official_table(values) == udeval.build_evaluation_table(theirs)
    assert official_table(values, counts=True) == udeval.build_evaluation_table(theirs, counts=True)
    cells = official_table(values).split("\n")[-1].split("|")[1:]
    assert [text.strip() for text in cells] == [shown] * 4
    assert values["LAS"].f1 == 100 * correct / 800


def test_names_of_metrics():
    assert canonical("mlas") == "MLAS"
    with pytest.raises(ChoiceError, match="did you mean 'MLAS'"):
        canonical("MLSA")
    scores = ours(conllu(DOG), conllu(DOG))
    assert isinstance(scores["text"], SystemScore)
    with pytest.raises(TreegaugeError, match="ELAS was not computed; available: Tokens"):
        scores["text"]["elas"]
    with pytest.raises(TreegaugeError, match="no system 'x'; available: text"):
        scores["x"]
