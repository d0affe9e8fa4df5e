"""Leaderboards of simulated systems, whose true means and differences are known."""

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from treegauge.ranking.leaderboard import Leaderboard
from treegauge.ranking.pairs import PairMatrix
from treegauge.ranking.reading import read_leaderboard

Floats = npt.NDArray[np.float64]
#: Standard deviations of a system's score: by family, by treebank.
FAMILY, TREEBANK = 1.0, 1.5
#: Treebanks of each family, repeated: most families have one or two, few have many.
SIZES = (1, 1, 2, 1, 5, 1, 2, 3, 1, 2)


def families(treebanks: int) -> npt.NDArray[np.int64]:
    """Return the family of each treebank."""
    counts = np.resize(SIZES, treebanks)
    return np.repeat(np.arange(treebanks), counts)[:treebanks]


def values(random: np.random.Generator, abilities: Floats, treebanks: int) -> Floats:
    """Return scores of systems: ability, an effect of the family, one of the treebank."""
    codes, systems = families(treebanks), len(abilities)
    by_family = random.normal(0, FAMILY, (systems, codes.max() + 1))[:, codes]
    own = random.normal(0, TREEBANK, (systems, treebanks))
    return np.asarray(70 + abilities[:, None] + by_family + own)


@cache
def metadata(treebanks: int) -> pl.DataFrame:
    """Return metadata of treebanks in families."""
    names = [f"t{i}" for i in range(treebanks)]
    genus = [f"f{code}" for code in families(treebanks)]
    table = pl.DataFrame({"treebank": names, "genus": genus, "A": 50.0, "B": 60.0})
    return read_leaderboard(table).metadata


def board(scores: Floats) -> Leaderboard:
    """Return a leaderboard of simulated scores, with two decimals as published."""
    systems, treebanks = scores.shape
    described = metadata(treebanks)
    names = [f"S{i}" for i in range(systems)]
    codes = described["treebank"].to_list()
    return Leaderboard.of("las", names, codes, scores.round(2)[None], described)


def first_pair(made: PairMatrix, *names: str) -> tuple[float, ...]:
    """Return numbers about the pair S0 and S1."""
    at = made.systems.index("S0"), made.systems.index("S1")
    return tuple(float(made.numbers[name][at]) for name in names)


def heavy(random: np.random.Generator, shape: Any) -> Floats:
    """Return symmetric differences with heavy tails, like those of real systems."""
    return np.asarray(random.standard_t(4, shape))


TRUE = np.array([2.0, 1.5, 1.5, 1.0, 0.5, 0.0, 0.0, -1.0])
TABLES = {"25 treebanks": 25, "82 treebanks": 82}
#: The same, and with a share of the scores missing.
GAPPED = {
    **{label: (treebanks, 0.0) for label, treebanks in TABLES.items()},
    **{f"{label}, a fifth of the scores missing": (n, 0.2) for label, n in TABLES.items()},
}


def gapped(random: np.random.Generator, scores: Floats, share: float) -> Leaderboard:
    """Return a leaderboard without a share of its scores, deleted at random."""
    if share:
        gone = random.choice(scores.size, round(share * scores.size), replace=False)
        scores.ravel()[gone] = np.nan
    return board(scores)
