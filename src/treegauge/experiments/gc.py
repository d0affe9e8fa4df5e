"""Remove files and cells that are no longer needed from a store."""
# ruff: noqa: S608 -- the texts put into queries are our own names; values are bound

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table
from treegauge.core.verbs import verb
from treegauge.experiments.cells import Expansion
from treegauge.experiments.plans import Plan
from treegauge.experiments.store import Store

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
    any plan.

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

    plans: list[Any] = [plan] if not isinstance(plan, list | tuple) else [*plan]
    wanted = [
        one if isinstance(one, Expansion)
        else (one if isinstance(one, Plan) else read_plan(one, trust=trust).plan).expand(root)
        for one in plans if one is not None
    ]  # fmt: skip
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
        lost = (
            (key,) for key, *own in rows if not there.issuperset(store.files_of(key.hex(), *own))
        )
        asked = ((bytes.fromhex(cell.key),) for one in wanted for cell in one.cells())
        for name, keys in (("lost", lost), ("asked", asked)):
            ledger.ask(f"CREATE TEMP TABLE {name} (key BLOB PRIMARY KEY) WITHOUT ROWID")
            with ledger.writing() as base:
                base.executemany(f"INSERT OR IGNORE INTO {name} VALUES (?)", keys)
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
            for path in (
                files
            ):  # after the rows: a crash may leave files without rows, never rows without files
                path.unlink(missing_ok=True)
            if cells:
                ledger.ask("VACUUM")
    return Removed(cells, len(files), size, dry_run, sign(gc=store.path.name))
