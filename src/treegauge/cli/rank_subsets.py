"""``treegauge rank subsets``: averages and error reductions over named subsets."""

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
from treegauge.results.errors import TreegaugeError


def subsets(
    scores: ScoresArgument,
    metric: MetricOption = "las",
    subset: Annotated[
        list[str] | None,
        typer.Option(
            help="A named subset (Ma18) or your own (mine=cs_pdt,en_ewt); repeatable.",
            show_default="the eight of Fragility, Table 10",
        ),
    ] = None,
    pair: Annotated[
        list[str] | None,
        typer.Option(
            help="Error reduction of SYSTEM over REFERENCE, as REFERENCE,SYSTEM; repeatable.",
            show_default="every pair",
        ),
    ] = None,
    missing: MissingOption = Missing.error,
    digits: DigitsOption = None,
    metadata: MetadataOption = None,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Average scores over named subsets, with the mean of per-treebank error reductions.

    Members of a named subset that the table has no scores for are left out and named.
    """
    from treegauge.ranking.reduction import reduction

    table = load(scores, metric=metric, missing=missing, digits=digits, metadata=metadata)
    chosen = _subsets(subset) if subset else None
    pairs = [_pair(one) for one in pair] if pair else None
    result = reduction(table, chosen, pairs=pairs)
    for name, absent in result.absent.items():
        typer.echo(f"{name}: no scores for {', '.join(absent)}", err=True)
    emit(result, fmt, out)


def _subsets(given: list[str]) -> dict[str, tuple[str, ...]]:
    from treegauge import data
    from treegauge.results.errors import ChoiceError

    packaged, found = data.subsets(), {}
    for text in given:
        name, equals, members = text.partition("=")
        if equals:
            found[name] = tuple(part.strip() for part in members.split(",") if part.strip())
        elif name in packaged:
            found[name] = packaged[name]
        else:
            raise ChoiceError("subset", name, [*packaged, "NAME=treebank,treebank,..."])
    return found


def _pair(text: str) -> tuple[str, str]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise TreegaugeError(f"pair {text!r}: expected REFERENCE,SYSTEM")
    return parts[0], parts[1]
