"""``treegauge rank certify``: how far a claim about two systems holds."""

from enum import StrEnum
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
    SubsetOption,
    load,
)


class Groups(StrEnum):
    """What treebanks are grouped by."""

    genus = "genus"
    stock = "stock"
    family = "family"
    language = "language"
    resource = "resource"


def certify(
    scores: ScoresArgument,
    claim: Annotated[str, typer.Option(help='The claim, such as "A > B".')],
    metric: MetricOption = "las",
    size: Annotated[
        str | None,
        typer.Option(help="Sizes of subsets: 10, 5-20, 5,10,20.", show_default="5,10,20,40"),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option(help="Bound subsets, such as language:1; win rates are then sampled."),
    ] = None,
    samples: Annotated[int, typer.Option(help="Subsets of each size, if sampled.")] = 100_000,
    by: Annotated[Groups, typer.Option(help="Groups to look at one by one.")] = Groups.genus,
    subset: SubsetOption = None,
    missing: MissingOption = Missing.error,
    digits: DigitsOption = None,
    metadata: MetadataOption = None,
    resamples: Annotated[int, typer.Option(help="Resamples and permutations.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed: same seed, same result.")] = 0,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Say in one paragraph how far "A is better than B" holds: paste it into the paper.

    Win rates over all subsets of treebanks, paired tests, effect sizes, the families that speak
    against it, and the fewest treebanks without which it would fail.
    """
    from treegauge.ranking.certificate import certify as run
    from treegauge.ranking.reduction import restrict

    table = load(scores, metric=metric, missing=missing, digits=digits, metadata=metadata)
    lenient = missing is not Missing.error
    chosen = None
    if subset is not None:
        chosen = restrict(table, subset, absent="leave-out" if lenient else "error").treebanks
    result = run(
        table,
        claim,
        subset=chosen,
        size=size,
        constraints=constraint or (),
        samples=samples,
        by=by.value,
        resamples=resamples,
        seed=seed,
    )
    emit(result, fmt, out)
