"""How often intervals of EDV cover the true value, with displacements of real treebanks.

Run ``python -m replications.edv_coverage``; the treebanks are looked for under ``TREEGAUGE_UD``.
Two parts of a treebank are taken for whole populations, whose EDV is then known. Sentences are
drawn from them again and again, and each time the basic interval, which is that of ``treegauge
measure edv --interval``, and the percentile interval are made.
"""

import numpy as np
import numpy.typing as npt

from replications.parts import release_folder
from treegauge.statistics.descriptive import wasserstein
from treegauge.treebanks.conllu import read_splits
from treegauge.treebanks.trees import displacement_counts

DRAWS, RESAMPLES, LEVEL, SEED = 200, 400, 0.95, 0
#: Treebank, the parts that train and test are drawn from, and their sentences.
CASES = [
    ("Old_Church_Slavonic-PROIEL", "train", "test", 4000, 1000),
    ("Old_Church_Slavonic-PROIEL", "train", "train", 4000, 1000),
    ("Old_Church_Slavonic-PROIEL", "train", "test", 400, 100),
    ("Latin-Perseus", "train", "test", 1000, 900),
    ("Latin-Perseus", "train", "train", 1000, 300),
]
Counts = npt.NDArray[np.int32]


def resampled(table: Counts, random: np.random.Generator) -> npt.NDArray[np.float64]:
    """Sum the counts of sentences drawn with replacement, many times."""
    weights = random.multinomial(len(table), np.full(len(table), 1 / len(table)), size=RESAMPLES)
    return weights.astype(np.float64) @ table


def cover(one: Counts, two: Counts, sizes: tuple[int, int]) -> tuple[float, float, float, float]:
    """Return the true EDV, its mean estimate, and the coverage of both intervals."""
    random = np.random.default_rng(SEED)
    true = float(wasserstein(one.sum(axis=0), two.sum(axis=0)))
    estimates, basic, percentile = [], 0, 0
    for _ in range(DRAWS):
        drawn = [
            population[random.integers(len(population), size=size)]
            for population, size in zip((one, two), sizes, strict=True)
        ]
        value = float(wasserstein(*(table.sum(axis=0) for table in drawn)))
        values = wasserstein(*(resampled(table, random) for table in drawn))
        low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        percentile += low <= true <= high
        basic += max(0.0, 2 * value - high) <= true <= max(0.0, 2 * value - low)
        estimates.append(value)
    return true, float(np.mean(estimates)), percentile / DRAWS, basic / DRAWS


def main() -> None:
    """Print one line a case."""
    root = release_folder("r2.5")
    print("treebank, parts, sentences: true EDV, mean estimate, percentile covers, basic covers")
    for name, first, second, *sizes in CASES:
        parts = read_splits(root / f"UD_{name}")
        tables = [displacement_counts(parts[part]) for part in (first, second)]
        true, mean, percentile, basic = cover(tables[0], tables[1], (sizes[0], sizes[1]))
        case = f"{name}, {first}/{second}, {sizes[0]}/{sizes[1]}"
        print(f"{case}: {true:.4f}, {mean:.4f}, {percentile:.1%}, {basic:.1%}")


if __name__ == "__main__":
    main()
