"""Breakdowns and confusions: hand-counted classes, and the sentences behind them."""

import pytest

import treegauge as tg
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.scoring.alignment.align import align
from treegauge.scoring.classes.class_scores import class_scores
from treegauge.scoring.classes.classification import REGISTRY, classify
from treegauge.scoring.classes.confusion import confusion
from treegauge.scoring.metrics.convention import Convention
from treegauge.treebanks.data.conllu import parse_conllu

from .oracle import conllu, row

# A dog barks loudly. / It barks.
GOLD = parse_conllu(
    "# sent_id = dog\n"
    + conllu(
        [
            row(1, "A", 2, "det", upos="DET"),
            row(2, "dog", 3, "nsubj", upos="NOUN", feats="Number=Sing"),
            row(3, "barks", 0, "root", upos="VERB", feats="Number=Sing|Tense=Pres"),
            row(4, "loudly", 3, "advmod", upos="ADV", misc="SpaceAfter=No"),
            row(5, ".", 3, "punct", upos="PUNCT"),
        ]
    )
    + "# sent_id = it\n"
    + conllu([row(1, "It", 2, "nsubj", upos="PRON"), row(2, "barks", 0, "root", upos="VERB")]),
    name="gold",
)
# "loudly ." is one token; "It" is a determiner of nothing; the first "A" hangs from the verb.
SYSTEM = parse_conllu(
    conllu(
        [
            row(1, "A", 3, "det", upos="DET"),
            row(2, "dog", 3, "obj", upos="NOUN"),
            row(3, "barks", 0, "root", upos="NOUN"),
            row(4, "loudly .", 3, "advmod", upos="ADV"),
        ],
        [row(1, "It", 2, "det", upos="DET"), row(2, "barks", 0, "root", upos="VERB")],
    ),
    name="system",
)


def cells(**how) -> dict[str, tuple[int, ...]]:
    """Return gold, system, aligned and correct of every class."""
    table = class_scores(GOLD, SYSTEM, **how).table
    rows = table.select("class", "gold", "system", "aligned", "correct").rows()
    return {name: tuple(numbers) for name, *numbers in rows}


def test_by_relation():
    assert cells() == {
        "nsubj": (2, 0, 2, 0),
        "root": (2, 2, 2, 2),
        "det": (1, 2, 1, 0),
        "advmod": (1, 1, 0, 0),
        "punct": (1, 0, 0, 0),
        "obj": (0, 1, 0, 0),
    }
    assert list(cells()) == ["nsubj", "root", "advmod", "det", "punct", "obj"]


def test_values_of_a_class():
    rows = {line["class"]: line for line in class_scores(GOLD, SYSTEM, metric="UAS").table.to_dicts()}
    nsubj = rows["nsubj"]
    assert (nsubj["recall"], nsubj["precision"]) == (100, None)
    assert nsubj["share"] == pytest.approx(200 / 7)
    det = rows["det"]  # "A" is wrong; the system's second one, "It", has the right head
    assert (det["recall"], det["precision"], det["f1"]) == (0, 50, 0)
    assert rows["root"]["f1"] == 100
    assert rows["obj"]["recall"] is None
    shown = class_scores(GOLD, SYSTEM, metric="UAS").shown()
    assert shown.filter(shown["class"] == "det")["precision"].item() == 50


@pytest.mark.parametrize(
    ("metric", "correct"),
    [("UAS", 4), ("las", 2), ("Label", 3), ("UPOS", 3), ("Words", 5), ("UFeats", 3), ("Lemmas", 5)],
)
def test_what_counts_as_right(metric, correct):
    assert sum(numbers[3] for numbers in cells(metric=metric).values()) == correct


def test_subtypes_count_where_asked():
    gold = parse_conllu(conllu([row(1, "a", 2, "nsubj:pass"), row(2, "b", 0, "root")]))
    system = parse_conllu(conllu([row(1, "a", 2, "nsubj"), row(2, "b", 0, "root")]))
    plain = class_scores(gold, system, by="deprel").table
    assert dict(plain.select("class", "correct").rows()) == {"nsubj:pass": 1, "root": 1, "nsubj": 0}
    exact = class_scores(gold, system, by="deprel", convention=Convention(subtypes=True)).table
    assert exact["correct"].sum() == 1


@pytest.mark.parametrize(
    ("by", "gold"),
    [
        ("upos", {"VERB": 2, "ADV": 1, "DET": 1, "NOUN": 1, "PRON": 1, "PUNCT": 1}),
        ("direction", {"head right": 3, "root": 2, "head left": 2}),
        ("binary-direction", {"head right": 5, "head left": 2}),
        ("distance", {"1": 4, "root": 2, "2": 1}),
        ("depth", {"1": 4, "0": 2, "2": 1}),
        ("length", {"1-5": 7}),
        ("projectivity", {"projective": 7}),
        ("head-upos", {"VERB": 4, "ROOT": 2, "NOUN": 1}),
        ("position", {"1": 2, "2": 2, "3": 1, "4": 1, "5": 1}),
        ("feats:Number", {"none": 5, "Sing": 2}),
        ("misc:SpaceAfter", {"none": 6, "No": 1}),
    ],
)
def test_other_classes(by, gold):
    assert {name: numbers[0] for name, numbers in cells(by=by).items() if numbers[0]} == gold


def test_crossed_classes():
    assert cells(by="upos,direction")["NOUN × head right"] == (1, 1, 1, 0)
    assert cells(by=["upos", "direction"]) == cells(by="upos, direction")
    three = cells(by=["upos", "direction", "distance"])
    assert three["PUNCT × head left × 2"] == (1, 0, 0, 0)
    assert sum(numbers[0] for numbers in three.values()) == 7


def test_a_predicate_of_ones_own():
    def short(treebank):
        return treebank["form"].str.len_chars() < 4

    assert cells(by=short) == {"True": (4, 3, 3, 0), "False": (3, 3, 2, 2)}
    crossed = cells(by=[short, "upos"])
    assert crossed["True × NOUN"] == (1, 1, 1, 0)
    assert "by:short×upos" in class_scores(GOLD, SYSTEM, by=[short, "upos"]).signature


def test_errors_lead_to_the_sentences():
    result = class_scores(GOLD, SYSTEM)
    places = result.errors("nsubj")
    assert [(p.sentence, p.sent_id, p.words) for p in places] == [(0, "dog", (2,)), (1, "it", (1,))]
    assert result.errors("nsubj", limit=1) == places[:1]
    assert result.errors("root") == []
    assert [p.words for p in result.sentences("root")] == [(3,), (2,)]
    assert [p.words for p in result.errors("punct")] == [(5,)]
    with pytest.raises(ChoiceError, match="choices: advmod, det, nsubj, punct, root"):
        result.errors("obj")


def test_an_alignment_can_be_used_again():
    alignment = align(GOLD, SYSTEM)
    assert class_scores(alignment).table.equals(class_scores(GOLD, SYSTEM).table)
    with pytest.raises(TreegaugeError, match="pass a system"):
        class_scores(GOLD)


def test_legal_choices_are_listed():
    with pytest.raises(ChoiceError, match=r"did you mean 'relation'.*feats:NAME"):
        class_scores(GOLD, SYSTEM, by="relations")
    with pytest.raises(ChoiceError, match="choices: UAS, LAS"):
        class_scores(GOLD, SYSTEM, metric="CLAS")
    with pytest.raises(TreegaugeError, match="at least one"):
        class_scores(GOLD, SYSTEM, by=[])
    with pytest.raises(TreegaugeError, match="returned 1 values for 7 words"):
        classify(GOLD, lambda treebank: [1])


def test_every_class_has_a_name_for_every_word(treebanks):
    for by in REGISTRY:
        codes, names, _ = classify(treebanks["gold"], by)
        assert len(codes) == treebanks["gold"].n_words
        assert 0 <= codes.min() <= codes.max() < len(names) == len(set(names))


# ------------------------------------------------------------------------------------- confusion


def test_confused_relations():
    result = confusion(GOLD, SYSTEM)
    assert result.table.rows() == [("nsubj", "det", 1, 50.0), ("nsubj", "obj", 1, 50.0)]
    matrix = result.matrix
    assert matrix.columns == ["gold \\ system", *result.names]
    assert matrix.filter(matrix.to_series(0) == "nsubj").row(0)[1:] == tuple(
        {"det": 1, "obj": 1}.get(name, 0) for name in result.names
    )
    assert result.counts.sum() == 5
    assert [p.sent_id for p in result.sentences("nsubj", "det")] == ["it"]
    assert result.sentences("nsubj", "root") == []
    with pytest.raises(ChoiceError, match="unknown value 'x'"):
        result.sentences("nsubj", "x")


def test_confused_heads_and_tags():
    heads = confusion(GOLD, SYSTEM, of="head-upos").table.rows()
    # "A" hangs from the verb, which the system takes for a noun: nouns both.
    assert heads == [("VERB", "NOUN", 1, 50.0)]
    assert confusion(GOLD, SYSTEM, of="upos").table["gold"].to_list() == ["PRON", "VERB"]


def test_nothing_confused():
    assert confusion(GOLD, GOLD).table.is_empty()
    assert confusion(GOLD, GOLD).counts.trace() == 7
    assert "of:relation|tb:gold" in str(confusion(GOLD, GOLD))


def test_confusions_and_breakdowns_agree(treebanks):
    alignment = align(treebanks["gold"], treebanks["cut"])
    labels = class_scores(alignment, metric="Label").table
    matrix = confusion(alignment)
    for name, correct, aligned in labels.select("class", "correct", "aligned").rows():
        at = matrix.names.index(name)
        assert matrix.counts[at, at] == correct
        assert matrix.counts[at].sum() == aligned


def test_means_over_treebanks_are_over_the_same_treebanks(tmp_path):
    """GOLD has nsubj, which the system never says; in the second treebank all is right."""
    for side, first in (("gold", GOLD), ("system", SYSTEM)):
        (tmp_path / side).mkdir()
        tg.write_conllu(first, tmp_path / side / "a.conllu")
        tg.write_conllu(GOLD, tmp_path / side / "b.conllu")
    found = tg.breakdown(tmp_path / "gold", f"x={tmp_path / 'system'}", metric="UAS", align="loose")
    rows = {row["class"]: row for row in found.table.to_dicts()}
    # precision of nsubj: 0 where the system says none, 100 in the other; recall 100 (heads are right) and 100
    assert [rows["nsubj"][key] for key in ("precision", "recall", "f1", "treebanks")] == [50, 100, 50, 2]
    # det: precision 50 and 100, recall 0 and 100, F1 0 and 100
    assert [rows["det"][key] for key in ("precision", "recall", "f1", "treebanks")] == [75, 50, 50, 2]
    # gold has no obj, so that no treebank counts
    assert [rows["obj"][key] for key in ("precision", "recall", "treebanks")] == [None, None, 0]
    saved = found.saved.filter(treebank="b", **{"class": "det"}).to_dicts()
    assert [(row["system"], row["precision"], row["recall"], row["f1"]) for row in saved] == [("x", 100, 100, 100)]
    assert found.saved["treebank"].null_count() == found.table.height
