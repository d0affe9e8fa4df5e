"""The progress of a store."""

import time
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table, to_text
from treegauge.core.verbs import verb
from treegauge.experiments.ledger import holder
from treegauge.experiments.previews import duration
from treegauge.experiments.store import Store

if TYPE_CHECKING:
    import polars as pl


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
                text += f", about {duration(60 * self.left / self.rate)} to go"
        return text


@dataclass(frozen=True)
class Status(Result):
    """Cells of a store by task and parser, and its last run."""

    store: str
    groups: tuple[tuple[str, str, int, int, float | None, float | None], ...]
    run: Run | None
    user: str | None
    signature: str
    kind: ClassVar[str] = "status"

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


@verb
def status(store: Store | str | PathLike[str]) -> Status:
    """Report how many cells of a store are done, failed and left.

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
    >>> len(status(store).table)
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
