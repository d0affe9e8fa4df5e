"""Assemble the verbs and turn every user error into one clear message."""

import sys

import typer

from treegauge.cli.check import check
from treegauge.cli.convert import convert
from treegauge.cli.score import score
from treegauge.cli.show import show
from treegauge.cli.synthesise import synthesise
from treegauge.errors import TreegaugeError

app = typer.Typer(
    name="treegauge",
    help="What does this parsing score mean? Score, rank and measure parsers and treebanks.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for verb in (score, check, show, convert, synthesise):
    app.command()(verb)


def main() -> None:
    """Run the command line; user errors end with exit code 2 and no traceback."""
    try:
        app()
    except TreegaugeError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
