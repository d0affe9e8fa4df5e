"""The verb ``leaderboard``: from gold files and a folder per team to a page to publish."""

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from treegauge.core.file_kinds import FOLDER
from treegauge.core.verbs import verb
from treegauge.scoring.metrics.convention import Convention, metric_and_convention
from treegauge.scoring.settings import Reading

if TYPE_CHECKING:
    import polars as pl

    from treegauge.ranking.standings import Standings


@verb(outputs={"out": FOLDER}, limits={"subsets": (1, 10**8)})
def leaderboard(
    gold: str | PathLike[str],
    *submissions: str | PathLike[str] | Mapping[str, Any],
    out: str | PathLike[str] | None = "leaderboard",
    metric: str = "LAS",
    split: Literal["train", "dev", "test"] | None = None,
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
        a file or a folder. In Python also mappings from teams to paths.
    out
        The folder to write: index.html, the tables, and the scores that the next run reuses. In
        Python, None writes nothing.
    metric
        The metric by which teams are ranked. ELAS and EULAS score enhanced dependencies, too.
    split
        Score only gold files of this split. Default: test if file names say so, else all files.
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
    seed
        Random seed; the same seed gives the same result.
    workers
        Threads; the result does not depend on them. Default: the number of processors.
    convention
        What counts: official (CoNLL 2018), challenges or no-punct (no punctuation), difficulty or
        subtypes (subtypes compared), or no-punct+subtypes.

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
    from treegauge.core.errors import ChoiceError
    from treegauge.core.messages import note
    from treegauge.ranking.standings import standings as rank_teams
    from treegauge.ranking.standings import submitted_board
    from treegauge.reporting.leaderboard_files import output_folder, write_leaderboard
    from treegauge.scoring.metrics.registry import ENHANCED, canonical
    from treegauge.scoring.metrics.sentence_counts import ScoreOptions
    from treegauge.scoring.systems.submissions import Submissions, score_submissions

    policies = ("zero", "leave-out", "refuse")
    if failed not in policies:
        raise ChoiceError("policy for failed runs", failed, policies)
    metric, convention = metric_and_convention(metric, convention)
    name = canonical(metric)
    options = ScoreOptions(convention, name in ENHANCED)
    if name not in options.metrics:
        raise ChoiceError("metric", metric, options.metrics)
    files = Submissions.find(gold, submissions, split)
    folder = output_folder(out, gold, files.homes)
    cache = None if folder is None else folder / "cells"
    scores = score_submissions(files, options, reading, cache=cache, workers=workers)
    note(f"outputs: {scores.new} scored now, {scores.known} scored before")
    if failed == "refuse":
        scores.refuse_failures()
    board = submitted_board(scores, name, metadata, zero=failed == "zero")
    ranked = rank_teams(board, scores, name, failed, subsets=subsets, seed=seed, workers=workers)
    if folder is not None:
        write_leaderboard(ranked, folder, title)
    return ranked
