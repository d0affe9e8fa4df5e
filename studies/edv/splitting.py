"""The task behind Section 6: split a treebank in one of five ways, train, parse, measure.

``studies/edv/splits_*.toml`` name it; ``python -m studies edv_splits`` collects what came out.
"""

import numpy as np

from treegauge.experiments.builtin import sampled
from treegauge.experiments.cells import Cell, Outcome, Scalar
from treegauge.measures.displacement import edv, edv_masses, slv, slv_masses
from treegauge.parsing.registry import make_parser
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.settings import ScoreOptions
from treegauge.splitting.assignment import SentencePool, Strata, make_split, pool
from treegauge.splitting.split import Objective
from treegauge.treebanks.data.columns import Treebank

# Objective of each kind of split. Sentences of one or two words are left out of all.
SAME_LENGTHS = "random, same lengths"
"""A random split with the same share of each sentence length in the test set, as a control."""
KINDS: dict[str, Objective] = {
    "random": "random",
    "low, sampler": "sampled-low",
    "high, sampler": "sampled-high",
    "low, optimised": "low",
    "high, optimised": "high",
}
SHORTEST = 3


def limited(source: str, limit: int, sample: int) -> SentencePool:
    """SentencePool all parts of a treebank; of more sentences than `limit`, draw as many."""
    whole = pool(source)
    long_enough = np.flatnonzero(whole.lengths >= SHORTEST)
    if len(long_enough) <= limit:
        return whole
    chosen = long_enough[sampled(len(long_enough), limit, sample)]
    return pool(whole.treebank.take(chosen))


def parts_of(source: str, kind: str, limit: int, sample: int) -> dict[str, Treebank]:
    """Return train, dev and test of a split, with at most `limit` sentences in total."""
    sentences = limited(source, limit, sample)
    if kind == SAME_LENGTHS:
        return of_same_lengths(sentences, sample)
    made = make_split(sentences, KINDS[kind], seed=sample, documents=False, min_words=SHORTEST)
    return {name: made.pool.treebank.take(index) for name, index in made.parts.items()}


def of_same_lengths(sentences: SentencePool, seed: int) -> dict[str, Treebank]:
    """Return a random 60/20/20 split in which each set has the same share of every length."""
    kept = np.flatnonzero(sentences.lengths >= SHORTEST)
    lengths = sentences.lengths[kept]
    random = np.random.default_rng([seed, 2])
    sets = np.where(Strata.of(lengths, 0.2).top(random.random(len(kept))), 2, 0)
    rest = np.flatnonzero(sets == 0)
    sets[rest[Strata.of(lengths[rest], 0.25).top(random.random(len(rest)))]] = 1
    names = ("train", "dev", "test")
    return {name: sentences.treebank.take(kept[sets == i]) for i, name in enumerate(names)}


def described(train: Treebank, test: Treebank) -> dict[str, Scalar]:
    """Return sizes, lengths and distances of train and test."""
    return {
        "train_sentences": len(train), "train_words": train.n_words,
        "test_words": test.n_words, "mean_test_length": test.n_words / len(test),
        "edv": edv(train, test), "edv_masses": edv_masses(train, test), "slv": slv(train, test),
        "slv_masses": slv_masses(train, test),
    }  # fmt: skip


def parsed_split(cell: Cell) -> Outcome:
    """Split, train on the new training set with the dev set, score the new test set.

    The cell's `sample` is the seed of the split and of the sentences drawn.
    """
    parts = parts_of(cell.treebank, cell.extra["kind"], cell.extra["limit"], cell.sample)
    train, gold = parts["train"], parts["test"]
    model = make_parser(cell.parser, **cell.options).fit(train, parts["dev"], seed=cell.seed)
    found = evaluate(gold, model.parse(gold), options=ScoreOptions(resamples=0)).systems[0]
    scores: dict[str, Scalar] = {name: found[name.upper()].f1 for name in ("uas", "las")}
    return Outcome(scores | described(train, gold))
