"""Rank systems over subsets of treebanks, to see whether the leaderboard is stable."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import progress
from treegauge.core.verbs import verb_with
from treegauge.ranking.compare import compare
from treegauge.ranking.exact import Exact, exact_ranks
from treegauge.ranking.leaderboard import Ties
from treegauge.ranking.outliers import outliers
from treegauge.ranking.reading import READING, LeaderboardReading, leaderboard_of
from treegauge.ranking.sampler import Constraint, usual_size
from treegauge.ranking.stability import Stability, stability
from treegauge.ranking.strengths import advantages, best_system, families_of, rank_sets
from treegauge.ranking.subsets import restrict, subsets


@verb_with(compare=compare, outliers=outliers, subsets=subsets)
def rank(
    *scores: Any,
    size: int | str | None = None,
    samples: int = 1_000_000,
    exact: bool = False,
    constraint: Sequence[str | Constraint] = (),
    subset: str | None = None,
    ties: Ties = "average",
    seed: int = 0,
    workers: int | None = None,
    all: bool = False,
    reading: LeaderboardReading = READING,
) -> Stability | Exact:
    """Rank systems over subsets of treebanks, to see whether the leaderboard is stable.

    Every subset ranks the systems by their mean score. The result has each system's rank over all
    treebanks with the 95 % confidence set of that rank (which ranks it could have on other
    treebanks of these families), and its best, worst, mean and median rank over the subsets.

    Parameters
    ----------
    scores
        conll18, tables of scores (CSV, TSV, Parquet, JSON of score or results), stores, frames,
        results of score, leaderboards. Several are joined.
    size
        Treebanks per subset: 10, 5-20, 5,10,20 or all; default: 10, or half of ten treebanks or
        fewer.
    samples
        How many random subsets.
    exact
        Count over all subsets instead of drawing some.
    constraint
        Bound subsets: language:1, genus=Slavic:2, resource:stratified; repeatable.
    subset
        Only these treebanks: a named subset (such as Ma18) or codes with commas.
    ties
        Rank of systems with equal means.
    seed
        Same seed, same result.
    workers
        Threads; the result does not depend on them. Default: as many as there are processors.
    all
        Show quartiles and standard deviations of the ranks, too.

    Examples
    --------
    >>> ranks = rank("conll18", samples=20_000)
    >>> ranks.table.select("system", "best", "worst").row(0)
    ('HIT-SCIR', 1.0, 6.0)
    """
    board = restrict(leaderboard_of(scores, reading), subset, missing=reading.missing)
    size = usual_size(len(board.treebanks)) if size is None else size
    if exact:
        if constraint:
            raise TreegaugeError(
                "exact counts all subsets and takes no constraint; leave one of them out"
            )
        pairs = len(board.systems) * (len(board.systems) - 1) // 2
        with progress("pairs", pairs) as task:
            return exact_ranks(board, size=size, ties=ties, workers=workers, progress=task.advance)
    with progress("subsets", samples) as task:
        ranks = stability(
            board, size=size, samples=samples, seed=seed, constraints=constraint, ties=ties,
            workers=workers, progress=task.advance,
        )  # fmt: skip
    codes = families_of(board)
    if codes is None or len(board.systems) < 2:
        return replace(ranks, all_columns=all)
    sets = rank_sets(advantages(board, codes))
    return replace(ranks, all_columns=all, sets=sets, winner=best_system(board, codes))
