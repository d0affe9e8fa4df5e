"""The beam parser: arc-eager transitions, an averaged perceptron, features of Zhang & Nivre (2011).

Trees that are not projective are learned from as they are, through a dynamic oracle; the parser
itself builds projective trees, with one root.
"""

import numpy as np

from treegauge.kernels.beam_search import Learned, learn_all, search_room
from treegauge.kernels.beam_weights import averaged, empty, mean_rows
from treegauge.parsers.base import OnEpoch, check_training
from treegauge.parsers.interrupts import interrupts_wait
from treegauge.parsers.perceptron.labels import label_table
from treegauge.parsers.perceptron.model import BeamModel
from treegauge.parsers.perceptron.settings import Options, Vocabulary
from treegauge.treebanks.columns import Treebank

__all__ = ["BeamModel", "BeamParser", "Options"]


class BeamParser:
    """Arc-eager beam search, averaged perceptron with a margin, dynamic oracle with restarts.

    Small train parts are learned from by several learners, each in other orders of the sentences;
    their weights are averaged.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
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
            Not used: averages of more epochs are hardly ever worse, and choosing an epoch by a few
            sentences is.
        seed
            Of the orders of sentences.
        on_epoch
            Called after each epoch with its number and the model so far.
        """
        check_training(train, dev, seed=seed)
        training = _Training(self.options, train)
        random = np.random.default_rng(seed)
        for epoch in range(1, self.options.epochs + 1):
            training.learn(random)
            if on_epoch is not None:
                on_epoch(epoch, training.model())
        return training.model()


class _Training:
    """A treebank as numbers, and what each learner has learned from it so far."""

    def __init__(self, options: Options, train: Treebank) -> None:
        self.options = options
        self.vocabulary = Vocabulary.of(train, options)
        self.words = self.vocabulary.words(train, options)
        self.heads = np.array(train.head, np.int32)
        self.relations = np.zeros(train.n_words, np.int32)
        if options.labelled:
            self.relations = self.vocabulary.relations.column(train.codes("deprel"))
        tags = self.vocabulary.tags.size
        self.labels = label_table(train, self.words.tag, self.relations, tags)
        self.learners = [
            empty(1 << 12, 1 << 14, 1 << 6, self.vocabulary.actions)
            for _ in range(options.learners_of(len(train)))
        ]
        self.sentences, self.seen = len(train), 0

    def learn(self, random: np.random.Generator) -> None:
        """Let each learner learn from all sentences, in an order of its own."""
        for number, weights in enumerate(self.learners):
            order = random.permutation(self.sentences)
            learned = Learned(self.options.templates, self.labels, weights)
            search = search_room(self.words, learned, self.options.beam)
            with interrupts_wait():
                self.learners[number] = learn_all(
                    self.words, self.heads, self.relations, order, learned, search, self.seen,
                    float(self.options.margin),
                )  # fmt: skip
        self.seen += self.sentences

    def model(self) -> BeamModel:
        """Return the model as it is if training ends here."""
        with interrupts_wait():
            tables = [averaged(weights, self.seen) for weights in self.learners]
        rows = tables[0] if len(tables) == 1 else mean_rows(tables)
        return BeamModel(self.options, self.vocabulary, self.labels, rows)
