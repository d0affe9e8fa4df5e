"""Transfer against annotation: how many sentences of the target's own give the same score."""

from collections.abc import Callable
from typing import NamedTuple

from treegauge.crosslingual.intervals import Estimate
from treegauge.crosslingual.scoring import OVERALL

Place = Callable[[str, float], tuple[str, str, str]]
"""Places a group's score, in per cent, on the target's learning curve: the number of sentences
that give it, and the ends of its interval as far as the curve is unsure; ``< 5`` and ``> 500`` are
beyond the curve."""


class Worth(NamedTuple):
    """How many annotated sentences a score is worth, and between which numbers that may be."""

    sentences: str | None
    at_least: str | None
    at_most: str | None

    @property
    def advice(self) -> str:
        """What that means for annotating."""
        span = f"between {self.at_least} and {self.at_most}" if self.at_least else "unsure"
        return (
            f"Transfer is worth {self.sentences} annotated sentences ({span}): with more, a parser "
            "of the target's own is better."
        )


def break_even(score: Estimate, place: Place, group: str = OVERALL) -> Worth:
    """Say how many sentences have to be annotated until a parser of them does as well.

    The interval is wide on purpose: it runs from the low end of the curve's interval at the low
    end of the score's to the high end at the high end.

    Parameters
    ----------
    score
        Of transfer in per cent, with its interval over test sentences.
    place
        Places a score on the target's learning curve; the command line and the study use
        ``treegauge.curves.equivalents``.
    group
        The group of words that the score is of.

    Examples
    --------
    >>> def tenth(group, score):
    ...     return f"{score / 10:.0f}", f"{score / 10 - 1:.0f}", f"{score / 10 + 1:.0f}"
    >>> break_even(Estimate(70.0, 60.0, 80.0, 5.0), tenth)
    Worth(sentences='7', at_least='5', at_most='9')
    """
    if score.value != score.value:  # no words of the group
        return Worth(None, None, None)
    worth = place(group, score.value)[0]
    if score.low is None or score.high is None:
        return Worth(worth, None, None)
    low, high = place(group, max(0.0, score.low)), place(group, min(100.0, score.high))
    return Worth(worth, low[1], high[2])
