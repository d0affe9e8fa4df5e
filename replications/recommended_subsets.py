"""Does a recommended subset rank unseen systems better than a random one? By metric and size.

Run ``python -m replications.recommended_subsets [METRIC ...]``. Beside what
:func:`treegauge.ranking.recommend.recommend` does (choose the objective by an inner
cross-validation), every objective is tried on its own, and so is climbing Kendall's tau itself.
"""

import sys

import numpy as np
import polars as pl
from numpy.typing import NDArray

from treegauge.data import conll18
from treegauge.ranking._room import room_of
from treegauge.ranking._selection import OBJECTIVES, Problem, folds_of, row_means
from treegauge.ranking.recommend import recommend
from treegauge.ranking.scores import Scores, read_scores

SIZES = (5, 10, 20)
FOLDS, REPEATS, STARTS = 5, 10, 10


def climb_tau(
    problem: Problem, rows: NDArray[np.int64], orders: NDArray[np.int64], size: int
) -> NDArray[np.int64]:
    """Exchange treebanks as long as the ranking of some systems gets closer to their full one."""
    numbers = problem.numbers[rows]
    upper = np.triu_indices(len(rows), 1)
    full = np.sign(numbers.sum(axis=1)[upper[0]] - numbers.sum(axis=1)[upper[1]])
    best, found = -1.0, orders[0][:size]
    for order in orders:
        inside, outside = order[:size].copy(), order[size:].copy()
        reached = -1.0
        while True:
            sums = numbers[:, inside].sum(axis=1)[:, None, None]
            tried = sums - numbers[:, inside][:, :, None] + numbers[:, outside][:, None, :]
            tau = (np.sign(tried[upper[0]] - tried[upper[1]]) * full[:, None, None]).mean(axis=0)
            at = np.unravel_index(tau.argmax(), tau.shape)
            if tau[at] <= reached:
                break
            reached = float(tau[at])
            inside[at[0]], outside[at[1]] = outside[at[1]], inside[at[0]]
        if reached > best:
            best, found = reached, inside
    return found


def alone(scores: Scores, size: int) -> dict[str, float]:
    """Return the held-out margin of every objective on its own."""
    rng = np.random.default_rng(0)
    room = room_of(scores, size)
    drawn = room.orders(1000, rng)
    problem = Problem(scores, room, drawn)
    chance = np.mean([problem.concordance(columns) for columns in drawn[:, :size]], axis=0)
    margins: dict[str, list[float]] = {name: [] for name in [*OBJECTIVES, "tau"]}
    for rest, held in folds_of(np.arange(len(scores.systems)), FOLDS, REPEATS, rng):
        orders = problem.starts(STARTS, rng)
        for name, found in margins.items():
            columns = (
                climb_tau(problem, rest, orders[: STARTS // 2], size)
                if name == "tau"
                else problem.best(rest, name, orders)
            )
            gained = row_means(problem.concordance(columns)[held]) - row_means(chance[held])
            found.extend(gained.tolist())
    return {name: float(np.mean(found)) for name, found in margins.items()}


def main() -> None:
    """Print one row per metric and size, then the means."""
    rows = []
    for metric in sys.argv[1:] or conll18()["metric"].unique().sort().to_list():
        scores = read_scores("conll18", metric=metric)
        for size in SIZES:
            judged = recommend(scores, size, folds=FOLDS, repeats=REPEATS).held_out
            rows.append(
                {
                    "metric": metric,
                    "size": size,
                    "held out": judged.agreement,
                    "random": judged.random_mean,
                    "margin": judged.margin,
                    "low": judged.low,
                    "high": judged.high,
                    "beaten": judged.beaten,
                    "both new": judged.both_new - judged.both_new_random,
                    **alone(scores, size),
                }
            )
            print(rows[-1], flush=True)
    frame = pl.DataFrame(rows)
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=220, float_precision=3):
        print(frame)
        print(frame.group_by("size").mean().sort("size").drop("metric"))
        print(frame.mean().drop("metric", "size"))


if __name__ == "__main__":
    main()
