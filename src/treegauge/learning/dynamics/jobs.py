"""Training jobs and what to record, independent of the engine; recordings of held-out words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.result import sign
from treegauge.learning.dynamics.recording import Recording
from treegauge.parsing.base import check_training
from treegauge.parsing.neural.data import FIRST_LABEL
from treegauge.parsing.neural.options import BiaffineOptions
from treegauge.parsing.neural.preparation import Vocabulary, chosen_vectors
from treegauge.treebanks.data.columns import concat

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
    at the end, in evaluation mode.
    `relations` are all possible relations, also those that `train` lacks; `decode` requests the trees
    that the model predicts after the last epoch.
    """

    train: "Treebank"
    read: "Mapping[str, Treebank]"
    seed: int = 0
    relations: tuple[str, ...] = ()
    every: bool = True
    decode: bool = False

    def signature(self, split: str, parser: str) -> str:
        """Return the signature of the recording of a split."""
        return sign(
            v="recording", tb=self.read[split].mark, parser=parser or None, train=self.train.mark,
            record="after" if self.every else "last", seed=self.seed,
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
    rivals: npt.NDArray[Any],
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
    numbers = np.append([place.get(name, -1) for name in known], -1)
    names = numbers[np.where(rivals < 0, -1, rivals)]
    others = rival_logs + np.log1p(-share)
    # The first unknown relation that is not gold, if any, may be the most probable one.
    novel = np.array([next((place[name] for name in new if name != value), -1) for value in values], np.int64)[codes]
    better = (novel >= 0) & (escape > others)
    return {
        "relation_logp": np.where(unseen, escape, logs + np.log1p(-share)),
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
    >>> from treegauge.learning.dynamics.recorder import make_engine
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


@dataclass(frozen=True)
class NeuralEngine:
    """The engine that trains models of a neural parser in lockstep.

    On a GPU all jobs are trained at once; on a CPU one after the other, each with exactly the
    numbers that the biaffine or pointer parser alone would have.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> small = BiaffineOptions(epochs=2, hidden=8, layers=1, arc_size=8, relation_size=4)
    >>> train = synthetic(30, seed=1)
    >>> NeuralEngine(small, "biaffine")([TrainingJob(train, {"train": train})])[0]["train"]
    <Recording of syn-1#4d03d2 (train): 2 epochs, 461 words>
    """

    options: BiaffineOptions
    label: str

    @property
    def at_once(self) -> int:
        """Number of models that are trained in one call."""
        from treegauge.parsing.neural.batches import choose_device

        return 64 if choose_device(self.options.device).type == "cuda" else 1

    def __call__(self, jobs: Sequence[TrainingJob], progress: Progress | None = None) -> list[dict[str, Recording]]:
        """Train each job's model and return its recordings by split."""
        recordings: list[dict[str, Recording]] = []
        for start in range(0, len(jobs), self.at_once):

            def update(done: int, _: int | None, before: int = start) -> None:
                if progress is not None:
                    progress(before + done, len(jobs))

            recordings += self._run(jobs[start : start + self.at_once], update)
        return recordings

    def _run(self, jobs: Sequence[TrainingJob], progress: Progress) -> list[dict[str, Recording]]:
        from treegauge.parsing.neural import jobs as neural

        for job in jobs:
            check_training(job.train, seed=job.seed)
        given = (one for job in jobs for one in (job.train, *job.read.values()))
        treebanks = {id(one): one for one in given}
        bounds = pairwise(accumulate(map(len, treebanks.values()), initial=0))
        sentences = {key: np.arange(*two) for key, two in zip(treebanks, bounds, strict=True)}
        options = self.options
        words = Vocabulary.of(concat([job.train for job in jobs]), min_count=options.min_count)
        whole = concat(treebanks.values())
        forms = whole.codes("form").values
        vectors = chosen_vectors(options, forms)
        outcomes = neural.run_jobs(
            words.encode(whole),
            [
                neural.NeuralJob(
                    sentences[id(job.train)],
                    {split: sentences[id(one)] for split, one in job.read.items()},
                    job.seed, options.epochs, every=job.every, parse=job.decode,
                )
                for job in jobs
            ],
            options,
            vectors=None if vectors is None else vectors.of(forms),
            progress=progress,
        )  # fmt: skip
        return [
            {split: self._recording(job, split, one.courses, words.relations) for split in job.read}
            for job, one in zip(jobs, outcomes, strict=True)
        ]

    def _recording(self, job: TrainingJob, split: str, courses: dict[str, Any], known: Sequence[str]) -> Recording:
        read = job.read[split]
        course = courses[split]
        last = self.options.epochs
        learned = set(job.train.codes("deprel").values)
        relations = job.relations or tuple(name for name in known if name in learned)
        arrays: dict[str, Any] = {
            "head_logp": course.heads, "head_rival": course.rival_heads, "head_rival_logp": course.rival_head_logs
        }  # fmt: skip
        if course.parsed_heads is not None:
            place = {name: number for number, name in enumerate(relations)}
            numbers = np.array([-1] * FIRST_LABEL + [place.get(name, -1) for name in known])
            arrays["parsed_head"] = course.parsed_heads
            arrays["parsed_relation"] = numbers[course.parsed_relations].astype(np.int16)
        return Recording(
            treebank=read.mark, split=split, signature=job.signature(split, self.label),
            epochs=tuple(range(1, last + 1)) if job.every else (last,), relations=relations,
            **arrays,
            **relation_arrays(
                job, read, known, relations, course.relations,
                course.rival_relations - FIRST_LABEL, course.rival_relation_logs,
            ),
        )  # fmt: skip
