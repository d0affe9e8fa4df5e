"""``treegauge transfer``: parse a language with parsers of other languages.

``treegauge transfer TARGET SOURCE...`` is short for ``treegauge transfer vote TARGET SOURCE...``.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeVar

import typer

from treegauge.cli.defaulting import defaulting
from treegauge.cli.output import Bundle, Format, Policy, emit
from treegauge.cli.progress import steps, waiting

if TYPE_CHECKING:
    from treegauge.crosslingual.annotation import Place
    from treegauge.crosslingual.contribution import Contributions
    from treegauge.crosslingual.selection import Selection
    from treegauge.crosslingual.weights import Weights
    from treegauge.parsers.base import Model
    from treegauge.treebanks.columns import Treebank

R = TypeVar("R", "Contributions", "Selection")
DEFAULT = "vote"
app = typer.Typer(
    cls=defaulting(DEFAULT),
    no_args_is_help=True,
    help="Parse a language with parsers of other languages, and see what that is worth. "
    "`transfer TARGET SOURCE...` means `transfer vote`: see `transfer vote --help`.",
)

TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="A folder such as UD_Galician-TreeGal (its test part, tags seen in its train part), "
        "or a tagged file.",
    ),
]
SourcesArgument = Annotated[
    list[str],
    typer.Argument(metavar="SOURCE...", help="Folders (their train parts) or files with trees."),
]
SentencesOption = Annotated[
    int, typer.Option(help="Target sentences whose tags decide on the weights, the first ones.")
]
ExponentOption = Annotated[
    float, typer.Option(help="Weights are KLcpos3 to minus this; 0: all the same.")
]
ParserOption = Annotated[str, typer.Option(help="Parser of the sources: beam or mst.")]
OptionOption = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", help="An option of the parser: epochs=5; repeatable."),
]
LimitOption = Annotated[
    int | None, typer.Option(help="Train on so many sentences of a source.", show_default="all")
]
ProbabilitiesOption = Annotated[
    bool,
    typer.Option("--probabilities", help="Pool head probabilities instead of votes (mst only)."),
]
ErrorsOption = Annotated[Policy, typer.Option(help="Policy for malformed files.")]
SeedOption = Annotated[int, typer.Option(help="Same seed, same trees.")]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print.")]


class Target(NamedTuple):
    """What is parsed, and what tags are counted in."""

    name: str
    parsed: "Treebank"
    looked: "Treebank"


def _target(path: str, errors: Policy) -> Target:
    from treegauge.results.errors import TreegaugeError
    from treegauge.treebanks.conllu import read_conllu, read_splits

    if not Path(path).is_dir():
        whole = read_conllu(path, errors=errors.value, need_heads=False)
        return Target(whole.name, whole, whole)
    parts = read_splits(path, errors=errors.value)
    if "test" not in parts:
        raise TreegaugeError(f"{path} has no test part to parse; give the file to parse")
    return Target(Path(path).name, parts["test"], parts.get("train", parts["test"]))


def _sources(paths: list[str], target: str, errors: Policy) -> "dict[str, Treebank]":
    from treegauge.results.errors import TreegaugeError
    from treegauge.treebanks.conllu import read_conllu

    found: dict[str, Treebank] = {}
    for path in paths:
        if Path(path).resolve() == Path(target).resolve():
            raise TreegaugeError(f"{path} is the target and cannot be a source")
        folder = Path(path).is_dir()
        train = read_conllu(path, split="train" if folder else None, errors=errors.value)
        name = Path(path).resolve().name if folder else train.name
        if name in found:
            raise TreegaugeError(f"two sources are called {name}; give each treebank once")
        found[name] = train
    return found


def _trained(
    sources: "dict[str, Treebank]", parser: str, option: list[str] | None, limit: int | None,
    seed: int,
) -> "dict[str, Model]":  # fmt: skip
    from treegauge.crosslingual.panel import delexicalised, train_sources
    from treegauge.parsers.options import given_options
    from treegauge.parsers.registry import find_parser

    entry = find_parser(parser)
    maker = delexicalised(parser, **given_options(entry.options, option or []))
    if entry.compiled:
        with waiting("compiling kernels, on first use only"):
            entry.prepare()
    with steps("sources") as progress:
        if progress:
            progress(0, len(sources))
        return train_sources(sources, maker, seed=seed, limit=limit, progress=progress)


def _signed(
    result: R, parser: str, option: list[str] | None, limit: int | None, seed: int, **more: object
) -> R:
    """Add to a signature how the sources' parsers were trained."""
    from dataclasses import replace

    from treegauge.results.result import countersign

    told = countersign(
        result.signature, parser=parser, options="+".join(option or ()) or None,
        train=f"first{limit}" if limit else "all", seed=seed, **more,
    )  # fmt: skip
    return replace(result, signature=told)


def _weighed(
    target: Target, sources: "dict[str, Treebank]", sentences: int, exponent: float
) -> "Weights":
    from treegauge.crosslingual.weights import kl_weights

    return kl_weights(target.looked, sources, sentences=sentences, exponent=exponent)


def _curve(path: Path, parser: str, treebank: str) -> "tuple[dict[str, str], Place]":
    """Return the kind of each class, and where scores are on the curve."""
    from treegauge.curves.attachments import read_attachments
    from treegauge.curves.equivalents import placing
    from treegauge.curves.partition import composites, partition

    counts = read_attachments(path).select(parsers=[parser], treebanks=[treebank])
    parted = partition(counts, parser)
    return parted.of(treebank), placing(composites(counts, parted), treebank)


@app.command(DEFAULT)
def vote(
    target: TargetArgument,
    sources: SourcesArgument,
    parser: ParserOption = "beam",
    option: OptionOption = None,
    limit: LimitOption = None,
    sentences: SentencesOption = 10,
    exponent: ExponentOption = 4.0,
    probabilities: ProbabilitiesOption = False,
    leave_one_out: Annotated[
        bool, typer.Option("--leave-one-out", help="Say what each source adds.")
    ] = False,
    curve: Annotated[
        Path | None,
        typer.Option(
            help="Counts that `treegauge curve run TARGET` wrote: what is transfer worth?"
        ),
    ] = None,
    by: Annotated[str, typer.Option(help="Classes of words in these counts.")] = "upos,direction",
    out: Annotated[
        str | None, typer.Option(help="Write the parsed target here.", show_default="nowhere")
    ] = None,
    seed: SeedOption = 0,
    errors: ErrorsOption = Policy.strict,
    fmt: FormatOption = Format.text,
) -> None:
    """Parse TARGET by a vote of parsers trained on the tags and trees of the SOURCES.

    Arcs of each source count by how alike its trigrams of tags are to the target's (KLcpos3 to the
    power -4); the tree with the largest total wins. Scores are UAS and LAS without punctuation,
    where TARGET has trees.
    """
    from treegauge.crosslingual.contribution import contributions
    from treegauge.crosslingual.panel import panel
    from treegauge.crosslingual.scoring import word_groups
    from treegauge.treebanks.conllu import write_conllu

    asked = _target(target, errors)
    read = _sources(sources, target, errors)
    kinds, place = _curve(curve, parser, asked.name) if curve else (None, None)
    weighed = _weighed(asked, read, sentences, exponent)
    models = _trained(read, parser, option, limit, seed)
    weights = dict(zip(weighed.sources, weighed.weights, strict=True))
    found = panel(asked.parsed, models, weights, probabilities=probabilities)
    if out is not None:
        write_conllu(found.vote(), out)
        typer.echo(f"wrote {out}", err=True)
    parts = {}
    if (asked.parsed.head >= 0).all():
        groups = word_groups(asked.parsed, kinds, by=by)
        leave: dict[str, list[str]] | None = None if leave_one_out else {}
        scores = contributions(found, asked.parsed, groups, leave=leave, place=place)
        trees = "pooled" if probabilities else "voted"
        parts["scores"] = _signed(scores, parser, option, limit, seed, trees=trees)
    else:
        typer.echo(f"note: {asked.name} has no trees to score against", err=True)
    if out != "-":
        emit(Bundle.of(weighed, parts), fmt)


@app.command()
def weights(
    target: TargetArgument,
    sources: SourcesArgument,
    sentences: SentencesOption = 10,
    exponent: ExponentOption = 4.0,
    errors: ErrorsOption = Policy.strict,
    fmt: FormatOption = Format.text,
) -> None:
    """Rank SOURCES by KLcpos3; no tree of TARGET is looked at and nothing is trained."""
    from treegauge.crosslingual.closeness import rank_sources

    asked = _target(target, errors)
    read = _sources(sources, target, errors)
    emit(rank_sources(asked.looked, read, sentences=sentences, exponent=exponent), fmt)


@app.command()
def recommend(
    target: TargetArgument,
    sources: SourcesArgument,
    parser: ParserOption = "beam",
    option: OptionOption = None,
    limit: LimitOption = None,
    sentences: SentencesOption = 10,
    exponent: ExponentOption = 4.0,
    seed: SeedOption = 0,
    errors: ErrorsOption = Policy.strict,
    fmt: FormatOption = Format.text,
) -> None:
    """Choose among SOURCES by a handful of TARGET's sentences, and say if they can tell.

    Of a folder its first train sentences are the handful. Sources are ranked by tags; where the
    handful has trees, ways to choose are compared on sentences held out in turn.
    """
    from treegauge.crosslingual.closeness import rank_sources
    from treegauge.crosslingual.panel import panel
    from treegauge.crosslingual.selection import select_sources
    from treegauge.crosslingual.weights import handful

    asked = _target(target, errors)
    read = _sources(sources, target, errors)
    ranked = rank_sources(asked.looked, read, sentences=sentences, exponent=exponent)
    few = handful(asked.looked, sentences)
    parts = {}
    if (few.head >= 0).all():
        models = _trained(read, parser, option, limit, seed)
        found = panel(few, models, {one.name: one.weight for one in ranked.sources})
        parts["selection"] = _signed(select_sources(found, few), parser, option, limit, seed)
    else:
        typer.echo(f"note: {asked.name} has no trees; sources are ranked by tags only", err=True)
    emit(Bundle.of(ranked, parts), fmt)
