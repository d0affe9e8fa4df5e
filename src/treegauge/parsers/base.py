"""What a parser is: something that learns from a treebank and then gives trees."""

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from treegauge.results.errors import TreegaugeError, check_whole
from treegauge.treebanks import trees
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.sources import Source


class Model(Protocol):
    """A trained parser."""

    def parse(self, treebank: Treebank) -> Treebank:
        """Return the treebank with HEAD and DEPREL replaced by the model's trees."""

    def save(self, path: Source) -> None:
        """Write the model to one file that appears whole or not at all."""


@runtime_checkable
class Probabilistic(Protocol):
    """A model that says how likely each head and each relation is."""

    @property
    def relations(self) -> Sequence[str]:
        """Names of the columns of :meth:`relation_probabilities`."""

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


def check_training(*parts: Treebank | None, seed: int = 0) -> None:
    """Refuse treebanks that nothing can be learned from, naming the first sentence at fault.

    Parameters
    ----------
    parts
        The train part, and the dev part if there is one.
    seed
        Refused if no generator of random numbers takes it.
    """
    check_whole("seed", seed)
    for part in parts:
        if part is not None:
            _check_trees(part)


def _check_trees(part: Treebank) -> None:
    if part.n_words == 0:
        raise TreegaugeError(f"{part.name} has no words to learn from")
    bad = np.flatnonzero(~trees.is_tree(part.head, part.offsets))
    if len(bad):
        first = int(bad[0])
        row = int(part.rows[part.offsets[first]])
        raise TreegaugeError(
            f"{part.name}:{part.line(row)}: sentence {part[first].id or first + 1} is no tree "
            f"with one root ({len(bad)} such sentences); read the file with errors='repair' or "
            "'skip' to train on it"
        )
