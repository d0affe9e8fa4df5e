"""Selection of sources by a few sentences, and errors if that is impossible."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import TreegaugeError
from treegauge.learning.source_panel import STRATEGIES, Handful, Panel, greedy_sources, select_sources
from treegauge.learning.weights import weigh_sources
from treegauge.measures.similarity import log_ratios
from treegauge.scoring.metrics.convention import OFFICIAL
from treegauge.testing.synthetic import synthetic


def spoiled(gold, share, seed):
    """Attach a share of the words of each sentence elsewhere, keeping trees."""
    random = np.random.default_rng(seed)
    heads = gold.head.copy()
    for start, stop in zip(gold.offsets[:-1], gold.offsets[1:], strict=True):
        for word in range(start, stop):
            own = word - start + 1
            leaf = own not in heads[start:stop]
            if leaf and heads[word] and random.random() < share:
                others = [h for h in range(1, stop - start + 1) if h not in (own, heads[word])]
                heads[word] = random.choice(others) if others else heads[word]
    return gold.with_columns({"head": heads})


def panel_of(gold, weights, shares):
    parses = tuple(spoiled(gold, share, seed) for seed, share in enumerate(shares))
    return Panel(tuple("abcdef"[: len(shares)]), parses, tuple(weights))


def test_a_bad_heavy_source_is_found_out():
    gold = synthetic(40, seed=1)
    found = select_sources(panel_of(gold, (0.6, 0.25, 0.15), (0.9, 0.05, 0.2)), gold)
    assert found.recommended in {"best", "greedy"}
    assert "a" not in found.sources
    assert found.advice.startswith("Use b")
    assert found.to_dict()["use"] == list(found.sources)


def test_equal_sources_cannot_be_significant():
    gold = synthetic(12, seed=2)
    found = select_sources(panel_of(gold, (0.4, 0.3, 0.3), (0.3, 0.3, 0.3)), gold)
    assert found.recommended == "all"
    assert "12 sentences" in found.advice
    assert "do not show that fewer are better" in found.advice
    assert "are not detectable" in found.advice


def test_one_source_with_most_of_the_weight_is_the_same_as_all():
    gold = synthetic(8, seed=2)
    found = select_sources(panel_of(gold, (0.8, 0.1, 0.1), (0.1, 0.9, 0.9)), gold)
    assert found.advice.endswith(f"changes anything on 8 sentences ({gold.n_words} words).")


def test_noise_is_rarely_recommended():
    """Of sources that are all alike, another choice than all is seldom said to be better."""
    chosen = []
    for seed in range(30):
        gold = synthetic(10, seed=100 + seed)
        parses = tuple(spoiled(gold, 0.4, 1000 * seed + i) for i in range(4))
        found = select_sources(Panel(tuple("abcd"), parses, (0.25,) * 4), gold)
        chosen.append(found.recommended)
    assert chosen.count("all") >= 28


def test_held_out_scores_by_brute_force():
    gold = synthetic(7, seed=5)
    asked = panel_of(gold, (0.4, 0.35, 0.25), (0.3, 0.4, 0.5))
    handful = Handful(asked, gold, "UAS", OFFICIAL)
    for strategy in select_sources(asked, gold, metric="UAS").strategies:
        right = 0
        for held in range(len(gold)):
            rest = [i for i in range(len(gold)) if i != held]
            seen = np.isin(np.arange(len(gold)), rest)
            members = STRATEGIES[strategy.name](handful, seen)
            words = gold.sentence_of == held
            right += int((asked.vote(members).head == gold.head)[words].sum())
        assert strategy.score.value == pytest.approx(100 * right / gold.n_words)


@given(st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_greedy_ends_where_no_further_source_helps(seed):
    gold = synthetic(4, seed=seed)
    asked = panel_of(gold, (0.3, 0.3, 0.2, 0.2), (0.4, 0.4, 0.5, 0.6))
    handful = Handful(asked, gold, "UAS", OFFICIAL)
    seen = np.ones(len(gold), bool)
    chosen = greedy_sources(handful, seen)
    reached = handful.correct(chosen).sum()
    singles = [handful.correct([name]).sum() for name in asked.sources]
    assert reached >= max(singles)
    for extra in set(asked.sources) - set(chosen):
        assert handful.correct([*chosen, extra]).sum() <= reached
    every = [c for n in range(1, 5) for c in combinations(asked.sources, n)]
    assert reached <= max(handful.correct(members).sum() for members in every)


def test_choosing_needs_two_sentences():
    gold = synthetic(1, seed=1)
    with pytest.raises(TreegaugeError, match="needs at least 2"):
        select_sources(panel_of(gold, (1.0,), (0.0,)), gold)


def test_distances_are_differences_of_divergences(romance):
    target = romance["Galician-TreeGal"]
    others = {name: treebank for name, treebank in romance.items() if name != target.name}
    others.pop("Galician-TreeGal")
    ranked = weigh_sources(target, others)
    assert sorted(ranked.divergences.values()) == list(ranked.divergences.values())
    first = ranked.sources[0].divergence
    for one in ranked.sources[1:]:
        assert one.behind.value == pytest.approx(one.divergence - first)
        assert one.behind.low < one.behind.value < one.behind.high
    assert ranked.sources[-1].significant
    assert ranked.sources[0].significant is None


def test_more_sentences_tell_more(romance):
    target = romance["Galician-TreeGal"]
    others = {name: romance[name] for name in ("Italian-ParTUT", "French-ParTUT")}
    few, many = (weigh_sources(target[40:], others, sentences=n) for n in (10, 300))
    assert not few.sources[1].significant
    assert "do not distinguish it from" in few.advice
    assert few.advice.endswith(" would.")
    assert many.sources[1].significant
    assert many.advice.endswith("are enough to show it.")
    assert few.inflation > 5 * many.inflation > 0
    assert "too large by about" in str(few)
    assert few.to_dict()["inflation"] == few.inflation


def test_one_sentence_says_nothing(romance):
    target = romance["Galician-TreeGal"][:1]
    others = {name: romance[name] for name in ("Italian-ParTUT", "Latin-Perseus")}
    ranked = weigh_sources(target, others)
    assert ranked.sources[1].behind.low is None
    assert "1 sentence (" in ranked.advice
    assert "do not distinguish it from" in ranked.advice
    only = weigh_sources(target, {"it": romance["Italian-ParTUT"]})
    assert only.advice == "it is the only source."


def test_intervals_of_all_pairs_hold_together(romance):
    """Drawn from a large target, simultaneous intervals miss the truth in few handfuls."""
    target = romance["Galician-TreeGal"]
    others = {name: romance[name] for name in ("Italian-ParTUT", "French-ParTUT", "Greek-GDT")}
    random = np.random.default_rng(4)
    missed = 0
    for _ in range(25):
        ranked = weigh_sources(target.take(random.integers(len(target), size=10)), others)
        best = ranked.sources[0].name
        for one in ranked.sources[1:]:
            gap = log_ratios(target, others[one.name]) - log_ratios(target, others[best])
            if not one.behind.low <= gap.mean() <= one.behind.high:
                missed += 1
                break
    assert missed <= 5
