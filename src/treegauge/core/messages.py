"""Notes and progress of long work, sent to a listener.

The library is silent without a listener; notes then go to the logger ``treegauge``. The command
line shows bars on a terminal and lines in a log.
"""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import Protocol, TextIO

from treegauge.core.errors import lines_of_text, one_line
from treegauge.core.tables import folded_lines


class ProgressTask(Protocol):
    """A piece of work whose progress is shown."""

    def update(self, done: int, total: int | None = None) -> None:
        """Report the amount done, and the total."""

    def advance(self, amount: int = 1) -> None:
        """Report further progress."""


class Listener(Protocol):
    """Shows notes and progress to a person."""

    def note(self, text: str) -> None:
        """Show a line."""

    @contextmanager
    def task(self, what: str, total: int | None) -> Iterator[ProgressTask]:
        """Show the progress of one piece of work during the context."""


class _Silent:
    def update(self, done: int, total: int | None = None) -> None:
        pass

    def advance(self, amount: int = 1) -> None:
        pass


_listener: ContextVar[Listener | None] = ContextVar("treegauge_listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send notes and progress to a listener during the context."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def is_listened() -> bool:
    """Return whether notes and progress are shown."""
    return _listener.get() is not None


_output: ContextVar[TextIO | None] = ContextVar("treegauge_output", default=None)


def standard_output() -> TextIO:
    """Return standard output, for results, also while prints of others go to standard error."""
    return _output.get() or sys.stdout


@contextmanager
def printing_aside() -> Iterator[None]:
    """Send prints of plug-ins and libraries to standard error, so that they do not mix with the result."""
    token = _output.set(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _output.reset(token)


_ANSWER = re.compile(r"^    \S.*?: (?:(right), |wrong, |no such word$).*$", re.MULTILINE)


def say(text: str, stream: TextIO | None = None) -> None:
    """Print a text without characters that control a terminal; only treebanks are printed raw.

    On a terminal, what systems say about a word is green if it is right, else red, and long messages are folded.
    """
    shown, out = lines_of_text(text), stream or sys.stdout
    if stream is not None and (width := terminal_width(stream)):
        shown = folded_lines(shown, width)
    if out.isatty() and "NO_COLOR" not in os.environ:
        shown = _ANSWER.sub(lambda said: f"\033[3{2 if said[1] else 1}m{said[0]}\033[0m", shown)
    print(shown, file=out, flush=stream is not None)


def terminal_width(stream: TextIO) -> int | None:
    """Return the columns of the terminal, or those that COLUMNS says; None for a file or a pipe without it."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns if stream.isatty() else None
    except (OSError, ValueError):
        return None


def note(text: str) -> None:
    """Show the user a message that is not part of the result."""
    text = lines_of_text(text)
    listener = _listener.get()
    if listener is None:
        import logging

        logging.getLogger("treegauge").info(text)
    else:
        listener.note(text)


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[ProgressTask]:
    """Show the progress of a piece of work; `what` names the units, in the plural: ``"sentences"``.

    Examples
    --------
    >>> with progress("sentences", 2) as task:
    ...     task.advance(2)
    """
    listener, what = _listener.get(), one_line(what)
    if listener is None:
        yield _Silent()
    else:
        with listener.task(what, total) as task:
            yield task
