"""docs/calibration.md, from the results that were kept."""

import inspect
import json
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from tools.calibrate.registry import Checked, Statement

ROOT = Path(__file__).parents[2]
PAGE = Path("docs/calibration.md")
HEAD = ("case", "repetitions", "rate", "± Monte-Carlo", "holds", "{}", "s")
SUMMARY = ("statement", "smallest size", "accepted", "rate", "± Monte-Carlo", "holds in all cases")
INTRODUCTION = (ROOT / "tools" / "calibrate" / "introduction.md").read_text("utf-8")


def kept_at(name: str) -> Path:
    """Return the path at which the results of a statement are kept."""
    return ROOT / "tools" / "calibrate" / "results" / f"{name}.json"


def kept(name: str) -> tuple[int, list[Checked]] | None:
    """Return seed and cases of the full run of a statement, None before its first."""
    path = kept_at(name)
    if not path.is_file():
        return None
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return content["seed"], [Checked(**row) for row in content["cases"]]


def write(statements: Mapping[str, Statement]) -> None:
    """Write the page."""
    (ROOT / PAGE).write_text(text(statements), "utf-8")


def text(statements: Mapping[str, Statement]) -> str:
    """Return the page: the introduction, a summary, then the statements by verb."""
    by_verb = sorted(statements.values(), key=lambda statement: (statement.verb, statement.name))
    parts = [INTRODUCTION.rstrip(), "## All statements", "<!-- statements -->", summary(by_verb)]
    for verb, group in groupby(by_verb, key=lambda statement: statement.verb):
        parts.append(f"## {verb}")
        parts += [section(statement) for statement in group]
    return "\n\n".join([*parts, "<!-- end -->"]) + "\n"


def summary(statements: Sequence[Statement]) -> str:
    """Return one row per statement: its smallest case, and how many of its cases hold."""
    rows, seconds, seeds = [], 0.0, set[int]()
    for statement in statements:
        results = kept(statement.name)
        if results is None:
            continue
        seeds.add(results[0])
        first, cases = results[1][0], [row.holds(statement.band) for row in results[1]]
        low, high = statement.band
        accepted = f"{low:.2f} to {high:.2f}" if low else f"at most {high:.2f}"
        seconds += sum(row.seconds for row in results[1])
        holds = "yes" if all(cases) else f"**{sum(cases)} of {len(cases)}**"
        rows.append(
            (
                f"[{statement.name}](#{statement.name})", first.case, accepted,
                f"{first.rate:.3f}", f"{first.error:.3f}", holds,
            )
        )  # fmt: skip
    seed = ", ".join(map(str, sorted(seeds)))
    took = f"{seconds / 60:.0f} minutes of one processor core (seed {seed})"
    return f"{table(SUMMARY, rows)}\n\n{len(rows)} statements, checked in {took}."


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; all columns but the first are aligned right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def section(statement: Statement) -> str:
    """Return one statement: what users read, how it is checked, what came."""
    results = kept(statement.name)
    lines = [
        f"### {statement.name}",
        f"<details markdown><summary>{escape(statement.says, quote=False)}</summary>",
        inspect.getdoc(statement.simulate) or "",
    ]
    if results is None:
        return "\n\n".join([*lines, "Not run yet.", "</details>"])
    rows = results[1]
    head = [title.format(statement.secondary) for title in HEAD]
    body = [
        (
            row.case, f"{row.repetitions:,}", f"{row.rate:.3f}", f"{row.error:.3f}",
            "yes" if row.holds(statement.band) else "**no**", f"{row.secondary:.3g}",
            f"{row.seconds:.0f}",
        )
        for row in rows
    ]  # fmt: skip
    return "\n\n".join([*lines, table(head, body), "</details>"])
