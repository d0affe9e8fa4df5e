"""The verb ``measure``: measures of treebanks, and of training and test sets."""

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Literal

from treegauge.core.verbs import verb
from treegauge.treebanks.sources.files import Errors

if TYPE_CHECKING:
    from treegauge.measures.measurements import Measures
    from treegauge.treebanks.data.columns import Treebank

Split = Literal["train", "dev", "test", "all"]


@verb
def measure(
    names: str | Sequence[str] = "all",
    *sources: "str | PathLike[str] | Treebank",
    split: Split = "train",
    interval: bool = False,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    errors: Errors = "strict",
) -> "Measures":
    """Measure treebanks: displacement, structure, morphology, vocabulary.

    A value that is undefined for a treebank is left empty, with the reason. Without treebanks, the
    measures are listed: what each means, its range, and whether there is an interval.

    Parameters
    ----------
    names
        Measures or families of them, separated by commas, or ``all``.
    *sources
        Further measures, then files, folders such as UD_Greek-GDT, folders of such folders, or
        treebanks. Two files are a training set and a test set.
    split
        The set to measure in each folder. Measures of a pair compare the training set and the test
        set of a folder, or two files.
    interval
        Add confidence intervals over sentences, if there are enough of them.
    resamples
        Number of bootstrap resamples for intervals of distances.
    level
        Confidence level of the intervals.
    seed
        Seed of random samples and of intervals.
    errors
        What to do about malformed sentences: strict, skip or repair.

    Returns
    -------
    Measures
        Values per treebank, in the order of the names. A treebank that cannot be read has the
        reason instead; it is an error if none can be read.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> result = measure("words,edv", synthetic(100, seed=1), synthetic(100, seed=2))
    >>> [(row.measure, row.treebank) for row in result.measured]
    [('words', 'syn-1'), ('words', 'syn-2'), ('edv', 'syn-1 > syn-2')]
    >>> print(measure("slv,edv").table["meaning"][1])
    distance between the displacements of train and test
    """
    from treegauge.measures.measuring import measure_all

    return measure_all(
        names, sources, split=split, errors=errors, seed=seed,
        interval=(resamples, level) if interval else None,
    )  # fmt: skip
