"""Word order, dependency lengths against other orders, groups, punctuation and samples of one size."""

import csv
import io
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.commands import invoke
from tests.measures.conftest import make
from treegauge.core.errors import TreegaugeError
from treegauge.measures.displacement import baseline_lengths
from treegauge.measures.intervals import MatchedSamples
from treegauge.measures.measure import measure, sentence_groups
from treegauge.measures.registry import MissingError, measures
from treegauge.reporting.figures.treebanks import measured
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import concat
from treegauge.treebanks.data.conllu import parse_conllu, read_splits, write_conllu
from treegauge.treebanks.data.indexing import document_starts
from treegauge.treebanks.data.trees import is_projective

MEASURES = measures()


def words(*rows):
    """Return a sentence from (UPOS, head, relation)."""
    return [{"upos": tag, "head": head, "deprel": relation} for tag, head, relation in rows]


# The three old men saw her, Kim in Rome saw (a) house that stood: SV, VS; prepositions; OV not counted with a pronoun.
ONE = words(
    ("DET", 4, "det"), ("NUM", 4, "nummod"), ("ADJ", 4, "amod"), ("NOUN", 5, "nsubj"), ("VERB", 0, "root"),
    ("PRON", 5, "obj"), ("PUNCT", 5, "punct"),
)  # fmt: skip
TWO = words(
    ("VERB", 0, "root"), ("PROPN", 1, "nsubj:pass"), ("ADP", 4, "case"), ("PROPN", 2, "nmod"), ("NOUN", 1, "obj"),
    ("ADJ", 5, "amod"), ("PRON", 8, "nsubj"), ("VERB", 5, "acl:relcl"), ("NOUN", 8, "obj"), ("ADP", 9, "case"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("subject_verb", 1 / 2), ("verb_object", 1.0), ("adposition_noun", 1 / 2), ("adjective_noun", 1 / 2),
        ("numeral_noun", 1.0), ("determiner_noun", 1.0), ("noun_relative", 1.0),
    ],
)  # fmt: skip
def test_orders_by_hand(name, share):
    assert MEASURES[name](make(ONE, TWO)) == share


def test_head_initiality_by_hand():
    shares = MEASURES["head_initial"](make(ONE, TWO))
    assert shares["amod"] == 1 / 2 and shares["nsubj"] == 1 / 3 and shares["obj"] == 1.0 and "root" not in shares
    tagged = MEASURES["head_initial_tagged"](make(ONE, TWO))
    assert tagged["VERB nsubj NOUN"] == 0 and tagged["VERB nsubj PROPN"] == 1 and tagged["VERB obj PRON"] == 1
    assert MEASURES["mdd_by_relation"](make(ONE, TWO))["nsubj"] == (1 + 1 + 1) / 3
    with pytest.raises(MissingError, match="has no relative clauses"):
        MEASURES["noun_relative"](make(ONE))


@st.composite
def small_tree(draw):
    size = draw(st.integers(1, 6))
    order = draw(st.permutations(range(1, size + 1)))
    heads = [0] * size
    for place, word in enumerate(order[1:], 1):
        heads[word - 1] = order[draw(st.integers(0, place - 1))]
    return heads


@settings(max_examples=60, deadline=None)
@given(small_tree())
def test_lengths_of_all_orders_by_brute_force(heads):
    n, lengths, projective = len(heads), [], []
    for order in permutations(range(n)):
        place = {word: position for position, word in enumerate(order)}
        arranged = [0] * n
        for word, head in enumerate(heads):
            arranged[place[word]] = place[head - 1] + 1 if head else 0
        lengths.append(sum(abs(place[word] - place[head - 1]) for word, head in enumerate(heads) if head))
        if is_projective(arranged)[0]:
            projective.append(lengths[-1])
    observed = sum(abs(word + 1 - head) for word, head in enumerate(heads) if head)
    expected = [observed, np.mean(lengths), np.mean(projective), min(projective), n - 1]
    assert baseline_lengths(make(heads))[0] == pytest.approx(expected)


def test_what_is_no_tree_is_left_out_of_other_orders():
    text = "".join(f"{i}\tw\t_\tX\t_\t_\t{head}\tdep\t_\t_\n" for i, head in enumerate([2, 3, 2], 1))
    cyclic = parse_conllu(f"{text}\n", allow=("cycle", "no-root"))
    assert baseline_lengths(cyclic).tolist() == [[0] * 5]
    shortest = make([2, 0, 2])
    assert MEASURES["mdd_optimality"](concat([shortest, make([0, 1, 2])])) == pytest.approx((8 / 3 + 10 / 3 - 4) / 2)


#: Published by typometrics for UD 2.8 (datapreparation, ud-treebanks-v2.8-analysis): percent of heads that precede
#: (positive-direction.tsv) and mean distance (abs-f-dist-noroot.tsv). The trees did not change until UD 2.9.
PUBLISHED = {
    "Afrikaans-AfriBooms": (
        {"advmod": 29.068462401795735, "amod": 28.359550561797754, "case": 2.739289695811435, "cc": 93.32980412916888,
         "det": 0.05025125628140704, "obj": 23.224852071005916},
        {"advmod": 3.49495, "amod": 2.51079, "case": 2.491, "cc": 2.35045, "det": 1.31776, "obj": 4.02959},
    ),
    "Buryat-BDT": (
        {},
        {"advcl": 6.26241, "advmod": 2.75684, "amod": 1.32857, "case": 1.14189, "cc": 3.18987, "det": 1.30568,
         "nmod": 2.40957, "nsubj": 3.85095, "obj": 1.71525},
    ),
    "Greek-GDT": (
        {},
        {"acl": 4.59248, "advcl": 10.30941, "advmod": 2.69383, "amod": 1.26348, "appos": 5.76136, "aux": 1.39298,
         "case": 2.09659, "cc": 2.54985, "ccomp": 6.51491},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_values_of_typometrics(ud, name):
    treebank = concat(list(read_splits(ud / "r2.9" / f"UD_{name}").values()))
    shares, lengths = MEASURES["head_initial"](treebank), MEASURES["mdd_by_relation"](treebank)
    directions, distances = PUBLISHED[name]
    assert {one: 100 * shares[one] for one in directions} == pytest.approx(directions, abs=1e-9)
    assert {one: lengths[one] for one in distances} == pytest.approx(distances, abs=6e-6)


def test_words_without_punctuation_by_hand():
    # ( a - b ! c, with the dash as the head of b: b goes to c, the dash's head. The second sentence has no word.
    rows = words(
        ("PUNCT", 2, "punct"), ("X", 6, "dep"), ("PUNCT", 6, "punct"), ("X", 3, "dep"), ("PUNCT", 6, "punct"),
        ("X", 0, "root"),
    )  # fmt: skip
    treebank = make(rows, words(("PUNCT", 0, "root")), words(("PUNCT", 0, "root"), ("X", 1, "a"), ("X", 1, "b")))
    found = measure("words,sentences,mdd,hpe_published", treebank, punct=False)
    assert (found["words"], found["sentences"]) == (5, 2)
    assert found["mdd"] == (2 + 1 + 1) / 3  # a and b under c; in the last sentence the first word became the root
    assert "|punct:no" in found.signature
    (missing,) = [row.missing for row in found.measured if row.missing]
    assert missing.startswith("hpe_published is not defined without punctuation")
    with pytest.raises(TreegaugeError, match="has no UPOS"):
        raise TreegaugeError(measure("mdd", make([0, 1], upos="_"), punct=False).measured[0].missing)


def documents(*genres, by="comment"):
    """Return two sentences per document; its genre is in a comment of the first one, or in its ID."""
    parts = []
    for number, genre in enumerate(genres):
        about = f"# genre = {genre}\n" if by == "comment" and genre else ""
        name = f"W_{genre}_{number}"
        first, second = write(make([0, 1])), write(make([2, 0, 2]))
        parts.append(f"# newdoc id = {name}\n{about}{first}{second}")
    return parse_conllu("".join(parts), name="docs")


def write(treebank):
    return treebank.to_bytes().decode()


def test_groups_by_comments_and_document_ids():
    treebank = documents("news", "blog", "", "news")
    assert sentence_groups(treebank, "comment:genre") == ["news", "news", "blog", "blog", None, None, "news", "news"]
    assert sentence_groups(documents("news", "blog", by="id"), "newdoc:2") == ["W_news"] * 2 + ["W_blog"] * 2
    found = measure("words,mdd", treebank, by="comment:genre")
    rows = {(row.measure, row.group): row.value for row in found.measured}
    assert rows["words", "news"] == 10 and rows["words", "blog"] == 5 and rows["mdd", "blog"] == 1
    assert [row["group"] for row in found.shown()] == ["blog", "news"]
    with pytest.raises(TreegaugeError, match=r"no comment '# topic = ...'; its comments are genre, newdoc id"):
        measure("words", treebank, by="comment:topic")
    with pytest.raises(TreegaugeError, match="by: expected comment:NAME"):
        measure("words", treebank, by="genre")


def test_groups_have_their_own_intervals_and_documents():
    treebank = concat([documents(*["news", "blog"] * 11) for _ in range(2)])
    found = measure("mdd", treebank, by="comment:genre", interval=True)
    assert [row.units for row in found.measured] == ["22 documents"] * 2
    alone = measure("mdd", documents(*["news"] * 22), interval=True).measured[0]
    assert found.measured[1].interval == alone.interval


def test_sets_of_a_folder_are_groups(tmp_path):
    folder = tmp_path / "UD_A-B"
    folder.mkdir()
    for number, split in enumerate(("train", "dev", "test"), 1):
        write_conllu(synthetic(10 * number, seed=number), folder / f"a_b-ud-{split}.conllu")
    found = measure("sentences,mdd", folder, by="split")
    assert [(row.split, row.value) for row in found.measured[:3]] == [("train", 10), ("dev", 20), ("test", 30)]
    assert [row["split"] for row in found.shown()] == ["train", "dev", "test"]


def test_samples_are_of_the_size_and_in_their_mean_what_small_treebanks_have():
    whole, small = synthetic(2000, seed=1), 1000
    samples = MatchedSamples(whole, small, units="sentences", seed=3)
    sizes = [samples._sample(samples._taken(order)).n_words for order in samples._orders]
    assert max(abs(size - small) for size in sizes) <= whole.lengths.max() / 2
    value = samples.value(MEASURES["ttr"])
    forms = [sentence.form for sentence in whole]
    random, ratios = np.random.default_rng(9), []
    for _ in range(200):
        drawn = []
        for number in random.permutation(len(forms)):
            drawn += forms[number]
            if len(drawn) >= small:
                break
        ratios.append(len(set(drawn)) / len(drawn))
    assert value == pytest.approx(np.mean(ratios), rel=0.02)
    assert value > MEASURES["ttr"](whole) * 1.2
    low, high = samples.interval(MEASURES["ttr"])
    assert low < value < high
    shares = samples.value(MEASURES["head_initial"])
    assert shares["det"] == pytest.approx(MEASURES["head_initial"](whole)["det"], abs=0.05)


def test_sizes_of_several_treebanks():
    large, little = synthetic(900, seed=1), synthetic(300, seed=2)
    third = synthetic(500, seed=3)
    found = measure("words,ttr", large, little, third, size="smallest", interval=True, units="sentences")
    half = little.n_words // 2
    assert f"|size:{half}|draws:sentences|" in found.signature
    assert all(abs(row.value - half) < 5 for row in found.measured if row.measure == "words")
    assert {row.units for row in found.measured if row.measure == "ttr"} == {
        "900 sentences", "300 sentences", "500 sentences"
    }  # fmt: skip
    again = measure("words,ttr", large, little, third, size=half, interval=True, units="sentences")
    assert [row.value for row in again.measured] == [row.value for row in found.measured]
    few = measure("ttr", large, little, third, size=little.n_words - 50, interval=True, units="sentences")
    assert [row.note for row in few.measured if row.treebank == little.name] == [
        f"no interval: a sample of {little.n_words - 50:,} words is more than half of {little.n_words:,}"
    ]
    none = measure("ttr", large, little, size=little.n_words + 1).measured
    assert [row.missing is None for row in none] == [True, False]
    for wrong in ("tiny", 99, "-3"):
        with pytest.raises(TreegaugeError, match="size: expected a number of words, at least 100, or smallest"):
            measure("ttr", large, size=wrong)


def test_samples_of_documents_keep_documents_whole():
    treebank = documents(*[f"g{i}" for i in range(40)])
    samples = MatchedSamples(treebank, 100)
    assert samples.units.kind == "documents"
    sample = samples._sample(samples._taken(samples._orders[0]))
    assert sample.n_words == 100 and document_starts(sample).sum() == 20


def test_any_measure_has_a_figure_and_a_wide_table(tmp_path):
    names = ("UD_Greek-GDT", "UD_Welsh-CCG", "UD_Irish-IDT", "UD_Irish-TwittIrish")
    for number, name in enumerate(names):
        (tmp_path / name).mkdir()
        write_conllu(synthetic(60, seed=number), tmp_path / name / "x-ud-train.conllu")
    two = measured(measure("mdd,ttr", tmp_path))
    labels = {row["label"]: (row["genus"], row["mdd"]) for row in two["data"]["values"]}
    assert {name: genus for name, (genus, _) in labels.items()} == {
        "Greek": "Greek", "Welsh": "Celtic", "Irish-IDT": "Celtic", "Irish-TwittIrish": "Celtic"
    }  # fmt: skip
    assert labels["Welsh"][1] == measure("mdd", tmp_path / "UD_Welsh-CCG")["mdd"]
    one = measured(measure("mdd", tmp_path, interval=True))
    order = one["layer"][1]["encoding"]["y"]["sort"]
    values = {row["label"]: row["value"] for row in one["data"]["values"]}
    assert order == sorted(values, key=lambda label: -values[label])
    assert all(row["low"] < row["value"] < row["high"] for row in one["data"]["values"])
    named = measured(measure("head_initial", tmp_path / "UD_Greek-GDT"))
    assert {row["label"] for row in named["data"]["values"]} == set(
        measure("head_initial", tmp_path / "UD_Greek-GDT")["head_initial"]
    )
    done = invoke(["measure", "mdd,head_initial", str(tmp_path), "--format", "wide", "-o", str(tmp_path / "t.csv")])
    assert done.exit_code == 0, done.stderr
    table = list(csv.DictReader(io.StringIO((tmp_path / "t.csv").read_text(encoding="utf-8"))))
    assert [row["treebank"] for row in table] == sorted(names)
    assert [row["genus"] for row in table] == ["Greek", "Celtic", "Celtic", "Celtic"]
    assert (
        float(table[0]["head_initial:det"]) == measure("head_initial", tmp_path / "UD_Greek-GDT")["head_initial"]["det"]
    )
