"""Errors of predicted scores at held-out sizes: ``python -m studies.challenges.extrapolation``.

From the curves of 28 treebanks (``results/challenges_attachments.csv``), scores at larger sizes are
predicted from smaller ones by :mod:`treegauge.learning.curves.equivalents`, and the errors measured are
divided by those expected. A factor is the largest of the parsers' quantiles of this ratio. Hit
rates are those of factors from all other treebanks. The result is packaged; advice is made with it.
"""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.learning.curves.attachments import read_attachments
from treegauge.learning.curves.equivalents import SIZES, WORDS, mix_laws
from treegauge.learning.curves.score_grid import Floats, ScoreGrid, grid_of

CURVES = Path(__file__).parents[1] / "results" / "challenges_attachments.csv"
PACKAGED = Path(__file__).parents[2] / "src" / "treegauge" / "data" / "extrapolation.json"
LEVELS = range(1, 99)


class Errors(NamedTuple):
    """Of every prediction of a kind: how far it is off, and how far it is expected to be."""

    measured: Floats
    expected: Floats

    @property
    def ratios(self) -> Floats:
        """How many times larger errors are than expected."""
        return self.measured / self.expected


Found = dict[str, dict[str, Errors]]


def errors(grid: ScoreGrid, treebank: int, kind: str) -> Errors:
    """Return the errors of all predictions on one treebank, of all words or of classes.

    Every size from the fourth on is once the largest that is known; all larger ones are predicted.
    """
    one = grid.only(np.arange(len(grid.treebanks)) == treebank)
    kept = np.flatnonzero((one.total[0] >= WORDS) | (np.arange(len(one.classes)) == 0))
    scores, variance, words = one.means[0][:, kept], one.variance[0][:, kept], one.total[0, kept]
    which = slice(1) if kind == "all" else slice(1, None)
    measured, expected = [], []
    for known in range(SIZES, len(one.sizes)):
        sizes, curves, noise = one.sizes[:known], scores[:known], variance[:known]
        mixture = mix_laws(sizes, curves[:, 0], noise[:, 0], words[0])
        for later in range(known, len(one.sizes)):
            n = one.sizes[later]
            measured.append(np.abs(mixture.level(n) @ curves - scores[later])[which])
            expected.append(mixture.error(n, curves, noise, words)[which])
    return Errors(np.concatenate(measured), np.concatenate(expected))


def all_errors(kind: str) -> Found:
    """Return the errors by parser and treebank."""
    counts = read_attachments(CURVES)
    return {
        parser: {name: errors(grid, t, kind) for t, name in enumerate(grid.treebanks)}
        for parser in counts.parsers
        for grid in [grid_of(counts, parser)]
    }


def factors(found: Found, without: str = "") -> Floats:
    """Return the largest of the parsers' quantiles for every level, without one treebank."""
    levels = [level / 100 for level in LEVELS]
    each = [
        np.quantile(np.concatenate([e.ratios for t, e in own.items() if t != without]), levels)
        for own in found.values()
    ]
    return np.asarray(np.max(each, axis=0))


def hits(found: Found) -> dict[str, npt.NDArray[np.bool_]]:
    """Return whether each 95 % interval holds, with the factor from all other treebanks."""
    names = {name for own in found.values() for name in own}
    limit = {name: factors(found, name)[LEVELS.index(95)] for name in names}
    return {
        parser: np.concatenate([e.ratios <= limit[name] for name, e in own.items()]) for parser, own in found.items()
    }


def measure() -> dict[str, dict[str, object]]:
    """Return factors and hit rates, of all words and of classes."""
    made: dict[str, dict[str, object]] = {}
    for kind in ("all", "classes"):
        found = all_errors(kind)
        rates = {name: [int(held.sum()), len(held)] for name, held in hits(found).items()}
        made[kind] = {"factors": factors(found).round(4).tolist(), "hits": rates}
    return made


def main() -> None:
    """Measure, and write what is packaged."""
    PACKAGED.write_text(json.dumps(measure()) + "\n", "utf-8")


if __name__ == "__main__":
    main()
