"""The neural parsers: biaffine (graph), pointer (left to right) and labelling (trees as labels).

The biaffine parser (Dozat & Manning 2017) scores every arc and takes the best tree. The pointer parser
(Fernández-González & Gómez-Rodríguez 2019) points at each word's head from left to right. What it
reads at each step is the word's state and never what it decided before, so that all steps of all
items of a beam share the decoder's states: parsing is one pass, and the parser is a biaffine parser
whose dependents are read by an LSTM from left to right. A beam lets the scores of relations decide
between heads, which is the same as taking

    argmax over heads of log p(head | word) + max over relations of log p(relation | word, head).

If these choices have cycles or several roots, the best tree under the same scores is used.

The labelling parser (Strzyz et al. 2019, 2020) tags words with labels that encode trees.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.parsing.label_encodings import Encoding, find_encoding
from treegauge.parsing.neural.data import FIRST_LABEL
from treegauge.parsing.neural.fitting import Doubles, NeuralModel, NeuralParser, Trained
from treegauge.parsing.neural.options import BiaffineOptions, LabellingOptions, PointerOptions
from treegauge.parsing.neural.preparation import Vocabulary
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


@dataclass(frozen=True, eq=False)
class LabellingModel(NeuralModel):
    """A trained labelling parser.

    A label's probability is not an arc's. The probability of a head is the sum over all labels that
    give it, drawn independently for each word and column, and is computed exactly
    (:mod:`treegauge.parsing.bracket_labels`).
    """

    name = "labelling"
    kind = LabellingOptions

    def _read(self, way: str, treebank: Treebank) -> Any:
        """Return the encoding's reader or weigher of these sentences."""
        encoding = find_encoding(self.options.encoding)
        labels = self.learned.vocabulary.labels
        return getattr(encoding, way)(labels, treebank.offsets)

    @property
    def _is_root(self) -> npt.NDArray[np.bool_]:
        return np.array([name.partition(":")[0] == "root" for name in self.relations], np.bool_)

    def _head_shares(self, logs: list[Doubles], treebank: Treebank) -> list[Doubles]:
        *columns, last = (np.exp(one[:, FIRST_LABEL:]) for one in logs)
        found: list[Doubles] = self._read("weigher", treebank)(columns, last[:, self._is_root].sum(1))
        return found

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with the trees that its labels decode to.

        With ``decoder=spanning``, the tree with the most correct heads in expectation; with
        ``labels``, the tree of each word's best labels, repaired if they are not a tree.
        With ``relations=head`` relations are chosen at those heads, else as labels.
        """
        predictor = self.predictor(treebank)
        output = predictor.labels()
        if self.options.decoder == "labels":
            heads, made_root = self._best_labels(output.logs, treebank)
        else:
            heads, made_root = self._best_trees(output.logs, treebank), None
        logs = output.logs[-1]
        if self.options.relations == "head":
            logs = predictor.relations_at(output, heads)
        known = logs[:, FIRST_LABEL:]
        if self.options.relations == "head" or made_root is None:
            legal = self._is_root[None] == (heads == 0)[:, None]
        else:
            legal = self._is_root[None] | ~made_root[:, None]
        # A treebank may have no relation for roots, or for other words: then all are allowed.
        legal = legal | ~legal.any(1, keepdims=True)
        return self.with_trees(treebank, heads, np.where(legal, known, -np.inf).argmax(1))

    def _best_trees(self, logs: list[Doubles], treebank: Treebank) -> npt.NDArray[np.int32]:
        heads = np.zeros(treebank.n_words, np.int32)
        for shares, start in zip(self._head_shares(logs, treebank), treebank.offsets[:-1].tolist(), strict=True):
            matrix = np.zeros((len(shares) + 1, len(shares) + 1))
            matrix[:, 1:] = shares.T
            heads[start : start + len(shares)] = spanning_tree(matrix)
        return heads

    def _best_labels(
        self, logs: list[Doubles], treebank: Treebank
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
        """Return the heads of each word's best labels, and which words became roots by repair."""
        *columns, last = (one[:, FIRST_LABEL:].argmax(1) for one in logs)
        trees = self._read("reader", treebank)(np.stack(columns), self._is_root[last])
        return trees.heads, trees.made_root

    def head_probabilities(self, treebank: Treebank) -> list[Doubles]:
        """Return for each sentence p(head | word), (words, words + 1), from the labels."""
        return self._head_shares(self.predictor(treebank).label_log_probabilities(), treebank)

    def relation_probabilities(self, treebank: Treebank) -> Doubles:
        """Return one row per word: p(relation | word, its head in the treebank).

        With ``relations=label`` the head is not used. Columns are :attr:`relations`; what is
        missing to 1 is for relations never seen.
        """
        logs: Doubles = self.predictor(treebank).relation_log_probabilities()
        return np.exp(logs[:, FIRST_LABEL:])


class LabellingParser(NeuralParser):
    """Learns the labels of encoded trees, one softmax per column and one for relations.

    In training, but not in parsing, the states also feed a biaffine parser as a second task (Strzyz
    et al. 2019b: learning across representations).
    """

    model = LabellingModel

    def encoding(self) -> Encoding:
        """Return the encoding of trees as labels."""
        return find_encoding(self.options.encoding)

    def made(self, train: Treebank, learned: Trained) -> LabellingModel:
        """Return the model without the weights that only training needs."""
        dropped = ("arc.",) if self.options.relations == "head" else ("arc.", "relation.")
        kept = {name: value for name, value in learned.arrays.items() if not name.startswith(dropped)}
        return LabellingModel(self.options, replace(learned, arrays=kept))
