"""The report of one team of a shared task: what failed and why, its ranks, and where it lost most."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from treegauge.core import tables
from treegauge.core.errors import one_line
from treegauge.core.result import RowsResult
from treegauge.reporting.page import Section, page
from treegauge.scoring.systems import PRIMARY, run_names
from treegauge.treebanks.sources.languages import human_names

if TYPE_CHECKING:
    from treegauge.ranking.standings import Standings
    from treegauge.scoring.submissions import SubmissionScores

Rows = list[dict[str, Any]]
CAUSES = {
    PRIMARY: "wrong primary run", "no output": "missing", "expected one output": "doubled",
    "incomplete": "cut off", "same text": "other text", r":\d+:": "malformed", "": "other",
}  # fmt: skip
"""What a sentence about a failure has in it, and the name of the cause."""
LINE = re.compile(r"system: +\S+:(\d+) |\S+:(\d+): |\(line (\d+)\)")
WORST = 15
"""The number of relations shown."""


class TeamTable(RowsResult, kind="team"):
    """A table of the report of a team."""


def report_names(teams: Sequence[str]) -> dict[str, str]:
    """Return a distinct name of a file for each team, also where upper case does not count.

    Examples
    --------
    >>> report_names(["a b", "a/b", "A b"])
    {'a b': 'a_b', 'a/b': 'a_b-2', 'A b': 'A_b-3'}
    """
    names: dict[str, str] = {}
    for team in teams:
        name, number = re.sub(r"[^\w.-]", "_", team), 1
        while (found := f"{name}-{number}" if number > 1 else name).casefold() in map(str.casefold, names.values()):
            number += 1
        names[team] = found
    return names


def team_report(ranked: "Standings", scores: "SubmissionScores", metric: str, team: str, title: str) -> tuple[str, str]:
    """Return the report of a team as HTML and Markdown, from scores that are known."""
    names = dict(zip(scores.treebanks, human_names(scores.treebanks), strict=True))
    failed = _failures(scores, team, names)
    rival = next((name for name in ranked.order if name != team and name in scores.teams), team)
    made = {
        "Failed and missing runs": failed,
        "Treebanks, those first where most was lost": _treebanks(scores, metric, team, names),
        f"Relations, those first where most words were lost against {rival}": _relations(scores, team, rival),
    }
    said = [_standing(ranked, team), f"What counts: {scores.rule(team)}."]
    if failed:
        causes = Counter(row["cause"] for row in failed)
        each = ", ".join(f"{number} {cause}" for cause, number in causes.items())
        said.append(f"Failed on {len(failed)} of {len(names)} treebanks: {each}.")
    said += [f"{names[code]}: {why}." for code in names if (why := scores.cells[code, team].remarks)]
    shown = [(name, TeamTable(rows, ranked.signature)) for name, rows in made.items() if rows]
    html = page(f"{team}: {title}", said[0], [Section("team", team, "\n".join(said), shown=shown, view="overview")])
    parts = [f"## {_markdown(name)}\n\n{tables.to_markdown(table.rows)}" for name, table in shown]
    lines = "\n".join(f"- {_markdown(line)}" for line in said)
    head = f"# {_markdown(team)}: {_markdown(title)}"
    return html, "\n\n".join([head, lines, *parts, f"`{one_line(ranked.signature)}`"]) + "\n"


def _markdown(text: str) -> str:
    """Return a line of Markdown: names of teams and files may hold control characters."""
    return tables.markdown(one_line(text))


def _standing(ranked: "Standings", team: str) -> str:
    """Return the rank of the team, and how certain it is."""
    row: dict[str, Any] | None = next((one for one in ranked.table.to_dicts() if one["system"] == team), None)
    if row is None:
        return f"No rank: no output of {team} has a score."
    said = f"Rank {row['rank']:g} of {len(ranked.order)} by mean {ranked.board.metric}: {row['score']:.2f}"
    if row["low"] is not None:
        said += f" (95 % interval on these treebanks, for other text: {row['low']:.2f} to {row['high']:.2f})"
    if row["rank_low"] is not None:
        said += f"; 95 % set of ranks over all treebanks of these families: {row['rank_low']} to {row['rank_high']}"
    return f"{said}; rank {row['best']:g} to {row['worst']:g} over {ranked.subsets.subsets_text}."


def _failures(scores: "SubmissionScores", team: str, names: dict[str, str]) -> Rows:
    """Return one row per failure, by cause: the treebank, file and line, and what is wrong."""
    rows: Rows = []
    for code, name in names.items():
        if why := scores.failures.get((code, team)):
            cause = next(known for pattern, known in CAUSES.items() if re.search(pattern, why))
            line = next((int(number) for match in LINE.findall(why) for number in match if number), None)
            runs = list(run_names(scores.files.systems[team].get(code, ())).values())
            files = [run for run in runs if len(runs) == 1 or run in why]
            if cause in {"doubled", "wrong primary run"}:
                files = re.split(" have the text of|:1: ", why)[:1]
            file = files[0] if files else None
            rows.append({"cause": cause, "treebank": name, "file": file, "line": line, "what is wrong": why})
    return sorted(rows, key=lambda row: str(row["cause"]))


def _treebanks(scores: "SubmissionScores", metric: str, team: str, names: dict[str, str]) -> Rows:
    """Return the score, its interval and rank on each treebank, and the best of the others."""
    rows: Rows = []
    for code, name in names.items():
        values = {other: value for other in scores.teams if (value := scores.f1(code, other, metric)) is not None}
        mine = values.pop(team, None)
        best = max(values, key=lambda other: values[other], default=None)
        cell, limits = scores.cells[code, team], [math.nan]
        if metric in cell.errors:
            limits = [100 * float(limit[0]) for limit in cell.estimate(metric).interval(0.95, share=True)]
        rows.append({
            "treebank": name, metric: "failed" if mine is None else f"{mine:.2f}",
            "interval": "" if math.isnan(limits[0]) else f"{limits[0]:.2f}–{limits[1]:.2f}",
            "rank": None if mine is None else 1 + sum(value > mine for value in values.values()),
            "best of the others": best, "its score": None if best is None else values[best],
            "difference": None if best is None else (mine or 0.0) - values[best],
        })  # fmt: skip
    return sorted(rows, key=lambda row: row["difference"] or 0.0)


def _relations(scores: "SubmissionScores", team: str, rival: str) -> Rows:
    """Return F1 (LAS) of relations, in the sum of all treebanks on which both teams have a score."""
    sums: dict[str, Any] = {}
    for code in scores.treebanks:
        both = [scores.cells[code, name].classes for name in (team, rival)]
        for side, classes in enumerate(both if all(both) else ()):
            for relation, counts in classes.items():
                sums.setdefault(relation, np.zeros((2, 3)))[side] += counts
    rows: Rows = []
    for relation, counts in sums.items():
        own, other = (200 * float(right / max(1.0, gold + system)) for right, gold, system in counts)
        lost = round(float(counts[1, 0] - counts[0, 0]), 6)  # means over runs are not whole
        if lost > 0:
            rows.append({"relation": relation, "gold words": round(counts[0, 1]), f"F1 of {team}": own,
                         f"F1 of {rival}": other, "words lost": lost})  # fmt: skip
    return sorted(rows, key=lambda row: -row["words lost"])[:WORST]
