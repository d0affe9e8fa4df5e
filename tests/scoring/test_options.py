"""More than the official metrics: options, content and function words, roots, exact match."""

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.scores import Scores
from treegauge.scoring.settings import ScoreOptions
from treegauge.treebanks.data.conllu import parse_conllu, write_conllu
from treegauge.treebanks.data.problems import ConlluError
from treegauge.treebanks.data.relations import GRAMMATICAL, LEXICAL

from .oracle import TOTALS, chain, conllu, ours, row

GOLD = conllu(
    [
        row(1, "They", 4, "nsubj", upos="PRON"),
        row(2, ",", 1, "punct", upos="PUNCT"),
        row(3, "were", 4, "aux:pass", upos="AUX"),
        row(4, "seen", 0, "root", upos="VERB"),
        row(5, "in", 6, "case", upos="ADP"),
        row(6, "town", 4, "obl", upos="NOUN"),
        row(7, ".", 4, "punct", upos="PUNCT"),
    ],
    [row(1, "Go", 0, "root", upos="VERB"), row(2, "!", 1, "punct", upos="PUNCT")],
)
SYSTEM = conllu(
    [
        row(1, "They", 4, "nsubj:pass", upos="PRON"),
        row(2, ",", 4, "punct", upos="PUNCT"),
        row(3, "were", 4, "aux", upos="AUX"),
        row(4, "seen", 0, "root", upos="VERB"),
        row(5, "in", 6, "mark", upos="ADP"),
        row(6, "town", 4, "obl", upos="NOUN"),
        row(7, ".", 6, "punct", upos="NOUN"),
    ],
    [row(1, "Go", 0, "root", upos="VERB"), row(2, "!", 1, "punct", upos="PUNCT")],
)


def numbers(scores: Scores, metric: str) -> tuple[float, ...]:
    m = scores.systems[0][metric]
    return m.correct, m.gold, m.system, m.aligned


def test_punctuation_is_left_out_by_gold_tag():
    assert numbers(ours(GOLD, SYSTEM), "UAS") == (7, 9, 9, 9)
    assert numbers(ours(GOLD, SYSTEM), "LAS") == (6, 9, 9, 9)
    scores = ours(GOLD, SYSTEM, punct=False)
    assert numbers(scores, "UAS") == (6, 6, 6, 6)
    assert numbers(scores, "LAS") == (5, 6, 6, 6)
    # Metrics other than attachment stay what they are.
    assert numbers(scores, "UPOS") == (8, 9, 9, 9)
    assert numbers(scores, "CLAS") == numbers(ours(GOLD, SYSTEM), "CLAS")


def test_unaligned_system_words_are_punctuation_by_their_own_tag():
    gold = conllu([row(1, "a.", 0, "root", upos="NOUN")])
    system = conllu([row(1, "a", 0, "root", upos="NOUN"), row(2, ".", 1, "punct", upos="PUNCT")])
    assert numbers(ours(gold, system, punct=False), "LAS") == (0, 1, 1, 0)
    assert numbers(ours(system, gold, punct=False), "LAS") == (0, 1, 1, 0)


def test_subtypes():
    scores = ours(GOLD, SYSTEM, subtypes=True)
    assert numbers(scores, "LAS") == (4, 9, 9, 9)  # without They and were
    assert numbers(scores, "UAS") == (7, 9, 9, 9)
    # Content words: They nsubj, seen root, town obl, Go root.
    assert numbers(ours(GOLD, SYSTEM), "CLAS") == (4, 4, 4, 4)
    assert numbers(scores, "CLAS") == (3, 4, 4, 4)


def test_signature_names_the_choices():
    official = ours(GOLD, SYSTEM).signature
    mark = parse_conllu(GOLD).mark
    assert official.split("|", 1)[1] == f"tb:{mark}|punct:yes|subtypes:no|errors:strict"
    other = ours(GOLD, SYSTEM, punct=False, subtypes=True, enhanced=True, weights={"a": 1.0})
    assert "punct:no|subtypes:yes|enhanced:yes|weights:1rels" in other.signature


def test_content_and_function_words_of_the_function_study():
    for one in LEXICAL.values():
        assert not any(one & other for other in GRAMMATICAL.values())
    scores = ours(GOLD, SYSTEM)
    assert numbers(scores, "ContentLAS") == (4, 4, 4, 4)
    assert numbers(scores, "FunctionLAS") == (1, 2, 2, 2)  # were, in; "in" is mark
    # A relation that turns from function to content counts on one side of each.
    changed = ours(GOLD, GOLD.replace("case", "obl"))
    assert numbers(changed, "FunctionLAS") == (1, 2, 1, 2)
    assert numbers(changed, "ContentLAS") == (4, 4, 5, 4)


@pytest.mark.parametrize(
    ("deprel", "official", "study"),
    [("expl", "CLAS", "FunctionLAS"), ("fixed", "CLAS", "FunctionLAS"), ("dep", "CLAS", None)],
)
def test_where_the_two_divisions_differ(deprel, official, study):
    data = conllu([row(1, "a", 2, deprel), row(2, "b", 0, "root")])
    scores = ours(data, data)
    assert numbers(scores, official)[1] == 2
    gold = {name: numbers(scores, name)[1] for name in ("ContentLAS", "FunctionLAS")}
    assert gold == {"ContentLAS": 1, "FunctionLAS": int(study == "FunctionLAS")}


def test_roots():
    assert numbers(ours(GOLD, SYSTEM), "Root") == (2, 2, 2, 2)
    gold, system = conllu(chain("a", "b", "c")), conllu(chain("a"), chain("b", "c"))
    assert numbers(ours(gold, system), "Root") == (1, 1, 2, 1)
    turned = conllu([row(1, "a", 2, "dep"), row(2, "b", 0, "root"), row(3, "c", 2, "dep")])
    assert numbers(ours(gold, turned), "Root") == (0, 1, 1, 1)
    merged = conllu([row(1, "ab", 0, "root"), row(2, "c", 1, "dep")])
    assert numbers(ours(gold, merged), "Root") == (0, 1, 1, 0)


def test_exact_match_is_of_whole_trees():
    assert numbers(ours(GOLD, SYSTEM), "ExactMatch")[:3] == (1, 2, 2)
    assert numbers(ours(GOLD, GOLD), "ExactMatch")[:3] == (2, 2, 2)
    # Without punctuation only the label of "in" is wrong in the first sentence.
    mended = SYSTEM.replace("mark", "case")
    assert numbers(ours(GOLD, mended), "ExactMatch")[:3] == (1, 2, 2)
    assert numbers(ours(GOLD, mended, punct=False), "ExactMatch")[:3] == (2, 2, 2)
    assert numbers(ours(GOLD, mended, punct=False, subtypes=True), "ExactMatch")[:3] == (1, 2, 2)


def test_exact_match_needs_the_same_sentence_and_the_same_words():
    gold = conllu(chain("a", "b"), chain("c"))
    assert numbers(ours(gold, conllu(chain("a", "b", "c"))), "ExactMatch")[:3] == (0, 2, 1)
    multi = conllu([row("1-2", "ab"), row(1, "a", 0, "root"), row(2, "b", 1, "dep")], chain("c"))
    extra = conllu([row("1-3", "ab"), row(1, "a", 0, "root"), row(2, "x", 1, "dep"), row(3, "b", 1, "dep")], chain("c"))
    assert numbers(ours(gold, multi), "ExactMatch")[:3] == (2, 2, 2)
    assert numbers(ours(multi, extra), "ExactMatch")[:3] == (1, 2, 2)


def test_options_list_their_metrics():
    assert ScoreOptions().metrics[-4:] == ["ContentLAS", "FunctionLAS", "Root", "ExactMatch"]
    assert "WLAS" not in ScoreOptions().metrics
    assert ScoreOptions(weights={}, enhanced=True).metrics[-3:] == ["ELAS", "EULAS", "WLAS"]


def test_systems_must_be_given():
    with pytest.raises(TreegaugeError, match="no system to score"):
        evaluate(parse_conllu(GOLD), {})


def test_several_systems_have_no_official_table():
    gold = parse_conllu(GOLD)
    scores = evaluate(gold, {"a": gold, "b": parse_conllu(SYSTEM)}, options=TOTALS)
    with pytest.raises(TreegaugeError, match="shows one system; got 2"):
        scores.official()


def test_signature_names_the_policy_under_which_treebanks_were_read():
    two_roots = conllu([row(1, "Go", 0, "root"), row(2, "!", 0, "punct")])
    good = parse_conllu(conllu([row(1, "Go", 0, "root"), row(2, "!", 1, "punct")]))
    repaired = parse_conllu(two_roots, errors="repair")
    assert "|errors:repair+strict(1)" in evaluate(good, repaired, options=TOTALS).signature
    let_pass = parse_conllu(two_roots, allow=["several-roots"])
    signature = evaluate(good, let_pass, options=TOTALS).signature
    assert "|errors:strict|allow:several-roots" in signature
    # What is let pass but does not occur stands there, too: it was a choice.
    reading = ScoreOptions(allow=("cycle",), resamples=0)
    assert "|allow:cycle" in evaluate(good, good, options=reading).signature


def test_a_policy_of_the_reader_covers_a_missing_last_line():
    unfinished = conllu(chain("a", "b"))[:-1]
    for policy in ("skip", "repair"):
        lenient = parse_conllu(unfinished, errors=policy)
        assert numbers(evaluate(lenient, lenient, options=TOTALS), "LAS") == (2, 2, 2, 2)
    with pytest.raises(ConlluError, match="no-final-blank-line"):
        evaluate(parse_conllu(unfinished), parse_conllu(unfinished))


# ------------------------------------------------------------------------------------- signature


def test_the_signature_knows_the_gold_text(treebanks, tmp_path):
    gold, poor = treebanks["gold"], treebanks["poor"]
    expected = f"|tb:{gold.mark}|"
    path = tmp_path / "gold.conllu.gz"
    write_conllu(gold, path)
    for source in (gold, path):
        for chunk in (1 << 12, 1 << 21):
            scores = evaluate(source, {"a": poor, "b": poor}, chunk=chunk)
            assert expected in scores.signature
            assert scores.treebank == gold.mark
    assert evaluate(poor, gold, options=TOTALS).treebank == poor.mark != gold.mark


def test_the_signature_knows_the_weights():
    marks = [
        ScoreOptions(weights=weights, default_weight=default).weights_mark
        for weights in ({"det": 0.1, "obj": 1}, {"obj": 1, "det": 0.1}, {"det": 0.2, "obj": 1})
        for default in (0.5, 1.0)
    ]
    assert marks[:2] == marks[2:4]
    assert len(set(marks)) == 4
    assert ScoreOptions().weights_mark is None
