"""The sequence-labelling parser (Strzyz et al. 2019, 2020): trees as labels, one tagger for all."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.parse.base import OnEpoch
from treegauge.parse.labels.encodings import find_encoding
from treegauge.parse.neural.biaffine import packed, unpacked
from treegauge.parse.neural.data import FIRST_LABEL
from treegauge.parse.neural.fitting import Trained, fit
from treegauge.parse.neural.library import need_torch
from treegauge.parse.neural.options import LabellingOptions
from treegauge.parse.storage import save_model
from treegauge.treebank.columns import Treebank
from treegauge.treebank.sources import Source

Options = LabellingOptions
Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabellingModel:
    """A trained labelling parser.

    A label's probability is not an arc's. The probability of a head is read as the share of trees
    in which the word has it, among `draws` trees that are read from labels drawn independently
    from the model, and one more in which all heads are alike; drawn from a fixed seed.
    """

    options: LabellingOptions
    learned: Trained

    @property
    def relations(self) -> tuple[str, ...]:
        """Relations in the order of the columns of :meth:`relation_probabilities`."""
        return self.learned.vocabulary.relations

    def _spreads(self, treebank: Treebank) -> list[Doubles]:
        """Return log p of known labels for each column, relations last."""
        need_torch()
        from treegauge.parse.neural.predicting import Predictor

        data = self.learned.vocabulary.encode(treebank)
        vectors = self.learned.vectors_of(treebank)
        predictor = Predictor(self.learned.arrays, data, self.options, vectors)
        return [one[:, FIRST_LABEL:] for one in predictor.label_log_probabilities()]

    def _reader(self, treebank: Treebank) -> Any:
        encoding = find_encoding(self.options.encoding)
        labels = self.learned.vocabulary.labels
        return encoding.reader(labels, treebank.offsets, treebank.codes("upos"))

    @property
    def _is_root(self) -> npt.NDArray[np.bool_]:
        return np.array([name.partition(":")[0] == "root" for name in self.relations], np.bool_)

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with the trees that the best labels are read as."""
        *columns, last = self._spreads(treebank)
        names = last.argmax(1) if treebank.n_words else np.zeros(0, np.int64)
        codes = np.stack([one.argmax(1) for one in columns])
        trees = self._reader(treebank)(codes, self._is_root[names])
        root = next((n for n, rooted in enumerate(self._is_root) if rooted), None)
        if root is not None:
            names = np.where(trees.made_root, root, names)
        told = [self.relations[number] for number in names.tolist()]
        return treebank.with_columns({"head": trees.heads, "deprel": told})

    def head_probabilities(self, treebank: Treebank) -> list[Doubles]:
        """Return for each sentence p(head | word), (words, words + 1), as trees drawn have it."""
        spreads = [np.exp(one).cumsum(1) for one in self._spreads(treebank)]
        read = self._reader(treebank)
        sizes = treebank.lengths.astype(np.int64)
        wide = np.repeat(sizes + 1, sizes)
        starts = np.concatenate(([0], np.cumsum(wide)))
        shares = np.repeat(1.0 / wide, wide)
        random = np.random.default_rng(0)
        for _ in range(self.options.draws):
            *codes, names = (_drawn(one, random) for one in spreads)
            heads = read(np.stack(codes), self._is_root[names]).heads
            shares[starts[:-1] + heads] += 1.0
        shares /= self.options.draws + 1
        rows = starts[treebank.offsets]
        return [
            shares[a:b].reshape(n, n + 1)
            for a, b, n in zip(rows[:-1].tolist(), rows[1:].tolist(), sizes.tolist(), strict=True)
        ]

    def relation_probabilities(self, treebank: Treebank) -> Doubles:
        """Return one row a word: p(relation | word); the head plays no part in it.

        Columns are :attr:`relations`; what is missing to 1 is for relations never seen.
        """
        return np.exp(self._spreads(treebank)[-1])

    def save(self, path: Source) -> None:
        """Write the model to one file."""
        header, arrays = packed(self.learned)
        save_model(path, "labelling", {**header, "options": asdict(self.options)}, arrays)

    @classmethod
    def from_archive(
        cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
    ) -> "LabellingModel":
        """Make a model of what its file held."""
        return cls(Options(**header["options"]), unpacked(header, arrays))


def _drawn(sums: Doubles, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Draw a label for each word from its cumulated probabilities (words, labels)."""
    at = random.random((len(sums), 1)) * sums[:, -1:]
    return np.asarray(np.minimum((sums < at).sum(1), sums.shape[1] - 1), np.int64)


class LabellingParser:
    """Learns the labels that trees are written as, one softmax a column and one for relations.

    Examples
    --------
    >>> from treegauge.treebank.synthetic import synthetic
    >>> small = Options(epochs=1, hidden=8, layers=1)
    >>> model = LabellingParser(small).fit(synthetic(20, seed=1), seed=0)
    >>> len(model.parse(synthetic(5, seed=2)))
    5
    """

    def __init__(self, options: LabellingOptions | None = None) -> None:
        need_torch()
        self.options = options or Options()

    def fit(
        self,
        train: Treebank,
        dev: Treebank | None = None,
        *,
        seed: int,
        on_epoch: OnEpoch | None = None,
    ) -> LabellingModel:
        """Learn from gold trees; with a dev part, its best epoch is kept."""

        def told(epoch: int, learned: Trained) -> None:
            if on_epoch is not None:
                on_epoch(epoch, LabellingModel(self.options, learned))

        learned = fit(
            train, dev, self.options, seed=seed, encoding=find_encoding(self.options.encoding),
            on_epoch=told if on_epoch else None,
        )  # fmt: skip
        return LabellingModel(self.options, learned)
