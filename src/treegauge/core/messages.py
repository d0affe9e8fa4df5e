"""What long work says while it runs: notes and progress, to whoever listens.

The library is silent unless somebody listens: the command line shows bars on a terminal and lines
in a log; without a listener, notes go to the logger ``treegauge``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class ProgressTask(Protocol):
    """A piece of work whose progress is shown."""

    def update(self, done: int, total: int | None = None) -> None:
        """Say how much is done, of how much."""

    def advance(self, amount: int = 1) -> None:
        """Say that some more is done."""


class Listener(Protocol):
    """Shows notes and progress to a person."""

    def note(self, text: str) -> None:
        """Show a line."""

    @contextmanager
    def task(self, what: str, total: int | None) -> Iterator[ProgressTask]:
        """Show the progress of one piece of work while the context lasts."""


class _Silent:
    def update(self, done: int, total: int | None = None) -> None:
        pass

    def advance(self, amount: int = 1) -> None:
        pass


_listener: ContextVar[Listener | None] = ContextVar("treegauge_listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send notes and progress to a listener while the context lasts."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def is_listened() -> bool:
    """Return whether somebody sees notes and progress."""
    return _listener.get() is not None


def note(text: str) -> None:
    """Tell the user something that is not part of the result."""
    listener = _listener.get()
    if listener is None:
        import logging

        logging.getLogger("treegauge").info(text)
    else:
        listener.note(text)


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[ProgressTask]:
    """Show the progress of a piece of work; `what` is counted, in the plural: ``"sentences"``.

    Examples
    --------
    >>> with progress("sentences", 2) as task:
    ...     task.advance(2)
    """
    listener = _listener.get()
    if listener is None:
        yield _Silent()
    else:
        with listener.task(what, total) as task:
            yield task
