"""Statements of `run --until` and `design` about differences that are looked at again and again."""

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tools.calibrate.counts import DATA
from tools.calibrate.plasmode import score_table
from tools.calibrate.registry import Trials, statement
from treegauge.statistics.multiple import SEED_WIDTH, TEXT_WIDTH, TREEBANK_WIDTH, evidence_over

Floats = npt.NDArray[np.float64]
ALPHA = 0.05


def stopped(values: Floats, width: float) -> tuple[npt.NDArray[np.bool_], Floats]:
    """Return whether each sequence (row) is ever decided, and the share of its units that this saves."""
    over = evidence_over(values, width) >= -np.log(ALPHA)
    decided = over.any(axis=-1)
    used = np.where(decided, over.argmax(axis=-1) + 1, values.shape[-1])
    return decided, 1 - used / values.shape[-1]


@cache
def genus_means(first: int) -> Floats:
    """Return the mean LAS of every second system of CoNLL 2018 in each genus: (systems, genera)."""
    table = score_table()
    means = [table.scores[first::2, table.genera == genus].mean(axis=1) for genus in range(table.genera.max() + 1)]
    return np.stack(means, axis=1)


def pairs(random: np.random.Generator, table: Floats, number: int) -> Floats:
    """Return the differences of random pairs of systems in each genus."""
    a = random.integers(len(table), size=number)
    b = (a + random.integers(1, len(table), size=number)) % len(table)
    return np.asarray(table[a] - table[b])


@statement(
    name="sequence-normal",
    verb="run",
    says="A > B, decided after 7 of 20 seeds",
    kind="test",
    nominal=ALPHA,
    exact=True,
    cases={
        "seeds, up to 20": (SEED_WIDTH, 20, 2.0),
        "seeds, up to 200": (SEED_WIDTH, 200, 0.5),
        "genera, up to 26": (TREEBANK_WIDTH, 26, 1.0),
        "genera, up to 200": (TREEBANK_WIDTH, 200, 0.5),
    },
    secondary="share of units saved, if A is better by 2, 0.5, 1 and 0.5 sd of a unit",
    covers=("run.decision.low", "run.decision.high"),
    repetitions=20_000,
    quick=1000,
)
def normal_sequences(random: np.random.Generator, case: tuple[float, int, float], repetitions: int) -> Trials:
    """Independent normal differences with mean 0 and unknown variance, looked at after every unit."""
    width, number, effect = case
    noise = random.normal(size=(repetitions, number))
    return Trials(stopped(noise, width)[0], stopped(noise + effect, width)[1])


@statement(
    name="sequence-conll18",
    verb="run",
    says="A > B, decided after 14 of 26 genera",
    kind="test",
    nominal=ALPHA,
    exact=True,
    cases={"up to 26 genera": 26, "up to 80 genera": 80},
    secondary="share of genera saved, real pairs in random order",
    covers=("run.decision.low", "run.decision.high"),
    repetitions=20_000,
    quick=1000,
)
def real_genera(random: np.random.Generator, number: int, repetitions: int) -> Trials:
    """Random pairs of the 13 systems of CoNLL 2018 with odd numbers (the width was chosen on the others).

    Their differences by genus are centred, so that no system is better, and genera are drawn with
    replacement. For the saving, the 26 genera of each pair come in random order as they are.
    """
    table = genus_means(1)
    real = pairs(random, table, repetitions)
    centred = real - real.mean(axis=1, keepdims=True)
    drawn = np.take_along_axis(centred, random.integers(table.shape[1], size=(repetitions, number)), axis=1)
    return Trials(stopped(drawn, TREEBANK_WIDTH)[0], stopped(random.permuted(real, axis=1), TREEBANK_WIDTH)[1])


@statement(
    name="sequence-seeds",
    verb="run",
    says="A > B, decided after 7 of 20 seeds",
    kind="test",
    nominal=ALPHA,
    exact=True,
    cases={"up to 10 seeds": 10, "up to 36 seeds": 36},
    secondary="share of seeds saved at +0.5 LAS",
    covers=("run.decision.low", "run.decision.high"),
    repetitions=20_000,
    quick=1000,
)
def real_seeds(random: np.random.Generator, number: int, repetitions: int) -> Trials:
    """One parser against itself: LAS of 36 real runs on Greek, drawn with replacement for both sides."""
    with np.load(DATA) as counts:
        words: npt.NDArray[Any] = counts["Greek seeds"]
    scores = 100 * words[:, 1:].sum(axis=0) / words[:, 0].sum()
    ours, theirs = scores[random.integers(len(scores), size=(2, repetitions, number))]
    gains = ours - theirs
    return Trials(stopped(gains, SEED_WIDTH)[0], stopped(gains + 0.5, SEED_WIDTH)[1])


@statement(
    name="sequence-text",
    verb="design",
    says="limits of the pilot's difference that hold however often one adds sentences and looks again",
    kind="test",
    nominal=ALPHA,
    exact=True,
    cases={"up to 456 sentences": 456, "up to 4,000 sentences": 4000},
    secondary="share of sentences saved at +2 LAS",
    covers=("plan.always_low", "plan.always_high"),
    repetitions=4000,
    quick=400,
)
def real_sentences(random: np.random.Generator, number: int, repetitions: int) -> Trials:
    """Two real runs of one parser on Greek, drawn at random; correct words by sentence, drawn with replacement.

    Their differences are centred, as two runs do differ. For the saving, one corrects 2 % of all words.
    """
    with np.load(DATA) as counts:
        words: npt.NDArray[Any] = counts["Greek seeds"]
    decided, saved = np.zeros(repetitions, bool), np.zeros(repetitions)
    for i in range(repetitions):
        a, b = random.choice(np.arange(1, words.shape[1]), 2, replace=False)
        gains = (words[:, a] - words[:, b]).astype(np.float64)
        rows = random.integers(len(words), size=number)
        drawn = (gains - gains.mean())[rows]
        decided[i] = stopped(drawn[None], TEXT_WIDTH)[0][0]
        saved[i] = stopped((drawn + random.binomial(words[rows, 0], 0.02))[None], TEXT_WIDTH)[1][0]
    return Trials(decided, saved)
