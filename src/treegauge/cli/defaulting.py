"""Groups of commands whose most common one need not be named."""

from difflib import get_close_matches
from pathlib import Path
from typing import Any

from typer.core import TyperGroup


def defaulting(default: str) -> type[TyperGroup]:
    """Return a kind of group in which a first word that is no command belongs to `default`.

    A word that looks like a command and is no file is left as it is: the group will name the
    command that was meant.
    """

    class Defaulting(TyperGroup):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            known = [*self.commands, *ctx.help_option_names]
            if args and args[0] not in known:
                slip = get_close_matches(args[0], self.commands, cutoff=0.75)
                if not slip or Path(args[0]).exists():
                    args = [default, *args]
            return list(super().parse_args(ctx, args))

    return Defaulting
