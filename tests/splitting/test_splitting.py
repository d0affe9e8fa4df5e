"""Splits: nothing lost, sizes as asked, and distances in the order the objective says."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from treegauge.core.errors import TreegaugeError
from treegauge.kernels.splits import distance
from treegauge.splitting.assignment import Strata, make_split, optimised_test, pool, sampled_test
from treegauge.splitting.split import rebuild, split_manifest, write_split
from treegauge.statistics.probabilities import wasserstein
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.catalogue import catalogue
from treegauge.treebanks.data.conllu import parse_conllu, read_conllu

OBJECTIVES = ("random", "length", "high", "0.75", "0.5", "0.25", "low", "kfold")
REAL = (
    "Greek-GDT", "Telugu-MTG", "Turkish-IMST", "Kazakh-KTB", "Afrikaans-AfriBooms",
    "Uyghur-UDT", "Vietnamese-VTB", "Tamil-TTB", "Marathi-UFAL", "English-LinES",
)  # fmt: skip


@pytest.fixture(scope="module")
def invented():
    return pool(synthetic(400, Grammar(length=9), seed=3))


def multiset(treebank, index):
    return Counter(treebank[int(i)].conllu for i in index)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_sentence_is_in_one_part_or_dropped(invented, objective):
    found = make_split(invented, objective, seed=1)
    everything = np.concatenate([*found.parts.values(), found.dropped])
    assert sorted(everything.tolist()) == list(range(len(invented)))


@pytest.mark.parametrize("objective", ["random", "length", "high", "0.5", "low"])
@pytest.mark.parametrize("sizes", [(60, 20, 20), (80, 0, 20), (70, 10, 20)])
def test_sizes_are_those_asked_for(invented, objective, sizes):
    found = make_split(invented, objective, seed=1, sizes=sizes, documents=False)
    total = sum(len(index) for index in found.parts.values())
    for name, share in zip(("train", "dev", "test"), sizes, strict=True):
        assert len(found.parts.get(name, ())) == pytest.approx(total * share / 100, abs=1)
    assert ("dev" in found.parts) == (sizes[1] > 0)


def test_sizes_by_words(invented):
    found = make_split(invented, "random", seed=1, unit="words", documents=False)
    words = {name: int(invented.lengths[index].sum()) for name, index in found.parts.items()}
    assert words["train"] / sum(words.values()) == pytest.approx(0.6, abs=0.01)


def test_length_split_tests_on_the_longest(invented):
    found = make_split(invented, "length", seed=1, sizes=(80, 0, 20))
    assert invented.lengths[found.parts["train"]].max() <= invented.lengths[found.parts["test"]].min()


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_same_seed_same_split(invented, objective):
    one, two = (make_split(invented, objective, seed=5) for _ in range(2))
    for name in one.parts:
        assert np.array_equal(one.parts[name], two.parts[name])
    other = make_split(invented, objective, seed=6)
    assert any(not np.array_equal(one.parts[name], other.parts[name]) for name in one.parts)


def test_documents_stay_whole(invented):
    for objective in ("random", "kfold", "high", "0.5", "low"):
        found = make_split(invented, objective, seed=2, documents=True, min_words=1)
        homes = {}
        for name, index in found.parts.items():
            for document in invented.documents[index].tolist():
                assert homes.setdefault(document, name) == name
    assert len(homes) == invented.documents.max() + 1 > 10


def test_documents_need_newdoc():
    text = "1\tA\t_\tX\t_\t_\t0\troot\t_\t_\n\n" * 9
    with pytest.raises(TreegaugeError, match="newdoc"):
        make_split(pool(parse_conllu(text)), "random", seed=0, documents=True)


@pytest.mark.parametrize("seed", range(3))
def test_graded_splits_meet_their_levels_in_order(invented, seed):
    whole = invented.histograms[invented.lengths >= 3].sum(axis=0)
    reached, lengths = [], []
    for level in ("low", "0.25", "0.5", "0.75", "high"):
        made = make_split(invented, level, seed=seed)
        test = made.parts["test"]
        inside = invented.histograms[test].sum(axis=0)
        places = np.arange(len(inside))
        reached.append(wasserstein_distance(places, places, inside, whole - inside))
        lengths.append(np.bincount(invented.lengths[test], minlength=50).tolist())
    steps = np.linspace(reached[0], reached[-1], 5)
    # one exchange of two sentences moves EDV by far less than a tenth of a step
    assert reached == pytest.approx(steps.tolist(), abs=0.1 * (steps[1] - steps[0]))
    assert reached == sorted(set(reached))
    assert lengths == [lengths[0]] * 5


def test_too_small_a_treebank_is_said_so():
    text = "1\tA\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    with pytest.raises(TreegaugeError, match="too few"):
        make_split(pool(parse_conllu(text * 2)), "random", seed=0)
    with pytest.raises(TreegaugeError, match="at least 3 words"):
        make_split(pool(parse_conllu(text * 50)), "high", seed=0)


def test_bad_requests_name_the_choices(invented):
    with pytest.raises(TreegaugeError, match="choices: random, length"):
        make_split(invented, "hihg", seed=0)
    with pytest.raises(TreegaugeError, match="60/20/20"):
        make_split(invented, "random", seed=0, sizes=(1, 2))
    with pytest.raises(TreegaugeError, match="60/20/20"):
        make_split(invented, "random", seed=0, sizes=(np.nan, 20, 20))
    for wrong in ({"seed": -1}, {"folds": 1}, {"min_words": 0}):
        with pytest.raises(TreegaugeError, match="expected a whole number of at least"):
            make_split(invented, "kfold", **({"seed": 0} | wrong))
    with pytest.raises(TreegaugeError, match="high or low"):
        make_split(invented, "sampled-high", seed=0, sizes=(50, 25, 25))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=5, max_size=20), st.lists(st.integers(0, 9), min_size=20, max_size=20))
def test_distance_is_that_of_scipy(p, q):
    q = q[: len(p)]
    if sum(p) == 0 or sum(q) == 0:
        assert np.isnan(wasserstein(p, q))
        return
    places = np.arange(len(p))
    expected = wasserstein_distance(places, places, p, q)
    assert wasserstein(p, q) == pytest.approx(expected, abs=1e-12)
    assert distance(np.array(p, float), np.array(q, float)) == pytest.approx(expected, abs=1e-12)


def naive_sampler(lengths, med, luck, adversarial):
    """The published sampler, written plainly in quadratic time."""
    free, train, test = set(range(len(lengths))), [], []
    for chance in luck[:-1]:
        if not free:
            break
        there = sorted({lengths[i] for i in free})
        length = there[int(chance * len(there))]
        if train:
            arcs = [lengths[i] - 1 for i in train]
            wanted = sum(med[i] * n for i, n in zip(train, arcs, strict=True)) / sum(arcs)
        else:
            values = sorted(med[i] for i in free if lengths[i] == length)
            wanted = values[int(luck[-1] * len(values))]
        for part in (train, train, train, train, test):
            if not free:
                break
            home = min({lengths[i] for i in free}, key=lambda n: (abs(n - length), n))
            gaps = {abs(med[i] - wanted): i for i in free if lengths[i] == home}
            chosen = gaps[max(gaps) if part is test and adversarial else min(gaps)]
            part.append(chosen)
            free.remove(chosen)
    assert not free
    return set(test)


@pytest.mark.parametrize("adversarial", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_sampler_equals_a_plain_one(adversarial, seed):
    class Few:
        pass

    random, few = np.random.default_rng(seed), Few()
    few.lengths = random.choice([3, 4, 5, 6, 8, 11, 12, 40], 80 + seed).astype(np.int32)
    few.med = random.normal(size=80 + seed)  # no two alike
    found = sampled_test(few, np.arange(80 + seed), adversarial=adversarial, seed=seed)
    luck = np.random.default_rng(seed).random((80 + seed) // 5 + 2)
    expected = naive_sampler(few.lengths.tolist(), few.med.tolist(), luck, adversarial)
    assert set(np.flatnonzero(found).tolist()) == expected
    other = sampled_test(few, np.arange(80 + seed), adversarial=not adversarial, seed=seed)
    assert sorted(few.lengths[found]) == sorted(few.lengths[other])


def test_shares_of_strata():
    assert Strata.of(np.array([5, 3, 5, 3, 5, 9]), 0.5).take.tolist() == [1, 1, 1]
    top = Strata.of(np.array([5, 3, 5, 3]), 0.5).top(np.array([1, 2, 0, 3]))
    assert top.tolist() == [True, False, False, True]


def test_optimiser_is_near_the_best_of_all_small_splits():
    random = np.random.default_rng(4)
    beaten = []
    for _ in range(20):
        histograms = random.integers(0, 4, (10, 7)).astype(np.int32)
        strata = np.zeros(10, np.int32)

        def gap(chosen, table=histograms):
            return wasserstein(table[chosen].sum(0), np.delete(table, chosen, 0).sum(0))

        every = np.array([gap(list(chosen)) for chosen in combinations(range(10), 3)])
        for adversarial in (True, False):
            test = optimised_test(histograms, strata, 0.3, adversarial=adversarial, seed=0)
            assert test.sum() == 3
            got = gap(np.flatnonzero(test).tolist())
            beaten.append(np.mean(every > got + 1e-12 if adversarial else every < got - 1e-12))
    # a swap of one pair cannot leave every local optimum, but few splits are better
    assert np.median(beaten) == 0
    assert np.mean(beaten) < 0.02
    assert np.max(beaten) < 0.15


@pytest.mark.parametrize("name", REAL)
def test_high_random_low_on_real_treebanks(ud, name):
    sentences = pool(ud / "r2.9" / f"UD_{name}")
    parts = {
        "random": make_split(sentences, "random", seed=0, documents=False, min_words=3),
        "high": make_split(sentences, "high", seed=0),
        "low": make_split(sentences, "low", seed=0),
        "sampler": make_split(sentences, "sampled-high", seed=0),
        "sampler low": make_split(sentences, "sampled-low", seed=0),
    }
    assert parts["high"].edv > parts["random"].edv > parts["low"].edv
    assert parts["high"].edv > parts["sampler"].edv > parts["random"].edv
    total = sum(len(index) for index in parts["high"].parts.values())
    expected = multiset(sentences.treebank, np.flatnonzero(sentences.lengths > 2))
    for found in parts.values():
        for part, share in (("train", 0.6), ("dev", 0.2), ("test", 0.2)):
            assert len(found.parts[part]) == pytest.approx(share * total, abs=2)
        got = Counter()
        for index in found.parts.values():
            got += multiset(sentences.treebank, index)
        assert got == expected
    for one, other in (("high", "low"), ("sampler", "sampler low")):
        for part in ("train", "dev", "test"):
            pair = [sentences.lengths[parts[kind].parts[part]] for kind in (one, other)]
            assert sorted(pair[0]) == sorted(pair[1])


def test_written_and_rebuilt(tmp_path, invented):
    found = make_split(invented, "high", seed=1)
    files = write_split(found, tmp_path / "a")
    again = rebuild(invented, json.loads((tmp_path / "a" / "manifest.json").read_text()))
    assert split_manifest(again) == split_manifest(found)
    write_split(again, tmp_path / "b")
    for path in files:
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
    test = read_conllu(next(p for p in files if "test" in p.name))
    origins = test.metadata("split_origin")
    numbers = [int(origin.rpartition(":")[2]) for origin in origins]
    assert numbers == (found.parts["test"] + 1).tolist()


def test_rebuild_refuses_other_files(invented):
    manifest = split_manifest(make_split(invented, "random", seed=1))
    other = pool(synthetic(400, Grammar(length=9), seed=3, prefix="else"))
    with pytest.raises(TreegaugeError, match="manifest"):
        rebuild(other, manifest)
    manifest["sources"][0]["sha256"] = "0" * 64
    with pytest.raises(TreegaugeError, match="same release"):
        rebuild(invented, manifest)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ([1], "it has no format number"),
        ({"format": 1}, "cannot be read .KeyError: 'sources'."),
        ({"format": 1, "sources": 3}, "cannot be read"),
    ],
)
def test_what_is_no_manifest_is_said_so(invented, manifest, message):
    with pytest.raises(TreegaugeError, match=message):
        rebuild(invented, manifest)


def test_rebuild_refuses_sentences_that_are_not_there_and_more_files(tmp_path, invented):
    manifest = split_manifest(make_split(invented, "random", seed=1))
    manifest["parts"]["test"] = {invented.files[0]: [401]}
    with pytest.raises(TreegaugeError, match="cannot be read"):
        rebuild(invented, manifest)
    for name in ("train", "test"):
        (tmp_path / f"x-ud-{name}.conllu").write_bytes(synthetic(90, seed=1).to_bytes())
    both = pool(tmp_path)
    alone = split_manifest(make_split(pool(tmp_path / "x-ud-train.conllu"), "random", seed=1))
    with pytest.raises(TreegaugeError, match="the manifest names x-ud-train"):
        rebuild(both, alone)


def test_files_are_named_as_in_ud(tmp_path):
    source = tmp_path / "UD_Greek-X" / "el_x-ud-test.conllu"
    source.parent.mkdir()
    source.write_bytes(synthetic(90, seed=1).to_bytes())
    for place in (source, source.parent):
        files = write_split(make_split(pool(place), "random", seed=1), tmp_path / "out")
        names = ["el_x-ud-train.conllu", "el_x-ud-dev.conllu", "el_x-ud-test.conllu"]
        assert [path.name for path in files] == [*names, "manifest.json"]
    (entry,) = catalogue(tmp_path / "out")
    assert {part: len(some) for part, some in entry.files.items()} == dict.fromkeys(("train", "dev", "test"), 1)
    other = tmp_path / "UD_Greek-Y" / source.name
    other.parent.mkdir()
    other.write_bytes(source.read_bytes())
    with pytest.raises(TreegaugeError, match="two files called el_x-ud-test"):
        pool(str(tmp_path / "UD_*"))


def test_no_part_is_empty_unless_asked_for():
    text = "1\tA\t_\tX\t_\t_\t0\troot\t_\t_\n2\tB\t_\tX\t_\t_\t1\tdep\t_\t_\n"
    text += "3\tC\t_\tX\t_\t_\t1\tdep\t_\t_\n\n"
    with pytest.raises(TreegaugeError, match=r"4 sentences .* leaves no sentences for test"):
        make_split(pool(parse_conllu(text * 4)), "sampled-low", seed=0)
    documents = "# newdoc\n" + text * 40 + ("# newdoc\n" + text) * 2
    with pytest.raises(TreegaugeError, match="3 documents, which leaves no sentences for"):
        make_split(pool(parse_conllu(documents)), "random", seed=0)


def test_pool_remembers_where_sentences_came_from(tmp_path: Path):
    for name, count in (("train", 5), ("test", 3)):
        text = synthetic(count, seed=len(name)).to_bytes()
        (tmp_path / f"x-ud-{name}.conllu").write_bytes(text)
    found = pool(tmp_path)
    assert found.files == ("x-ud-train.conllu", "x-ud-test.conllu")
    assert found.origin.tolist() == [0] * 5 + [1] * 3
    assert found.number.tolist() == [1, 2, 3, 4, 5, 1, 2, 3]


def test_a_large_pool_is_split_in_time_linear_in_its_size():
    random = np.random.default_rng(0)
    histograms = random.poisson(0.3, (150_000, 61)).astype(np.int32)
    lengths = np.maximum(histograms.sum(axis=1), 1).astype(np.int32)
    for adversarial in (True, False):
        test = optimised_test(histograms, lengths, 0.2, adversarial=adversarial, seed=0)
        assert test.sum() == 30_000
