"""Features for the probability of an arc, in addition to the parser's own share."""

import numpy as np

from treegauge.parsing.probabilities.evidence import Doubles, SentenceEvidence, TreeEvidence
from treegauge.parsing.probabilities.probability_maps import logit, within
from treegauge.parsing.probabilities.training_text import KnownSentence

FEATURES = (
    "constant",
    "head", "head squared", "head below even", "head above 88 %",
    "relation", "mean head of the sentence", "lead", "shortfall", "beam",
    "sentence length", "arc length", "root", "head follows",
    "seen word", "seen neighbours", "seen words of the sentence", "seen pairs of the sentence",
    "arc count", "labelled arc count", "context count", "mean context count",
)  # fmt: skip
"""Columns of :func:`word_features`.

Log-odds of the head's and of the relation's share come first. `lead` is that of the head over the
word's best other head, `shortfall` that over its best one, in logs. `beam` is the log-odds of the
share of the analyses at the end of the beam that have the head; 0 for other parsers. Counts are
those of :class:`~treegauge.parsing.probabilities.seen_tags.SeenTags`, in logs.
"""
NUMBER = {name: place for place, name in enumerate(FEATURES)}
_MOST = 9.0  # log-odds are clipped to this
_LOGS = 3.0  # logs of counts are divided by this, so that the prior allows them enough weight


def start_at(feature: str) -> Doubles:
    """Return weights that use one feature as the log-odds."""
    weights = np.zeros(len(FEATURES))
    weights[NUMBER[feature]] = 1.0
    return weights


def word_features(
    evidence: SentenceEvidence, tree: TreeEvidence, logs: Doubles, heads: Doubles,
    relations: Doubles, known: KnownSentence | None,
) -> Doubles:  # fmt: skip
    """Return the features of the words of one tree, (words, features).

    Parameters
    ----------
    evidence, tree
        The evidence of the sentence, and one of its trees.
    logs
        Logs of all heads, after the temperature.
    heads, relations
        The shares of the tree's heads and relations.
    known
        What the training set has of the sentence, if that is known.
    """
    n = len(logs)
    words = np.arange(n)
    own = logs[words, tree.heads]
    others = logs.copy()
    others[words, tree.heads] = -np.inf
    odds = within(logit(heads), -_MOST, _MOST)
    lead = own - others.max(1)
    beam = np.zeros(n)
    if evidence.beam_shares is not None:
        beam = within(logit(evidence.beam_shares[words, tree.heads]), -_MOST, _MOST)
    seen, arcs, contexts = np.zeros((n, 2)), np.zeros((n, 2)), np.zeros(n)
    if known is not None:
        seen, contexts = known.words, known.tags.contexts / _LOGS
        arcs = known.tags.arc_counts(tree.heads, tree.relations) / _LOGS
    length = np.where(tree.heads > 0, np.abs(tree.heads - words - 1), 0)
    columns = (
        1.0, odds, odds**2 / 10, np.minimum(odds, 0), np.maximum(odds - 2, 0),
        within(logit(relations), -_MOST, _MOST), np.add.reduce(odds) / n, within(lead, -10, 10),
        within(own - logs.max(1), -10, 0), beam, np.log(n), np.log1p(length), tree.heads == 0,
        tree.heads > words + 1, seen[:, 0], seen[:, 1], *(np.add.reduce(seen) / n),
        arcs[:, 0], arcs[:, 1], contexts, np.add.reduce(contexts) / n,
    )  # fmt: skip
    made = np.empty((n, len(FEATURES)))
    for place, column in enumerate(columns):
        made[:, place] = column
    return made
