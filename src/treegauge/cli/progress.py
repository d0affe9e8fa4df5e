"""Notes and progress on standard error, as bars on a terminal or lines in a log."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from treegauge.core.messages import ProgressTask, listening, say

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

#: Seconds between two lines in a log.
PAUSE = 10.0


class _Bar:
    """A task shown as a progress bar of rich."""

    def __init__(self, bar: "Progress", number: "TaskID") -> None:
        self.bar, self.number = bar, number

    def update(self, done: int, total: int | None = None) -> None:
        self.bar.update(self.number, completed=done, total=total)  # None keeps the total

    def advance(self, amount: int = 1) -> None:
        self.bar.advance(self.number, amount)


class _Lines:
    """A task shown as a line every few seconds."""

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
        say(f"{text} ({spent:,.0f} s so far)", sys.stderr)

    def advance(self, amount: int = 1) -> None:
        self.update(self.done + amount)


class _Terminal:
    """Shows notes as lines and tasks, also nested ones, as bars on a terminal."""

    def __init__(self) -> None:
        self.bar: Progress | None = None

    def note(self, text: str) -> None:
        say(text, sys.stderr)

    @contextmanager
    def task(self, what: str, total: int | None) -> Iterator[ProgressTask]:
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
            rich.SpinnerColumn(), rich.TextColumn("{task.description}", markup=False),
            rich.BarColumn(), rich.MofNCompleteColumn(), rich.TimeElapsedColumn(),
            rich.TimeRemainingColumn(),
        )  # fmt: skip
        with rich.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            self.bar = bar
            try:
                yield _Bar(bar, bar.add_task(what, total=total))
            finally:
                self.bar = None


@contextmanager
def showing() -> Iterator[None]:
    """Show notes and progress of the code in this context."""
    with listening(_Terminal()):
        yield
