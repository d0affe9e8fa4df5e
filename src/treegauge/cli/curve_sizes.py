"""Commands of ``treegauge curve`` about sizes: equivalents of scores, fits, and advice."""

from typing import Annotated

import typer

from treegauge.cli.analyse_options import draw, names
from treegauge.cli.curve_options import (
    STORE,
    ByOption,
    FormatOption,
    LevelOption,
    MetricOption,
    MinWordsOption,
    NestedOption,
    OneParserOption,
    OptionOption,
    OutOption,
    Over,
    OverOption,
    PartedByOption,
    PlotOption,
    PunctOption,
    ResamplesOption,
    RootOption,
    SamplesOption,
    SeedOption,
    SizesOption,
    SourcesArgument,
    StoreOption,
    TreebankOption,
    Wanted,
    WorkersOption,
    composite_of,
    load,
    numbers,
)
from treegauge.cli.output import Format, emit


def equivalent(
    sources: SourcesArgument,
    score: Annotated[
        list[str],
        typer.Option(help="A score in per cent, 66.1 or CLASS=66.1 (simple=74); repeatable."),
    ],
    parser: OneParserOption = None,
    treebank: TreebankOption = None,
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
    parted_by: PartedByOption = None,
    min_words: MinWordsOption = 30,
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 500,
    over: OverOption = Over.samplings,
    seed: SeedOption = 0,
    plot: PlotOption = None,
    fmt: FormatOption = Format.text,
    out: OutOption = None,
) -> None:
    """Say how many annotated sentences a score is worth: where it meets the monolingual curve."""
    from treegauge.curves.equivalents import equivalents
    from treegauge.curves.learning import learning_curves

    wanted = Wanted(
        [parser] if parser else (), option or (), sizes, samples, nested, store, root, workers, by,
        metric, punct,
    )  # fmt: skip
    counts = load(sources, wanted)
    scores = _scores(score)
    sides = bool(plot) or {"simple", "complex"} & scores.keys()
    if sides:
        counts = composite_of(counts, parted_by)
    found = equivalents(
        counts, scores, parser=parser, treebank=treebank, min_words=min_words, level=level,
        resamples=resamples, over=over.value, seed=seed,
    )  # fmt: skip
    if plot:
        shown = counts.select(treebanks=[treebank]) if treebank else counts
        curves = learning_curves(shown, each=treebank is not None, resamples=resamples, seed=seed)
        draw(plot, "curves.composites", curves, found)
    emit(found, fmt, out)


def fit(
    sources: SourcesArgument,
    parser: OneParserOption = None,
    treebank: TreebankOption = None,
    at: Annotated[
        str | None,
        typer.Option(help="Sizes to predict.", show_default="2 and 4 times the largest"),
    ] = None,
    law: Annotated[
        list[str] | None, typer.Option(help="power, log; repeatable.", show_default="both")
    ] = None,
    classes: Annotated[
        list[str] | None,
        typer.Option("--class", help="Fit these; repeatable.", show_default="all words"),
    ] = None,
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
    min_words: MinWordsOption = 30,
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 500,
    over: OverOption = Over.samplings,
    seed: SeedOption = 0,
    fmt: FormatOption = Format.text,
    out: OutOption = None,
) -> None:
    """Fit a - b n^-c and a + b ln n, say whether they are settled, and follow them further."""
    from treegauge.curves.fits import fit_curves

    wanted = Wanted(
        [parser] if parser else (), option or (), sizes, samples, nested, store, root, workers, by,
        metric, punct,
    )  # fmt: skip
    found = fit_curves(
        load(sources, wanted), parser=parser, treebank=treebank, classes=classes or ["all"],
        laws=names(law) or ["power", "log"],  # type: ignore[arg-type]
        at=numbers(at) if at else (), min_words=min_words, level=level, resamples=resamples,
        over=over.value, seed=seed,
    )  # fmt: skip
    emit(found, fmt, out)


def advise(
    source: Annotated[
        str,
        typer.Argument(
            help="A folder such as UD_Greek-GDT, which is trained on, a table of counts or a store."
        ),
    ],
    budget: Annotated[int, typer.Option(help="How many more sentences could be annotated.")],
    have: Annotated[
        int | None,
        typer.Option(help="How many there are.", show_default="the largest size there is"),
    ] = None,
    worth: Annotated[float, typer.Option(help="Points that a doubling must bring.")] = 1.0,
    parser: OneParserOption = None,
    treebank: TreebankOption = None,
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
    min_words: MinWordsOption = 30,
    level: LevelOption = 0.95,
    resamples: ResamplesOption = 500,
    seed: SeedOption = 0,
    fmt: FormatOption = Format.text,
    out: OutOption = None,
) -> None:
    """Say what annotating more would bring, which classes profit, and where the curve flattens.

    Of a folder all train sentences are the largest size, with the usual sizes below.
    """
    from treegauge.curves.advising import advise as ask

    wanted = Wanted(
        [parser] if parser else (), option or (), sizes, samples, nested, store, root, workers, by,
        metric, punct, whole=True,
    )  # fmt: skip
    found = ask(
        load([source], wanted), budget=budget, have=have, parser=parser, treebank=treebank,
        worth=worth, min_words=min_words, level=level, resamples=resamples, seed=seed,
    )  # fmt: skip
    emit(found, fmt, out)


def _scores(given: list[str]) -> dict[str, float]:
    """Read scores such as 66.1 or simple=74."""
    from treegauge.results.errors import TreegaugeError

    found: dict[str, float] = {}
    for one in given:
        name, _, number = one.rpartition("=")
        name = name or "all"
        if name in found:
            raise TreegaugeError(f"two scores of {name}; give each class one")
        try:
            found[name] = float(number)
        except ValueError:
            raise TreegaugeError(f"score {one!r}; expected 66.1 or CLASS=66.1") from None
    return found
