"""The standings of a shared task: teams by rank, confidence in the ranks, and failed runs."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from treegauge.core import tables
from treegauge.core.errors import TreegaugeError
from treegauge.core.lazy import pl
from treegauge.core.messages import note
from treegauge.core.paper_tables import PaperRow, PaperTable, paper_cells
from treegauge.core.result import Result, RowsResult, countersign
from treegauge.ranking.compare import CriticalDifference, critical_difference
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.metadata import describe
from treegauge.ranking.stability.sampler import usual_size
from treegauge.ranking.stability.win_rates import Stability, stability
from treegauge.ranking.strengths import RankSets, advantages, families_of, rank_sets
from treegauge.scoring.metrics.registry import metric_label
from treegauge.scoring.submissions import ONE_RUN, SubmissionScores
from treegauge.statistics.units import TOO_FEW
from treegauge.treebanks.sources.languages import code_column, human_names

MACRO = "macro average"
LEVEL = 0.05
"""Significance level of the tests that group teams."""


class TreebankScores(RowsResult, kind="treebank scores", unit="percent"):
    """Scores by treebank, a column per team in the order of the standings; macro averages first."""

    def shown(self) -> list[dict[str, Any]]:
        """Return the rows; a failed run is named as such."""
        return [{name: "failed" if value is None else value for name, value in row.items()} for row in self.rows]


@dataclass(frozen=True, eq=False)
class Standings(Result, kind="standings", unit="percent"):
    """Teams by rank.

    Attributes
    ----------
    board
        The scores by which teams are ranked; failed runs are 0 or missing, depending on `policy`.
    cells
        One row per treebank and team: all metrics, or the reason why there are none.
    failures
        The reason of failure, by treebank and team.
    intervals
        Confidence intervals of macro averages on these treebanks, by team, or None.
    subsets
        Ranks over subsets of treebanks.
    sets
        Confidence sets of ranks, None where there are too few treebanks.
    groups
        Groups of teams that do not differ significantly. None with fewer than three teams, with
        missing scores, and with too few treebanks for any pair to differ significantly.
    scored
        The number of outputs that were scored in this run, not reused from an earlier one.
    runs
        What counts of each team's runs.
    """

    board: Leaderboard
    cells: "pl.DataFrame"
    failures: Mapping[tuple[str, str], str]
    policy: str
    intervals: Mapping[str, tuple[float, float] | None]
    subsets: Stability
    sets: RankSets | None
    groups: CriticalDifference | None
    scored: int
    signature: str
    runs: Mapping[str, str] = field(default_factory=dict)
    digits: ClassVar[Any] = dict.fromkeys(("rank", "best", "worst"))

    @cached_property
    def table(self) -> "pl.DataFrame":
        """One row per team, the best first."""
        board = self.board
        ranks = self.subsets.table.select("system", "best", "worst", "mean")
        limits = [self.intervals.get(name) or (None, None) for name in board.systems]
        none = [None] * len(board.systems)
        counts = [sum(team == name for _, team in self.failures) for name in board.systems]
        columns = {
            "rank": board.ranking(),
            "rank_low": none if self.sets is None else self.sets.low,
            "rank_high": none if self.sets is None else self.sets.high,
            "system": board.systems, "score": board.filled.mean(axis=1),
            "low": [low for low, _ in limits], "high": [high for _, high in limits],
            "group": none if self.groups is None else self.groups.letters(board.by_mean()),
            "failed": counts,
        }  # fmt: skip
        kinds = {"rank_low": pl.Int64, "rank_high": pl.Int64, "low": pl.Float64, "high": pl.Float64, "group": pl.String}
        frame = pl.DataFrame(columns, schema_overrides=kinds)
        return frame.join(ranks, on="system").sort("rank", "system")

    @property
    def saved(self) -> "pl.DataFrame":
        """All scores, for CSV and Parquet files that every verb about rankings reads."""
        return self.cells

    def shown(self) -> "pl.DataFrame":
        """Return the informative columns, with readable names."""
        rows = self.table.to_dicts()
        sets = [None if row["rank_low"] is None else f"{row['rank_low']}-{row['rank_high']}" for row in rows]
        limits = [None if row["low"] is None else f"{row['low']:.2f}–{row['high']:.2f}" for row in rows]
        metric, frame = self.board.metric, self.table.drop("rank_low", "rank_high", "low", "high")
        frame = frame.insert_column(1, pl.Series("95 % set", sets, pl.String))
        frame = frame.insert_column(4, pl.Series(f"{metric} interval", limits, pl.String))
        unknown = [name for name in frame.columns if not frame[name].count()]
        unknown += [] if self.failures else ["failed"]
        return frame.drop(unknown).rename({"score": metric, "mean": "mean rank"})

    @cached_property
    def order(self) -> list[str]:
        """The teams, the best first."""
        return self.table["system"].to_list()

    def by_treebank(self) -> TreebankScores:
        """Return the scores of every team on every treebank, below their macro averages."""
        means = dict(zip(self.board.systems, self.board.filled.mean(axis=1), strict=True))
        rows: list[dict[str, Any]] = [{"treebank": MACRO} | {name: float(means[name]) for name in self.order}]
        for title, cells in zip(human_names(self.board.treebanks), self._cells(), strict=True):
            rows.append({"treebank": title} | {name: cells[name] for name in self.order})
        return TreebankScores(rows, self.signature)

    def _cells(self) -> list[dict[str, float | None]]:
        """Return the scores on each treebank; None where a team failed."""
        return [
            {
                name: None if (code, name) in self.failures else float(value)
                for name, value in zip(self.board.systems, column, strict=True)
            }
            for code, column in zip(self.board.treebanks, self.board.values.T, strict=True)
        ]

    def paper(self) -> PaperTable:
        """Return the table for a paper: treebanks by teams, and the macro averages."""
        named = self.board.treebanks
        body = [
            PaperRow(title, paper_cells({name: cells[name] for name in self.order}), code=code)
            for title, code, cells in zip(human_names(named), code_column(named), self._cells(), strict=True)
        ]
        means = dict(zip(self.board.systems, self.board.filled.mean(axis=1), strict=True))
        averages = paper_cells({name: float(means[name]) for name in self.order}, (), self.intervals)
        body.append(PaperRow(MACRO, averages, summary=True))
        said = [f"{self.board.metric} (F1 in percent) of {len(self.order)} teams on "
                f"{len(self.board.treebanks)} treebanks. Bold: best team."]  # fmt: skip
        if any(self.intervals.values()):
            said.append("Below averages: 95 % confidence intervals on these treebanks.")
        if self.failures:
            said.append(f"failed: no score; {_POLICIES[self.policy]}.")
        return PaperTable("treebank", self.order, body, " ".join(said), self.signature)

    def own_latex(self) -> str:
        """Return the standings, and the table for a paper."""
        ranks = tables.to_latex(self.shown(), note=self.signature, digits=self.digits)
        return f"{ranks}\n\n{self.paper().latex('acl')}"

    def own_html(self) -> str:
        """Return the standings, with notes below."""
        from html import escape

        notes = "".join(f"<li>{escape(line)}</li>" for line in self.notes)
        return f"{super().own_html()}\n<ul>{notes}</ul>"

    def own_markdown(self) -> str:
        """Return the standings, notes, failed runs, and the scores by treebank."""
        lines = [*self.notes, *(f"failed: {line}" for line in self.failed_lines)]
        notes = "\n".join(f"- {tables.markdown(line)}" for line in lines)
        ranks = tables.to_markdown(self.shown(), digits=self.digits)
        return f"{ranks}\n\n{notes}\n\n{self.paper().markdown()}"

    @property
    def failed_lines(self) -> list[str]:
        """One line per failed run: team, treebank and reason."""
        return [f"{team} on {code}: {reason}" for (code, team), reason in self.failures.items()]

    @property
    def notes(self) -> list[str]:
        """Notes on the columns of the table."""
        notes = []
        if several := [f"{team}: {rule}" for team, rule in self.runs.items() if rule != ONE_RUN]:
            notes.append(f"What counts of several runs: {'; '.join(several)}.")
        if self.failures:
            teams = len({team for _, team in self.failures})
            notes.append(f"Failed or missing runs: {len(self.failures)}, of {teams} "
                         f"team{'s' * (teams > 1)}; {_POLICIES[self.policy]}.")  # fmt: skip
        if "remarks" in self.cells.columns:
            number = self.cells["remarks"].count()
            notes.append(f"Outputs with changed text or without some layer: {number}; the column "
                         "'remarks' of the scores says which.")  # fmt: skip
        if any(self.intervals.values()):
            notes.append("Interval: 95 % confidence interval of the macro average on these treebanks, for other text.")
        elif not self.failures:
            notes.append("No intervals of macro averages: some treebank has too few documents or sentences.")
        notes += self.unit_notes
        if self.sets is None:
            notes.append(f"No confidence sets of ranks: {TOO_FEW}.")
        else:
            notes.append("95 % set: confidence set of the rank by mean score over all treebanks of these families.")
        if self.groups is not None and self.groups.cliques:
            notes.append("Two teams share a letter if and only if they do not differ significantly "
                         "(Wilcoxon signed-rank tests of all pairs over treebanks, Holm's "
                         "correction, p ≤ 0.05).")  # fmt: skip
        elif self.groups is not None:
            notes.append("All pairs of teams differ significantly (Wilcoxon signed-rank tests over "
                         "treebanks, Holm's correction, p ≤ 0.05).")  # fmt: skip
        if self.groups is not None and self.failures:
            notes.append("In these tests a failed run is a score of 0: its team is behind by many "
                         "points, and equal to other teams that failed there.")  # fmt: skip
        if self.groups is None and len(self.board.systems) > 2:
            why = "scores are missing" if self.board.gaps else "too few treebanks"
            notes.append(f"No groups of teams that do not differ significantly: {why}.")
        notes.append(self._subsets_note())
        return notes

    def _subsets_note(self) -> str:
        tau, same = (self.subsets.agreement[name].item() for name in ("tau", "top1"))
        return (
            f"Best to worst rank over {self.subsets.subsets_text}; Kendall's tau with the "
            f"standings {tau:.3f}, the same leader in {100 * same:.1f} %."
        )

    def own_text(self) -> str:
        """Return the standings, notes, and failed runs."""
        table = tables.to_text(self.shown(), digits=self.digits)
        failed = [f"failed: {line}" for line in self.failed_lines]
        return "\n".join([table, "", *self.notes, *failed, self.signature])

    def json_fields(self) -> dict[str, Any]:
        """Return the standings, all scores, and failed runs."""
        return {
            "metric": self.board.metric,
            "failed": self.policy,
            "ranking": self.table.to_dicts(),
            "rows": self.cells.to_dicts(),
            "runs": dict(self.runs),
            "failures": [
                {"treebank": code, "system": team, "reason": reason} for (code, team), reason in self.failures.items()
            ],
            "notes": self.notes,
        }


_POLICIES = {
    "zero": "their scores count as 0",
    "leave-out": "they are left out, and averages estimated from the other scores of team and treebank",
}


def submitted_board(
    scores: SubmissionScores,
    metric: str,
    metadata: Any = None,
    *,
    zero: bool,
    others: Mapping[str, Mapping[str, float]] | None = None,
) -> Leaderboard:
    """Return the scores of teams; runs that failed count 0, or are missing.

    Teams and treebanks without any score are left out. `others` have scores by treebank that were
    not computed here.
    """
    others = others or {}
    if twice := others.keys() & {*scores.teams}:
        raise TreegaugeError(f"found a team of the name {min(twice)!r}, which published scores have; rename it")
    cells = [
        [scores.f1(code, team, metric, 0.0 if zero else math.nan) for code in scores.treebanks] for team in scores.teams
    ]
    cells += [[own[code] for code in scores.treebanks] for own in others.values()]
    names = (*scores.teams, *others)
    values = np.array(cells, dtype=np.float64)
    known = ~np.isnan(values)
    rows, columns = np.flatnonzero(known.any(axis=1)), np.flatnonzero(known.any(axis=0))
    teams, treebanks = [names[i] for i in rows], [scores.treebanks[i] for i in columns]
    kept = {*teams, *treebanks}
    left_out = [name for name in (*scores.teams, *scores.treebanks) if name not in kept]
    if left_out:
        note(f"left out, because they have no score: {', '.join(left_out)}")
    return Leaderboard.of(
        metric_label(metric, scores.options.convention), teams, treebanks,
        values[np.ix_(rows, columns)][None], describe(treebanks, metadata, {}),
        source="submissions", dropped=tuple(left_out),
    )  # fmt: skip


def testable(board: Leaderboard) -> bool:
    """Return whether there are three teams, no gaps, and enough treebanks for a pair to differ."""
    systems, treebanks = board.values.shape
    pairs = systems * (systems - 1) / 2
    return systems > 2 and not board.gaps and pairs * 2.0 ** (1 - treebanks) <= LEVEL


def standings(
    board: Leaderboard,
    scores: SubmissionScores,
    metric: str,
    policy: str,
    *,
    subsets: int,
    seed: int,
    workers: int | None,
) -> Standings:
    """Rank the teams of a leaderboard by their mean scores; see :class:`Standings`."""
    size = usual_size(len(board.treebanks))
    drawn = stability(board, size=size, subsets=subsets, seed=seed, workers=workers)
    codes = families_of(board) if len(board.systems) > 1 else None
    sets = None if codes is None else rank_sets(advantages(board, codes))
    groups = critical_difference(board, method="wilcoxon-holm") if testable(board) else None
    failures = scores.failures
    choices = scores.signature.partition("|")[2]
    signature = f"{countersign(drawn.signature, failed=policy if failures else None)}|{choices}"
    return Standings(
        board, scores.table(0.0 if policy == "zero" else None), failures, policy,
        {team: scores.interval(team, metric) for team in scores.teams}, drawn, sets, groups,
        scores.new, signature, {team: scores.rule(team) for team in scores.teams},
        unit_notes=tuple(scores.fallbacks),
    )  # fmt: skip
