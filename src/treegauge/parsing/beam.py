"""The beam parser: arc-eager transitions, an averaged perceptron, features of Zhang & Nivre (2011).

A dynamic oracle learns from non-projective trees, too; the parser itself builds projective trees
with one root.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import progress
from treegauge.kernels.beam_search import Search
from treegauge.kernels.beam_states import ROOT
from treegauge.kernels.beam_weights import BeamWeights
from treegauge.kernels.features import Labels
from treegauge.parsing.base import OnEpoch, check_training
from treegauge.parsing.beam_model import BeamModel, BeamOptions, BeamVocabulary, Ints, Rows
from treegauge.parsing.tag_sources import TagSource, learn_tags
from treegauge.treebanks.data.columns import Treebank

Order = npt.NDArray[np.int64]
SentenceOrder = Callable[[int], Order]
"""Returns the order in which an epoch, numbered from 1, visits the training sentences."""


def label_table(treebank: Treebank, tags: Ints, labels: Ints, n_tags: int) -> Labels:
    """Return the relations by the tags of dependent and head, and by direction.

    A pair of tags that is not in the training set gets the relations of the dependent's tag in that
    direction, or all if there are none; relations of roots and of other words are kept apart.
    """
    parents = treebank.parents
    to_the_right = (parents >= 0) & (parents < np.arange(treebank.n_words))
    head_tags = np.where(parents < 0, ROOT, tags[parents])
    seen = np.zeros((n_tags, n_tags, 2, int(labels.max()) + 1), bool)
    seen[tags, head_tags, to_the_right.astype(np.int32), labels] = True
    chosen = seen.copy()
    is_root = np.arange(n_tags) == ROOT
    for heads in (is_root, ~is_root):
        near = np.any(seen[:, heads], axis=1, keepdims=True)
        far = np.any(near, axis=(0, 2), keepdims=True)
        for more in (near, far, np.ones_like(far)):
            lacking = ~np.any(chosen[:, heads], axis=3, keepdims=True)
            chosen[:, heads] |= lacking & more
    sizes = chosen.sum(axis=3)
    ends = np.cumsum(sizes).reshape(sizes.shape)
    bounds = np.stack([ends - sizes, ends], axis=3).astype(np.int32)
    return Labels(bounds, np.nonzero(chosen)[3].astype(np.int32))


def mean_rows(tables: list[Rows]) -> Rows:
    """Return the mean weights of several learners; missing weights count as zero."""
    names = np.concatenate([np.repeat(keys, np.diff(bounds)) for keys, bounds, _, _ in tables])
    actions, values = (np.concatenate([table[column] for table in tables]) for column in (2, 3))
    order = np.lexsort((actions, names))
    names, actions, values = names[order], actions[order], values[order].astype(np.float64)
    new_row = np.ones(len(names), bool)
    new_row[1:] = names[1:] != names[:-1]
    new = new_row.copy()
    new[1:] |= actions[1:] != actions[:-1]
    firsts = np.flatnonzero(new)
    means = (np.add.reduceat(values, firsts) / len(tables)).astype(np.float32)
    bounds = np.append(np.flatnonzero(new_row[firsts]), len(firsts)).astype(np.int32)
    return names[firsts[bounds[:-1]]], bounds, actions[firsts], means


class BeamParser:
    """Arc-eager beam search, averaged perceptron with a margin, dynamic oracle with restarts.

    On small training sets several learners are trained, each with its own order of the sentences,
    and their weights are averaged.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> model = BeamParser(BeamOptions(epochs=3)).fit(synthetic(50, seed=1), seed=0)
    >>> parsed = model.parse(synthetic(2, seed=2))
    >>> int((parsed.head == 0).sum())
    2
    """

    def __init__(self, options: BeamOptions | None = None) -> None:
        self.options = options or BeamOptions()

    def fit(
        self, train: Treebank, dev: Treebank | None = None, *, seed: int,
        on_epoch: OnEpoch | None = None, order: SentenceOrder | None = None,
    ) -> BeamModel:  # fmt: skip
        """Learn from gold trees; same seed, same model.

        `dev` is not used: averages of more epochs are hardly ever worse, unlike choosing an epoch
        by a few sentences. `order` gives the order of the sentences in each epoch (a curriculum);
        by default it is random, another one for each learner.
        """
        check_training(train, dev, seed=seed)
        source, train, _ = learn_tags(self.options.tags, train, None, seed=seed)
        training = _Training(self.options, train, source)
        random = np.random.default_rng(seed)
        with progress("epochs", self.options.epochs) as task:
            for epoch in range(1, self.options.epochs + 1):
                given = None if order is None else _checked(order(epoch), len(train), epoch)
                training.learn(random, given)
                task.advance()
                if on_epoch is not None:
                    on_epoch(epoch, training.model())
        return training.model()


def _checked(order: Order, sentences: int, epoch: int) -> Order:
    """Return an order for the kernel; refuse one that has not every sentence once."""
    if not np.array_equal(np.sort(order), np.arange(sentences)):
        raise TreegaugeError(f"the order of epoch {epoch} must have each of the {sentences} training sentences once")
    return np.ascontiguousarray(order, np.int64)


class _Training:
    """A treebank as numbers, and the current weights of each learner."""

    def __init__(self, options: BeamOptions, train: Treebank, source: TagSource) -> None:
        self.options, self.source = options, source
        self.vocabulary = BeamVocabulary.of(train, options)
        self.words = self.vocabulary.words(train, options)
        self.heads = np.array(train.head, np.int32)
        self.relations = np.zeros(train.n_words, np.int32)
        if options.labelled:
            self.relations = self.vocabulary.relations.column(train.codes("deprel"))
        tags = self.vocabulary.tags.size
        self.labels = label_table(train, self.words.tag, self.relations, tags)
        self.learners = [BeamWeights(self.vocabulary.actions) for _ in range(options.learners_of(len(train)))]
        self.sentences, self.seen = len(train), 0

    def learn(self, random: np.random.Generator, given: Order | None = None) -> None:
        """Train each learner for an epoch, in the given order or in its own."""
        for weights in self.learners:
            search = Search(self.words, self.options.templates, self.labels, weights, self.options.beam)
            order = random.permutation(self.sentences) if given is None else given
            search.learn(self.heads, self.relations, order, self.seen, self.options.margin)
        self.seen += self.sentences

    def model(self) -> BeamModel:
        """Return the current model."""
        tables = [weights.averaged(self.seen) for weights in self.learners]
        rows = tables[0] if len(tables) == 1 else mean_rows(tables)
        return BeamModel(self.options, self.vocabulary, self.labels, rows, self.source)
