"""First-order graph parsers: MIRA as in MSTParser, or a log-linear model with probabilities."""

import hashlib
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.parse import options as settings
from treegauge.parse.base import OnEpoch, check_training
from treegauge.parse.graph import _learning
from treegauge.parse.options import option
from treegauge.parse.storage import save_model
from treegauge.parse.vocabulary import ending
from treegauge.treebank.columns import Treebank
from treegauge.treebank.sources import Source

Ints = npt.NDArray[np.int32]
_START, _ROOT, _END, _OTHER = 60, 61, 62, 63  # small numbers of what is not a known tag
_TAGS = 60
_FIRST = 1e-6  # keeps the first AdaGrad step finite


@dataclass(frozen=True)
class Options(settings.Options):
    """Options of the graph parser."""

    training: str = option("mira", "how weights are learned", choices=("mira", "loglinear"))
    epochs: int = option(8, "passes over the train part", low=1, high=1000)
    label_epochs: int = option(5, "passes over the arcs for relations", low=1, high=1000)
    projective: bool = option(False, "whether trees are projective (Eisner) or not")
    lexical: bool = option(True, "whether word forms are seen; false: tags only")
    ending: int = option(3, "letters seen of the ends of forms; 0: none", low=0, high=9)
    rate: float = option(0.05, "step size of log-linear training", low=1e-6, high=10)
    bits: int = option(22, "log2 of the number of arc weights", low=10, high=26)
    label_bits: int = option(16, "log2 of the number of label weights", low=8, high=22)


class Encoded(NamedTuple):
    """Sentences as rows of numbers, each with a start mark, the root and an end mark."""

    words: npt.NDArray[np.uint64]
    tags: npt.NDArray[np.uint64]
    ends: npt.NDArray[np.uint64]
    small: Ints
    offsets: Ints


def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def encode(treebank: Treebank, tags: list[str], options: Options) -> Encoded:
    """Turn forms and tags into numbers that depend on nothing but their text."""
    n, size = len(treebank), treebank.n_words
    starts = treebank.offsets[:-1] + 3 * np.arange(n)
    ends = treebank.offsets[1:] + 3 * np.arange(n) + 2
    inside = np.arange(size) + 3 * treebank.sentence_of + 2
    codes, values = treebank.codes("upos")
    known = {tag: i for i, tag in enumerate(tags[:_TAGS])}
    rows: list[npt.NDArray[Any]] = []
    for column, shown in (("form", str), ("upos", str), ("form", ending(options.ending))):
        own, texts = treebank.codes(column)
        keys = np.array([_key(f"{column}={shown(text)}") for text in texts], np.uint64)
        row = np.zeros(size + 3 * n, np.uint64)
        row[starts], row[starts + 1], row[ends] = _key("start"), _key("root"), _key("end")
        seen = options.lexical and (shown is str or options.ending > 0)
        if seen or column == "upos":
            row[inside] = keys[own] if size else keys
        rows.append(row)
    small = np.zeros(size + 3 * n, np.int32)
    small[starts], small[starts + 1], small[ends] = _START, _ROOT, _END
    numbers = np.array([known.get(value, _OTHER) for value in values], np.int32)
    small[inside] = numbers[codes] if size else numbers
    return Encoded(rows[0], rows[1], rows[2], small, treebank.offsets.astype(np.int32))


@dataclass(frozen=True, eq=False)
class GraphModel:
    """A trained graph parser; probabilities are those of the log-linear reading of its scores."""

    options: Options
    tags: list[str]
    relations: list[str]
    weights: npt.NDArray[np.float32]
    table: npt.NDArray[np.float32]

    @property
    def _masks(self) -> tuple[np.uint64, np.uint64]:
        return np.uint64(len(self.weights) - 1), np.uint64(len(self.table) - 1)

    def _encoded(self, treebank: Treebank) -> Encoded:
        return encode(treebank, self.tags, self.options)

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with the best trees; always one root, always acyclic."""
        heads = np.zeros(treebank.n_words, np.int32)
        relations = np.zeros(treebank.n_words, np.int32)
        mask, label_mask = self._masks
        _learning.parse_sentences(
            *self._encoded(treebank), self.weights, self.table, mask, label_mask,
            self.relations.index("root"), self.options.projective, heads, relations,
        )  # fmt: skip
        names = [self.relations[r] for r in relations.tolist()]
        return treebank.with_columns({"head": heads, "deprel": names})

    def head_probabilities(self, treebank: Treebank) -> list[npt.NDArray[np.float64]]:
        r"""Return for each sentence p(head | word), (words, words + 1).

        .. math:: p(h \mid d) = \frac{\exp s(h, d)}{\sum_{h' \ne d} \exp s(h', d)}
        """
        sizes = treebank.lengths.astype(np.int64)
        starts = np.concatenate(([0], np.cumsum(sizes * (sizes + 1))))
        shares = np.zeros(int(starts[-1]))
        _learning.head_shares(
            *self._encoded(treebank), self.weights, self._masks[0], starts[:-1], shares
        )
        pieces = zip(starts[:-1].tolist(), sizes.tolist(), strict=True)
        return [shares[at : at + n * (n + 1)].reshape(n, n + 1) for at, n in pieces]

    def relation_probabilities(self, treebank: Treebank) -> npt.NDArray[np.float64]:
        """Return one row a word: p(relation | word, its head in the treebank)."""
        shares = np.zeros((treebank.n_words, len(self.relations)))
        words, tags, ends, _, offsets = self._encoded(treebank)
        _learning.relation_shares(
            words, tags, ends, treebank.head, offsets, self.table, self._masks[1], shares
        )
        return shares

    def save(self, path: Source) -> None:
        """Write the model to one file."""
        header = {"options": asdict(self.options), "tags": self.tags, "relations": self.relations}
        save_model(path, "mst", header, {"weights": self.weights, "table": self.table})

    @classmethod
    def from_archive(
        cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
    ) -> "GraphModel":
        """Make a model of what its file held."""
        return cls(
            Options(**header["options"]), header["tags"], header["relations"],
            arrays["weights"], arrays["table"],
        )  # fmt: skip


class GraphParser:
    """Learns a score for every arc and a relation for every arc found.

    MIRA takes, sentence by sentence, the smallest step after which the gold tree scores above the
    best wrong one by the number of its wrong heads, and averages all steps. The log-linear model
    raises the probability of each word's head by AdaGrad. Non-projective trees are learned from as
    they are. Relations come from a log-linear model of gold arcs.

    Examples
    --------
    >>> from treegauge.treebank.synthetic import synthetic
    >>> parser = GraphParser(Options(epochs=2, bits=16, label_bits=12))
    >>> model = parser.fit(synthetic(40, seed=1), seed=0)
    >>> len(model.parse(synthetic(5, seed=2)))
    5
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
    ) -> GraphModel:
        """Learn from gold trees; `dev` is not used."""
        check_training(train)
        how = self.options
        tags = sorted(train.codes("upos").values)
        codes, values = train.codes("deprel")
        relations = sorted({*values, "root"})
        numbers = np.array([relations.index(value) for value in values], np.int32)[codes]
        words, marks, ends, small, offsets = encode(train, tags, how)
        weights = np.zeros(1 << how.bits, np.float32)
        sums = np.zeros(1 << how.bits)
        squares = np.full(1 << how.bits, _FIRST, np.float32)
        table = np.zeros((1 << how.label_bits, len(relations)), np.float32)
        label_squares = np.full_like(table, _FIRST)
        mask, label_mask = np.uint64(len(weights) - 1), np.uint64(len(table) - 1)
        random = np.random.default_rng(seed)
        steps = 1

        def model() -> GraphModel:
            final = weights.copy()
            if how.training == "mira":
                final -= (sums / steps).astype(np.float32)
            return GraphModel(how, tags, relations, final, table.copy())

        for epoch in range(max(how.epochs, how.label_epochs)):
            order = random.permutation(len(train)).astype(np.int32)
            if epoch < how.epochs and how.training == "mira":
                steps, _ = _learning.mira_epoch(
                    words, marks, ends, small, train.head, offsets, order, weights, sums, steps,
                    mask, how.projective,
                )  # fmt: skip
            elif epoch < how.epochs:
                _learning.head_epoch(
                    words, marks, ends, small, train.head, offsets, order, weights, squares, mask,
                    how.rate,
                )  # fmt: skip
            if epoch < how.label_epochs:
                _learning.label_epoch(
                    words, marks, ends, train.head, numbers, offsets, order, table, label_squares,
                    label_mask, 0.1,
                )  # fmt: skip
            if on_epoch is not None:
                on_epoch(epoch + 1, model())
        return model()
