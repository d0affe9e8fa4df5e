"""Merge stores into one."""
# ruff: noqa: S608 -- the texts put into queries are our own names; values are bound

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, ClassVar

from treegauge.core.errors import TreegaugeError
from treegauge.core.file_kinds import STORE
from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table
from treegauge.core.verbs import verb
from treegauge.experiments.ledger import COLUMNS, SETUP, Ledger, sqlite_address
from treegauge.experiments.store import Store, Writer

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Merged(Result):
    """The cells that merging added, one row per store."""

    rows: tuple[tuple[str, int, int], ...]
    signature: str
    kind: ClassVar[str] = "merge"

    @property
    def table(self) -> "pl.DataFrame":
        """The number of cells added from each store, and of cells that were already present."""
        return make_table(list(self.rows), {"store": str, "added": int, "known": int})


@verb(outputs={"out": STORE})
def merge(*stores: Store | str | PathLike[str], out: Store | str | PathLike[str] | None = None) -> Merged:
    """Merge stores into one.

    A cell that is in several stores counts once, and a finished cell replaces a failed one.
    Different results for one cell are an error; then nothing of that store is added.

    Parameters
    ----------
    *stores
        Stores; cells are added to the first one, the others stay unchanged.
    out
        Merge all into this store instead.

    Examples
    --------
    >>> import tempfile
    >>> import treegauge as tg
    >>> here, there = tg.Store(tempfile.mkdtemp()), tg.Store(tempfile.mkdtemp())
    >>> for store in (here, there):
    ...     with store.writing():
    ...         pass  # empty stores
    >>> merge(there, out=here).table["added"].to_list()
    [0]
    """
    first, *others = map(Store, stores)
    into = first if out is None else Store(out)
    others = others if out is None else [first, *others]
    if not others:
        raise TreegaugeError("expected stores to merge: merge INTO FROM..., or merge A B --out C")
    rows: list[tuple[str, int, int]] = []
    for other in others:
        if other.path.resolve() == into.path.resolve():
            raise TreegaugeError(f"{other.path} cannot be merged into itself")
        with other.reading():
            pass  # refuse a folder that is not a store before anything is created
    with into.writing() as writer:
        for other in others:
            try:
                rows.append((other.path.name, *_take(writer, other)))
            except sqlite3.Error as error:
                raise TreegaugeError(f"cannot merge {other.path} into {into.path}: {error}") from error
    return Merged(tuple(rows), sign(merge=into.path.name, cells=len(into), stores="+".join(row[0] for row in rows)))


_MAPPED = ("setup", "environment", "run")
_PAIRS = (
    "FROM other.cells AS new JOIN other.setups AS theirs ON theirs.id = new.setup "
    "LEFT JOIN setups AS ours ON ours.digest = theirs.digest LEFT JOIN cells AS old "
    "ON (old.setup, old.size, old.sample, old.seed) = (ours.id, new.size, new.sample, new.seed)"
)


def _take(writer: Writer, other: Store) -> tuple[int, int]:
    ledger = writer.ledger
    with closing(Ledger(other.ledger_path)):  # repairs what a killed process left behind
        ledger.ask("ATTACH ? AS other", [sqlite_address(other.ledger_path)])
    try:
        clash = ledger.ask(
            f"SELECT theirs.task, theirs.treebank, theirs.parser, new.size, new.sample, new.seed, "
            f"old.scalars, new.scalars {_PAIRS} "
            "WHERE old.done AND new.done AND old.scalars != new.scalars"
        )
        if clash:
            *cell, ours, theirs = clash[0]
            named = " ".join(str(part) for part in cell if part not in {"", 0})
            raise TreegaugeError(
                f"{len(clash)} cells of {other.path} have different results in "
                f"{writer.store.path}, first {named}: {theirs} and {ours}; nothing of it was added"
            )
        wanted = "(old.setup IS NULL OR (new.done AND NOT old.done))"
        keys = ledger.ask(f"SELECT new.key, new.words, new.recordings {_PAIRS} WHERE {wanted}")
        for key, *files in keys:
            for path in other.files_of(key.hex(), *files):
                writer.store.write(writer.store.path / path.relative_to(other.path), path.read_bytes())
        total = int(ledger.ask("SELECT count(*) FROM other.cells")[0][0])
        kept = [name for name in COLUMNS if name not in _MAPPED]
        columns = ", ".join(f"new.{name}" for name in kept)
        with ledger.writing() as base:
            base.execute(f"INSERT OR IGNORE INTO setups ({SETUP}) SELECT {SETUP} FROM other.setups")
            base.execute("INSERT OR IGNORE INTO environments (facts) SELECT facts FROM other.environments")
            base.execute(
                f"INSERT OR REPLACE INTO cells ({', '.join([*kept, *_MAPPED])}) "
                f"SELECT {columns}, ours.id, (SELECT e.id FROM environments AS e "
                "JOIN other.environments AS t USING (facts) "
                f"WHERE t.id = new.environment), 0 {_PAIRS} WHERE {wanted}"
            )
        return len(keys), total - len(keys)
    finally:
        ledger.ask("DETACH other")
