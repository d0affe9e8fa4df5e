"""``treegauge curve``: what a parser has learned, and from how much.

``treegauge curve SOURCE`` is short for ``treegauge curve show SOURCE``.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from treegauge.cli.analyse_options import draw
from treegauge.cli.curve_options import (
    STORE,
    ByOption,
    FormatOption,
    LevelOption,
    MetricOption,
    MinWordsOption,
    NestedOption,
    OptionOption,
    OutOption,
    Over,
    OverOption,
    ParserOption,
    PartedByOption,
    Per,
    PlotOption,
    PunctOption,
    ResamplesOption,
    RootOption,
    SamplesOption,
    SeedOption,
    SizesOption,
    SourcesArgument,
    StoreOption,
    Wanted,
    WorkersOption,
    composite_of,
    load,
)
from treegauge.cli.curve_sizes import advise, equivalent, fit
from treegauge.cli.defaulting import defaulting
from treegauge.cli.output import Bundle, Format, emit

DEFAULT = "show"
app = typer.Typer(
    cls=defaulting(DEFAULT),
    no_args_is_help=True,
    help="What has a parser learned, and from how much? `curve SOURCE` means `curve show SOURCE`. "
    "A SOURCE is a table of counts, a store of runs, or treebanks to train on.",
)
CompositeOption = Annotated[
    bool, typer.Option("--composite", help="Simple and complex words instead of classes.")
]


@app.command()
def run(
    sources: SourcesArgument,
    out: Annotated[
        Path, typer.Option("--out", help="Where to write the counts: .csv or .parquet.")
    ] = Path("counts.csv"),
    parser: ParserOption = None,
    option: OptionOption = None,
    sizes: SizesOption = None,
    samples: SamplesOption = 5,
    nested: NestedOption = False,
    store: StoreOption = STORE,
    root: RootOption = None,
    workers: WorkersOption = None,
    by: ByOption = None,
    metric: MetricOption = None,
    punct: PunctOption = False,
    fmt: FormatOption = Format.text,
) -> None:
    """Train on samples of every size, count right words by class, and write the counts.

    What the store holds is not trained again: after an interruption, the same command goes on.
    All other commands take the counts, which hold figures only and no text.
    """
    wanted = Wanted(
        parser or (), option or (), sizes, samples, nested, store, root, workers, by, metric, punct
    )
    found = load(sources, wanted)
    found.write(out)
    typer.echo(f"wrote {out}", err=True)
    emit(found, fmt)


@app.command()
def show(
    sources: SourcesArgument,
    parser: ParserOption = None,
    option: OptionOption = None,
    sizes: SizesOption = None,
    samples: SamplesOption = 5,
    nested: NestedOption = False,
    store: StoreOption = STORE,
    root: RootOption = None,
    workers: WorkersOption = None,
    by: ByOption = None,
    metric: MetricOption = None,
    punct: PunctOption = False,
    classes: Annotated[
        list[str] | None, typer.Option("--class", help="Only these classes; repeatable.")
    ] = None,
    composite: CompositeOption = False,
    parted_by: PartedByOption = None,
    each: Annotated[bool, typer.Option("--each", help="Every treebank by itself.")] = False,
    relative: Annotated[
        bool, typer.Option("--relative", help="In per cent of the score at the largest size.")
    ] = False,
    min_words: MinWordsOption = 30,
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 500,
    over: OverOption = Over.samplings,
    seed: SeedOption = 0,
    plot: PlotOption = None,
    fmt: FormatOption = Format.text,
    out: OutOption = None,
) -> None:
    """Print learning curves, overall and by class; CSV and JSON have intervals too."""
    from treegauge.curves.learning import learning_curves

    wanted = Wanted(
        parser or (), option or (), sizes, samples, nested, store, root, workers, by, metric, punct
    )
    counts = load(sources, wanted)
    if composite:
        counts = composite_of(counts, parted_by)
    found = learning_curves(
        counts, classes=classes or (), each=each, relative_scores=relative, min_words=min_words,
        level=level, resamples=resamples, over=over.value, seed=seed,
    )  # fmt: skip
    draw(plot, "curves.composites" if composite else "curves.learning", found)
    emit(found, fmt, out)


@app.command()
def complexity(
    sources: SourcesArgument,
    parser: ParserOption = None,
    option: OptionOption = None,
    sizes: SizesOption = None,
    samples: SamplesOption = 5,
    nested: NestedOption = False,
    store: StoreOption = STORE,
    root: RootOption = None,
    workers: WorkersOption = None,
    by: ByOption = None,
    metric: MetricOption = None,
    punct: PunctOption = False,
    per: Annotated[Per, typer.Option(help="Of which curves.")] = Per.pooled,
    min_presence: Annotated[
        float, typer.Option(help="Share of treebanks that must have enough words of a class.")
    ] = 0.0,
    matched: Annotated[
        bool, typer.Option("--matched", help="Against the whole of the class's own treebanks.")
    ] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Parsers side by side, with rank correlations.")
    ] = False,
    parts: Annotated[
        bool, typer.Option("--parts", help="Say which classes are simple in each treebank.")
    ] = False,
    min_words: MinWordsOption = 30,
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 500,
    over: OverOption = Over.samplings,
    seed: SeedOption = 0,
    plot: PlotOption = None,
    fmt: FormatOption = Format.text,
    out: OutOption = None,
) -> None:
    """Measure how much later than words as a whole each class is learned.

    COMPLEXITY is the area between both relative curves over ln(size), in percentage points:
    negative for simple classes, positive for complex ones.
    """
    from treegauge.curves.complexity import complexities

    wanted = Wanted(
        parser or (), option or (), sizes, samples, nested, store, root, workers, by, metric, punct
    )
    counts = load(sources, wanted)
    found = complexities(
        counts, per=per.value, min_words=min_words, min_presence=min_presence, matched=matched,
        level=level, resamples=resamples, over=over.value, seed=seed,
    )  # fmt: skip
    draw(plot, "curves.complexity", found)
    more: dict[str, Any] = {}
    if compare:
        from treegauge.curves.comparing import compare_parsers

        more["comparison"] = compare_parsers(found)
    if parts:
        from treegauge.curves.partition import partition
        from treegauge.results.errors import TreegaugeError

        if fmt is Format.csv and len(counts.parsers) > 1:
            raise TreegaugeError(
                f"several parsers ({', '.join(counts.parsers)}), and CSV holds the parts of one: "
                "choose it with --parser"
            )
        chosen = Per.treebank if per is Per.pooled else per
        more["partitions"] = [partition(counts, one, per=chosen.value) for one in counts.parsers]
    emit(Bundle.of(found, more), fmt, out)


for verb in (equivalent, fit, advise):
    app.command()(verb)
