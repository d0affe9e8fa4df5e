"""Stores joined, and rid of what no plan asks for."""
# ruff: noqa: S608 -- the texts put into queries are our own names; values are bound

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from treegauge.experiments.cells import Expansion
from treegauge.experiments.ledger import COLUMNS, SETUP, Ledger, address
from treegauge.experiments.store import Store, Writer
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import Result, sign

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Merged(Result):
    """What merging brought, one row a store."""

    rows: tuple[tuple[str, int, int], ...]
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """For each store the cells taken from it, and those that were there already."""
        import polars as pl

        kinds = {"store": pl.String, "added": pl.Int64, "known": pl.Int64}
        return pl.DataFrame(list(self.rows), kinds, orient="row")


def merge(into: Store, others: Sequence[Store]) -> Merged:
    """Take over the cells of other stores; one that is done wins over one that failed.

    Parameters
    ----------
    into
        The store that grows; made if it is not there.
    others
        Stores, which stay as they are.

    Raises
    ------
    TreegaugeError
        If two stores have different results for one cell. Nothing of that store is taken then.
    """
    rows: list[tuple[str, int, int]] = []
    for other in others:
        if other.path.resolve() == into.path.resolve():
            raise TreegaugeError(f"{other.path} cannot be merged into itself")
        with other.reading():
            pass  # a folder that is no store is told before anything is made
    with into.writing() as writer:
        for other in others:
            for path in _files(other, "kept"):
                if not (target := into.path / path.relative_to(other.path)).exists():
                    into.write(target, path.read_bytes())
            try:
                rows.append((str(other.path), *_take(writer, other)))
            except sqlite3.Error as error:
                raise TreegaugeError(
                    f"cannot merge {other.path} into {into.path}: {error}"
                ) from error
    return Merged(tuple(rows), sign(merge=into.path.name, stores=len(rows)))


_PAIRS = (
    "FROM other.cells AS new JOIN other.setups AS theirs ON theirs.id = new.setup "
    "LEFT JOIN setups AS ours ON ours.digest = theirs.digest LEFT JOIN cells AS old "
    "ON (old.setup, old.size, old.sample, old.seed) = (ours.id, new.size, new.sample, new.seed)"
)


def _take(writer: Writer, other: Store) -> tuple[int, int]:
    ledger = writer.ledger
    with closing(Ledger(other.ledger_path)):  # mends what a killed driver left behind
        ledger.ask("ATTACH ? AS other", [address(other.ledger_path)])
    try:
        clash = ledger.ask(
            f"SELECT theirs.task, theirs.treebank, theirs.parser, new.size, new.sample, new.seed, "
            f"old.scalars, new.scalars {_PAIRS} "
            "WHERE old.done AND new.done AND old.scalars != new.scalars"
        )  # fmt: skip
        if clash:
            *cell, ours, theirs = clash[0]
            named = " ".join(str(part) for part in cell if part not in {"", 0})
            raise TreegaugeError(
                f"{len(clash)} cells of {other.path} have other results than in "
                f"{writer.store.path}, first {named}: {theirs} and {ours}; nothing of it was taken"
            )
        wanted = "(old.setup IS NULL OR (new.done AND NOT old.done))"
        keys = ledger.ask(f"SELECT new.key, new.words, new.recordings {_PAIRS} WHERE {wanted}")
        for key, *files in keys:
            for path in other.files_of(key.hex(), *files):
                writer.store.write(
                    writer.store.path / path.relative_to(other.path), path.read_bytes()
                )
        total = int(ledger.ask("SELECT count(*) FROM other.cells")[0][0])
        columns = ", ".join(f"new.{name}" for name in COLUMNS if name not in _MAPPED)
        with ledger.writing() as base:
            base.execute(f"INSERT OR IGNORE INTO setups ({SETUP}) SELECT {SETUP} FROM other.setups")
            base.execute(
                "INSERT OR IGNORE INTO environments (facts) SELECT facts FROM other.environments"
            )
            names = ", ".join([*(n for n in COLUMNS if n not in _MAPPED), *_MAPPED])
            base.execute(
                f"INSERT OR REPLACE INTO cells ({names}) SELECT {columns}, ours.id, "
                "(SELECT e.id FROM environments AS e JOIN other.environments AS t USING (facts) "
                f"WHERE t.id = new.environment), 0 {_PAIRS} WHERE {wanted}"
            )
        return len(keys), total - len(keys)
    finally:
        ledger.ask("DETACH other")


_MAPPED = ("setup", "environment", "run")


@dataclass(frozen=True)
class Swept(Result):
    """What was removed, or would be."""

    cells: int
    files: int
    bytes: int
    pretended: bool
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row."""
        import polars as pl

        return pl.DataFrame([{"cells": self.cells, "files": self.files, "bytes": self.bytes}])

    def __str__(self) -> str:
        verb = "would remove" if self.pretended else "removed"
        return f"{verb} {self.cells} cells and {self.files} files of {self.bytes / 1e6:.1f} MB"


def sweep(
    store: Store, plans: Sequence[Expansion] = (), *, kept_too: bool = False, pretend: bool = False
) -> Swept:
    """Remove files of no cell, cells whose files are gone and, given plans, cells of none of them.

    Parameters
    ----------
    store
        The store; no driver may be at work on it.
    plans
        Cells to keep; without any, all cells stay that have their files.
    kept_too
        Also remove what verbs kept that trained outside of a plan.
    pretend
        Count only.
    """
    with store.reading():
        pass
    with store.writing() as writer:
        ledger = writer.ledger
        there = set(_files(store, "words", "recordings"))
        rows = ledger.ask(f"SELECT {_FILES} WHERE words OR recordings != ''")
        lost = (row[:1] for row in rows if not there.issuperset(_paths(store, row)))
        kept = ((bytes.fromhex(cell.key),) for plan in plans for cell in plan.cells())
        for name, keys in (("lost", lost), ("kept", kept)):
            ledger.ask(f"CREATE TEMP TABLE {name} (key BLOB PRIMARY KEY) WITHOUT ROWID")
            with ledger.writing() as base:
                base.executemany(f"INSERT OR IGNORE INTO {name} VALUES (?)", keys)
        unwanted = "key IN lost" + (" OR key NOT IN kept" if plans else "")
        cells = int(ledger.ask(f"SELECT count(*) FROM cells WHERE {unwanted}")[0][0])
        rows = ledger.ask(f"SELECT {_FILES} WHERE NOT ({unwanted})")
        files = there - {path for row in rows for path in _paths(store, row)}
        if kept_too:
            files |= set(_files(store, "kept"))
        size = sum(path.stat().st_size for path in files)
        if not pretend:
            if cells:
                with ledger.writing() as base:
                    base.execute(f"DELETE FROM cells WHERE {unwanted}")
                    base.execute("DELETE FROM setups WHERE id NOT IN (SELECT setup FROM cells)")
            for path in files:  # after the rows: a crash leaves files without rows, never the other
                path.unlink(missing_ok=True)
            if cells:
                ledger.ask("VACUUM")
    return Swept(cells, len(files), size, pretend, sign(gc=store.path.name))


_FILES = "key, words, recordings FROM cells"


def _paths(store: Store, row: tuple[bytes, bool, str]) -> list[Path]:
    key, words, recordings = row
    return store.files_of(key.hex(), words, recordings)


def _files(store: Store, *folders: str) -> Iterator[Path]:
    """Yield all files in folders of a store, and what interrupted writing left."""
    paths = (path for folder in folders for path in (store.path / folder).rglob("*"))
    return (path for path in paths if path.is_file())
