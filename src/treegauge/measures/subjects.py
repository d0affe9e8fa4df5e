"""Treebanks to measure, from files, folders, whole releases or objects."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from treegauge.core.errors import TreegaugeError
from treegauge.measures.registry import MissingError
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import Errors, Source, split_of
from treegauge.treebanks.sources.inputs import Input, recognise_treebanks
from treegauge.treebanks.sources.matching import distinct_names


class LazyTreebank:
    """A treebank that is read on first use; an error in reading it is kept, too."""

    def __init__(self, read: Callable[[], Treebank]) -> None:
        self._read = read
        self.treebank: Treebank | None = None
        self.failure: TreegaugeError | None = None

    def __call__(self) -> Treebank:
        """Return the treebank, or raise what reading it raised."""
        if self.treebank is None and self.failure is None:
            try:
                self.treebank = self._read()
            except TreegaugeError as error:
                self.failure = error
        if self.treebank is None:
            raise self.failure or AssertionError("neither a treebank nor a failure")
        return self.treebank

    def forget(self) -> None:
        """Release the memory."""
        self.treebank = None


@dataclass(frozen=True)
class MeasuredSet:
    """One treebank, or a training set and a test set, with its name in results."""

    name: str
    split: str | None
    treebanks: tuple[LazyTreebank, ...]


@dataclass(frozen=True)
class Subject:
    """Treebanks that are read together: single ones to measure, and a pair to compare."""

    name: str
    singles: tuple[MeasuredSet, ...]
    pair: MeasuredSet | None = None

    @property
    def treebanks(self) -> list[LazyTreebank]:
        """All treebanks in it, each once."""
        sets = [*self.singles, *([self.pair] if self.pair else [])]
        return list(dict.fromkeys(lazy for measured_set in sets for lazy in measured_set.treebanks))


def subjects(sources: Sequence[Source | Treebank], split: str, errors: Errors) -> tuple[list[Subject], bool]:
    """Return the treebanks to measure, in order, and whether any is a folder.

    Exactly two files or treebanks form a pair.
    """
    inputs = [recognised for source in sources for recognised in recognise_treebanks([source], errors=errors)]
    paths = [recognised for recognised in inputs if recognised.given is None]
    names = distinct_names([recognised.path for recognised in paths], [recognised.name for recognised in paths])
    titles = dict(zip(map(id, paths), names, strict=True))
    found_subjects = [
        _folder(named, split) if named.kind == "treebank" else _file(named)
        for recognised in inputs
        for named in [replace(recognised, name=titles.get(id(recognised), recognised.name))]
    ]
    folders = any(recognised.kind == "treebank" for recognised in inputs)
    if len(found_subjects) == 2 and not folders:
        first, second = (subject.singles[0] for subject in found_subjects)
        name = f"{first.name} > {second.name}"
        pair = MeasuredSet(name, None, (*first.treebanks, *second.treebanks))
        return [Subject(name, (first, second), pair)], folders
    return found_subjects, folders


def _file(source: Input) -> Subject:
    split = split_of(source.path) if source.given is None else None
    return Subject(source.name, (MeasuredSet(source.name, split, (LazyTreebank(source.read),)),))


def _folder(source: Input, split: str) -> Subject:
    def read(which: str) -> Treebank:
        if which == "all":
            return source.read()
        if which not in source.splits:
            names = ", ".join(source.splits) or "files without a split"
            raise MissingError(f"{source.name} has no {which} set, only {names}")
        return source.read(which)

    lazies = {which: LazyTreebank(partial(read, which)) for which in dict.fromkeys([split, "train", "test"])}
    single = MeasuredSet(source.name, split, (lazies[split],))
    pair = MeasuredSet(source.name, "train/test", (lazies["train"], lazies["test"]))
    return Subject(source.name, (single,), pair)
