"""Tasks by name, built in or importable functions of a cell; and running cells."""

import hashlib
import io
import json
import math
import os
import platform
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from treegauge import __version__
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.lazy import extension_names, load_extension
from treegauge.core.platforms import peak_memory
from treegauge.core.plugins import load_plugins
from treegauge.experiments.cells import Cell, Outcome, Scalar
from treegauge.parsing.registry import known_parsers, make_parser
from treegauge.scoring.metrics.convention import find_convention
from treegauge.treebanks.sources.files import open_bytes, short_name, split_of
from treegauge.treebanks.sources.resolver import find

Function = Callable[[Cell], Outcome]


@dataclass(frozen=True)
class Task:
    """The description of a task: its function, requirements and parameters.

    Its home is ``module:function``, its parts are the splits that a treebank must have. It needs a
    parser, and sizes of training sets, or not (None: either). `parameters` have defaults (None:
    any are accepted); `required` ones have none. Parameters in `treebanks` name further treebanks,
    one each: plans look for them where the treebank itself is, and
    ``cell.read("train", treebank=name)`` reads them. A task `redraws` if its samples differ also
    where all training sentences are used; otherwise the seed varies there. `samples` names the
    parameter that says how many samples there are, such as folds.
    """

    name: str
    meaning: str
    home: str
    parts: tuple[str, ...] = ()
    parser: bool | None = None
    sized: bool | None = None
    parameters: Mapping[str, Any] | None = None
    required: tuple[str, ...] = ()
    treebanks: tuple[str, ...] = ()
    redraws: bool = True
    samples: str = ""

    def function(self) -> Function:
        """Import the function."""
        module, _, name = self.home.partition(":")
        here = os.getcwd()  # noqa: PTH109 -- sys.path holds texts
        if here not in sys.path:  # an installed command does not search the current folder
            sys.path.append(here)
        try:
            function = getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise TreegaugeError(
                f"task {self.home}: {error}; expected module:function that can be imported from "
                f"{here} or from where packages are installed"
            ) from error
        except (Exception, SystemExit) as error:
            raise TreegaugeError(
                f"task {self.home}: loading {module} ends with {type(error).__name__}: {error}"
            ) from error
        if not callable(function):
            raise TreegaugeError(f"task {self.home} is {function!r}; expected a function")
        return function  # type: ignore[no-any-return]

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters, with defaults; unknown and missing ones are errors."""
        if self.parameters is None:
            return dict(given)
        known = [*self.required, *self.parameters]
        for name in given:
            if name not in known:
                raise ChoiceError(f"parameter of task {self.name}", name, known)
        for name in self.required:
            if name not in given:
                raise TreegaugeError(f"task {self.name} needs parameter {name}; its parameters: {', '.join(known)}")
        for name, usual in self.parameters.items():
            value = given.get(name, usual)
            fits = isinstance(value, bool) == isinstance(usual, bool)
            if usual is not None and not (fits and isinstance(value, type(usual))):
                raise TreegaugeError(
                    f"parameter {name} of task {self.name} is {value!r}; expected a value such as {usual!r}"
                )
        if "convention" in self.parameters:
            find_convention(given.get("convention", "official"))
        return dict(self.parameters) | dict(given)


_BUILT_IN = "treegauge.experiments.builtin"
_POLICY = {"errors": "strict"}
_SCORED = {"convention": "official", **_POLICY}
_TASKS = (
    Task(
        "score", "train on the training set, parse the test set: metrics of CoNLL 2018",
        f"{_BUILT_IN}:score_of_cell", ("train", "test"), parser=True, sized=False,
        parameters=_SCORED, redraws=False,
    ),
    Task(
        "curve", "train on a sample of the first training sentences, parse the test set",
        f"{_BUILT_IN}:curve_of_cell", ("train", "test"), parser=True, sized=True,
        parameters={"train_limit": 500, "dev_limit": 10, "nested": False, **_SCORED},
        redraws=False,
    ),
    Task(
        "split", "split all sentences again, train, parse the new test set",
        f"{_BUILT_IN}:split_of_cell", (), parser=True, sized=False,
        parameters={
            "objective": "random", "sizes": "60/20/20",
            "unit": "sentences", "min_words": 0, **_SCORED,
        },
    ),
    Task(
        "crossval", "k-fold cross-validation: parse each fold by a parser trained on the others; score pools them",
        f"{_BUILT_IN}:fold_of_cell", (), parser=True, sized=False,
        parameters={"folds": 5, "unit": "sentences", **_SCORED}, samples="folds",
    ),
    Task(
        "measure", "measures of a treebank",
        f"{_BUILT_IN}:measures_of_cell", (), parser=False, sized=False,
        parameters={"split": "train", **_POLICY}, required=("measures",), redraws=False,
    ),
)  # fmt: skip
BUILT_IN = {task.name: task for task in _TASKS}
EXTENSIONS = extension_names("tasks")
"""Tasks of rooms above this one, each a :class:`Task`."""


def find_task(name: str) -> Task:
    """Return a task: built in, of a plug-in (entry points ``treegauge.tasks``), or the user's own.

    A plug-in is a :class:`Task` or a function of a cell; ``module:function`` names any function.

    Examples
    --------
    >>> find_task("curve").sized
    True
    >>> find_task("curves")
    Traceback (most recent call last):
    treegauge.core.errors.ChoiceError: unknown task 'curves'; did you mean 'curve'? ...
    """
    if name in BUILT_IN:
        return BUILT_IN[name]
    if name in EXTENSIONS:
        task: Task = load_extension("tasks", name)
        return task
    plugins = load_plugins("treegauge.tasks")
    if name in plugins:
        loaded = plugins[name].object
        if isinstance(loaded, Task):
            return loaded
        if not callable(loaded):
            raise TreegaugeError(f"the plug-in {plugins[name].origin} is {loaded!r}; expected a Task or a function")
        return Task(name, "", f"{loaded.__module__}:{loaded.__qualname__}")
    module, colon, function = name.partition(":")
    if not (module and colon and function):
        raise ChoiceError("task", name, [*BUILT_IN, *EXTENSIONS, *plugins, "module:function"])
    return Task(name, "", name)


#: Names of columns that all results have.
TAKEN = (
    "task", "treebank", "parser", "options", "parameters", "data", "size", "sample", "seed", "key",
    "files", "started", "seconds", "peak", "attempts", "environment",
)  # fmt: skip
RECORDING = re.compile(r"[A-Za-z0-9_-]+")
LONGEST = 4000
"""The number of characters kept of an error."""


@dataclass(frozen=True)
class Report:
    """The outcome of running a cell.

    Scalars are None if it failed; `words` are a Parquet file's bytes, `recordings` contents of
    ``.npz`` files by name; a `lasting` failure would happen again, so it is not retried; `peak` is
    the peak memory of the process in bytes.
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


class LedgerEntry(NamedTuple):
    """A cell to record: done if its report has scalars, else failed."""

    cell: Cell
    report: Report
    attempts: int = 1


def outcome_of(cell: Cell) -> Outcome:
    """Run a cell's task in this process and return its checked outcome."""
    _check_files(cell)
    outcome = find_task(cell.task).function()(cell)
    if not isinstance(outcome, Outcome):
        raise TreegaugeError(f"task {cell.task} gave {type(outcome).__name__}, not an Outcome")
    for name, data in outcome.recordings.items():
        if not (RECORDING.fullmatch(name) and isinstance(data, bytes)):
            raise TreegaugeError(
                f"task {cell.task} gave a recording {name!r} of type {type(data).__name__}; "
                "expected bytes under a name of letters, digits, '-' and '_'"
            )
    return replace(outcome, scalars=_scalars(outcome.scalars))


def failure(error: BaseException) -> tuple[str, bool]:
    """Return what a store keeps of an error, and whether it would happen again."""
    if isinstance(error, MemoryError):
        return "out of memory", True
    if isinstance(error, TreegaugeError):
        return _writable(str(error))[:LONGEST], True
    return _writable("".join(traceback.format_exception(error)))[-LONGEST:].strip(), False


def perform(cell: Cell) -> Report:
    """Run a cell's task and return the report; exceptions become part of it."""
    started, clock = time.time(), time.perf_counter()
    facts: dict[str, Any] = {}
    try:
        outcome = outcome_of(cell)
        facts = {"scalars": outcome.scalars, "recordings": dict(outcome.recordings)}
        if outcome.words is not None:
            outcome.words.write_parquet(buffer := io.BytesIO(), compression="zstd")
            facts["words"] = buffer.getvalue()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also SystemExit, which libraries raise
        text, lasting = failure(error)
        facts = {"error": text, "lasting": lasting}
    return Report(
        **facts, started=started, seconds=time.perf_counter() - clock, peak=peak_memory(),
        environment=environment(cell.parser),
    )  # fmt: skip


def _check_files(cell: Cell) -> None:
    """Refuse to run if files have changed since the cell was made."""
    if not cell.setup.files or cell.setup.inputs:
        return
    files = {**treebank_files(cell.treebank, cell.setup.places), **parser_files(cell.parser, cell.options)}
    for name in sorted({*cell.setup.files, *files}):
        if cell.setup.files.get(name) != files.get(name):
            raise TreegaugeError(
                f"{name} of {cell.treebank} is not the file that the plan was made with: it "
                "changed, or differs on this machine; run the plan again"
            )


def _scalars(scalars: Mapping[str, Any]) -> dict[str, Scalar]:
    plain: dict[str, Scalar] = {}
    for name, given in scalars.items():
        value = given.item() if hasattr(given, "item") else given
        if name in TAKEN:
            raise TreegaugeError(f"the task's scalar {name!r} has the name of a column of results")
        if value is not None and not isinstance(value, float | int | str):
            raise TreegaugeError(f"the task's scalar {name!r} is {value!r}; expected a number or a text")
        if isinstance(value, str):
            value = _writable(value)
        elif isinstance(value, float):
            value = float(value) if math.isfinite(value) else None
        plain[_writable(str(name))] = value
    return plain


def _writable(text: str) -> str:
    """Replace lone surrogates, as in names of files that are not UTF-8; SQLite refuses them."""
    return text.encode(errors="backslashreplace").decode()


PACKAGES = ("numpy", "polars", "scipy")
#: The packages behind the extras that parsers need.
LIBRARIES = {"udpipe": "ufal.udpipe", "neural": "torch"}


@dataclass(frozen=True)
class Inventory:
    """A treebank as plans see it: SHA-256 of each file's content, and counts by split.

    A file without a split in its name is under ``""``.
    """

    files: Mapping[str, str]
    sentences: Mapping[str, int]
    words: Mapping[str, int]


def inventory(treebank: str) -> Inventory:
    """Count and hash a treebank's files; unchanged files are not read again."""
    paths = find(treebank)
    if not all(Path(path).is_file() for path in paths):
        raise TreegaugeError(f"{treebank}: expected regular files, which can be read more than once")
    states = [(path, Path(path).stat()) for path in paths]
    return _inventory(tuple((path, s.st_size, s.st_mtime_ns, s.st_ino) for path, s in states))


def treebank_files(treebank: str, places: Mapping[str, str]) -> dict[str, str]:
    """Return the hashes of a treebank's files, and of further treebanks' under their names."""
    further = {
        f"{name}/{file}": digest for name, path in places.items() for file, digest in inventory(path).files.items()
    }
    return {**inventory(treebank).files, **further}


def parser_files(parser: str, options: Mapping[str, Any]) -> dict[str, str]:
    """Return a hash of the template of an external parser, if it has one."""
    if parser not in known_parsers():  # none, or a user's
        return {}
    template = getattr(make_parser(parser, **options), "template", None)
    return {} if template is None else {f"template {template.name}": template.digest}


@lru_cache(maxsize=1024)
def _inventory(stamps: tuple[tuple[str, int, int, int], ...]) -> Inventory:
    files: dict[str, str] = {}
    sentences: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for path, *_ in stamps:
        with open_bytes(path) as stream:
            data = stream.read()
        files[short_name(path)] = hashlib.sha256(data).hexdigest()
        split = split_of(path) or ""
        firsts, rows = _counts(data)
        sentences[split] += firsts
        words[split] += rows
    return Inventory(files, dict(sentences), dict(words))


def _counts(data: bytes) -> tuple[int, int]:
    r"""Count sentences (by their word 1) and rows, without reading the other columns.

    Examples
    --------
    >>> _counts(b"# 1\n1-2\tab\n1\ta\n2\tb\n\n1\tc\n\n")
    (2, 4)
    """
    firsts = data.count(b"\n1\t") + data.startswith(b"1\t")
    raw = np.frombuffer(b"\n" + data, np.uint8)
    after = raw[1:][raw[:-1] == ord("\n")]
    return firsts, int(((after >= ord("0")) & (after <= ord("9"))).sum())


@lru_cache
def environment(parser: str) -> str:
    """Return host, commit and versions as one line of JSON; the same facts, the same line."""
    facts = {
        "host": platform.node(),
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
        "treegauge": __version__,
        "commit": commit(Path(__file__).parents[3]),
    }
    needed = known_parsers()[parser].needs if parser in known_parsers() else None
    library = LIBRARIES.get(needed or "", needed)
    for package in filter(None, (*PACKAGES, library)):
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = None
    return json.dumps(facts, sort_keys=True)


def commit(root: Path) -> str | None:
    """Return the commit of a git checkout, read from its files; None if there is none."""
    git = root / ".git"
    try:
        if git.is_file():  # a linked work tree
            git = (root / git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()).resolve()
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref:"):
            return head
        reference = head.partition(":")[2].strip()
        shared = git / "commondir"
        common = (git / shared.read_text(encoding="utf-8").strip()).resolve() if shared.exists() else git
        loose = common / reference
        if loose.exists():
            return loose.read_text(encoding="utf-8").strip()
        for line in (common / "packed-refs").read_text(encoding="utf-8").splitlines():
            if line.endswith(f" {reference}"):
                return line.split()[0]
    except OSError:
        pass
    return None
