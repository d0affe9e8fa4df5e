"""``treegauge results``: the results in a store."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Format, emit


def results(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A folder that `run` made.")],
    task: Annotated[list[str] | None, typer.Option(help="Only such tasks; a pattern.")] = None,
    treebank: Annotated[
        list[str] | None, typer.Option(help="Only such treebanks; a pattern like 'UD_*'.")
    ] = None,
    parser: Annotated[list[str] | None, typer.Option(help="Only such parsers; a pattern.")] = None,
    size: Annotated[list[int] | None, typer.Option(help="Only such sizes.")] = None,
    sample: Annotated[list[int] | None, typer.Option(help="Only such samples.")] = None,
    seed: Annotated[list[int] | None, typer.Option(help="Only such seeds.")] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="The cells that failed, and why, instead.")
    ] = False,
    provenance: Annotated[
        bool, typer.Option("--provenance", help="Add key, files, time, host and versions.")
    ] = False,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
    out: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
) -> None:
    """Print the cells that are done: their fields and what the task gave.

    Without --provenance the same plan prints the same bytes, however and wherever it was run.
    """
    from functools import partial

    from treegauge.experiments.store import Results, Store

    filters = {
        "task": task, "treebank": treebank, "parser": parser, "size": size, "sample": sample,
        "seed": seed,
    }  # fmt: skip
    found = Store(store)
    cells = found.failures if failed else partial(found.results, provenance=provenance)
    emit(Results(cells(**filters)), fmt, out)
