"""Two systems class by class: the test, its units, its correction, and where there is none."""

import json

import numpy as np
import pytest

import treegauge as tg
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.scoring.alignment.align import align
from treegauge.scoring.classes.class_scores import class_scores
from treegauge.scoring.classes.class_tests import ClassTable, class_difference, class_f1, compare_classes
from treegauge.scoring.classes.classification import sentence_classes
from treegauge.statistics.multiple import adjust
from treegauge.treebanks.data.conllu import parse_conllu

from .oracle import conllu, ok
from .oracle import row as word

SENTENCES = ("--units", "sentences")


def everything(treebank):
    return ["word"] * treebank.n_words


@pytest.fixture(scope="module")
def tables(treebanks):
    systems = {name: treebanks[name] for name in ("good", "poor")}
    return tg.breakdown(treebanks["gold"], systems, by=["relation"], units="sentences")


def test_one_class_of_all_words_is_the_primary_test(treebanks):
    a, b = (class_scores(align(treebanks["gold"], treebanks[one]), by=everything) for one in ("good", "poor"))
    (row,) = compare_classes(a, b, "sentences", level=0.95, correction="holm")
    systems = {name: treebanks[name] for name in ("good", "poor")}
    (whole,) = tg.score(treebanks["gold"], systems, units="sentences").attached["comparisons"].pairs
    assert row["units"] == 120
    for name in ("difference", "low", "high", "p_value"):
        assert row[name] == pytest.approx(whole[name], rel=1e-9)


def test_the_same_of_documents(treebanks):
    gold, outputs = treebanks["gold"], [treebanks[name] for name in ("good", "poor")]
    text = gold.to_bytes().decode().replace("# newdoc id", "# old id")
    parts = text.split("\n\n")
    marked = "\n\n".join(f"# newdoc\n{part}" if i % 10 == 0 and part.strip() else part for i, part in enumerate(parts))
    cut = parse_conllu(marked, name="gold")
    systems = dict(zip("ab", outputs, strict=True))
    whole = tg.score(cut, systems).attached
    assert "over 12 documents" in str(whole["comparisons"])
    cells = [class_scores(align(cut, one), by=everything) for one in outputs]
    (row,) = compare_classes(*cells, "documents", level=0.95, correction="holm")
    assert row["units"] == 12
    assert row["p_value"] == pytest.approx(whole["comparisons"].pairs[0]["p_value"], rel=1e-9)


def test_differences_are_those_of_the_table(tables):
    a, b = ({row["class"]: row["f1"] for row in one.table.to_dicts()} for one in tables.systems.values())
    for row in tables.differences:
        difference = a.get(row["class"], 0.0) - b.get(row["class"], 0.0)
        assert row["difference"] == pytest.approx(difference)
        if row["low"] is not None:
            assert row["low"] <= row["difference"] <= row["high"]
            assert (row["p_value"] <= 0.05) == (row["low"] > 0 or row["high"] < 0)


def test_p_values_are_corrected_over_the_classes_that_have_one(tables):
    given = [row["p_value"] for row in tables.differences]
    assert None in given
    corrected = [np.nan if row["p_corrected"] is None else row["p_corrected"] for row in tables.differences]
    np.testing.assert_allclose(corrected, adjust(given, "holm"))
    tested = sum(p is not None for p in given)
    assert f"p_corrected: {tested} classes" in str(tables)
    without = [row["class"] for row in tables.differences if not row["gold"]]
    assert f"no test of classes without a gold word: {', '.join(without)}" in str(tables)
    assert f"no test of {len(given) - tested - len(without)} classes: words" in str(tables)


def test_a_class_without_gold_words_is_named_and_not_tested():
    """Its F1 is 0 for both systems, and the p-values of other classes were corrected for it."""
    lines = [word(1, "a", 0, "root"), word(2, "b", 1, "obj")]
    gold = parse_conllu(conllu(*[lines] * 30), name="gold")
    wrong = [lines[0], word(2, "b", 1, "dep")]
    systems = {
        name: parse_conllu(conllu(*[wrong if i % of == 0 else lines for i in range(30)]))
        for name, of in (("x", 2), ("y", 3))
    }
    tables = tg.breakdown(gold, systems, by="relation", units="sentences")
    rows = {line["class"]: line for line in tables.differences}
    assert rows["dep"] == {
        "class": "dep", "gold": 0, "units": 20, "difference": 0.0, "low": None, "high": None,
        "p_value": None, "p_corrected": None, "sign": "?",
    }  # fmt: skip
    assert rows["obj"]["p_value"] is not None
    assert rows["obj"]["p_corrected"] == rows["obj"]["p_value"]
    assert "no test of classes without a gold word: dep" in str(tables)


def test_a_class_in_which_few_units_differ_has_no_test():
    random = np.random.default_rng(0)
    b = np.column_stack([random.binomial(3, 0.7, 40), np.full(40, 3)])
    b = np.hstack([b, b])
    for moved in (7, 8):
        a = b.copy()
        a[:moved, [0, 2]] = 3 - a[:moved, [0, 2]]
        made = class_difference(ClassTable("x", a, b))
        assert np.isnan(made.standard_error[0]) == (moved < 8)
    nine = ClassTable("x", 3 - b[:9], b[:9])
    assert np.isnan(class_difference(nine).standard_error[0])


def test_f1_of_a_class():
    sums = np.array([3, 4, 2, 5])
    recall, precision = 3 / 4, 2 / 5
    assert class_f1(sums)[0] == pytest.approx(2 * recall * precision / (recall + precision))
    assert class_f1(np.zeros(4))[0] == 0


def test_text_and_json_have_the_tests(cli, files):
    words = [files["gold"], files["good"], files["poor"], "--by", "deprel", *SENTENCES]
    text = ok(cli(*words, verb="breakdown"))
    assert "difference  interval" in text
    assert "primary test by class: Student's t of the difference over sentences" in text
    assert "systems:good+poor|units:sentences|test:paired-student|correction:holm" in text
    found = json.loads(ok(cli(*words, "--format", "json", verb="breakdown")))
    assert {"class", "low", "high", "p_value", "p_corrected"} <= set(found["differences"][0])
    three = ok(cli(*words[:3], files["again"], "--by", "upos", verb="breakdown"))
    assert "differences by class are tested between two systems; there are 3" in three


# ------------------------------------------------------------------------- classes of sentences


WORD = "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n"
MARKED = parse_conllu(
    f"# newdoc id = a\n# genre = news\n# sent_id = a-01\n{WORD}"
    f"# sent_id = a-02\n# genre = talk\n{WORD}# sent_id = a-03\n{WORD}"
    f"# newdoc\n# sent_id = b-04\n{WORD}",
    name="marked",
)


def test_classes_of_sentences():
    assert sentence_classes(MARKED, "doc") == ["a", "a", "a", "document 2"]
    assert sentence_classes(MARKED, "comment:genre") == ["news", "talk", "news", "none"]
    assert sentence_classes(MARKED, r"sent_id:^[a-z]") == ["a", "a", "a", "b"]
    assert sentence_classes(MARKED, r"sent_id:a-(\d{1,2})$") == ["01", "02", "03", "none"]
    assert sentence_classes(MARKED, "upos") is None


def test_a_breakdown_by_comment_needs_no_comments_of_the_system():
    bare = parse_conllu(WORD * 4, name="bare")
    wrong = bare.with_columns({"deprel": ["root", "root", "root", "dep"]})
    for by, expected in (("comment:genre", {"news": 100, "talk": 100, "none": 0}),
                         ("sent_id:(a)-0", {"a": 100, "none": 0}),
                         ("upos,doc", {"VERB × a": 100, "VERB × document 2": 0})):  # fmt: skip
        rows = class_scores(MARKED, wrong, by=by).table.to_dicts()
        assert {row["class"]: row["f1"] for row in rows} == expected
    joined = WORD.replace("\n\n", "\n")
    longer = parse_conllu(
        joined + joined.replace("1\tGo", "2\tGo").replace("\t0\troot", "\t1\tobj") + "\n" + WORD * 2, name="longer"
    )
    rows = class_scores(MARKED, longer, by="comment:genre").table.to_dicts()
    assert {row["class"]: row["system"] for row in rows} == {"news": 2, "talk": 1, "none": 1}


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("comment:topic", "no sentence of marked has the comment '# topic = ...'.*genre, sent_id"),
        ("sent_id:zz", "no sent_id of marked matches 'zz'; the first one is 'a-01'"),
        ("sent_id:(", "not a regular expression"),
    ],
)
def test_classes_that_are_not_there_say_so(by, message):
    with pytest.raises(TreegaugeError, match=message):
        class_scores(MARKED, MARKED, by=by)
    with pytest.raises(TreegaugeError, match="no '# newdoc' comment"):
        class_scores(parse_conllu(WORD), parse_conllu(WORD), by="doc")
    with pytest.raises(ChoiceError, match="comment:KEY"):
        class_scores(MARKED, MARKED, by="genre")
