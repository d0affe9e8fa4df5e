"""A bar for work that is measured in bytes, and silence where nobody watches."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stages() -> Iterator[Callable[[str], Callable[[int, int | None], None]] | None]:
    """Give a function that begins a stage of the work; None when standard error is no terminal.

    It takes what the stage is called and gives a function to call with the bytes done so far and
    the bytes in all, if known.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    console = Console(stderr=True)
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("", total=None)

        def begin(what: str) -> Callable[[int, int | None], None]:
            progress.reset(task, description=what[-60:], total=None)
            return lambda done, total: progress.update(task, completed=done, total=total)

        yield begin
