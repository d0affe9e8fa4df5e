"""``treegauge status``: how far a store has come."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Format, emit


def status(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A folder that `run` made.")],
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """Say how many cells of a store are done, failed and left, and how fast it goes.

    A run may be under way meanwhile.
    """
    from treegauge.experiment.statuses import status as look
    from treegauge.experiment.store import Store

    emit(look(Store(store)), fmt)
