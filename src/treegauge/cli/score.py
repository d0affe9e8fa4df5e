"""``treegauge score``: systems against gold."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treegauge.cli.output import Bundle, Choice, Format, Policy, emit, write
from treegauge.cli.progress import counting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treegauge.results.result import Result
    from treegauge.scoring.align import Alignment
    from treegauge.scoring.scoring import Scores
    from treegauge.scoring.stream import Reading
    from treegauge.scoring.suite import Suite


class Interval(Choice):
    """How intervals are read off the resamples."""

    percentile = "percentile"
    bca = "bca"


class Test(Choice):
    """Paired tests."""

    permutation = "permutation"
    bootstrap = "bootstrap"
    none = "none"


def score(
    gold: Annotated[str, typer.Argument(help="The gold file, or a folder of gold files.")],
    systems: Annotated[
        list[str],
        typer.Argument(
            help="System files (or folders), as PATH or NAME=PATH; one NAME several times: runs."
        ),
    ],
    split: Annotated[
        str | None, typer.Option(help="With folders: only gold files of train, dev or test.")
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="Break down by relation, upos, direction, distance, depth, length, projectivity, "
            "head-upos, position, feats:NAME ...; upos,direction crosses two."
        ),
    ] = None,
    examples: Annotated[
        str | None,
        typer.Option(help="With --by: draw sentences in which words of this class went wrong."),
    ] = None,
    confusion: Annotated[
        str | None, typer.Option(help="Confusion of relation, head-upos, upos or another class.")
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="Metric of tests and breakdowns (LAS).")
    ] = None,
    punct: Annotated[bool, typer.Option(help="Count punctuation in attachment scores.")] = True,
    subtypes: Annotated[bool, typer.Option(help="Compare relations with subtypes.")] = False,
    enhanced: Annotated[bool, typer.Option(help="Score enhanced edges, too.")] = False,
    weights: Annotated[
        str | None,
        typer.Option(help="For WLAS: wde, a file of 'relation weight' lines, or a .conllu file."),
    ] = None,
    errors: Annotated[Policy, typer.Option(help="Policy for malformed files.")] = Policy.strict,
    allow: Annotated[
        list[str] | None, typer.Option(help="Let pass: several-roots, no-root or cycle.")
    ] = None,
    resamples: Annotated[int, typer.Option(help="Resamples for intervals; 0: none.")] = 1000,
    interval: Annotated[Interval, typer.Option(help="Kind of interval.")] = Interval.percentile,
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.95,
    test: Annotated[Test, typer.Option(help="Paired test.")] = Test.permutation,
    draws: Annotated[int, typer.Option(help="Draws of the paired tests.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    official: Annotated[bool, typer.Option("--official", help="The official table only.")] = False,
    counts: Annotated[bool, typer.Option("--counts", help="The official counts only.")] = False,
    fmt: Annotated[
        Format, typer.Option("--format", help="How to print; csv: one table.")
    ] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Score parsers as the CoNLL 2018 script does, with intervals, tests and breakdowns.

    With folders, files are matched by name: macro averages count a missing or broken output as 0,
    and paired tests say on how many treebanks one system beats another.
    """
    from treegauge.scoring.comparing import compare
    from treegauge.scoring.convention import Convention
    from treegauge.scoring.scoring import Resampling, evaluate
    from treegauge.scoring.statistics import ScoreOptions
    from treegauge.scoring.stream import Reading

    named = _named(systems)
    plain, folder = official or counts, Path(gold).is_dir()
    details = bool(by or confusion)
    _check(
        folder, fmt, plain=plain, details=details, examples=examples is not None, by=bool(by),
        split=split is not None,
    )  # fmt: skip
    chosen = _metrics(metric, folder=folder, details=details)
    _check_inputs(gold, named)
    reading = Reading(errors.value, tuple(allow or ()))
    values, default = _weights(weights)
    how: dict[str, Any] = {
        "options": ScoreOptions(Convention(punct, subtypes), enhanced, values, default),
        "reading": reading,
        "resampling": Resampling(0 if plain else resamples, interval.value, level, seed),
    }
    tests: dict[str, Any] = {"test": test.value, "draws": draws, "seed": seed}
    tested = test is not Test.none and resamples > 0 and fmt is not Format.csv
    compared = tested and len(named) > 1
    if folder:
        suite = _suite(gold, named, split, how)
        _tell(suite.treebanks.values())
        claims = {"claims": suite.claims(metric=chosen[0], **tests)} if compared else {}
        emit(Bundle.of(suite, claims), fmt, out)
        return
    alignments = _alignments(gold, named, reading) if details else {}
    sides: Any = gold, named
    if alignments:  # they have been read, perhaps from a stream that is gone
        read = {name: alignment.system.treebank for name, alignment in alignments.items()}
        sides = next(iter(alignments.values())).gold.treebank, read
    with counting("sentences") as progress:
        scores = evaluate(*sides, progress=progress, **how)
    _tell([scores])
    if plain:
        write(scores.official(counts=counts, enhanced=enhanced), out)
        return
    found: dict[str, Any] = {}
    if compared:
        found["comparisons"] = compare(scores, metric=chosen, **tests)
    asked = _details(alignments.values(), by or [], confusion, chosen[0], examples)
    if fmt is Format.csv and sum(map(len, asked.values())) > 1:
        typer.echo("CSV holds one table, the last of these; JSON holds all", err=True)
    emit(Bundle.of(scores, found | asked), fmt, out)


def _check(
    folder: bool, fmt: Format, *, plain: bool, details: bool, examples: bool, by: bool, split: bool
) -> None:
    """Refuse options that would otherwise be passed over in silence."""
    from treegauge.results.errors import TreegaugeError

    if folder and (plain or details):
        raise TreegaugeError(
            "--official, --counts, --by and --confusion are for one gold file, not for a folder"
        )
    if split and not folder:
        raise TreegaugeError("--split chooses gold files of a folder, and GOLD is none")
    if plain and details:
        raise TreegaugeError("--official and --counts print one table: leave out --by, --confusion")
    if plain and fmt is not Format.text:
        raise TreegaugeError(f"--official and --counts print text: leave out --format {fmt.value}")
    if examples and not by:
        raise TreegaugeError("--examples draws words of a class: say which classes with --by")


def _metrics(names: list[str] | None, *, folder: bool, details: bool) -> list[str]:
    """Return the metrics of tests and breakdowns; the latter know some of their own."""
    from treegauge.results.errors import TreegaugeError
    from treegauge.scoring.breakdown import CRITERIA
    from treegauge.scoring.metrics import canonical

    chosen = names or ["LAS"]
    if (folder or details) and len(chosen) > 1:
        raise TreegaugeError(f"breakdowns and folders take one --metric, found {len(chosen)}")
    known = {name.lower() for name in CRITERIA} if details else set()
    return [name if name.lower() in known else canonical(name) for name in chosen]


def _check_inputs(gold: str, named: dict[str, list[str]]) -> None:
    from treegauge.results.errors import TreegaugeError

    if [gold, *(path for paths in named.values() for path in paths)].count("-") > 1:
        raise TreegaugeError("standard input (-) can be read once: give the other as a file")


def _tell(results: "Iterable[Scores]") -> None:
    """Say on standard error what was skipped or mended."""
    problems = [p for scores in results for one in scores.systems for p in one.problems]
    for problem in dict.fromkeys(problems):
        if problem.action:
            typer.echo(str(problem), err=True)


def _named(systems: list[str]) -> dict[str, list[str]]:
    """Read NAME=PATH; a path that exists is a path even with an equals sign in it."""
    from treegauge.results.errors import TreegaugeError
    from treegauge.treebanks.sources import short_name

    named: dict[str, list[str]] = {}
    for word in systems:
        name, equals, path = word.partition("=")
        if not equals or Path(word).exists():
            name, path = short_name(word), word
            if name in named:
                name = word
        if not (name and path):
            raise TreegaugeError(f"found {word!r}, expected PATH or NAME=PATH")
        named.setdefault(name, []).append(path)
    return named


def _weights(source: str | None) -> tuple[dict[str, float] | None, float]:
    """Return weights and that of other relations: for WDE, what a treebank without them gets."""
    from treegauge.scoring.weights import OTHER, packaged_weights, read_weights

    if source is None:
        return None, 1.0
    if source == "wde":
        return packaged_weights(), OTHER
    if Path(source).is_dir() or ".conllu" in Path(source).name:
        from treegauge.measures.relations import word_dependency_entropy
        from treegauge.treebanks.conllu import read_conllu

        return word_dependency_entropy(read_conllu(source)), OTHER
    return read_weights(source), 1.0


def _alignments(
    gold: str, named: dict[str, list[str]], reading: "Reading"
) -> "dict[str, Alignment]":
    from treegauge.results.errors import TreegaugeError
    from treegauge.scoring.align import align
    from treegauge.treebanks.conllu import read_conllu

    for name, files in named.items():
        if len(files) > 1:
            raise TreegaugeError(f"breakdowns are of one run, {name!r} has {len(files)}")
    how: dict[str, Any] = {"errors": reading.errors, "allow": reading.allow}
    ours = read_conllu(gold, **how)
    return {
        name: align(ours, read_conllu(file, name=name, **how)) for name, (file,) in named.items()
    }


def _details(
    alignments: "Iterable[Alignment]",
    by: list[str],
    of: str | None,
    metric: str,
    examples: str | None,
) -> "dict[str, list[Result]]":
    from treegauge.scoring.breakdown import breakdown
    from treegauge.scoring.confusion import confusion
    from treegauge.scoring.examples import examples as find

    parts: dict[str, list[Result]] = {"breakdowns": [], "examples": [], "confusions": []}
    for alignment in alignments:
        cells = [breakdown(alignment, by=one, metric=metric) for one in by]
        parts["breakdowns"] += cells
        if examples is not None:
            having = [one for one in cells if examples in one.gold.names] or cells
            parts["examples"].append(find(having[0], examples))
        if of is not None:
            parts["confusions"].append(confusion(alignment, of=of))
    return {kind: found for kind, found in parts.items() if found}


def _suite(
    gold: str, named: dict[str, list[str]], split: str | None, how: dict[str, Any]
) -> "Suite":
    from treegauge.results.errors import TreegaugeError
    from treegauge.scoring.folders import pair_folders
    from treegauge.scoring.suite import score_suite

    for path in (path for paths in named.values() for path in paths):
        if not Path(path).is_dir():
            raise TreegaugeError(f"{gold} is a folder, so systems must be folders; {path} is none")
    pairs = pair_folders(gold, named, split=split)
    with counting("sentences") as progress:
        return score_suite(pairs.gold, pairs.systems, progress=progress, **how)
