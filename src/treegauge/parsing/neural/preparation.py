"""Preparation of training a neural parser: the vocabulary, and word vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.messages import note
from treegauge.parsing.base import check_training
from treegauge.parsing.label_encodings import Encoding
from treegauge.parsing.neural.data import Encoded
from treegauge.parsing.neural.options import NeuralOptions
from treegauge.parsing.neural.vocabulary import Vocabulary, encode_parts
from treegauge.parsing.word_vectors import WordVectors, read_vectors
from treegauge.treebanks.data.columns import Treebank, concat
from treegauge.treebanks.data.conllu import TOLERABLE
from treegauge.treebanks.data.reading import read_treebank

Sentences = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class PreparedSets:
    """The training and dev sets as numbers.

    Attributes
    ----------
    data
        The sentences of both sets.
    train, dev
        Numbers of the sentences of each set; `dev` is None without one.
    vocabulary
        The vocabulary of the training set.
    forms
        All word forms of both sets.
    vectors
        Pretrained vectors of words, or None.
    """

    data: Encoded
    train: Sentences
    dev: Sentences | None
    vocabulary: Vocabulary
    forms: Sequence[str]
    vectors: WordVectors | None

    @classmethod
    def of(
        cls, train: Treebank, dev: Treebank | None, options: NeuralOptions, encoding: Encoding | None, *, seed: int
    ) -> "PreparedSets":
        """Check and encode both sets, and read the vectors that options name."""
        others = [] if dev is None or dev.n_words == 0 else [dev]
        check_training(train, *others, seed=seed)
        settings: dict[str, Any] = {"min_count": options.min_count, "encoding": encoding}
        data, (own, *held) = encode_parts(train, *others, **settings)
        forms = concat([train, *others]).codes("form").values
        return cls(
            data, own, held[0] if held else None, Vocabulary.of(train, **settings), forms,
            chosen_vectors(options, forms),
        )  # fmt: skip

    @property
    def type_vectors(self) -> npt.NDArray[np.float32] | None:
        """The pretrained vector of each form."""
        return None if self.vectors is None else self.vectors.of(self.forms)


def chosen_vectors(options: NeuralOptions, forms: Sequence[str]) -> WordVectors | None:
    """Read the vectors that the options name, and report how many of these forms have one."""
    if not options.vectors:
        return None
    needed = list(forms)
    if options.vectors_for:
        others = read_treebank(options.vectors_for, need_heads=False, allow=TOLERABLE)
        needed += others.codes("form").values
    vectors = read_vectors(options.vectors, options.vectors_limit, needed)
    note(
        f"{len(vectors.words):,} word vectors of {vectors.values.shape[1]} numbers from "
        f"{Path(options.vectors).name}: {vectors.coverage(forms):.1%} of the forms have one"
    )
    return vectors
