"""The ledger of a store: which cells are done, in SQLite with one writer.

Common parts of cells are stored once: setups (task, treebank, parser), environments (versions,
host) and runs. A cell is a row of numbers and the task's scalars, ordered by setup, so that a plan
is compared with the ledger setup by setup.
"""
# ruff: noqa: S608 -- the texts put into queries are our own names; values are bound

import json
import os
import platform
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from treegauge.core.errors import TreegaugeError, check_format
from treegauge.core.platforms import take_lock
from treegauge.experiments.cells import Cell, CellBatch, Point, Setup
from treegauge.experiments.tasks import LedgerEntry

FORMAT = 2
_open = partial(sqlite3.connect, uri=True, isolation_level=None, timeout=30)
_SCHEMA = """
CREATE TABLE setups (
    id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, task TEXT NOT NULL,
    treebank TEXT NOT NULL, parser TEXT NOT NULL, options TEXT NOT NULL, parameters TEXT NOT NULL,
    data TEXT NOT NULL, identity TEXT NOT NULL, path TEXT NOT NULL, counts TEXT NOT NULL
);
CREATE TABLE environments (id INTEGER PRIMARY KEY, facts TEXT NOT NULL UNIQUE);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, plan TEXT, pool TEXT, workers INTEGER, total INTEGER, reused INTEGER,
    started REAL, ended REAL, ending TEXT
);
CREATE TABLE cells (
    setup INTEGER NOT NULL, size INTEGER NOT NULL, sample INTEGER NOT NULL, seed INTEGER NOT NULL,
    done INTEGER NOT NULL, key BLOB NOT NULL, attempts INTEGER NOT NULL, scalars TEXT, error TEXT,
    words INTEGER NOT NULL, recordings TEXT NOT NULL, run INTEGER NOT NULL, environment INTEGER,
    started REAL, seconds REAL, peak INTEGER, PRIMARY KEY (setup, size, sample, seed)
) WITHOUT ROWID;
CREATE INDEX states ON cells (setup, done, run);
"""
COLUMNS = (
    "setup size sample seed done key attempts scalars error words recordings run environment started seconds peak"
).split()

SETUP = "digest, task, treebank, parser, options, parameters, data, identity, path, counts"


class Ledger:
    """A connection to the ledger's file; with `write`, a missing file is created.

    There may be only one writer, which the store enforces.
    """

    def __init__(self, path: Path, *, write: bool = False) -> None:
        self.path = path
        self._setups: dict[bytes, int] = {}
        self._environments: dict[str, int] = {}
        self._flushed = float("-inf")
        with self._named_errors("open"):
            if write and not path.exists():
                _make(path)
            self._base = _open(sqlite_address(path))
            try:
                (version,) = self.ask("PRAGMA user_version")[0]
                if version != FORMAT:
                    remedy = "run the plan into a new store, or read it with the version that wrote it"
                    check_format(path, version, FORMAT, f"{remedy}: treegauge results STORE --out results.csv")
            except BaseException:
                self._base.close()
                raise

    def close(self) -> None:
        """Close the connection; closing the last one removes temporary files."""
        self._base.close()

    def ask(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return self._base.execute(sql, values).fetchall()

    @contextmanager
    def _named_errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise TreegaugeError(f"cannot {what} {self.path}: {error}") from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Return a context with a transaction: all or nothing.

        Committed rows survive the end of the process at once. They survive a power failure after
        the next commit that waits for the disk, which happens once per second.
        """
        with self._named_errors("write to"):
            due = time.monotonic() - self._flushed >= 1
            self._base.execute(f"PRAGMA synchronous = {'FULL' if due else 'NORMAL'}")
            if due:
                self._flushed = time.monotonic()
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield self._base
                self._base.execute("COMMIT")
            except BaseException:
                self._setups.clear()  # numbers given in what is now undone
                self._environments.clear()
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")
                raise

    # what is there

    def setup_id(self, setup: Setup) -> int | None:
        """Return a setup's number if the ledger has it."""
        if setup.digest not in self._setups:
            rows = self.ask("SELECT id FROM setups WHERE digest = ?", [setup.digest])
            if not rows:
                return None
            self._setups[setup.digest] = rows[0][0]
        return self._setups[setup.digest]

    def done(self, batch: CellBatch) -> int:
        """Count the cells of a batch that are done."""
        number = self.setup_id(batch.setup)
        if number is None:
            return 0
        if batch.named is not None:
            return len(self._points(number, 1) & set(batch.points()))
        axes = [[size or 0 for size in batch.sizes], batch.samples, batch.seeds]
        inside = " AND ".join(f"{name} IN (SELECT value FROM json_each(?))" for name in ("size", "sample", "seed"))
        sql = f"SELECT count(*) FROM cells WHERE setup = ? AND done = 1 AND {inside}"
        return int(self.ask(sql, [number, *(json.dumps(list(axis)) for axis in axes)])[0][0])

    def failed(self, batch: CellBatch) -> set[Point]:
        """Return the points of a batch that failed when they were last tried."""
        number = self.setup_id(batch.setup)
        return set() if number is None else self._points(number, 0) & set(batch.points())

    def missing(self, batch: CellBatch) -> list[Point]:
        """Return the points of a batch that are not done."""
        done = self.done(batch)
        if done == len(batch):
            return []
        if done == 0:
            return list(batch.points())
        known = self._points(self._setups[batch.setup.digest], 1)
        return [point for point in batch.points() if point not in known]

    def recorded(self, cell: Cell) -> tuple[bool, str, bool, str] | None:
        """Return whether a cell is done, its scalars or error, and its files."""
        rows = self.ask(
            "SELECT done, ifnull(scalars, error), words, recordings FROM cells WHERE setup = ? "
            "AND size = ? AND sample = ? AND seed = ?",
            [self.setup_id(cell.setup), cell.size or 0, cell.sample, cell.seed],
        )
        return rows[0] if rows else None

    def _points(self, setup: int, done: int) -> set[Point]:
        query = "SELECT nullif(size, 0), sample, seed FROM cells WHERE setup = ? AND done = ?"
        return set(self.ask(query, [setup, done]))

    # writing

    def record(self, entries: Iterable[LedgerEntry], run: int) -> None:
        """Record cells, all or none."""
        with self.writing() as base:
            base.executemany(
                f"INSERT OR REPLACE INTO cells ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})",
                (self._row(base, entry, run) for entry in entries),
            )

    def _row(self, base: sqlite3.Connection, entry: LedgerEntry, run: int) -> tuple[Any, ...]:
        cell, report = entry.cell, entry.report
        done = report.scalars is not None
        scalars = json.dumps(report.scalars, ensure_ascii=False, allow_nan=False) if done else None
        return (
            self._add_setup(base, cell.setup), cell.size or 0, cell.sample, cell.seed, done,
            bytes.fromhex(cell.key), entry.attempts, scalars, report.error,
            report.words is not None, " ".join(report.recordings), run,
            self._add_environment(base, report.environment), report.started,
            report.seconds, report.peak,
        )  # fmt: skip

    def _add_setup(self, base: sqlite3.Connection, setup: Setup) -> int:
        if (known := self.setup_id(setup)) is not None:
            return known
        counts = {"sentences": dict(setup.sentences), "words": dict(setup.words)}
        values = (
            setup.digest, setup.task, setup.name, setup.parser, setup.shown_options,
            setup.shown_extra, setup.data, json.dumps(setup.identity, sort_keys=True),
            setup.treebank, json.dumps(counts),
        )  # fmt: skip
        marks = ", ".join("?" * len(values))
        cursor = base.execute(f"INSERT INTO setups ({SETUP}) VALUES ({marks})", values)
        self._setups[setup.digest] = number = int(cursor.lastrowid or 0)
        return number

    def _add_environment(self, base: sqlite3.Connection, facts: str) -> int:
        if facts not in self._environments:
            base.execute("INSERT OR IGNORE INTO environments (facts) VALUES (?)", [facts])
            rows = self.ask("SELECT id FROM environments WHERE facts = ?", [facts])
            self._environments[facts] = rows[0][0]
        return self._environments[facts]


def sqlite_address(path: Path) -> str:
    """Return the SQLite address of an existing ledger."""
    mode = "rw"
    if not (os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)):
        # SQLite cannot create its log files in such a folder. Without them all data are in
        # the ledger itself; an existing log has cells that are not yet in the ledger.
        log = Path(f"{path}-wal")
        mode = "ro" if log.exists() and log.stat().st_size else "ro&immutable=1"
    return f"{path.resolve().as_uri()}?mode={mode}"


def _make(path: Path) -> None:
    """Create an empty ledger; it is renamed when it is complete, so that it is never incomplete."""
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    with closing(_open(f"{draft.resolve().as_uri()}?mode=rwc")) as base:
        base.execute("PRAGMA journal_mode = WAL")
        base.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;")
    draft.replace(path)


# one writer at a time

PATIENCE = 0.3
"""Seconds to retry: checking whether a store is in use holds the lock for an instant."""


class BusyError(TreegaugeError):
    """Another process is writing to the store."""


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Hold a lock that ends with the process, however it ends."""
    try:
        opened = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise TreegaugeError(f"cannot write to {what}: {error.strerror}") from error
    with opened as file:
        patience = time.monotonic() + PATIENCE
        while not take_lock(file):
            if time.monotonic() > patience:
                raise BusyError(
                    f"{what} is in use by {holder(path)}; wait for it, or run into another store and merge the two"
                )
            time.sleep(PATIENCE / 10)
        file.truncate(0)
        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        file.write(f"process {os.getpid()} on {platform.node()} since {now}\n")
        file.flush()
        yield


def holder(path: Path) -> str:
    """Return the process that last took the lock."""
    try:
        return path.read_text(encoding="utf-8").strip() or "another process"
    except OSError:
        return "another process"


def is_locked(path: Path) -> bool:
    """Return whether a process holds the lock."""
    if not path.exists():
        return False
    with path.open("r", encoding="utf-8") as file:
        return not take_lock(file, shared=True)
