"""Rank systems over subsets of treebanks, to see whether the leaderboard is stable."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import progress
from treegauge.core.verbs import verb
from treegauge.ranking.comparing.compare import compare
from treegauge.ranking.comparing.strengths import advantages, best_system, families_of, rank_sets
from treegauge.ranking.rules.rule_ranks import SAMPLES, RuleRanks, rule_ranks
from treegauge.ranking.rules.rules import rules_of
from treegauge.ranking.stability.constraints import Constraint
from treegauge.ranking.stability.exact import Exact, exact_ranks
from treegauge.ranking.stability.outliers import outliers
from treegauge.ranking.stability.sampler import usual_size
from treegauge.ranking.stability.stability import Stability, sample_count, stability
from treegauge.ranking.stability.subsets import restrict, subsets
from treegauge.ranking.tables.leaderboard import Ties
from treegauge.ranking.tables.reading import READING, LeaderboardReading, leaderboard_of

RuleOrAll = Literal["mean", "median", "error-reduction", "borda", "kemeny", "bradley-terry", "all"]


@verb(subverbs={"compare": compare, "outliers": outliers, "subsets": subsets})
def rank(
    *scores: Any,
    size: int | str | None = None,
    samples: int | None = None,
    exact: bool = False,
    rule: Sequence[RuleOrAll] = (),
    constraint: Sequence[str | Constraint] = (),
    subset: str | None = None,
    ties: Ties = "average",
    seed: int = 0,
    workers: int | None = None,
    all: bool = False,
    reading: LeaderboardReading = READING,
) -> Stability | Exact | RuleRanks:
    """Rank systems over subsets of treebanks, to see whether the leaderboard is stable.

    Ranks the systems on every subset by their mean score, or by other rules. The result has each
    system's rank over all treebanks with its 95 % confidence set (the ranks that it could have on
    other treebanks of these families), and its best, worst, mean and median rank over the subsets.

    Parameters
    ----------
    scores
        conll18, tables of scores (CSV, TSV, Parquet, JSON of score or results), stores, frames,
        results of score, leaderboards. Several are joined.
    size
        Treebanks per subset: 10, 5-20, 5,10,20 or all. Default: 10, or half of the treebanks if
        there are ten or fewer.
    samples
        The number of random subsets; default: 1,000,000, or 1,000 with a rule. If there are no
        more subsets than that (or than 1,000,000 without a rule), all are counted instead.
    exact
        Count mean ranks and pairs over all subsets, however many there are.
    rule
        Rank by this rule instead: mean, median, error-reduction (mean error reduction), borda,
        kemeny, bradley-terry, or all of them side by side; repeatable.
    constraint
        Constraint on subsets: language:1, genus=Slavic:2, resource:stratified; repeatable.
    subset
        Only these treebanks: a named subset (such as Ma18) or codes separated by commas.
    ties
        Rank of systems with equal means.
    seed
        Random seed; the same seed gives the same result.
    workers
        Threads; the result does not depend on them. Default: the number of processors.
    all
        Also show quartiles and standard deviations of the ranks.

    Examples
    --------
    >>> ranks = rank("conll18", samples=20_000)
    >>> ranks.table.select("system", "best", "worst").row(0)
    ('HIT-SCIR', 1.0, 6.0)
    """
    board = leaderboard_of(scores, reading, gaps=True)
    board = restrict(board, subset, missing=reading.missing)
    size = usual_size(len(board.treebanks)) if size is None else size
    if exact:
        if constraint or rule:
            raise TreegaugeError(
                "exact counts all subsets by mean score and takes no constraint and no rule; leave one of them out"
            )
        pairs = len(board.systems) * (len(board.systems) - 1) // 2
        with progress("pairs", pairs) as task:
            return exact_ranks(board, size=size, ties=ties, workers=workers, progress=task.advance)
    if rule:
        drawn = SAMPLES if samples is None else samples
        number = sample_count(board, size, drawn, constraint, few=0)
        with progress("subsets", number) as task:
            return rule_ranks(
                board, rules_of(rule), size=size, samples=drawn, seed=seed, constraints=constraint,
                ties=ties, workers=workers, progress=task.advance,
            )  # fmt: skip
    samples = 1_000_000 if samples is None else samples
    with progress("subsets", sample_count(board, size, samples, constraint)) as task:
        ranks = stability(
            board, size=size, samples=samples, seed=seed, constraints=constraint, ties=ties,
            workers=workers, progress=task.advance,
        )  # fmt: skip
    codes = families_of(board)
    if codes is None or len(board.systems) < 2:
        return replace(ranks, all_columns=all)
    sets = rank_sets(advantages(board, codes))
    return replace(ranks, all_columns=all, sets=sets, winner=best_system(board, codes))
