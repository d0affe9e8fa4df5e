"""The verb ``leaderboard``: from gold files and a folder per team to a page to publish."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from treegauge.core.conditions import frame_where
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.file_kinds import FOLDER
from treegauge.core.lazy import pl
from treegauge.core.messages import note
from treegauge.core.result import countersign
from treegauge.core.verbs import command, verb
from treegauge.scoring.metrics.convention import Convention, metric_and_convention
from treegauge.scoring.settings import Reading

if TYPE_CHECKING:
    from treegauge.ranking.reading import Missing
    from treegauge.ranking.standings import Standings
    from treegauge.reporting.page import Section
    from treegauge.scoring.submissions import SubmissionScores

PAGE, SCORES, RANKING = "index.html", "scores.csv", "ranking.csv"
TABLES = ("leaderboard.json", "leaderboard.tex", "leaderboard.md")
TEAMS = "teams"
"""The folder of a report for each team."""
CELLS = "cells"
"""The folder of scores that the next run reuses."""


PUBLISHED = "published"
"""The word among submissions that adds what makers of parsers published."""


@verb(outputs={"out": FOLDER}, limits={"subsets": (1, 10**8)}, spelled={"--with": ()})
def leaderboard(
    gold: str | PathLike[str],
    *submissions: str | PathLike[str] | Mapping[str, Any],
    out: str | PathLike[str] | None = "leaderboard",
    metric: str = "LAS",
    split: Literal["train", "dev", "test"] | None = None,
    common: bool = False,
    where: Sequence[str] = (),
    deadline: str | None = None,
    units: Literal["auto", "documents", "sentences"] = "auto",
    failed: Literal["zero", "leave-out", "refuse"] = "zero",
    title: str = "Leaderboard",
    metadata: "str | PathLike[str] | pl.DataFrame | None" = None,
    subsets: int = 100_000,
    seed: int = 0,
    workers: int | None = None,
    convention: str | Convention = "official",
    reading: Reading = Reading(),
) -> "Standings":
    """Score every team on every treebank, rank the teams, and write a page and tables.

    A second run scores only what is new or has changed. Outputs are matched with gold files by file
    name, treebank code, treebank name or text.

    Parameters
    ----------
    gold
        A folder of gold files or of treebank folders.
    *submissions
        A folder that has one folder of output per team, or single teams as NAME=PATH, where PATH is
        a file or a folder, or stores. Repeat a NAME for several runs of one team, or put a folder
        per run in the team's folder; the mean over runs counts, or the run that the team's
        primary.txt names. published (or --with published) adds the scores that makers of parsers
        published, marked as such, if gold is test sets of one UD release (r2.5/UD_Greek-GDT): those
        with the input that all teams had. In Python also mappings from teams to paths.
    out
        The folder to write: index.html, the tables, teams/ with a report for each team, and the
        scores that the next run reuses. In Python, None writes nothing.
    metric
        The metric by which teams are ranked. ELAS and EULAS score enhanced dependencies, too.
    split
        Score only gold files of this split. Default: test if file names say so, else all files.
    common
        Score only treebanks for which every team has output.
    where
        A condition on what is known of treebanks, such as genus=Slavic or 'tokens >= 30000':
        treebank and the columns of metadata; several must all hold.
    deadline
        The time until which output counts, such as 2026-05-01 or 2026-05-01T12:00+02:00 (UTC if no
        zone is given; a date ends at midnight). Files that changed later are failed runs.
    units
        Units of intervals: documents, sentences, or auto (documents if gold has "# newdoc"
        comments, else sentences).
    failed
        How to treat failed or missing runs. zero: their scores count as 0, as in the shared task;
        leave-out: estimate averages from the other scores of team and treebank; refuse: stop and
        list them.
    title
        The title of the page.
    metadata
        Table with a column treebank or name and any of language, tokens, family, stock, genus and
        resource. Languages and genera are known from names, and all columns for treebanks of the
        CoNLL 2018 shared task.
    subsets
        The number of random subsets of treebanks.
    workers
        Threads; the result does not depend on them. Default: the number of processors.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import treegauge as tg
    >>> home = Path(tempfile.mkdtemp())
    >>> for seed, code in enumerate(("el_gdt", "te_mtg")):
    ...     for team in ("gold", "teams/one", "teams/two"):
    ...         (home / team).mkdir(parents=True, exist_ok=True)
    ...         tg.write_conllu(tg.synthetic(30, seed=seed), home / team / f"{code}.conllu")
    >>> ranks = leaderboard(home / "gold", home / "teams", out=home / "out", subsets=100)
    >>> ranks.table.select("rank", "system", "score").rows()
    [(1.5, 'one', 100.0), (1.5, 'two', 100.0)]
    >>> ranks.scored, leaderboard(home / "gold", home / "teams", out=home / "out").scored
    (2, 0)

    Both teams have the same files here, which are scored once.
    """
    from treegauge.ranking.metadata import describe
    from treegauge.ranking.standings import standings as rank_teams
    from treegauge.ranking.standings import submitted_board
    from treegauge.scoring.metrics.registry import ENHANCED, canonical
    from treegauge.scoring.settings import ScoreOptions
    from treegauge.scoring.submissions import find_submissions, score_submissions, without_late

    policies = ("zero", "leave-out", "refuse")
    if failed not in policies:
        raise ChoiceError("policy for failed runs", failed, policies)
    metric, convention = metric_and_convention(metric, convention)
    name = canonical(metric)
    options = ScoreOptions(**vars(reading), convention=convention, enhanced=name in ENHANCED, units=units)
    if name not in options.metrics:
        raise ChoiceError("metric", metric, options.metrics)
    teams = [one for one in submissions if not (isinstance(one, str) and one == PUBLISHED)]
    files, homes = find_submissions(gold, teams, split, common=common)
    if where:
        known = frame_where(describe(list(files.gold), metadata, {}), "treebanks", where)["treebank"].to_list()
        files = files.only(known)
    if deadline is not None:
        files = without_late(files, deadline)
    folder = output_folder(out, gold, homes)
    cache = None if folder is None else folder / "cells"
    scores = score_submissions(files, options, cache=cache, workers=workers)
    choices = {"where": " and ".join(where) or None, "common": common or None, "deadline": deadline}
    choices |= {"with": PUBLISHED if len(teams) < len(submissions) else None}
    scores = scores._replace(signature=countersign(scores.signature, **choices))
    note(f"outputs: {scores.new} scored now, {scores.known} scored before")
    if failed == "refuse":
        scores.refuse_failures()
    others = None if len(teams) == len(submissions) else published_rows(scores, name)
    board = submitted_board(scores, name, metadata, zero=failed == "zero", others=others)
    ranked = rank_teams(board, scores, name, failed, subsets=subsets, seed=seed, workers=workers)
    if folder is not None:
        write_leaderboard(ranked, folder, title, scores, name)
    return ranked


def published_rows(scores: "SubmissionScores", metric: str) -> "dict[str, dict[str, float]]":
    """Return the published scores on all treebanks, by system marked as published, with the teams' kind of input."""
    from treegauge.treebanks.published import input_of, published_test

    if scores.options.convention.name != "official":
        raise TreegaugeError("published scores are under the official convention; leave out --convention")
    test = published_test(scores.files.gold)
    inputs: dict[str, list[str]] = {}
    for team in scores.teams:
        cells = (scores.cells[code, team] for code in scores.treebanks)
        metrics = [{name: one.f1 for name, one in cell.metrics.items()} for cell in cells if cell.metrics]
        if metrics:
            inputs.setdefault(input_of(metrics), []).append(team)
    if len(inputs) != 1:
        found = "; ".join(f"{given}: {', '.join(teams)}" for given, teams in inputs.items()) or "no scores"
        raise TreegaugeError(f"--with published: found teams with different input ({found}), expected one for all")
    (given,) = inputs
    whole, partial = test.systems(given, metric)
    if partial:
        note(f"published, but not on all of these treebanks: {', '.join(partial)}")
    if not whole:
        raise TreegaugeError(
            f"--with published: no {metric} with {given} on all of these treebanks of UD {test.release}"
        )
    return {f"{label} (published)": dict(zip(test.names, values, strict=True)) for label, values in whole.items()}


def output_folder(out: str | PathLike[str] | None, gold: str | PathLike[str], homes: Iterable[Path]) -> Path | None:
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


def write_leaderboard(ranked: "Standings", folder: Path, title: str, scores: "SubmissionScores", metric: str) -> None:
    """Write all files, or none."""
    from treegauge.core.files import atomic, new_folder, whole_folder
    from treegauge.core.text_formats import to_csv_text
    from treegauge.reporting.page import page
    from treegauge.reporting.sections.ranking import RankedTable, ranking_section
    from treegauge.reporting.team import report_names, team_report

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
        f"same folder: {SCORES} (all metrics), {RANKING}, {', '.join(TABLES)}, {TEAMS} (a report for each team)."
    )
    made = page(title, introduction, sections).encode()
    texts: dict[str, str] = {}
    for team, stem in report_names(scores.teams).items():
        html, markdown = team_report(ranked, scores, metric, team, title)
        texts |= {f"{stem}.html": html, f"{stem}.md": markdown}
    with whole_folder(folder), new_folder(folder / TEAMS):
        for name in (SCORES, *TABLES):
            ranked.save(folder / name)
        with atomic(folder / RANKING) as file:
            file.write(to_csv_text(ranked.table).encode())
        with atomic(folder / PAGE) as file:
            file.write(made)
        for name, text in texts.items():
            with atomic(folder / TEAMS / name, own=True) as file:
                file.write(text.encode())
        for old in (folder / TEAMS).iterdir():  # of teams that are no longer there
            if old.suffix in {".html", ".md"} and old.name not in texts:
                old.unlink()


def standings_section(ranked: "Standings") -> "Section":
    """Return the section with the standings and the scores by treebank."""
    from treegauge.reporting.methods import make_method
    from treegauge.reporting.page import Section
    from treegauge.reporting.team import TeamTable

    metric, best = ranked.board.metric, ranked.order[0]
    means = ranked.table["score"].to_list()
    text = f"Teams by mean {metric} over treebanks (macro average), and their scores on each treebank."
    short = [f"{best} leads with a mean {metric} of {means[0]:.2f}."]
    if ranked.failures:
        short.append(f"Failed or missing runs: {len(ranked.failures)}.")
    failed = TeamTable(
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
