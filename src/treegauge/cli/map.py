"""``treegauge map``: data maps of treebanks, and candidates for annotation errors."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli import dynamics_options as shared
from treegauge.cli.output import Bundle, Choice, Format, Policy, emit


class Part(Choice):
    """The words that are mapped."""

    train = "train"
    dev = "dev"


def map_treebanks(
    treebanks: shared.Treebanks,
    dev: shared.Dev = None,
    part: Annotated[Part, typer.Option(help="The words to map.")] = Part.train,
    parser: shared.Parsers = None,
    option: shared.Words = None,
    epochs: shared.Epochs = None,
    seed: shared.Seed = 0,
    seeds: shared.Seeds = 1,
    candidates: Annotated[
        int | None, typer.Option(help="Show so many candidates for annotation errors.")
    ] = None,
    folds: Annotated[
        int,
        typer.Option(
            help="Find them by parsers trained on the other folds; 0: by training itself."
        ),
    ] = 5,
    candidates_out: Annotated[
        Path | None, typer.Option(help="Write candidates to a .csv, .conllu or .html file.")
    ] = None,
    words: shared.Table = None,
    recording: Annotated[
        Path | None, typer.Option(help="Keep the probabilities in a .npz or .parquet file.")
    ] = None,
    keep: shared.Keep = None,
    errors: shared.Malformed = Policy.strict,
    plot: shared.Picture = None,
    of: shared.Of = shared.Layer.head,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Map where a parser's confidence in gold trees stays, rises or wavers during training.

    Of several parsers or seeds, numbers are means over them. Candidates for annotation errors are
    words that parsers which never saw them contradict.
    """
    from treegauge.dynamics.candidates import error_candidates
    from treegauge.dynamics.cartography import map_treebank, mean_map
    from treegauge.dynamics.crossfit import cross_fit
    from treegauge.dynamics.marking import WRITERS, save_candidates
    from treegauge.dynamics.recording import ENDINGS as RECORDINGS
    from treegauge.dynamics.several import engines, read_parts, side_by_side, word_table
    from treegauge.results.errors import TreegaugeError

    single = {
        "--words": words, "--recording": recording, "--candidates-out": candidates_out,
        "--candidates": candidates,
    }  # fmt: skip
    for name, value in single.items():
        if value is not None and len(treebanks) > 1:
            raise TreegaugeError(f"{name} is for one treebank, found {len(treebanks)}")
    shared.check_ending(words, "kind of table", shared.TABLES)
    shared.check_ending(recording, "kind of file", RECORDINGS)
    shared.check_ending(candidates_out, "kind of file for candidates", list(WRITERS))
    parsers = parser or ["mst"]
    made = engines(parsers, epochs=epochs, options=option or [], keep=keep)
    maps, suspects = [], None
    with shared.models(parsers) as progress:
        for source in treebanks:
            parts = read_parts(source, dev, errors=errors.value)
            held = parts.held if part is Part.dev else parts.dev
            recordings = []
            for engine in made:
                found = map_treebank(
                    parts.train, held, engine=engine, seeds=range(seed, seed + seeds),
                    progress=progress,
                )  # fmt: skip
                recordings += found[part.value]
            maps.append(mean_map(recordings))
            looked = parts.train if part is Part.train else parts.held
            if recording is not None:
                recordings[0].save(recording)
            if words is not None:
                shared.save_table(word_table(recordings, looked), words)
            if candidates is not None or candidates_out is not None:
                seen = recordings[0]
                if folds and part is Part.train:
                    seen = cross_fit(
                        looked, engine=made[0], folds=folds, seed=seed, progress=progress
                    )
                suspects = error_candidates(seen, looked, count=candidates or 100)
                if candidates_out is not None:
                    save_candidates(looked, suspects, candidates_out)
    if plot is not None:
        from treegauge.figures.dynamics import data_maps
        from treegauge.figures.saving import save

        save(data_maps(maps, layer=of.value), plot)
    result = side_by_side(maps, "map")
    emit(Bundle.of(result, {"candidates": suspects} if suspects and candidates else {}), fmt, out)
