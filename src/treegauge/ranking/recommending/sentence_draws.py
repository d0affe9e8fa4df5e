r"""Sampling sentences of a test set, and estimating the score on the whole test set.

Sentences are drawn from strata of equal size: first by length, then by difficulty, which is the
share of words that the known systems got wrong. Every stratum has its share of the sentences that
are drawn, so that the subset has about as many words as a random one. There are two estimates of
the score on all sentences:

- ``stratified``: :math:`\sum_i w_i c_i / \sum_i w_i n_i` with correct words :math:`c_i` and words
  :math:`n_i` of the sentence, and the weight :math:`w_i`: words of its stratum by words drawn.
- ``item-response``: Rasch's model of sentences, :math:`c_{si} \sim Bin(n_i, p_{si})` with
  :math:`logit\, p_{si} = \theta_s - b_i` and normal difficulties :math:`b_i`. The ability of a new
  system is fitted on the subset, and the estimate is the score that the model expects on all
  sentences (Polo et al. 2024, tinyBenchmarks, Section 3.3).
"""

from math import isqrt
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Method = Literal["stratified", "item-response", "random"]
PER_STRATUM = 4  # sentences that are drawn from each
_STEPS, _NEAR = 100, 1e-4


class SentenceScores(NamedTuple):
    """Counts on one test set: correct words and all words, (systems, sentences).

    `words` are the mean of gold and system words, so that correct by words is F1; `gold` are the
    gold words of each sentence.
    """

    correct: Floats
    words: Floats
    gold: Floats

    def of(self, systems: npt.ArrayLike) -> "SentenceScores":
        """Return the counts of the given systems."""
        rows = np.asarray(systems)
        return SentenceScores(self.correct[rows], self.words[rows], self.gold)

    @property
    def full(self) -> Floats:
        """Score of every system on all sentences, in percent."""
        return _percent(self.correct.sum(axis=1), self.words.sum(axis=1))


class SentenceDraw(NamedTuple):
    """The chosen sentences, and the data for estimates.

    `weights` are those of the chosen sentences, `difficulty` of all: the share of words that
    systems got wrong, or :math:`b_i` of the item response model.
    """

    method: Method
    sentences: Ints
    weights: Floats
    difficulty: Floats
    gold: Floats

    def estimate(self, correct: Floats, words: Floats) -> Floats:
        """Return scores on all sentences in percent from counts on the chosen: (systems, chosen).

        Examples
        --------
        >>> import numpy as np
        >>> chosen, nothing = np.array([0, 2]), np.zeros(3)
        >>> draw = SentenceDraw("stratified", chosen, np.array([1.0, 3.0]), nothing, nothing)
        >>> draw.estimate(np.array([[4.0, 2.0]]), np.array([[5.0, 5.0]])).tolist()
        [50.0]
        """
        if self.method != "item-response":
            return _percent(correct @ self.weights, words @ self.weights)
        places = self.difficulty[self.sentences]
        ability = _abilities(_start(correct, words), places, correct, words)
        return _percent(_expected(ability, self.difficulty) @ self.gold, np.full(len(ability), self.gold.sum()))


def draw_sentences(scores: SentenceScores, size: int, method: Method, rng: np.random.Generator) -> SentenceDraw:
    """Draw sentences by length and by the errors of the known systems."""
    count = len(scores.gold)
    if method == "item-response":
        difficulty = fit_difficulties(scores)
    else:
        totals = scores.words.sum(axis=0)
        difficulty = 1 - np.divide(scores.correct.sum(axis=0), totals, out=np.ones(count), where=totals > 0)
    if method == "random":
        chosen = np.sort(rng.permutation(count)[:size])
        return SentenceDraw(method, chosen, np.ones(size), difficulty, scores.gold)
    parts = strata(scores.gold, difficulty, size, rng)
    drawn, weights = [], []
    for part, number in zip(parts, _shares([len(part) for part in parts], size, rng), strict=True):
        sample = rng.permutation(part)[:number]
        words = scores.gold[sample].sum()
        drawn.append(sample)
        weights.append(np.full(number, scores.gold[part].sum() / words if words else 1.0))
    chosen, weight = np.concatenate(drawn), np.concatenate(weights)
    order = np.argsort(chosen)
    weight *= len(weight) / weight.sum()
    return SentenceDraw(method, chosen[order], weight[order], difficulty, scores.gold)


def strata(lengths: Floats, difficulty: Floats, size: int, rng: np.random.Generator) -> list[Ints]:
    """Return sentences by stratum, the same number in each; ties are broken at random.

    Examples
    --------
    >>> import numpy as np
    >>> parts = strata(np.arange(8.0), np.zeros(8), 16, np.random.default_rng(0))
    >>> [sorted((part // 4).tolist()) for part in parts]
    [[0, 0], [0, 0], [1, 1], [1, 1]]
    """
    classes = max(1, isqrt(size // PER_STRATUM))
    mixed = rng.permutation(len(lengths))
    by_length = mixed[np.argsort(lengths[mixed], kind="stable")]
    parts: list[Ints] = []
    for part in np.array_split(by_length, classes):
        mixed = rng.permutation(part)
        ordered = mixed[np.argsort(difficulty[mixed], kind="stable")]
        parts += np.array_split(ordered, classes)
    return parts


def fit_difficulties(scores: SentenceScores) -> Floats:
    """Return the difficulty of each sentence in Rasch's model: the most probable values.

    The deviation of difficulties is estimated with them.
    """
    words = scores.words
    correct = np.minimum(scores.correct, words)
    ability, places, variance = _start(correct, words), np.zeros(len(scores.gold)), 1.0
    for _ in range(_STEPS):
        p = _expected(ability, places)
        bend = (words * p * (1 - p)).sum(axis=0) + 1 / variance
        slope = (words * p - correct).sum(axis=0) - places / variance
        places = places + np.clip(slope / bend, -1, 1)
        fresh = _abilities(ability, places, correct, words)
        variance = max(float((places**2 + 1 / bend).mean()), 1e-4)
        moved, ability = float(np.abs(fresh - ability).max()), fresh
        if moved < _NEAR:
            break
    return places


def _expected(ability: Floats, places: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(places[None, :] - ability[:, None])))


def _start(correct: Floats, words: Floats) -> Floats:
    """Return abilities if all sentences were equally difficult; half a word keeps them finite."""
    right = correct.sum(axis=1) + 0.5
    return np.asarray(np.log(right / np.maximum(words.sum(axis=1) - right + 1, 0.5)))


def _abilities(ability: Floats, places: Floats, correct: Floats, words: Floats) -> Floats:
    """Return abilities by Newton's method; half a word added to both counts keeps them finite."""
    fitted = ability.copy()
    for _ in range(30):
        p = _expected(fitted, places)
        probability = 1 / (1 + np.exp(-fitted))
        slope = (correct - words * p).sum(axis=1) + 0.5 - probability
        bend = (words * p * (1 - p)).sum(axis=1) + probability * (1 - probability)
        step = np.clip(slope / bend, -1, 1)
        fitted = fitted + step
        if np.abs(step).max() < 1e-9:
            break
    return fitted


def _shares(sizes: list[int], number: int, rng: np.random.Generator) -> Ints:
    """Divide a number in proportion to sizes; the remainder is assigned at random."""
    exact = number * np.array(sizes) / sum(sizes)
    shares = np.floor(exact).astype(np.int64)
    rest = exact - shares
    left = int(number - shares.sum())
    if left:
        shares[rng.choice(len(sizes), left, replace=False, p=rest / rest.sum())] += 1
    return shares


def _percent(correct: Floats, words: Floats) -> Floats:
    return 100 * np.divide(correct, words, out=np.zeros_like(correct), where=words > 0)
