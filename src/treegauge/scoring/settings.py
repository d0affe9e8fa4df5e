"""Settings of scoring: reading, resampling, and requested details."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from treegauge.core.verbs import Settings


@dataclass(frozen=True)
class Reading(Settings):
    """How to treat malformed files, and output whose characters differ from gold.

    Parameters
    ----------
    errors
        strict: refuse malformed files; skip: leave malformed sentences out; repair: repair them.
    allow
        Problems of trees to allow: several-roots, no-root or cycle.
    align
        exact: gold and system must contain the same characters; loose: also align words where
        characters differ, as in the output of language models.
    """

    errors: Literal["strict", "skip", "repair"] = "strict"
    allow: Sequence[str] = ()
    align: Literal["exact", "loose"] = "exact"


@dataclass(frozen=True)
class Resampling(Settings):
    """How confidence intervals and tests are computed.

    Parameters
    ----------
    resamples
        Number of resamples of a bootstrap interval; 0 for no intervals and no tests.
    interval
        student (jackknife over units and runs, needs 10 units), or a bootstrap of one run, which
        needs 200 units: percentile, or bca (bias-corrected and accelerated).
    units
        Units of resampling: documents, sentences, or auto (documents if gold has "# newdoc"
        comments, else sentences).
    level
        Confidence level of intervals; tests use alpha = 1 - level.
    seed
        Random seed; the same seed gives the same draws.
    """

    resamples: int = 1000
    interval: Literal["student", "percentile", "bca"] = "student"
    units: Literal["auto", "documents", "sentences"] = "auto"
    level: float = 0.95
    seed: int = 0


class RequestedDetails(NamedTuple):
    """Details requested in addition to the scores."""

    by: tuple[str, ...] = ()
    examples: str | None = None
    confusion: str | None = None
    overlap: int = 0
    combine: bool = False
    calibration: bool = False

    @property
    def anything(self) -> bool:
        """Whether any detail needs aligned systems."""
        return bool(self.by or self.confusion or self.overlap or self.combine or self.calibration)
