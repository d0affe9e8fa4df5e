"""Remove files and cells that are no longer needed from a store."""
# ruff: noqa: S608 -- the texts put into queries are our own names; values are bound

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from treegauge.core.errors import TreegaugeError
from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table
from treegauge.core.verbs import verb
from treegauge.experiments.cells import Expansion
from treegauge.experiments.inventory import inventory
from treegauge.experiments.ledger import Ledger
from treegauge.experiments.plans import Plan, treebank_paths
from treegauge.experiments.store import Store
from treegauge.experiments.tasks import find_task

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Removed(Result):
    """The cells and files that were removed from a store, or would be."""

    cells: int
    files: int
    bytes: int
    dry_run: bool
    signature: str
    kind: ClassVar[str] = "gc"

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


def absent_treebanks(
    plan: Plan, ledger: Ledger, root: str | PathLike[str] | None = None
) -> list[tuple[int, str, str, int]]:
    """Return setups with finished cells of treebanks that a plan names and that are not there.

    For each, its number, the recorded path, the pattern that names it, and the number of its
    finished cells. A treebank that lacks a set of sentences that the task needs is not there; one
    whose files have changed is.
    """
    rows = ledger.ask(
        "SELECT id, task, parser, path, sum(done) FROM setups JOIN cells ON setup = id GROUP BY id HAVING sum(done)"
    )
    absent = []
    for grid in plan.grids:
        parsers = {parser.name for parser in grid.parsers} or {""}
        there = [
            Path(one).parts
            for one in treebank_paths(grid.treebanks, root or plan.root)
            if all(inventory(one).sentences.get(split) for split in find_task(grid.task).parts)
        ]
        for setup, task, parser, path, cells in rows:
            if task != grid.task or parser not in parsers:
                continue
            for pattern in grid.treebanks:
                tail = _tail(pattern, path)
                if tail and not any(parts[-len(tail) :] == tail for parts in there):
                    absent.append((setup, path, pattern, cells))
                    break
    return absent


def _tail(pattern: str, path: str) -> tuple[str, ...] | None:
    """Return the end of a path that matches a pattern of a plan, None if it does not match.

    The store may be of another machine, so only the end counts: of an absolute pattern the name.

    Examples
    --------
    >>> _tail("r2.9/UD_*", "/data/r2.9/UD_Greek-GDT"), _tail("r2.9/UD_*", "/data/r2.5/UD_Greek-GDT")
    (('r2.9', 'UD_Greek-GDT'), None)
    """
    place = Path(os.path.expandvars(pattern)).expanduser()
    wanted = [part.partition("@")[0] for part in place.parts if part not in {".", ".."}]
    wanted = wanted[-1:] if place.is_absolute() else wanted
    tail = Path(path).parts[-len(wanted) :] if wanted else ()
    matches = len(tail) == len(wanted) > 0 and all(map(fnmatchcase, tail, wanted))
    return tail if matches else None
