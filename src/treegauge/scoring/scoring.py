"""Score systems against gold: one call for everything the official script gives, and intervals."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.results import tables
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import Result, sign
from treegauge.scoring import metrics
from treegauge.scoring.layout import official_lines, official_table, overview
from treegauge.scoring.metrics import ALL, MORE, NUMBER, Metric, canonical
from treegauge.scoring.statistics import ScoreOptions, Statistics, join, tally
from treegauge.scoring.stream import Input, PairedReader, Reading
from treegauge.statistics.bootstrap import bootstrap, bootstrap_runs
from treegauge.statistics.interval import Method
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.conllu import read_conllu
from treegauge.treebanks.problems import Problem
from treegauge.treebanks.sources import short_name

if TYPE_CHECKING:
    import polars as pl

Progress = Callable[[int], None]
Systems = Mapping[str, Input | Sequence[Input]]


@dataclass(frozen=True)
class Resampling:
    """How intervals are made: sentences drawn with replacement.

    Parameters
    ----------
    resamples
        How many; 0 gives no intervals and keeps only totals.
    method
        ``"percentile"`` or ``"bca"``.
    level
        Nominal coverage.
    seed
        Same seed, same intervals.
    """

    resamples: int = 1000
    method: Method = "percentile"
    level: float = 0.95
    seed: int = 0


@dataclass(frozen=True, eq=False)
class SystemScore:
    """One system's metrics, the statistics of each of its runs, and how the files were read.

    `problems` are those that were skipped, mended or let pass, under the `policies` of the files.
    """

    system: str
    metrics: dict[str, Metric]
    runs: tuple[Statistics, ...] = field(repr=False)
    problems: tuple[Problem, ...] = ()
    policies: frozenset[str] = frozenset()

    def __getitem__(self, metric: str) -> Metric:
        name = canonical(metric)
        if name not in self.metrics:
            raise TreegaugeError(f"{name} was not computed; there are {', '.join(self.metrics)}")
        return self.metrics[name]

    def to_dict(self) -> dict[str, Any]:
        """Return the system's part of the JSON format."""
        values = {name: metric.to_dict() for name, metric in self.metrics.items()}
        return {"system": self.system, "runs": len(self.runs), "metrics": values}


@dataclass(frozen=True, eq=False)
class Scores(Result):
    r"""Scores of one or more systems on one gold file.

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> gold = parse_conllu("1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    >>> scores = evaluate(gold, gold, resampling=Resampling(resamples=0))
    >>> scores.systems[0]["LAS"].f1
    1.0
    """

    systems: tuple[SystemScore, ...]
    sentences: int
    signature: str

    def __getitem__(self, system: str) -> SystemScore:
        found = {one.system: one for one in self.systems}
        if system not in found:
            raise TreegaugeError(f"no system {system!r}; there are {', '.join(found)}")
        return found[system]

    @property
    def treebank(self) -> str:
        """Name and checksum of the gold treebank, as they stand in the signature."""
        return self.signature.split("|")[1].removeprefix("tb:")

    @property
    def table(self) -> "pl.DataFrame":
        """One row a system and metric; `predicted` counts the system's, scores are fractions."""
        import polars as pl

        rows = [
            {"system": one.system, "metric": name} | _flat(metric)
            for one in self.systems
            for name, metric in one.metrics.items()
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON format: signature, then each system with its metrics."""
        return {
            "signature": self.signature,
            "sentences": self.sentences,
            "systems": [one.to_dict() for one in self.systems],
        }

    def official(self, *, counts: bool = False, brief: bool = False, enhanced: bool = False) -> str:
        """Return what the official script prints of the only system: ``-v``, ``-c`` or neither."""
        if len(self.systems) != 1:
            raise TreegaugeError(
                f"the official table is of one system, there are {len(self.systems)}"
            )
        metrics = self.systems[0].metrics
        if brief:
            return official_lines(metrics, enhanced=enhanced)
        return official_table(metrics, counts=counts, enhanced=enhanced)

    def shown(self) -> "pl.DataFrame":
        """Return percentages as people print them: one row a metric."""
        return overview([(one.system, one.metrics) for one in self.systems])

    def to_latex(self) -> str:
        """Return a booktabs table of F1 in per cent, the best system of each metric in bold."""
        import polars as pl

        names = [name for name in self.systems[0].metrics if name not in MORE]
        frame = pl.DataFrame(
            {"system": [one.system for one in self.systems]}
            | {name: [100 * one.metrics[name].f1 for one in self.systems] for name in names}
        )
        best = names if len(self.systems) > 1 else []
        return tables.to_latex(frame, note=self.signature, best=best)


def _flat(metric: Metric) -> dict[str, Any]:
    """Return a metric as columns; the count called "system" in JSON would hide the name."""
    values = metric.to_dict()
    low, high = values.pop("interval") or (None, None)
    renamed = {"predicted" if key == "system" else key: value for key, value in values.items()}
    return renamed | {"low": low, "high": high}


def evaluate(
    gold: Input,
    systems: Input | Systems,
    *,
    options: ScoreOptions | None = None,
    reading: Reading | None = None,
    resampling: Resampling | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Score system output against gold.

    Parameters
    ----------
    gold
        The gold treebank or its file.
    systems
        A system's output, or names mapped to outputs; a list of outputs stands for several runs
        (seeds) of one system, whose counts are added and whose intervals also resample the runs.
    options
        What is counted: punctuation, subtypes, enhanced edges, weights.
    reading
        What is done about malformed files; recorded in the signature.
    resampling
        How intervals are made.
    progress
        Called with the number of sentences after each piece.

    Returns
    -------
    Scores
        Counts, precision, recall, F1, aligned accuracy and an interval of F1 for every metric.
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
            reader = PairedReader(gold, output, reading, seen=seen)
            seen = None  # gold is the same for all
            runs.append(_statistics(reader, options, resampling.resamples > 0, progress))
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
    return Scores(tuple(scored), sentences, signature)


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


def _statistics(
    reader: PairedReader, options: ScoreOptions, keep: bool, progress: Progress | None
) -> Statistics:
    def parts() -> Iterable[Statistics]:
        for alignment in reader:
            part = tally(alignment, options)
            if progress:
                progress(part.sentences)
            yield part if keep else part.summed()

    joined = join(parts(), options)
    return joined if keep else joined.summed()


def _metrics(
    runs: Sequence[Statistics],
    options: ScoreOptions,
    intervals: Mapping[str, tuple[float, float]],
) -> dict[str, Metric]:
    sums = np.sum([run.totals for run in runs], axis=0)

    def number(column: str | None, name: str) -> float | None:
        if column is None:
            return None
        value = float(sums[NUMBER[column]])
        return value if name == "WLAS" else int(value)

    found = {}
    for name in options.metrics:
        d = ALL[name]
        values = [number(column, name) for column in (d.correct, d.gold, d.system)]
        correct, gold, system = (value or 0 for value in values)
        found[name] = Metric(
            name, correct, gold, system, number(d.aligned, name), intervals.get(name)
        )
    return found


def _intervals(
    runs: Sequence[Statistics], options: ScoreOptions, resampling: Resampling
) -> dict[str, tuple[float, float]]:
    if resampling.resamples == 0 or len(runs[0].rows) == 0:
        return {}
    names = options.metrics

    def statistic(sums: Any) -> Any:
        return metrics.f1(sums, names)

    settings: dict[str, Any] = {
        "resamples": resampling.resamples,
        "level": resampling.level,
        "method": resampling.method,
        "seed": resampling.seed,
    }
    if len(runs) == 1:
        interval = bootstrap(runs[0].rows, statistic, **settings)
    else:
        interval = bootstrap_runs([run.rows for run in runs], statistic, **settings)
    limits = zip(interval.low.tolist(), interval.high.tolist(), strict=True)
    return dict(zip(names, limits, strict=True))


def choices(
    options: ScoreOptions, reading: Reading, resampling: Resampling, scored: Iterable[SystemScore]
) -> dict[str, object]:
    """Return the part of a signature that says how systems were scored."""
    systems = list(scored)
    problems = {problem for one in systems for problem in one.problems}
    policies = {policy for one in systems for policy in one.policies} or {reading.errors}
    errors = "+".join(sorted(policies))
    touched = sum(problem.action != "" for problem in problems)
    passed = {*reading.allow, *(problem.kind for problem in problems if not problem.action)}
    boot = None
    if resampling.resamples:
        boot = f"{resampling.resamples}x{resampling.method}@{resampling.level:g}"
    return {
        **options.convention.signed,
        "enhanced": options.enhanced or None,
        "weights": options.weights_mark,
        "errors": f"{errors}({touched})" if touched else errors,
        "allow": "+".join(sorted(passed)) or None,
        "ci": boot,
        "seed": resampling.seed if resampling.resamples else None,
    }
