"""Output of every verb: one result in the chosen format, to a file or the terminal."""

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, redirect_stdout
from pathlib import Path
from typing import Any, TextIO, cast

from treegauge.core.errors import ChoiceError, lines_of_text
from treegauge.core.file_kinds import JSON, LATEX, PAGE, TEXT
from treegauge.core.files import atomic
from treegauge.core.messages import say
from treegauge.core.result import SAVED, Result


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
    endings = [*SAVED, *(f".{name}" for name in own_formats)]
    if out is not None and fmt == "text" and out.suffix and out.suffix.lower() not in endings:
        raise ChoiceError(f"kind of file for {out.name}", out.suffix, endings)


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
        out.suffix == ".parquet" or (fmt == "text" and (out.suffix in SAVED or out.suffix[1:] in result.own_formats))
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
