"""Measure many treebanks at once."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from treegauge.measures.checks import blank
from treegauge.measures.intervals import interval
from treegauge.measures.registry import Measure, MissingError, Values, select
from treegauge.measures.results import Measured, Measures
from treegauge.measures.subjects import Subject, Target, subjects
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.result import sign
from treegauge.statistics.checks import check_options, check_whole
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.conllu import Errors
from treegauge.treebanks.sources import SPLITS, Source

PARTS = (*SPLITS, "all")
#: From this share on, ``_`` in a watched column is told beside the value.
NOTICED = 0.01


@dataclass(frozen=True)
class Resampling:
    """How intervals are made."""

    resamples: int = 1000
    level: float = 0.95


@dataclass(frozen=True)
class _Done:
    """All measures of one subject, digests of its treebanks, and why one could not be read."""

    measured: list[Measured]
    digests: list[str]
    failure: TreegaugeError | None


def measure(
    names: str | Sequence[str],
    *sources: Source | Treebank,
    part: str = "train",
    errors: Errors = "strict",
    resampling: Resampling | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Measures:
    """Measure treebanks.

    Parameters
    ----------
    names
        Measures or families of them, as a list or separated by commas, or ``"all"``.
    sources
        Files, patterns, folders of a treebank, folders of such folders, or treebanks. Measures of
        one treebank are taken of each; those of a pair compare train and test of each folder, or
        the two files or treebanks if these are two.
    part
        The part of a folder that measures of one treebank are of: ``"train"``, ``"dev"``,
        ``"test"`` or ``"all"`` of them together.
    errors
        What to do about malformed sentences, as for :func:`treegauge.read_conllu`.
    resampling
        How to make intervals; none without it.
    seed
        Seed of random samples and of intervals.
    threads
        How many treebanks at a time; as many as there are processors by default. No result depends
        on it.
    progress
        Called after each treebank with how many are done and how many there are.

    Returns
    -------
    Measures
        Values, each treebank's in the order asked for. A value that a treebank does not have is
        None with the reason; so are all of a treebank that cannot be read, unless none can.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> found = measure("words,edv", synthetic(100, seed=1), synthetic(100, seed=2))
    >>> [(one.measure, one.treebank) for one in found.measured]
    [('words', 'syn-1'), ('words', 'syn-2'), ('edv', 'syn-1 > syn-2')]
    """
    chosen = select(names)
    check_whole("seed", seed)
    check_whole("threads", 1 if threads is None else threads, 1)
    if resampling is not None:
        check_options(seed, resampling.resamples, "resamples", resampling.level)
    if part not in PARTS:
        raise ChoiceError("part", part, PARTS)
    found = subjects(sources, part, errors)
    wanted = names.split(",") if isinstance(names, str) else list(names)
    _check_pairs([m for m in chosen if m.pair and m.name in wanted], found)
    done: list[_Done] = []
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for one in pool.map(lambda subject: _measure(subject, chosen, resampling, seed), found):
            done.append(one)
            if progress is not None:
                progress(len(done), len(found))
    failures = [one.failure for one in done if one.failure is not None]
    if len(failures) == len(done):
        raise failures[0]
    measured = [row for one in done for row in one.measured]
    averages = _averages(chosen, measured) if len(found) > 1 else []
    digest = sha256("".join(text for one in done for text in one.digests).encode()).hexdigest()
    title = found[0].name if len(found) == 1 else f"{len(found)}treebanks"
    signature = sign(
        m=",".join(wanted), tb=f"{title}#{digest[:6]}",
        part=part if any(isinstance(s, str | Path) and Path(s).is_dir() for s in sources) else None,
        errors=errors,
        ci=f"{resampling.resamples}@{resampling.level}" if resampling else None,
        seed=seed if resampling or any(m.seeded for m in chosen) else None,
    )  # fmt: skip
    return Measures((*measured, *averages), signature)


def _check_pairs(pairs: list[Measure], found: list[Subject]) -> None:
    """Refuse to compare when it is not clear what with what."""
    if pairs and not any(subject.pair for subject in found):
        raise TreegaugeError(
            f"{pairs[0].name} compares a train and a test part: expected two files (TRAIN TEST) "
            f"or folders of treebanks, found {len(found)} file{'s' if len(found) > 1 else ''}"
        )


def _measure(
    subject: Subject, chosen: list[Measure], resampling: Resampling | None, seed: int
) -> _Done:
    rows = []
    for one in chosen:
        targets = subject.singles if not one.pair else [subject.pair] if subject.pair else []
        rows += [_measure_one(one, target, resampling, seed) for target in targets]
    digests, failure = [], None
    for lazy in subject.treebanks:
        if lazy.treebank is not None:
            digests.append(lazy.treebank.digest)
        elif lazy.failure is not None and not isinstance(lazy.failure, MissingError):
            failure = lazy.failure
        lazy.forget()
    return _Done(rows, digests, failure)


def _measure_one(
    measure: Measure, target: Target, resampling: Resampling | None, seed: int
) -> Measured:
    row = Measured(measure.name, target.name, target.part, None)
    try:
        treebanks = [lazy() for lazy in target.treebanks]
        row = replace(row, value=measure(*treebanks, seed=seed))
    except TreegaugeError as error:
        return replace(row, missing=str(error).partition("\n")[0])
    if resampling is not None and measure.additive is not None:
        limits = interval(
            measure, *treebanks, resamples=resampling.resamples, level=resampling.level, seed=seed
        )
        row = replace(row, interval=limits)
    for column in measure.watched:
        share = blank(treebanks[0], column).mean()
        if share >= NOTICED:
            note = f"{treebanks[0].name} has '_' as {column.upper()} of {share:.0%} of words"
            row = replace(row, note=note)
    return row


def _averages(chosen: list[Measure], measured: list[Measured]) -> list[Measured]:
    """Average over treebanks what is defined as an average over treebanks."""
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
