"""``treegauge rank recommend``: which treebanks to evaluate on."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Format, emit
from treegauge.cli.rank import (
    DigitsOption,
    MetadataOption,
    MetricOption,
    Missing,
    MissingOption,
    ScoresArgument,
    load,
)


def recommend(
    scores: ScoresArgument,
    size: Annotated[int, typer.Option(help="How many treebanks there is time for.")] = 10,
    metric: MetricOption = "las",
    at_most: Annotated[
        list[str] | None,
        typer.Option(help="Such as language:1, genus=Slavic:2, resource:stratified; repeatable."),
    ] = None,
    at_least: Annotated[
        list[str] | None, typer.Option(help="Such as resource=small:1, stock:1; repeatable.")
    ] = None,
    tokens: Annotated[
        int | None, typer.Option(help="At most so many tokens in all.", show_default="any")
    ] = None,
    include: Annotated[
        list[str] | None, typer.Option(help="A treebank that must be in it; repeatable.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="A treebank that must not; repeatable.")
    ] = None,
    folds: Annotated[int, typer.Option(help="Folds of systems that judge.")] = 5,
    repeats: Annotated[int, typer.Option(help="How often systems are dealt into folds.")] = 10,
    samples: Annotated[int, typer.Option(help="Random subsets to compare with.")] = 1000,
    missing: MissingOption = Missing.error,
    digits: DigitsOption = None,
    metadata: MetadataOption = None,
    seed: Annotated[int, typer.Option(help="Seed: same seed, same result.")] = 0,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Recommend the treebanks whose ranking best predicts the one over all treebanks.

    How well it does is judged by systems that had no part in choosing, and compared with random
    subsets and with those that papers have used.
    """
    from treegauge.ranking.recommend import recommend as run

    table = load(scores, metric=metric, missing=missing, digits=digits, metadata=metadata)
    result = run(
        table,
        size,
        at_most=at_most or (),
        at_least=at_least or (),
        tokens=tokens,
        include=include or (),
        exclude=exclude or (),
        folds=folds,
        repeats=repeats,
        samples=samples,
        seed=seed,
    )
    emit(result, fmt, out)
