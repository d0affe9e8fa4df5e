"""Statements of `curve`: bands, areas, equivalents and parameters of laws."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from tools.calibrate.registry import Trials, statement
from treegauge.learning.curve import BANDS
from treegauge.learning.curves.complexity import areas
from treegauge.learning.curves.equivalents import equivalent_size
from treegauge.learning.curves.fits import fit_law, size_weights
from treegauge.learning.curves.score_grid import Over, ScoreGrid, averaged, limits, order_limits
from treegauge.learning.training_settings import CurveBands

SIZES = np.array([5.0, 10, 20, 50, 100, 200, 500])
#: Variance between training samples of one sentence, in squared points: that of beam's curves.
VARIANCE = 45.0
#: By class, the law of its curve: asymptote, what is missing at one sentence, exponent.
LAWS = {"all": (85.0, 55.0, 0.3), "early": (95.0, 40.0, 0.5), "late": (75.0, 70.0, 0.2)}
TRUTH = np.stack([a - b * SIZES**-c for a, b, c in LAWS.values()], axis=-1)


def simulated(random: np.random.Generator, samples: int, treebanks: int = 1) -> ScoreGrid:
    """Return curves that follow their laws up to the noise of training samples."""
    spread = np.sqrt(VARIANCE / SIZES)[:, None, None] * np.array([1.0, 1.5, 2.0])
    noise = random.standard_normal((treebanks, len(SIZES), samples, len(LAWS)))
    treebank_effects = 3 * random.standard_normal((treebanks, 1, 1, 1)) if treebanks > 1 else 0.0
    names = tuple(f"T{i}" for i in range(treebanks))
    total = np.full((treebanks, len(LAWS)), 5000.0)
    scores = TRUTH[:, None, :] + treebank_effects + spread * noise
    return ScoreGrid("parser", names, SIZES, tuple(LAWS), scores, total, ())


def bands(seed: int, over: Over = "samples") -> CurveBands:
    """Return the settings of a repetition."""
    return replace(BANDS, resamples=400, seed=seed, over=over)


def repeated(repetitions: int, one: Callable[[int], tuple[Any, Any]], truth: float) -> Trials:
    """Repeat what returns the ends of an interval, and compare them with the truth."""
    low, high = np.array([one(seed) for seed in range(repetitions)], np.float64).T
    return Trials((low <= truth) & (truth <= high), high - low)


SAMPLES = {f"{k} training samples": (k, 1) for k in (3, 5, 10)}


@statement(
    name="curve-band",
    verb="curve",
    says="LAS at 20 sentences 68.7 (66.9 to 70.5)",
    kind="interval",
    nominal=0.95,
    cases=SAMPLES,
    secondary="mean width (points)",
    covers=("curve.low", "curve.high", "curve.relative_low", "curve.relative_high"),
    quick=100,
)
def band(random: np.random.Generator, case: tuple[int, int], repetitions: int) -> Trials:
    """Three curves follow power laws; samples of n sentences vary with 45 / n squared points."""
    everyone = np.ones((1, len(LAWS)), bool)

    def one(seed: int) -> tuple[Any, Any]:
        draws = simulated(random, case[0]).draws(bands(seed))
        found = limits(averaged(draws.means, everyone, draws), 0.95)
        return found[0][2, 0], found[1][2, 0]

    return repeated(repetitions, one, TRUTH[2, 0])


@statement(
    name="curve-band-over-treebanks",
    verb="curve",
    says="LAS at 20 sentences, average of 10 treebanks, 68.7 (64.2 to 73.2)",
    kind="interval",
    nominal=0.95,
    cases={"3 treebanks": 3, "10 treebanks": 10},
    secondary="mean width (points)",
    covers=("curve.low", "curve.high"),
    quick=100,
)
def band_over_treebanks(random: np.random.Generator, treebanks: int, repetitions: int) -> Trials:
    """As for one curve; treebanks differ by 3 points, and each has five training samples."""
    everyone = np.ones((treebanks, len(LAWS)), bool)

    def one(seed: int) -> tuple[Any, Any]:
        draws = simulated(random, 5, treebanks).draws(bands(seed, "treebanks"))
        found = limits(averaged(draws.means, everyone, draws), 0.95)
        return found[0][2, 0], found[1][2, 0]

    return repeated(repetitions, one, TRUTH[2, 0])


@statement(
    name="curve-complexity",
    verb="curve complexity",
    says="DET is simpler than words overall: -21.3 (-28.0 to -14.6)",
    kind="interval",
    nominal=0.95,
    cases=SAMPLES,
    secondary="mean width (points times ln(size))",
    covers=("complexity.low", "complexity.high"),
    quick=100,
)
def complexity(random: np.random.Generator, case: tuple[int, int], repetitions: int) -> Trials:
    """As for one curve; the area between the late class and all words."""
    everyone = np.ones((1, len(LAWS)), bool)
    truth = areas(SIZES, TRUTH[None], everyone)[2]

    def one(seed: int) -> tuple[Any, Any]:
        draws = simulated(random, case[0]).draws(bands(seed))
        low, high = limits(areas(SIZES, draws.means, everyone, draws), 0.95)
        return low[2], high[2]

    return repeated(repetitions, one, float(truth))


@statement(
    name="curve-equivalent",
    verb="curve equivalent",
    says="LAS 66.1 is worth 31 sentences (24 to 42)",
    kind="interval",
    nominal=0.95,
    cases=SAMPLES,
    secondary="mean width (ln of sentences)",
    covers=("equivalent.low", "equivalent.high"),
    repetitions=1000,
    quick=60,
)
def equivalent(random: np.random.Generator, case: tuple[int, int], repetitions: int) -> Trials:
    """As for one curve; the score is that of the law at 31 sentences, interpolated linearly."""
    score = float(np.interp(np.log(31), np.log(SIZES), TRUTH[:, 0]))

    def one(seed: int) -> tuple[Any, Any]:
        draws = simulated(random, case[0]).draws(bands(seed))
        ends = order_limits(equivalent_size(SIZES, draws.means[:, 0, :, 0], score), 0.95)
        return np.log(np.clip(ends[0], 1, 1e4)), np.log(np.clip(ends[1], 1, 1e4))

    return repeated(repetitions, one, math.log(31))


@statement(
    name="curve-law-parameters",
    verb="curve",
    says="exponent 0.30 (0.24 to 0.37), if the law holds",
    kind="interval",
    nominal=0.95,
    cases=SAMPLES,
    secondary="mean width",
    covers=("fit.a_*", "fit.b_*", "fit.c_*"),
    repetitions=1000,
    quick=25,
)
def parameters(random: np.random.Generator, case: tuple[int, int], repetitions: int) -> Trials:
    """As for one curve: the exponent of a power law, which the curve follows."""

    def one(seed: int) -> tuple[Any, Any]:
        grid = simulated(random, case[0])
        weights = size_weights(grid.variance[0, :, 0])
        drawn = grid.draws(bands(seed)).means[:, 0, :, 0]
        return limits(fit_law("power", SIZES, drawn, weights).c, 0.95)

    return repeated(repetitions, one, LAWS["all"][2])
