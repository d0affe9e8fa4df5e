"""``treegauge score``: systems against gold."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treegauge.cli.output import Bundle, Choice, Format, Policy, emit, write
from treegauge.cli.progress import counting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treegauge.result import Result
    from treegauge.score.align import Alignment
    from treegauge.score.scoring import Scores
    from treegauge.score.suite import Suite


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
    by: Annotated[
        list[str] | None,
        typer.Option(help="Break down by a class of words, such as relation or upos,direction."),
    ] = None,
    examples: Annotated[
        str | None, typer.Option(help="Draw sentences in which words of this class went wrong.")
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
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Score parsers as the CoNLL 2018 script does, with intervals, tests and breakdowns.

    With folders, files are matched by name: macro averages count a missing or broken output as 0,
    and paired tests say on how many treebanks one system beats another.
    """
    from treegauge.score.comparing import compare
    from treegauge.score.scoring import Resampling, evaluate
    from treegauge.score.statistics import Options
    from treegauge.score.stream import Reading

    named = _named(systems)
    plain, folder = official or counts, Path(gold).is_dir()
    details = bool(by or confusion)
    _check(folder, fmt, plain=plain, details=details, examples=examples is not None, by=bool(by))
    reading = Reading(errors.value, tuple(allow or ()))
    how: dict[str, Any] = {
        "options": Options(punct, subtypes, enhanced, _weights(weights)),
        "reading": reading,
        "resampling": Resampling(0 if plain else resamples, interval.value, level, seed),
    }
    tests: dict[str, Any] = {"test": test.value, "draws": draws, "seed": seed}
    compared = len(named) > 1 and test is not Test.none and resamples > 0
    parts: dict[str, Result] = {}
    if folder:
        suite = _suite(gold, named, how)
        _tell(suite.treebanks.values())
        if compared:
            claims = suite.claims(metric=(metric or ["LAS"])[0], **tests)
            parts = {f"{a} > {b}": claim for a, b, claim in claims}
        emit(Bundle.of(suite, parts), fmt, out)
        return
    alignment = _alignment(gold, named, reading) if details else None
    sides: Any = gold, named
    if alignment is not None:  # it has been read, perhaps from a stream that is gone
        sides = alignment.gold.treebank, {next(iter(named)): alignment.system.treebank}
    with counting("sentences") as progress:
        scores = evaluate(*sides, progress=progress, **how)
    _tell([scores])
    if plain:
        write(scores.official(counts=counts, enhanced=enhanced), out)
        return
    if compared:
        parts["comparisons"] = compare(scores, metric=metric or "LAS", **tests)
    if alignment is not None:
        parts |= _details(alignment, by or [], confusion, (metric or ["LAS"])[0], examples)
    emit(Bundle.of(scores, parts), fmt, out)


def _check(
    folder: bool, fmt: Format, *, plain: bool, details: bool, examples: bool, by: bool
) -> None:
    """Refuse options that would otherwise be passed over in silence."""
    from treegauge.errors import TreegaugeError

    if folder and (plain or details):
        raise TreegaugeError(
            "--official, --counts, --by and --confusion are for one gold file, not for a folder"
        )
    if plain and details:
        raise TreegaugeError("--official and --counts print one table: leave out --by, --confusion")
    if plain and fmt is not Format.text:
        raise TreegaugeError(f"--official and --counts print text: leave out --format {fmt.value}")
    if examples and not by:
        raise TreegaugeError("--examples draws words of a class: say which classes with --by")


def _tell(results: "Iterable[Scores]") -> None:
    """Say on standard error what was skipped or mended."""
    problems = [p for scores in results for one in scores.systems for p in one.problems]
    for problem in dict.fromkeys(problems):
        if problem.action:
            typer.echo(str(problem), err=True)


def _named(systems: list[str]) -> dict[str, list[str]]:
    """Read NAME=PATH; a path that exists is a path even with an equals sign in it."""
    from treegauge.treebank.sources import short_name

    named: dict[str, list[str]] = {}
    for word in systems:
        name, equals, path = word.partition("=")
        if not equals or Path(word).exists():
            name, path = short_name(word), word
            if name in named:
                name = word
        named.setdefault(name, []).append(path)
    return named


def _weights(source: str | None) -> dict[str, float] | None:
    from treegauge.score.weights import packaged_weights, read_weights

    if source is None:
        return None
    if source == "wde":
        return packaged_weights()
    if Path(source).is_dir() or ".conllu" in Path(source).name:
        from treegauge.measure.entropy import word_dependency_entropy
        from treegauge.treebank.conllu import read_conllu

        return word_dependency_entropy(read_conllu(source))
    return read_weights(source)


def _alignment(gold: str, named: dict[str, list[str]], reading: Any) -> "Alignment":
    from treegauge.errors import TreegaugeError
    from treegauge.score.align import align
    from treegauge.treebank.conllu import read_conllu

    files = [path for paths in named.values() for path in paths]
    if len(files) > 1:
        raise TreegaugeError(f"breakdowns are of one system, there are {len(files)} files")
    how = {"errors": reading.errors, "allow": reading.allow}
    return align(read_conllu(gold, **how), read_conllu(files[0], **how))


def _details(
    alignment: "Alignment", by: list[str], of: str | None, metric: str, examples: str | None
) -> "dict[str, Result]":
    from treegauge.score.breakdown import breakdown
    from treegauge.score.confusion import confusion

    parts: dict[str, Result] = {}
    for one in by:
        result = breakdown(alignment, by=one, metric=metric)
        parts["breakdown" if len(by) == 1 else f"breakdown by {one}"] = result
        for place in result.errors(examples, limit=5) if examples else ():
            sentence = alignment.gold.treebank[place.sentence]
            marks = ", ".join(f"{word} {sentence.form[word - 1]}" for word in place.words)
            name = place.sent_id or place.sentence + 1
            typer.echo(f"# {name}: wrong at {marks}\n{sentence}\n", err=True)
    if of is not None:
        parts["confusion"] = confusion(alignment, of=of)
    return parts


def _suite(gold: str, named: dict[str, list[str]], how: dict[str, Any]) -> "Suite":
    from treegauge.errors import TreegaugeError
    from treegauge.score.suite import pair_folders, score_suite

    for name, paths in named.items():
        if len(paths) > 1 or not Path(paths[0]).is_dir():
            raise TreegaugeError(
                f"{gold} is a folder, so each system must be one folder; {name!r} is {paths}"
            )
    pairs = pair_folders(gold, {name: paths[0] for name, paths in named.items()})
    with counting("sentences") as progress:
        return score_suite(pairs.gold, pairs.systems, progress=progress, **how)
