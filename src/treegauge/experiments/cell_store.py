"""A store: a folder with the ledger, and the words and recordings of cells in files."""

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treegauge.core.errors import TreegaugeError
from treegauge.core.files import atomic
from treegauge.core.lazy import pl
from treegauge.experiments.ledger import Ledger, is_locked, locked
from treegauge.experiments.tasks import LedgerEntry
from treegauge.treebanks.sources.files import Source


class FullError(TreegaugeError):
    """A store cannot be written to; its contents are intact."""


def _missing(path: Path) -> TreegaugeError:
    return TreegaugeError(
        f"{path} is missing; treegauge store gc removes cells without their files; the next run makes them again"
    )


def _damaged(path: Path) -> TreegaugeError:
    return TreegaugeError(
        f"{path} is damaged or cut off; delete it, and treegauge store gc removes its cell; the next run makes it again"
    )


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise TreegaugeError(
            f"{path} is a link, and a store writes and deletes only files of its own: put what "
            "the link leads to there instead, or remove it"
        )


class Store:
    """The results of many cells.

    `path` is the folder. Reading a missing folder is an error; :meth:`writing` creates it.

    Notes
    -----
    A cell's files (words, recordings) are in place before its row is committed, so that a row
    never lacks them; a crash between the two leaves an orphaned file, which is written again or
    removed by ``treegauge store gc``.
    """

    def __init__(self, path: Source) -> None:
        self.path = Path(path)

    def __fspath__(self) -> str:
        return str(self.path)

    @property
    def ledger_path(self) -> Path:
        """The ledger's file."""
        return self.path / "ledger.sqlite"

    @property
    def lock_path(self) -> Path:
        """The file that a writing process locks."""
        return self.path / "lock"

    @property
    def in_use(self) -> bool:
        """Whether a process is writing to it."""
        return is_locked(self.lock_path)

    def __len__(self) -> int:
        if not self.ledger_path.exists():
            return 0
        with self.reading() as ledger:
            return int(ledger.ask("SELECT count(*) FROM cells WHERE done")[0][0])

    def __bool__(self) -> bool:
        return True

    @contextmanager
    def reading(self) -> Iterator[Ledger]:
        """Open the ledger for reading; another process may write at the same time."""
        if not self.ledger_path.is_file():
            raise TreegaugeError(
                f"{self.path} is not a store: expected a folder with ledger.sqlite, as treegauge run makes them"
            )
        with closing(Ledger(self.ledger_path)) as ledger:
            try:
                yield ledger
            except sqlite3.Error as error:
                raise TreegaugeError(f"cannot read {self.ledger_path}: {error}") from error

    @contextmanager
    def writing(self) -> "Iterator[Writer]":
        """Open the store for writing, one process at a time."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TreegaugeError(f"cannot make the store {self.path}: {error.strerror}") from error
        self._refuse_links()
        with locked(self.lock_path, f"store {self.path}"), closing(Ledger(self.ledger_path, write=True)) as ledger:
            try:
                yield Writer(self, ledger)
            except sqlite3.Error as error:
                raise TreegaugeError(f"cannot use {self.ledger_path}: {error}") from error

    def _refuse_links(self) -> None:
        """Refuse parts of the store that lead elsewhere, where it would write and delete."""
        homes = [self.path / "words", self.path / "recordings"]
        parts = [*homes, *(one for home in homes for one in home.glob("*"))]
        for part in [self.lock_path, *self.path.glob("ledger.*"), *parts]:
            _refuse_link(part)
        if self.lock_path.exists() and not self.lock_path.is_file():
            raise TreegaugeError(f"{self.lock_path}: expected a file; remove it")

    def words_path(self, key: str) -> Path:
        """Return the path of a cell's words."""
        return self.path / "words" / key[:2] / f"{key}.parquet"

    def recording_path(self, key: str, name: str) -> Path:
        """Return the path of a cell's recording."""
        return self.path / "recordings" / key[:2] / f"{key}.{name}.npz"

    def files_of(self, key: str, words: bool, recordings: str) -> list[Path]:
        """Return the paths of a cell's files, from its row in the ledger."""
        paths = [self.recording_path(key, name) for name in recordings.split()]
        return [self.words_path(key), *paths] if words else paths

    def words(self, key: str) -> "pl.DataFrame | None":
        """Return the words of a cell; None if its task returned none."""
        path = self.words_path(key)
        if path.exists():
            try:
                return pl.read_parquet(path)
            except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
                raise _damaged(path) from error
        with self.reading() as ledger:
            if ledger.ask("SELECT 1 FROM cells WHERE hex(key) = upper(?) AND words", [key]):
                raise _missing(path)
        return None

    def recordings(self, key: str) -> dict[str, bytes]:
        """Return the recordings of a cell by name."""
        with self.reading() as ledger:
            rows = ledger.ask("SELECT recordings FROM cells WHERE hex(key) = upper(?)", [key])
        names = rows[0][0].split() if rows else []
        try:
            return {name: self.recording_path(key, name).read_bytes() for name in names}
        except FileNotFoundError as error:
            raise _missing(Path(error.filename)) from None

    def write(self, path: Path, data: bytes) -> None:
        """Write a file; it is on the disk when this returns."""
        path.parent.mkdir(parents=True, exist_ok=True)
        _refuse_link(path)
        with atomic(path, own=True) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    @contextmanager
    def safely(self) -> Iterator[None]:
        """Explain errors of a full disk; errors of a damaged ledger pass through."""
        try:
            yield
        except (OSError, TreegaugeError) as error:
            if isinstance(error, OSError):
                why = error.strerror or str(error)
            elif isinstance(error.__cause__, sqlite3.OperationalError):
                why = str(error.__cause__)
            else:
                raise
            raise FullError(
                f"cannot write to store {self.path}: {why}; what was recorded before is safe. "
                "Make room, then run the same again: it resumes where it stopped"
            ) from error

    def results(self, *, provenance: bool = True, distinct: bool = False, **filters: Any) -> "pl.DataFrame":
        """Return the cells that are done, one row per cell, in the order of their fields.

        With `provenance` also time, host, duration and versions of each run, and its key; if
        `distinct`, without cells that train the same model as another one. Filters ``task``,
        ``treebank``, ``parser``, ``options``, ``parameters`` and ``data`` take a pattern such as
        ``"UD_*"``, ``size``, ``sample`` and ``seed`` a number or several.
        """
        from treegauge.experiments.results import read_results

        with self.reading() as ledger:
            try:
                return read_results(ledger, filters, provenance=provenance, distinct=distinct)
            except TreegaugeError:
                raise
            except (ValueError, LookupError, TypeError, pl.exceptions.PolarsError) as error:
                raise TreegaugeError(
                    f"cannot read {self.ledger_path}: what it holds of cells is damaged ({error}); "
                    "put a copy of the store in its place, or run the plan into a new store"
                ) from error

    def failures(self, **filters: Any) -> "pl.DataFrame":
        """Return the failed cells, with the error and the number of attempts."""
        from treegauge.experiments.results import read_failures

        with self.reading() as ledger:
            return read_failures(ledger, filters)


@dataclass(frozen=True)
class Writer:
    """A store that this process may write to, and its ledger."""

    store: Store
    ledger: Ledger

    def record(self, entries: Sequence[LedgerEntry], run: int) -> None:
        """Record cells: their files first, then their rows, all in one transaction."""
        store = self.store
        if not store.ledger_path.exists():  # the database would continue in a deleted file
            raise TreegaugeError(
                f"store {store.path} was moved or deleted during the run; what was done since then "
                "is lost: run the same again where the store is now"
            )
        with store.safely():
            for entry in entries:
                key, report = entry.cell.key, entry.report
                if report.words is not None and report.scalars is not None:
                    store.write(store.words_path(key), report.words)
                for name, data in report.recordings.items():
                    store.write(store.recording_path(key, name), data)
            if entries:
                self.ledger.record(entries, run)

    def begin(self, plan: str, pool: str, workers: int, total: int, reused: int) -> int:
        """Record the start of a run; return its number."""
        values = (plan, pool, workers, total, reused, time.time())
        with self.store.safely(), self.ledger.writing() as base:
            cursor = base.execute(
                "INSERT INTO runs (plan, pool, workers, total, reused, started) VALUES (?, ?, ?, ?, ?, ?)", values
            )
            return int(cursor.lastrowid or 0)

    def end(self, run: int, ending: str) -> None:
        """Record how a run ended; without a record it was killed, or the disk was full."""
        try:
            with self.ledger.writing() as base:
                base.execute("UPDATE runs SET ended = ?, ending = ? WHERE id = ?", [time.time(), ending, run])
        except TreegaugeError:
            if ending == "finished":
                raise
