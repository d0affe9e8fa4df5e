"""The model of the rest of the tree finds annotations that do not fit."""

import numpy as np
import pytest

from studies.corrections.injected_errors import inject_errors
from treegauge.core.errors import TreegaugeError
from treegauge.learning.dynamics.candidates import TreeContextEngine, error_candidates, suspicion, tree_context
from treegauge.learning.dynamics.jobs import TrainingJob, cross_fit
from treegauge.learning.dynamics.recorder import make_engine
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data import trees


@pytest.fixture(scope="module")
def made():
    return inject_errors(synthetic(250, seed=2), 0.02, seed=1, heads="near", relations="tags")


@pytest.fixture(scope="module")
def context(made):
    return tree_context(made.treebank, folds=3)


def test_rivals_are_other_annotations_that_keep_a_tree(made, context):
    treebank = made.treebank
    heads, relations = context.head_rival[0], context.relation_rival[0]
    some = heads >= 0
    assert not some[treebank.head == 0].any()
    assert (heads[some] != treebank.head[some]).all()
    names = treebank["deprel"].to_list()
    for word in np.flatnonzero(relations >= 0)[:200]:
        assert context.relations[relations[word]] != names[word]
    for word in np.flatnonzero(some)[:200]:
        changed = treebank.head.copy()
        changed[word] = heads[word]
        assert trees.is_tree(changed, treebank.offsets).all()


def test_probabilities_of_gold_and_rival_are_at_most_one(context):
    for layer in ("head", "relation"):
        both = np.exp(context.logp(layer)) + np.exp(context.rival_logp(layer))
        assert (both <= 1 + 1e-5).all()
        assert context.correct(layer).mean() > 0.8


def test_same_seed_same_numbers_and_the_order_of_jobs_does_not_matter(made):
    train = made.treebank[:80]
    jobs = [TrainingJob(train, {"train": train}, seed=seed) for seed in (1, 2)]
    engine = TreeContextEngine(epochs=2, bits=14)
    one, two = engine(jobs)
    other, again = engine(jobs[::-1])
    assert (one["train"].head_logp == again["train"].head_logp).all()
    assert (two["train"].relation_logp == other["train"].relation_logp).all()
    assert (one["train"].head_logp != two["train"].head_logp).any()


def test_words_not_in_the_training_data_do_no_harm(made):
    train, other = made.treebank[:40], synthetic(20, seed=9)
    relations = other["deprel"].to_list()
    relations[3] = "never:seen"
    odd = other.with_columns({"deprel": relations, "upos": ["Q"] * other.n_words})
    recording = TreeContextEngine(epochs=1)([TrainingJob(train, {"odd": odd})])[0]["odd"]
    assert np.isfinite(recording.relation_logp).all()


def test_parser_and_tree_together_find_more_errors_than_the_parser(made, context):
    held_out = cross_fit(made.treebank, engine=make_engine("mst", epochs=3), folds=3)
    count = int(made.changed.sum())

    def precision(**more):
        scores, _ = suspicion(held_out, made.treebank, **more)
        return made.changed[np.argsort(-scores)[:count]].mean()

    assert precision(context=context) >= precision() + 0.02
    both = error_candidates(held_out, made.treebank, count=20, context=context)
    assert "context:tree" in both.signature
    assert both.words[0].score == pytest.approx(suspicion(held_out, made.treebank, context=context)[0].max())


def test_a_context_of_other_words_is_refused(made, context):
    held_out = cross_fit(made.treebank, engine=make_engine("mst", epochs=1), folds=2)
    short = tree_context(made.treebank[:50], folds=2)
    with pytest.raises(TreegaugeError, match="is not of"):
        suspicion(held_out, made.treebank, context=short)
