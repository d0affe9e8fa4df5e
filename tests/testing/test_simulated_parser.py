"""An imaginary parser is as good as it is told to be, and its output is valid."""

import io
from functools import cache
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from udtools import Validator, udeval

from treegauge.core.errors import TreegaugeError
from treegauge.testing.grammar import Grammar, uniforms
from treegauge.testing.simulated_parser import Accuracy, simulated_parse
from treegauge.testing.synthetic import can_be_head, other_head, other_relation, perturb, swap_root, synthetic_conllu
from treegauge.treebanks.data import trees

GOLD = synthetic_conllu(400, Grammar(nonprojectivity=0.2, contractions=0.3), seed=11)
ENHANCEMENTS = (
    "no_gapping no_shared_parents_in_coordination no_shared_dependents_in_coordination no_control "
    "no_external_arguments_of_relative_clauses no_case_info no_empty_nodes multiple_roots_okay"
)
RIGHT = Accuracy(1, 1, 1, 1, 1)


@cache
def load(text: str) -> object:
    return udeval.load_conllu(io.StringIO(text), "", dict.fromkeys(ENHANCEMENTS.split(), 0))


@cache
def scores(accuracy: Accuracy, seed: int) -> dict[str, float]:
    """Score an imaginary parser with the official script."""
    system = load(simulated_parse(GOLD, accuracy, seed=seed))
    return {metric: score.f1 for metric, score in udeval.evaluate(load(GOLD), system).items()}


def rows(text: str) -> list[list[str]]:
    found = [line.split("\t") for line in text.split("\n") if line[:1].isdigit()]
    return [row for row in found if row[0].isdigit()]


@cache
def validator(level: int) -> Validator:
    """Load the official validator once, for no language in particular."""
    return Validator(lang="ud", level=level, output=None)


def is_valid(text: str) -> bool:
    checker = validator(2)
    state = checker.validate_file_handle(io.StringIO(text))
    checker.validate_end(state)
    return bool(state)


def test_a_perfect_parser_changes_nothing():
    assert simulated_parse(GOLD, RIGHT, seed=1) == GOLD


@pytest.mark.parametrize("bias", [0, 1])
@pytest.mark.parametrize("level", [0.95, 0.8, 0.5])
def test_official_scores_are_what_was_asked_for(level, bias):
    accuracy = Accuracy(level, level, level, level, level, bias)
    found = scores(accuracy, 1)
    words = len(rows(GOLD))
    error = 4 * sqrt(level * (1 - level) / words) + 0.005
    assert found["Words"] == 1
    for metric in ("UAS", "UPOS", "Lemmas"):
        assert found[metric] == pytest.approx(level, abs=error)
    # Some wrong tags carry an XPOS or FEATS that happens to be right.
    assert level - error <= found["UFeats"] < 1
    assert found["LAS"] < found["UAS"]


def test_better_parsers_score_better_in_the_true_order():
    qualities = [0.95, 0.92, 0.88, 0.8, 0.6]
    las = [scores(Accuracy(heads=heads), seed)["LAS"] for seed, heads in enumerate(qualities)]
    assert las == sorted(las, reverse=True)


@pytest.mark.parametrize("accuracy", [Accuracy(), Accuracy(0.5, 0.5), Accuracy(0.1, 0.1, 0.1, 0.1, 0.1)], ids=str)
def test_output_passes_level_2(accuracy):
    text = synthetic_conllu(80, seed=3)
    assert is_valid(simulated_parse(text, accuracy, seed=4))


@cache
def wrong_heads(bias: float) -> tuple[np.ndarray, list[list[str]]]:
    text = synthetic_conllu(1500, Grammar(nonprojectivity=0.2), seed=12)
    gold = rows(text)
    system = rows(simulated_parse(text, Accuracy(heads=0.85, bias=bias), seed=5))
    return np.array([a[6] != b[6] for a, b in zip(gold, system, strict=True)]), gold


def test_long_arcs_nonprojective_arcs_and_rare_relations_go_wrong_more_often():
    wrong, gold = wrong_heads(bias=1)
    starts = [i for i, row in enumerate(gold) if row[0] == "1"]
    heads = [int(row[6]) for row in gold]
    offsets = [*starts, len(gold)]
    length = np.abs(trees.displacement(heads, offsets))
    projective = trees.is_projective_arc(heads, offsets)
    relation = np.array([row[7] for row in gold])
    assert wrong[length == 1].mean() < wrong[(length > 2) & (length < 5)].mean()
    assert wrong[(length > 2) & (length < 5)].mean() < wrong[length > 8].mean()
    assert wrong[~projective].mean() > 1.5 * wrong[projective & (length > 2)].mean()
    near = (length == 1) & projective
    assert wrong[near & (relation == "iobj")].mean() > wrong[near & (relation == "obj")].mean()


def test_without_bias_all_arcs_are_equally_hard():
    wrong, gold = wrong_heads(bias=0)
    length = np.array([abs(int(row[0]) - int(row[6])) for row in gold])
    deprel = np.array([row[7] for row in gold])
    near, far = wrong[(length == 1) & (deprel != "root")], wrong[(length > 5) & (deprel != "root")]
    error = sqrt(0.85 * 0.15 * (1 / len(near) + 1 / len(far)))
    assert abs(near.mean() - far.mean()) < 4 * error


def test_one_seed_errs_at_the_same_words_and_two_seeds_independently():
    def wrong(heads: float, seed: int) -> np.ndarray:
        system = rows(simulated_parse(GOLD, Accuracy(heads=heads, bias=0), seed=seed))
        return np.array([a[6] != b[6] for a, b in zip(rows(GOLD), system, strict=True)])

    weak, strong, other = wrong(0.8, 1), wrong(0.9, 1), wrong(0.9, 2)
    assert weak[strong].mean() > 0.9
    assert weak[other].mean() == pytest.approx(0.2, abs=0.03)
    assert (wrong(0.8, 1) == weak).all()


def test_forms_comments_and_tokens_stay_and_windows_line_ends_too():
    text = synthetic_conllu(30, Grammar(contractions=0.5), seed=1).replace("\n", "\r\n")
    system = simulated_parse(text, Accuracy(0.5, 0.5, 0.5, 0.5, 0.5), seed=1)
    assert system != text
    for before, after in zip(text.split("\n"), system.split("\n"), strict=True):
        if before[:1].isdigit() and "-" not in before.split("\t")[0]:
            assert before.split("\t")[:2] == after.split("\t")[:2]
            assert before.split("\t")[9] == after.split("\t")[9]
        else:
            assert before == after


def test_columns_without_annotation_stay_without():
    bare = [
        "\t".join([*row[:2], "_", row[3], "_", "_", *row[6:8], "_", row[9]])
        for row in rows(synthetic_conllu(1, seed=1))
    ]
    system = rows(simulated_parse("\n".join(bare) + "\n\n", Accuracy(0.1, 0.1), seed=1))
    assert {(row[2], row[4], row[5], row[8]) for row in system} == {("_", "_", "_", "_")}


def test_empty_text_stays_empty():
    assert simulated_parse("", seed=1) == ""
    assert simulated_parse("# nothing\n", seed=1) == "# nothing\n"


LINE = "{}\tx\tx\tX\t_\t_\t{}\tdep\t_\t_\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LINE.format(1, 2) + LINE.format(2, 1) + "\n", "text:1: error: no-root"),
        (LINE.format(1, 0) + LINE.format(2, 0) + "\n", "text:1: error: several-roots"),
        ("# x\n" + LINE.format(1, 5) + "\n", "text:2: error: head-range"),
        (LINE.format(1, "_") + "\n", "text:1: error: head"),
        ("1\tx\n\n", "text:1: error: columns"),
    ],
)
def test_what_is_no_tree_is_refused_by_line(text, message):
    with pytest.raises(TreegaugeError, match=message):
        simulated_parse(text, seed=1)


def test_an_accuracy_out_of_range_is_named_with_its_range():
    with pytest.raises(TreegaugeError, match=r"tags is 97; expected a number from 0.1 to 1"):
        Accuracy(tags=97)


@st.composite
def random_trees(draw: st.DrawFn) -> list[int]:
    """Draw heads (from index 1 on) of any tree over up to 12 words."""
    size = draw(st.integers(1, 12))
    order = draw(st.permutations(range(1, size + 1)))
    heads = [0] * (size + 1)
    for i in range(1, size):
        heads[order[i]] = order[draw(st.integers(0, i - 1))]
    return heads


@settings(max_examples=150, deadline=None)
@given(random_trees(), st.floats(0, 1), st.floats(0, 1), st.integers(0, 2**32))
def test_perturbed_trees_are_trees_and_only_chosen_words_and_roots_change(heads, rate, relabel, seed):
    uniform = uniforms(seed)
    chosen = [word for word in range(1, len(heads)) if uniform() < rate]
    relations = ["", *("root" if head == 0 else "obj" for head in heads[1:])]
    new_heads, new_relations = heads.copy(), relations.copy()
    perturb(new_heads, new_relations, chosen, uniform, relabel=relabel)
    assert trees.is_tree(new_heads[1:]).all()
    assert [head == 0 for head in new_heads[1:]] == [name == "root" for name in new_relations[1:]]
    changed = {
        word
        for word in range(1, len(heads))
        if (heads[word], relations[word]) != (new_heads[word], new_relations[word])
    }
    roots = {heads.index(0, 1), new_heads.index(0, 1)}
    assert changed <= {*chosen, *roots}
    if not chosen:
        assert not changed


def test_other_heads_and_relations():
    assert other_relation("nsubj:pass", lambda: 0.0) == "obj"
    chain = [0, 2, 0, 2, 3]
    assert can_be_head(chain, 3, 1)
    assert not can_be_head(chain, 3, 4)  # below the word
    assert not can_be_head(chain, 3, 3)
    assert not can_be_head(chain, 3, 2)  # its head
    assert other_head([0, 2, 0, 2], 3, lambda: 0.0) == 1
    assert other_head([0, 2, 0], 1, lambda: 0.0) is None
    heads, relations = [0, 2, 0], ["", "nsubj", "root"]
    swap_root(heads, relations, 1)
    assert (heads, relations) == ([0, 0, 1], ["", "root", "nsubj"])
