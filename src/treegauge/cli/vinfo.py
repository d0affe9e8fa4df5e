"""``treegauge vinfo``: how much a parser can read off the words."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli import dynamics_options as shared
from treegauge.cli.output import Choice, Format, Policy, emit


class Null(Choice):
    """What takes the place of the words."""

    blank = "blank"
    upos = "upos"
    length = "length"
    place = "place"
    shuffled = "shuffled"


def vinfo(
    treebanks: shared.Treebanks,
    dev: shared.Dev = None,
    null: Annotated[
        Null, typer.Option(help="Input to compare with: nothing, UPOS, length, place, no order.")
    ] = Null.blank,
    trees: Annotated[
        bool, typer.Option("--trees", help="Also of whole trees, in bits a sentence.")
    ] = False,
    parser: shared.Parsers = None,
    option: shared.Words = None,
    epochs: shared.Epochs = None,
    seed: shared.Seed = 0,
    seeds: shared.Seeds = 1,
    words: shared.Table = None,
    keep: shared.Keep = None,
    errors: shared.Malformed = Policy.strict,
    plot: shared.Picture = None,
    of: shared.Of = shared.Layer.head,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Measure V-information: what the words tell a parser of dev heads and relations, in bits.

    The parser is trained twice, with the words and with a null input in their place.
    """
    from treegauge.dynamics.several import engines, read_parts, side_by_side
    from treegauge.dynamics.usable_information import measure_information
    from treegauge.results.errors import TreegaugeError

    if words is not None and len(treebanks) > 1:
        raise TreegaugeError(f"--words is for one treebank, found {len(treebanks)}")
    shared.check_ending(words, "kind of table", shared.TABLES)
    parsers = parser or ["mst"]
    made = engines(parsers, epochs=epochs, options=option or [], keep=keep)
    found = []
    with shared.models(parsers) as progress:
        for source in treebanks:
            parts = read_parts(source, dev, errors=errors.value)
            for engine in made:
                one = measure_information(
                    parts.train, parts.held, engine=engine, null=null.value, trees=trees,
                    seeds=range(seed, seed + seeds), progress=progress,
                )  # fmt: skip
                found.append(one)
            if words is not None:
                shared.save_table(found[-1].words(parts.held), words)
    if plot is not None:
        from treegauge.figures.dynamics import pvi_densities
        from treegauge.figures.saving import save

        save(pvi_densities(found, layer=of.value), plot)
    emit(side_by_side(found, "vinfo"), fmt, out)
