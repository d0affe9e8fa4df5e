"""Run a plan, given as a TOML file or in Python."""

import os
import re
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from treegauge.core.arguments import check_arguments
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.file_kinds import STORE
from treegauge.core.messages import note, progress
from treegauge.core.safe_reading import check_trust
from treegauge.core.text_formats import parse_toml
from treegauge.core.verbs import verb
from treegauge.experiments.cell_store import Store
from treegauge.experiments.cells import Expansion
from treegauge.experiments.plans import Plan, absent_treebanks, grid
from treegauge.experiments.pools import CellLimits, PoolSettings
from treegauge.experiments.training import RunSummary, run_expansion
from treegauge.parsing.registry import known_parsers
from treegauge.treebanks.sources.files import Source

if TYPE_CHECKING:
    from treegauge.experiments.previews import Preview


@verb(outputs={"store": STORE})
def run(
    plan: Plan | Expansion | str | PathLike[str],
    store: Store | str | PathLike[str] | None = None,
    *,
    dry_run: bool = False,
    until: str | None = None,
    pool: str | None = None,
    workers: int | None = None,
    timeout: str | float | None = None,
    memory: str | int | None = None,
    retries: int | None = None,
    root: str | PathLike[str] | None = None,
    slurm: Sequence[str] | Mapping[str, Any] = (),
    trust: bool = False,
) -> "RunSummary | Preview":
    """Run a plan of many trainings; resumes where it stopped.

    A finished cell is never run again. A changed option, treebank or major version makes a new
    cell; --dry-run reports which and why. If cells fail, the exit code is 1, and the next run
    tries them again.

    Parameters
    ----------
    plan
        A plan, as a TOML file.
    store
        Folder of results, created if needed; by default the plan's name and ``.store``.
    dry_run
        Only report what would be run, and why.
    until
        Stop as soon as it is decided which of two parsers is better, such as "mst > beam": cells are
        added seed by seed, or genus by genus, and looking after each keeps the error at 5 %.
    pool
        inline, process (a fresh process for each cell), dask, dask://HOST:PORT or slurm. Default:
        the plan's pool, or process.
    workers
        Number of cells at a time; by default one per processor.
    timeout
        Time limit of a cell: 90s, 15m, 2h.
    memory
        Memory limit of a cell: 500MB, 2GB.
    retries
        Number of retries after a temporary error, such as a killed process. Default: the plan's, or
        1. Errors of an input or a limit are not retried.
    root
        Folder of treebanks, instead of the plan's and of TREEGAUGE_UD.
    slurm
        A setting of Slurm, such as queue=short; repeatable.
    trust
        Allow the plan file to run code: its own tasks (module:function), other programs (parser
        command), a dask scheduler, and lines for Slurm's scripts. The environment variable
        TREEGAUGE_TRUST=1 does the same for all plans and models.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import treegauge as tg
    >>> home = Path(tempfile.mkdtemp())
    >>> (home / "UD_Syn-X").mkdir()
    >>> for seed, part in enumerate(("train", "test")):
    ...     file = home / "UD_Syn-X" / f"sy_x-ud-{part}.conllu"
    ...     tg.write_conllu(tg.synthetic(20, seed=seed), file)
    >>> cells = tg.grid("score", "UD_Syn-X", parsers=["baseline"], seeds=[0, 1, 2])
    >>> plan = tg.Plan((cells,))
    >>> str(run(plan, home / "a.store", root=home, dry_run=True)).splitlines()[0]
    '3 cells: 0 done, 0 failed before, 3 new'
    """
    if isinstance(plan, Plan | Expansion):
        file = PlanFile(plan if isinstance(plan, Plan) else Plan(()))
    else:
        file = read_plan(plan, trust=trust)
    settings = PoolSettings(
        pool or file.run.get("pool", "process"),
        file.run.get("workers") if workers is None else workers,
        CellLimits.read(
            file.run.get("timeout") if timeout is None else timeout,
            file.run.get("memory") if memory is None else memory,
        ),
        {**file.slurm, **(dict(slurm) if isinstance(slurm, Mapping) else _slurm_settings(slurm))},
    )
    tries = file.run.get("retries", 1) if retries is None else retries
    if tries < 0:
        raise TreegaugeError(f"retries is {tries}; expected at least 0")
    if store is None:
        store = f"{file.plan.name if isinstance(plan, Plan | Expansion) else Path(plan).stem}.store"
    place = Store(store)
    cells = plan if isinstance(plan, Expansion) else file.plan.expand(root)
    for reason in cells.refused:
        note(f"left out: {reason}")
    if place.ledger_path.exists():
        _note_absent(file.plan, place, root)
    if dry_run:
        from treegauge.experiments.previews import preview

        return preview(cells, place, settings)
    with _ended_as_interrupted(place), progress("cells", len(cells)) as task:
        if until is not None:
            from treegauge.experiments.until import run_until

            how: dict[str, Any] = {"retries": tries, "progress": task.update, "name": file.plan.name}
            return run_until(cells, until, place, settings, **how)
        return run_expansion(cells, place, settings, retries=tries, progress=task.update, name=file.plan.name)


def _note_absent(plan: Plan, store: Store, root: str | PathLike[str] | None) -> None:
    """Send a note of each treebank of a plan that has results and is no longer on the disk."""
    with store.reading() as ledger:
        absent = absent_treebanks(plan, ledger, root)
    for path, pattern in dict.fromkeys((path, pattern) for _, path, pattern, _ in absent):
        count = sum(cells for _, one, _, cells in absent if one == path)
        note(
            f"left out: {path}, which the plan names by {pattern!r}, is absent or incomplete; "
            f"finished cells of it ({count}) stay in {store.path}"
        )


@contextmanager
def _ended_as_interrupted(store: Store) -> Iterator[None]:
    """Treat termination, such as by a queue's time limit, like Ctrl-C: all results are kept."""
    here = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, signal.default_int_handler) if here else None
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted: {len(store)} cells are done and kept in {store.path}; the same command resumes there"
        ) from None
    finally:
        if here:
            signal.signal(signal.SIGTERM, before)


def _slurm_settings(words: Sequence[str]) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not (name and equals):
            raise TreegaugeError(f"found {word!r}; expected a setting of Slurm such as queue=short")
        if name in {"directives", "prologue"}:
            settings.setdefault(name, []).append(value)
        else:
            settings[name] = int(value) if name == "cores" and value.isdecimal() else value
    return settings


# plan files

GRID = ("task", "treebanks", "parsers", "sizes", "samples", "seeds", "parameters")
PLAN = ("name", "root", *GRID)
RUN = ("pool", "workers", "timeout", "memory", "retries")
TABLES = ("plan", "grid", "run", "slurm")
_KINDS: dict[str, tuple[type[Any] | tuple[type[Any], ...], str]] = {
    "name": (str, "a text"), "root": (str, "a text"), "task": (str, "a text"),
    "treebanks": ((str, list), "a list of texts"), "parsers": ((str, list), "a list of parsers"),
    "parameters": (dict, "a table"), "options": (dict, "a table"), "pool": (str, "a text"),
    "workers": (int, "a whole number"), "retries": (int, "a whole number"),
}  # fmt: skip


class PlanFile(NamedTuple):
    """A plan, its run options, and settings of Slurm."""

    plan: Plan
    run: Mapping[str, Any] = {}
    slurm: Mapping[str, Any] = {}


def read_plan(path: Source, *, trust: bool = False) -> PlanFile:
    """Read a plan from a file.

    Table ``[plan]`` has the grid, or the common part of several ``[[grid]]`` tables; ``[run]`` and
    ``[slurm]`` have options of ``treegauge run``. A plan that would run code is refused unless
    `trust` or the environment variable TREEGAUGE_TRUST allows it.
    """
    try:
        data = parse_toml(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise TreegaugeError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise TreegaugeError(f"{path}: not valid TOML: {error}") from error
    try:
        file = _plan_file(data, Path(path))
        check_trust(_code(file), trust=trust)
    except TreegaugeError as error:
        raise TreegaugeError(f"{path}: {error}") from error
    return file


def _code(file: PlanFile) -> list[str]:
    """Return the code that a plan would run which is not part of an installed package.

    A dask scheduler by address counts: what it sends is unpickled here. So does a setting of Slurm
    that could end its word or line in the shell script of a job.
    """
    tasks = [f"task {grid.task}" for grid in file.plan.grids if ":" in grid.task]
    programs = [
        f"parser {parser.name}"
        for grid in file.plan.grids
        for parser in grid.parsers
        if parser.name in known_parsers() and known_parsers()[parser.name].runs_programs
    ]
    pool = str(file.run.get("pool", ""))
    schedulers = [f"pool {pool}"] if pool.startswith("dask://") else []
    lines = [
        f"{name} of Slurm"
        for name, value in file.slurm.items()
        if name in _SHELL_LINES or (name not in _SHELL_NUMBERS and not _SHELL_WORD.fullmatch(str(value)))
    ]
    return [*tasks, *programs, *schedulers, *lines]


_SHELL_LINES = ("prologue", "directives", "python")
_SHELL_NUMBERS = ("memory", "cores")  # dask-jobqueue writes the number that it reads
_SHELL_WORD = re.compile(r"(?!-)[\w.,:@%+=/-]*", re.ASCII)


def _plan_file(data: dict[str, Any], path: Path) -> PlanFile:
    _check("table", data, TABLES)
    shared = _table(data, "plan")
    _check("key of [plan]", shared, PLAN)
    run, slurm = _table(data, "run"), _table(data, "slurm")
    _check("key of [run]", run, RUN)
    names = {name: shared[name] for name in ("name", "root", "task", "treebanks") if name in shared}
    check_arguments(names | run, {})
    tables = data.get("grid", [{}])
    if not isinstance(tables, list):
        raise TreegaugeError("[grid] is one table; write [[grid]], of which there may be several")
    if not tables or not all(isinstance(table, dict) for table in tables):
        raise TreegaugeError(f"grid is {tables!r}; expected tables [[grid]]")
    common = {name: value for name, value in shared.items() if name in GRID}
    grids = []
    for table in tables:
        _check("key of [[grid]]", table, GRID)
        values = common | table
        for needed in ("task", "treebanks"):
            if needed not in values:
                raise TreegaugeError(f"no {needed}: expected it in [plan] or in every [[grid]]")
        grids.append(grid(**values))
    root = shared.get("root")
    if root is not None:
        root = str(path.parent / Path(os.path.expandvars(root)).expanduser())
    return PlanFile(Plan(tuple(grids), shared.get("name", path.stem), root), run, slurm)


def _table(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise TreegaugeError(f"{name} is {table!r}; expected a table [{name}]")
    return table


def _check(what: str, table: Mapping[str, Any], legal: tuple[str, ...]) -> None:
    for name, value in table.items():
        if name not in legal:
            raise ChoiceError(what, name, legal)
        kind, expected = _KINDS.get(name, (object, ""))
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise TreegaugeError(f"{name} is {value!r}; expected {expected}")
