"""The engine of neural parsers, which trains many small models at once on a CPU or a GPU."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.learning.recordings.jobs import Progress, TrainingJob, relation_arrays
from treegauge.learning.recordings.recording import Recording
from treegauge.parsing.base import check_training
from treegauge.parsing.neural.data import FIRST_LABEL
from treegauge.parsing.neural.options import BiaffineOptions
from treegauge.parsing.neural.preparation import chosen_vectors
from treegauge.parsing.neural.vocabulary import Vocabulary
from treegauge.treebanks.data.columns import concat


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
        from treegauge.parsing.neural.device import choose_device

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
            _check(job)
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
                    job.seed, options.epochs, every=job.every, during=job.when == "during",
                    partition=job.trees, parse=job.decode,
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
        during = job.when == "during"
        course = courses["during" if during else split]
        last = self.options.epochs
        learned = set(job.train.codes("deprel").values)
        relations = job.relations or tuple(name for name in known if name in learned)
        arrays: dict[str, Any] = {"head_logp": course.heads}
        if not during:
            arrays |= {"head_rival": course.rival_heads, "head_rival_logp": course.rival_head_logs}
        if course.partition is not None:
            arrays["trees_logp"] = course.partition[None].astype(np.float32)
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
                None if during else course.rival_relations - FIRST_LABEL,
                course.rival_relation_logs,
            ),
        )  # fmt: skip


def _check(job: TrainingJob) -> None:
    check_training(job.train, seed=job.seed)
    if job.when == "during":
        if list(job.read) != ["train"] or job.read["train"] is not job.train:
            raise TreegaugeError(
                f"cannot record {', '.join(job.read)} during epochs; only the words that are "
                "learned from, as split train, can be recorded then"
            )
        if not job.every:
            raise TreegaugeError("recording during epochs records every epoch, not only the last")
