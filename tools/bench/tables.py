"""The layout of a section of benchmarks: a table, and targets with what was measured."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from textwrap import TextWrapper

from tools.bench.measuring import Measured


@dataclass(frozen=True)
class Target:
    """A target, what was measured, and whether the target is met."""

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
        parts = [f"## {self.title}", wrap(self.text)]
        if self.rows:
            parts.append(_table(self.head, self.rows))
        if self.targets:
            parts.append(_folded(self.targets))
        load = f"load {os.getloadavg()[2]:.1f}"
        parts.append(f"*treegauge {version('treegauge')}, {load}*")
        return "\n\n".join(parts)


def _folded(targets: Sequence[Target]) -> str:
    """Write targets as a table in a fold; those that were missed are named before it."""
    missed = [f"- {target}" for target in targets if not target.reached]
    rows = [[one.aim, one.found, "yes" if one.reached else "no"] for one in targets]
    summary = f"Targets: {len(targets) - len(missed)} of {len(targets)} met"
    table = _table(("target", "measured", "met"), rows)
    fold = f"<details markdown><summary>{summary}</summary>\n\n{table}\n\n</details>"
    return "\n\n".join(["\n".join(missed), fold] if missed else [fold])


def wrap(text: str) -> str:
    """Break paragraphs into lines, never inside a name; indented text is kept unchanged."""
    wrapper = TextWrapper(width=100, break_on_hyphens=False, break_long_words=False)
    parts = text.split("\n\n")
    return "\n\n".join(one if one.startswith("    ") else wrapper.fill(one) for one in parts)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table; all columns except the first are aligned to the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = []
    for row in (head, rule, *rows):
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


VERSUS = ("", "s", "times ours", "peak MB", "times our memory")
"""The head of the table whose rows :func:`versus` makes."""


def versus(job: str, found: dict[str, Measured]) -> list[list[str]]:
    """Make the rows of a job: every contender compared with the first, which is ours."""
    ours = next(iter(found.values()))
    return [
        [
            f"{job}: {name}",
            took(one.seconds),
            f"{one.seconds / ours.seconds:.1f}",
            f"{one.peak:.0f}",
            f"{one.peak / ours.peak:.1f}",
        ]
        for name, one in found.items()
    ]


def took(seconds: float) -> str:
    """Write seconds with two decimals or, if short, with two significant digits."""
    return f"{seconds:.2f}" if seconds >= 0.1 else f"{seconds:.2g}"


def faster(peer: str, ours: str, found: dict[str, Measured], times: float) -> list[Target]:
    """Target: ``times`` as fast as a peer; none if the peer is not installed."""
    if peer not in found:
        return []
    ratio = found[peer].seconds / found[ours].seconds
    aim = f"{ours}: at least {times:g} times as fast as {peer}" if times > 1 else (f"{ours}: faster than {peer}")
    return [Target(aim, f"{ratio:.1f} times", ratio >= times)]


def smaller(peer: str, ours: str, found: dict[str, Measured], share: float) -> list[Target]:
    """Target: a share of a peer's peak memory; none if the peer is not installed."""
    if peer not in found:
        return []
    ratio = found[ours].peak / found[peer].peak
    aim = f"{ours}: at most {share:.2f} of the peak memory of {peer}"
    return [Target(aim, f"{ratio:.2f}", ratio <= share)]
