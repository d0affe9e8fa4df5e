"""Stability of rankings of the CoNLL 2018 systems by several rules, also with missing scores.

Subsets: every rule ranks the systems on random subsets of treebanks; its ranking is compared with
its own over all treebanks, with its own over the other treebanks, which the subset has no part in,
and with the ranking by mean LAS over the others, the task's own. Gaps: a fifth of the scores is
deleted at random, and the ranking of the rest is compared with that of the whole table.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from studies.parts import Part
from treegauge.data import conll18
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability.sampler import Sampler
from treegauge.ranking.strengths import strengths, votes_of

SIZES, SUBSETS = (5, 10, 20, 40), 1000
USUAL, FEWER = 10, 300
DELETED, DELETIONS = 0.2, 200
THERE = "mean of the scores that are there"
Floats = NDArray[np.float64]

Rule = Literal["mean", "median", "error-reduction", "borda", "bradley-terry"]
RULES: tuple[Rule, ...] = get_args(Rule)


class Ballots(NamedTuple):
    """The data of a leaderboard that rules use: filled scores, error reductions, comparisons.

    `votes` are treebanks x systems x systems; the others systems x treebanks.
    """

    scores: NDArray[np.float64]
    reductions: NDArray[np.float64]
    votes: NDArray[np.float64]

    @classmethod
    def of(cls, board: Leaderboard) -> "Ballots":
        """Return the data of a leaderboard."""
        scores = board.filled
        average = scores.mean(axis=0)
        return cls(scores, 100 * (scores - average) / (100 - average), votes_of(board))

    def points(self, rule: Rule, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return subsets x systems: more is better; `chosen` is subsets x treebanks.

        Sums are rounded to 1e-9, so that equal sums are equal in any order of addition.
        """
        if rule == "bradley-terry":
            return np.round(strengths(self._votes(chosen)), 9)
        if rule == "borda":
            return np.round(borda(self._votes(chosen)), 9)
        if rule == "median":
            medians = [np.median(self.scores[:, row], axis=1) for row in chosen]
            return np.asarray(np.round(medians, 9), dtype=np.float64)
        scores = self.scores if rule == "mean" else self.reductions
        return np.asarray(np.round(chosen @ scores.T / chosen.sum(axis=1, keepdims=True), 9))

    def _votes(self, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        flat = self.votes.reshape(len(self.votes), -1)
        return np.asarray((chosen.astype(np.float64) @ flat).reshape(-1, *self.votes.shape[1:]))


def borda(votes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of comparisons that each system wins, in percent, from (..., row, column).

    Every other system counts the same, however many treebanks there are to compare with it; a
    system that cannot be compared with another counts as its equal.
    """
    games = votes + np.swapaxes(votes, -1, -2)
    share = np.divide(votes, games, out=np.full_like(votes, 0.5), where=games > 0)
    others = max(votes.shape[-1] - 1, 1)
    own = 0.5 * (votes.shape[-1] > 0)  # the diagonal has no games
    return np.asarray(100 * (share.sum(axis=-1) - own) / others)


def ranks_by_row(points: Floats) -> Floats:
    """Return the ranks in each row, 1 for the most points."""
    better = (points[:, None, :] > points[:, :, None]).sum(axis=2)
    equal = (points[:, None, :] == points[:, :, None]).sum(axis=2) - 1
    return np.asarray(1 + better + equal / 2, dtype=np.float64)


def kendall(full: Floats, ranks: Floats) -> Floats:
    """Return tau-b of a ranking with each of many; 1 if all systems tie in both."""
    upper = np.triu_indices(len(full), 1)
    full_signs = np.sign(full[upper[0]] - full[upper[1]])
    signs = np.sign(ranks[:, upper[0]] - ranks[:, upper[1]])
    scale = np.sqrt((full_signs**2).sum() * (signs**2).sum(axis=1))
    tau = np.divide(signs @ full_signs, scale, out=np.ones(len(ranks)), where=scale > 0)
    return np.asarray(tau, dtype=np.float64)


def stability() -> pl.DataFrame:
    """Return one row per size and rule."""
    board = read_leaderboard("conll18")
    ballots = Ballots.of(board)
    every = np.ones((1, len(board.treebanks)), dtype=bool)
    rows = []
    for size in SIZES:
        chosen = Sampler(board, (size,)).block(0)[:, :SUBSETS].T.astype(bool)
        task = ranks_by_row(ballots.points("mean", ~chosen))
        for rule in RULES:
            full = ranks_by_row(ballots.points(rule, every))[0]
            ranks = ranks_by_row(ballots.points(rule, chosen))
            others = ranks_by_row(ballots.points(rule, ~chosen))
            rows.append(
                {
                    "treebanks": size,
                    "rule": rule,
                    "tau": kendall(full, ranks).mean(),
                    "same leader %": 100 * (ranks.argmin(axis=1) == full.argmin()).mean(),
                    "ranks moved": np.abs(ranks - full).mean(),
                    "tau with the others": _each(others, ranks).mean(),
                    "tau with the mean of the others": _each(task, ranks).mean(),
                }
            )
    return pl.DataFrame(rows)


def metrics() -> pl.DataFrame:
    """Return one row per metric: Kendall's tau of each rule's ranking with its own over all."""
    rows = []
    for metric in conll18()["metric"].unique().sort().to_list():
        board = read_leaderboard("conll18", metric=metric)
        ballots = Ballots.of(board)
        every = np.ones((1, len(board.treebanks)), dtype=bool)
        chosen = Sampler(board, (USUAL,)).block(0)[:, :FEWER].T.astype(bool)
        row: dict[str, object] = {"metric": metric}
        for rule in RULES:
            full = ranks_by_row(ballots.points(rule, every))[0]
            ranks = ranks_by_row(ballots.points(rule, chosen))
            row[rule] = float(kendall(full, ranks).mean())
        rows.append(row)
    return pl.DataFrame(rows)


def gaps() -> pl.DataFrame:
    """Return one row per rule: its ranking with gaps against that of the whole table."""
    board = read_leaderboard("conll18")
    every = np.ones((1, len(board.treebanks)), dtype=bool)
    whole = {rule: ranks_by_row(Ballots.of(board).points(rule, every))[0] for rule in RULES}
    found: dict[str, list[Floats]] = {name: [] for name in (*RULES, THERE)}
    random = np.random.default_rng(0)
    number = round(DELETED * board.values.size)
    for _ in range(DELETIONS):
        values = board.values.copy()
        values.ravel()[random.choice(values.size, number, replace=False)] = np.nan
        ballots = Ballots.of(_board(board, values))
        for rule in RULES:
            found[rule].append(ranks_by_row(ballots.points(rule, every))[0])
        found[THERE].append(ranks_by_row(np.nanmean(values, axis=1)[None])[0])
    rows = []
    for name, listed in found.items():
        own: Rule = next((one for one in RULES if one == name), "mean")
        ranks, full = np.array(listed), whole[own]
        tau, moved = kendall(full, ranks), np.abs(ranks - full)
        rows.append(
            {
                "rule": name,
                "tau": tau.mean(),
                "least tau": tau.min(),
                "same leader %": 100 * (ranks.argmin(axis=1) == full.argmin()).mean(),
                "ranks moved": moved.mean(),
                "largest move": moved.max(),
            }
        )
    return pl.DataFrame(rows)


def _each(one: Floats, other: Floats) -> Floats:
    """Return Kendall's tau of each row of one with the same row of the other."""
    pairs = zip(one, other, strict=True)
    return np.array([kendall(first, second[None])[0] for first, second in pairs])


def _board(board: Leaderboard, values: Floats) -> Leaderboard:
    names = board.metric, board.systems, board.treebanks
    return Leaderboard.of(*names, values[None], board.metadata, source=board.source)


PARTS = [
    Part("rules_stability", "Rules of ranking over subsets of treebanks", stability, digits=3),
    Part("rules_metrics", "Rules of ranking over ten treebanks, by metric", metrics, digits=3),
    Part("rules_gaps", "Rules of ranking with a fifth of the scores deleted", gaps, digits=3),
]
