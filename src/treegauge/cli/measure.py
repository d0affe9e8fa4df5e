"""``treegauge measure``: numbers of treebanks, and of train against test."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Choice, Format, Policy, emit
from treegauge.cli.progress import steps


class Part(Choice):
    """The part of a folder that measures of one treebank are of."""

    train = "train"
    dev = "dev"
    test = "test"
    all = "all"


def measure(
    names: Annotated[
        str | None,
        typer.Argument(metavar="NAME|all", help="Measures or families, separated by commas; all."),
    ] = None,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH...",
            help="Files, folders such as UD_X or of such folders; two files are TRAIN TEST.",
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--list", help="List the measures and end.")] = False,
    part: Annotated[
        Part, typer.Option(help="Part of a folder; pairs are always of train and test.")
    ] = Part.train,
    interval: Annotated[
        bool, typer.Option("--interval", help="Add bootstrap intervals over sentences.")
    ] = False,
    resamples: Annotated[int, typer.Option(help="Resamples for intervals.")] = 1000,
    level: Annotated[float, typer.Option(help="Coverage of intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of samples and intervals.")] = 0,
    errors: Annotated[Policy, typer.Option(help="Policy for malformed files.")] = Policy.strict,
    threads: Annotated[
        int | None, typer.Option(help="Treebanks at a time; the result does not depend on it.")
    ] = None,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw displacements or wde to this Vega-Lite .json file.")
    ] = None,
) -> None:
    """Measure treebanks: displacement, structure, morphology, vocabulary, train against test.

    A value that a treebank does not have is left empty with the reason, which is told on standard
    error, too. `treegauge measure --list` says what each measure is.
    """
    from treegauge.measures.measuring import Resampling
    from treegauge.measures.measuring import measure as run
    from treegauge.measures.registry import measures, select
    from treegauge.measures.results import Listing
    from treegauge.results.errors import ChoiceError, TreegaugeError

    if show:
        chosen = select(names) if names else list(measures().values())
        emit(Listing(tuple(chosen)), fmt, out)
        return
    if names is None or not paths:
        raise TreegaugeError(
            "expected a measure and what to measure, such as: treegauge measure edv UD_Greek-GDT; "
            "treegauge measure --list shows the measures"
        )
    draw = None
    if plot is not None:
        from treegauge.figures.saving import save
        from treegauge.figures.treebanks import KINDS

        if names not in KINDS:
            raise ChoiceError("measure to draw", names, KINDS)
        draw = KINDS[names]
    with steps("treebanks") as progress:
        result = run(
            names, *paths, part=part.value, errors=errors.value, seed=seed, threads=threads,
            resampling=Resampling(resamples, level) if interval else None, progress=progress,
        )  # fmt: skip
    for warning in result.warnings:
        typer.echo(f"warning: {warning}", err=True)
    emit(result, fmt, out)
    if draw is not None and plot is not None:
        save(draw(result), plot)
