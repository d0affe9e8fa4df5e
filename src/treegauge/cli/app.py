"""Assemble the verbs and turn every user error into one clear message."""

import sys
from typing import Annotated

import typer

from treegauge import __version__
from treegauge.cli import analyse, curve, rank, transfer
from treegauge.cli.audit import audit
from treegauge.cli.catalogue import catalogue
from treegauge.cli.check import check
from treegauge.cli.convert import convert
from treegauge.cli.demo import demo
from treegauge.cli.difficulty import difficulty
from treegauge.cli.fetch import fetch
from treegauge.cli.gc import gc
from treegauge.cli.labels import labels
from treegauge.cli.map import map_treebanks
from treegauge.cli.mdl import mdl
from treegauge.cli.measure import measure
from treegauge.cli.merge import merge
from treegauge.cli.parse import parse
from treegauge.cli.parsers import parsers
from treegauge.cli.report import report
from treegauge.cli.results import results
from treegauge.cli.run import run
from treegauge.cli.score import score
from treegauge.cli.show import show
from treegauge.cli.split import split
from treegauge.cli.status import status
from treegauge.cli.synthesise import synthesise
from treegauge.cli.tag import tag
from treegauge.cli.train import train
from treegauge.cli.vinfo import vinfo
from treegauge.errors import TreegaugeError

app = typer.Typer(
    name="treegauge",
    help="What does this parsing score mean? Score, rank and measure parsers and treebanks.",
    no_args_is_help=True,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
)
for verb in (
    score,
    check,
    show,
    convert,
    measure,
    audit,
    split,
    catalogue,
    fetch,
    train,
    parse,
    parsers,
    labels,
    tag,
    vinfo,
    mdl,
    difficulty,
    run,
    status,
    results,
    merge,
    gc,
    report,
    synthesise,
    demo,
):  # fmt: skip
    app.command()(verb)
app.command("map")(map_treebanks)  # the name of a function of Python's own
app.add_typer(rank.app, name="rank")
app.add_typer(analyse.app, name="analyse")
app.add_typer(curve.app, name="curve")
app.add_typer(transfer.app, name="transfer")


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and end.", is_eager=True)
    ] = False,
) -> None:
    if version:
        print(f"treegauge {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; user errors end with exit code 2 and no traceback."""
    try:
        app()
    except (TreegaugeError, OSError) as error:  # OSError: a folder not there, a full disk
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
