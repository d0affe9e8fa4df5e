"""Sources and a target of invented languages, and real treebanks if available."""

import pytest

from treegauge.learning.source_panel import delexicalised, panel, train_sources
from treegauge.learning.weights import weigh_sources
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_conllu

QUICK = {"epochs": 3, "bits": 14, "label_bits": 12}


@pytest.fixture(scope="session")
def sources():
    """A near source, another near one, and one whose verbs come last."""
    near, free = Grammar(language=1), Grammar(order_freedom=0.4, language=2)
    last = Grammar(basic_order="SOV", language=3)
    return {
        name: synthetic(60, grammar, seed=seed)
        for seed, (name, grammar) in enumerate({"near": near, "free": free, "last": last}.items())
    }


@pytest.fixture(scope="session")
def target():
    return synthetic(40, Grammar(language=9), seed=9)


@pytest.fixture(scope="session")
def models(sources):
    return train_sources(sources, delexicalised("mst", **QUICK))


@pytest.fixture(scope="session")
def asked(target, sources, models):
    weights = weigh_sources(target, sources).weights
    return panel(target, models, weights, probabilities=True)


@pytest.fixture(scope="session")
def romance(ud):
    """Real treebanks: some sentences of each."""
    root = ud / "r2.9"
    names = ("Galician-TreeGal", "Italian-ParTUT", "French-ParTUT", "Latin-Perseus", "Greek-GDT")
    missing = [name for name in names if not (root / f"UD_{name}").is_dir()]
    if missing:
        pytest.skip(f"not at hand: {', '.join(missing)}")
    return {name: read_conllu(root / f"UD_{name}", split="train") for name in names}
