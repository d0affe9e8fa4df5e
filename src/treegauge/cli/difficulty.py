"""``treegauge difficulty``: all measures of treebanks' difficulty, and their absolute rank."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli import dynamics_options as shared
from treegauge.cli.output import Bundle, Format, Policy, emit


def difficulty(
    treebanks: shared.Treebanks,
    shuffles: Annotated[
        int, typer.Option(help="Orders of the sentences for description length; 0: leave it out.")
    ] = 5,
    blocks: Annotated[
        str, typer.Option(help="Sentences of each block; auto: doubling, as many as there are.")
    ] = "5,10,20,40,80,160,320,360",
    ranks: Annotated[
        bool, typer.Option("--ranks", help="Add the rank by each measure and over all.")
    ] = False,
    correlations: Annotated[
        bool, typer.Option("--correlations", help="Add the correlations of all measures.")
    ] = False,
    parser: Annotated[
        str, typer.Option(help="A parser with probabilities; 'mst rate=0.01' sets options.")
    ] = "mst",
    option: shared.Words = None,
    epochs: shared.Epochs = None,
    seed: shared.Seed = 0,
    seeds: shared.Seeds = 1,
    keep: shared.Keep = None,
    errors: shared.Malformed = Policy.strict,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the correlations, or else the map of treebanks.")
    ] = None,
    of: shared.Of = shared.Layer.head,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Measure confidence, variability, usable information and description length of treebanks."""
    from treegauge.dynamics.description_length import read_blocks
    from treegauge.dynamics.difficulty import Coding, difficulty_table
    from treegauge.dynamics.difficulty import difficulty as measure
    from treegauge.dynamics.several import engines, read_parts
    from treegauge.results.result import Result
    from treegauge.statistics.matrix import correlation_matrix

    (engine,) = engines([parser], epochs=epochs, options=option or [], keep=keep)
    found = []
    with shared.models([parser]) as progress:
        for source in treebanks:
            parts = read_parts(source, errors=errors.value)
            sizes = read_blocks(blocks, len(parts.train))
            one = measure(
                parts.train, parts.held, engine=engine, seeds=range(seed, seed + seeds),
                coding=Coding(sizes, shuffles=shuffles) if shuffles else None, name=parts.name,
                progress=progress,
            )  # fmt: skip
            found.append(one)
    table = difficulty_table(found)
    more: dict[str, Result] = {"ranks": table.ranks} if ranks else {}
    matrix = correlation_matrix(table.known) if correlations else None
    if matrix is not None:
        more["correlations"] = matrix
    if plot is not None:
        from treegauge.figures.analysis import matrix as draw
        from treegauge.figures.dynamics import treebank_map
        from treegauge.figures.saving import save

        save(draw(matrix) if matrix is not None else treebank_map(table, layer=of.value), plot)
    emit(Bundle.of(table, more), fmt, out)
