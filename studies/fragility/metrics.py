"""Fragility asks whether BLEX ranks systems more stably than LAS: all 13 metrics of the task.

Four numbers for stability over subsets of ten treebanks. Two are exact: the mean over pairs of
systems of the share of all subsets in which the pair is not in the order that all treebanks give
(a tie counts half), and the share of pairs that no subset turns round. Two are sampled, for they
need whole rankings: the mean sd of ranks and the mean distance from the rank over all treebanks.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
import polars as pl
from numpy.typing import NDArray

from studies.fragility.ranks import SEED, SIZE, counted, million, task
from treegauge import data
from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.stability.exact_win_rates import Exact, exact_ranks
from treegauge.ranking.stability.win_rates import stability
from treegauge.statistics.student_intervals import StudentEstimate, effective_df

SAMPLES = 50_000
PARSING = ("uas", "las", "clas", "mlas", "blex")
GROUPS = 5
LEMMAS = 60.0
"""A median score for lemmas above this is taken to mean that a system gave lemmas."""


@cache
def metrics() -> tuple[str, ...]:
    """Return the 13 metrics."""
    return tuple(data.conll18()["metric"].unique().sort())


@cache
def lemma_scores() -> pl.DataFrame:
    """Return each system's median score for lemmas over the treebanks."""
    median = pl.col("score").median().alias("lemmas")
    return data.conll18("lemmas").group_by("system", maintain_order=True).agg(median)


def lemmatised() -> tuple[str, ...]:
    """Return the systems that gave lemmas: four have medians of 0 to 58, the next lowest has 87."""
    return tuple(sorted(lemma_scores().filter(pl.col("lemmas") > LEMMAS)["system"]))


def inverted(found: Exact, systems: Sequence[str]) -> NDArray[np.float64]:
    """Return for each pair of systems the share of subsets that do not have it in full order.

    Ties count half. Pairs with equal scores over all treebanks have no order and are left out.
    """
    scores, total = found.board, found.subsets(SIZE)
    ranks = dict(zip(scores.systems, scores.ranking(), strict=True))
    shares = []
    for one, other in combinations(systems, 2):
        if ranks[one] != ranks[other]:
            first, second = sorted((one, other), key=ranks.__getitem__)
            _, tied, lost = found.count(first, second)
            shares.append((lost + tied / 2) / total)
    return np.array(shares)


@cache
def lead() -> StudentEstimate:
    """Return by how much fewer pairs are out of order by BLEX than by LAS, with genera as units.

    The mean share of subsets that turn a pair round, LAS minus BLEX; the standard error is the
    jackknife's over genera, each left out from both tables.
    """
    boards = [task(metric) for metric in ("las", "blex")]
    genera = np.array([str(name) for name in boards[0].metadata["genus"]])
    names, sizes = np.unique(genera, return_counts=True)

    def gained(kept: NDArray[np.bool_]) -> float:
        codes = [code for code, own in zip(boards[0].treebanks, kept, strict=True) if own]
        found = [exact_ranks(board.select(treebanks=codes), size=SIZE) for board in boards]
        las, blex = (inverted(one, one.board.systems).mean() for one in found)
        return float(las - blex)

    value = gained(np.ones(len(genera), dtype=bool))
    left = np.array([gained(genera != name) for name in names])
    error = np.sqrt((len(names) - 1) / len(names) * ((left - value) ** 2).sum())
    return StudentEstimate(np.array(value), error, np.array(effective_df(sizes)))


def sampled(scores: Leaderboard) -> dict[str, float]:
    """Return what whole rankings are needed for."""
    ranks = stability(scores, size=SIZE, subsets=SAMPLES, seed=SEED)
    values = 1 + np.arange(ranks.counts.shape[1]) / 2
    full = scores.ranking()
    away = (ranks.counts * np.abs(values[None, :] - full[:, None])).sum(axis=1) / ranks.samples
    table = ranks.table.sort("full", "system")
    return {
        "mean sd": float(table["sd"].mean()),  # type: ignore[arg-type]
        "sd of first ten": float(table["sd"][:10].mean()),  # type: ignore[arg-type]
        "mean change": float(away.mean()),
        "same leader": float(ranks.agreement["top1"].item()),
        "tau": float(ranks.agreement["tau"].item()),
    }


def row_of(scores: Leaderboard) -> dict[str, float]:
    """Return all numbers for one table of scores."""
    shares = inverted(counted(scores.metric), scores.systems)
    exactly = {"inverted": float(shares.mean()), "never inverted": float((shares == 0).mean())}
    alike = comb(len(scores.systems), 2) - len(shares)
    return exactly | sampled(scores) | {"pairs alike": alike}


@cache
def by_metric() -> pl.DataFrame:
    """Return stability by each of the 13 metrics, all 26 systems, the most stable first."""
    rows = [{"metric": metric, **row_of(task(metric))} for metric in metrics()]
    return pl.DataFrame(rows).sort("inverted")


def chosen() -> dict[str, tuple[str, ...]]:
    """Return sets of systems to compare metrics on, the same for every metric."""
    scores = task("las")
    best = [scores.systems[i] for i in np.argsort(scores.ranking(), kind="stable")]
    lemmas = [system for system in best if system in lemmatised()]
    return {
        "all 26": scores.systems,
        "without SParse": tuple(system for system in scores.systems if system != "SParse"),
        "22 with lemmas": tuple(lemmas),
        "first ten by LAS": tuple(best[:10]),
        "first ten by LAS with lemmas": tuple(lemmas[:10]),
    }


@cache
def by_systems() -> pl.DataFrame:
    """Return stability of the parsing metrics on several sets of systems.

    ``gap`` is the median over pairs of the difference of their means over all treebanks, ``noise``
    the median of the sd of their differences over treebanks: stable are rankings with a wide gap
    or little noise.
    """
    rows = []
    for name, systems in chosen().items():
        for metric in PARSING:
            scores = task(metric).select(systems=systems)
            pairs = [scores.values[a] - scores.values[b] for a, b in combinations(range(len(systems)), 2)]
            gap = float(np.median([abs(pair.mean()) for pair in pairs]))
            noise = float(np.median([pair.std() for pair in pairs]))
            rows.append({"systems": name, "metric": metric, **row_of(scores), "gap": gap, "noise": noise})
    return pl.DataFrame(rows)


@cache
def by_treebanks() -> pl.DataFrame:
    """Return whether BLEX beats LAS also if a fifth of the treebanks is left out, each in turn."""
    names = ("all 26", "22 with lemmas", "first ten by LAS with lemmas")
    rows = []
    for group in range(GROUPS):
        for metric in ("las", "blex"):
            codes = task(metric).treebanks
            kept = [code for i, code in enumerate(codes) if i % GROUPS != group]
            found = exact_ranks(task(metric).select(treebanks=kept), size=SIZE)
            for name in names:
                share = float(inverted(found, chosen()[name]).mean())
                row = {"systems": name, "left out": group + 1, "metric": metric, "inverted": share}
                rows.append(row)
    frame = pl.DataFrame(rows).pivot("metric", index=["systems", "left out"], values="inverted")
    return frame.sort(pl.col("systems").cast(pl.Enum(names)), "left out")


@cache
def by_system() -> pl.DataFrame:
    """Return each system's sd of ranks by LAS and by BLEX."""
    las, blex = (million(metric).table for metric in ("las", "blex"))
    both = las.select("system", "full", pl.col("sd").alias("las")).join(
        blex.select("system", pl.col("sd").alias("blex")), on="system"
    )
    found = both.join(lemma_scores(), on="system").sort("full")
    return found.select("system", "full", "lemmas", "las", "blex")
