"""Single scores before they become a table: gaps, repeats, and added systems."""

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Literal, NamedTuple, get_args

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note
from treegauge.ranking.tables.leaderboard import some
from treegauge.ranking.tables.metadata import known_code

Missing = Literal["error", "drop-treebank", "drop-system", "keep"]
_SHOWN = 5


class ScoreCell(NamedTuple):
    """One score, or a gap (None), and where it is."""

    treebank: str
    system: str
    seed: str
    score: float | None
    where: str


def additional(own: Sequence[ScoreCell], base: Sequence[ScoreCell], label: str) -> list[ScoreCell]:
    """Return the scores of further systems on the treebanks of the others."""
    systems, treebanks = {cell.system for cell in base}, {cell.treebank for cell in base}
    if twice := sorted(systems & {cell.system for cell in own}):
        raise TreegaugeError(f"{label}: the system {twice[0]} is already in the table; give your system another name")
    known = {known_code(name) for name in treebanks}
    kept = [cell for cell in own if known_code(cell.treebank) in known]
    others = list(dict.fromkeys(cell.treebank for cell in own if cell not in kept))
    if not kept:
        raise TreegaugeError(
            f"{label}: none of its treebanks ({some(others)}) is in the table that it is added "
            f"to; expected such as {some(sorted(treebanks))}"
        )
    if others:
        note(f"{label}: {len(others)} treebanks are not in the table and are left out: {', '.join(others)}")
    return kept


def without_gaps(cells: list[ScoreCell], missing: Missing, source: str) -> tuple[list[ScoreCell], tuple[str, ...]]:
    """Return the cells after applying the policy for missing (treebank, system, seed) cells."""
    present = {cell[:3] for cell in cells if cell.score is not None}
    treebanks, systems, seeds = (dict.fromkeys(names) for names in zip(*(cell[:3] for cell in cells), strict=True))
    wanted = ((t, s, seed) for s, t, seed in product(systems, treebanks, seeds))
    gaps = [place for place in wanted if place not in present]
    if not gaps:
        return cells, ()
    if missing == "keep":
        scored = [{cell[i] for cell in cells if cell.score is not None} for i in (0, 1)]
        kept = [cell for cell in cells if cell[0] in scored[0] and cell[1] in scored[1]]
        note(f"{source}: {len(gaps)} missing scores, such as {_named(gaps[:1])}")
        names = zip((treebanks, systems), scored, strict=True)
        return kept, tuple(name for each, known in names for name in each if name not in known)
    if missing == "error":
        named = _named(gaps[:_SHOWN])
        more = f" and {len(gaps) - _SHOWN} more" if len(gaps) > _SHOWN else ""
        number = "1 missing score" if len(gaps) == 1 else f"{len(gaps)} missing scores"
        raise TreegaugeError(
            f"{source}: {number}: {named}{more}; --missing drop-treebank or drop-system "
            "leaves out the treebanks or systems with gaps; rank also takes --missing keep"
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


def _named(gaps: Iterable[Sequence[str]]) -> str:
    return ", ".join(f"({', '.join(filter(None, gap))})" for gap in gaps)


def refuse_repeats(cells: Iterable[ScoreCell]) -> None:
    """Refuse a table with two values for one score, naming both rows."""
    seen: dict[tuple[str, str, str], str] = {}
    for cell in cells:
        identity = cell[:3]
        if identity in seen:
            what = f"treebank {cell.treebank}, system {cell.system}"
            what += f", seed {cell.seed}" if cell.seed else ""
            raise TreegaugeError(
                f"{cell.where} repeats {seen[identity]}: {what}; keep one of the two, or keep "
                "several runs apart with a column 'seed'"
            )
        seen[identity] = cell.where
