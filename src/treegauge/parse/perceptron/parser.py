"""The beam parser: arc-eager transitions, an averaged perceptron, features of Zhang & Nivre (2011).

Trees that are not projective are learned from as they are, through a dynamic oracle; the parser
itself builds projective trees, with one root.
"""

import numpy as np
import numpy.typing as npt

from treegauge.parse.base import OnEpoch, check_training
from treegauge.parse.interrupts import interrupts_wait
from treegauge.parse.perceptron._learning import learn_all
from treegauge.parse.perceptron._search import Learned
from treegauge.parse.perceptron._weights import averaged, empty
from treegauge.parse.perceptron.labels import label_table
from treegauge.parse.perceptron.model import BeamModel
from treegauge.parse.perceptron.settings import Options, Vocabulary
from treegauge.treebank.columns import Treebank

__all__ = ["BeamModel", "BeamParser", "Options"]


class BeamParser:
    """Arc-eager beam search, averaged perceptron, dynamic oracle with restarts.

    Examples
    --------
    >>> from treegauge.treebank.synthetic import synthetic
    >>> model = BeamParser(Options(epochs=3)).fit(synthetic(50, seed=1), seed=0)
    >>> parsed = model.parse(synthetic(2, seed=2))
    >>> int((parsed.head == 0).sum())
    2
    """

    def __init__(self, options: Options | None = None) -> None:
        self.options = options or Options()

    def fit(
        self,
        train: Treebank,
        dev: Treebank | None = None,
        *,
        seed: int,
        on_epoch: OnEpoch | None = None,
    ) -> BeamModel:
        """Learn from gold trees; same seed, same model.

        Parameters
        ----------
        train
            Sentences to learn from.
        dev
            Sentences on which the best epoch is chosen, by LAS, or by UAS without labels. Without
            them it is the last.
        seed
            Of the order of sentences.
        on_epoch
            Called after each epoch with its number and the model so far.
        """
        check_training(train, dev, seed=seed)
        training = _Training(self.options, train)
        random = np.random.default_rng(seed)
        best: tuple[float, BeamModel] | None = None
        for epoch in range(1, self.options.epochs + 1):
            training.learn(random.permutation(len(train)))
            if dev is None and on_epoch is None:
                continue
            model = training.model()
            if dev is not None:
                reached = training.share_right(model, dev)
                best = (reached, model) if best is None or reached > best[0] else best
            if on_epoch is not None:
                on_epoch(epoch, model)
        return best[1] if best else training.model()


class _Training:
    """A treebank as numbers, and what has been learned from it so far."""

    def __init__(self, options: Options, train: Treebank) -> None:
        self.options = options
        self.vocabulary = Vocabulary.of(train, options)
        self.words = self.vocabulary.words(train, options)
        self.heads = np.array(train.head, np.int32)
        self.relations = self._relations(train)
        tags = self.vocabulary.tags.size
        labels = label_table(train, self.words.tag, self.relations, tags)
        weights = empty(1 << 12, 1 << 14, 1 << 6, self.vocabulary.actions)
        self.learned = Learned(options.templates, labels, weights)
        self.seen = 0

    def _relations(self, treebank: Treebank) -> npt.NDArray[np.int32]:
        if not self.options.labelled:
            return np.zeros(treebank.n_words, np.int32)
        return self.vocabulary.relations.column(treebank.codes("deprel"))

    def learn(self, order: npt.NDArray[np.int64]) -> None:
        """Learn from all sentences in this order."""
        with interrupts_wait():
            weights = learn_all(
                self.words, self.heads, self.relations, order, self.learned, self.options.beam,
                self.seen,
            )  # fmt: skip
        self.learned = self.learned._replace(weights=weights)
        self.seen += len(order)

    def model(self) -> BeamModel:
        """Return the model as it is if training ends here."""
        with interrupts_wait():
            rows = averaged(self.learned.weights, self.seen)
        return BeamModel(self.options, self.vocabulary, self.learned.labels, rows)

    def share_right(self, model: BeamModel, dev: Treebank) -> float:
        """Give the share of words with the right head and, if they are learned, relation."""
        heads, relations = model.trees(dev)
        return float(((heads == dev.head) & (relations == self._relations(dev))).mean())
