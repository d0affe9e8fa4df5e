"""WLAS: labelled attachment weighted by relation, as the 2017 script counts it."""

from random import Random

import pytest

from tools.fuzz.analyses import tree
from treegauge.core.errors import TreegaugeError
from treegauge.scoring.metrics.registry import packaged_weights, read_weights
from treegauge.treebanks.data.conllu import parse_conllu
from treegauge.treebanks.data.relations import CONTENT, FUNCTIONAL, universal_relation

from .oracle import conllu, ours, row

CLAS_2017 = """# weights of the 2017 shared task
aux 0.1
case 0.1
cc 0.1

clf 0.1 # classifiers
cop\t0.1
det 0.1
  mark   0.1
punct 0
"""


@pytest.fixture
def weights_file(tmp_path):
    path = tmp_path / "weights.clas"
    path.write_text(CLAS_2017, encoding="utf-8")
    return path


def random_pair(seed: int) -> tuple[str, str]:
    """Write two random analyses of the same words."""
    random = Random(seed)
    relations = [*sorted(CONTENT | FUNCTIONAL), "punct", "unknown", "obl:arg", "aux:pass"]
    gold, system = [], []
    for _ in range(20):
        size = random.randrange(1, 9)
        rels = random.choices(relations, k=size + 1)
        others = [random.choice([rel, rel, random.choice(relations)]) for rel in rels]
        heads = tree(size, random)
        found = heads if random.random() < 0.7 else tree(size, random)
        gold.append([row(i, "w", heads[i], rels[i]) for i in range(1, size + 1)])
        system.append([row(i, "w", found[i], others[i]) for i in range(1, size + 1)])
    return conllu(*gold), conllu(*system)


def brute_force(gold: str, system: str, weights: dict[str, float], default: float) -> list[float]:
    """Weigh gold and system words by their own label, what is right by gold's."""
    totals = [0.0, 0.0, 0.0]
    for g_line, s_line in zip(gold.split("\n"), system.split("\n"), strict=True):
        if g_line:
            g, s = g_line.split("\t"), s_line.split("\t")
            g_rel, s_rel = universal_relation(g[7]), universal_relation(s[7])
            weight = weights.get(g_rel, default)
            totals[0] += weight * (g[6] == s[6] and g_rel == s_rel)
            totals[1] += weight
            totals[2] += weights.get(s_rel, default)
    return totals


@pytest.mark.parametrize("default", [1.0, 0.0, 0.25])
@pytest.mark.parametrize("seed", range(5))
def test_weighted_counts(weights_file, seed, default):
    gold, system = random_pair(seed)
    weights = read_weights(weights_file)
    metric = ours(gold, system, weights=weights, default_weight=default).systems[0]["WLAS"]
    correct, total, own = brute_force(gold, system, weights, default)
    assert (metric.correct, metric.gold, metric.system) == pytest.approx((correct, total, own))
    assert metric.aligned == pytest.approx(total)
    assert metric.f1 == pytest.approx(200 * correct / (total + own))


def test_weights_file(weights_file):
    light = dict.fromkeys(["aux", "case", "cc", "clf", "cop", "det", "mark"], 0.1)
    assert read_weights(weights_file) == light | {"punct": 0.0}


def test_relations_not_in_the_file_weigh_one():
    data = conllu([row(1, "a", 0, "root"), row(2, "b", 1, "unknown"), row(3, "c", 1, "det:x")])
    metric = ours(data, data, weights={"det": 0.5}).systems[0]["WLAS"]
    assert metric.gold == 2.5


@pytest.mark.parametrize("line", ["det", "det x", "det 0.1 0.2", "det -1", "det nan", "det inf"])
def test_bad_lines_are_named(tmp_path, line):
    path = tmp_path / "weights"
    path.write_text(f"# fine\nobj 1\n{line}\n", encoding="utf-8")
    with pytest.raises(TreegaugeError, match=f"weights:3: found '{line}', expected a relation and"):
        read_weights(path)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(TreegaugeError, match="cannot read weights"):
        read_weights(tmp_path / "nowhere")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TreegaugeError, match="cannot read weights"):
        read_weights(tmp_path / "binary")


def test_packaged_weights_are_of_universal_relations():
    weights = packaged_weights()
    assert set(weights) <= CONTENT | FUNCTIONAL | {"punct"}
    assert len(weights) >= 30
    assert all(0 <= weight < 20 for weight in weights.values())
    # Function words are easier to attach than the clauses that need context.
    assert max(weights[rel] for rel in ("case", "det", "aux")) < weights["advcl"]


def test_zero_weights_leave_nothing():
    gold, system = random_pair(0)
    names = set(parse_conllu(gold)["deprel"]) | set(parse_conllu(system)["deprel"])
    weights = dict.fromkeys(map(universal_relation, names), 0.0)
    metric = ours(gold, system, weights=weights).systems[0]["WLAS"]
    assert (metric.f1, metric.precision, metric.aligned_accuracy) == (0.0, 0.0, 0.0)
