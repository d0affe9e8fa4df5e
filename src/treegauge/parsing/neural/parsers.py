"""The biaffine graph parser (Dozat & Manning 2017), and the left-to-right pointer parser.

The biaffine parser scores every arc and takes the best tree. The pointer parser
(Fernández-González & Gómez-Rodríguez 2019) points at each word's head from left to right. What it
reads at each step is the word's state and never what it decided before, so that all steps of all
items of a beam share the decoder's states: parsing is one pass, and the parser is a biaffine parser
whose dependents are read by an LSTM from left to right. A beam lets the scores of relations decide
between heads, which is the same as taking

    argmax over heads of log p(head | word) + max over relations of log p(relation | word, head).

If these choices have cycles or several roots, the best tree under the same scores is used.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.parsing.neural.data import FIRST_LABEL
from treegauge.parsing.neural.fitting import Doubles, NeuralModel, NeuralParser, Trained
from treegauge.parsing.neural.options import BiaffineOptions, PointerOptions
from treegauge.parsing.neural.vocabulary import Vocabulary
from treegauge.treebanks.data import trees
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.decoding import projective_tree, spanning_tree


def _greedy(scores: Doubles) -> npt.NDArray[np.int32]:
    """Return each word's best head other than itself, repaired to a tree."""
    legal = np.where(np.eye(len(scores), dtype=bool), -np.inf, scores)
    return trees.repair(legal[:, 1:].argmax(0))[0]


DECODERS = {"spanning": spanning_tree, "projective": projective_tree, "greedy": _greedy}


@dataclass(frozen=True, eq=False)
class ArcModel(NeuralModel):
    """A trained parser that scores arcs."""

    of_roots: npt.NDArray[np.bool_]

    @property
    def projective(self) -> bool:
        """Whether all trees are projective."""
        return bool(self.options.decoder == "projective")

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with the best trees; the root's relation is one that roots have."""
        decode = DECODERS[self.options.decoder]
        heads, numbers = self.predictor(treebank).parse(decode, self.of_roots)
        return self.with_trees(treebank, heads, numbers - FIRST_LABEL)

    def head_probabilities(self, treebank: Treebank) -> list[Doubles]:
        """Return for each sentence p(head | word), (words, words + 1), 0 the root."""
        return [np.exp(one) for one in self.predictor(treebank).head_log_probabilities()]

    def relation_probabilities(self, treebank: Treebank) -> Doubles:
        """Return one row per word: p(relation | word, its head in the treebank).

        Columns are :attr:`relations`; what is missing to 1 is for relations never seen.
        """
        logs: Doubles = self.predictor(treebank).relation_log_probabilities()
        return np.exp(logs[:, FIRST_LABEL:])


def roots_have(train: Treebank, vocabulary: Vocabulary) -> npt.NDArray[np.bool_]:
    """Return for each relation whether it is mostly one of roots."""
    codes, values = train.codes("deprel")
    roots = np.bincount(codes[train.head == 0], minlength=len(values))
    others = np.bincount(codes[train.head != 0], minlength=len(values))
    known = dict(zip(values, (roots > others).tolist(), strict=True))
    rooted = [False] * FIRST_LABEL + [known[name] for name in vocabulary.relations]
    return np.array(rooted, np.bool_)


class BiaffineModel(ArcModel):
    """A trained biaffine parser."""

    name = "biaffine"
    kind = BiaffineOptions


class BiaffineParser(NeuralParser):
    """Learns a score for every arc and, given an arc, for every relation.

    Words, characters and tags are read by a BiLSTM; four dense layers make of each state vectors
    for the word as dependent and as head, and bilinear forms score pairs of them.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> small = BiaffineOptions(epochs=1, hidden=8, layers=1, arc_size=8, relation_size=4)
    >>> model = BiaffineParser(small).fit(synthetic(20, seed=1), seed=0)
    >>> len(model.parse(synthetic(5, seed=2)))
    5
    """

    model: ClassVar[type[ArcModel]] = BiaffineModel

    def made(self, train: Treebank, learned: Trained) -> ArcModel:
        """Return the model with the relations that roots have."""
        return self.model(self.options, learned, roots_have(train, learned.vocabulary))


class PointerModel(ArcModel):
    """A trained pointer parser."""

    name = "pointer"
    kind = PointerOptions


class PointerParser(BiaffineParser):
    """Learns to point at the head of each word, from left to right."""

    model = PointerModel
