"""The same words with another annotation are found, explained, and joined with candidates."""

import json
import math

import numpy as np
import pytest

from studies.corrections.injected_errors import inject_errors
from tests.commands import invoke
from treegauge.auditing.audit import audit
from treegauge.auditing.inconsistencies import find_inconsistencies
from treegauge.auditing.variation_nuclei import NucleusWords, variation
from treegauge.core.errors import TreegaugeError
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu

# head and relation of "old" in "an old man", and what is before and after it
USUAL = ((3, "det"), (3, "amod"), (0, "root"))


def treebank(*sentences, name="toy"):
    """Make sentences of (forms, [(head, relation), ...])."""
    lines = []
    for number, (forms, annotation) in enumerate(sentences, 1):
        lines.append(f"# sent_id = {name}-{number}")
        for word, (form, (head, relation)) in enumerate(zip(forms.split(), annotation, strict=True), 1):
            lines.append(f"{word}\t{form}\t_\tX\t_\t_\t{head}\t{relation}\t_\t_")
        lines.append("")
    return parse_conllu("\n".join([*lines, ""]), name=name)


@pytest.fixture
def men():
    """Three times an amod, once a nummod, and once "old" depends on "an"."""
    return treebank(
        *[("An old man", USUAL)] * 3,
        ("an old man", ((3, "det"), (3, "nummod"), (0, "root"))),
        ("an old man", ((3, "det"), (1, "amod"), (0, "root"))),
    )


def test_another_relation_is_counted_in_the_places_with_the_same_words(men):
    found = variation(NucleusWords.of([men]))
    row = found.word.tolist().index(10)  # the fourth "old"
    # "old man": 3 times amod, once nummod (here), once unrelated.
    assert found.score[row] == pytest.approx(math.log(3.5 / 0.5))
    assert (found.other[row], found.same[row], found.length[row]) == (3, 0, 2)
    assert found.head[row] == 11


def test_words_that_are_related_elsewhere_are_found_where_they_are_not(men):
    found = find_inconsistencies({"train": men})
    (entry,) = [one for one in found.words if one.sent_id == "toy-5"]
    assert (entry.word, entry.form, entry.head, entry.deprel) == (2, "old", 1, "amod")
    assert (entry.suggested_head, entry.suggested_deprel) == (3, "amod")
    assert entry.reason.startswith('in the same words elsewhere ("old man" and both neighbours), 3 times "old" is amod')


def test_words_that_are_unrelated_elsewhere_say_less():
    usual, odd = ((3, "x"), (3, "y"), (0, "root")), ((2, "x"), (3, "y"), (0, "root"))
    toy = NucleusWords.of([treebank(*[("a b c", usual)] * 5, ("a b c", odd))])
    pair, whole = variation(toy, longest=2), variation(toy)
    assert (pair.word.tolist(), pair.head.tolist()) == ([15], [-1])
    assert pair.score[0] == pytest.approx(math.log(5.5 / 0.5) - 1)  # "a" is not related to "b"
    assert (whole.word.tolist(), whole.head.tolist()) == ([15], [17])
    assert whole.score[0] == pytest.approx(math.log(5.5 / 0.5))  # but to "c"


def test_a_relation_the_other_way_around_proves_nothing():
    turned = treebank(*[("out of", ((0, "root"), (1, "fixed")))] * 4, ("out of", ((2, "advmod"), (0, "root"))))
    assert len(variation(NucleusWords.of([turned]))) == 0


def test_shared_neighbours_outweigh_other_uses():
    # "a b" is x before "c" and y before "d"; one of the latter is x.
    x, y = ((2, "x"), (0, "root"), (2, "z")), ((2, "y"), (0, "root"), (2, "z"))
    toy = treebank(*[("a b c", x)] * 6, *[("a b d", y)] * 4, ("a b d", x))
    found = variation(NucleusWords.of([toy]))
    (row,) = np.flatnonzero(found.word == 30)
    assert found.shared[row] == 2
    assert found.score[row] == pytest.approx(math.log(4.5 / 0.5))


def test_parts_and_treebanks_are_compared_with_each_other(men):
    usual, odd = men[:3], men[3:4]
    assert len(find_inconsistencies({"train": usual})) == 0
    (entry,) = find_inconsistencies({"train": usual, "test": odd}).words
    assert (entry.part, entry.suggested_deprel) == ("test", "amod")
    assert "see toy-1" in entry.reason
    (entry,) = audit({"train": usual}, {"train": odd}, only="consistency").consistency.words
    assert entry.part == "treebank 2/train"


def test_injected_errors_come_first_where_sentences_repeat():
    gold = synthetic(60, seed=1)
    made = inject_errors(gold, 0.02, seed=2)
    found = find_inconsistencies({"one": gold, "two": gold, "wrong": made.treebank})
    assert len(found) > 0.6 * made.changed.sum()
    for one in found.words:
        number = int(made.treebank.offsets[one.sentence - 1]) + one.word - 1
        assert one.part == "wrong"
        assert made.changed[number]


def test_candidates_add_their_score_and_their_reason(men, tmp_path):
    file = tmp_path / "look.csv"
    file.write_text(
        "sentence,sent_id,word,form,upos,head,deprel,of,instead,p_gold,p_instead,score\n"
        "4,toy-4,2,old,X,3,nummod,relation,amod,0.01,0.9,5.0\n"
        "1,toy-1,1,An,X,3,det,head,2,0.1,0.8,4.0\n",
        "utf-8",
    )
    both = audit({"train": men}, only="consistency", candidates=file).consistency
    alone = {(one.sent_id, one.word): one for one in find_inconsistencies({"train": men}).words}
    first = both.words[0]
    assert (first.sent_id, first.word) == ("toy-4", 2)
    assert first.score == pytest.approx(alone["toy-4", 2].score + 5)
    assert "same words elsewhere" in first.reason
    assert "models trained on other sentences prefer amod to nummod" in first.reason
    (second,) = [one for one in both.words if one.sent_id == "toy-1"]
    assert (second.suggested_head, second.suggested_deprel, second.score) == (2, "det", 4.0)
    assert len(both) == len(alone) + 1
    assert both.signature != find_inconsistencies({"train": men}).signature


def test_candidates_of_another_treebank_are_refused(men, tmp_path):
    file = tmp_path / "look.csv"
    head = "sentence,sent_id,word,form,of,instead,p_gold,p_instead,score\n"
    file.write_text(f"{head}1,toy-1,2,young,head,1,0.1,0.9,5.0\n", "utf-8")
    with pytest.raises(TreegaugeError, match="no word 2 'young' in sentence toy-1 of train"):
        find_inconsistencies({"train": men}, candidates=file)
    file.write_text("a,b\n1,2\n", "utf-8")
    with pytest.raises(TreegaugeError, match="no column sent_id, word"):
        find_inconsistencies({"train": men}, candidates=file)
    with pytest.raises(TreegaugeError, match="needs --only consistency"):
        audit({"train": men}, candidates=file)
    with pytest.raises(TreegaugeError, match="expected a CSV file of candidates"):
        find_inconsistencies({"train": men}, candidates=tmp_path / "none.csv")


def test_the_command_writes_a_work_list(men, tmp_path):
    write_conllu(men, tmp_path / "men.conllu")
    result = invoke(["audit", "--only", "consistency", str(tmp_path / "men.conllu"), "--format", "json"])
    assert result.exit_code == 0
    rows = json.loads(result.stdout)["rows"]
    assert {"sent_id", "word", "head", "deprel", "suggested_head", "reason", "score"} <= {*rows[0]}
    text = invoke(["audit", "--only", "consistency", str(tmp_path / "men.conllu")]).stdout
    assert "3:nummod" in text
    assert "3:amod" in text


def test_words_that_are_not_shown_are_not_the_same(men):
    hidden = men.with_columns({"form": ["_"] * men.n_words})
    assert len(find_inconsistencies({"train": hidden})) == 0


def test_nothing_to_compare():
    empty = find_inconsistencies({"train": treebank()})
    assert len(empty) == 0
    assert empty.table.height == 0
    assert "no word is annotated differently" in str(empty)


def test_what_map_writes_can_be_read(tmp_path):
    from treegauge.learning.dynamics.candidates import error_candidates, save_candidates, tree_context

    made = inject_errors(synthetic(60, seed=1), 0.03, seed=1).treebank
    found = error_candidates(tree_context(made, folds=3), made, count=8)
    save_candidates(made, found, tmp_path / "look.csv")
    joined = find_inconsistencies({"train": made}, candidates=tmp_path / "look.csv")
    assert sum("models trained" in one.reason for one in joined.words) == len(found) > 0
