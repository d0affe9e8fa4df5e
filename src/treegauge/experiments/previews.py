"""Previews of a run: cells to run, and why they are not reused."""
# ruff: noqa: S608 -- the texts put into queries are our own names; values are bound

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from treegauge.core.lazy import pl
from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table
from treegauge.experiments.cell_store import Store
from treegauge.experiments.cells import CellBatch, Expansion, Point, Setup
from treegauge.experiments.ledger import Ledger
from treegauge.experiments.pools import PoolSettings, job_script


@dataclass(frozen=True)
class Preview(Result, kind="preview"):
    """The preview of a run of a plan.

    Cells are in the store (`done`), failed before and to be tried again, or `new`; `reasons` say
    why those to run are not in the store, with their number, `left_out` why some cannot be run.
    `script` is the script of each submitted job.
    """

    total: int
    done: int
    failed: int
    new: int
    reasons: tuple[tuple[str, int], ...]
    left_out: tuple[str, ...]
    signature: str
    script: str | None = None

    @property
    def table(self) -> "pl.DataFrame":
        """One row per reason; cells that are done have their own."""
        rows = [("done: in the store", self.done)] if self.done else []
        rows += [(f"to run: {why}", count) for why, count in self.reasons]
        rows += [(f"left out: {why}", 0) for why in self.left_out]
        return make_table(rows, {"cells": str, "count": int})

    def json_fields(self) -> dict[str, Any]:
        """Return all counts, and the rows."""
        return {
            "total": self.total, "done": self.done,
            "failed": self.failed, "new": self.new,
            "reasons": [{"reason": why, "cells": count} for why, count in self.reasons],
            "left_out": list(self.left_out), "script": self.script, "rows": self.json_rows(),
        }  # fmt: skip

    def own_text(self) -> str:
        """Return the counts and reasons in words."""
        lines = [f"{self.total} cells: {self.done} done, {self.failed} failed before, {self.new} new"]
        lines += [f"  {count:>7}  {why}" for why, count in self.reasons]
        lines += [f"  left out: {why}" for why in self.left_out]
        if self.script:
            lines.append(f"the script of each job:\n\n{self.script.rstrip()}")
        return "\n".join(lines)


def preview(plan: Expansion, store: Store, settings: PoolSettings | None = None) -> Preview:
    """Return the preview of a plan on a store, which need not exist; nothing is run."""
    settings = settings or PoolSettings()
    reasons: Counter[str] = Counter()
    done = failed = 0
    if store.ledger_path.exists():
        with store.reading() as ledger:
            known = defaultdict(list)
            for (text,) in ledger.ask("SELECT identity FROM setups"):
                own = json.loads(text)
                known[own["task"], own["treebank"], own["parser"]].append(own)
            for batch in plan.batches:
                missing = ledger.missing(batch)
                done += len(batch) - len(missing)
                if missing:
                    tried = ledger.failed(batch)
                    failed += len(tried)
                    reasons["failed before"] += len(tried)
                    never = [point for point in missing if point not in tried]
                    reasons.update(_why(ledger, known, batch, never))
    else:
        reasons["never run: the store is new"] = len(plan)
    ordered = sorted((-count, why) for why, count in reasons.items() if count)
    return Preview(
        len(plan), done, failed, len(plan) - done - failed,
        tuple((why, -count) for count, why in ordered), plan.refused,
        sign(preview=store.path.name, cells=len(plan), inputs=plan.mark),
        job_script(settings) if settings.pool == "slurm" else None,
    )  # fmt: skip


def _why(
    ledger: Ledger, setups: Mapping[tuple[str, str, str], list[dict[str, Any]]], batch: CellBatch, missing: list[Point]
) -> Counter[str]:
    """Return the reasons why cells are not in the store; `setups` are those in the store."""
    setup, count = batch.setup, len(missing)
    number = ledger.setup_id(setup)
    if number is None:
        if alike := setups.get((setup.task, setup.name, setup.parser)):
            nearest = min((_differences(old, setup) for old in alike), key=len)
            return Counter({"; ".join(nearest): count})
        known = (setup.task, setup.name) in {key[:2] for key in setups}
        what = f"parser {setup.parser}" if known else f"treebank {setup.name}"
        return Counter({f"new {what}": count})
    new: list[set[int]] = []
    for axis, name in enumerate(_AXES):
        rows = ledger.ask(f"SELECT DISTINCT {name} FROM cells WHERE setup = ?", [number])
        new.append({point[axis] or 0 for point in missing} - {row[0] for row in rows})
    news = []
    for name, values in zip(_AXES, map(sorted, new), strict=True):
        shown = ", ".join(map(str, values[:6])) + (", ..." if len(values) > 6 else "")
        news.append(f"new {name}{'s' if len(values) > 1 else ''} {shown}")

    def reason(point: Point) -> str:
        reasons = [news[axis] for axis in range(3) if (point[axis] or 0) in new[axis]]
        return "; ".join(reasons) or "not run yet"

    return Counter(map(reason, missing))


_AXES = ("size", "sample", "seed")


def _differences(old: dict[str, Any], setup: Setup) -> list[str]:
    """Return the differences of a setup from an old one of the same task, treebank and parser.

    Examples
    --------
    >>> before = Setup("score", "UD_X", "beam", {"beam": 8}, files={"x-train": "aa"})
    >>> now = Setup("score", "UD_X", "beam", {"beam": 16}, files={"x-train": "bb"})
    >>> _differences(before.identity, now)
    ['option beam: 8 before, 16 now', 'bytes of x-train changed']
    """
    new = setup.identity
    changes = []
    for field, noun in (("options", "option"), ("extra", "parameter")):
        for name in sorted({*old[field], *new[field]}):
            before, now = (side[field].get(name, "absent") for side in (old, new))
            if json.dumps(before) != json.dumps(now):  # 1, 1.0 and true are not the same
                changes.append(f"{noun} {name}: {_word(before)} before, {_word(now)} now")
    for name in sorted({*old["files"], *new["files"]}):
        before, now = (side["files"].get(name) for side in (old, new))
        if before != now:
            what = f"file {name} {'appeared' if before is None else 'disappeared'}"
            changes.append(f"bytes of {name} changed" if before and now else what)
    if old["major"] != new["major"]:
        changes.append(f"treegauge {old['major']}.x before, {new['major']}.x now")
    return changes


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
