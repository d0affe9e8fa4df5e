r"""Performance profiles and interquartile means of systems, over treebanks and runs.

.. math:: \hat F(\tau) = \frac{1}{S T} \sum_{s, t} [x_{st} > \tau], \qquad
   \text{IQM} = \text{mean of the middle half of all } x_{st}

for a system's scores of S runs on T treebanks (Agarwal et al. 2021, NeurIPS; as in rliable). A mean
depends on the few treebanks where parsers fail, a median on one or two. The interquartile mean
leaves out a quarter at either end. Runs are averaged in neither: a system that sometimes fails shows it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treegauge.core import tables
from treegauge.core.lazy import pl
from treegauge.core.result import countersign
from treegauge.ranking.leaderboard import Leaderboard, SystemComparison, metric_name
from treegauge.ranking.strengths import Jackknifed, families_of
from treegauge.statistics.student_intervals import effective_df, heavy_tailed_df
from treegauge.statistics.units import GENUS, TOO_FEW

Floats = NDArray[np.float64]
#: Scores at which profiles are computed, and those that are printed.
THRESHOLDS = np.arange(101.0)
_PRINTED = (50, 60, 70, 80, 90)


def interquartile_mean(values: Floats) -> Floats:
    """Return the mean of the middle half of the last axis; a quarter is left out at either end.

    Notes
    -----
    Agrees with ``rliable.metrics.aggregate_iqm``, which is ``scipy.stats.trim_mean`` of a quarter.

    Examples
    --------
    >>> interquartile_mean(np.array([0.0, 70, 71, 72, 73, 80, 90, 99])).item()
    74.0
    """
    ordered, cut = np.sort(values, axis=-1), values.shape[-1] // 4
    return np.asarray(ordered[..., cut : values.shape[-1] - cut].mean(axis=-1))


@dataclass(frozen=True, eq=False)
class Profiles(SystemComparison, kind="profiles", unit="percent"):
    """Interquartile means of systems, and the share of their scores above every threshold.

    Attributes
    ----------
    mean, low, high
        Interquartile means with their interval for other treebanks of these families; limits are
        None if there are too few treebanks.
    above
        Systems x thresholds: the share of treebanks and runs with a higher score.
    """

    board: Leaderboard
    mean: Floats
    low: Floats | None
    high: Floats | None
    above: Floats
    level: float
    signature: str

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Rows of the systems, the highest interquartile mean first."""
        return np.lexsort((np.array(self.board.systems), -self.mean))

    @property
    def table(self) -> "pl.DataFrame":
        """One row per system: interquartile mean, mean, and the share of scores above thresholds, in percent."""
        columns: dict[str, Any] = {"system": self.board.systems, "iqm": self.mean}
        for name, values in (("low", self.low), ("high", self.high)):
            missing = [None] * len(self.mean)
            columns[name] = pl.Series(missing if values is None else values, dtype=pl.Float64)
        columns["mean"] = self.board.values.mean(axis=1)
        columns |= {f"above_{at}": 100 * self.above[:, at] for at in _PRINTED}
        return pl.DataFrame(columns)[self.order]

    def shown(self) -> list[dict[str, Any]]:
        """Return the table with readable names."""
        rows = []
        for row in self.table.to_dicts():
            name = f"{100 * self.level:g} % interval"
            limits = {} if row["low"] is None else {name: f"{row['low']:.2f}–{row['high']:.2f}"}
            shares = {f"> {at}": f"{row[f'above_{at}']:.0f} %" for at in _PRINTED}
            rows.append({"system": row["system"], "IQM": row["iqm"], **limits, "mean": row["mean"], **shares})
        return rows

    def json_fields(self) -> dict[str, Any]:
        """Return the systems, and the profile of each."""
        profiles = [{"system": self.board.systems[i], "above": (100 * self.above[i]).tolist()} for i in self.order]
        return {
            "level": self.level, "systems": self.table.to_dicts(), "thresholds": THRESHOLDS.tolist(),
            "profiles": profiles,
        }  # fmt: skip

    def own_text(self) -> str:
        """Return the table, and what it means."""
        metric = metric_name(self.board.metric)
        interval = f"{100 * self.level:g} % interval for other treebanks of these families"
        lines = [
            tables.to_text(self.shown(), digits=self.digits),
            f"IQM: interquartile mean of {metric} over treebanks and runs"
            + (f", with its {interval}" if self.low is not None else f"; no interval: {TOO_FEW}"),
            f"> 80: share of treebanks and runs with a {metric} above 80; --plot draws the whole profile",
        ]
        return "\n".join([*lines, self.signature])


def profiles(board: Leaderboard, *, level: float = 0.95) -> Profiles:
    """Return the performance profile and the interquartile mean of every system.

    Standard errors of the interquartile mean leave out one family of treebanks at a time.
    """
    by_treebank = board.cube.transpose(1, 2, 0)  # systems x treebanks x runs
    scores = by_treebank.reshape(len(board.systems), -1)
    above = (scores[:, :, None] > THRESHOLDS).mean(axis=1)
    mean, codes = interquartile_mean(scores), families_of(board)
    signature = countersign(board.signature, test="profile", units=GENUS if codes is not None else None, level=level)
    if codes is None:
        return Profiles(board, mean, None, None, above, level, signature)
    sizes = np.bincount(codes)
    left = [
        interquartile_mean(by_treebank[:, codes != family].reshape(len(board.systems), -1))
        for family in range(len(sizes))
    ]
    moves = np.sqrt((len(sizes) - 1) / len(sizes)) * (np.array(left) - mean)
    df = np.minimum(effective_df(sizes), heavy_tailed_df(moves))
    return Profiles(board, mean, *Jackknifed(mean, moves, df).interval(level), above, level, signature)
