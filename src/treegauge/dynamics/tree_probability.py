"""Probabilities of whole trees, in logarithms, by the matrix-tree theorem."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from treegauge.dynamics.recording import Recording
from treegauge.kernels.tree_probability import log_total
from treegauge.results.errors import TreegaugeError
from treegauge.results.result import Result, countersign
from treegauge.treebanks.columns import Treebank

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SentenceMap", "log_partition", "sentence_map", "tree_logp"]

Floats = npt.NDArray[np.float64]


def log_partition(scores: npt.ArrayLike, *, single_root: bool = True) -> float:
    r"""Return the log of the sum over all trees of the exponential of their score.

    .. math:: \log Z = \log \sum_{y} \prod_{d} e^{s(y_d, d)} = \log \det L

    Parameters
    ----------
    scores
        (words, words + 1): score of each head of each word, 0 the root; of probabilities take
        their logarithms. A word as its own head does not count.
    single_root
        Trees with one word under the root, or with any number.

    Notes
    -----
    Koo et al. (2007). The determinant is found by elimination without subtraction, so that no
    digits are lost where one tree has nearly all of the weight, and nothing underflows.

    Examples
    --------
    Two words have two trees with one root, and three in all:

    >>> import numpy as np
    >>> [round(float(np.exp(log_partition(np.zeros((2, 3)), single_root=one)))) for one in (1, 0)]
    [2, 3]
    """
    values = np.array(scores, np.float64)
    if values.ndim != 2 or values.shape[1] != len(values) + 1 or not len(values):
        raise TreegaugeError(f"scores have the shape {values.shape}, expected (n, n + 1)")
    words = np.arange(len(values))
    values[words, words + 1] = -np.inf
    tops = values.max(axis=1)
    if not np.isfinite(tops).all():
        raise TreegaugeError("a word has no head with a finite score")
    return float(tops.sum() + log_total(np.exp(values - tops[:, None]), single_root))


def tree_logp(recording: Recording, treebank: Treebank) -> Floats:
    r"""Return the log-probability of every sentence's gold tree among all trees with one root.

    .. math:: \log p(y) = \sum_d \log p(y_d \mid d) - \log Z

    Parameters
    ----------
    recording
        With :attr:`~treegauge.dynamics.recording.Recording.trees_logp`.
    treebank
        The sentences.

    Returns
    -------
    numpy.ndarray
        (epochs, sentences), natural logarithms; of the last epoch alone if no more is recorded.
    """
    if recording.trees_logp is None:
        raise TreegaugeError(f"{recording!r} has nothing of trees; record with trees=True")
    if (recording.n_words, recording.trees_logp.shape[1]) != (treebank.n_words, len(treebank)):
        raise TreegaugeError(f"{recording!r} is not of {treebank!r}")
    heads = recording.head_logp[-len(recording.trees_logp) :].astype(np.float64)
    sums = np.add.reduceat(heads, treebank.offsets[:-1], axis=1)
    # A tree cannot be likelier than certain; float32 says otherwise in its last digit.
    return np.asarray(np.minimum(sums - recording.trees_logp.astype(np.float64), 0.0))


@dataclass(frozen=True, eq=False)
class SentenceMap(Result):
    """Confidence and variability of whole gold trees, a word, so that length does not decide.

    Attributes
    ----------
    treebank
        The sentences.
    lengths
        Their words.
    confidence, variability
        Mean and population standard deviation over epochs of ``p(tree) ** (1 / words)``.
    logp
        (epochs, sentences): log-probability of the gold trees.
    """

    treebank: str
    signature: str
    lengths: npt.NDArray[np.int32]
    confidence: Floats
    variability: Floats
    logp: Floats
    digits: ClassVar[int] = 3

    @property
    def table(self) -> "pl.DataFrame":
        """One row a sentence."""
        import polars as pl

        return pl.DataFrame(
            {
                "sentence": np.arange(1, len(self.lengths) + 1),
                "words": self.lengths,
                "confidence": self.confidence,
                "variability": self.variability,
                "bits": -self.logp[-1] / np.log(2),
            }
        )

    def hardest(self, count: int) -> Sequence[int]:
        """Return the numbers of the sentences of the lowest confidence, from 0."""
        found: list[int] = np.argsort(self.confidence, kind="stable")[:count].tolist()
        return found


def sentence_map(recording: Recording, treebank: Treebank) -> SentenceMap:
    r"""Make the data map of sentences.

    The geometric mean a word, :math:`p(y)^{1/n}`, takes the place of :math:`p(y)`, which shrinks
    with every word and so would only show length (the Difficulty paper, section 6).

    Parameters
    ----------
    recording
        With :attr:`~treegauge.dynamics.recording.Recording.trees_logp`.
    treebank
        The sentences.
    """
    logp = tree_logp(recording, treebank)
    p = np.exp(logp / treebank.lengths)
    return SentenceMap(
        treebank=recording.treebank,
        signature=countersign(recording.signature, m="map", level="sentences"),
        lengths=treebank.lengths,
        confidence=p.mean(axis=0),
        variability=p.std(axis=0),
        logp=logp,
    )
