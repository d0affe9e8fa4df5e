"""Settings of scoring that several verbs share: how files are read, how intervals are made."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from treegauge.core.verbs import Settings


@dataclass(frozen=True)
class Reading(Settings):
    """What is done about malformed files.

    Parameters
    ----------
    errors
        strict: refuse malformed files; skip: leave malformed sentences out; repair: repair them.
    allow
        Problems of trees to allow: several-roots, no-root or cycle.
    """

    errors: Literal["strict", "skip", "repair"] = "strict"
    allow: Sequence[str] = ()


@dataclass(frozen=True)
class Resampling(Settings):
    """How confidence intervals are made: sentences drawn with replacement.

    Parameters
    ----------
    resamples
        Number of bootstrap resamples behind intervals; 0: no intervals and no tests.
    interval
        percentile, or bca (bias-corrected and accelerated).
    level
        Confidence level of intervals; tests are at 1 - level.
    seed
        Same seed, same intervals and p-values.
    """

    resamples: int = 1000
    interval: Literal["percentile", "bca"] = "percentile"
    level: float = 0.95
    seed: int = 0
