"""Taggers: predicted tags for new sentences, and for the training set itself by folds.

The tagger of UPOS is a structured perceptron over words, endings and neighbours. It needs no other package
and learns ten thousand words in about a second, so that parsers can include it in their models.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError, check_whole
from treegauge.kernels.tag_search import best_tags, learn_tags
from treegauge.parsing.base import are_names, hash_keys
from treegauge.parsing.programs.udpipe import apply_udpipe, load_udpipe, train_udpipe, udpipe_sentences, with_results
from treegauge.parsing.programs.udpipe_settings import TAGS, tagger_options
from treegauge.splitting.assignment import make_split, pool
from treegauge.treebanks.data.columns import Treebank, concat

Ints = npt.NDArray[np.int32]
Keys = npt.NDArray[np.uint64]
Arrays = dict[str, npt.NDArray[Any]]

EPOCHS, MARGIN = 10, 10.0
VERSION = 1
"""Version of the features, which define the weights."""

_MIX = np.uint64(0x9E3779B97F4A7C15)


def _shape(form: str) -> str:
    """Return the shape of a form: whether it has capitals, digits, hyphens, letters."""
    first, rest = form[:1].isupper(), form[1:].isupper()
    marks = (first, rest, any(map(str.isdigit, form)), "-" in form, any(map(str.isalpha, form)))
    return "".join("01"[mark] for mark in marks)


_OWN: tuple[Callable[[str], str], ...] = (
    str, str.lower, _shape,
    *(lambda form, n=n: form.lower()[-n:] for n in (1, 2, 3, 4, 5)),
    *(lambda form, n=n: form.lower()[:n] for n in (1, 2, 3, 4)),
)  # fmt: skip
_LOWER, _ENDING = 1, 5  # of the tuple above
# Columns of word properties with the distance of the word; several form one feature.
_CONTEXT: tuple[tuple[tuple[int, int], ...], ...] = (
    ((_LOWER, -1),), ((_LOWER, 1),), ((_LOWER, -2),), ((_LOWER, 2),),
    ((_ENDING, -1),), ((_ENDING, 1),), ((_ENDING, -1), (_ENDING, 1)),
    ((_LOWER, -1), (_LOWER, 0)), ((_LOWER, 0), (_LOWER, 1)), ((_ENDING, -1), (_ENDING, 0)),
    ((_ENDING, 0), (_ENDING, 1)),
)  # fmt: skip


def features(treebank: Treebank) -> Keys:
    """Return the keys of each word's features, (words, features)."""
    codes, forms = treebank.codes("form")
    own = np.stack([hash_keys(map(shown, forms)) for shown in _OWN], 1)[codes]
    columns = [_salted(own[:, place], place) for place in range(len(_OWN))]
    sentence = treebank.sentence_of
    for place, parts in enumerate(_CONTEXT, len(_OWN)):
        seen = np.zeros(len(codes), np.uint64)
        for column, distance in parts:
            seen = seen * _MIX + _beside(own[:, column], sentence, distance)
        columns.append(_salted(seen, place))
    return np.stack(columns, 1)


def _salted(keys: Keys, place: int) -> Keys:
    """Return keys that differ from those at other positions."""
    mixed = (keys ^ np.uint64(place + 1)) * _MIX
    return mixed ^ (mixed >> np.uint64(29))


def _beside(keys: Keys, sentence: npt.NDArray[Any], distance: int) -> Keys:
    """Return the keys of the words at a distance, 0 outside the sentence."""
    places = np.arange(len(keys)) + distance
    inside = (places >= 0) & (places < len(keys))
    places = np.where(inside, places, 0)
    inside &= sentence[places] == sentence
    return np.where(inside, keys[places], np.uint64(0)) if len(keys) else keys


@dataclass(frozen=True, eq=False)
class PerceptronTagger:
    """A trained tagger: its tags, the keys of its features in order, and their weights."""

    tags: tuple[str, ...]
    keys: Keys
    weights: npt.NDArray[np.float32]
    pairs: npt.NDArray[np.float32]

    def tag(self, treebank: Treebank) -> Treebank:
        """Return a copy with UPOS predicted from the words alone."""
        numbers = self.predict(features(treebank), treebank.offsets.astype(np.int32))
        return treebank.with_columns({"upos": [self.tags[number] for number in numbers.tolist()]})

    def predict(self, seen: Keys, offsets: Ints) -> Ints:
        """Return numbers of tags from the keys of :func:`features`."""
        places = np.searchsorted(self.keys, seen)
        places[places == len(self.keys)] = 0
        known = self.keys[places] == seen if len(self.keys) else np.zeros(seen.shape, bool)
        rows = np.where(known, places, -1).astype(np.int32)
        return best_tags(rows, offsets, self.weights, self.pairs)

    def to_arrays(self) -> Arrays:
        """Return the tagger as arrays for :meth:`from_arrays`."""
        names = "\n".join(self.tags).encode()
        return {
            "tags": np.frombuffer(names, np.uint8), "keys": self.keys, "weights": self.weights,
            "pairs": self.pairs, "version": np.array(VERSION),
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> "PerceptronTagger":
        """Return the tagger stored in arrays; refuse numbers out of bounds."""
        if int(arrays["version"]) != VERSION:
            raise TreegaugeError(
                f"the model's tagger is of version {int(arrays['version'])}; this one reads "
                f"version {VERSION}: train it again"
            )
        tags = tuple(arrays["tags"].tobytes().decode().split("\n"))
        keys = np.ascontiguousarray(arrays["keys"], np.uint64)
        weights, pairs = (np.ascontiguousarray(arrays[name], np.float32) for name in ("weights", "pairs"))
        size = len(tags)
        if (
            not are_names(tags)
            or keys.ndim != 1
            or weights.shape != (len(keys), size)
            or pairs.shape != (size + 1, size)
        ):
            raise TreegaugeError("the model is damaged: the arrays of its tagger do not match")
        return cls(tags, keys, weights, pairs)


@dataclass(frozen=True, eq=False)
class TaggedWords:
    """Sentences to learn tags from: keys of features, numbers of gold tags, and offsets."""

    tags: tuple[str, ...]
    seen: Keys
    gold: Ints
    offsets: Ints

    @classmethod
    def of(cls, treebank: Treebank) -> "TaggedWords":
        """Encode a treebank, refusing one without tags."""
        codes, values = treebank.codes("upos")
        if treebank.n_words == 0 or set(values) <= {"_"}:
            raise TreegaugeError(f"{treebank.name} has no UPOS tags to train on")
        tags = tuple(sorted(values))
        numbers = np.array([tags.index(value) for value in values], np.int32)
        return cls(tags, features(treebank), numbers[codes], treebank.offsets.astype(np.int32))

    def take(self, sentences: npt.NDArray[Any]) -> "TaggedWords":
        """Return the given sentences."""
        sizes = np.diff(self.offsets)[sentences]
        ends = np.cumsum(sizes)
        words = np.repeat(self.offsets[:-1][sentences] - (ends - sizes), sizes) + np.arange(
            ends[-1] if len(ends) else 0
        )
        offsets = np.concatenate(([0], ends)).astype(np.int32)
        return TaggedWords(self.tags, self.seen[words], self.gold[words], offsets)

    def learn(self, *, epochs: int = EPOCHS, margin: float = MARGIN, seed: int) -> PerceptronTagger:
        """Train a tagger."""
        keys, places = np.unique(self.seen, return_inverse=True)
        rows = np.asarray(places, np.int32).reshape(self.seen.shape)
        size, steps = len(self.tags), 1
        weights, pairs = (np.zeros((n, size), np.float32) for n in (len(keys), size + 1))
        sums, pair_sums = np.zeros(weights.shape), np.zeros(pairs.shape)
        random, n_sentences = np.random.default_rng(seed), len(self.offsets) - 1
        for _ in range(epochs):
            order = random.permutation(n_sentences).astype(np.int32)
            learn_tags(rows, self.offsets, self.gold, order, weights, sums, pairs, pair_sums, steps, margin)
            steps += n_sentences
        mean = (weights - sums / steps).astype(np.float32)
        used = mean.any(axis=1)
        return PerceptronTagger(self.tags, keys[used], mean[used], (pairs - pair_sums / steps).astype(np.float32))


def train_perceptron_tagger(train: Treebank, *, epochs: int = EPOCHS, seed: int = 0) -> PerceptronTagger:
    r"""Train a tagger of UPOS on a treebank's own tags.

    The tags of a sentence are those with the largest sum of weights

    .. math:: \sum_i \sum_{f \in F(w, i)} \theta_{f, t_i} + \sum_i \phi_{t_{i-1}, t_i},

    found by Viterbi's algorithm. Weights are learned by a perceptron that demands a margin over
    sequences with incorrect tags, and averaged over all sentences of all epochs.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> tagger = train_perceptron_tagger(synthetic(30, seed=1), epochs=2)
    >>> tagged = tagger.tag(synthetic(10, seed=2))
    >>> set(tagged["upos"]) <= set(tagger.tags)
    True
    """
    check_whole("epochs", epochs, 1)
    check_whole("seed", seed)
    return TaggedWords.of(train).learn(epochs=epochs, seed=seed)


def jackknifed_upos(
    train: Treebank, folds: Iterable[npt.NDArray[Any]], *, epochs: int = EPOCHS, seed: int = 0,
    on_fold: Callable[[], None] | None = None,
) -> Treebank:  # fmt: skip
    """Return the training set with tags from taggers trained on the other folds."""
    words = TaggedWords.of(train)
    numbers = np.zeros(train.n_words, np.int32)
    for fold in folds:
        own = np.sort(fold)
        others = np.setdiff1d(np.arange(len(train)), own)
        tagger = words.take(others).learn(epochs=epochs, seed=seed)
        held_out = words.take(own)
        numbers[np.isin(train.sentence_of, own)] = tagger.predict(held_out.seen, held_out.offsets)
        if on_fold is not None:
            on_fold()
    return train.with_columns({"upos": [words.tags[number] for number in numbers.tolist()]})


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
