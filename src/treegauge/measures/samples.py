"""How much EDV varies when train is but a sample of itself."""

import numpy as np

from treegauge.measures.displacement import displacement_distribution
from treegauge.measures.registry import MissingError, Values, register
from treegauge.statistics.distance import wasserstein
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.displacements import LIMIT, displacement_counts

#: Sentences of the samples, and how many samples of each size, as in the EDV paper.
SIZES, SAMPLES = (2000, 4000, 6000, 8000), 20


@register(
    "edv_samples", "displacement", "mean and sd of EDV over random samples of train",
    pair=True, bounds=(0, 2 * LIMIT),
)  # fmt: skip
def edv_samples(
    train: Treebank,
    test: Treebank,
    *,
    sizes: tuple[int, ...] = SIZES,
    samples: int = SAMPLES,
    seed: int = 0,
) -> Values:
    """Return mean and standard deviation of EDV over random samples of train sentences.

    Parameters
    ----------
    train, test
        Test is taken whole.
    sizes, samples
        Sentences of a sample, drawn without replacement, and how many samples.
    seed
        Same seed, same samples.

    Returns
    -------
    dict
        For each size, such as 2000, the mean under ``2000`` and the standard deviation under
        ``2000:sd``; None where train has fewer sentences.

    Notes
    -----
    Anderson and Gómez-Rodríguez (2022), appendix D.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> train, test = synthetic(300, seed=1), synthetic(100, seed=2)
    >>> list(edv_samples(train, test, sizes=(100, 200)))
    ['100', '100:sd', '200', '200:sd']
    """
    if len(train) < min(sizes):
        raise MissingError(
            f"{train.name} has {len(train):,} sentences, fewer than a sample of {min(sizes):,}"
        )
    counts, goal = displacement_counts(train), displacement_distribution(test)
    random = np.random.default_rng(seed)
    found: Values = {}
    for size in sizes:
        found[str(size)] = found[f"{size}:sd"] = None
        if size <= len(train):
            drawn = [random.choice(len(train), size, replace=False) for _ in range(samples)]
            values = wasserstein([counts[some].sum(axis=0) for some in drawn], goal)
            found[str(size)] = float(values.mean())
            found[f"{size}:sd"] = float(values.std(ddof=1))
    return found
