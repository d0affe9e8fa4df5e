"""Statements of `study` that no verb below it makes."""

import numpy as np

from tools.calibrate.registry import Trials, statement
from treegauge.papers.edv import slopes_on_edv

#: EDV of splits at five levels, and standard deviations: of EDV, LAS, slopes of samples and of treebanks.
LEVELS = (0.05, 0.38, 0.71, 1.04, 1.37)
SPLIT, SCORE, SAMPLE, TREEBANK = 0.02, 1.5, 1.0, 3.0
TRUTH = -5.0


@statement(
    name="study-slopes",
    verb="study",
    says="LAS by EDV: -5.2 points per unit (-7.0 to -3.4), 3 samples",
    kind="interval",
    nominal=0.95,
    cases={
        "3 samples": (1, 3), "5 samples": (1, 5), "median of 6 treebanks": (6, 3), "mean of 25 treebanks": (25, 3),
    },
    secondary="mean width (points)",
    covers=("study table.low", "study table.high"),
    repetitions=4000,
    quick=100,
)  # fmt: skip
def slopes(random: np.random.Generator, case: tuple[int, int], repetitions: int) -> Trials:
    """Draw normal slopes of treebanks (sd 3 points) and samples (1), LAS with an error of 1.5 points.

    For several treebanks, each of a genus of its own, the truth is the mean or median of all treebanks.
    """
    treebanks, samples = case
    ends = np.empty((repetitions, 2))
    for i in range(repetitions):
        rows = []
        for treebank in range(treebanks):
            own = TRUTH + (TREEBANK * random.normal() if treebanks > 1 else 0.0)
            for sample in range(samples):
                edv = LEVELS + SPLIT * random.normal(size=len(LEVELS))
                las = 80 + (own + SAMPLE * random.normal()) * edv + SCORE * random.normal(size=len(LEVELS))
                names = {"treebank": f"UD_Invented{treebank}-X", "sample": sample}
                rows += [names | {"edv": x, "las": y} for x, y in zip(edv, las, strict=True)]
        made = {row["treebank"]: row for row in slopes_on_edv(rows)}
        shown = made["UD_Invented0-X" if treebanks == 1 else "median" if treebanks < 25 else "mean"]
        ends[i] = shown["low"], shown["high"]
    low, high = ends.T
    return Trials((low <= TRUTH) & (high >= TRUTH), high - low)
