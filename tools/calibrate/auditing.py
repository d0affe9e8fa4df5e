"""Statements of `audit` about the distance of splits, and of `diff` about systematic changes."""

from functools import cache

import numpy as np

from tools.calibrate.registry import Trials, statement
from treegauge.auditing.audit_checks import check_splits
from treegauge.auditing.changes.changed_words import pair_words
from treegauge.auditing.changes.systematic import Contexts, Layer, systematic_changes
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import Treebank


@cache
def pool(length: float) -> Treebank:
    """Return invented sentences to draw from, of a mean length in words."""
    return synthetic(600, Grammar(length=length), seed=0)


def odd(random: np.random.Generator, train: Treebank, test: Treebank) -> list[bool]:
    """Return whether EDV and SLV of a split are significantly larger than in random splits."""
    seed = int(random.integers(2**32))
    findings = check_splits({"train": train, "test": test}, resamples=99, seed=seed)
    return [finding.p_value is not None and finding.p_value <= 0.05 for finding in findings]


@statement(
    name="audit-split-distance",
    verb="audit",
    says="EDV is 0.190, larger than in random splits of this size (p = 0.01)",
    kind="test",
    nominal=0.05,
    cases={"40 + 10 sentences": (40, 10), "320 + 80 sentences": (320, 80)},
    secondary="power where test sentences are 5 words longer",
    covers=("audit.p_value",),
    repetitions=1000,
    quick=25,
    exact=True,  # all splits of the pooled sentences are equally likely
)
def split_distance(random: np.random.Generator, sizes: tuple[int, int], repetitions: int) -> Trials:
    """Training and test set are drawn from the same invented sentences; EDV and SLV are tested."""
    train, test = sizes
    false, found = list[bool](), list[bool]()
    for _ in range(repetitions):
        drawn = pool(15).take(random.permutation(600)[: train + test])
        false += odd(random, drawn[:train], drawn[train:])
        longer = pool(20).take(random.permutation(600)[:test])
        found += odd(random, drawn[:train], longer)
    return Trials(np.array(false), np.array(found))


@cache
def contexts() -> Contexts:
    """Return the words of an invented treebank, compared with itself."""
    treebank = synthetic(400, Grammar(), seed=1)
    return Contexts(pair_words(treebank, treebank))


@statement(
    name="diff-systematic",
    verb="diff",
    says="nummod → det where upos=DET: 211 of 211 places (systematic)",
    kind="verdict",
    nominal=0.05,
    cases={
        "2 % of words corrected": (0.02, 0.02), "10 %": (0.1, 0.1), "30 %": (0.3, 0.3),
        "50 %": (0.5, 0.5), "10 %, of nouns 60 %": (0.1, 0.6),
    },
    secondary="power where a relation of one tag was changed in 9 of 10 words",
    covers=("diff.kind",),
    repetitions=1000,
    quick=20,
)  # fmt: skip
def systematic(random: np.random.Generator, rates: tuple[float, float], repetitions: int) -> Trials:
    """Random words get another relation, one per old one; for the power, obj is renamed.

    A treebank counts as wrong if any correction is called systematic. The relation is renamed in 90
    percent of the nouns that have it.
    """
    base = contexts()
    treebank = base.pairs.old
    codes, values = treebank.codes("deprel")
    tags, names = treebank.codes("upos")
    rate = np.where(tags == names.index("NOUN"), rates[1], rates[0])
    words = (codes == values.index("obj")) & (tags == names.index("NOUN"))
    false, found = list[bool](), list[bool]()
    for _ in range(repetitions):
        hit = random.random(len(codes)) < rate
        new = np.where(hit, (codes + 1) % len(values), codes).astype(np.int32)
        layer = Layer("deprel", codes, new, values)
        false.append(bool(systematic_changes(layer, base).rules))
        ruled = words & (random.random(len(codes)) < 0.9)
        renamed = np.where(ruled, len(values), new).astype(np.int32)
        changed = Layer("deprel", codes, renamed, [*values, "renamed"])
        rules = systematic_changes(changed, base).rules
        found.append(any(rule.new == "renamed" for rule in rules))
    return Trials(np.array(false), np.array(found))
