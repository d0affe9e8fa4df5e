"""Cells that are missing or given twice: named, and handled as the user says."""

from collections.abc import Iterable
from typing import Literal, get_args

from treegauge.ranking._read import Cell
from treegauge.results.errors import TreegaugeError

Missing = Literal["error", "drop-treebank", "drop-system"]
_SHOWN = 5


def without_gaps(
    cells: list[Cell], missing: Missing, source: str
) -> tuple[list[Cell], tuple[str, ...]]:
    """Apply the policy for missing cells; every (treebank, system, seed) must be there."""
    present = {(cell.treebank, cell.system, cell.seed) for cell in cells if cell.score is not None}
    systems, treebanks, seeds = (
        dict.fromkeys(names)
        for names in zip(*((c.system, c.treebank, c.seed) for c in cells), strict=True)
    )
    gaps = [
        (treebank, system, seed)
        for system in systems
        for treebank in treebanks
        for seed in seeds
        if (treebank, system, seed) not in present
    ]
    if not gaps:
        return cells, ()
    if missing == "error":
        named = ", ".join(
            f"({', '.join(part for part in gap if part)})" for gap in gaps[:_SHOWN]
        ) + (f" and {len(gaps) - _SHOWN} more" if len(gaps) > _SHOWN else "")
        raise TreegaugeError(
            f"{source}: {len(gaps)} missing score(s): {named}; choose what to leave out with "
            f"missing: {', '.join(get_args(Missing)[1:])}"
        )
    by_treebank = missing == "drop-treebank"
    out = dict.fromkeys(gap[0] if by_treebank else gap[1] for gap in gaps)
    kept = [cell for cell in cells if (cell.treebank if by_treebank else cell.system) not in out]
    if not kept:
        raise TreegaugeError(
            f"{source}: every {'treebank' if by_treebank else 'system'} has a missing score, so "
            f"missing={missing!r} leaves nothing; choices: {', '.join(get_args(Missing))}"
        )
    return kept, tuple(out)


def no_repeats(cells: Iterable[Cell]) -> None:
    """Refuse a table that gives one score twice, naming both rows."""
    seen: dict[tuple[str, str, str], str] = {}
    for cell in cells:
        identity = (cell.treebank, cell.system, cell.seed)
        if identity in seen:
            what = f"treebank {cell.treebank}, system {cell.system}"
            what += f", seed {cell.seed}" if cell.seed else ""
            raise TreegaugeError(
                f"{cell.where} repeats {seen[identity]}: {what}; keep one of the two, or tell "
                "several runs apart with a column 'seed'"
            )
        seen[identity] = cell.where
