"""Training jobs and what to record, independent of the engine; recordings of held-out words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import sign
from treegauge.learning.recordings.recording import Recording

if TYPE_CHECKING:
    from treegauge.treebanks.data.columns import Treebank

HELD_OUT = "held out"
"""The split of recordings by :func:`cross_fit`."""
Progress = Callable[[int, int | None], None]
"""Called with the number of models trained so far and in all."""


@dataclass(frozen=True, eq=False)
class TrainingJob:
    """A model to train, and what to record of it.

    It learns from `train`; the treebanks of `read` are recorded by split, after every epoch or only
    at the end, in evaluation mode (``after``) or as a word is learned from (``during``).
    `relations` are all possible relations, also those that `train` lacks; `trees` requests the
    share of probability on trees, `decode` the trees that the model predicts after the last epoch.
    """

    train: "Treebank"
    read: "Mapping[str, Treebank]"
    seed: int = 0
    relations: tuple[str, ...] = ()
    every: bool = True
    trees: bool = False
    when: Literal["after", "during"] = "after"
    decode: bool = False

    def signature(self, split: str, parser: str) -> str:
        """Return the signature of the recording of a split."""
        return sign(
            v="recording", tb=self.read[split].mark, parser=parser or None, train=self.train.mark,
            record=self.when if self.every else "last", seed=self.seed,
        )  # fmt: skip


class Engine(Protocol):
    """The protocol of engines, which train models one by one or many at once."""

    @property
    def label(self) -> str:
        """The parser with its options; equal labels and jobs give equal recordings."""

    def __call__(self, jobs: Sequence[TrainingJob], progress: Progress | None = None) -> list[dict[str, Recording]]:
        """Train each job's model; returns its recordings by split, in the order of the jobs."""


def relation_names(*treebanks: "Treebank") -> tuple[str, ...]:
    """Return the relations of treebanks in alphabetical order."""
    return tuple(sorted({name for tb in treebanks for name in tb.codes("deprel").values}))


def relation_arrays(
    job: TrainingJob,
    read: "Treebank",
    known: Sequence[str],
    every: Sequence[str],
    logs: npt.NDArray[Any],
    rivals: npt.NDArray[Any] | None,
    rival_logs: npt.NDArray[Any],
) -> dict[str, Any]:
    """Return the recorded arrays of relations, with an escape for those that `train` lacks.

    Unknown relations share the probability U / (N + U) of something new after N words with U
    relations (Witten & Bell 1991); known ones share the rest. `known` names the model's relations,
    `every` all possible ones; `logs` are of gold relations, `rivals` are numbers in `known` of the
    best others, negative for none.
    """
    learned = set(job.train.codes("deprel").values)
    place = {name: number for number, name in enumerate(every)}
    codes, values = read.codes("deprel")
    for value in values:
        if value not in learned and value not in place:
            raise ChoiceError("relation", value, sorted(learned | set(every)))
    new = [name for name in every if name not in learned]
    share = len(learned) / (job.train.n_words + len(learned)) if new else 0.0
    escape = np.log(share / len(new)) if new else 0.0
    unseen = np.array([value not in learned for value in values], np.bool_)[codes]
    arrays = {"relation_logp": np.where(unseen, escape, logs + np.log1p(-share))}
    if rivals is None:
        return arrays
    numbers = np.append([place.get(name, -1) for name in known], -1)
    names = numbers[np.where(rivals < 0, -1, rivals)]
    others = rival_logs + np.log1p(-share)
    # The first unknown relation that is not gold, if any, may be the most probable one.
    novel = np.array([next((place[name] for name in new if name != value), -1) for value in values], np.int64)[codes]
    better = (novel >= 0) & (escape > others)
    return arrays | {
        "relation_rival": np.where(better, novel, names).astype(np.int16),
        "relation_rival_logp": np.where(better, escape, others),
    }


def check_same(recordings: Sequence[Recording]) -> None:
    """Refuse recordings that are not of the same words."""
    if not recordings:
        raise TreegaugeError("got no recordings, expected at least one")
    first = recordings[0]
    for further in recordings[1:]:
        if (further.treebank, further.n_words) != (first.treebank, first.n_words):
            raise TreegaugeError(
                f"got recordings of {first.treebank} with {first.n_words} words and of "
                f"{further.treebank} with {further.n_words}; expected the same words"
            )


def cross_fit(
    treebank: "Treebank", *, engine: Engine, folds: int = 5, seed: int = 0, progress: Progress | None = None
) -> Recording:
    """Record every word by a parser that was trained on the other folds.

    A parser that was trained on an annotation error may have memorised it; one that was not can
    contradict it. Sentences are assigned to folds at random. Sentences with the same words share a
    fold, so that copies are not in the training data. The recording has all words, in their order,
    as split ``held out``.

    Examples
    --------
    >>> from treegauge.learning.recordings.recorder import make_engine
    >>> from treegauge.testing.synthetic import synthetic
    >>> cross_fit(synthetic(30, seed=1), engine=make_engine("mst", epochs=2), folds=2)
    <Recording of syn-1#4d03d2 (held out): 2 epochs, 461 words>
    """
    fold = assigned_folds(treebank, folds, seed)
    names = relation_names(treebank)
    jobs = [
        TrainingJob(treebank.take(fold != k), {HELD_OUT: treebank.take(fold == k)}, seed, names) for k in range(folds)
    ]
    pieces = [recordings[HELD_OUT] for recordings in engine(jobs, progress)]
    signature = sign(v="recording", tb=treebank.mark, parser=engine.label, folds=folds, record="after", seed=seed)
    word_fold = fold[treebank.sentence_of]
    first, shortest = pieces[0], min(len(piece.epochs) for piece in pieces)
    arrays: dict[str, Any] = {}
    for name, array in first.arrays().items():
        arrays[name] = np.empty((shortest, len(word_fold)), array.dtype)
        for k, piece in enumerate(pieces):
            arrays[name][:, word_fold == k] = getattr(piece, name)[:shortest]
    return Recording(
        treebank=treebank.mark, split=HELD_OUT, signature=signature,
        epochs=first.epochs[:shortest], relations=first.relations, **arrays,
    )  # fmt: skip


def assigned_folds(treebank: "Treebank", folds: int, seed: int) -> npt.NDArray[np.int64]:
    """Return the fold of each sentence; sentences with the same words share one."""
    texts = [" ".join(sentence.form) for sentence in treebank]
    kinds = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    if not 2 <= folds <= len(kinds):
        raise TreegaugeError(
            f"folds is {folds}; expected 2 to {len(kinds)}, the number of different sentences of {treebank.name}"
        )
    order = np.random.default_rng(seed).permutation(len(kinds))
    fold_of = np.empty(len(kinds), np.int64)
    fold_of[order] = np.arange(len(kinds)) % folds
    return np.asarray(fold_of[np.array([kinds[text] for text in texts])])
