"""Run a plan unit by unit until it is decided which of two systems is better."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import note
from treegauge.core.result import countersign
from treegauge.experiments.cell_store import Store
from treegauge.experiments.cells import Cell, CellBatch, Expansion, expansion_of
from treegauge.experiments.pools import PoolSettings
from treegauge.experiments.training import Progress, RunSummary, run_expansion, scalars_in
from treegauge.statistics.multiple import SEED_WIDTH, TREEBANK_WIDTH, least_looks, sequence_interval
from treegauge.statistics.student_intervals import student_mean
from treegauge.treebanks.sources.languages import kin_of

METRIC = "LAS"
UNITS = {"genera": "genus", "seeds": "runs"}
"""What signatures call the units."""
LEVEL = 0.95


@dataclass(frozen=True)
class Decision:
    """Which of two systems is better, and after how many units a plan could stop.

    Attributes
    ----------
    verdict
        ``A > B``, ``B > A``, or ``undecided`` after all units of the plan.
    units, used, available
        What was added one by one (seeds or genera), how many were used, and how many there are.
    difference, low, high
        The mean difference A - B over the units, in points, with limits that hold at every look.
    saved, seconds_saved
        Cells of the two systems that did not have to be run, and how long they would have taken;
        None if no cell was run now.
    """

    claim: str
    verdict: str
    units: str
    used: int
    available: int
    difference: float | None
    low: float | None
    high: float | None
    saved: int
    seconds_saved: float | None = None
    level: float = LEVEL

    def __str__(self) -> str:
        reach = ""
        if self.difference is not None and self.low is not None and self.high is not None:
            reach = (
                f": difference {self.difference:+.2f} {METRIC} "
                f"({100 * self.level:g} % confidence sequence {self.low:+.2f} to {self.high:+.2f})"
            )
        if self.verdict == "undecided":
            return f"undecided after all {self.used} {self.units}{reach}; add {self.units} to the plan and run it again"
        time = "" if self.seconds_saved is None else f" (about {self.seconds_saved:.0f} s)"
        return (
            f"{self.verdict}, decided after {self.used} of {self.available} {self.units}{reach}; "
            f"{self.saved} cells{time} were not needed"
        )


def run_until(
    cells: Expansion, claim: str, store: Store, settings: PoolSettings, *, retries: int = 1,
    progress: Progress | None = None, name: str = "plan",
) -> RunSummary:  # fmt: skip
    """Run the cells of two systems until one is better, or all are done.

    After each unit the confidence sequence of the mean difference is computed
    (:mod:`treegauge.statistics.multiple`); the run ends when it leaves out 0, with an error of at
    most 5 % over all looks. Units are genera of treebanks, in a random but fixed order, if there
    are enough; else seeds (or samples), over whose treebanks differences are averaged.
    """
    units, width, kind = _units(_paired(cells, claim), store)
    total = sum(2 * len(pairs) for pairs in units)
    summaries: list[RunSummary] = []
    differences: list[float] = []
    used, limits = 0, (-np.inf, np.inf)
    while used < len(units) and limits[0] <= 0 <= limits[1]:
        # The first looks cannot decide anything, so these units run together.
        block = units[used : used + 1] if used else units[: least_looks(width, LEVEL)]
        used += len(block)
        before = sum(summary.total for summary in summaries)
        chosen = expansion_of(cell for pairs in block for pair in pairs for cell in pair)
        update: Progress | None = progress and _continued(progress, before, total)
        summaries.append(run_expansion(chosen, store, settings, retries=retries, progress=update, name=name))
        differences += _differences(block, store)
        if len(differences) > 1 and np.ptp(differences) > 0:
            limits = sequence_interval(student_mean(differences), len(differences), width, LEVEL)
    if len(differences) > 1 and np.ptp(differences) == 0:
        note(f"all {kind} have the same difference: nothing varies, so nothing can be decided")
    a, b = _names(claim)
    verdict = f"{a} > {b}" if limits[0] > 0 else f"{b} > {a}" if limits[1] < 0 else "undecided"
    low, high = (float(limit) if np.isfinite(limit) else None for limit in limits)
    mean = float(np.mean(differences)) if differences else None
    saved = total - sum(summary.total for summary in summaries)
    added = {field: sum(getattr(one, field) for one in summaries) for field in ("reused", "done", "failed", "seconds")}
    spared = saved * added["seconds"] / added["done"] if added["done"] else None
    decision = Decision(claim, verdict, kind, used, len(units), mean, low, high, saved, spared)
    return replace(
        summaries[-1], total=len(cells), left_out=cells.refused, decision=asdict(decision) | {"text": str(decision)},
        signature=countersign(summaries[-1].signature, until=f"{a} > {b}", units=UNITS[kind], level=LEVEL), **added,
    )  # fmt: skip


Pair = tuple[Cell, Cell]
"""The cells of A and of B that differ in nothing but the parser."""


def _continued(progress: Progress, before: int, total: int) -> Progress:
    return lambda done, _: progress(before + done, total)


def _names(claim: str) -> tuple[str, str]:
    a, sign, b = (part.strip() for part in claim.partition(">" if ">" in claim else "<"))
    if not (a and sign and b):
        raise TreegaugeError(f"until: found {claim!r}; expected two parsers of the plan, such as 'A > B'")
    return (a, b) if sign == ">" else (b, a)


def _label(batch: CellBatch) -> str:
    return f"{batch.setup.parser} {batch.setup.shown_options}".strip()


def _paired(cells: Expansion, claim: str) -> list[Pair]:
    """Return the cells of the two systems of a claim, paired by treebank, size, sample and seed."""
    labels = list(dict.fromkeys(map(_label, cells.batches)))
    sides: list[dict[tuple[Any, ...], Cell]] = []
    for name in _names(claim):
        fitting = [name] if name in labels else [label for label in labels if label.split()[0] == name]
        if len(fitting) != 1:
            raise ChoiceError("system in --until", name, labels)
        own = [batch for batch in cells.batches if _label(batch) == fitting[0]]
        sides.append({
            (cell.setup.treebank, cell.setup.task, cell.setup.shown_extra, cell.size, cell.sample, cell.seed): cell
            for batch in own for cell in batch.cells()
        })  # fmt: skip
    shared = [key for key in sides[0] if key in sides[1]]
    if not shared or sides[0] == sides[1]:
        raise TreegaugeError(
            f"until: {claim!r} compares no two parsers on the same treebank, size and seed of the plan"
        )
    kinds = list(dict.fromkeys(key[1:4] for key in shared))
    if len(kinds) > 1:
        shown = ", ".join(" ".join(str(part) for part in kind if part) for kind in kinds[:4])
        raise TreegaugeError(f"until: expected one task with one size and one set of parameters, found {shown}")
    if others := len(cells) - 2 * len(shared):
        note(f"left out: {others} cells that are not a pair of {' and '.join(_names(claim))}")
    return [(sides[0][key], sides[1][key]) for key in shared]


def _units(pairs: Sequence[Pair], store: Store) -> tuple[list[list[Pair]], float, str]:
    """Return the pairs of each unit, finished units first, with the width of the sequence and the unit's name."""
    genera: dict[Any, list[Pair]] = {}
    seeds: dict[Any, list[Pair]] = {}
    for a, b in pairs:
        name = Path(a.setup.treebank).name
        genera.setdefault(kin_of(name, "genus") or name, []).append((a, b))
        seeds.setdefault((a.sample, a.seed), []).append((a, b))
    least = least_looks(TREEBANK_WIDTH, LEVEL), least_looks(SEED_WIDTH, LEVEL)
    if len(genera) >= least[0]:
        order = sorted(genera, key=lambda genus: blake2b(genus.encode()).digest())
        chosen, width, kind = [genera[genus] for genus in order], TREEBANK_WIDTH, "genera"
    elif len(seeds) >= least[1]:
        chosen, width, kind = [seeds[point] for point in sorted(seeds)], SEED_WIDTH, "seeds"
    else:
        raise TreegaugeError(
            f"until: found {len(seeds)} seeds and treebanks of {len(genera)} genera; a decision needs at "
            f"least {least[1]} seeds, or treebanks of {least[0]} genera"
        )
    ready = [_differences([unit], store) if store.ledger_path.exists() else [] for unit in chosen]
    return [unit for _, unit in sorted(zip(ready, chosen, strict=True), key=lambda pair: not pair[0])], width, kind


def _differences(units: Iterable[Sequence[Pair]], store: Store) -> list[float]:
    """Return A - B of each unit whose cells are all done: the mean over its treebanks."""
    values = []
    for pairs in units:
        found = scalars_in(store, [cell for pair in pairs for cell in pair])
        scores = [None if one is None else one.get(METRIC) for one in found]
        if any(one is not None and METRIC not in one for one in found):
            raise TreegaugeError(
                f"until: task {pairs[0][0].setup.task} has no {METRIC}; expected one that scores parsers"
            )
        if None in scores:
            continue
        by_treebank: dict[str, list[float]] = {}
        for (a, _), first, second in zip(pairs, scores[::2], scores[1::2], strict=True):
            by_treebank.setdefault(a.setup.treebank, []).append(float(first or 0) - float(second or 0))
        values.append(float(np.mean([np.mean(own) for own in by_treebank.values()])))
    return values
