"""``treegauge parsers``: what can be trained here."""

from typing import Annotated

import typer

from treegauge.cli.output import Format, emit


def parsers(
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """List the parsers with their paradigms, options and what they need."""
    from treegauge.parsers.registry import Listing

    emit(Listing(), fmt)
