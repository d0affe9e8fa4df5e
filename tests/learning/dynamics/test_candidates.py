"""Injected errors are errors, are found, and are written for annotators."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studies.corrections.injected_errors import inject_errors
from treegauge.core.errors import TreegaugeError
from treegauge.learning.dynamics.candidates import SCORES, error_candidates, save_candidates, suspicion
from treegauge.learning.dynamics.jobs import assigned_folds, cross_fit
from treegauge.learning.dynamics.recording import Recording
from treegauge.reporting.sections.maps import candidates_page
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.columns import concat
from treegauge.treebanks.data.conllu import read_conllu


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([("any", "any"), ("near", "tags")]), st.sampled_from([0.02, 0.3]))
def test_errors_leave_trees_and_are_where_they_are_said_to_be(seed, how, share):
    gold = synthetic(25, seed=seed % 7)
    made = inject_errors(gold, share, seed=seed, heads=how[0], relations=how[1])
    assert trees.is_tree(made.treebank.head, made.treebank.offsets).all()
    assert ((made.treebank.head != gold.head) == made.head).all()
    names = np.array(made.treebank["deprel"].to_list()) != np.array(gold["deprel"].to_list())
    assert (names == made.relation).all()
    assert not (made.head & made.relation).any()
    assert not made.changed[gold.head == 0].any()
    if share < 0.1:
        assert made.changed.sum() == round(share * gold.n_words)


def test_near_errors_attach_to_the_grandparent_or_a_sibling():
    gold = synthetic(80, seed=3)
    made = inject_errors(gold, 0.02, seed=1, heads="near")
    parents = gold.parents
    for word in np.flatnonzero(made.head):
        old, new = parents[word], made.treebank.parents[word]
        assert new == parents[old] or parents[new] == old


def test_relations_by_tags_are_seen_between_such_words():
    gold = synthetic(80, seed=3)
    made = inject_errors(gold, 0.02, seed=1, relations="tags").treebank

    def seen(treebank, word):
        head = treebank.parents[word]
        tags = treebank["upos"].to_list()
        return tags[word], tags[head] if head >= 0 else None, treebank["deprel"][int(word)]

    known = {seen(gold, word) for word in range(gold.n_words)}
    changed = np.flatnonzero(made["deprel"].to_numpy() != gold["deprel"].to_numpy())
    assert len(changed) > 5
    assert {seen(made, word) for word in changed} <= known
    with pytest.raises(TreegaugeError, match="unknown way to change relations 'tag'"):
        inject_errors(gold, relations="tag")


def test_a_relation_that_is_always_contradicted_is_less_suspicious(tiny):
    odds, _ = suspicion(hand_made(tiny), tiny, score="odds")
    relative, _ = suspicion(hand_made(tiny), tiny)
    # Eight words: head contradicted once (an advmod, alone), relation once (one of three roots).
    assert relative[6] - odds[6] == pytest.approx(-np.log((1 + 5 / 8) / (1 + 5)))
    assert relative[2] - odds[2] == pytest.approx(-np.log((1 + 5 / 8) / (3 + 5)))


def test_the_same_words_share_a_fold():
    treebank = synthetic(40, seed=1)
    twice = concat([treebank, treebank])
    fold = assigned_folds(twice, 4, 0)
    assert (fold[:40] == fold[40:]).all()
    assert set(fold) == {0, 1, 2, 3}
    with pytest.raises(TreegaugeError, match="expected 2 to 40"):
        assigned_folds(twice, 41, 0)


def test_words_are_judged_by_parsers_that_did_not_see_them(quick):
    treebank = synthetic(40, seed=1)
    found = cross_fit(treebank, engine=quick, folds=4, seed=3)
    fold = assigned_folds(treebank, 4, 3)
    model = quick.parser.fit(treebank.take(fold != 2), seed=3)
    held = treebank.take(fold == 2)
    heads = model.head_probabilities(held)
    gold = [p[j, h] for i, p in enumerate(heads) for j, h in enumerate(held[i].head)]
    mine = found.head_logp[-1, fold[treebank.sentence_of] == 2]
    np.testing.assert_allclose(np.exp(mine), gold, rtol=1e-5)
    assert found.split == "held out"


@pytest.fixture(scope="module")
def injected(quick):
    made = inject_errors(synthetic(400, seed=1), 0.02, seed=0)
    return made, cross_fit(made.treebank, engine=quick, folds=4)


@pytest.mark.parametrize("score", SCORES)
def test_errors_are_found_far_more_often_than_by_chance(injected, score):
    made, held_out = injected
    scores, _ = suspicion(held_out, made.treebank, score=score)
    top = np.argsort(-scores, kind="stable")[: made.changed.sum()]
    assert made.changed[top].mean() > 10 * made.changed.mean()


def test_alternatives_are_often_what_stood_there(injected):
    made, held_out = injected
    gold = synthetic(400, seed=1)
    found = error_candidates(held_out, made.treebank, count=40)
    names = gold["deprel"].to_list()
    hits = [one for one in found.words if made.changed[one.number]]
    back = [one.instead == (str(gold.head[one.number]) if one.of == "head" else names[one.number]) for one in hits]
    assert np.mean(back) > 0.5
    assert [one.score for one in found.words] == sorted((o.score for o in found.words), reverse=True)
    for one in found.words:
        assert one.p_instead > one.p_gold
        assert one.head == made.treebank.head[one.number]


def hand_made(treebank):
    """Word 3 of sentence s3 should hang from 1, its relation be nsubj; all else is sure."""
    p = np.full((1, treebank.n_words), 0.9)
    q = np.full((1, treebank.n_words), 0.05)
    p[0, 6], q[0, 6] = 0.01, 0.98
    rival = np.where(treebank.head[None] == 1, 2, 1).astype(np.int16)
    relation_p = np.full_like(p, 0.9)
    relation_p[0, 2], relation_q = 0.05, np.full_like(q, 0.08)
    relation_q[0, 2] = 0.9
    names = ("advmod", "det", "nsubj", "punct", "root")
    return Recording(
        treebank.mark, "train", "sig", (1,), np.log(p), np.log(relation_p), rival, np.log(q),
        np.full(p.shape, 1, np.int16), np.log(relation_q), names,
    )  # fmt: skip


def test_candidates_by_hand(tiny):
    found = error_candidates(hand_made(tiny), tiny, score="odds")
    first, second = found.words
    assert str(first) == "3 early: head 2 -> 1 (p 0.010 -> 0.980, score 4.58)"
    assert (first.sent_id, first.sentence, first.number) == ("s3", 3, 6)
    assert (second.form, second.of, second.instead) == ("sleeps", "relation", "det")
    assert found.table["form"].to_list() == ["early", "sleeps"]
    assert len(error_candidates(hand_made(tiny), tiny, count=1, score="odds")) == 1


def test_annotators_get_files(tiny, tmp_path):
    found = error_candidates(hand_made(tiny), tiny, score="odds")
    for name in ("c.csv", "c.conllu", "c.html"):
        save_candidates(tiny, found, tmp_path / name)
    assert (tmp_path / "c.csv").read_text().splitlines()[1].startswith("3,s3,3,early,X,2,advmod,head,1,")
    again = read_conllu(tmp_path / "c.conllu")
    assert [sentence.id for sentence in again] == ["s1", "s3"]
    assert again[1].metadata["suspect"].startswith("3 early: head 2 -> 1")
    assert again[1].column("misc") == ["_", "_", "SuspectHead=1", "_"]
    assert again[0].column("misc") == ["_", "_", "SuspectRel=det"]
    assert (again.head == tiny.take([0, 2]).head).all()
    page = (tmp_path / "c.html").read_text()
    assert '<section data-view="candidates"' in page
    assert '"word":3,"form":"early","annotated":"head=2","proposed":"head=1"' in page
    with pytest.raises(TreegaugeError, match=r"unknown kind of file for candidates '\.txt'"):
        save_candidates(tiny, found, tmp_path / "c.txt")


def test_markup_in_forms_stays_text(tiny):
    forms = tiny["form"].to_list()
    forms[6] = "<script>x</script>"
    odd = tiny.with_columns({"form": forms})
    found = error_candidates(hand_made(odd), odd, score="odds")
    assert "<script>x" not in candidates_page(odd, found)


def test_bad_requests(tiny):
    with pytest.raises(TreegaugeError, match="unknown score of words 'ods'; did you mean 'odds'"):
        suspicion(hand_made(tiny), tiny, score="ods")
    with pytest.raises(TreegaugeError, match="is not of"):
        suspicion(hand_made(tiny), tiny[:1])
    with pytest.raises(TreegaugeError, match="number of candidates is 0"):
        error_candidates(hand_made(tiny), tiny, count=0)
    with pytest.raises(TreegaugeError, match="share is 2"):
        inject_errors(tiny, 2)
