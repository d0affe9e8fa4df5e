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

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import ChoiceError, TreegaugeError, check_options, check_whole
from treegauge.core.messages import note, progress
from treegauge.core.platforms import map_threads
from treegauge.core.plugins import PluginError
from treegauge.core.result import sign
from treegauge.core.verbs import verb
from treegauge.measures.intervals import MatchedSamples, measure_interval, text_units_of
from treegauge.measures.measurements import Measured, Measures
from treegauge.measures.registry import FAMILIES, Measure, MissingError, Values, measures, selected_measures
from treegauge.statistics.units import LEAST_UNITS, text_units
from treegauge.treebanks.data.columns import MOSTLY, Treebank
from treegauge.treebanks.data.frames import drop_words
from treegauge.treebanks.data.indexing import document_starts
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
    punct: bool = True,
    by: str | None = None,
    size: str | int | None = None,
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
    punct
        Whether words tagged PUNCT count. Without them, positions are counted again, and their dependents get
        the nearest other ancestor as head.
    by
        One row per group of sentences: comment:genre groups by the comment "# genre = ..." of sentences or
        documents, newdoc:2 by the first two parts of document IDs, split by training, dev and test set.
    size
        Measure random samples of this number of words (means over 100), so that treebanks of different sizes can be
        compared; smallest takes half of the words of the smallest one.
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
        names, sources, split=split, errors=errors, seed=seed, punct=punct, by=by, size=size,
        interval=(resamples, level) if interval else None, units=units,
    )  # fmt: skip


@dataclass(frozen=True)
class Manner:
    """How treebanks are measured: which words and groups, in samples of which size, with which intervals.

    An interval has resamples and level; without one it is None.
    """

    punct: bool = True
    by: str | None = None
    size: int | None = None
    interval: tuple[int, float] | None = None
    units: str = "auto"
    seed: int = 0


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
    """One treebank, or a training set and a test set, with its name in results; or one group of their sentences."""

    name: str
    split: str | None
    treebanks: tuple[LazyTreebank, ...]
    group: str | None = None


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
#: Minimum number of words in samples of one size.
LEAST_SIZE = 100
_DOCUMENT = ("newdoc id", "newdoc_id", "newdoc")


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
    punct: bool = True,
    by: str | None = None,
    size: str | int | None = None,
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
    _check_group(by)
    todo, folders = subjects(sources, split, errors, by_split=by == "split")
    pairs = [m.name for m in chosen if m.pair and m.name in names]
    if pairs and not any(subject.pair for subject in todo):
        raise TreegaugeError(
            f"{pairs[0]} compares a training set and a test set: expected two files (TRAIN TEST) "
            f"or folders of treebanks, found {len(todo)} file{'s' if len(todo) > 1 else ''}"
        )
    manner = Manner(punct, by, None, interval, units, seed)
    threads = workers or os.cpu_count() or 1
    if size is not None:
        manner = _sized(size, todo, manner, threads)
    done: list[_MeasuredSubject] = []
    with progress("treebanks", len(todo)) as task:
        for result in map_threads(partial(_measure, chosen=chosen, wanted=names, manner=manner), todo, threads):
            done.append(result)
            task.advance()
    failures = [subject.failure for subject in done if subject.failure is not None]
    measured = [row for subject in done for row in subject.measured]
    if len(failures) == len(done):
        raise failures[0]
    if by is not None and by != "split" and measured and not any(row.group for row in measured):
        raise TreegaugeError(measured[0].missing or f"by: no treebank has groups by {by}")
    averages = _averages(chosen, measured) if len(todo) > 1 and by is None else []
    kinds = {row.units.split()[1] for row in measured if row.units}
    digest = sha256("".join(text for subject in done for text in subject.digests).encode()).hexdigest()
    title = todo[0].name if len(todo) == 1 else f"{len(todo)}treebanks"
    signature = sign(
        m=",".join(names), tb=f"{title}#{digest[:6]}", split=split if folders and by != "split" else None,
        errors=errors, punct=None if punct else False, by=by, size=manner.size,
        draws=manner.units if size is not None else None,
        ci=f"{interval[0]}@{interval[1]}" if interval else None,
        units=(kinds.pop() if len(kinds) == 1 else "auto") if interval else None,
        seed=seed if interval or size is not None or any(m.seeded for m in chosen) else None,
    )  # fmt: skip
    return Measures((*measured, *averages), signature)


def _check_group(by: str | None) -> None:
    kind, _, value = (by or "split").partition(":")
    wrong = {"comment": not value, "newdoc": bool(value) and not value.isdecimal(), "split": bool(value)}
    if wrong.get(kind, True) or value == "0":
        raise TreegaugeError(
            f"by: expected comment:NAME such as comment:genre, newdoc, newdoc:NUMBER or split, found {by}"
        )


def sentence_groups(treebank: Treebank, by: str) -> list[str | None]:
    r"""Return the group of each sentence; None where it has none.

    A comment of the first sentence of a document holds for the document. The parts of a document's ID
    are separated by ``_``, ``-``, ``.``, ``:`` or ``/``.

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> word = "1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    >>> bank = parse_conllu(f"# newdoc id = W_news_a\n# genre = news\n{word}{word}# newdoc id = W_b\n{word}")
    >>> sentence_groups(bank, "comment:genre"), sentence_groups(bank, "newdoc:1")
    (['news', 'news', None], ['W', 'W', 'W'])
    """
    kind, _, value = by.partition(":")
    groups: list[str | None] = []
    current: str | None = None
    seen: set[str] = set()
    inherited = False  # a comment of a document holds for its sentences, that of a sentence for it alone
    for sentence, starts in zip(treebank, document_starts(treebank).tolist(), strict=True):
        comments = sentence.metadata
        seen |= comments.keys()
        if kind == "comment":
            own = comments.get(value)
            if starts:
                current, inherited = own, own is not None
            groups.append(own if own is not None else current if inherited else None)
        else:
            if starts:
                name = next((comments[key] for key in _DOCUMENT if key in comments), None)
                parts = re.split(r"([_\-.:/])", name or "")
                current = name if not value else "".join(parts[: 2 * int(value) - 1]) or None
            groups.append(current)
    if not any(groups):
        named = ", ".join(sorted(seen)[:12]) or "none"
        what = f"'# {value} = ...'" if kind == "comment" else "'# newdoc id = ...'"
        raise MissingError(f"{treebank.name} has no comment {what}; its comments are {named}")
    return groups


def _parts(target: MeasuredSet, manner: Manner) -> list[MeasuredSet]:
    """Return a set as it is measured: without punctuation if wanted, one for each group."""
    lazies = target.treebanks
    if not manner.punct:
        target = replace(target, treebanks=tuple(LazyTreebank(partial(_without_punct, lazy)) for lazy in lazies))
    by = manner.by
    if by is None or by == "split":
        return [target]
    try:
        labels = [sentence_groups(lazy(), by) for lazy in target.treebanks]
    except TreegaugeError as error:
        return [replace(target, treebanks=(LazyTreebank(partial(_raise, error)),) * len(lazies))]
    common = set(labels[0]).intersection(*labels[1:])
    parts = []
    for group in sorted(name for name in common if name is not None):
        masks = [np.array([name == group for name in names], bool) for names in labels]
        chosen = [LazyTreebank(partial(_rows, *pair)) for pair in zip(target.treebanks, masks, strict=True)]
        parts.append(replace(target, treebanks=tuple(chosen), group=group))
    return parts


def _raise(error: TreegaugeError) -> Treebank:
    raise error


def _rows(lazy: LazyTreebank, mask: npt.NDArray[np.bool_]) -> Treebank:
    return lazy().take(np.flatnonzero(mask))


def _without_punct(lazy: LazyTreebank) -> Treebank:
    treebank = lazy()
    codes, tags = treebank.codes("upos")
    if treebank.blank_shares["upos"] > MOSTLY:
        raise MissingError(f"{treebank.name} has no UPOS, which marks punctuation")
    return drop_words(treebank, codes == tags.index("PUNCT")) if "PUNCT" in tags else treebank


def _sized(size: str | int, todo: Sequence[Subject], manner: Manner, threads: int) -> Manner:
    """Return the size of samples in words, and the units that they are drawn from in all treebanks."""
    text = str(size)
    if text != "smallest" and not (text.isdecimal() and int(text) >= LEAST_SIZE):
        raise TreegaugeError(f"size: expected a number of words, at least {LEAST_SIZE}, or smallest, found {text}")
    facts: list[tuple[int, int, str]] = []
    for counted in map_threads(partial(_counted, manner=manner), list(todo), threads):
        facts += counted
    if not facts:
        return replace(manner, size=LEAST_SIZE)
    words, _, name = min(facts)
    chosen = words // 2 if text == "smallest" else int(text)
    if chosen < LEAST_SIZE:
        raise TreegaugeError(
            f"size: half of {name} are {chosen} words, too few for a sample (at least {LEAST_SIZE}); leave it out, "
            "or give a number of words, which leaves smaller treebanks without a value"
        )
    if text == "smallest":
        note(f"samples of {chosen:,} words: half of {name}, the smallest")
    units = manner.units
    if units == "auto":
        bare = [one for _, documents, one in facts if documents < LEAST_UNITS]
        units = "sentences" if bare else "documents"
        if 0 < len(bare) < len(facts):
            note(
                f"samples are of sentences in all treebanks, since {len(bare)} (such as {bare[0]}) have fewer than "
                f"{LEAST_UNITS} documents; words of one document repeat, so samples of documents have fewer forms"
            )
    return replace(manner, size=chosen, units=units)


def _counted(subject: Subject, manner: Manner) -> list[tuple[int, int, str]]:
    """Return the words, the documents and the name of each part of a subject that can be read."""
    facts = []
    for target in subject.singles:
        for part in _parts(target, manner):
            try:
                treebank = part.treebanks[0]()
            except TreegaugeError:
                continue
            name = f"{part.name}, {part.group}" if part.group else part.name
            facts.append((treebank.n_words, int(document_starts(treebank).sum()), name))
            part.treebanks[0].forget()
    for lazy in subject.treebanks:
        lazy.forget()
    return facts


def _measure(subject: Subject, chosen: list[Measure], wanted: Sequence[str], manner: Manner) -> _MeasuredSubject:
    """Compute measures of a subject; of the `wanted` ones, a plug-in that fails is an error."""
    singles = [part for target in subject.singles for part in _parts(target, manner)]
    pairs = _parts(subject.pair, manner) if subject.pair and any(one.pair for one in chosen) else []
    samples: dict[MeasuredSet, MatchedSamples] = {}
    rows = [
        _measure_set(one, target, one.name in wanted, manner, samples)
        for one in chosen
        for target in (pairs if one.pair else singles)
    ]
    digests, failure = [], None
    for lazy in subject.treebanks:
        if lazy.treebank is not None:
            digests.append(lazy.treebank.digest)
        elif lazy.failure is not None and not isinstance(lazy.failure, MissingError):
            failure = lazy.failure
        lazy.forget()
    return _MeasuredSubject(rows, digests, failure)


def _measure_set(
    measure: Measure, target: MeasuredSet, needed: bool, manner: Manner, samples: dict[MeasuredSet, MatchedSamples]
) -> Measured:
    row = Measured(measure.name, target.name, target.split, None, group=target.group)
    interval, units = manner.interval, manner.units
    try:
        if measure.needs_punct and not manner.punct:
            raise MissingError(f"{measure.name} is not defined without punctuation: {measure.needs_punct}")
        treebanks = [lazy() for lazy in target.treebanks]
        if manner.size is not None:
            return _measure_samples(measure, row, target, treebanks[0], manner, samples)
        row = replace(row, value=measure(*treebanks, seed=manner.seed))
        if interval is not None and measure.additive is not None:
            resamples, level = interval
            with measure.naming_errors():
                limits = measure_interval(
                    measure, *treebanks, resamples=resamples, level=level, seed=manner.seed, units=units
                )
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
            said = few.note(level)
            row = replace(row, note=f"{_titled(target)}: {said}" if own else None)
    for column in measure.watched:
        share = treebanks[0].blank_shares[column]
        if share >= NOTICED:
            said = f"{treebanks[0].name} has '_' as {column.upper()} of {share:.0%} of words"
            row = replace(row, note=f"{row.note}; {said}" if row.note else said)
    return row


def _titled(target: MeasuredSet) -> str:
    return f"{target.name}, {target.group}" if target.group else target.name


def _measure_samples(
    measure: Measure, row: Measured, target: MeasuredSet, treebank: Treebank, manner: Manner,
    samples: dict[MeasuredSet, MatchedSamples],
) -> Measured:  # fmt: skip
    """Return the mean of a measure over samples of one size, with an interval if wanted."""
    if measure.pair:
        raise MissingError(f"{measure.name} compares two sets; samples of one size are of one treebank")
    if target not in samples:
        samples[target] = MatchedSamples(treebank, manner.size or 0, units=manner.units, seed=manner.seed)
    drawn = samples[target]
    row = replace(row, value=drawn.value(measure))
    if manner.interval is None or isinstance(row.value, dict):
        return row
    level = manner.interval[1]
    limits = drawn.interval(measure, level)
    if isinstance(limits, str):
        return replace(row, note=f"no interval: {limits}")
    said = f"{_titled(target)}: {drawn.units.note(level)}"
    return replace(row, interval=limits, units=f"{drawn.units.number} {drawn.units.kind}", note=said)


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


def subjects(
    sources: Sequence[Source | Treebank], split: str, errors: Errors, *, by_split: bool = False
) -> tuple[list[Subject], bool]:
    """Return the treebanks to measure, in order, and whether any is a folder.

    Exactly two files or treebanks form a pair. With `by_split` each set of a folder is measured.
    """
    inputs = [recognised for source in sources for recognised in recognise_treebanks([source], errors=errors)]
    paths = [recognised for recognised in inputs if recognised.given is None]
    names = distinct_names([recognised.path for recognised in paths], [recognised.name for recognised in paths])
    titles = dict(zip(map(id, paths), names, strict=True))
    found_subjects = [
        _folder(named, split, by_split) if named.kind == "treebank" else _file(named)
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


def _folder(source: Input, split: str, by_split: bool) -> Subject:
    def read(which: str) -> Treebank:
        if which == "all":
            return source.read()
        if which not in source.splits:
            names = ", ".join(source.splits) or "files without a split"
            raise MissingError(f"{source.name} has no {which} set, only {names}")
        return source.read(which)

    wanted = [which for which in SPLITS if which in source.splits] if by_split else [split]
    lazies = {which: LazyTreebank(partial(read, which)) for which in dict.fromkeys([*wanted, "train", "test"])}
    singles = tuple(MeasuredSet(source.name, which, (lazies[which],)) for which in wanted)
    pair = MeasuredSet(source.name, "train/test", (lazies["train"], lazies["test"]))
    return Subject(source.name, singles, pair)
