"""``treegauge merge``: several stores as one."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Format, emit


def merge(
    stores: Annotated[
        list[Path], typer.Argument(metavar="STORE...", help="Stores; the first one grows.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A store to merge all into instead.")
    ] = None,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """Merge stores that were filled on different machines.

    A cell that is in several counts once; different results for one cell are an error.
    """
    from treegauge.experiments.store import Store
    from treegauge.experiments.upkeep import merge as join
    from treegauge.results.errors import TreegaugeError

    into, others = (stores[0], stores[1:]) if out is None else (out, stores)
    if not others:
        raise TreegaugeError("expected stores to merge: merge INTO FROM..., or merge A B --out C")
    emit(join(Store(into), [Store(other) for other in others]), fmt)
