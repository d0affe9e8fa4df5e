"""Scores of systems on one gold file: counts, metrics and intervals."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.core.errors import TreegaugeError
from treegauge.core.result import sign
from treegauge.scoring.alignment.align import Alignment
from treegauge.scoring.alignment.paired_reading import LAYERS, Input, SideReader, read_pairs
from treegauge.scoring.alignment.segmentation import MismatchError, TextChanges
from treegauge.scoring.certainty import UnitCounts, check_resampling, intervals, remarks, unit_remarks
from treegauge.scoring.metrics.las_counts import SentenceCounts, join, tally
from treegauge.scoring.metrics.registry import ALL, FRACTIONAL, NUMBER, Metric
from treegauge.scoring.scores import Scores, SystemScore
from treegauge.scoring.settings import ScoreOptions
from treegauge.statistics.units import UnitKind, units_of_text
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import CHUNK, read_conllu, stream_conllu
from treegauge.treebanks.sources.files import short_name

if TYPE_CHECKING:
    from treegauge.scoring.failures import AnswerFailures

Progress = Callable[[int], None]
Each = Callable[[Alignment], None]
Systems = Mapping[str, Input | Sequence[Input]]


def evaluate(
    gold: Input,
    systems: Input | Systems,
    options: ScoreOptions | None = None,
    *,
    progress: Progress | None = None,
    each: Each | None = None,
    chunk: int = CHUNK,
) -> Scores:
    """Score system output against one gold file.

    Systems are one output, or a mapping from names to outputs. A list of outputs holds several runs
    (seeds) of one system, whose counts are added; with three or more, intervals account for other
    runs. After each `chunk` bytes, `progress` is called with the number of sentences, and `each` with
    their alignment.
    """
    options = options or ScoreOptions()
    if options.resamples:
        check_resampling(options)
    named = _named(systems)
    if str(gold) == "-" and sum(map(len, named.values())) > 1:  # it can be read only once
        gold = read_conllu("-", errors=options.errors, allow=options.allow)
    digest = sha256()
    seen: Callable[[bytes], object] | None = digest.update
    gold, pieces = _read_small(gold, options, chunk)
    counted: dict[str, list[SentenceCounts]] = {}
    readers: dict[str, list[tuple[SideReader, SideReader]]] = {}
    loose: dict[str, list[tuple[AnswerFailures, TextChanges]]] = {}
    for name, outputs in named.items():
        counted[name], readers[name], loose[name] = [], [], []
        for output in outputs:
            ours = SideReader.of(gold, options, seen=seen, chunk=chunk, pieces=pieces)
            theirs = SideReader.of_output(output, options, chunk=chunk)
            seen = pieces = None  # gold is the same for all
            try:
                counted[name].append(_counts(ours, theirs, options, progress, loose[name], each))
            except MismatchError as error:
                raise MismatchError(f"{output}: {error}" if len(outputs) > 1 else str(error)) from None
            readers[name].append((ours, theirs))
    scored = scored_runs(counted, options)
    systems_read = []
    for system in scored.systems:
        sides = [side for pair in readers[system.system] for side in pair]
        problems = dict.fromkeys(problem for side in sides for problem in side.problems)
        policies = frozenset(side.policy for side in sides)
        failures = tuple(failure for failure, _ in loose[system.system])
        read: dict[str, Any] = {"problems": tuple(problems), "policies": policies, "failures": failures}
        read["changes"] = TextChanges.joined([change for _, change in loose[system.system]])
        remarks = [_empty_layers(readers[system.system], options.metrics), str(read["changes"] or "")]
        for side in sides:
            remarks += [*(side.arranged.remarks if side.arranged else ())]
            remarks += [f"assumed {said}" for said in (side.answer.remarks() if side.answer else ())]
        unique = dict.fromkeys(filter(None, remarks))
        systems_read.append(replace(system, **read, remarks=tuple(unique)))
    title = gold.name if isinstance(gold, Treebank) else short_name(gold)
    whole = f"{title}#{digest.hexdigest()[:6]}"
    said = [f"{one.system}: {remark}" for one in systems_read for remark in one.remarks]
    notes = tuple(dict.fromkeys([*scored.notes, *said]))
    scores = replace(scored, systems=tuple(systems_read), notes=notes)
    return signed_scores(scores, whole, options)


def _read_small(gold: Input, options: ScoreOptions, chunk: int) -> tuple[Input, Iterator[Treebank] | None]:
    """Return gold read once, if it is no longer than a chunk, or else its pieces for the first run."""
    if isinstance(gold, Treebank):
        return gold, None
    pieces = stream_conllu(gold, errors=options.errors, allow=options.allow, chunk=chunk)
    first = list(islice(pieces, 2))
    return (first[0], None) if len(first) == 1 else (gold, chain(first, pieces))


def _empty_layers(readers: Sequence[tuple[SideReader, SideReader]], metrics: Sequence[str]) -> str:
    """Return a remark on columns that are empty on one side only, and on the metrics concerned."""
    gold, system = (frozenset.intersection(*(side.empty for side in sides)) for sides in zip(*readers, strict=True))
    said = []
    for lacking, without, having in ((system - gold, "the output", "gold"), (gold - system, "gold", "the output")):
        columns = [name for name in LAYERS if name in lacking and {*LAYERS[name]} & {*metrics}]
        concerned = [name for name in metrics if any(name in LAYERS[column] for column in columns)]
        if columns:
            said.append(
                f"{without} has no {', '.join(map(str.upper, columns))}, which {having} has: "
                f"{', '.join(concerned)} say nothing about this system"
            )
    return "; ".join(said)


def scored_runs(counted: Mapping[str, Sequence[SentenceCounts]], options: ScoreOptions) -> Scores:
    """Return unsigned scores of systems, with intervals, from the counts of their runs."""
    scored, sentences, notes = [], 0, []
    units: UnitKind = "sentences"
    limits: dict[str, tuple[float, float] | None] = {}
    metrics = options.metrics
    sampled = [name for name, runs in counted.items() if options.resamples and runs[0].sentences]
    texts = [units_of_text(counted[name][0].starts, options.units) for name in sampled]
    noted = dict(zip(sampled, zip(texts, unit_remarks(texts, options), strict=True), strict=True))
    for name, runs in counted.items():
        sentences = runs[0].sentences
        if name in noted:
            text, (too_few, note) = noted[name]
            counts, units = UnitCounts(runs, metrics, text), text.kind
            limits = dict(zip(metrics, intervals(counts, options), strict=True))
            notes += [too_few] if too_few else remarks(counts, options, name, any(limits.values()), note)
        scored.append(SystemScore(name, _metrics(runs, metrics, limits), tuple(runs)))
    return Scores(
        tuple(scored), sentences, "", options.convention, units=units,
        notes=tuple(dict.fromkeys(notes)), level=options.level,
    )  # fmt: skip


def signed_scores(scores: Scores, gold: str, options: ScoreOptions) -> Scores:
    """Return the scores with a signature; `gold` is the name and checksum of gold."""
    chosen = scoring_choices(replace(options, units=scores.units), scores.systems)
    return replace(scores, signature=sign(tb=gold, **chosen))


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
    gold: SideReader, system: SideReader, options: ScoreOptions, progress: Progress | None,
    loose: "list[tuple[AnswerFailures, TextChanges]]", each: Each | None,
) -> SentenceCounts:  # fmt: skip
    """Return the counts of one output; what loose alignment found is added to `loose`."""
    keep = options.resamples > 0

    def parts() -> Iterable[SentenceCounts]:
        for alignment in read_pairs(gold, system, options):
            part = tally(alignment, options)
            if each:
                each(alignment)
            if system.arranged is not None:
                from treegauge.scoring.failures import find_failures, text_changes

                failures = find_failures(alignment, options.convention, system.answer, system.arranged.numbers)
                loose.append((failures, text_changes(alignment)))
            if progress:
                progress(part.sentences)
            yield part if keep else part.summed()

    joined = join(parts(), options)
    return joined if keep else joined.summed()


def _metrics(
    runs: Sequence[SentenceCounts], metrics: Sequence[str], limits: Mapping[str, tuple[float, float] | None]
) -> dict[str, Metric]:
    sums = np.sum([run.totals for run in runs], axis=0)

    def metric(name: str) -> Metric:
        *columns, aligned = ALL[name][:4]
        kind = float if name in FRACTIONAL else int
        correct, gold, system = (kind(sums[NUMBER[column]]) for column in columns if column)
        both = None if aligned is None else kind(sums[NUMBER[aligned]])
        return Metric(name, correct, gold, system, both, limits.get(name))

    return {name: metric(name) for name in metrics}


def scoring_choices(options: ScoreOptions, scored: Iterable[SystemScore]) -> dict[str, object]:
    """Return the part of a signature that records how systems were scored."""
    systems = list(scored)
    problems = {problem for system in systems for problem in system.problems}
    policies = {policy for system in systems for policy in system.policies} or {options.errors}
    errors = "+".join(sorted(policies))
    touched = sum(problem.action != "" for problem in problems)
    passed = {*options.allow, *(problem.kind for problem in problems if not problem.action)}
    signed: dict[str, object] = {
        **({"trees": "msp25"} if options.nodes else options.convention.signed),
        "enhanced": options.enhanced or None,
        "without": options.enhancements or None,
        "empty": "collapsed" if options.collapse else None,
        "weights": options.weights_mark,
        "errors": f"{errors}({touched})" if touched else errors,
        "allow": "+".join(sorted(passed)) or None,
        "align": "loose" if options.align == "loose" else None,
    }
    if not options.resamples:
        return signed
    drawn = f"{options.resamples}x" if options.interval != "student" else ""
    signed["ci"] = f"{drawn}{options.interval}@{options.level:g}"
    return signed | {"units": options.units, "seed": options.seed if drawn else None}
