"""Notes and progress on standard error: bars on a terminal, lines in a log."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from treegauge.results.messages import Task, listening

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

#: Seconds between two lines in a log.
PAUSE = 10.0


class _Bar:
    """A task shown as a bar of rich."""

    def __init__(self, bar: "Progress", number: "TaskID") -> None:
        self.bar, self.number = bar, number

    def update(self, done: int, total: int | None = None) -> None:
        if total is None:
            self.bar.update(self.number, completed=done)
        else:
            self.bar.update(self.number, completed=done, total=total)

    def advance(self, amount: int = 1) -> None:
        self.bar.advance(self.number, amount)


class _Lines:
    """A task shown as a line now and then."""

    def __init__(self, what: str, total: int | None) -> None:
        self.what, self.total, self.done = what, total, 0
        self.start = self.last = time.monotonic()

    def update(self, done: int, total: int | None = None) -> None:
        self.done = done
        self.total = self.total if total is None else total
        now = time.monotonic()
        if now - self.last < PAUSE:
            return
        self.last = now
        spent = now - self.start
        text = f"{self.what}: {done:,}" if done or self.total else self.what
        if self.total:
            text += f" of {self.total:,}"
        if self.total and done:
            text += f", about {spent * (self.total - done) / done:,.0f} s left"
        print(f"{text} ({spent:,.0f} s so far)", file=sys.stderr, flush=True)

    def advance(self, amount: int = 1) -> None:
        self.update(self.done + amount)


class _Terminal:
    """Shows notes as lines, and tasks as bars where somebody watches; tasks in tasks included."""

    def __init__(self) -> None:
        self.bar: Progress | None = None

    def note(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    @contextmanager
    def task(self, what: str, total: int | None) -> Iterator[Task]:
        if not sys.stderr.isatty():
            yield _Lines(what, total)
            return
        if self.bar is not None:
            number = self.bar.add_task(what, total=total)
            try:
                yield _Bar(self.bar, number)
            finally:
                self.bar.remove_task(number)
            return
        from rich import progress as rich
        from rich.console import Console

        columns = (
            rich.SpinnerColumn(), rich.TextColumn("{task.description}"), rich.BarColumn(),
            rich.MofNCompleteColumn(), rich.TimeElapsedColumn(), rich.TimeRemainingColumn(),
        )  # fmt: skip
        with rich.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            self.bar = bar
            try:
                yield _Bar(bar, bar.add_task(what, total=total))
            finally:
                self.bar = None


@contextmanager
def showing() -> Iterator[None]:
    """Show notes and progress of what is run in the context."""
    with listening(_Terminal()):
        yield


# Used by commands that are not yet made from their verbs.

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
