"""The biaffine graph parser (Dozat & Manning 2017), and the left-to-right pointer parser.

The biaffine parser scores every arc and takes the best tree. The pointer parser
(Fernández-González & Gómez-Rodríguez 2019) points at each word's head from left to right. What it
reads at each step is the word's state and never what it decided before, so that all steps of all
items of a beam share the decoder's states: parsing is one pass, and the parser is a biaffine parser
whose dependents are read by an LSTM from left to right. A beam lets the scores of relations decide
between heads, which is the same as taking

    argmax over heads of log p(head | word) + max over relations of log p(relation | word, head).

Cycles and several roots, which such choices may have, are settled by the best tree under the same
scores.
"""

from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from treegauge.parsers.base import OnEpoch, save_model
from treegauge.parsers.decoding import projective_tree, spanning_tree
from treegauge.parsers.neural.data import FIRST_LABEL
from treegauge.parsers.neural.fitting import Trained, WordVectors, fit
from treegauge.parsers.neural.options import BiaffineOptions, PointerOptions, need_torch
from treegauge.parsers.neural.vocabulary import Vocabulary
from treegauge.treebanks import trees
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.sources import Source

Doubles = npt.NDArray[np.float64]


def _greedy(scores: Doubles) -> npt.NDArray[np.int32]:
    """Return each word's best head, itself excepted; what is no tree is repaired."""
    legal = np.where(np.eye(len(scores), dtype=bool), -np.inf, scores)
    return trees.repair(legal[:, 1:].argmax(0))[0]


DECODERS = {"spanning": spanning_tree, "projective": projective_tree, "greedy": _greedy}


@dataclass(frozen=True, eq=False)
class ArcModel:
    """A trained parser that scores arcs."""

    options: BiaffineOptions
    learned: Trained
    of_roots: npt.NDArray[np.bool_]

    name: ClassVar[str] = ""
    kind: ClassVar[type[BiaffineOptions]] = BiaffineOptions

    @property
    def relations(self) -> tuple[str, ...]:
        """Relations in the order of the columns of :meth:`relation_probabilities`."""
        return self.learned.vocabulary.relations

    def _predictor(self, treebank: Treebank) -> Any:
        need_torch()
        from treegauge.parsers.neural.predicting import Predictor

        data = self.learned.vocabulary.encode(treebank)
        return Predictor(self.learned.arrays, data, self.options, self.learned.vectors_of(treebank))

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with the best trees; the root's relation is one that roots have."""
        decode = DECODERS[self.options.decoder]
        heads, numbers = self._predictor(treebank).parse(decode, self.of_roots)
        names = [self.relations[number - FIRST_LABEL] for number in numbers.tolist()]
        return treebank.with_columns({"head": heads, "deprel": names})

    def head_probabilities(self, treebank: Treebank) -> list[Doubles]:
        """Return for each sentence p(head | word), (words, words + 1), 0 the root."""
        return [np.exp(one) for one in self._predictor(treebank).head_log_probabilities()]

    def relation_probabilities(self, treebank: Treebank) -> Doubles:
        """Return one row per word: p(relation | word, its head in the treebank).

        Columns are :attr:`relations`; what is missing to 1 is for relations never seen.
        """
        logs: Doubles = self._predictor(treebank).relation_log_probabilities()
        return np.exp(logs[:, FIRST_LABEL:])

    def save(self, path: Source) -> None:
        """Write the model to one file."""
        header, arrays = packed(self.learned)
        header["options"] = asdict(self.options)
        save_model(path, self.name, header, {**arrays, "of_roots": self.of_roots})

    @classmethod
    def from_archive(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Self:
        """Make a model of what its file held."""
        of_roots = arrays.pop("of_roots")
        return cls(cls.kind(**header["options"]), unpacked(header, arrays), of_roots)


def packed(learned: Trained) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return what a model file holds of what was learned: what JSON can hold, and arrays."""
    header: dict[str, Any] = {"vocabulary": learned.vocabulary.to_dict()}
    arrays = {f"weights/{name}": value for name, value in learned.arrays.items()}
    if learned.vectors is not None:
        header["vector_words"] = learned.vectors.words
        arrays["vectors"] = learned.vectors.values
    return header, arrays


def unpacked(header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Trained:
    """Return what was learned from what a model file held."""
    vectors = None
    if "vectors" in arrays:
        vectors = WordVectors(tuple(header["vector_words"]), arrays["vectors"])
    weights = {n.removeprefix("weights/"): v for n, v in arrays.items() if n.startswith("weights/")}
    return Trained(Vocabulary.from_dict(header["vocabulary"]), weights, vectors)


def roots_have(train: Treebank, vocabulary: Vocabulary) -> npt.NDArray[np.bool_]:
    """Return for each number of a relation whether roots have it, going by the majority."""
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


class BiaffineParser:
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

    def __init__(self, options: BiaffineOptions | None = None) -> None:
        need_torch()
        self.options = options or self.model.kind()

    def fit(
        self,
        train: Treebank,
        dev: Treebank | None = None,
        *,
        seed: int,
        on_epoch: OnEpoch | None = None,
    ) -> ArcModel:
        """Learn from gold trees; with a dev set, its best epoch is kept."""
        make = partial(self._made, train)

        def report(epoch: int, learned: Trained) -> None:
            if on_epoch is not None:
                on_epoch(epoch, make(learned))

        return make(fit(train, dev, self.options, seed=seed, on_epoch=report if on_epoch else None))

    def _made(self, train: Treebank, learned: Trained) -> ArcModel:
        return self.model(self.options, learned, roots_have(train, learned.vocabulary))


class PointerModel(ArcModel):
    """A trained pointer parser."""

    name = "pointer"
    kind = PointerOptions


class PointerParser(BiaffineParser):
    """Learns to point at the head of each word, from left to right.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> small = PointerOptions(epochs=1, hidden=8, layers=1, arc_size=8, relation_size=4)
    >>> model = PointerParser(small).fit(synthetic(20, seed=1), seed=0)
    >>> len(model.parse(synthetic(5, seed=2)))
    5
    """

    model = PointerModel
