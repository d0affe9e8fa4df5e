"""Right words where both sides have the same words: what the scorer counts."""

import numpy as np
import polars as pl
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics.convention import Convention
from treegauge.scoring.metrics.correct_words import align_trees, correct_trees, correct_words, scored_words_mask
from treegauge.scoring.settings import ScoreOptions
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import parse_conllu

GOLD = synthetic(60, seed=7)


def worsened(seed):
    """Make chains of some sentences, and give some words a subtype or another relation."""
    rng = np.random.default_rng(seed)
    chained = (rng.random(len(GOLD)) < 0.4)[GOLD.sentence_of]
    heads = np.where(chained, GOLD.positions - 1, GOLD.head)
    kind = rng.integers(0, 4, GOLD.n_words)
    labels = np.array(GOLD["deprel"].to_list(), object)
    labels = np.where(kind == 0, "dep", np.where(kind == 1, labels + ":x", labels))
    labels = np.where(heads == 0, "root", np.where(labels == "root", "dep", labels))
    return GOLD.with_columns({"head": heads, "deprel": labels.tolist()})


@pytest.mark.parametrize("punct", [False, True])
def test_shares_are_the_scorers(punct):
    system = worsened(1)
    scores = evaluate(GOLD, system, ScoreOptions(convention=Convention(punct=punct), resamples=0)).systems[0]
    convention = Convention(punct=punct)
    counted = scored_words_mask(GOLD, convention)
    correct = correct_trees(GOLD, system.head, system["deprel"], convention)
    heads, both = (100 * mask[counted].mean() for mask in (correct.heads, correct.relations))
    assert (heads, both) == pytest.approx((scores["UAS"].f1, scores["LAS"].f1))
    assert both < heads < 100


@pytest.mark.parametrize("subtypes", [False, True])
def test_words_of_the_same_trees_need_no_alignment(subtypes):
    convention = Convention(subtypes=subtypes, punct=False)
    for seed in range(3):
        system = worsened(seed)
        for relations in (system["deprel"], None):
            judged = correct_trees(GOLD, system.head, relations, convention)
            aligned = correct_words(align_trees(GOLD, system.head, relations), convention)
            for name in ("gold", "system", "heads", "relations"):
                assert (getattr(judged, name) == getattr(aligned, name)).all()
        assert judged.heads.any() and not judged.relations.any()


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(TreegaugeError, match="a head is not in its sentence"):
        correct_trees(GOLD, np.full(GOLD.n_words, 10_000))
    with pytest.raises(TreegaugeError, match=f"2 words were parsed; expected the {GOLD.n_words}"):
        correct_trees(GOLD, [0, 1])
    with pytest.raises(TreegaugeError, match="2 words were parsed"):
        correct_trees(GOLD, [0, 1], pl.Series(["root", "dep"]))
    bare = parse_conllu("1\tgo\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n", need_heads=False)
    with pytest.raises(TreegaugeError, match="no gold heads"):
        correct_trees(bare, [0])
