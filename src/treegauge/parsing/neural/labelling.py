"""The sequence-labelling parser (Strzyz et al. 2019, 2020): trees as labels, one tagger for all."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.parsing.label_encodings import Encoding, find_encoding
from treegauge.parsing.neural.data import FIRST_LABEL
from treegauge.parsing.neural.fitting import Doubles, NeuralModel, NeuralParser, Trained
from treegauge.parsing.neural.options import LabellingOptions
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.decoding import spanning_tree


@dataclass(frozen=True, eq=False)
class LabellingModel(NeuralModel):
    """A trained labelling parser.

    A label's probability is not an arc's. The probability of a head is that of all labels that say
    so, drawn word by word and column by column, and is computed exactly
    (:mod:`treegauge.parsing.label_marginals`).
    """

    name = "labelling"
    kind = LabellingOptions

    def _spreads(self, treebank: Treebank) -> list[Doubles]:
        """Return log p of known labels for each column, relations last."""
        logs = self.predictor(treebank).label_log_probabilities()
        return [one[:, FIRST_LABEL:] for one in logs]

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
        return self.with_trees(treebank, heads, names)

    def _read_best(self, spreads: list[Doubles], treebank: Treebank) -> Treebank:
        *columns, last = (one.argmax(1) for one in spreads)
        trees = self._read("reader", treebank)(np.stack(columns), self._is_root[last])
        root = next((n for n, rooted in enumerate(self._is_root) if rooted), None)
        names = last if root is None else np.where(trees.made_root, root, last)
        return self.with_trees(treebank, trees.heads, names)

    def head_probabilities(self, treebank: Treebank) -> list[Doubles]:
        """Return for each sentence p(head | word), (words, words + 1), as labels amount to."""
        return self._head_shares(self._spreads(treebank), treebank)

    def relation_probabilities(self, treebank: Treebank) -> Doubles:
        """Return one row per word: p(relation | word); the head plays no part in it.

        Columns are :attr:`relations`; what is missing to 1 is for relations never seen.
        """
        return np.exp(self._spreads(treebank)[-1])


class LabellingParser(NeuralParser):
    """Learns the labels that trees are written as, one softmax per column and one for relations.

    In training, but not in parsing, the states also serve a biaffine parser, which teaches them
    what arcs are (Strzyz et al. 2019b: learning across representations).
    """

    model = LabellingModel

    def encoding(self) -> Encoding:
        """Return the encoding of trees as labels."""
        return find_encoding(self.options.encoding)

    def made(self, train: Treebank, learned: Trained) -> LabellingModel:
        """Return the model without what only training needs."""
        kept = {
            name: value
            for name, value in learned.arrays.items()
            if not name.startswith(("arc.", "relation."))
        }
        return LabellingModel(self.options, replace(learned, arrays=kept))
