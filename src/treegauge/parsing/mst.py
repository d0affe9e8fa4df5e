"""First-order graph parsers over hashed features: MIRA as in MSTParser, or a log-linear model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import progress
from treegauge.kernels import graph_learning as _learning
from treegauge.kernels import graph_trees as _trees
from treegauge.kernels.features import (
    ARCS,
    LETTERS,
    RELATIONS,
    GraphWords,
    LearnedTable,
    Lesson,
    Moments,
    Pairs,
    Squares,
    pairs,
)
from treegauge.kernels.graph_arcs import KINDS, REACH
from treegauge.kernels.graph_trees import best_trees
from treegauge.parsing.base import OnEpoch, are_names, check_training, hash_keys, save_model
from treegauge.parsing.options import ParserOptions, option, tags_option
from treegauge.parsing.tag_sources import GOLD, TagSource, learn_tags
from treegauge.treebanks.data.columns import Codes, Treebank
from treegauge.treebanks.sources.files import Source

_PIECE = 1 << 14
_OTHER = KINDS - 1  # the code of tags that were not in the training set


def _shown(letter: str, ending: int) -> tuple[str, Callable[[str], str]]:
    """Return the column of a letter in templates, and the function applied to its values."""
    if letter in "wp":
        return "form" if letter == "w" else "upos", str
    if letter == "q":
        return "form", lambda form: form.lower()[: ending + 1]
    size = max(ending + {"x": 0, "y": -1, "z": 1}[letter], 1)
    return "form", lambda form: form.lower()[-size:]


def graph_words(treebank: Treebank, tags: Sequence[str], ending: int) -> GraphWords:
    """Turn forms and tags into numbers; `tags` are those of the training set in order.

    The last result is cached as long as the treebank exists: data maps need probabilities of the
    same words after each epoch.
    """
    choice, last = (tuple(tags), ending), _encoded.setdefault(treebank, {})
    if choice not in last:
        columns = {"form": treebank.codes("form"), "upos": treebank.codes("upos")}
        last.clear()
        last[choice] = _encode(columns, treebank.offsets, tags, ending)
    return last[choice]


_encoded: WeakKeyDictionary[Treebank, dict[tuple[tuple[str, ...], int], GraphWords]] = WeakKeyDictionary()


def _encode(
    columns: Mapping[str, Codes], offsets: npt.NDArray[np.int32], tags: Sequence[str], ending: int
) -> GraphWords:
    n, size, around = len(offsets) - 1, int(offsets[-1]), 2 * REACH + 1
    roots = offsets[:-1] + around * np.arange(n) + REACH
    places = np.arange(size) + around * np.repeat(np.arange(n), np.diff(offsets)) + REACH + 1
    ends = offsets[1:] + around * np.arange(n) + REACH + 1
    letters = np.zeros((len(LETTERS), size + around * n), np.uint64)
    for row, letter in zip(letters, LETTERS, strict=True):
        column, shown = _shown(letter, ending)
        codes, values = columns[column]
        row[:], start, end = hash_keys(("root", "start", "end"))
        for k in range(REACH):
            row[roots - 1 - k], row[ends + k] = start, end
        keys = hash_keys(f"{letter}={shown(value)}" for value in values)
        row[places] = keys[codes] if size else keys
    codes, values = columns["upos"]
    known = {tag: kind for kind, tag in enumerate(tags[: _OTHER - 1])}
    kinds = np.full(letters.shape[1], _OTHER - 1, np.int32)
    own = np.array([known.get(value, _OTHER) for value in values], np.int32)
    kinds[places] = own[codes] if size else own
    return GraphWords(letters, kinds, roots.astype(np.int32), offsets.astype(np.int32))


def _averaged(weights: npt.NDArray[np.float32], sums: npt.NDArray[np.float64], steps: int) -> npt.NDArray[np.float32]:
    """Return the mean of weights over all steps, computed in pieces that fit in the cache."""
    means = np.empty_like(weights)
    now, total, mean = (each.reshape(-1) for each in (weights, sums, means))
    for first in range(0, len(now), _PIECE):
        piece = slice(first, first + _PIECE)
        mean[piece] = now[piece] - total[piece] / steps
    return means


# Step sizes for heads and for relations, word by word and in batches.
_RATE, _RELATION_RATE = 0.1, 0.2
_BATCH_RATE, _BATCH_RELATION_RATE = 0.001, 0.002


@cache
def _templates(*, lexical: bool, endings: bool) -> tuple[Pairs, Pairs]:
    arcs, relations = (pairs(wanted, lexical=lexical, endings=endings) for wanted in (ARCS, RELATIONS))
    return arcs, relations


@dataclass(frozen=True)
class GraphOptions(ParserOptions):
    """Options of the graph parser."""

    training: str = option("mira", "how weights are learned", choices=("mira", "loglinear"))
    epochs: int = option(10, "epochs over the training set", low=1, high=1000)
    label_epochs: int = option(10, "epochs in which relations are learned, too", low=1, high=1000)
    projective: bool = option(True, "whether trees are projective (Eisner) or not")
    lexical: bool = option(True, "whether the parser reads word forms; false: tags only")
    ending: int = option(3, "letters of word endings used as features; 0: only whole forms", low=0, high=9)
    batch: int = option(0, "sentences per step of log-linear training; 0: one step per word", low=0, high=10_000)
    rate: float = option(0.0, "step size for heads, log-linear; 0: 0.1, in batches 0.001", low=0, high=10)
    bits: int = option(22, "log2 of the number of arc weights", low=10, high=26)
    label_bits: int = option(16, "log2 of the number of label weights", low=8, high=22)
    tags: str = tags_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch and self.training == "mira":
            raise TreegaugeError(
                f"option batch is {self.batch} with training=mira, which learns sentence by "
                "sentence; expected training=loglinear, or no batch"
            )

    @property
    def templates(self) -> tuple[Pairs, Pairs]:
        """The templates of features of arcs and of relations."""
        return _templates(lexical=self.lexical, endings=self.ending > 0)


@dataclass(frozen=True, eq=False)
class GraphModel:
    """A trained graph parser; probabilities are the softmax of its scores."""

    options: GraphOptions
    tags: list[str]
    relations: list[str]
    weights: npt.NDArray[np.float32]
    table: npt.NDArray[np.float32]
    tag_source: TagSource = GOLD

    @property
    def projective(self) -> bool:
        """Whether all trees are projective."""
        return self.options.projective

    def _words(self, treebank: Treebank) -> GraphWords:
        read = self.tag_source.read(treebank, self.tags)
        return graph_words(read, self.tags, self.options.ending)

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with the best trees; always one root, always acyclic."""
        heads, relations = np.zeros((2, len(treebank.head)), np.int32)
        best_trees(
            self._words(treebank), np.arange(len(treebank.offsets) - 1, dtype=np.int32),
            *self.options.templates, self.weights, self.table, self.relations.index("root"),
            self.options.projective, self.options.training == "mira", None, heads, relations,
        )  # fmt: skip
        names = [self.relations[r] for r in relations.tolist()]
        return treebank.with_columns({"head": heads, "deprel": names})

    def head_probabilities(self, treebank: Treebank) -> list[npt.NDArray[np.float64]]:
        r"""Return for each sentence p(head | word), (words, words + 1).

        .. math:: p(h \mid d) = \frac{\exp s(h, d)}{\sum_{h' \ne d} \exp s(h', d)}

        With MIRA, the score of an arc's best relation is part of s.
        """
        sizes = np.diff(treebank.offsets).astype(np.int64)
        starts = np.concatenate(([0], np.cumsum(sizes * (sizes + 1))))
        shares = np.zeros(int(starts[-1]))
        _trees.head_shares(
            self._words(treebank), *self.options.templates, self.weights, self.table,
            self.relations.index("root"), self.options.training == "mira", starts[:-1], shares,
        )  # fmt: skip
        pieces = zip(starts[:-1].tolist(), sizes.tolist(), strict=True)
        return [shares[at : at + n * (n + 1)].reshape(n, n + 1) for at, n in pieces]

    def relation_probabilities(self, treebank: Treebank) -> npt.NDArray[np.float64]:
        """Return one row per word: p(relation | word, its head in the treebank)."""
        shares = np.zeros((len(treebank.head), len(self.relations)))
        _, relations = self.options.templates
        words = self._words(treebank)
        _trees.relation_shares(words, treebank.head, relations, self.table, shares)
        return shares

    def save(self, path: Source) -> None:
        """Write the model to one file."""
        header = {
            "options": asdict(self.options), "tags": self.tags, "relations": self.relations,
            "tag_source": self.tag_source.mode,
        }  # fmt: skip
        arrays = {"weights": self.weights, "table": self.table}
        save_model(path, "mst", header, {**arrays, **self.tag_source.to_arrays()})

    @classmethod
    def from_archive(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> "GraphModel":
        """Return the model stored in a file."""
        weights, table = (np.ascontiguousarray(arrays[name], np.float32) for name in ("weights", "table"))
        model = cls(
            GraphOptions(**header["options"]), header["tags"], header["relations"], weights, table,
            TagSource.from_arrays(header["tag_source"], arrays),
        )  # fmt: skip
        model._check()
        return model

    def _check(self) -> None:
        """Refuse numbers that would be out of bounds in kernels, and invalid names."""
        if not (
            are_names(self.tags)
            and are_names(self.relations)
            and "root" in self.relations
            and self.weights.shape == (1 << self.options.bits,)
            and self.table.shape == (1 << self.options.label_bits, len(self.relations))
        ):
            raise TreegaugeError("the model is damaged: its arrays do not fit together")


class GraphParser:
    """Learns a score for every arc and for every relation of an arc.

    MIRA scores a tree by its arcs and their relations together. It takes, sentence by sentence, the
    smallest step after which the gold tree scores above the best incorrect one by the number of its
    incorrect heads and relations, and averages all steps. The log-linear model raises the
    probability of each word's head, and apart from it that of the relation of each gold arc, by
    averaged AdaGrad. With `batch`, it uses Adam without averaging, which learns over as many epochs
    as neural parsers, so that data maps are similar. It learns from non-projective trees unchanged.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> parser = GraphParser(GraphOptions(epochs=2, bits=16, label_bits=12))
    >>> model = parser.fit(synthetic(40, seed=1), seed=0)
    >>> len(model.parse(synthetic(5, seed=2)))
    5
    """

    def __init__(self, options: GraphOptions | None = None) -> None:
        self.options = options or GraphOptions()

    def fit(
        self, train: Treebank, dev: Treebank | None = None, *, seed: int, on_epoch: OnEpoch | None = None
    ) -> GraphModel:
        """Learn from gold trees; `dev` is not used."""
        check_training(train, seed=seed)
        how = self.options
        source, train, _ = learn_tags(how.tags, train, None, seed=seed)
        tags = sorted(train.codes("upos").values)
        codes, values = train.codes("deprel")
        relations = sorted({*values, "root"})
        numbers = np.array([relations.index(value) for value in values], np.int32)[codes]
        root = relations.index("root")
        gold = train.head.astype(np.int32)
        numbers[gold == 0] = root
        words, (arcs, names) = graph_words(train, tags, how.ending), how.templates
        weights, sums = np.zeros(1 << how.bits, np.float32), np.zeros(1 << how.bits)
        table = np.zeros((1 << how.label_bits, len(relations)), np.float32)
        table_sums = np.zeros(table.shape)
        mira = how.training == "mira"
        if mira:
            learned = LearnedTable.of(weights, sums), LearnedTable.of(table, table_sums)
            found = np.zeros_like(gold), np.zeros_like(gold)
        else:
            kept = [Moments.of(one.size) if how.batch else Squares.of(one) for one in (sums, table_sums)]
            rate = how.rate or (_BATCH_RATE if how.batch else _RATE)
            name_rate = _BATCH_RELATION_RATE if how.batch else _RELATION_RATE
        random = np.random.default_rng(seed)
        sentences, steps = len(train), 1

        def model() -> GraphModel:
            means = (_averaged(weights, sums, steps), _averaged(table, table_sums, steps))
            return GraphModel(how, tags, relations, *means, source)

        with progress("epochs", how.epochs) as task:
            for epoch in range(how.epochs):
                order = random.permutation(sentences).astype(np.int32)
                labels = epoch < how.label_epochs
                if mira:
                    lesson = Lesson(gold, numbers, *learned, steps, labels)
                    best_trees(words, order, arcs, names, weights, table, root, how.projective, True, lesson, *found)
                else:
                    _learning.head_epoch(words, gold, order, arcs, weights, kept[0], how.batch, rate)
                    if labels:
                        _learning.relation_epoch(
                            words, gold, numbers, order, names, table, kept[1], how.batch, name_rate
                        )
                steps += sentences
                task.advance()
                if on_epoch is not None:
                    on_epoch(epoch + 1, model())
        return model()
