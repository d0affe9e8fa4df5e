"""A model of the annotation of each word given the annotation of all others."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.core.messages import progress as shown
from treegauge.kernels import tree_context as _kernel
from treegauge.learning.recordings.jobs import Progress, TrainingJob, cross_fit, relation_names
from treegauge.learning.recordings.recording import Recording
from treegauge.treebanks.data.columns import Treebank

Keys = npt.NDArray[np.uint64]
_FEATURES = 6  # features of a word that are used separately
_FIRST = ("Case", "VerbForm", "Number", "Gender", "Person", "Mood", "PronType", "Voice", "Tense")
_LETTERS: dict[int, tuple[str, Callable[[str], str]]] = {
    _kernel.FORM: ("form", str.lower),
    _kernel.LEMMA: ("lemma", str),
    _kernel.TAG: ("upos", str),
    _kernel.XPOS: ("xpos", str),
    _kernel.FEATS: ("feats", str),
    _kernel.END: ("form", lambda form: form.lower()[-3:]),
}


def _key(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _features(treebank: Treebank) -> tuple[Keys, Keys]:
    """Return hashes of the names and of the values of each word's first features."""
    codes, texts = treebank.codes("feats")
    names, values = np.zeros((2, len(texts), _FEATURES), np.uint64)
    for row, text in enumerate(texts):
        pairs = [one for one in text.split("|") if "=" in one]
        pairs.sort(key=lambda one: (*_FIRST, one.partition("=")[0]).index(one.partition("=")[0]))
        for column, pair in enumerate(pairs[:_FEATURES]):
            names[row, column] = _key(pair.partition("=")[0])
            values[row, column] = _key(pair)
    return names[codes], values[codes]


def _encoded(treebank: Treebank, relations: Sequence[str], uses: dict[str, set[str]]) -> _kernel.TreeContext:
    """Return the kernel's input for a treebank; `uses` are the relations of each tag."""
    letters = np.zeros((_kernel.LETTERS, treebank.n_words), np.uint64)
    for row, (column, seen) in _LETTERS.items():
        codes, values = treebank.codes(column)
        keys = np.array([_key(f"{row}={seen(value)}") for value in values], np.uint64)
        letters[row] = keys[codes] if len(codes) else keys
    tags, kinds = treebank.codes("upos")
    codes, values = treebank.codes("deprel")
    place = {name: number for number, name in enumerate(relations)}
    numbers = np.array([place[value] for value in values], np.int32)[codes]
    allowed = np.array([[name in uses.get(tag, ()) for name in relations] for tag in kinds])
    return _kernel.TreeContext(
        letters, *_features(treebank), np.ascontiguousarray(treebank.head, np.int32), numbers,
        np.ascontiguousarray(tags, np.int32), np.ascontiguousarray(treebank.offsets, np.int32),
        np.array([_key(f"relation={name}") for name in relations], np.uint64),
        np.ascontiguousarray(allowed.reshape(len(kinds), len(relations)), np.uint8),
        place.get("root", -1),
    )  # fmt: skip


@dataclass(frozen=True)
class TreeContextEngine:
    """The engine of a log-linear model that reads the rest of the gold tree.

    It estimates p(head | relation, all other annotation) and p(relation | head, all other
    annotation) from forms, lemmas, tags, features, and the relations of the head, of its other
    dependents and of the word's dependents. It is not a parser: it measures how well the annotation
    of a word agrees with the rest. Recordings have one row, after the last epoch.

    Examples
    --------
    >>> from treegauge.learning.recordings.jobs import cross_fit
    >>> from treegauge.testing.synthetic import synthetic
    >>> cross_fit(synthetic(30, seed=1), engine=TreeContextEngine(), folds=2)
    <Recording of syn-1#4d03d2 (held out): 1 epochs, 461 words>
    """

    epochs: int = 5
    rate: float = 0.1
    bits: int = 20

    @property
    def label(self) -> str:
        """The model with its options."""
        return f"tree-context epochs={self.epochs} rate={self.rate:g} bits={self.bits}"

    def __call__(self, jobs: Sequence[TrainingJob], progress: Progress | None = None) -> list[dict[str, Recording]]:
        """Train each job's model and return its recordings by split."""
        recordings = []
        for number, job in enumerate(jobs):
            recordings.append(self._recorded(job))
            if progress:
                progress(number + 1, len(jobs))
        return recordings

    def _recorded(self, job: TrainingJob) -> dict[str, Recording]:
        relations = job.relations or relation_names(job.train, *job.read.values())
        uses: dict[str, set[str]] = {}
        codes, kinds = job.train.codes("upos")
        names, values = job.train.codes("deprel")
        for pair in np.unique(codes.astype(np.int64) * len(values) + names).tolist():
            uses.setdefault(kinds[pair // len(values)], set()).add(values[pair % len(values)])
        weights = self._weights(_encoded(job.train, relations, uses), len(job.train), job.seed)
        return {
            split: Recording(
                treebank=read.mark, split=split, signature=job.signature(split, self.label),
                epochs=(self.epochs,), relations=relations,
                **_judged(_encoded(read, relations, uses), weights, self.bits, read.n_words),
            )
            for split, read in job.read.items()
        }  # fmt: skip

    def _weights(self, context: _kernel.TreeContext, sentences: int, seed: int) -> npt.NDArray[np.float32]:
        weights, squares = np.zeros((2, 1 << self.bits), np.float32)
        sums, random = np.zeros(1 << self.bits), np.random.default_rng(seed)
        for epoch in range(self.epochs):
            order = random.permutation(sentences).astype(np.int32)
            steps = epoch * sentences
            _kernel.learn(context, order, weights, sums, squares, self.bits, self.rate, steps)
        return (weights - sums / (self.epochs * sentences + 1)).astype(np.float32)


def _judged(context: _kernel.TreeContext, weights: npt.NDArray[np.float32], bits: int, words: int) -> dict[str, Any]:
    """Return the arrays of a recording with one row."""
    logp, rival_logp = np.zeros((2, 2, words))
    rivals = np.zeros((2, words), np.int32)
    _kernel.judge(context, weights, bits, logp, rivals, rival_logp)
    arrays: dict[str, Any] = {}
    for row, layer in enumerate(("head", "relation")):
        arrays[f"{layer}_logp"] = logp[row : row + 1].astype(np.float32)
        arrays[f"{layer}_rival"] = rivals[row : row + 1].astype(np.int16)
        arrays[f"{layer}_rival_logp"] = rival_logp[row : row + 1].astype(np.float32)
    return arrays


def tree_context(treebank: Treebank, *, folds: int = 5, seed: int = 0) -> Recording:
    """Record each word by the model of the rest of the tree, trained on the other folds."""
    with shown("models of the tree", folds) as task:
        return cross_fit(treebank, engine=TreeContextEngine(), folds=folds, seed=seed, progress=task.update)
