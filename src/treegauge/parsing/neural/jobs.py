"""Train many small models at once and record their answers for every word, by epoch.

Jobs on the same sentences with the same number of updates are trained in lockstep, as one batch of
matrices. On a GPU, where one small model uses little of the machine, this makes thousands of them
affordable.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from treegauge.parsing.neural.batches import choose_device, numerics
from treegauge.parsing.neural.data import UNKNOWN_LABEL, Encoded
from treegauge.parsing.neural.heads import NEVER, Answers
from treegauge.parsing.neural.options import BiaffineOptions, NeuralOptions
from treegauge.parsing.neural.training import Learner, Lockstep

Longs = npt.NDArray[np.int64]
Parses = tuple[npt.NDArray[np.int16], npt.NDArray[np.int16]]
"""Heads and relations of parsed trees, (models, words) each."""


@dataclass(frozen=True, eq=False)
class NeuralJob:
    """A model to train, and sets of sentences, by name, to evaluate it on.

    Same seed, same model (on a GPU: up to rounding and the other jobs). `data` are the same
    sentences with another input, such as :meth:`Encoded.hidden`. It is asked after every epoch, or
    only after the last. `during` adds, as a set of that name, what the model said of its train
    sentences as it learned from them, with dropout; `parse` the best trees after the last epoch.
    """

    train: npt.ArrayLike
    evaluate: Mapping[str, npt.ArrayLike]
    seed: int
    epochs: int = 30
    data: Encoded | None = None
    every: bool = True
    during: bool = False
    parse: bool = False


@dataclass(frozen=True, eq=False)
class Course:
    """The answers of a model for the words of a set, one row per evaluation.

    `heads` and `relations` are log-probabilities, in nats, of the gold head, and of the gold
    relation at the gold head: (times, words). Rivals are the most probable heads and relations that
    are not gold, -1 where there are none, in evaluation mode after the epoch. Trees were parsed after
    the last epoch.
    """

    sentences: Longs
    words: Longs
    heads: npt.NDArray[np.float32]
    relations: npt.NDArray[np.float32]
    rival_heads: npt.NDArray[np.int16]
    rival_head_logs: npt.NDArray[np.float32]
    rival_relations: npt.NDArray[np.int16]
    rival_relation_logs: npt.NDArray[np.float32]
    parsed_heads: npt.NDArray[np.int16] | None = None
    parsed_relations: npt.NDArray[np.int16] | None = None

    @property
    def right_heads(self) -> npt.NDArray[np.bool_]:
        """Where the gold head is the most probable one."""
        return np.asarray(self.heads > self.rival_head_logs)

    @property
    def right_relations(self) -> npt.NDArray[np.bool_]:
        """Where the gold relation is the most probable one at the gold head."""
        return np.asarray(self.relations > self.rival_relation_logs)

    @property
    def uas(self) -> float:
        """Share of correct heads in the last evaluation, by each word's best head."""
        return float(self.right_heads[-1].mean())

    @property
    def las(self) -> float:
        """Share of words with the correct head and relation in the last evaluation."""
        return float((self.right_heads[-1] & self.right_relations[-1]).mean())


@dataclass
class NeuralOutcome:
    """The outcome of a job: its courses by the names of its sets, and its share of the time."""

    courses: dict[str, Course] = field(default_factory=dict)
    seconds: float = 0.0


def run_jobs(
    data: Encoded, jobs: Sequence[NeuralJob], options: NeuralOptions, *,
    vectors: npt.NDArray[np.float32] | None = None,
    side_by_side: int = 8,
    progress: Callable[[int, int], None] | None = None,
) -> list[NeuralOutcome]:  # fmt: skip
    """Train one model per job and return their answers, in the order of the jobs.

    Of the options, `epochs`, `patience` and `checkpoint` are not used. At most `side_by_side`
    models learn in lockstep on a GPU; on a CPU they learn one by one. `progress` is called
    with the number of jobs done and the number of all.
    """
    device = choose_device(options.device)
    # Batches by words differ in number from model to model.
    most = side_by_side if device.type == "cuda" and not options.batch_tokens else 1
    groups: dict[tuple[object, ...], list[int]] = {}
    for number, job in enumerate(jobs):
        size = -(-np.size(np.asarray(job.train)) // options.batch)
        key = (size, job.epochs, job.every, job.during, job.parse)
        groups.setdefault(key, []).append(number)
    outcomes = [NeuralOutcome() for _ in jobs]
    done = 0
    with numerics(device, options.threads):
        for numbers in groups.values():
            for start in range(0, len(numbers), most):
                chosen = numbers[start : start + most]
                begun = time.perf_counter()
                courses = _run_together(data, [jobs[n] for n in chosen], options, vectors)
                took = (time.perf_counter() - begun) / len(chosen)
                for number, found in zip(chosen, courses, strict=True):
                    outcomes[number] = NeuralOutcome(found, took)
                done += len(chosen)
                if progress is not None:
                    progress(done, len(jobs))
    return outcomes


def _run_together(
    data: Encoded, jobs: Sequence[NeuralJob], options: NeuralOptions,
    vectors: npt.NDArray[np.float32] | None,
) -> list[dict[str, Course]]:  # fmt: skip
    learners = [
        Learner(data if job.data is None else job.data, np.asarray(job.train, np.int64), job.seed) for job in jobs
    ]
    models = Lockstep(learners, options, choose_device(options.device), vectors)
    sets = [{name: np.asarray(own, np.int64) for name, own in job.evaluate.items()} for job in jobs]
    asked = [np.unique(np.concatenate([*own.values(), np.zeros(0, np.int64)])) for own in sets]
    first = jobs[0]
    after: list[Answers] = []
    during: list[Answers] = []
    for number in range(1, first.epochs + 1):
        models.learn(number)
        if first.during:
            during.append(models.answers.copy())
        if first.every or number == first.epochs:
            after.append(models.evaluate(asked).copy())
    trees = _parsed(models, learners, asked, options) if first.parse else None
    answers = _gathered(after)
    found = []
    for model, own in enumerate(sets):
        found.append({name: _course(data, one, answers, model, trees) for name, one in own.items()})
    if first.during:
        answers = _gathered(during)
        for model, one in enumerate(learners):
            found[model]["during"] = _course(data, one.train, answers, model)
    return found


def _parsed(models: Lockstep, learners: Sequence[Learner], asked: Sequence[Longs], options: NeuralOptions) -> Parses:
    """Return the best trees by each model's relations, and which relations are of roots."""
    from treegauge.parsing.neural.parsers import DECODERS

    rooted, known = [], []
    for one in learners:
        words, size = one.data.words_of(one.train), int(one.data.sizes[3])
        names, root = one.data.relations[words], one.data.heads[words] == 0
        roots, others = (np.bincount(names[own], minlength=size) for own in (root, ~root))
        rooted.append(roots > others)
        known.append((roots + others > 0) & (np.arange(size) != UNKNOWN_LABEL))
    assert isinstance(options, BiaffineOptions)  # noqa: S101 - labels have no arcs
    decode = DECODERS[options.decoder]
    return models.parses(asked, decode, np.stack(rooted), np.stack(known))


def _gathered(answers: list[Answers]) -> list[npt.NDArray[Any]]:
    """Return (times, models, words) of each kind of answer."""
    return [np.stack([one.cpu().numpy() for one in kind]) for kind in zip(*answers, strict=True)]


def _course(
    data: Encoded, sentences: Longs, answers: list[npt.NDArray[Any]], model: int, trees: Parses | None = None
) -> Course:  # fmt: skip
    words = data.words_of(sentences)
    heads, relations, head, head_logs, relation, relation_logs = (one[:, model, words] for one in answers)
    head[head_logs <= NEVER] = -1
    relation[relation_logs <= NEVER] = -1
    return Course(
        sentences, words, heads, relations, head, head_logs, relation, relation_logs,
        *(() if trees is None else (one[model, words] for one in trees)),
    )  # fmt: skip
