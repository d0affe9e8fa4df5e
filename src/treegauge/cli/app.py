"""Assemble the verbs and turn every user error into one clear message.

A verb's module is imported when the verb is asked for, so that help and completion are instant.
"""

import sys
from difflib import get_close_matches
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from treegauge import __version__
from treegauge.cli.verbs import QUESTION, VERBS
from treegauge.core.errors import TreegaugeError


class Verbs(TyperGroup):
    """The group of all verbs."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the verbs in the order of the questions."""
        return list(QUESTION)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return what lists of commands show of a verb, without importing it."""
        if cmd_name not in QUESTION:
            return None
        question = QUESTION[cmd_name]
        return TyperCommand(
            cmd_name, help=VERBS[question][cmd_name].help, rich_help_panel=question, params=[]
        )

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the verb that is asked for."""
        name, *rest = args
        if name in QUESTION:
            return name, load(name), rest
        near = get_close_matches(name, QUESTION)
        hint = f" Did you mean {' or '.join(near)}?" if near else " See treegauge --help."
        return ctx.fail(f"No such command '{name}'.{hint}")


def load(name: str) -> Any:
    """Return the command of a verb."""
    from treegauge.cli.commands import command_of

    return command_of(name, VERBS[QUESTION[name]][name])


app = typer.Typer(
    name="treegauge",
    cls=Verbs,
    help="What does this parsing score mean? Score, rank and measure parsers and treebanks.",
    no_args_is_help=True,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
)


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
