"""Groups of commands whose most common one need not be named."""

from typing import Any

from typer.core import TyperGroup


def defaulting(default: str) -> type[TyperGroup]:
    """Return a kind of group in which a first word that is no command belongs to `default`."""

    class Defaulting(TyperGroup):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
                args = [default, *args]
            return list(super().parse_args(ctx, args))

    return Defaulting
