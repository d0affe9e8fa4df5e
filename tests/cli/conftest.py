"""The command line in this process: arguments in, exit code and output out."""

import io
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from treegauge.cli import main, progress


class Done(NamedTuple):
    """What a command left."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Run ``treegauge ARGS...``; `stdin` is what comes through the pipe."""

    def run(*args: object, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["treegauge", *map(str, args)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as end:
            main()
        code = end.value.code
        sys.stdout.flush()
        out, err = capsysbinary.readouterr()
        return Done(code if isinstance(code, int) else 0, out.decode(), err.decode())

    return run


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The columns of every progress bar that a terminal would have shown."""
    said: list[tuple[str, ...]] = []

    class Bar:
        def __init__(self, *columns: str) -> None:
            said.append(columns)

        def __enter__(self) -> None:
            return None

        def __exit__(self, *error: object) -> None:
            return None

    monkeypatch.setattr(progress, "_bar", Bar)
    return said
