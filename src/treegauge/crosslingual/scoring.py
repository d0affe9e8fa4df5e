"""Words that are scored, in all and in groups, and intervals of ratios over sentences."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treegauge.core.errors import TreegaugeError
from treegauge.scoring.attachment import Mask, scored_words_mask
from treegauge.scoring.breakdown import By
from treegauge.scoring.classes import classify
from treegauge.scoring.convention import OFFICIAL, Convention
from treegauge.statistics.small_samples import LEAST_UNITS, jackknife
from treegauge.treebanks.columns import Treebank

OVERALL = "overall"
CLASSES = "upos,direction"


class RatioEstimate(NamedTuple):
    """A ratio with its confidence interval; without limits if there are too few sentences."""

    value: float
    low: float | None
    high: float | None
    error: float | None

    @property
    def excludes_zero(self) -> bool:
        """Whether zero is outside the interval."""
        return self.low is not None and self.high is not None and self.low * self.high > 0

    def times(self, factor: float) -> "RatioEstimate":
        """Return the estimate in another unit, such as percent."""
        return RatioEstimate(*(None if part is None else factor * part for part in self))  # type: ignore[arg-type]

    @property
    def detectable(self) -> float | None:
        r"""The smallest difference that as many sentences detect with a power of 0.8.

        .. math:: (t_{n-1} + z_{0.8}) \, s
        """
        if self.high is None or self.error is None:
            return None
        return self.high - self.value + 0.8416 * self.error

    def sentences_needed(self, seen: int) -> int | None:
        """Return how many sentences detect a difference of this size with a power of 0.8.

        The `seen` ones are taken as typical. None where the difference is zero or its error
        unknown.
        """
        if not self.value or self.detectable is None:
            return None
        return max(2, int(np.ceil(seen * (self.detectable / self.value) ** 2)))


def ratio(
    counts: npt.ArrayLike, words: npt.ArrayLike, *, level: float = 0.95, share: bool = False
) -> RatioEstimate:
    r"""Return the ratio of two sums over sentences with Student's interval.

    .. math:: r = \frac{\sum_i x_i}{\sum_i w_i}

    `counts` and `words` have one value per sentence, such as correct heads (or a difference of two
    parsers' correct heads) and words; sentences without words do not count. The interval is that of
    :func:`~treegauge.statistics.small_samples.jackknife`, from ten sentences on; a `share`, such
    as a score, has it on the scale of log odds.

    Examples
    --------
    >>> correct, words = [8, 5, 9, 3, 7, 11, 6, 9, 17, 5], [10, 5, 12, 9, 7, 14, 8, 11, 20, 6]
    >>> score = ratio(correct, words, share=True)
    >>> print(f"{score.value:.3f} [{score.low:.2f}, {score.high:.2f}]")
    0.784 [0.65, 0.88]
    >>> ratio([3], [4])
    RatioEstimate(value=0.75, low=None, high=None, error=None)
    """
    if not 0 < level < 1:
        raise TreegaugeError(f"the level is {level:g}; expected a share between 0 and 1")
    x, w = np.asarray(counts, np.float64), np.asarray(words, np.float64)
    x, w = x[w > 0], w[w > 0]
    if not len(w):
        return RatioEstimate(float("nan"), None, None, None)
    if len(w) < LEAST_UNITS:
        return RatioEstimate(float(x.sum() / w.sum()), None, None, None)
    made = jackknife(np.stack([x, w], axis=1), lambda sums: sums[..., [0]] / sums[..., [1]], w)
    limits = (float(limit[0]) for limit in made.interval(level, share=share))
    low, high, error = (
        None if np.isnan(one) else one for one in (*limits, float(made.standard_error[0]))
    )
    return RatioEstimate(float(made.value[0]), low, high, error)


def word_groups(
    gold: Treebank, kinds: Mapping[str, str] | None = None, *, by: By = CLASSES,
    convention: Convention = OFFICIAL,
) -> dict[str, Mask]:  # fmt: skip
    r"""Return the words that count overall, and those of each group, as masks.

    `kinds` is the group of each class, such as simple or complex; words of other classes are in no
    group. Classes are those of :func:`treegauge.scoring.classes.classify`.

    Examples
    --------
    >>> from treegauge.treebanks.conllu import parse_conllu
    >>> rows = "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tend\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    >>> groups = word_groups(parse_conllu(rows), {"DET": "simple"}, by="upos")
    >>> {name: mask.tolist() for name, mask in groups.items()}
    {'overall': [True, True], 'simple': [True, False]}
    """
    counted = scored_words_mask(gold, convention)
    groups: dict[str, Mask] = {OVERALL: counted}
    if not kinds:
        return groups
    if OVERALL in kinds.values():
        raise TreegaugeError(f"a group may not be called {OVERALL!r}: that is all words")
    codes, names, _ = classify(gold, by)
    if not kinds.keys() & set(names):
        shown = (", ".join([*few][:6]) + ", ..." * (len(few) > 6) for few in (kinds, names))
        raise TreegaugeError(
            f"none of the classes {next(shown)} is in {gold.name}, which has {next(shown)}"
        )
    for group in dict.fromkeys(kinds.values()):
        members = np.array([kinds.get(name) == group for name in names], bool)
        groups[group] = counted & members[codes]
    return groups
