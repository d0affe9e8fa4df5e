"""Tables of counts with known curves."""

import numpy as np
import polars as pl
import pytest

from treegauge.learning.curves.class_counts import ALL, COLUMNS, attachments

SIZES = (5, 10, 20, 50, 100, 200, 500)


def table(curves, *, total=10_000, sizes=SIZES, samples=1, noise=0.0, seed=0, words=None):
    """Return counts of curves: {(treebank, parser): {class: function of size in per cent}}.

    Class totals are `words` or equal; the class of all words is their sum.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for (treebank, parser), classes in curves.items():
        for size in sizes:
            for sample in range(samples):
                sums = [0, 0]
                for name, curve in classes.items():
                    n = (words or {}).get(name, total)
                    score = curve(size) + noise * rng.standard_normal()
                    right = int(np.clip(round(score / 100 * n), 0, n))
                    rows.append((treebank, parser, size, sample, name, right, n))
                    sums[0] += right
                    sums[1] += n
                rows.append((treebank, parser, size, sample, ALL, *sums))
    return attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row"), source="test")


@pytest.fixture
def two():
    """One treebank, two classes: one learned at once, one slowly."""
    curves = {"fast": lambda n: 90 - 20 / n, "slow": lambda n: 20 + 8 * np.log(n)}
    return table({("UD_Greek-GDT", "beam"): curves}, samples=3, noise=0.5)
