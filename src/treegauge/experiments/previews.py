"""Previews of a run: cells to run, why they are not reused, and the expected time."""
# ruff: noqa: S608 -- the texts put into queries are our own names; values are bound

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.core.platforms import processors
from treegauge.core.result import Result, sign
from treegauge.core.tables import make_table
from treegauge.experiments.cell_store import Store
from treegauge.experiments.cells import CellBatch, Expansion, Point, Setup
from treegauge.experiments.ledger import Ledger
from treegauge.experiments.pools import PoolSettings, job_script

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Preview(Result):
    """The preview of a run of a plan.

    Cells are in the store (`done`), failed before and to be tried again, or `new`; `reasons` say
    why those to run are not in the store, with their number, `left_out` why some cannot be run.
    `seconds` estimates the processor time of the cells to run, without the `unknown` ones, which
    are unlike any earlier cell; None if all are. `script` is the script of each submitted job.
    """

    total: int
    done: int
    failed: int
    new: int
    reasons: tuple[tuple[str, int], ...]
    left_out: tuple[str, ...]
    seconds: float | None
    unknown: int
    workers: int
    signature: str
    script: str | None = None
    kind: ClassVar[str] = "preview"

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
            "left_out": list(self.left_out), "seconds": self.seconds, "unknown": self.unknown,
            "workers": self.workers, "script": self.script, "rows": self.json_rows(),
        }  # fmt: skip

    def own_text(self) -> str:
        """Return the counts, reasons and time in words."""
        lines = [f"{self.total} cells: {self.done} done, {self.failed} failed before, {self.new} new"]
        lines += [f"  {count:>7}  {why}" for why, count in self.reasons]
        lines += [f"  left out: {why}" for why in self.left_out]
        todo = self.failed + self.new
        if todo and self.seconds is None:
            lines.append("time: unknown, no similar cells were run before")
        elif todo and self.seconds is not None:
            share = min(self.workers, todo)
            about = f"time: about {duration(self.seconds / share)} on {share} at a time"
            more = f", not counting {self.unknown} cells unlike any earlier ones" if self.unknown else ""
            lines.append(about + more)
        if self.script:
            lines.append(f"the script of each job:\n\n{self.script.rstrip()}")
        return "\n".join(lines)


def duration(seconds: float) -> str:
    """Return a duration in words.

    Examples
    --------
    >>> [duration(x) for x in (0.4, 75, 7300, 200000)]
    ['0.4 s', '1 min 15 s', '2 h 1 min', '2 d 7 h']
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    total = round(seconds)
    units = [(86400, "d"), (3600, "h"), (60, "min"), (1, "s")]
    for (large, name), (small, other) in pairwise(units):
        if total >= large:
            rest = total % large // small
            return f"{total // large} {name}" + (f" {rest} {other}" if rest else "")
    return f"{total} s"


def preview(plan: Expansion, store: Store, settings: PoolSettings | None = None) -> Preview:
    """Return the preview of a plan on a store, which need not exist; nothing is run."""
    settings = settings or PoolSettings()
    reasons: Counter[str] = Counter()
    done = failed = 0
    costs: dict[tuple[str, str], tuple[float, float]] = {}
    todo: list[tuple[CellBatch, list[Point]]] = []
    if store.ledger_path.exists():
        with store.reading() as ledger:
            costs = _costs(ledger)
            known = defaultdict(list)
            for (text,) in ledger.ask("SELECT identity FROM setups"):
                own = json.loads(text)
                known[own["task"], own["treebank"], own["parser"]].append(own)
            for batch in plan.batches:
                missing = ledger.missing(batch)
                done += len(batch) - len(missing)
                if missing:
                    todo.append((batch, missing))
                    tried = ledger.failed(batch)
                    failed += len(tried)
                    reasons["failed before"] += len(tried)
                    never = [point for point in missing if point not in tried]
                    reasons.update(_why(ledger, known, batch, never))
    else:
        todo = [(batch, list(batch.points())) for batch in plan.batches]
        reasons["never run: the store is new"] = len(plan)
    guesses = []
    for batch, points in todo:
        setup = batch.setup
        for size, *_ in points:
            start, slope = costs.get((setup.task, setup.parser), (None, 0.0))
            words = training_words(setup.sentences, setup.words, size)
            guesses.append(None if start is None else start + slope * words)
    sure = [guess for guess in guesses if guess is not None]
    ordered = sorted((-count, why) for why, count in reasons.items() if count)
    return Preview(
        len(plan), done, failed, len(guesses) - failed,
        tuple((why, -count) for count, why in ordered), plan.refused,
        sum(sure) if sure else None, len(guesses) - len(sure), settings.workers or processors(),
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


def _costs(ledger: Ledger) -> dict[tuple[str, str], tuple[float, float]]:
    """Return a line of seconds over training words for each task and parser."""
    points: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for task, parser, counts, size, seconds in ledger.ask(
        "SELECT task, parser, counts, nullif(size, 0), mean FROM setups JOIN "
        "(SELECT setup, size, avg(seconds) AS mean FROM cells WHERE done GROUP BY setup, size) "
        "ON setup = id"
    ):
        points[task, parser].append((training_words(**json.loads(counts), size=size), seconds))
    return {key: line_through(*np.transpose(pairs)) for key, pairs in points.items()}


def training_words(sentences: Mapping[str, int], words: Mapping[str, int], size: int | None) -> float:
    """Estimate the words that a cell trains on: its share of the training set.

    Examples
    --------
    >>> training_words({"train": 1000}, {"train": 20000, "test": 3000}, 100)
    2000.0
    """
    known = words.get("train") or sum(words.values())
    available = sentences.get("train") or sum(sentences.values())
    return float(known) if size is None or not available else known * size / available


def line_through(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> tuple[float, float]:
    """Return start and slope by least squares, neither below zero; the mean if there is no line."""
    slope, start = np.polyfit(x, y, 1) if np.ptp(x) else (-1.0, 0.0)
    if slope < 0:
        return float(np.mean(y)), 0.0
    if start < 0:
        return 0.0, float(np.dot(x, y) / np.dot(x, x))
    return float(start), float(slope)
