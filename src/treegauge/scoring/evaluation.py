"""Score systems against one gold file: counts, metrics and intervals."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.result import sign
from treegauge.scoring import metrics
from treegauge.scoring.metrics import ALL, NUMBER, Metric
from treegauge.scoring.paired_reading import Input, PairedReader
from treegauge.scoring.scores import Scores, SystemScore
from treegauge.scoring.sentence_counts import ScoreOptions, SentenceCounts, join, tally
from treegauge.scoring.settings import Reading, Resampling
from treegauge.statistics.bootstrap import bootstrap
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.conllu import CHUNK, read_conllu
from treegauge.treebanks.sources import short_name

Progress = Callable[[int], None]
Systems = Mapping[str, Input | Sequence[Input]]


def evaluate(
    gold: Input,
    systems: Input | Systems,
    options: ScoreOptions | None = None,
    reading: Reading | None = None,
    resampling: Resampling | None = None,
    *,
    progress: Progress | None = None,
    chunk: int = CHUNK,
) -> Scores:
    """Score system output against one gold file.

    Systems are one output, or names mapped to outputs; a list of outputs stands for several runs
    (seeds) of one system, whose counts are added and whose intervals also resample the runs.
    `progress` is called with the number of sentences after each piece of `chunk` bytes.
    """
    options, reading = options or ScoreOptions(), reading or Reading()
    resampling = resampling or Resampling()
    named = _named(systems)
    if str(gold) == "-" and sum(map(len, named.values())) > 1:  # it can be read once only
        gold = read_conllu("-", errors=reading.errors, allow=reading.allow)
    scored, sentences, digest = [], 0, sha256()
    seen: Callable[[bytes], object] | None = digest.update
    for name, outputs in named.items():
        runs, sides = [], []
        for output in outputs:
            reader = PairedReader(gold, output, reading, seen=seen, chunk=chunk)
            seen = None  # gold is the same for all
            runs.append(_counts(reader, options, resampling.resamples > 0, progress))
            sides += [reader.gold, reader.system]
        sentences = runs[0].sentences
        values = _metrics(runs, options, _intervals(runs, options, resampling))
        problems = dict.fromkeys(problem for side in sides for problem in side.problems)
        policies = frozenset(side.policy for side in sides)
        scored.append(SystemScore(name, values, tuple(runs), tuple(problems), policies))
    title = gold.name if isinstance(gold, Treebank) else short_name(gold)
    signature = sign(
        tb=f"{title}#{digest.hexdigest()[:6]}", **choices(options, reading, resampling, scored)
    )
    return Scores(tuple(scored), sentences, signature, options.convention)


def _named(systems: Input | Systems) -> dict[str, list[Input]]:
    if not isinstance(systems, Mapping):
        title = systems.name if isinstance(systems, Treebank) else short_name(systems)
        systems = {title: systems}
    if not systems:
        raise TreegaugeError("no system to score: give at least one output file")
    named: dict[str, list[Input]] = defaultdict(list)
    for name, outputs in systems.items():
        several = isinstance(outputs, Sequence) and not isinstance(outputs, str)
        named[name] += list(outputs) if several else [outputs]  # type: ignore[arg-type, list-item]
    return named


def _counts(
    reader: PairedReader, options: ScoreOptions, keep: bool, progress: Progress | None
) -> SentenceCounts:
    def parts() -> Iterable[SentenceCounts]:
        for alignment in reader:
            part = tally(alignment, options)
            if progress:
                progress(part.sentences)
            yield part if keep else part.summed()

    joined = join(parts(), options)
    return joined if keep else joined.summed()


def _metrics(
    runs: Sequence[SentenceCounts],
    options: ScoreOptions,
    intervals: Mapping[str, tuple[float, float]],
) -> dict[str, Metric]:
    sums = np.sum([run.totals for run in runs], axis=0)

    def metric(name: str) -> Metric:
        *columns, aligned = ALL[name][:4]
        kind = float if name == "WLAS" else int
        correct, gold, system = (kind(sums[NUMBER[column]]) for column in columns if column)
        both = None if aligned is None else kind(sums[NUMBER[aligned]])
        return Metric(name, correct, gold, system, both, intervals.get(name))

    return {name: metric(name) for name in options.metrics}


def _intervals(
    runs: Sequence[SentenceCounts], options: ScoreOptions, resampling: Resampling
) -> dict[str, tuple[float, float]]:
    if resampling.resamples == 0 or len(runs[0].rows) == 0:
        return {}
    names = options.metrics

    def statistic(sums: Any) -> Any:
        return metrics.f1(sums, names)

    settings: dict[str, Any] = {
        "resamples": resampling.resamples,
        "level": resampling.level,
        "method": resampling.interval,
        "seed": resampling.seed,
    }
    interval = bootstrap([run.rows for run in runs], statistic, **settings)
    limits = zip((100 * interval.low).tolist(), (100 * interval.high).tolist(), strict=True)
    return dict(zip(names, limits, strict=True))


def choices(
    options: ScoreOptions, reading: Reading, resampling: Resampling, scored: Iterable[SystemScore]
) -> dict[str, object]:
    """Return the part of a signature that says how systems were scored."""
    systems = list(scored)
    problems = {problem for system in systems for problem in system.problems}
    policies = {policy for system in systems for policy in system.policies} or {reading.errors}
    errors = "+".join(sorted(policies))
    touched = sum(problem.action != "" for problem in problems)
    passed = {*reading.allow, *(problem.kind for problem in problems if not problem.action)}
    intervals = None
    if resampling.resamples:
        intervals = f"{resampling.resamples}x{resampling.interval}@{resampling.level:g}"
    return {
        **options.convention.signed,
        "enhanced": options.enhanced or None,
        "weights": options.weights_mark,
        "errors": f"{errors}({touched})" if touched else errors,
        "allow": "+".join(sorted(passed)) or None,
        "ci": intervals,
        "seed": resampling.seed if resampling.resamples else None,
    }
