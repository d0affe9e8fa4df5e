"""Rank systems over subsets of treebanks, to see whether the leaderboard is stable."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from treegauge.core.arguments import check_between
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.messages import progress
from treegauge.core.result import countersign
from treegauge.core.verbs import verb
from treegauge.ranking.compare import compare
from treegauge.ranking.leaderboard import Leaderboard, Ranks
from treegauge.ranking.reading import READING, LeaderboardReading, leaderboard_of
from treegauge.ranking.stability.exact_win_rates import exact_ranks
from treegauge.ranking.stability.named_subsets import Constraint, average_subsets, restrict
from treegauge.ranking.stability.outliers import outliers
from treegauge.ranking.stability.sampler import usual_size
from treegauge.ranking.stability.win_rates import sample_count, stability
from treegauge.ranking.strengths import advantages, best_system, families_of, rank_sets
from treegauge.statistics.units import GENUS

MOST_SUBSETS = 10**8


@verb(subverbs={"compare": compare, "outliers": outliers})
def rank(
    *scores: Any,
    size: int | str | None = None,
    subsets: int | str | None = None,
    constraint: Sequence[str | Constraint] = (),
    treebanks: Sequence[str] = (),
    seed: int = 0,
    workers: int | None = None,
    reading: LeaderboardReading = READING,
) -> Ranks:
    """Rank systems over subsets of treebanks, to see whether the leaderboard is stable.

    Ranks the systems on every subset by their mean score. The result has each system's rank over
    all treebanks with its 95 % confidence set (the ranks that it could have on other treebanks of
    these families), and its best, worst, mean and median rank over the subsets.

    Parameters
    ----------
    scores
        conll18, tables of scores (CSV, TSV, Parquet, JSON of score or results), stores, frames,
        results of score, leaderboards. Several are joined; tables besides conll18 add systems on
        its treebanks.
    size
        Treebanks per subset: 10, 5-20, 5,10,20 or all. Default: 10, or half of the treebanks if
        there are ten or fewer.
    subsets
        The number of random subsets; default: 1,000,000. If there are no more than that, or than
        1,000,000, all are counted instead. all: count mean ranks and pairs over all subsets,
        however many there are. named: average over the subsets that eight papers used, or those
        given as treebanks, with error reductions.
    constraint
        Constraint on subsets: language:1, genus=Slavic:2, resource:stratified; repeatable.
    treebanks
        Only these treebanks: a named subset (such as Ma18) or codes separated by commas. With
        --subsets named, also one's own subsets, as NAME=CODE,CODE; repeatable.
    workers
        Threads; the result does not depend on them. Default: the number of processors.

    Examples
    --------
    >>> ranks = rank("conll18", subsets=20_000)
    >>> ranks.table.select("system", "best", "worst").row(0)
    ('HIT-SCIR', 1.0, 6.0)
    """
    if subsets not in {None, "all", "named"}:
        if not str(subsets).isdecimal():
            raise ChoiceError("subsets", str(subsets), ["a whole number", "all", "named"])
        subsets = int(subsets or 0)
        check_between("subsets", subsets, 1, MOST_SUBSETS)
    if isinstance(subsets, str) and constraint:
        raise TreegaugeError(f"subsets {subsets}: takes no constraint; leave one of them out")
    board = leaderboard_of(scores, reading, gaps=subsets != "named")
    if subsets == "named":
        return average_subsets(board, treebanks)
    board = restrict(board, treebanks, missing=reading.missing)
    size = usual_size(len(board.treebanks)) if size is None else size
    if subsets == "all":
        pairs = len(board.systems) * (len(board.systems) - 1) // 2
        with progress("pairs", pairs) as task:
            return exact_ranks(board, size=size, workers=workers, progress=task.advance)
    number = int(subsets or 1_000_000)
    how: dict[str, Any] = {"size": size, "subsets": number, "seed": seed, "constraints": constraint}
    with progress("subsets", sample_count(board, size, number, constraint)) as task:
        ranks = stability(board, workers=workers, progress=task.advance, **how)
    return replace(ranks, **_inference(board, ranks.signature))


def _inference(board: Leaderboard, signature: str) -> dict[str, Any]:
    """Return confidence sets of ranks and the lead of the best system, if treebanks are enough."""
    codes = families_of(board)
    if codes is None or len(board.systems) < 2:
        return {}
    return {
        "sets": rank_sets(advantages(board, codes)),
        "winner": best_system(board, codes),
        "signature": countersign(signature, units=GENUS),
    }
