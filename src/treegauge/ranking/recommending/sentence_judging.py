r"""How well subsets of sentences predict the scores of systems that took no part in choosing.

Systems are held out in turn: sentences are drawn by the errors of the others, and the estimate of a
held-out system's score is compared with its score on all sentences. The gain of a method over
random sentences is :math:`1 - \bar e / \bar e_0` for the mean absolute errors of the two. Its
interval is Student's on the scale of :math:`\ln(\bar e / \bar e_0)`, with the variance

.. math:: \frac{S-1}{S} \sum_s (l_{(s)} - \bar l)^2 + d(e) + d(e_0), \quad
   d(e) = \max\left(0, \frac{1}{R \bar e^2}\left(v - \frac{1}{S^2}\sum_s v_s\right)\right)

for :math:`l_{(s)}` the logarithm without system s (jackknife over the S systems), and
:math:`v`, :math:`v_s` the variances over the R repeats of the mean error of all systems and of the
error of system s. Systems that are held out together are judged on the same sentences, so that the
jackknife lacks what their errors share; it has the rest. Degrees of freedom are Satterthwaite's, at
most S - 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from treegauge.ranking.recommending.selection import repeated_folds
from treegauge.ranking.recommending.sentence_draws import Floats, Ints, Method, SentenceScores, draw_sentences
from treegauge.statistics.resampling.small_samples import StudentEstimate
from treegauge.statistics.resampling.student import student_quantile

METHODS: tuple[Method, ...] = ("stratified", "item-response", "random")


@dataclass(frozen=True)
class JudgedMethod:
    """How well subsets of one method predict the score of held-out systems.

    Attributes
    ----------
    method, words
        How sentences are drawn, and the mean number of words of such a subset.
    error, plain_error
        Mean absolute error of the estimate, and of the plain score on the subset, in points.
    within
        The 95 % prediction interval of a new system's full score is the estimate plus or minus this
        number of points: t times the root mean squared error.
    tau
        Kendall's tau between the rankings of held-out systems by estimate and by full score.
    gain, gain_low, gain_high
        By how many percent the error is lower than that of random sentences, with its 95 %
        interval; None for random sentences, the interval also with a single repeat.
    """

    method: Method
    words: float
    error: float
    plain_error: float
    within: float
    tau: float
    gain: float | None = None
    gain_low: float | None = None
    gain_high: float | None = None

    @property
    def better(self) -> bool:
        """Whether the error is significantly lower than that of random sentences."""
        return self.gain_low is not None and self.gain_low > 0

    @property
    def worse(self) -> bool:
        """Whether the error is significantly higher than that of random sentences."""
        return self.gain_high is not None and self.gain_high < 0


def judge_methods(
    scores: SentenceScores,
    size: int,
    folds: int,
    repeats: int,
    samples: int,
    rng: np.random.Generator,
    methods: Sequence[Method] = METHODS,
) -> tuple[JudgedMethod, ...]:
    """Evaluate methods on systems held out from choosing, with more repeats for random subsets.

    The last method is ``random``, with which the others are compared.
    """
    systems = np.arange(len(scores.correct))
    folds = min(folds, len(systems) // 2)
    held_out = list(repeated_folds(systems, folds, repeats, rng))
    times = {"random": -(-samples // len(held_out))}
    judged = [judge_method(scores, size, method, held_out * times.get(method, 1), rng) for method in methods]
    random = judged[-1][1]
    return tuple(
        method if method.method == "random" else _with_gain(method, gain(errors, random)) for method, errors in judged
    )


def _with_gain(method: JudgedMethod, made: "Gain") -> JudgedMethod:
    return replace(method, gain=made.value, gain_low=made.low, gain_high=made.high)


def judge_method(
    scores: SentenceScores, size: int, method: Method, pairs: Sequence[tuple[Ints, Ints]], rng: np.random.Generator
) -> tuple[JudgedMethod, Floats]:
    """Evaluate a method on folds (systems for choosing, systems held out), one subset per fold.

    Errors of systems on one subset are correlated: the degrees of freedom are those of subsets.
    The second value is the absolute errors, (repeats, systems).
    """
    full = scores.full
    errors: list[list[float]] = [[] for _ in full]
    plain: list[Floats] = []
    agree: list[float] = []
    words = []
    for rest, left_out in pairs:
        draw = draw_sentences(scores.of(rest), size, method, rng)
        cells = np.ix_(left_out, draw.sentences)
        correct, all_words = scores.correct[cells], scores.words[cells]
        estimates = draw.estimate(correct, all_words)
        for system, error in zip(left_out, estimates - full[left_out], strict=True):
            errors[system].append(float(error))
        plain.append(100 * correct.sum(axis=1) / all_words.sum(axis=1) - full[left_out])
        words.append(draw.gold[draw.sentences].sum())
        first, second = np.triu_indices(len(left_out), 1)
        order = np.sign(full[left_out][first] - full[left_out][second])
        same = order * np.sign(estimates[first] - estimates[second])
        agree += same[order != 0].tolist()
    error = np.array(errors).T
    quantile = float(student_quantile(0.975, len(pairs) - 1.0))
    judged = JudgedMethod(
        method, float(np.mean(words)), float(np.abs(error).mean()),
        float(np.abs(np.concatenate(plain)).mean()), quantile * float(np.sqrt((error**2).mean())),
        float(np.mean(agree)) if agree else 1.0,
    )  # fmt: skip
    return judged, np.abs(error)


def _shared_by_systems(errors: Floats) -> float:
    """Return the relative variance of the mean error over draws, without each system's own part."""
    repeats, systems = errors.shape
    whole = errors.mean(axis=1).var(ddof=1)
    own = errors.var(axis=0, ddof=1).sum() / systems**2
    return max(0.0, float((whole - own) / repeats / errors.mean() ** 2))


class Gain(NamedTuple):
    """By how many percent errors are lower, with the limits of the 95 % interval."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


def gain(errors: Floats, random: Floats) -> Gain:
    """Return by how many percent errors, (repeats, systems), are lower than those of `random`.

    Examples
    --------
    >>> gain(np.array([[2.0, 3.0], [3.0, 2.0]]), np.array([[5.0, 5.0], [5.0, 5.0]])).value
    50.0
    """
    means = [errors.mean(), random.mean()]
    if min(means) <= 0:
        return Gain()
    value = float(100 * (1 - means[0] / means[1]))
    repeats, systems = np.array([len(errors), len(random)]), errors.shape[1]
    if min(repeats) < 2 or systems < 2:
        return Gain(value)
    both = np.stack([errors.mean(axis=0), random.mean(axis=0)])
    left = np.log(both.sum(axis=1, keepdims=True) - both)
    over_systems = (systems - 1) * float((left[0] - left[1]).var())
    parts = np.array([over_systems, *map(_shared_by_systems, (errors, random))])
    variance, freedom = parts.sum(), np.array([systems - 1, *(repeats - 1)])
    df = variance**2 / (parts**2 / freedom).sum() if variance > 0 else np.inf
    df = min(df, systems - 1)
    logarithm = StudentEstimate(np.log(means[0] / means[1]), np.sqrt(variance), np.array(df))
    low, high = logarithm.interval()
    return Gain(value, float(100 * (1 - np.exp(high))), float(100 * (1 - np.exp(low))))
