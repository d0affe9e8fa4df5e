"""What a parser is: something that learns from a treebank and then gives trees."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from treegauge.errors import TreegaugeError
from treegauge.treebank import trees
from treegauge.treebank.columns import Treebank
from treegauge.treebank.sources import Source


class Model(Protocol):
    """A trained parser."""

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with HEAD and DEPREL replaced by the model's trees."""

    def save(self, path: Source) -> None:
        """Write the model to one file that appears whole or not at all."""


@runtime_checkable
class Probabilistic(Protocol):
    """A model that says how likely each head is."""

    def head_probabilities(self, treebank: Treebank) -> list[npt.NDArray[np.float64]]:
        """Return for each sentence of n words a matrix (n, n + 1): p(head | word), 0 the root."""

    def relation_probabilities(self, treebank: Treebank) -> npt.NDArray[np.float64]:
        """Return one row a word: p(relation | word, its head in the treebank)."""


OnEpoch = Callable[[int, Model], None]
"""Called after each epoch with its number from 1 and the model so far."""


class Parser(Protocol):
    """A way to make models, with its options set."""

    def fit(
        self,
        train: Treebank,
        dev: Treebank | None = None,
        *,
        seed: int,
        on_epoch: OnEpoch | None = None,
    ) -> Model:
        """Learn from gold trees; same seed, same model."""


def check_training(train: Treebank) -> None:
    """Refuse a treebank that nothing can be learned from, naming the first sentence at fault."""
    if train.n_words == 0:
        raise TreegaugeError(f"{train.name} has no words to learn from")
    bad = np.flatnonzero(~trees.is_tree(train.head, train.offsets))
    if len(bad):
        first = int(bad[0])
        row = int(train.rows[train.offsets[first]])
        raise TreegaugeError(
            f"{train.name}:{train.line(row)}: sentence {train[first].id or first + 1} is no tree "
            f"with one root ({len(bad)} such sentences); read the file with errors='repair' or "
            "'skip' to train on it"
        )
