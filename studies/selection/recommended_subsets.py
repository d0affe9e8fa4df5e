"""Does a recommended subset rank new systems better than a random one? By metric and size.

Run ``python -m studies.selection.recommended_subsets [METRIC ...]``. As well as what
:func:`treegauge.ranking.recommend.recommend` does (choose by an inner cross-validation how much the
squared error counts), fixed weights are tried: the order alone, each weight, the error alone. All
figures are of pairs of systems of which neither took part in choosing.
"""

import sys

import numpy as np
import polars as pl

from treegauge.data import conll18
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.recommend import recommend
from treegauge.ranking.selection import WEIGHTS, SubsetSearch, demands_of, repeated_folds

SIZES = (5, 10, 20)
FOLDS, REPEATS, STARTS = 5, 10, 8
FIXED = {"order": 0.0, **{f"{weight:g}": weight for weight in WEIGHTS}, "error": 1e6}


def alone(scores: Leaderboard, size: int) -> dict[str, float]:
    """Return the margin of every fixed weight, in pairs of new systems."""
    rng = np.random.default_rng(0)
    room = demands_of(scores, size)
    drawn = room.orders(1000, rng)
    problem = SubsetSearch(scores, room, drawn)
    chance = np.mean([problem.concordance(columns) for columns in drawn[:, :size]], axis=0)
    margins: dict[str, list[float]] = {name: [] for name in FIXED}
    for rest, held in repeated_folds(np.arange(len(scores.systems)), FOLDS, REPEATS, rng):
        orders = problem.starts(STARTS, rng)
        for name, found in margins.items():
            gains = problem.concordance(problem.best(rest, FIXED[name], orders)) - chance
            found.extend(gains[held][:, held][~np.isnan(gains[held][:, held])].tolist())
    return {name: float(np.mean(found)) for name, found in margins.items()}


def main() -> None:
    """Print one row per metric and size, then the means."""
    rows = []
    for metric in sys.argv[1:] or conll18()["metric"].unique().sort().to_list():
        scores = read_leaderboard("conll18", metric=metric)
        for size in SIZES:
            made = recommend(scores, size=size, repeats=REPEATS)
            judged = made.held_out
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
                    **alone(scores, size),
                }
            )
            print(rows[-1], flush=True)
    frame = pl.DataFrame(rows)
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=220, float_precision=3):
        print(frame)
        print(frame.drop("metric").group_by("size").mean().sort("size"))


if __name__ == "__main__":
    main()
