"""``treegauge rank outliers``: the treebanks behind a system's best and worst rank."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Bundle, Choice, Format, emit
from treegauge.cli.progress import counting
from treegauge.cli.rank import (
    DigitsOption,
    MetadataOption,
    MetricOption,
    Missing,
    MissingOption,
    ScoresArgument,
    load,
)


class Correction(Choice):
    """Corrections for many classes."""

    holm = "holm"
    bonferroni = "bonferroni"
    benjamini_hochberg = "benjamini-hochberg"


class Class(Choice):
    """Classes of treebanks."""

    stock = "stock"
    genus = "genus"
    resource = "resource"
    tokens = "tokens"
    language = "language"
    treebank = "treebank"


def outliers(
    scores: ScoresArgument,
    system: Annotated[list[str], typer.Option(help="System to explain; repeatable.")],
    metric: MetricOption = "las",
    size: Annotated[int, typer.Option(help="Treebanks per subset.")] = 10,
    samples: Annotated[int, typer.Option(help="How many random subsets.")] = 1_000_000,
    by: Annotated[
        list[Class] | None,
        typer.Option(help="Classes to look at.", show_default="stock, genus, resource, tokens"),
    ] = None,
    correction: Annotated[Correction, typer.Option(help="For many classes.")] = Correction.holm,
    least: Annotated[int, typer.Option(help="Take next ranks until so many subsets.")] = 10,
    limit: Annotated[int, typer.Option(help="Name so many subsets (JSON).")] = 10,
    search: Annotated[bool, typer.Option(help="Search for ranks that sampling missed.")] = True,
    missing: MissingOption = Missing.error,
    digits: DigitsOption = None,
    metadata: MetadataOption = None,
    seed: Annotated[int, typer.Option(help="Seed: same seed, same result.")] = 0,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Show the subsets behind a system's best and worst rank, and what is frequent in them.

    A class of treebanks stands out if random subsets would hardly have so many of it: the tail of
    the hypergeometric distribution, corrected for the number of classes.
    """
    from treegauge.ranking.outliers import outliers as run
    from treegauge.ranking.stability import stability

    table = load(scores, metric=metric, missing=missing, digits=digits, metadata=metadata)
    for name in system:
        table.system(name)
    with counting("subsets") as progress:
        ranks = stability(table, size=size, samples=samples, seed=seed, progress=progress)
    classes = [one.value for one in by] if by else ["stock", "genus", "resource", "tokens"]
    found = {
        name: run(
            ranks,
            name,
            by=classes,
            correction=correction.value,
            least=least,
            limit=limit,
            search=search,
        )
        for name in system
    }
    first, *others = found
    emit(Bundle.of(found[first], {name: found[name] for name in others}), fmt, out)
