"""Taggers: predicted tags for new sentences, and for the training set itself by folds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError, check_whole
from treegauge.parsing.perceptron_tagger import PerceptronTagger, jackknifed_upos, train_perceptron_tagger
from treegauge.parsing.programs.udpipe import apply_udpipe, load_udpipe, train_udpipe, udpipe_sentences, with_results
from treegauge.parsing.programs.udpipe_settings import TAGS, tagger_options
from treegauge.splitting.assignment import make_split, pool
from treegauge.treebanks.data.columns import Treebank, concat


@dataclass(frozen=True, eq=False)
class Tagger:
    """UDPipe's tagger, trained to predict some columns."""

    columns: tuple[str, ...]
    data: bytes

    @cached_property
    def _loaded(self) -> Any:
        return load_udpipe(self.data)

    def tag(self, treebank: Treebank) -> Treebank:
        """Return a copy with the columns predicted from the words alone."""
        sentences = udpipe_sentences(treebank, tags=False, trees=False)
        apply_udpipe(self._loaded, sentences, tag=True, parse=None)
        return with_results(treebank, sentences, self.columns)


def train_tagger(train: Treebank, *, columns: Sequence[str] = ("upos",), iterations: int = 20, seed: int = 0) -> Tagger:
    """Train UDPipe's tagger: an averaged perceptron over a dictionary with a guesser.

    Columns are learned together; trees are not needed. The seed shuffles the sentences: UDPipe
    itself uses no other randomness.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> tagger = train_tagger(synthetic(30, seed=1), iterations=2)
    >>> tagged = tagger.tag(synthetic(10, seed=2))
    >>> set(tagged["upos"]) <= set(synthetic(30, seed=1)["upos"])
    True
    """
    wanted = checked_columns(columns)
    check_whole("iterations", iterations, 1)
    check_whole("seed", seed)
    if train.n_words == 0:
        raise TreegaugeError(f"{train.name} has no words to train on")
    for name in wanted:
        if set(train.codes(name).values) <= {"_"}:
            raise TreegaugeError(f"{train.name} has no {name.upper()} to learn from")
    order = np.random.default_rng(seed).permutation(len(train))
    options = tagger_options(frozenset(wanted), iterations)
    return Tagger(wanted, train_udpipe(train.take(order), None, tagger=options, parser="none")[0])


def checked_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns to predict in their usual order; refuse unknown columns."""
    for name in columns:
        if name not in TAGS:
            raise ChoiceError("column to predict", name, TAGS)
    if not columns:
        raise TreegaugeError(f"no column to predict; choices: {', '.join(TAGS)}")
    return tuple(name for name in TAGS if name in columns)


def tag_folds(train: Treebank, folds: int, *, seed: int) -> list[npt.NDArray[np.int64]]:
    """Return the folds of a training set for taggers; documents stay whole.

    Where there are fewer documents than folds, or long ones leave a fold without any, sentences are
    dealt one by one.
    """
    sentences = pool(train)
    whole = sentences.has_documents and len(np.unique(sentences.documents)) >= folds
    try:
        dealt = make_split(sentences, "kfold", seed=seed, folds=folds, documents=whole)
    except TreegaugeError:
        if not whole:
            raise
        dealt = make_split(sentences, "kfold", seed=seed, folds=folds, documents=False)
    return list(dealt.parts.values())


def jackknifed_tags(
    train: Treebank, *, folds: int = 10, columns: Sequence[str] = ("upos",), iterations: int = 20,
    seed: int = 0, on_fold: Callable[[], None] | None = None,
) -> Treebank:  # fmt: skip
    """Predict tags of a training set with taggers that were not trained on the sentence.

    A parser that learns from gold tags meets errors at test time that it never met in training.
    Here each fold is tagged by a tagger trained on all others, so that the tags have about as many
    errors as those of new text. Documents stay whole by default where there are at least as many as
    folds.
    """
    dealt = tag_folds(train, folds, seed=seed)
    parts = []
    for fold in dealt:
        others = np.setdiff1d(np.arange(len(train)), fold)
        tagger = train_tagger(train.take(others), columns=columns, iterations=iterations, seed=seed)
        parts.append(tagger.tag(train.take(fold)))
        if on_fold:
            on_fold()
    order = np.argsort(np.concatenate(dealt), kind="stable")
    tagged = concat(parts).take(order)
    return train.with_columns({name: tagged[name].to_list() for name in checked_columns(columns)})


def find_tagger(
    name: str, columns: Sequence[str]
) -> tuple[Callable[..., Tagger | PerceptronTagger], Callable[..., Treebank]]:
    """Return the functions that train a tagger of these columns and jackknife a training set.

    Both functions take a treebank, `iterations` and `seed`; the second also `folds` and `on_fold`.
    """
    if name == "udpipe":
        return partial(train_tagger, columns=columns), partial(jackknifed_tags, columns=columns)
    if name != "perceptron":
        raise ChoiceError("tagger", name, ("udpipe", "perceptron"))
    if tuple(columns) != ("upos",):
        raise TreegaugeError(f"the perceptron predicts UPOS only, not {', '.join(columns)}; use the tagger udpipe")

    def learn(train: Treebank, *, iterations: int, seed: int) -> PerceptronTagger:
        return train_perceptron_tagger(train, epochs=iterations, seed=seed)

    def by_folds(
        train: Treebank, *, folds: int, iterations: int, seed: int,
        on_fold: Callable[[], None] | None = None,
    ) -> Treebank:  # fmt: skip
        dealt = tag_folds(train, folds, seed=seed)
        return jackknifed_upos(train, dealt, epochs=iterations, seed=seed, on_fold=on_fold)

    return learn, by_folds
