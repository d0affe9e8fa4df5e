"""The verb ``store``: the progress of a store, merging stores, and removing what is not needed."""
# ruff: noqa: S608 -- the texts put into queries are our own names; values are bound

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from os import PathLike
from typing import Any

from treegauge.core.errors import TreegaugeError
from treegauge.core.file_kinds import STORE
from treegauge.core.lazy import pl
from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table, to_text
from treegauge.core.verbs import verb
from treegauge.experiments.cell_store import Store, Writer
from treegauge.experiments.cells import Expansion
from treegauge.experiments.ledger import COLUMNS, SETUP, Ledger, holder, sqlite_address
from treegauge.experiments.plans import Plan, absent_treebanks
from treegauge.parsing.train import in_words


@dataclass(frozen=True)
class Merged(Result, kind="merge"):
    """The cells that merging added, one row per store."""

    rows: tuple[tuple[str, int, int], ...]
    signature: str

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


@dataclass(frozen=True)
class Removed(Result, kind="gc"):
    """The cells and files that were removed from a store, or would be."""

    cells: int
    files: int
    bytes: int
    dry_run: bool
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row."""
        return make_table([{"cells": self.cells, "files": self.files, "bytes": self.bytes}])

    def own_text(self) -> str:
        """Return the counts in words."""
        what = "would remove" if self.dry_run else "removed"
        return f"{what} {self.cells} cells and {self.files} files of {self.bytes / 1e6:.1f} MB"


@verb
def gc(
    store: Store | str | PathLike[str],
    *,
    plan: "str | PathLike[str] | Plan | Expansion | Sequence[str] | None" = None,
    root: str | PathLike[str] | None = None,
    dry_run: bool = False,
    trust: bool = False,
) -> Removed:
    """Remove files and cells that are no longer needed from a store.

    Removes orphaned files, cells whose files are missing and, with --plan, cells that are not in
    any plan. Refuses to remove results of a treebank that a pattern of the plan names and that is
    only absent from the disk.

    Parameters
    ----------
    store
        The folder that ``run`` created; no run may be using it.
    plan
        Keep only the cells of this plan, a TOML file; repeatable.
    root
        Folder of treebanks, instead of the plan's and of TREEGAUGE_UD.
    dry_run
        Only report what would be removed.
    trust
        Allow the plan file to run code, as in ``run``.

    Examples
    --------
    >>> import tempfile
    >>> import treegauge as tg
    >>> store = tg.Store(tempfile.mkdtemp())
    >>> with store.writing():
    ...     pass  # an empty store
    >>> print(gc(store))
    removed 0 cells and 0 files of 0.0 MB
    """
    from treegauge.experiments.run import read_plan

    given: list[Any] = [plan] if not isinstance(plan, list | tuple) else [*plan]
    plans: list[Plan | Expansion] = [
        one if isinstance(one, Plan | Expansion) else read_plan(one, trust=trust).plan
        for one in given
        if one is not None
    ]
    wanted = [one if isinstance(one, Expansion) else one.expand(root) for one in plans]
    store = Store(store)
    with store.reading():
        pass
    with store.writing() as writer:
        ledger = writer.ledger
        folders = [store.path / name for name in ("words", "recordings")]
        # all files of cells, and leftovers of interrupted writes
        there = {path for one in folders for path in one.rglob("*") if path.is_file()}
        listed = "SELECT key, words, recordings FROM cells WHERE"
        rows = ledger.ask(f"{listed} words OR recordings != ''")
        lost = ((key,) for key, *own in rows if not there.issuperset(store.files_of(key.hex(), *own)))
        asked = ((bytes.fromhex(cell.key),) for one in wanted for cell in one.cells())
        for name, keys in (("lost", lost), ("asked", asked)):
            ledger.ask(f"CREATE TEMP TABLE {name} (key BLOB PRIMARY KEY) WITHOUT ROWID")
            with ledger.writing() as base:
                base.executemany(f"INSERT OR IGNORE INTO {name} VALUES (?)", keys)
        _refuse_absent([one for one in plans if isinstance(one, Plan)], ledger, root)
        unwanted = "key IN lost" + (" OR key NOT IN asked" if wanted else "")
        cells = int(ledger.ask(f"SELECT count(*) FROM cells WHERE {unwanted}")[0][0])
        rows = ledger.ask(f"{listed} NOT ({unwanted})")
        files = there.difference(*(store.files_of(key.hex(), *own) for key, *own in rows))
        size = sum(path.stat().st_size for path in files)
        if not dry_run:
            if cells:
                with ledger.writing() as base:
                    base.execute(f"DELETE FROM cells WHERE {unwanted}")
                    base.execute("DELETE FROM setups WHERE id NOT IN (SELECT setup FROM cells)")
            for path in files:  # after the rows: a crash may leave files without rows, never rows without files
                path.unlink(missing_ok=True)
            if cells:
                ledger.ask("VACUUM")
    return Removed(cells, len(files), size, dry_run, sign(gc=store.path.name))


def _refuse_absent(plans: Sequence[Plan], ledger: Ledger, root: str | PathLike[str] | None) -> None:
    """Refuse to remove finished cells of treebanks that are only absent."""
    kept = {setup for (setup,) in ledger.ask("SELECT DISTINCT setup FROM cells WHERE key IN asked")}
    for plan in plans:
        for setup, path, pattern, cells in absent_treebanks(plan, ledger, root):
            if setup not in kept:
                raise TreegaugeError(
                    f"{path}, which the plan names by {pattern!r}, is absent or incomplete, so "
                    f"that finished cells of it ({cells}) would be removed: put the treebank back, "
                    "name the folder that holds it with --root, or list in the plan, without a "
                    "pattern, the treebanks whose results to keep"
                )


@dataclass(frozen=True)
class Run:
    """The last run on a store, in cells of its plan.

    The state is ``running``, ``finished``, ``interrupted``, ``stopped`` by an error, or ``killed``;
    `reused` were done before, `done` and `failed` in this run, which has taken `seconds` so far.
    """

    plan: str
    pool: str
    total: int
    reused: int
    done: int
    failed: int
    seconds: float
    state: str

    @property
    def left(self) -> int:
        """Cells of the plan that have not been run."""
        return self.total - self.reused - self.done - self.failed

    @property
    def rate(self) -> float | None:
        """Cells per minute."""
        ended = self.done + self.failed
        return 60 * ended / self.seconds if ended and self.seconds > 0 else None

    def __str__(self) -> str:
        text = (
            f"{self.plan}: {self.total} cells, {self.reused + self.done} done, "
            f"{self.failed} failed, {self.left} left; {self.state}"
        )
        if self.rate is not None:
            text += f", {self.rate:.1f} cells per minute"
            if self.state == "running" and self.left:
                text += f", about {in_words(60 * self.left / self.rate)} to go"
        return text


@dataclass(frozen=True)
class Status(Result, kind="status"):
    """Cells of a store by task and parser, and its last run."""

    store: str
    groups: tuple[tuple[str, str, int, int, float | None, float | None], ...]
    run: Run | None
    user: str | None
    signature: str

    @property
    def table(self) -> "pl.DataFrame":
        """One row per task and parser: cells done and failed, seconds in all and per cell."""
        kinds = {"task": str, "parser": str, "done": int, "failed": int, "seconds": float, "mean": float}
        return make_table(list(self.groups), kinds)

    def json_fields(self) -> dict[str, Any]:
        """Return the process that uses the store, the last run, and the rows."""
        run = None
        if self.run is not None:
            run = {**vars(self.run), "left": self.run.left, "rate": self.run.rate}
        return {"in_use_by": self.user, "run": run, "rows": self.json_rows()}

    def own_text(self) -> str:
        """Return the last run in words, and the table."""
        lines = [str(self.run)] if self.run else []
        lines += [f"in use by {self.user}"] if self.user else []
        return "\n".join([*lines, to_text(self.table)])


@verb(subverbs={"merge": merge, "gc": gc})
def store(store: Store | str | PathLike[str]) -> Status:
    """Report how many cells of a store are done, failed and left; merge and clean up stores.

    Also works while a run is in progress.

    Parameters
    ----------
    store
        The folder that ``run`` created.

    Examples
    --------
    >>> import tempfile
    >>> import treegauge as tg
    >>> store = tg.Store(tempfile.mkdtemp())
    >>> with store.writing():
    ...     pass  # an empty store
    >>> len(tg.store(store).table)
    0
    """
    store = Store(store)
    user = holder(store.lock_path) if store.in_use else None
    with store.reading() as ledger:
        rows = ledger.ask(
            "SELECT task, parser, sum(done), sum(NOT done), sum(CASE WHEN done THEN seconds END), "
            "avg(CASE WHEN done THEN seconds END) FROM cells JOIN setups ON setup = id "
            "GROUP BY task, parser ORDER BY task, parser"
        )
        last = ledger.ask(
            "SELECT id, plan, pool, total, reused, started, ended, ending FROM runs ORDER BY id DESC LIMIT 1"
        )
        run = None
        if last:
            number, plan, pool, total, reused, started, ended, ending = last[0]
            done, failed, latest = ledger.ask(
                "SELECT ifnull(sum(done), 0), ifnull(sum(NOT done), 0), max(started + seconds) "
                "FROM cells WHERE run = ?",
                [number],
            )[0]
            state = ending or ("running" if user else "killed")
            until = ended or (time.time() if user else latest or started)
            run = Run(plan, pool, total, reused, done, failed, until - started, state)
    return Status(store.path.name, tuple(rows), run, user, sign(status=store.path.name))
