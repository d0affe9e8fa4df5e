"""Doing one cell: the same in every pool."""

import io
import math
import re
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from treegauge.experiments.cells import Cell, Outcome, Scalar
from treegauge.experiments.inventory import parser_files, treebank_files
from treegauge.experiments.limits import peak
from treegauge.experiments.provenance import environment
from treegauge.experiments.tasks import find_task
from treegauge.results.errors import TreegaugeError

if TYPE_CHECKING:
    import polars as pl

#: Names of columns that results have anyway.
TAKEN = (
    "task", "treebank", "parser", "options", "parameters", "data", "size", "sample", "seed", "key",
    "files", "started", "seconds", "peak", "attempts", "environment",
)  # fmt: skip
RECORDING = re.compile(r"[A-Za-z0-9_-]+")
LONGEST = 4000
"""Characters kept of an error."""


@dataclass(frozen=True)
class Report:
    """What became of a cell.

    Attributes
    ----------
    scalars
        The task's, None if it failed.
    words
        The task's table of words as a Parquet file's bytes, if it has one.
    recordings
        The task's recordings, contents of ``.npz`` files by name.
    error
        Why it failed.
    lasting
        Whether the failure would happen again, so that another try is of no use.
    started, seconds, peak, environment
        When, how long, the most bytes the process held, and versions and host.
    """

    scalars: Mapping[str, Scalar] | None = None
    words: bytes | None = field(default=None, repr=False)
    recordings: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    error: str | None = None
    lasting: bool = False
    started: float = 0.0
    seconds: float = 0.0
    peak: int = 0
    environment: str = "{}"


def perform(cell: Cell) -> Report:
    """Run a cell's task; whatever it raises becomes part of the report."""
    started, clock = time.time(), time.perf_counter()
    facts: dict[str, Any] = {}
    try:
        _check_files(cell)
        outcome = find_task(cell.task).function()(cell)
        if not isinstance(outcome, Outcome):
            raise TreegaugeError(f"task {cell.task} gave {type(outcome).__name__}, not an Outcome")
        facts["scalars"] = _scalars(outcome.scalars)
        facts["words"] = None if outcome.words is None else _parquet(outcome.words)
        facts["recordings"] = _recordings(cell.task, outcome.recordings)
    except MemoryError:
        facts = {"error": "out of memory", "lasting": True}
    except TreegaugeError as error:
        facts = {"error": _writable(str(error))[:LONGEST], "lasting": True}
    except KeyboardInterrupt:
        raise
    except BaseException:  # also what a library uses to end the interpreter
        facts = {"error": _writable(traceback.format_exc())[-LONGEST:].strip()}
    return Report(
        **facts, started=started, seconds=time.perf_counter() - clock, peak=peak(),
        environment=environment(cell.parser),
    )  # fmt: skip


def _check_files(cell: Cell) -> None:
    """Refuse to run on other bytes than those the cell is named by."""
    if not cell.files or cell.setup.inputs:
        return
    found = {
        **treebank_files(cell.treebank, cell.setup.places),
        **parser_files(cell.parser, cell.options),
    }
    for name in sorted({*cell.files, *found}):
        if cell.files.get(name) != found.get(name):
            raise TreegaugeError(
                f"{name} of {cell.treebank} is not the file that was planned with: it changed "
                "since, or is another one on this machine; run the plan again"
            )


def _scalars(scalars: Mapping[str, Any]) -> dict[str, Scalar]:
    plain: dict[str, Scalar] = {}
    for name, given in scalars.items():
        value = given.item() if hasattr(given, "item") else given
        if name in TAKEN:
            raise TreegaugeError(f"the task's scalar {name!r} has the name of a column of results")
        if value is not None and not isinstance(value, float | int | str):
            raise TreegaugeError(
                f"the task's scalar {name!r} is {value!r}; expected a number or a text"
            )
        if isinstance(value, str):
            value = _writable(value)
        elif isinstance(value, float):
            value = float(value) if math.isfinite(value) else None
        plain[_writable(str(name))] = value
    return plain


def _recordings(task: str, recordings: Mapping[str, bytes]) -> dict[str, bytes]:
    for name, data in recordings.items():
        if not (RECORDING.fullmatch(name) and isinstance(data, bytes)):
            raise TreegaugeError(
                f"task {task} gave a recording {name!r} of type {type(data).__name__}; expected "
                "bytes under a name of letters, digits, '-' and '_'"
            )
    return dict(recordings)


def _writable(text: str) -> str:
    """Replace halves of characters, as in names of files that are no UTF-8; no ledger has them."""
    return text.encode(errors="backslashreplace").decode()


def _parquet(words: "pl.DataFrame") -> bytes:
    buffer = io.BytesIO()
    words.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()
