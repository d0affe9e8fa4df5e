"""``treegauge gc``: remove from a store what nothing needs."""

from pathlib import Path
from typing import Annotated

import typer

from treegauge.cli.output import Format, emit


def gc(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A folder that `run` made.")],
    plan: Annotated[
        list[Path] | None,
        typer.Option(help="Keep only cells of this plan, failed ones too; repeatable."),
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option(help="Folder of treebanks.", show_default="the plan's, TREEGAUGE_UD"),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be removed.")] = False,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """Remove files of no cell, cells whose files are gone and, with --plan, cells of no plan."""
    from treegauge.experiments.planfile import read_plan
    from treegauge.experiments.store import Store
    from treegauge.experiments.upkeep import sweep

    plans = [read_plan(one).plan.expand(root) for one in plan or []]
    emit(sweep(Store(store), plans, pretend=dry_run), fmt)
