"""How far predicted scores are off at held-out sizes: ``python -m replications.extrapolation``.

From the curves of 28 treebanks (``results/challenges_attachments.csv``), scores at larger sizes are
predicted from smaller ones by :mod:`treegauge.curves.extrapolation`, and the errors measured are
divided by those expected. A factor is the largest of the parsers' quantiles of this ratio. Hit
rates are those of factors from all other treebanks. The result is packaged; advice is made with it.
"""

import json
from pathlib import Path

import numpy as np

from treegauge.curves.attachments import read_attachments
from treegauge.curves.extrapolation import SIZES, WORDS, mix_laws
from treegauge.curves.grid import ScoreGrid, grid_of

CURVES = Path(__file__).parent / "results" / "challenges_attachments.csv"
PACKAGED = Path(__file__).parents[1] / "src" / "treegauge" / "data" / "extrapolation.json"
LEVELS = range(1, 99)


def ratios(grid: ScoreGrid, treebank: int) -> dict[str, list[float]]:
    """Return |error| / expected error of every prediction on one treebank.

    Every size from the fourth on is once the largest that is known; all larger ones are predicted.
    """
    one = grid.only(np.arange(len(grid.treebanks)) == treebank)
    kept = np.flatnonzero((one.total[0] >= WORDS) | (np.arange(len(one.classes)) == 0))
    scores, variance, words = one.means[0][:, kept], one.variance[0][:, kept], one.total[0, kept]
    found: dict[str, list[float]] = {"all": [], "classes": []}
    for known in range(SIZES, len(one.sizes)):
        sizes, curves, noise = one.sizes[:known], scores[:known], variance[:known]
        mixture = mix_laws(sizes, curves[:, 0], noise[:, 0], words[0])
        for later in range(known, len(one.sizes)):
            n = one.sizes[later]
            off = np.abs(mixture.level(n) @ curves - scores[later])
            ratio = off / mixture.error(n, curves, noise, words)
            found["all"].append(float(ratio[0]))
            found["classes"] += ratio[1:].tolist()
    return found


def factors(by_parser: dict[str, np.ndarray]) -> np.ndarray:
    """Return the largest of the parsers' quantiles, for every level."""
    levels = [level / 100 for level in LEVELS]
    each = [np.quantile(values, levels) for values in by_parser.values()]
    return np.asarray(np.max(each, axis=0))


def measure() -> dict[str, object]:
    """Return factors and hit rates, of all words and of classes."""
    counts = read_attachments(CURVES)
    grids = {parser: grid_of(counts, parser) for parser in counts.parsers}
    found = {
        parser: {name: ratios(grid, t) for t, name in enumerate(grid.treebanks)}
        for parser, grid in grids.items()
    }
    made: dict[str, object] = {}
    for kind in ("all", "classes"):
        by_parser = {
            parser: np.concatenate([one[kind] for one in own.values()])
            for parser, own in found.items()
        }
        hits = {parser: [0, len(values)] for parser, values in by_parser.items()}
        for name in counts.treebanks:
            others = {
                parser: np.concatenate([one[kind] for other, one in own.items() if other != name])
                for parser, own in found.items()
            }
            limit = factors(others)[LEVELS.index(95)]
            for parser, own in found.items():
                hits[parser][0] += int((np.array(own.get(name, {kind: []})[kind]) <= limit).sum())
        made[kind] = {"factors": factors(by_parser).round(4).tolist(), "hits": hits}
    return made


def main() -> None:
    """Measure, and write what is packaged."""
    PACKAGED.write_text(json.dumps(measure()) + "\n", "utf-8")


if __name__ == "__main__":
    main()
