"""``treegauge mdl``: how many bits it takes to send a treebank's trees."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli import dynamics_options as shared
from treegauge.cli.output import Choice, Format, Policy, emit


class Training(Choice):
    """What a parser learns from before it codes a block."""

    prefix = "prefix"
    block = "block"


def mdl(
    treebanks: shared.Treebanks,
    blocks: Annotated[
        str, typer.Option(help="Sentences of each block; auto: doubling, as many as there are.")
    ] = "5,10,20,40,80,160,320,360",
    training: Annotated[
        Training, typer.Option(help="Learn from all blocks before, or from the last one alone.")
    ] = Training.prefix,
    shuffles: Annotated[int, typer.Option(help="Orders of the sentences to average.")] = 5,
    parser: shared.Parsers = None,
    option: shared.Words = None,
    epochs: shared.Epochs = None,
    seed: shared.Seed = 0,
    keep: shared.Keep = None,
    errors: shared.Malformed = Policy.strict,
    plot: shared.Picture = None,
    of: shared.Of = shared.Layer.head,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Measure description length by online coding: bits, bits a word, compression."""
    from treegauge.dynamics.description_length import description_length, read_blocks
    from treegauge.dynamics.several import engines, read_parts, side_by_side

    parsers = parser or ["mst"]
    made = engines(parsers, epochs=epochs, options=option or [], keep=keep)
    found = []
    with shared.models(parsers) as progress:
        for source in treebanks:
            train = read_parts(source, errors=errors.value).train
            for engine in made:
                one = description_length(
                    train, engine=engine, blocks=read_blocks(blocks, len(train)),
                    training=training.value, shuffles=shuffles, seed=seed, progress=progress,
                )  # fmt: skip
                found.append(one)
    if plot is not None:
        from treegauge.figures.dynamics import code_lengths
        from treegauge.figures.saving import save

        save(code_lengths(found, layer=of.value), plot)
    emit(side_by_side(found, "mdl"), fmt, out)
