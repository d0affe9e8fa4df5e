"""What shall be trained and looked at, apart from who does it."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from treegauge import __version__
from treegauge.dynamics.recording import Recording
from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.columns import Treebank

__all__ = ["Engine", "Job", "Keeping", "Progress", "relation_names"]

When = Literal["after", "during"]
Progress = Callable[[int, int | None], None]
"""Called with the number of models trained so far and in all."""


@dataclass(frozen=True, eq=False)
class Job:
    """One model to be trained, and what to record of it.

    Parameters
    ----------
    train
        What it learns from.
    read
        Treebanks to look at, by part: ``train``, ``dev`` and so on.
    seed
        Of the training.
    relations
        All relations there may be, also those that `train` lacks.
    every
        Record after every epoch, or only at the end.
    trees
        Also record what share of probability is that of trees.
    when
        ``after`` each epoch in evaluation mode, or ``during`` it, as a word is learned from.
    """

    train: Treebank
    read: Mapping[str, Treebank]
    seed: int = 0
    relations: tuple[str, ...] = ()
    every: bool = True
    trees: bool = False
    when: When = "after"

    @property
    def words(self) -> dict[str, object]:
        """What the job is, for signatures and for names of files."""
        return {
            "train": self.train.mark,
            "record": self.when if self.every else "last",
            "seed": self.seed,
        }


class Engine(Protocol):
    """Whatever trains models: one parser after the other here, many at once elsewhere."""

    @property
    def label(self) -> str:
        """What is trained, options included; equal labels and jobs give equal recordings."""

    def __call__(
        self, jobs: Sequence[Job], progress: Progress | None = None
    ) -> list[dict[str, Recording]]:
        """Train each job's model; returns its recordings by part, in the order of the jobs."""


@dataclass(frozen=True)
class Keeping:
    """An engine that keeps every recording in a folder and never makes one twice.

    Parameters
    ----------
    engine
        Who trains what is not there yet; told apart by its ``key`` if it has one, else its label,
        and given as many jobs in a call as its ``at_once`` says, else one.
    folder
        Where recordings are kept; made if need be.
    """

    engine: Engine
    folder: Path
    label: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "label", self.engine.label)

    def _paths(self, job: Job) -> dict[str, Path]:
        paths = {}
        key = getattr(self.engine, "key", self.label)
        for part, treebank in job.read.items():
            told = [
                __version__,
                key,
                job.train.digest,
                treebank.digest,
                part,
                job.seed,
                job.relations,
            ]
            told += [job.every, job.trees, job.when]
            mark = hashlib.sha256(repr(told).encode()).hexdigest()[:16]
            name = job.train.name.replace("/", "-")
            paths[part] = self.folder / f"{name}.{part}.{mark}.npz"
        return paths

    def __call__(
        self, jobs: Sequence[Job], progress: Progress | None = None
    ) -> list[dict[str, Recording]]:
        """Train what is missing, few jobs at a time, so that what is done is never lost."""
        self.folder.mkdir(parents=True, exist_ok=True)
        paths = [self._paths(job) for job in jobs]
        missing = [
            i for i, own in enumerate(paths) if not all(path.exists() for path in own.values())
        ]
        made = {}
        size = getattr(self.engine, "at_once", 1)
        for start in range(0, len(missing), size):
            some = missing[start : start + size]
            for i, found in zip(some, self.engine([jobs[i] for i in some]), strict=True):
                made[i] = found
                for part, path in paths[i].items():
                    found[part].save(path)
            if progress:
                progress(len(jobs) - len(missing) + start + len(some), len(jobs))
        if progress and not missing:
            progress(len(jobs), len(jobs))
        return [
            made.get(i) or {part: Recording.load(path) for part, path in own.items()}
            for i, own in enumerate(paths)
        ]


def relation_names(*treebanks: Treebank) -> tuple[str, ...]:
    """Return the relations of treebanks in alphabetical order.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> relation_names(synthetic(50, seed=1))[:2]
    ('acl', 'acl:relcl')
    """
    return tuple(sorted({name for tb in treebanks for name in tb.codes("deprel").values}))


def check_same(recordings: Sequence[Recording]) -> None:
    """Refuse recordings that are not of the same words."""
    if not recordings:
        raise TreegaugeError("expected at least one recording, found none")
    first = recordings[0]
    for other in recordings[1:]:
        if (other.treebank, other.n_words) != (first.treebank, first.n_words):
            raise TreegaugeError(
                f"found recordings of {first.treebank} with {first.n_words} words and of "
                f"{other.treebank} with {other.n_words}; expected the same words"
            )
