"""``treegauge split``: random, by length, kindly or adversarially, or into folds."""

import json
from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Choice, Format, Policy, emit


class Objective(Choice):
    """What a split is made for."""

    random = "random"
    length = "length"
    high = "high"
    low = "low"
    kfold = "kfold"


class Method(Choice):
    """How high and low splits are found."""

    optimise = "optimise"
    sampler = "sampler"


class Unit(Choice):
    """What sizes count."""

    sentences = "sentences"
    words = "words"


def split(
    source: Annotated[str, typer.Argument(help="A folder such as UD_Greek-GDT, or a file.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder to write to.")] = None,
    objective: Annotated[Objective, typer.Option(help="What for.")] = Objective.random,
    method: Annotated[Method, typer.Option(help="How to steer high and low.")] = Method.optimise,
    seed: Annotated[int, typer.Option(help="Same seed, same split.")] = 0,
    sizes: Annotated[str, typer.Option(help="train/dev/test.")] = "60/20/20",
    unit: Annotated[Unit, typer.Option(help="What sizes count.")] = Unit.sentences,
    folds: Annotated[int, typer.Option(help="Folds of kfold.")] = 5,
    documents: Annotated[
        bool | None, typer.Option(help="Keep documents whole.", show_default="where there are any")
    ] = None,
    min_words: Annotated[
        int | None, typer.Option(help="Leave shorter sentences out.", show_default="3 or 1")
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option(help="Make the split of this manifest again.")
    ] = None,
    provenance: Annotated[bool, typer.Option(help="Comment each sentence's origin.")] = True,
    errors: Annotated[Policy, typer.Option(help="Policy for malformed files.")] = Policy.strict,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """Split a treebank and say how far apart its parts are.

    high and low make displacements of train and test as unlike or as alike as they get, with equal
    sizes and sentence lengths; length tests on the longest sentences.
    """
    from treegauge.results.errors import TreegaugeError
    from treegauge.splitting.pool import pool
    from treegauge.splitting.splitting import split as run
    from treegauge.splitting.writing import rebuild, write_split

    sentences = pool(source, errors=errors.value)
    if manifest is not None:
        try:
            told = json.loads(manifest.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise TreegaugeError(f"{manifest}: cannot read the manifest: {error}") from error
        result = rebuild(sentences, told)
    else:
        try:
            shares = [float(part) for part in sizes.split("/")]
        except ValueError:
            raise TreegaugeError(f"sizes are {sizes!r}; expected such as 60/20/20") from None
        result = run(
            sentences, objective.value, seed=seed, sizes=shares, method=method.value,
            unit=unit.value, documents=documents, folds=folds, min_words=min_words,
        )  # fmt: skip
    if out is not None:
        for path in write_split(result, out, provenance=provenance):
            typer.echo(f"wrote {path}", err=True)
    emit(result, fmt)
