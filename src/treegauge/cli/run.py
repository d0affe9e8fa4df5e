"""``treegauge run``: run a plan of many cells, and go on where it stopped."""

import signal
from pathlib import Path
from typing import Annotated, Any

import typer

from treegauge.cli.output import Format, emit
from treegauge.cli.progress import remaining, waiting


def run(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="A plan, as a TOML file.")],
    store: Annotated[
        Path | None,
        typer.Option("--store", "-s", help="Folder of results.", show_default="PLAN.store"),
    ] = None,
    resume: Annotated[
        bool, typer.Option(help="Go on with a store that has cells; without, refuse one.")
    ] = True,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be run, why, and for how long.")
    ] = False,
    pool: Annotated[
        str | None,
        typer.Option(
            help="inline, process, dask, dask://HOST:PORT or slurm.", show_default="process"
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", "-w", help="Cells at a time.", show_default="processors"),
    ] = None,
    timeout: Annotated[str | None, typer.Option(help="Time a cell may take: 90s, 15m, 2h.")] = None,
    memory: Annotated[str | None, typer.Option(help="Memory a cell may take: 500MB, 2GB.")] = None,
    retries: Annotated[
        int | None,
        typer.Option(help="Further tries after a passing error.", show_default="1"),
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option(help="Folder of treebanks.", show_default="the plan's, TREEGAUGE_UD"),
    ] = None,
    slurm: Annotated[
        list[str] | None,
        typer.Option("--slurm", help="A setting of Slurm: queue=short; repeatable."),
    ] = None,
    fmt: Annotated[Format, typer.Option("--format", help="How to print.")] = Format.text,
) -> None:
    """Run what a plan asks for and the store does not have yet.

    A cell that is done is never run again; a changed option, treebank or major version makes
    another cell, and --dry-run says which and why. A run that was stopped goes on with the same
    command. Failed cells end with exit code 1 and are tried again by the next run.
    """
    from treegauge.experiments.planfile import read_plan
    from treegauge.experiments.pools import Limits, Wanted, read_bytes, read_seconds
    from treegauge.experiments.running import run as run_plan
    from treegauge.experiments.store import Store
    from treegauge.results.errors import TreegaugeError

    told = read_plan(plan)
    limits = Limits(
        read_seconds(timeout) if timeout is not None else told.limits.seconds,
        read_bytes(memory) if memory is not None else told.limits.memory,
    )
    wanted = Wanted(
        pool or told.run.get("pool", "process"),
        told.run.get("workers") if workers is None else workers, limits,
        {**told.slurm, **_settings(slurm or [])},
    )  # fmt: skip
    place = Store(store or Path(f"{plan.stem}.store"))
    with waiting("looking at treebanks"):
        cells = told.plan.expand(root)
    for reason in cells.refused:
        typer.echo(f"left out: {reason}", err=True)
    if dry_run:
        from treegauge.experiments.previews import preview

        emit(preview(cells, place, wanted), fmt)
        return
    if not resume and len(place):
        raise TreegaugeError(f"{place.path} has {len(place)} cells; --resume goes on with it")
    tries = told.run.get("retries", 1) if retries is None else retries
    # Whoever ends a command, such as a queue whose time is up, means what Ctrl-C means.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with remaining("cells") as progress:
            summary = run_plan(
                cells, place, wanted=wanted, retries=tries, progress=progress, name=told.plan.name
            )
    except KeyboardInterrupt:
        typer.echo(
            f"interrupted: {len(place)} cells are done and kept in {place.path}; "
            "the same command goes on from there", err=True,
        )  # fmt: skip
        raise typer.Exit(130) from None
    finally:
        signal.signal(signal.SIGTERM, before)
    emit(summary, fmt)
    if summary.failed:
        typer.echo(f"treegauge results {place.path} --failed says why cells failed", err=True)
        raise typer.Exit(1)


def _settings(words: list[str]) -> dict[str, Any]:
    from treegauge.results.errors import TreegaugeError

    pairs = [word.partition("=") for word in words]
    for word, (name, equals, _) in zip(words, pairs, strict=True):
        if not (name and equals):
            raise TreegaugeError(f"found {word!r}; expected such as queue=short")
    found: dict[str, Any] = {}
    for name, _, value in pairs:
        if name in {"directives", "prologue"}:
            found.setdefault(name, []).append(value)
        else:
            found[name] = int(value) if name == "cores" and value.isdecimal() else value
    return found
