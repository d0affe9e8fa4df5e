"""The report of one team of a shared task: what failed and why, its ranks, and where it lost most."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from treegauge.core import tables
from treegauge.core.result import RowsResult
from treegauge.reporting.page import Section, page
from treegauge.scoring.systems import run_names
from treegauge.statistics.small_samples import StudentEstimate
from treegauge.treebanks.sources.languages import human_names

if TYPE_CHECKING:
    from treegauge.ranking.standings import Standings
    from treegauge.scoring.submissions import CellScore, SubmissionScores

CAUSES = (
    ("primary.txt", "wrong primary.txt"), ("no output", "missing"), ("expected one output", "doubled"),
    ("incomplete", "cut off"), ("same text", "other text"), (r":\d+:", "malformed"),
)  # fmt: skip
"""What the sentence about a failure has in it, and the name of the cause."""
LINE = re.compile(r"system: +\S+:(\d+) |\S+:(\d+): |\(line (\d+)\)")
WORST = 15
"""The number of relations shown."""


class TeamTable(RowsResult):
    """A table of the report of a team."""

    kind: ClassVar[str] = "team"


@dataclass(frozen=True)
class TeamReport:
    """What a team is told: sentences, and tables by caption."""

    team: str
    title: str
    sentences: Sequence[str]
    tables: dict[str, TeamTable]
    signature: str

    def markdown(self) -> str:
        """Return the report as Markdown."""
        said = "\n".join(f"- {tables.markdown(line)}" for line in self.sentences)
        parts = [
            f"## {tables.markdown(name)}\n\n{tables.to_markdown(table.rows)}" for name, table in self.tables.items()
        ]
        head = f"# {tables.markdown(self.team)}: {tables.markdown(self.title)}"
        return "\n\n".join([head, said, *parts, f"`{self.signature}`"]) + "\n"

    def html(self) -> str:
        """Return the report as a page that works offline."""
        text = "\n".join(self.sentences)
        section = Section("team", self.team, text, shown=list(self.tables.items()), view="overview")
        return page(f"{self.team}: {self.title}", self.sentences[0], [section])


def file_names(teams: Sequence[str]) -> dict[str, str]:
    """Return a distinct name of a file for each team, also where upper case does not count.

    Examples
    --------
    >>> file_names(["a b", "a/b", "A b"])
    {'a b': 'a_b', 'a/b': 'a_b-2', 'A b': 'A_b-3'}
    """
    seen: Counter[str] = Counter()
    names = {}
    for team in teams:
        name = re.sub(r"[^\w.-]", "_", team)
        seen[name.casefold()] += 1
        number = seen[name.casefold()]
        names[team] = name if number == 1 else f"{name}-{number}"
    return names


def team_report(ranked: "Standings", scores: "SubmissionScores", metric: str, team: str, title: str) -> TeamReport:
    """Return the report of a team, from scores that are known."""
    failed = {code: scores.failures[code, team] for code in scores.treebanks if (code, team) in scores.failures}
    names = dict(zip(scores.treebanks, human_names(scores.treebanks), strict=True))
    made = {"Failed and missing runs": _failures(scores, team, failed, names)} if failed else {}
    made["Treebanks, those first where most was lost"] = _treebanks(scores, metric, team, names)
    rival = next((name for name in ranked.order if name != team), None)
    if rival is not None and (rows := _classes(scores, team, rival)):
        made[f"Relations, those first where most words were lost against {rival}"] = rows
    said = [_standing(ranked, team, metric), f"What counts: {scores.rule(team)}."]
    if failed:
        causes = Counter(row["cause"] for row in next(iter(made.values())))
        said.append(f"Failed on {len(failed)} of {len(names)} treebanks: "
                    f"{', '.join(f'{number} {cause}' for cause, number in causes.items())}.")  # fmt: skip
    said += [
        f"{names[code]}: {scores.cells[code, team].remarks}." for code in names if scores.cells[code, team].remarks
    ]
    shown = {caption: TeamTable(rows, ranked.signature) for caption, rows in made.items()}
    return TeamReport(team, title, said, shown, ranked.signature)


def _standing(ranked: "Standings", team: str, metric: str) -> str:
    """Say which rank the team has, and how certain it is."""
    row: dict[str, Any] | None = next((one for one in ranked.table.to_dicts() if one["system"] == team), None)
    if row is None:
        return f"No rank: no output of {team} has a score."
    said = f"Rank {row['rank']:g} of {len(ranked.order)} by mean {ranked.board.metric}: {row['score']:.2f}"
    if row["low"] is not None:
        said += f" (95 % interval on these treebanks, for other text: {row['low']:.2f} to {row['high']:.2f})"
    if row["rank_low"] is not None:
        said += f"; 95 % set of ranks over all treebanks of these families: {row['rank_low']} to {row['rank_high']}"
    return f"{said}; rank {row['best']:g} to {row['worst']:g} over {ranked.subsets.subsets_text}."


def _failures(
    scores: "SubmissionScores", team: str, failed: dict[str, str], names: dict[str, str]
) -> list[dict[str, Any]]:
    """Return one row per failure, by cause: the treebank, file and line, and what is wrong."""
    rows = []
    for code, why in failed.items():
        cause = next((name for pattern, name in CAUSES if re.search(pattern, why)), "other")
        line = next((int(number) for match in LINE.findall(why) for number in match if number), None)
        runs = list(run_names(scores.files.systems[team].get(code, ())).values())
        known = runs if len(runs) == 1 else [run for run in runs if run in why]
        named = re.split(" have the text of|:1: ", why)[:1] if cause in {"doubled", "wrong primary.txt"} else []
        file = next(iter([*known, *named]), None)
        rows.append({"cause": cause, "treebank": names[code], "file": file, "line": line, "what is wrong": why})
    return sorted(rows, key=lambda row: str(row["cause"]))


def _treebanks(scores: "SubmissionScores", metric: str, team: str, names: dict[str, str]) -> list[dict[str, Any]]:
    """Return the score, its interval and rank on each treebank, and the best of the others."""
    rows = []
    for code, name in names.items():
        values = {other: scores.f1(code, other, metric) for other in scores.teams}
        mine = values.pop(team)
        others = {other: value for other, value in values.items() if value is not None}
        best = max(others, key=lambda other: others[other]) if others else None
        limits = None if mine is None else _interval(scores.cells[code, team], metric)
        gap = None if best is None else (mine or 0.0) - others[best]
        rows.append({
            "treebank": name, metric: "failed" if mine is None else f"{mine:.2f}",
            "interval": f"{limits[0]:.2f}–{limits[1]:.2f}" if limits else "",
            "rank": None if mine is None else 1 + sum(value > mine for value in others.values()),
            "best of the others": best, "its score": None if best is None else others[best], "difference": gap,
        })  # fmt: skip
    return sorted(rows, key=lambda row: 0.0 if row["difference"] is None else row["difference"])


def _interval(cell: "CellScore", metric: str) -> tuple[float, float] | None:
    if metric not in cell.errors:
        return None
    value = cell.metrics[metric].f1 / 100
    estimate = StudentEstimate(*(np.array([part]) for part in (value, *cell.errors[metric])))
    low, high = (100 * float(limit[0]) for limit in estimate.interval(0.95, share=True))
    return None if math.isnan(low) else (low, high)


def _classes(scores: "SubmissionScores", team: str, rival: str) -> list[dict[str, Any]]:
    """Return F1 (LAS) of relations, in the sum of all treebanks on which both have a score."""
    sums: dict[str, Any] = {}
    for code in scores.treebanks:
        both = [scores.cells[code, name].classes for name in (team, rival)]
        if all(both):
            for side, classes in enumerate(both):
                for relation, numbers in classes.items():
                    sums.setdefault(relation, np.zeros((2, 3)))[side] += numbers
    rows = []
    for relation, counts in sums.items():
        own, other = (200 * right / max(1.0, gold + system) for right, gold, system in counts)
        lost = round(float(counts[1, 0] - counts[0, 0]), 6)  # means over runs are not whole
        rows.append({"relation": relation, "gold words": round(counts[0, 1]), f"F1 of {team}": float(own),
                     f"F1 of {rival}": float(other), "words lost": lost})  # fmt: skip
    return sorted((row for row in rows if row["words lost"] > 0), key=lambda row: -row["words lost"])[:WORST]
