"""Commands run in the process of the tests."""

import io
import json
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jsonschema import Draft202012Validator

from treegauge.cli.app import run_command

SCHEMA = Path(__file__).parents[1] / "docs" / "schema.json"


class Invoked(NamedTuple):
    """What a command left."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def schema_errors(result: object) -> list[str]:
    """Return what the published schema refuses in a result."""
    return [f"{error.json_path}: {error.message[:200]}" for error in _validator().iter_errors(result)]


def invoke(words: Iterable[object]) -> Invoked:
    """Run ``treegauge WORDS...``."""
    words = list(map(str, words))
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = run_command(words)
    printed, said = (one.buffer.getvalue().decode() for one in (out, err))
    if "json" in words and printed.startswith("{"):
        assert not schema_errors(json.loads(printed)), "run `python -m tools.face`, or see docs/schema.json"
    return Invoked(code, printed, said)
