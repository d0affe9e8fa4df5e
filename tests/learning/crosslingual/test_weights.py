"""KLcpos3 against counting by hand, weights against their formula."""

from collections import Counter
from itertools import permutations
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import TreegaugeError
from treegauge.learning.weights import inverse_weights, weigh_sources
from treegauge.measures.similarity import klcpos3, log_ratios
from treegauge.treebanks.data.conllu import parse_conllu


def tagged(*sentences):
    text = "".join(
        "".join(
            f"{i}\tw\t_\t{tag}\t_\t_\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_\n" for i, tag in enumerate(tags, 1)
        )
        + "\n"
        for tags in sentences
    )
    return parse_conllu(text)


def counted(treebank):
    """Trigrams by brute force: dictionaries, one sentence at a time."""
    found = Counter()
    for sentence in treebank:
        marked = ["<s>", *sentence.upos, "</s>"]
        found.update(zip(marked, marked[1:], marked[2:], strict=False))
    return found


def brute_force(source, target):
    return divergence(counted(source), counted(target))


def divergence(theirs, ours):
    theirs = theirs.copy()
    for trigram in ours:
        theirs[trigram] = theirs[trigram] or 1
    n, m = sum(ours.values()), sum(theirs.values())
    return sum(c / n * log((c / n) / (theirs[t] / m)) for t, c in ours.items())


@pytest.mark.parametrize("sentences", [10, None])
def test_klcpos3_on_real_pairs_by_brute_force(romance, sentences):
    whole = {name: counted(treebank) for name, treebank in romance.items()}
    for one, other in permutations(romance, 2):
        target = romance[one] if sentences is None else romance[one][:sentences]
        expected = divergence(whole[other], whole[one] if sentences is None else counted(target))
        weighed = weigh_sources(romance[one], {other: romance[other]}, sentences=sentences)
        assert weighed.divergences[other] == pytest.approx(expected, rel=1e-12)
        assert klcpos3(romance[other], target) == pytest.approx(expected, rel=1e-12)


def test_by_hand():
    source, target = tagged("AB", "AB", "C"), tagged("AB", "B")
    # target: #AB, AB#, #B#; source: #AB 2, AB# 2, #C# 1, and #B# once as unseen: 6 in all.
    expected = 2 / 3 * log((1 / 3) / (2 / 6)) + 1 / 3 * log((1 / 3) / (1 / 6))
    assert weigh_sources(target, {"s": source}).divergences["s"] == pytest.approx(expected)
    by_word = log_ratios(target, source)
    assert by_word.tolist() == pytest.approx([0.0, 0.0, log(2)])


tag_lists = st.lists(st.text("ABC", min_size=1, max_size=5), min_size=1, max_size=6)


@given(tag_lists, tag_lists)
@settings(max_examples=60, deadline=None)
def test_any_pair_by_brute_force(one, other):
    source, target = tagged(*one), tagged(*other)
    expected = brute_force(source, target)
    found = weigh_sources(target, {"s": source}, sentences=None).divergences["s"]
    assert found == pytest.approx(max(expected, 0), abs=1e-12)
    assert found >= 0


def test_only_the_first_sentences_are_looked_at(romance):
    target, source = romance["Galician-TreeGal"], {"it": romance["Italian-ParTUT"]}
    few = weigh_sources(target, source, sentences=7)
    assert few.divergences == weigh_sources(target[:7], source, sentences=None).divergences
    assert (few.sentences, few.words) == (7, target[:7].n_words)
    assert few.divergences != weigh_sources(target, source).divergences
    assert weigh_sources(target[:3], source).sentences == 3


@given(st.lists(st.floats(0.01, 10), min_size=1, max_size=6), st.floats(0, 8))
@settings(max_examples=60, deadline=None)
def test_weights_are_powers(divergences, exponent):
    found = inverse_weights(divergences, exponent=exponent)
    raw = np.array(divergences) ** -exponent
    assert found == pytest.approx(raw / raw.sum())


def test_extreme_divergences():
    assert inverse_weights([1e-200, 1.0]).tolist() == [1.0, 0.0]
    assert inverse_weights([0.0, 0.0, 3.0]).tolist() == [0.5, 0.5, 0.0]
    assert inverse_weights([0.0, 1.0], exponent=0).tolist() == [0.5, 0.5]


def test_a_source_equal_to_the_target_takes_all(romance):
    target = romance["Galician-TreeGal"][:10]
    found = weigh_sources(target, {"other": romance["Greek-GDT"], "itself": target})
    assert found.weights == {"itself": 1.0, "other": 0.0}
    assert "itself has more than half of the weight" in str(found)
    assert "itself" in found.to_dict()["note"]


def test_the_closest_comes_first(romance):
    target = "Galician-TreeGal"
    others = {name: treebank for name, treebank in romance.items() if name != target}
    found = weigh_sources(romance[target], others)
    order = found.table["source"].to_list()
    assert order[0] == "Italian-ParTUT"
    assert order[-1] == "Latin-Perseus"
    assert sum(found.weights.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: weigh_sources(t, {}), "no source: give"),
        (lambda t: weigh_sources(t, {"s": t}, sentences=0), "0 target sentences; expected at least 1"),
        (lambda t: weigh_sources(t, {"s": t}, exponent=-1), "exponent is -1"),
        (lambda t: weigh_sources(t[:0], {"s": t}), "has no words"),
        (lambda t: weigh_sources(t, {"s": tagged("__")}), "has no UPOS"),
        (lambda t: inverse_weights([float("nan")]), "divergences are [nan]"),
        (lambda t: inverse_weights([]), "no source"),
    ],
)
def test_what_cannot_be_weighed(call, message):
    with pytest.raises(TreegaugeError) as error:
        call(tagged("AB", "C"))
    assert message in str(error.value)


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
