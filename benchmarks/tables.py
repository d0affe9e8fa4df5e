"""How a part of the benchmarks is told: a table, and what was aimed at and found."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import TextWrapper

from benchmarks.measuring import Measured


@dataclass(frozen=True)
class Target:
    """Something aimed at, what was found, and whether that is enough."""

    aim: str
    found: str
    reached: bool

    def __str__(self) -> str:
        return f"{'PASS' if self.reached else 'MISS'}  {self.aim}: {self.found}"


@dataclass(frozen=True)
class Section:
    """One part: Markdown that also reads well on a terminal."""

    title: str
    text: str
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    targets: Sequence[Target] = field(default=())

    def __str__(self) -> str:
        text = self.text if self.text.startswith("```") else wrap(self.text)
        parts = [f"## {self.title}", text]
        if self.rows:
            parts.append(_table(self.head, self.rows))
        if self.targets:
            parts.append("\n".join(f"- {target}" for target in self.targets))
        return "\n\n".join(parts)


def wrap(text: str) -> str:
    """Break a paragraph into lines, never inside a name."""
    return TextWrapper(width=100, break_on_hyphens=False, break_long_words=False).fill(text)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table; all columns but the first hold numbers and stand to the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = []
    for row in (head, rule, *rows):
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def faster(peer: str, ours: str, found: dict[str, Measured], times: float) -> list[Target]:
    """Aim at being so many times as fast as a peer; nothing if the peer is not there."""
    if peer not in found:
        return []
    ratio = found[peer].seconds / found[ours].seconds
    aim = (
        f"{ours}: at least {times:g} times as fast as {peer}"
        if times > 1
        else (f"{ours}: faster than {peer}")
    )
    return [Target(aim, f"{ratio:.1f} times", ratio >= times)]


def smaller(peer: str, ours: str, found: dict[str, Measured], share: float) -> list[Target]:
    """Aim at a share of a peer's peak memory; nothing if the peer is not there."""
    if peer not in found:
        return []
    ratio = found[ours].peak / found[peer].peak
    aim = f"{ours}: at most {share:.2f} of the peak memory of {peer}"
    return [Target(aim, f"{ratio:.2f}", ratio <= share)]
