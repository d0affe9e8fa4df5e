"""Output of every verb: its result in the chosen format, and notes and progress on standard error."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from treegauge.core.errors import ChoiceError, lines_of_text
from treegauge.core.figure import DRAWN
from treegauge.core.file_kinds import JSON, LATEX, PAGE, TEXT
from treegauge.core.files import atomic
from treegauge.core.messages import ProgressTask, listening, say
from treegauge.core.result import SAVED, Result

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class _Aside:
    """Standard output for code of others: text goes to standard error, the rest is unchanged."""

    def __init__(self, stdout: TextIO) -> None:
        self._stdout = stdout

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stdout, name)


def printing_aside() -> AbstractContextManager[Any]:
    """Return a context in which prints of plug-ins and libraries do not mix with the result.

    Treebanks are written to the buffer of standard output, which stays as it is.
    """
    return redirect_stdout(cast("TextIO", _Aside(sys.stdout)))


FORMATS = ("text", "json", "csv", "latex", "markdown", "html")
FORMAT_KINDS = {"json": JSON, "csv": TEXT, "latex": LATEX, "markdown": TEXT, "html": PAGE}
"""File endings by format."""


def render(result: Result, fmt: str) -> str | bytes:
    """Return a result in one of the formats; bytes are to be written as they are."""
    if fmt not in {*FORMATS, *result.own_formats}:
        raise ChoiceError("format", fmt, [*FORMATS, *result.own_formats])
    if fmt == "text":
        return str(result)
    content = getattr(result, f"to_{fmt}")()
    if isinstance(content, bytes):
        return content
    text = lines_of_text(str(content))
    # CoNLL-U ends with an empty line.
    return text.removesuffix("\n") if fmt in result.own_formats else text.rstrip("\n")


def check_out(out: Path | None, fmt: str, own_formats: Sequence[str] = ()) -> None:
    """Refuse a file whose ending does not match the format."""
    endings = [*SAVED, *DRAWN, *(f".{name}" for name in own_formats)]
    if out is not None and fmt == "text" and out.suffix and out.suffix.lower() not in endings:
        raise ChoiceError(f"kind of file for {out.name}", out.suffix, endings)


def _endings(result: Result) -> set[str]:
    return {*SAVED, *DRAWN, *(f".{name}" for name in result.own_formats)}


def emit(result: Any, fmt: str = "text", out: Path | None = None) -> None:
    """Print a result, or write it to a file atomically; do nothing if the verb returns None."""
    if result is None:
        return
    if isinstance(result, Result) and fmt == "text" and (whole := result.document) is not None:
        _write_bytes(whole, None)
        return
    if isinstance(result, Result) and fmt == "text" and out is None:
        for piece in result.text_pieces():
            say(piece)
        return
    if isinstance(result, Result):
        check_out(out, fmt, result.own_formats)
    text = render(result, fmt) if isinstance(result, Result) else str(result)
    if isinstance(text, bytes):
        _write_bytes(text, out)
    elif out is None:
        say(text)
    elif isinstance(result, Result) and (
        out.suffix == ".parquet" or (fmt == "text" and out.suffix in _endings(result))
    ):
        result.save(out)  # the ending of the name decides the format
    else:
        with atomic(out) as file:
            file.write(f"{lines_of_text(text)}\n".encode())


def _write_bytes(data: bytes, out: Path | None) -> None:
    """Write to a file atomically, or to standard output."""
    if out is not None:
        with atomic(out) as file:
            file.write(data)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)


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
