"""The verb ``measure``: measures of treebanks, and of training and test sets."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from treegauge.core.errors import ChoiceError, TreegaugeError, check_options, check_whole
from treegauge.core.messages import progress
from treegauge.core.platforms import map_threads
from treegauge.core.plugins import PluginError
from treegauge.core.result import sign
from treegauge.core.verbs import verb
from treegauge.measures.intervals import measure_interval, text_units_of
from treegauge.measures.measurements import Measured, Measures
from treegauge.measures.registry import FAMILIES, Measure, MissingError, Values, measures, selected_measures
from treegauge.statistics.units import text_units
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.sources.files import SPLITS, Errors, Source, split_of
from treegauge.treebanks.sources.inputs import Input, recognise_treebanks
from treegauge.treebanks.sources.matching import distinct_names

if TYPE_CHECKING:
    from treegauge.measures.measurements import Measures
    from treegauge.treebanks.data.columns import Treebank


Split = Literal["train", "dev", "test", "all"]


@verb
def measure(
    names: str | Sequence[str] = "all",
    *sources: "str | PathLike[str] | Treebank",
    split: Split = "train",
    interval: bool = False,
    resamples: int = 1000,
    level: float = 0.95,
    units: Literal["auto", "documents", "sentences"] = "auto",
    seed: int = 0,
    errors: Errors = "strict",
) -> "Measures":
    """Measure treebanks: displacement, structure, morphology, vocabulary.

    A value that is undefined for a treebank is left empty, with the reason. Without treebanks, the
    measures are listed: what each means, its range, and whether there is an interval.

    Parameters
    ----------
    names
        Measures or families of them, separated by commas, or ``all``.
    *sources
        Further measures, then files, folders such as UD_Greek-GDT, folders of such folders, or
        treebanks. Two files are a training set and a test set.
    split
        The set to measure in each folder. Measures of a pair compare the training set and the test
        set of a folder, or two files.
    interval
        Add confidence intervals over documents or sentences, if there are enough of them.
    resamples
        Number of bootstrap resamples for intervals of distances.
    units
        Units of intervals: documents, sentences, or auto (documents if "# newdoc" comments mark at
        least ten).

    Returns
    -------
    Measures
        Values per treebank, in the order of the names. A treebank that cannot be read has the
        reason instead; it is an error if none can be read.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> result = measure("words,edv", synthetic(100, seed=1), synthetic(100, seed=2))
    >>> [(row.measure, row.treebank) for row in result.measured]
    [('words', 'syn-1'), ('words', 'syn-2'), ('edv', 'syn-1 > syn-2')]
    >>> print(measure("slv,edv").table["meaning"][1])
    distance between the displacements of train and test
    """
    return measure_all(
        names, sources, split=split, errors=errors, seed=seed,
        interval=(resamples, level) if interval else None, units=units,
    )  # fmt: skip


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


#: From this share on, ``_`` in a watched column is reported with the value.
NOTICED = 0.01


class _MeasuredSubject(NamedTuple):
    """All measures of one subject, digests of its treebanks, and the error if unreadable."""

    measured: list[Measured]
    digests: list[str]
    failure: TreegaugeError | None


def names_and_sources(
    names: str | Sequence[str], sources: Sequence[Source | Treebank]
) -> tuple[list[str], Sequence[Source | Treebank]]:
    """Return the names of measures, also those given before the sources, and the sources.

    A file or folder that has the name of a measure is a source; without a name, it is all measures.

    Examples
    --------
    >>> names_and_sources("mdd", ["mean_length,words", "el_gdt"])
    (['mdd', 'mean_length', 'words'], ['el_gdt'])
    >>> names_and_sources("UD_Greek-GDT", [])
    (['all'], ['UD_Greek-GDT'])
    """
    wanted = names.split(",") if isinstance(names, str) else list(names)
    known = {"all", *FAMILIES, *measures()}
    if not known.intersection(wanted) and all(re.search(r"\W", word) or Path(word).exists() for word in wanted):
        wanted, sources = ["all"], [*([names] if isinstance(names, str) else names), *sources]

    def more(source: Source | Treebank) -> list[str]:
        words = source.split(",") if isinstance(source, str) else []
        return words if words and known.issuperset(words) and not Path(str(source)).exists() else []

    first = next((i for i, source in enumerate(sources) if not more(source)), len(sources))
    for source in sources[:first]:
        wanted += more(source)
    if late := next((source for source in sources[first:] if more(source)), None):
        raise TreegaugeError(f"{late}: no such file or folder; it is a measure: name measures before the files")
    return list(dict.fromkeys(wanted)), sources[first:]


def measure_all(
    names: str | Sequence[str],
    sources: Sequence[Source | Treebank],
    *,
    split: str,
    errors: Errors,
    interval: tuple[int, float] | None,
    seed: int,
    units: str = "auto",
    workers: int | None = None,
) -> Measures:
    """Return measures of treebanks; `interval` has resamples and level, or None for no interval."""
    names, sources = names_and_sources(names, sources)
    chosen = selected_measures(names)
    if not sources:
        return Measures((), sign(v="measures"), tuple(chosen))
    check_whole("seed", seed)
    check_whole("workers", 1 if workers is None else workers, 1)
    if interval is not None:
        check_options(seed, interval[0], "resamples", interval[1])
        text_units(1, units)
    if split not in (*SPLITS, "all"):
        raise ChoiceError("split", split, (*SPLITS, "all"))
    todo, folders = subjects(sources, split, errors)
    pairs = [m.name for m in chosen if m.pair and m.name in names]
    if pairs and not any(subject.pair for subject in todo):
        raise TreegaugeError(
            f"{pairs[0]} compares a training set and a test set: expected two files (TRAIN TEST) "
            f"or folders of treebanks, found {len(todo)} file{'s' if len(todo) > 1 else ''}"
        )
    done: list[_MeasuredSubject] = []
    with progress("treebanks", len(todo)) as task:
        threads = workers or os.cpu_count() or 1
        how = partial(_measure, chosen=chosen, wanted=names, interval=interval, seed=seed, units=units)
        for result in map_threads(how, todo, threads):
            done.append(result)
            task.advance()
    failures = [subject.failure for subject in done if subject.failure is not None]
    if len(failures) == len(done):
        raise failures[0]
    measured = [row for subject in done for row in subject.measured]
    averages = _averages(chosen, measured) if len(todo) > 1 else []
    kinds = {row.units.split()[1] for row in measured if row.units}
    digest = sha256("".join(text for subject in done for text in subject.digests).encode()).hexdigest()
    title = todo[0].name if len(todo) == 1 else f"{len(todo)}treebanks"
    signature = sign(
        m=",".join(names), tb=f"{title}#{digest[:6]}", split=split if folders else None,
        errors=errors, ci=f"{interval[0]}@{interval[1]}" if interval else None,
        units=(kinds.pop() if len(kinds) == 1 else "auto") if interval else None,
        seed=seed if interval or any(m.seeded for m in chosen) else None,
    )  # fmt: skip
    return Measures((*measured, *averages), signature)


def _measure(
    subject: Subject, chosen: list[Measure], wanted: Sequence[str], interval: tuple[int, float] | None, seed: int,
    units: str,
) -> _MeasuredSubject:  # fmt: skip
    """Compute measures of a subject; of the `wanted` ones, a plug-in that fails is an error."""
    rows = []
    for measured_set in chosen:
        sets = subject.singles if not measured_set.pair else [subject.pair] if subject.pair else []
        needed = measured_set.name in wanted
        rows += [_measure_set(measured_set, target, needed, interval, seed, units) for target in sets]
    digests, failure = [], None
    for lazy in subject.treebanks:
        if lazy.treebank is not None:
            digests.append(lazy.treebank.digest)
        elif lazy.failure is not None and not isinstance(lazy.failure, MissingError):
            failure = lazy.failure
        lazy.forget()
    return _MeasuredSubject(rows, digests, failure)


def _measure_set(
    measure: Measure, target: MeasuredSet, needed: bool, interval: tuple[int, float] | None, seed: int, units: str
) -> Measured:
    row = Measured(measure.name, target.name, target.split, None)
    try:
        treebanks = [lazy() for lazy in target.treebanks]
        row = replace(row, value=measure(*treebanks, seed=seed))
        if interval is not None and measure.additive is not None:
            resamples, level = interval
            with measure.naming_errors():
                limits = measure_interval(measure, *treebanks, resamples=resamples, level=level, seed=seed, units=units)
    except TreegaugeError as error:
        if needed and isinstance(error, PluginError):
            raise
        return replace(row, missing=str(error).partition("\n")[0])
    if interval is not None and measure.additive is not None:
        if isinstance(limits, str):
            row = replace(row, note=f"no interval: {limits}")
        else:
            each = text_units_of(*treebanks, wanted=units)
            few, counted = min(each, key=lambda one: one.number), measure.additive.units
            own = counted == "sentences"
            row = replace(
                row, interval=limits, units=f"{few.number} {few.kind}" if own else f"{len(treebanks)} {counted}"
            )
            note = few.note(level)
            row = replace(row, note=f"{target.name}: {note}" if own else None)
    for column in measure.watched:
        share = treebanks[0].blank_shares[column]
        if share >= NOTICED:
            note = f"{treebanks[0].name} has '_' as {column.upper()} of {share:.0%} of words"
            row = replace(row, note=f"{row.note}; {note}" if row.note else note)
    return row


def _averages(chosen: list[Measure], measured: list[Measured]) -> list[Measured]:
    """Return the measures that are defined as averages over treebanks."""
    rows = []
    for measure in chosen:
        values = [
            {key: value for key, value in row.value.items() if value is not None}
            for row in measured
            if row.measure == measure.name and isinstance(row.value, dict)
        ]
        if measure.average is not None and len(values) > 1:
            average: Values = dict(measure.average(values))
            name = f"average of {len(values)} treebanks"
            rows.append(Measured(measure.name, name, None, average, averaged=len(values)))
    return rows


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
