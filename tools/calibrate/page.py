"""docs/calibration.md, a summary per verb, and docs/calibration.csv, every case, from the kept results."""

import csv
import inspect
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from tools.calibrate.plasmode import CHOOSING, CHOOSING_SENTENCES, JUDGING, JUDGING_SENTENCES
from tools.calibrate.registry import Checked, Statement, saved
from treegauge.core.files import atomic

ROOT = Path(__file__).parents[2]
PAGE = Path("docs/calibration.md")
DATA = PAGE.with_suffix(".csv")
COLUMNS = (
    "verb", "statement", "says", "kind", "nominal", "case", "repetitions", "rate", "low", "high",
    "accepted_from", "accepted_to", "verdict", "reason", "secondary", "secondary_value", "relative_width",
    "generator", "seed", "seconds",
)  # fmt: skip
VERDICTS = ("holds", "open", "fails", "skipped")
SUMMARY = ("verb", "statements", "cases", *VERDICTS, "kinds of statements")
FAILING = ("statement", "case", "rate", "accepted", "reason")
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


def keep(statement: Statement, row: Checked, seed: int) -> None:
    """Keep a case with the other cases of its statement, in their order."""
    rows = {one.case: one for one in (kept(statement.name) or (seed, []))[1]} | {row.case: row}
    content = saved(statement, [rows[case] for case in statement.cases if case in rows], seed)
    with atomic(kept_at(statement.name)) as file:
        file.write(f"{json.dumps(content, indent=2)}\n".encode())


def write(statements: Mapping[str, Statement]) -> None:
    """Write the page and its data."""
    (ROOT / PAGE).write_text(text(statements), "utf-8")
    (ROOT / DATA).write_text(data(statements), "utf-8")


def rows(statements: Mapping[str, Statement]) -> list[dict[str, Any]]:
    """Return one row per case, by verb and statement, with how its data are made."""
    found = []
    for statement in sorted(statements.values(), key=lambda one: (one.verb, one.name)):
        seed, cases = kept(statement.name) or (None, [])
        for case in cases:
            low, high = (round(end, 4) for end in case.around(statement.band))
            ends = case.limits if case.repetitions else (0.0, 0.0)
            numbers = (statement.nominal, case.case, case.repetitions, f"{case.rate:.4f}", *(f"{x:.4f}" for x in ends))
            width = f"{case.relative_width:.2f}" if case.relative_width else ""
            verdict = case.verdict(statement.band)
            reason = case.skipped or (statement.fails.get(case.case, "") if verdict == "fails" else "")
            values = (
                statement.verb, statement.name, statement.says, statement.kind, *numbers, low, high, verdict, reason,
                statement.secondary, f"{case.secondary:.4g}", width,
                " ".join((inspect.getdoc(statement.simulate) or "").split()), seed, f"{case.seconds:.0f}",
            )  # fmt: skip
            found.append(dict(zip(COLUMNS, values, strict=True)))
    return found


def data(statements: Mapping[str, Statement]) -> str:
    """Return the data file."""
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows(statements))
    return file.getvalue()


def text(statements: Mapping[str, Statement]) -> str:
    """Return the page: the introduction, a summary per verb, and the cases that fail."""
    cases = rows(statements)
    parts = [INTRODUCTION.rstrip(), "## Summary", "<!-- statements -->", summary(cases)]
    if failing := [row for row in cases if row["verdict"] == "fails"]:
        shown = [(row["statement"], row["case"], row["rate"][:5], _accepted(row), row["reason"]) for row in failing]
        parts += ["## What does not hold", table(FAILING, shown)]
    parts += ["## Treebanks", _treebanks(), "<!-- end -->"]
    return "\n\n".join(parts) + "\n"


def _accepted(row: Mapping[str, Any]) -> str:
    low, high = row["accepted_from"], row["accepted_to"]
    return f"{low:.2f} to {high:.2f}" if low else f"at most {high:.2f}"


def summary(cases: Sequence[Mapping[str, Any]]) -> str:
    """Return one row per verb: its statements, and how many cases hold."""
    shown = []
    for verb, group in groupby(cases, key=lambda row: row["verb"]):
        own = list(group)
        verdicts = Counter(row["verdict"] for row in own)
        kinds = Counter({row["statement"]: row["kind"] for row in own}.values())
        named = ", ".join(
            f"{number} {kind}{'s' if number > 1 and kind != 'advice' else ''}" for kind, number in kinds.items()
        )
        numbers = [len({row["statement"] for row in own}), len(own), *(verdicts[verdict] for verdict in VERDICTS)]
        shown.append((f"`{verb}`", *map(str, numbers), named))
    minutes = sum(float(row["seconds"]) for row in cases) / 60
    total = Counter(row["verdict"] for row in cases)
    words = ("hold", "are open", "fail", "were skipped")
    said = ", ".join(f"{total[one]} {word}" for one, word in zip(VERDICTS, words, strict=True) if total[one])
    number = len({row["statement"] for row in cases})
    return (
        f"{table(SUMMARY, shown)}\n\n{number} statements with {len(cases)} cases ({said}), checked in {minutes:.0f} "
        "minutes of one processor core."
    )


def _treebanks() -> str:
    def named(treebanks: Sequence[str]) -> str:
        return ", ".join(
            f"{name.partition('/')[2].removeprefix('UD_')} ({name.partition('/')[0]})" for name in treebanks
        )

    lists = (
        ("documents", "judge", JUDGING), ("documents", "choose", CHOOSING),
        ("sentences", "judge", JUDGING_SENTENCES), ("sentences", "choose", CHOOSING_SENTENCES),
    )  # fmt: skip
    shown = [(what, use, named(treebanks)) for what, use, treebanks in lists]
    return table(("units", "used to", "treebanks (release of Universal Dependencies)"), shown)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; columns of numbers are aligned right."""
    number = [all(row[i].replace(".", "").isdigit() for row in rows) for i in range(len(head))]
    lines = [head, ["---:" if right else "---" for right in number], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
