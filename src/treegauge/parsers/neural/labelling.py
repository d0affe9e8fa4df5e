"""The sequence-labelling parser (Strzyz et al. 2019, 2020): trees as labels, one tagger for all."""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.parsers.base import OnEpoch, save_model
from treegauge.parsers.decoding import spanning_tree
from treegauge.parsers.label_encodings import find_encoding
from treegauge.parsers.neural.biaffine import packed, unpacked
from treegauge.parsers.neural.data import FIRST_LABEL
from treegauge.parsers.neural.fitting import Trained, fit
from treegauge.parsers.neural.options import LabellingOptions, need_torch
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.sources import Source

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabellingModel:
    """A trained labelling parser.

    A label's probability is not an arc's. The probability of a head is that of all labels that say
    so, drawn word by word and column by column, and is computed exactly
    (:mod:`treegauge.parsers.label_marginals`).
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
        from treegauge.parsers.neural.predicting import Predictor

        data = self.learned.vocabulary.encode(treebank)
        vectors = self.learned.vectors_of(treebank)
        predictor = Predictor(self.learned.arrays, data, self.options, vectors)
        return [one[:, FIRST_LABEL:] for one in predictor.label_log_probabilities()]

    def _read(self, way: str, treebank: Treebank) -> Any:
        """Return the encoding's reader or weigher of these sentences."""
        encoding = find_encoding(self.options.encoding)
        labels = self.learned.vocabulary.labels
        return getattr(encoding, way)(labels, treebank.offsets, treebank.codes("upos"))

    @property
    def _is_root(self) -> npt.NDArray[np.bool_]:
        return np.array([name.partition(":")[0] == "root" for name in self.relations], np.bool_)

    def _head_shares(self, spreads: list[Doubles], treebank: Treebank) -> list[Doubles]:
        *columns, last = map(np.exp, spreads)
        found: list[Doubles] = self._read("weigher", treebank)(
            columns, last[:, self._is_root].sum(1)
        )
        return found

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with the trees that its labels are read as.

        With ``decoder=spanning``, of all trees the one with the most heads right to be expected;
        with ``labels``, the tree that each word's best labels say, repaired where they say none.
        """
        spreads = self._spreads(treebank)
        if self.options.decoder == "labels":
            return self._read_best(spreads, treebank)
        heads = np.zeros(treebank.n_words, np.int32)
        for shares, start in zip(
            self._head_shares(spreads, treebank), treebank.offsets[:-1].tolist(), strict=True
        ):
            matrix = np.zeros((len(shares) + 1, len(shares) + 1))
            matrix[:, 1:] = shares.T
            heads[start : start + len(shares)] = spanning_tree(matrix)
        legal = self._is_root[None] == (heads == 0)[:, None]
        # A treebank may have no relation for roots, or for others: any is better than none.
        legal |= ~legal.any(1, keepdims=True)
        names = np.where(legal, spreads[-1], -np.inf).argmax(1)
        return self._named(treebank, heads, names)

    def _read_best(self, spreads: list[Doubles], treebank: Treebank) -> Treebank:
        *columns, last = (one.argmax(1) for one in spreads)
        trees = self._read("reader", treebank)(np.stack(columns), self._is_root[last])
        root = next((n for n, rooted in enumerate(self._is_root) if rooted), None)
        names = last if root is None else np.where(trees.made_root, root, last)
        return self._named(treebank, trees.heads, names)

    def _named(self, treebank: Treebank, heads: Any, numbers: Any) -> Treebank:
        names = [self.relations[number] for number in numbers.tolist()]
        return treebank.with_columns({"head": heads, "deprel": names})

    def head_probabilities(self, treebank: Treebank) -> list[Doubles]:
        """Return for each sentence p(head | word), (words, words + 1), as labels amount to."""
        return self._head_shares(self._spreads(treebank), treebank)

    def relation_probabilities(self, treebank: Treebank) -> Doubles:
        """Return one row per word: p(relation | word); the head plays no part in it.

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
        return cls(LabellingOptions(**header["options"]), unpacked(header, arrays))


class LabellingParser:
    """Learns the labels that trees are written as, one softmax per column and one for relations.

    In training, but not in parsing, the states also serve a biaffine parser, which teaches them
    what arcs are (Strzyz et al. 2019b: learning across representations).

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> small = LabellingOptions(epochs=1, hidden=8, layers=1)
    >>> model = LabellingParser(small).fit(synthetic(20, seed=1), seed=0)
    >>> len(model.parse(synthetic(5, seed=2)))
    5
    """

    def __init__(self, options: LabellingOptions | None = None) -> None:
        need_torch()
        self.options = options or LabellingOptions()

    def fit(
        self,
        train: Treebank,
        dev: Treebank | None = None,
        *,
        seed: int,
        on_epoch: OnEpoch | None = None,
    ) -> LabellingModel:
        """Learn from gold trees; with a dev set, its best epoch is kept."""

        def report(epoch: int, learned: Trained) -> None:
            if on_epoch is not None:
                on_epoch(epoch, self._made(learned))

        learned = fit(
            train, dev, self.options, seed=seed, encoding=find_encoding(self.options.encoding),
            on_epoch=report if on_epoch else None,
        )  # fmt: skip
        return self._made(learned)

    def _made(self, learned: Trained) -> LabellingModel:
        """Leave behind what only training needs."""
        kept = {
            name: value
            for name, value in learned.arrays.items()
            if not name.startswith(("arc.", "relation."))
        }
        return LabellingModel(self.options, replace(learned, arrays=kept))
