"""``treegauge report``: one offline page of whatever is given."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Policy


def report(
    inputs: Annotated[
        list[str],
        typer.Argument(
            help="Treebanks (files, folders), systems' output (also NAME=PATH), score tables or "
            "conll18, stores, recordings (.npz), counts of curves; what each is, is found out.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page.")] = Path("report.html"),
    gold: Annotated[
        list[str] | None,
        typer.Option(help="A CoNLL-U file that is gold, where names do not tell; repeatable."),
    ] = None,
    title: Annotated[str, typer.Option(help="The page's title.")] = "What these scores mean",
    metric: Annotated[str, typer.Option(help="What score tables are ranked by.")] = "las",
    samples: Annotated[int, typer.Option(help="Random subsets of each size.")] = 100_000,
    errors: Annotated[Policy, typer.Option(help="Policy for malformed files.")] = Policy.strict,
) -> None:
    """Make one offline page: scores, ranking, treebanks, data maps, learning, methods.

    CoNLL-U files with the same text are analyses of it: one is gold, the others are scored.
    """
    from treegauge.cli.progress import waiting
    from treegauge.reporting.building import report as build
    from treegauge.results.files import atomic

    def say(text: str) -> None:
        typer.echo(text, err=True)

    with waiting("making the page"):
        text = build(
            inputs,
            gold=gold or (),
            title=title,
            metric=metric,
            samples=samples,
            errors=errors.value,
            say=say,
        )
    with atomic(out) as file:
        file.write(text.encode())
    typer.echo(f"{out.resolve()} ({len(text.encode()) / 1e6:.2f} MB)")
