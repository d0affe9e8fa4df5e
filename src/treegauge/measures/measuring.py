"""Computing measures of many treebanks at once, with their confidence intervals."""

import os
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from treegauge.core.errors import ChoiceError, TreegaugeError, check_options, check_whole
from treegauge.core.messages import progress
from treegauge.core.result import sign
from treegauge.core.threads import map_threads
from treegauge.measures.counting import blank
from treegauge.measures.measurements import Measured, Measures
from treegauge.measures.registry import Measure, MissingError, Values, select
from treegauge.measures.subjects import MeasuredSet, Subject, subjects
from treegauge.statistics.resampling import Units, bootstrap_sums
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.sources import SPLITS, Errors, Source

#: From this share on, ``_`` in a watched column is reported beside the value.
NOTICED = 0.01


class _MeasuredSubject(NamedTuple):
    """All measures of one subject, digests of its treebanks, and why one could not be read."""

    measured: list[Measured]
    digests: list[str]
    failure: TreegaugeError | None


def measure_all(
    names: str | Sequence[str],
    sources: Sequence[Source | Treebank],
    *,
    split: str,
    errors: Errors,
    interval: tuple[int, float] | None,
    seed: int,
    workers: int | None,
) -> Measures:
    """Return measures of treebanks; `interval` is resamples and level, or None for no intervals."""
    chosen = select(names)
    if not sources:
        raise TreegaugeError("nothing to measure: name files, folders or treebanks")
    check_whole("seed", seed)
    check_whole("workers", 1 if workers is None else workers, 1)
    if interval is not None:
        check_options(seed, interval[0], "resamples", interval[1])
    if split not in (*SPLITS, "all"):
        raise ChoiceError("split", split, (*SPLITS, "all"))
    given, folders = subjects(sources, split, errors)
    wanted = names.split(",") if isinstance(names, str) else list(names)
    pairs = [m.name for m in chosen if m.pair and m.name in wanted]
    if pairs and not any(subject.pair for subject in given):
        raise TreegaugeError(
            f"{pairs[0]} compares a training set and a test set: expected two files (TRAIN TEST) "
            f"or folders of treebanks, found {len(given)} file{'s' if len(given) > 1 else ''}"
        )
    done: list[_MeasuredSubject] = []
    with progress("treebanks", len(given)) as task:
        threads = workers or os.cpu_count() or 1
        for one in map_threads(lambda one: _measure(one, chosen, interval, seed), given, threads):
            done.append(one)
            task.advance()
    failures = [one.failure for one in done if one.failure is not None]
    if len(failures) == len(done):
        raise failures[0]
    measured = [row for one in done for row in one.measured]
    averages = _averages(chosen, measured) if len(given) > 1 else []
    digest = sha256("".join(text for one in done for text in one.digests).encode()).hexdigest()
    title = given[0].name if len(given) == 1 else f"{len(given)}treebanks"
    signature = sign(
        m=",".join(wanted), tb=f"{title}#{digest[:6]}", split=split if folders else None,
        errors=errors, ci=f"{interval[0]}@{interval[1]}" if interval else None,
        seed=seed if interval or any(m.seeded for m in chosen) else None,
    )  # fmt: skip
    return Measures((*measured, *averages), signature)


def _measure(
    subject: Subject, chosen: list[Measure], interval: tuple[int, float] | None, seed: int
) -> _MeasuredSubject:
    rows = []
    for one in chosen:
        sets = subject.singles if not one.pair else [subject.pair] if subject.pair else []
        rows += [_measure_set(one, target, interval, seed) for target in sets]
    digests, failure = [], None
    for lazy in subject.treebanks:
        if lazy.treebank is not None:
            digests.append(lazy.treebank.digest)
        elif lazy.failure is not None and not isinstance(lazy.failure, MissingError):
            failure = lazy.failure
        lazy.forget()
    return _MeasuredSubject(rows, digests, failure)


def _measure_set(
    measure: Measure, target: MeasuredSet, interval: tuple[int, float] | None, seed: int
) -> Measured:
    row = Measured(measure.name, target.name, target.split, None)
    try:
        treebanks = [lazy() for lazy in target.treebanks]
        row = replace(row, value=measure(*treebanks, seed=seed))
    except TreegaugeError as error:
        return replace(row, missing=str(error).partition("\n")[0])
    if interval is not None and measure.additive is not None:
        resamples, level = interval
        limits = measure_interval(measure, *treebanks, resamples=resamples, level=level, seed=seed)
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


def measure_interval(
    measure: Measure,
    *treebanks: Treebank,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, float] | None:
    r"""Return the bootstrap confidence interval of a measure over sentences.

    Shares, means and entropies of few classes get the percentile interval. A distance between two
    distributions gets the basic one, :math:`[2\hat\theta - \theta^*_{1-\alpha},
    2\hat\theta - \theta^*_{\alpha}]`, cut at its bounds: sampling noise increases a distance, and
    increases that of its resamples once more, which a percentile interval would not correct.

    Parameters
    ----------
    measure, treebanks
        What to resample, and of what: one treebank, or train and test, drawn independently.
    resamples, level, seed
        As for :func:`treegauge.statistics.bootstrap.bootstrap`.

    Returns
    -------
    tuple or None
        None where the measure is not a function of sums over sentences, or there are fewer than
        two sentences to draw from.

    Examples
    --------
    >>> from treegauge.measures.registry import measures
    >>> from treegauge.testing.synthetic import synthetic
    >>> low, high = measure_interval(measures()["mean_length"], synthetic(100, seed=1))
    >>> low < measures()["mean_length"](synthetic(100, seed=1)) < high
    True
    """
    if measure.additive is None:
        return None
    tables = [np.asarray(table) for table in measure.additive.tables(*treebanks)]
    if min(len(table) for table in tables) < 2:
        return None
    draws = []
    for place, table in enumerate(tables):
        own = int(np.random.SeedSequence([seed, place]).generate_state(1)[0]) if place else seed
        draws.append(np.concatenate(list(bootstrap_sums(Units([table]), resamples, own)))[:, 0])
    with np.errstate(divide="ignore", invalid="ignore"):
        values = measure.additive.statistic(*draws)
    values = values[np.isfinite(values)]
    if len(values) < 2:
        return None
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    if measure.additive.distance:
        sums = [table.sum(axis=0, dtype=np.float64) for table in tables]
        centre = float(measure.additive.statistic(*sums))
        low, high = np.clip([2 * centre - high, 2 * centre - low], *measure.bounds)
    return float(low), float(high)
