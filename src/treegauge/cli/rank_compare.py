"""``treegauge rank compare``: tests and matrices that readers know."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Choice, Format, emit
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


class Comparison(Choice):
    """What to compare by."""

    nemenyi = "nemenyi"
    wilcoxon = "wilcoxon-holm"
    wins = "wins"
    improvement = "improvement"


def compare(
    scores: ScoresArgument,
    by: Annotated[
        Comparison,
        typer.Option(
            help="Critical differences (nemenyi, wilcoxon-holm), wins/ties/losses, or "
            "probabilities of improvement."
        ),
    ] = Comparison.nemenyi,
    metric: MetricOption = "las",
    system: Annotated[list[str] | None, typer.Option(help="Only these systems.")] = None,
    subset: SubsetOption = None,
    alpha: Annotated[float, typer.Option(help="Level of the tests.")] = 0.05,
    margin: Annotated[float, typer.Option(help="Points that count as a tie, for wins.")] = 0.0,
    missing: MissingOption = Missing.error,
    digits: DigitsOption = None,
    metadata: MetadataOption = None,
    seed: Annotated[int, typer.Option(help="Seed of the intervals.")] = 0,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Compare systems over treebanks: which differ, who wins where, how probably.

    `--format latex` gives a booktabs table with the best in bold.
    """
    table = load(
        scores, metric=metric, missing=missing, digits=digits, metadata=metadata, subset=subset
    )
    if system:
        table = table.select(systems=system)
    if by is Comparison.wins:
        from treegauge.ranking.wins import win_tie_loss

        emit(win_tie_loss(table, margin=margin), fmt, out)
    elif by is Comparison.improvement:
        from treegauge.ranking.wins import improvement

        emit(improvement(table, seed=seed), fmt, out)
    else:
        from treegauge.ranking.comparing import critical_difference

        emit(critical_difference(table, method=by.value, alpha=alpha), fmt, out)
