"""Commands run in the process of the tests."""

import io
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from treegauge.cli.app import run_command


class Invoked(NamedTuple):
    """What a command left."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


def invoke(words: Iterable[object]) -> Invoked:
    """Run ``treegauge WORDS...``."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = run_command(list(map(str, words)))
    printed, said = (one.buffer.getvalue().decode() for one in (out, err))
    return Invoked(code, printed, said)
