"""Settings of scoring: how files are read, how intervals are made, what is asked for beside."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from treegauge.core.verbs import Settings


@dataclass(frozen=True)
class Reading(Settings):
    """What is done about malformed files, and about output with other characters than gold.

    Parameters
    ----------
    errors
        strict: refuse malformed files; skip: leave malformed sentences out; repair: repair them.
    allow
        Problems of trees to allow: several-roots, no-root or cycle.
    align
        exact: gold and system must hold the same characters; loose: words are also aligned where
        characters differ, as in the output of language models.
    """

    errors: Literal["strict", "skip", "repair"] = "strict"
    allow: Sequence[str] = ()
    align: Literal["exact", "loose"] = "exact"


@dataclass(frozen=True)
class Resampling(Settings):
    """How confidence intervals and tests are made.

    Parameters
    ----------
    resamples
        Number of resamples of a bootstrap interval; 0: no intervals and no tests.
    interval
        student (jackknife over units and runs, from 10 units), or a bootstrap of one run from 200
        units: percentile, or bca (bias-corrected and accelerated).
    units
        What could have been others: documents, sentences, or auto (documents where gold marks them
        with # newdoc, else sentences).
    level
        Confidence level of intervals; tests are at 1 - level.
    seed
        Same seed, same random draws.
    """

    resamples: int = 1000
    interval: Literal["student", "percentile", "bca"] = "student"
    units: Literal["auto", "documents", "sentences"] = "auto"
    level: float = 0.95
    seed: int = 0


class Asked(NamedTuple):
    """What is asked for beside the scores."""

    by: tuple[str, ...] = ()
    examples: str | None = None
    confusion: str | None = None
    overlap: int = 0
    combine: bool = False
    calibration: bool = False

    @property
    def anything(self) -> bool:
        """Whether systems have to be aligned for it."""
        return bool(self.by or self.confusion or self.overlap or self.combine or self.calibration)
