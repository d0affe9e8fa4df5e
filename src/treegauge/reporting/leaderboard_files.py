"""The files of a leaderboard: the page, and tables for papers and programs."""

import os
from collections.abc import Iterable
from pathlib import Path

from treegauge.core.errors import TreegaugeError
from treegauge.core.files import atomic, whole_folder
from treegauge.core.messages import note
from treegauge.core.result import RowsResult
from treegauge.core.text_formats import to_csv_text
from treegauge.core.verbs import command
from treegauge.ranking.reading import Missing
from treegauge.ranking.standings import Standings
from treegauge.reporting.page.methods import make_method
from treegauge.reporting.page.page import Section, page
from treegauge.reporting.sections.ranking import RankedTable, ranking_section

PAGE, SCORES, RANKING = "index.html", "scores.csv", "ranking.csv"
TABLES = ("leaderboard.json", "leaderboard.tex", "leaderboard.md")
CELLS = "cells"
"""The folder of scores that the next run reuses."""


class FailedRuns(RowsResult):
    """Runs without a score, and why."""

    kind = "failed runs"


def output_folder(
    out: str | os.PathLike[str] | None, gold: str | os.PathLike[str], homes: Iterable[Path]
) -> Path | None:
    """Return the folder to write; refuse a folder of inputs, or one with other files."""
    if out is None:
        return None
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise TreegaugeError(f"{folder} is a file; expected a folder to write")
    whole = folder.resolve()
    inside = any(home.resolve() in {whole, *whole.parents} for home in homes)
    if inside or whole == Path(gold).resolve():
        raise TreegaugeError(
            f"{folder} is among the inputs and would be read as one of them; choose another folder with --out"
        )
    ours = [name for name in (PAGE, SCORES, RANKING, *TABLES) if (folder / name).exists()]
    if ours and not (folder / CELLS).is_dir():
        raise TreegaugeError(
            f"{folder / ours[0]} would be overwritten, and this folder has no leaderboard "
            "of treegauge; choose another with --out"
        )
    return folder


def write_leaderboard(ranked: Standings, folder: Path, title: str) -> None:
    """Write all files, or none."""
    sections = [standings_section(ranked)]
    board = ranked.board
    whole = [name for name in board.systems if name not in {team for _, team in ranked.failures}]
    missing: Missing | None = None
    if board.gaps and len(whole) > 1:
        board, missing = board.select(systems=whole), "drop-system"
        note(f"the page ranks {len(whole)} teams without gaps over subsets")
    if not board.gaps and len(board.systems) > 1 and len(board.treebanks) > 1:
        failed = {(team, code) for code, team in ranked.failures}
        table = RankedTable(board, [SCORES], missing, name=title, intervals=ranked.intervals, failed=failed)
        sections.append(ranking_section(table, subsets=ranked.subsets.samples))
    introduction = (
        f"{len(ranked.board.systems)} teams on {len(ranked.board.treebanks)} treebanks. In the "
        f"same folder: {SCORES} (all metrics), {RANKING}, {', '.join(TABLES)}."
    )
    made = page(title, introduction, sections).encode()
    with whole_folder(folder):
        for name in (SCORES, *TABLES):
            ranked.save(folder / name)
        with atomic(folder / RANKING) as file:
            file.write(to_csv_text(ranked.table).encode())
        with atomic(folder / PAGE) as file:
            file.write(made)


def standings_section(ranked: Standings) -> Section:
    """Return the section with the standings and the scores by treebank."""
    from treegauge.reporting.leaderboard import leaderboard

    metric, best = ranked.board.metric, ranked.order[0]
    means = ranked.table["score"].to_list()
    text = f"Teams by mean {metric} over treebanks (macro average), and their scores on each treebank."
    short = [f"{best} leads with a mean {metric} of {means[0]:.2f}."]
    if ranked.failures:
        short.append(f"Failed or missing runs: {len(ranked.failures)}.")
    failed = FailedRuns(
        [{"team": team, "treebank": code, "why": why} for (code, team), why in ranked.failures.items()],
        ranked.signature,
    )
    folded = [("Failed and missing runs", failed)] if ranked.failures else []
    shown = [("Standings", ranked), (f"{metric} by treebank", ranked.by_treebank())]
    policy = None if ranked.policy == "zero" else ranked.policy
    made = command(leaderboard, "GOLD", "SUBMISSIONS", metric=metric, failed=policy)
    method = make_method("standings", ranked.signature, made, subsets=ranked.subsets.subsets_text)
    return Section(
        "leaderboard", "Leaderboard", text, tables=folded, methods=[method], short=short, shown=shown, view="overview"
    )
