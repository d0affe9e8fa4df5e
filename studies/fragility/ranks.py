"""Fragility, Tables 3 and 4 and Figures 1 and 2: ranks over a million subsets, and over all.

Sampled figures come from a million subsets of ten treebanks, seed 0. Mean ranks are also counted
over all 2.1e12 subsets; best and worst ranks are searched for, with a limit that none can pass.
"""

from functools import cache

import numpy as np
import polars as pl
from scipy.stats import binom

from studies.figures import IMAGES
from studies.parts import beyond_rounding, compared
from studies.printed import fragility_table3
from studies.verdicts import SEEDS, UNKNOWN, Why
from treegauge.ranking import strengths
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.stability.exact_win_rates import Exact, exact_ranks
from treegauge.ranking.stability.outliers import Extreme, extreme
from treegauge.ranking.stability.win_rates import Stability, stability
from treegauge.ranking.strengths import advantages, families_of
from treegauge.reporting.figures.drawing import save
from treegauge.reporting.figures.ranking import rank_boxes

SIZE, SAMPLES, SEED = 10, 1_000_000, 0
ERRORS, INTERVAL = 3.0, 1.96
TWO_SAMPLES = "two samples of a million"
"""Standard errors that sampling explains, and those within the interval of another seed."""
RARE = 3
"""As many subsets of a million, or fewer, are missing from another million with p > 0.05."""


@cache
def task(metric: str) -> Leaderboard:
    """Return the shared task's scores by a metric."""
    return read_leaderboard("conll18", metric=metric)


def rank_sets() -> pl.DataFrame:
    """Return the systems by mean LAS, each with the 95 % confidence set of its rank.

    Genera are left out one at a time; the sets hold for all systems together.
    """
    board = task("las")
    codes = families_of(board)
    if codes is None:
        raise ValueError("too few treebanks or genera for confidence sets of ranks")
    sets = strengths.rank_sets(advantages(board, codes))
    order = board.by_mean()
    return pl.DataFrame(
        {
            "rank": range(1, len(order) + 1),
            "system": [board.systems[i] for i in order],
            "mean LAS": board.values.mean(axis=1)[order],
            "lowest": sets.low[order],
            "highest": sets.high[order],
        }
    )


@cache
def million(metric: str) -> Stability:
    """Return ranks over the samples."""
    return stability(task(metric), size=SIZE, subsets=SAMPLES, seed=SEED)


@cache
def counted(metric: str) -> Exact:
    """Return wins of all pairs over all subsets."""
    return exact_ranks(task(metric), size=SIZE)


@cache
def searched(metric: str, system: str, which: str) -> Extreme:
    """Search for a system's best or worst rank, from the sampled one on."""
    ranks = million(metric)
    first = ranks.best_at if which == "best" else ranks.worst_at
    start = ranks.sampler.subset(int(first[ranks.systems.index(system)]))
    end = "best" if which == "best" else "worst"
    return extreme(task(metric), system, end, size=SIZE, start=start)  # type: ignore[arg-type]


def standard_errors(ranks: Stability) -> dict[str, dict[str, float]]:
    """Return the standard errors of each system's mean and sd, from its moments."""
    found = {}
    values = 1 + np.arange(ranks.counts.shape[1]) / 2
    for system, counts in zip(ranks.systems, ranks.counts, strict=True):
        away = values - counts @ values / ranks.samples
        second, fourth = (float(counts @ away**power / ranks.samples) for power in (2, 4))
        of_sd = np.sqrt(max(fourth - second**2, 0) / (4 * second * ranks.samples)) if second else 0
        found[system] = {"mean": float(np.sqrt(second / ranks.samples)), "sd": float(of_sd)}
    return found


def table3() -> pl.DataFrame:
    """Return Table 3's cells: printed, sampled, and over all subsets, counted or searched."""
    ranks = million("las")
    ours = {row["system"]: row for row in ranks.table.iter_rows(named=True)}
    means = dict(counted("las").table.select("system", "mean").iter_rows())
    errors = standard_errors(ranks)
    rows: list[dict[str, object]] = []
    for printed in fragility_table3().iter_rows(named=True):
        system = printed["system"]
        for name in ("best", "worst", "mean", "median", "sd"):
            text = f"{printed[name]:.2f}" if name in ("mean", "median", "sd") else str(printed[name])
            row: dict[str, object] = {"system": system, "statistic": name, "over all": None}
            row |= {"limit": None, "printed": text, "ours": ours[system][name]}
            if name == "mean":
                row["over all"] = row["limit"] = means[system]
            if name in ("best", "worst"):
                found = searched("las", system, name)
                row |= {"over all": found.rank, "limit": found.limit}
            row["why"] = _why(row, errors[system], ranks)
            rows.append(row)
    tested = sum(row["statistic"] in ("mean", "sd") for row in rows)
    return compared(with_odds(rows, TWO_SAMPLES, tested))


def with_odds(rows: list[dict[str, object]], beginning: str, tested: int) -> list[dict[str, object]]:
    """Add to the reasons of cells beyond a 95 % interval how often chance gives that many."""
    beyond = [row for row in rows if str(row["why"]).startswith(beginning)]
    odds = float(binom.sf(len(beyond) - 1, tested, 0.05))
    for row in beyond:
        said = f"{row['why']}; {len(beyond)} or more of {tested} cells: p = {odds:.2f}"
        row["why"] = Why(said, state=SEEDS if odds > 0.05 else UNKNOWN)
    return rows


def _why(row: dict[str, object], errors: dict[str, float], ranks: Stability) -> str | None:
    """Return whether sampling accounts for a difference between two runs of a million subsets."""
    text, ours, name = str(row["printed"]), float(str(row["ours"])), str(row["statistic"])
    if not beyond_rounding(text, ours):
        return None
    if name in ("best", "worst"):
        counts = ranks.counts[ranks.systems.index(str(row["system"]))]
        value = 1 + np.arange(len(counts)) / 2
        reach = max if name == "best" else min
        at = reach(ours, float(text))
        beyond = int(counts[value < at].sum() if name == "best" else counts[value > at].sum())
        said = "within seeds" if beyond <= RARE else "extreme of a sample"
        return f"{said}: our million has {beyond} subsets beyond rank {at:g}"
    if name in errors:
        apart = (abs(ours - float(text)) - 0.005) / (np.sqrt(2) * errors[name])
        if apart <= ERRORS:
            said = "within seeds" if apart <= INTERVAL else TWO_SAMPLES
            return f"{said}: {apart:.1f} standard errors apart, rounding taken off"
    return "unexplained"


def laid_out(cells: pl.DataFrame) -> pl.DataFrame:
    """Lay out Table 3, a row per system: printed / ours (/ over all), bold if beyond rounding."""

    def short(value: float | None, digits: int) -> str:
        return "" if value is None else f"{value:.{digits}f}"

    rows: dict[str, dict[str, str]] = {}
    for cell in cells.iter_rows(named=True):
        row = rows.setdefault(cell["system"], {"system": cell["system"]})
        name, printed, ours = cell["statistic"], cell["printed"], cell["ours"]
        if name in ("best", "worst"):
            proved = "" if cell["over all"] == cell["limit"] else f" ({cell['limit']:g})"
            row[name] = f"{printed} / {ours:g} / {cell['over all']:g}{proved}"
        elif name == "mean":
            row[name] = f"{printed} / {short(ours, 3)} / {short(cell['over all'], 3)}"
        elif name == "median":
            row[name] = f"{float(printed):g} / {ours:g}"
        else:
            row[name] = f"{printed} / {short(ours, 3)}"
        if cell["why"] is not None:
            row[name] = f"**{row[name]}**"
    return pl.DataFrame(list(rows.values()))


def table4() -> pl.DataFrame:
    """Return what Table 4 holds, ranks by BLEX; the printed rows are not at hand."""
    means = counted("blex").table.select("system", pl.col("mean").alias("mean over all"))
    table = million("blex").table.join(means, on="system").sort("median", "mean", "system")
    ends = pl.DataFrame(
        [
            {
                "system": system,
                "best searched": searched("blex", system, "best").rank,
                "best limit": searched("blex", system, "best").limit,
                "worst searched": searched("blex", system, "worst").rank,
                "worst limit": searched("blex", system, "worst").limit,
            }
            for system in table["system"]
        ]
    )
    names = ("system", "best", "worst", "mean", "mean over all", "median", "sd", "q1", "q3")
    return table.select(names).join(ends, on="system", maintain_order="left")


# What the text says of Figure 1: quartiles, and the ends of whiskers.
PROSE = (
    ("UDPipe Future", "q1", "3"),
    ("UDPipe Future", "q3", "6"),
    ("UDPipe Future", "high", "10"),
    ("Stanford", "q1", "3"),
    ("Stanford", "q3", "9"),
    ("SLT-Interactions", "low", "2"),
    ("SLT-Interactions", "q1", "9"),
    ("SLT-Interactions", "q3", "14"),
    ("SLT-Interactions", "high", "21"),
)


def boxes() -> pl.DataFrame:
    """Return the boxes and whiskers of Figures 1 (LAS) and 2 (BLEX), and draw both."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    frames = []
    for figure, metric in ((1, "las"), (2, "blex")):
        spec = rank_boxes(million(metric))
        save(spec, IMAGES / f"fragility_figure{figure}.svg")
        frames.append(
            pl.DataFrame(spec["datasets"]["boxes"]).select(
                pl.lit(figure).alias("figure"), "system", "best", "low", "q1", "median", "q3", "high", "worst"
            )
        )
    return pl.concat(frames)


def figure1() -> pl.DataFrame:
    """Return what the text reads off Figure 1 next to our boxes."""
    drawn = {row["system"]: row for row in rank_boxes(million("las"))["datasets"]["boxes"]}
    return compared(
        {"system": system, "end": end, "printed": printed, "ours": drawn[system][end]} for system, end, printed in PROSE
    )
