"""Progress on the terminal, and silence everywhere else."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

Advance = Callable[[int], None]
Update = Callable[[int, int | None], None]


@contextmanager
def _bar(*columns: str) -> "Iterator[Progress | None]":
    """Give a bar of the named columns of rich; None when nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress as rich
    from rich.console import Console

    made = [getattr(rich, name)() if name.endswith("Column") else name for name in columns]
    with rich.Progress(*made, console=Console(stderr=True), transient=True) as bar:
        yield bar


@contextmanager
def counting(what: str) -> Iterator[Advance | None]:
    """Give a function to call with every amount of work done."""
    with _bar("SpinnerColumn", "{task.completed:,.0f} " + what, "TimeElapsedColumn") as bar:
        task = bar.add_task(what, total=None) if bar else None
        yield (lambda amount: bar.advance(task, amount)) if bar and task is not None else None


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say what is being done while it is not known how long it takes."""
    with _bar("SpinnerColumn", what, "TimeElapsedColumn") as bar:
        if bar:
            bar.add_task(what, total=None)
        yield


@contextmanager
def steps(what: str) -> Iterator[Update | None]:
    """Give a function to call with the number of steps done and of all."""
    with _bar("BarColumn", "MofNCompleteColumn", what, "TimeElapsedColumn") as bar:
        task = bar.add_task(what, total=None) if bar else None

        def update(done: int, total: int | None) -> None:
            if bar and task is not None:
                bar.update(task, completed=done, total=total)

        yield update if bar else None


@contextmanager
def remaining(what: str) -> Iterator[Update | None]:
    """Give a function as :func:`steps` does; the bar tells how long it will take yet."""
    columns = ("BarColumn", "MofNCompleteColumn", what, "TimeElapsedColumn", "TimeRemainingColumn")
    with _bar(*columns) as bar:
        task = bar.add_task(what, total=None) if bar else None

        def update(done: int, total: int | None) -> None:
            if bar and task is not None:
                bar.update(task, completed=done, total=total)

        yield update if bar else None


@contextmanager
def stages() -> Iterator[Callable[[str], Update] | None]:
    """Give a function that begins a stage of the work.

    It takes what the stage is called and gives a function to call with the bytes done so far and
    the bytes in all, if known.
    """
    columns = ("{task.description}", "BarColumn", "DownloadColumn", "TimeRemainingColumn")
    with _bar(*columns) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task("", total=None)

        def begin(what: str) -> Update:
            bar.reset(task, description=what[-60:], total=None)
            return lambda done, total: bar.update(task, completed=done, total=total)

        yield begin
