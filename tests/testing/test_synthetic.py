"""Invented treebanks are valid UD, reproducible, and as the grammar says."""

import io
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from math import log2, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from udtools import Validator

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic_conllu

ORDERS = ["SVO", "SOV", "VSO", "VOS", "OVS", "OSV"]
FUNCTION = {"ADP", "DET", "AUX", "SCONJ", "CCONJ"}


@cache
def validator(level: int) -> Validator:
    """Load the official validator once, for no language in particular."""
    return Validator(lang="ud", level=level, output=None)


def incidents(text: str, level: int, *, whole: bool = False) -> list[str]:
    """List errors and warnings in sentences, and those about the treebank as a whole if asked."""
    checker = validator(level)
    state = checker.validate_file_handle(io.StringIO(text))
    if whole:
        checker.validate_end(state)
    return [str(incident) for incident in state.error_tracker]


def sentences(text: str) -> Iterator[list[list[str]]]:
    """Give the words of each sentence, without comments and multiword tokens."""
    for block in text.removesuffix("\n\n").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        yield [row for row in rows if "-" not in row[0]]


def words(text: str) -> list[list[str]]:
    return [row for sentence in sentences(text) for row in sentence]


def heads(sentence: list[list[str]]) -> list[int]:
    return [int(row[6]) for row in sentence]


def rising(values: list[float], step: float = 0.0) -> bool:
    return all(b - a > step for a, b in pairwise(values))


# -------------------------------------------------------------------------------------- validity

EXTREMES = [
    {},
    {"order_freedom": 1, "nonprojectivity": 1, "contractions": 1},
    {"function_words": 0, "case_marking": 0},
    {"function_words": 1, "case_marking": 1, "contractions": 1},
    {"length": 3, "vocabulary": 10},
    {"length": 40, "nonprojectivity": 0.3},
]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("parameters", EXTREMES, ids=str)
def test_without_noise_passes_level_3_with_no_error_and_no_warning(order, parameters):
    grammar = Grammar(basic_order=order, **parameters)
    assert incidents(synthetic_conllu(15, grammar, seed=5), level=3) == []


def test_the_default_treebank_passes_level_3_as_a_whole():
    assert incidents(synthetic_conllu(300, seed=1), level=3, whole=True) == []


@pytest.mark.parametrize("noise", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("parameters", EXTREMES, ids=str)
def test_with_noise_passes_level_2(noise, parameters):
    grammar = Grammar(label_noise=noise, **parameters)
    assert incidents(synthetic_conllu(15, grammar, seed=5), level=2) == []


share = st.floats(0, 1)
grammars = st.builds(
    Grammar,
    basic_order=st.sampled_from(ORDERS),
    order_freedom=share,
    case_marking=share,
    function_words=share,
    nonprojectivity=share,
    contractions=share,
    vocabulary=st.integers(10, 100_000),
    zipf=st.floats(0, 4),
    length=st.floats(3, 40),
    label_noise=share,
    language=st.integers(0, 2**32 - 1),
)


@settings(max_examples=25, deadline=None)
@given(grammars, st.integers(0, 2**63 - 1), st.integers(0, 10**12))
def test_any_grammar_any_seed_pass_level_2(grammar, seed, start):
    assert incidents(synthetic_conllu(10, grammar, seed=seed, start=start), level=2) == []


def test_the_validator_would_notice():
    text = synthetic_conllu(5, seed=1)
    assert incidents(text.replace("\t0\troot\t0:root", "\t1\troot\t1:root", 1), level=2)


# ------------------------------------------------------------------------------- reproducibility


@settings(max_examples=20, deadline=None)
@given(grammars, st.integers(0, 2**40), st.integers(0, 50), st.integers(0, 25), st.integers(0, 25))
def test_shards_drawn_apart_make_up_the_whole(grammar, seed, start, left, right):
    whole = synthetic_conllu(left + right, grammar, seed=seed, start=start)
    first = synthetic_conllu(left, grammar, seed=seed, start=start)
    second = synthetic_conllu(right, grammar, seed=seed, start=start + left)
    assert first + second == whole


def test_seed_and_language_are_separate():
    lemmas = {
        (seed, language): {
            row[2]
            for row in words(synthetic_conllu(300, Grammar(language=language, vocabulary=500), seed=seed))
            if row[3] in {"NOUN", "VERB"}
        }
        for seed in (1, 2)
        for language in (1, 2)
    }
    shared = len(lemmas[1, 1] & lemmas[2, 1]) / len(lemmas[1, 1])
    assert shared > 0.5
    assert len(lemmas[1, 1] & lemmas[1, 2]) / len(lemmas[1, 1]) < 0.1
    assert synthetic_conllu(5, seed=1) != synthetic_conllu(5, seed=2)


def test_sentence_ids_are_unique_and_documents_have_twenty_sentences():
    lines = synthetic_conllu(1000, Grammar(length=4), seed=1, prefix="demo").split("\n")
    ids = [line for line in lines if line.startswith("# sent_id = demo-")]
    assert len(set(ids)) == len(ids) == 1000
    documents = [line for line in lines if line.startswith("# newdoc id = demo-d")]
    assert len(set(documents)) == len(documents) == 50


# ---------------------------------------------------------------------------------------- layers


def test_every_layer_is_there():
    text = synthetic_conllu(1000, Grammar(contractions=0.5), seed=2)
    rows = words(text)
    columns = list(zip(*rows, strict=True))
    assert all("_" not in columns[i] for i in (1, 2, 3, 4, 6, 7, 8))
    assert set(columns[3]) == {
        *("NOUN", "VERB", "ADJ", "ADV", "PROPN", "PRON", "NUM", "INTJ"),
        *("ADP", "DET", "AUX", "SCONJ", "CCONJ", "PART", "PUNCT"),
    }
    relations = set(columns[7])
    assert {"nsubj:pass", "aux:pass", "acl:relcl", "nmod:poss", "flat:name", "obl:agent"} <= (relations)
    assert {"conj", "ccomp", "xcomp", "advcl", "acl", "appos", "cop", "iobj", "discourse"} <= (relations)
    assert any(deps.count("|") and "nsubj" in deps for deps in columns[8])
    assert "\tSpaceAfter=No\n" in text
    assert len(set(map(len, sentences(text)))) > 20


def test_deps_are_the_tree_with_linkers_and_shared_subjects():
    extra = 0
    for sentence in sentences(synthetic_conllu(1000, seed=3)):
        for row in sentence:
            edges = [edge.split(":", 1) for edge in row[8].split("|")]
            assert any(head == row[6] and name.startswith(row[7]) for head, name in edges)
            for head, name in edges:
                if head != row[6]:
                    extra += 1
                    second = sentence[int(head) - 1]
                    assert name == row[7] == "nsubj"
                    assert (second[6], second[7]) == (row[6], "conj")
    assert extra > 20


def test_multiword_tokens_join_an_adposition_to_its_neighbour():
    for order, pair in (("SVO", ["ADP", "DET"]), ("SOV", ["NOUN", "ADP"])):
        text = synthetic_conllu(300, Grammar(basic_order=order, contractions=1), seed=4)
        found = []
        for block in text.split("\n\n"):
            rows = [line.split("\t") for line in block.split("\n") if line[:1].isdigit()]
            found += [[rows[i + 1][3], rows[i + 2][3]] for i, row in enumerate(rows) if "-" in row[0]]
        assert len(found) > 100
        assert found.count(pair) > 0.5 * len(found)


def test_lemmas_of_the_open_classes_are_unambiguous():
    rows = words(synthetic_conllu(1000, seed=1))
    tags = {(row[2], row[3]) for row in rows if row[3] not in {"PART", "NUM", "PUNCT"}}
    assert len(tags) == len({lemma for lemma, _ in tags})


# parameters


@cache
def draw(count: int = 400, **parameters: object) -> str:
    return synthetic_conllu(count, Grammar(**parameters), seed=7)


def clause_orders(text: str) -> Counter[str]:
    """Count the orders of subject, verb and object, relative pronouns aside."""
    orders: Counter[str] = Counter()
    for sentence in sentences(text):
        parts: dict[int, dict[str, int]] = {}
        for i, row in enumerate(sentence, start=1):
            if row[7] in {"nsubj", "obj"} and "PronType=Rel" not in row[5]:
                parts.setdefault(int(row[6]), {})["S" if row[7] == "nsubj" else "O"] = i
        for verb, places in parts.items():
            if len(places) == 2:
                places["V"] = verb
                orders["".join(sorted(places, key=places.__getitem__))] += 1
    return orders


def entropy(counts: Counter[str]) -> float:
    total = counts.total()
    return sum(-count / total * log2(count / total) for count in counts.values())


@pytest.mark.parametrize("order", ORDERS)
def test_without_freedom_every_clause_has_the_basic_order(order):
    assert set(clause_orders(draw(200, basic_order=order, order_freedom=0))) == {order}


def test_order_freedom_raises_the_entropy_of_clause_orders_up_to_that_of_a_die():
    found = [entropy(clause_orders(draw(order_freedom=f))) for f in (0, 0.2, 0.4, 0.7, 1)]
    assert found[0] == 0
    assert rising(found, 0.05)
    assert found[-1] == pytest.approx(log2(6), abs=0.02)


def nonprojective_share(text: str) -> float:
    """Find arcs over a word that is not below the head, straight from the definition."""
    crossed = total = 0
    for sentence in sentences(text):
        up = [0, *heads(sentence)]
        for word in range(1, len(up)):
            ancestors = set()
            for between in range(min(word, up[word]) + 1, max(word, up[word])):
                node = between
                while node and node != up[word]:
                    node = up[node]
                ancestors.add(node)
            crossed += bool(up[word]) and 0 in ancestors
            total += 1
    return crossed / total


def test_nonprojectivity_raises_the_share_of_nonprojective_arcs_from_none():
    found = [nonprojective_share(draw(300, nonprojectivity=p)) for p in (0, 0.1, 0.3, 0.6, 1)]
    assert found[0] == 0
    assert rising(found, 0.005)


def test_function_words_raise_the_share_of_function_words_from_none():
    found = []
    for rate in (0, 0.25, 0.5, 0.75, 1):
        tags = [row[3] for row in words(draw(300, function_words=rate))]
        found.append(sum(tag in FUNCTION for tag in tags) / len(tags))
    assert found[0] == 0
    assert rising(found, 0.04)


@pytest.mark.parametrize("marking", [0, 0.25, 0.5, 0.75, 1])
def test_case_marking_is_the_share_of_nominals_with_case(marking):
    nominals = [
        "Case=" in row[5]
        for row in words(draw(300, case_marking=marking))
        if row[3] == "NOUN" or ("PronType=Prs" in row[5] and "Poss" not in row[5])
    ]
    error = sqrt(marking * (1 - marking) / len(nominals))
    assert abs(np.mean(nominals) - marking) <= 4 * error


def type_token_ratio(text: str) -> float:
    lemmas = [row[2] for row in words(text)]
    return len(set(lemmas)) / len(lemmas)


def test_vocabulary_raises_and_zipf_lowers_the_type_token_ratio():
    assert rising([type_token_ratio(draw(vocabulary=v)) for v in (50, 500, 5000, 50_000)], 0.01)
    assert rising([-type_token_ratio(draw(zipf=z)) for z in (0, 0.7, 1, 1.5, 2.5)], 0.01)


@pytest.mark.parametrize("length", [5, 10, 20, 40])
def test_length_is_the_mean_number_of_words(length):
    sizes = [len(sentence) for sentence in sentences(draw(600, length=length))]
    error = np.std(sizes) / sqrt(len(sizes))
    assert abs(np.mean(sizes) - length) <= 0.08 * length + 3 * error


def test_contractions_raise_the_number_of_multiword_tokens_from_none():
    found = [
        sum("-" in line.split("\t")[0] for line in draw(300, contractions=c).split("\n") if line[:1].isdigit())
        for c in (0, 0.3, 0.6, 1)
    ]
    assert found[0] == 0
    assert rising(found, 10)


# ----------------------------------------------------------------------------------------- noise


@pytest.mark.parametrize("noise", [0.02, 0.1, 0.3, 0.7])
def test_label_noise_is_the_share_of_words_with_a_wrong_head_or_relation(noise):
    clean, noisy = words(draw(600)), words(draw(600, label_noise=noise))
    assert [row[:6] for row in clean] == [row[:6] for row in noisy]
    changed = [a[6:8] != b[6:8] for a, b in zip(clean, noisy, strict=True)]
    error = sqrt(noise * (1 - noise) / len(changed))
    assert abs(np.mean(changed) - noise) <= 4 * error


def test_what_noise_changed_is_kept_in_misc():
    clean, noisy = words(draw(300)), words(draw(300, label_noise=0.2))
    for right, wrong in zip(clean, noisy, strict=True):
        truth = dict(pair.split("=", 1) for pair in wrong[9].split("|") if "=" in pair)
        assert truth.get("TrueHead", wrong[6]) == right[6]
        assert truth.get("TrueDeprel", wrong[7]) == right[7]
        assert ("TrueHead" in truth) == (right[6:8] != wrong[6:8])


def test_noise_changes_heads_relations_and_roots():
    clean, noisy = words(draw(600)), words(draw(600, label_noise=0.1))
    pairs = list(zip(clean, noisy, strict=True))
    moved = sum(a[6] != b[6] for a, b in pairs)
    renamed = sum(a[6] == b[6] and a[7] != b[7] for a, b in pairs)
    uprooted = sum(a[7] == "root" != b[7] for a, b in pairs)
    assert min(moved, renamed) > 0.3 * (moved + renamed)
    assert 12 < uprooted < 60


# ---------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"order_freedom": 1.5}, "order_freedom is 1.5; expected a number from 0 to 1"),
        ({"case_marking": -0.1}, "case_marking is -0.1; expected a number from 0 to 1"),
        ({"length": float("nan")}, "length is nan; expected a number from 3 to 200"),
        ({"length": "9"}, "length is '9'; expected a number from 3 to 200"),
        ({"vocabulary": 9}, "vocabulary is 9; expected a whole number from 10 to 1000000"),
        ({"vocabulary": 99.5}, "vocabulary is 99.5; expected a whole number"),
        ({"label_noise": True}, "label_noise is True; expected a number from 0 to 1"),
    ],
)
def test_a_parameter_out_of_range_is_named_with_its_range(parameters, message):
    with pytest.raises(TreegaugeError, match=message):
        Grammar(**parameters)


def test_an_unknown_order_is_answered_with_the_six():
    with pytest.raises(ChoiceError, match=r"unknown basic_order 'SOP'.*SVO, SOV, VSO"):
        Grammar(basic_order="SOP")


def test_bad_requests_are_refused():
    with pytest.raises(TreegaugeError, match="seed is -1"):
        synthetic_conllu(1, seed=-1)
    with pytest.raises(TreegaugeError, match="sentences is -1"):
        synthetic_conllu(-1, seed=1)
    for prefix in ("", "a b", "a/b"):
        with pytest.raises(TreegaugeError, match="prefix"):
            synthetic_conllu(1, seed=1, prefix=prefix)


def test_no_sentences_is_an_empty_text():
    assert synthetic_conllu(0, seed=1) == ""
