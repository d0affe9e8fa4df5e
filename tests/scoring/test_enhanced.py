"""ELAS and EULAS: enhanced edges, each counted once."""

from random import Random

import pytest

from tools.fuzz.official import KINDS
from treegauge.scoring.metrics.enhanced import collapsed_deps
from treegauge.treebanks.data.conllu import parse_conllu
from treegauge.treebanks.data.problems import ConlluError

from .oracle import assert_parity, conllu, counts, four, official, ok, ours, row


def edges(first: str, second: str, third: str = "_") -> str:
    """Write a sentence of three words with these enhanced edges."""
    return conllu(
        [row(1, "a", 0, "root", deps=first), row(2, "b", 1, "obj", deps=second), row(3, "c", 1, "conj", deps=third)]
    )


GOLD = edges("0:root", "1:obj|3:obj:x", "1:conj:and>obl:in")


@pytest.mark.parametrize(
    ("system", "elas", "eulas"),
    [
        (GOLD, (4, 4, 4), (4, 4, 4)),
        (edges("0:root", "1:obj|3:obj:y", "1:conj:and>obl:in"), (3, 4, 4), (4, 4, 4)),
        (edges("0:root", "1:obj|3:obj", "1:conj>obl"), (2, 4, 4), (4, 4, 4)),
        (edges("0:root", "1:obj", "1:conj:and"), (2, 4, 3), (2, 4, 3)),
        (edges("2:root", "0:obj|3:obj:x", "2:conj:and>obl:in"), (1, 4, 4), (1, 4, 4)),
        (edges("_", "_", "_"), (0, 4, 0), (0, 4, 0)),
    ],
    ids=["same", "subtype", "no subtypes", "path and edge missing", "other heads", "nothing"],
)
def test_hand_counted_edges(system, elas, eulas):
    scores = assert_parity(GOLD, system)
    assert four(scores, "ELAS") == (*elas, None)
    assert four(scores, "EULAS") == (*eulas, None)


def test_edges_to_empty_nodes_are_dropped():
    gold = edges("0:root|2.1:obj", "1:obj", "2.1:conj")
    scores = assert_parity(gold, edges("0:root", "1:obj|1.1:x", "1:conj"))
    assert four(scores, "ELAS") == (2, 2, 3, None)


@pytest.mark.parametrize("head", [" 1", "+1", "1 ", "01", "\u0661"])
def test_heads_are_numbers_as_the_official_scorer_reads_them(head):
    scores = assert_parity(GOLD, edges("0:root", f"{head}:obj|3:obj:x", "1:conj:and>obl:in"))
    assert four(scores, "ELAS") == (4, 4, 4, None)


def test_a_negative_head_is_refused_since_it_would_be_a_word_of_another_sentence():
    with pytest.raises(ConlluError, match="-1:obj"):
        ours(GOLD, edges("0:root", "-1:obj", "_"), enhanced=True)


def test_heads_of_edges_survive_other_segmentation():
    gold = conllu([row(1, "ab", 2, "obj", deps="2:obj"), row(2, "c", 0, "root", deps="0:root")])
    system = conllu(
        [
            row(1, "a", 3, "obj", deps="3:obj"),
            row(2, "b", 1, "obj", deps="1:obj"),
            row(3, "c", 0, "root", deps="0:root|2:obj"),
        ]
    )
    assert four(assert_parity(gold, system), "ELAS") == (1, 2, 4, None)


def test_repeated_edges_cannot_score_more_than_there_are():
    data = edges("0:root", "1:obj|1:obj")
    assert official(data, data)["ELAS"].correct == 5
    assert official(data, data)["ELAS"].f1 > 1
    assert four(ours(data, data, enhanced=True), "ELAS") == (3, 3, 3, None)
    single = edges("0:root", "1:obj")
    assert four(ours(data, single, enhanced=True), "ELAS") == (2, 3, 2, None)


def test_edges_that_differ_in_subtypes_alone_match_one_to_one_without_them():
    data = edges("0:root", "1:obj:x|1:obj:y")
    assert official(data, data)["EULAS"].correct == 5
    scores = ours(data, data, enhanced=True)
    assert four(scores, "ELAS") == four(scores, "EULAS") == (3, 3, 3, None)


def test_enhanced_edges_are_scored_on_request():
    assert "ELAS" not in counts(ours(GOLD, GOLD))
    assert ours(GOLD, GOLD, enhanced=True).signature.count("enhanced:yes") == 1


def test_every_malformed_field_is_told_with_its_line():
    bad = edges("0:root", "obj", "9:conj")
    with pytest.raises(ConlluError) as caught:
        ours(GOLD, bad, enhanced=True)
    assert [(problem.kind, problem.line) for problem in caught.value.problems] == [("deps", 2), ("deps", 3)]


# ------------------------------------------------------------------ types of enhancement of IWPT

STEPS = ("obj", "nsubj", "nsubj:xsubj", "conj", "conj:and", "obl:in", "nmod:of", "obl:pass", "ref",
         "nmod:gobj:of", "conj:and>nsubj", "advcl:if>obl:arg", "ref>obj")  # fmt: skip
RELATIONS = ("obj", "nsubj:pass", "xcomp", "acl:relcl", "conj", "acl", "obl:arg")


def random_sentence(random, heads, relations) -> list[str]:
    """Write a sentence with random enhanced edges, none of a word twice even without subtypes."""
    lines = []
    for i, (head, relation) in enumerate(zip(heads, relations, strict=True), 1):
        chosen = {}
        for step in random.sample(STEPS, random.randint(1, 3)):
            edge = (random.randint(0, len(heads)), step)
            chosen[edge[0], tuple(part.split(":")[0] for part in step.split(">"))] = edge
        deps = "|".join(f"{h}:{step}" for h, step in sorted(chosen.values()))
        lines.append(row(i, f"w{i}", head, relation, deps=deps))
    return lines


def random_pair(seed: int) -> tuple[str, str]:
    random = Random(seed)
    gold, system = [], []
    for _ in range(30):
        n = random.randint(2, 6)
        heads = [0, *(random.randint(1, i) for i in range(1, n))]
        relations = ["root", *random.choices(RELATIONS, k=n - 1)]
        gold.append(random_sentence(random, heads, relations))
        system.append(random_sentence(random, heads, relations))
        if random.random() < 0.5:
            system[-1] = gold[-1]
    return conllu(*gold), conllu(*system)


@pytest.mark.parametrize("codes", ["1", "2", "3", "4", "5", "6", "15", "46", "246"])
@pytest.mark.parametrize("seed", range(3))
def test_types_left_out_give_the_counts_of_the_official_script(codes, seed):
    gold, system = random_pair(seed)
    theirs = official(gold, system, **{KINDS[code]: True for code in codes})["ELAS"]
    found = four(ours(gold, system, enhanced=True, enhancements=codes), "ELAS")
    assert found[1:3] == (theirs.gold_total, theirs.system_total)
    assert found[0] <= theirs.correct
    plain = four(ours(gold, system, enhanced=True), "ELAS")
    assert (found[1] < plain[1]) == bool(set(codes) & set("245"))


@pytest.mark.parametrize("codes", ["4", "24", "3"])
def test_edges_that_stay_distinct_are_counted_alike(codes):
    for seed in range(5):
        gold, system = random_pair(seed)
        theirs = official(gold, system, **{KINDS[code]: True for code in codes})
        found = ours(gold, system, enhanced=True, enhancements=codes)
        for metric in ("ELAS", "EULAS"):
            one = theirs[metric]
            assert four(found, metric)[:3] == (one.correct, one.gold_total, one.system_total)


def test_gapping_leaves_the_basic_edge():
    gold = edges("0:root", "3:conj>obj", "1:conj")
    for deps, right in (("1:obj", 3), ("3:conj>obj", 3), ("1:obl", 2)):
        found = four(ours(gold, edges("0:root", deps, "1:conj"), enhanced=True, enhancements="1"), "ELAS")
        assert found == (right, 3, 3, None)
    theirs = official(gold, gold, no_gapping=True)["ELAS"]
    assert (theirs.correct, theirs.gold_total) == (3, 3)


@pytest.mark.parametrize(("codes", "deps"), [("1", "0:conj>obj"), ("5", "2:ref"), ("15", "0:root|2:conj>obj|2:ref")])
def test_the_basic_edge_of_a_root_is_never_correct_as_in_the_official_script(codes, deps):
    data = edges(deps, "1:obj", "1:conj")
    theirs = official(data, data, **{KINDS[code]: True for code in codes})
    scores = ours(data, data, enhanced=True, enhancements=codes)
    assert theirs["EULAS"].correct < theirs["EULAS"].gold_total
    for metric in ("ELAS", "EULAS"):
        one = theirs[metric]
        assert four(scores, metric)[:3] == (one.correct, one.gold_total, one.system_total)


def test_codes_are_checked_and_signed(cli, files):
    code, _, said = cli(files["gold"], files["good"], "--metric", "ELAS(without=17)")
    assert code == 2
    assert "got '17'" in said
    assert "1 gapping" in said
    _, text, said = cli(files["gold"], files["good"], "--metric", "all,ELAS(without=31)")
    assert "|enhanced:yes|without:13|" in text
    assert "enhancement 3 changes nothing" in said
    assert "ELAS" in text
    assert "|empty:collapsed|" in ok(cli(files["gold"], files["good"], "--metric", "ELAS(collapse=yes)"))


# -------------------------------------------------------------------------- empty nodes collapsed


def test_paths_over_empty_nodes_become_edges():
    lines = [
        row(1, "a", 0, "root", deps="0:root"),
        row(2, "b", 1, "conj", deps="2.1:nsubj|1:x"),
        row("2.1", "_", deps="1:conj:and|2.2:dep"),
        row("2.2", "_", deps="2.1:dep|3:obl"),
        row(3, "c", 2, "orphan", deps="2.1:obj"),
    ]
    treebank = parse_conllu(conllu(lines))
    assert collapsed_deps(treebank) == [
        "0:root", "1:conj:and>nsubj|3:obl>dep>nsubj|1:x", "1:conj:and>obj|3:obl>dep>obj",
    ]  # fmt: skip


def test_collapsed_files_score_as_files_that_were_collapsed_before():
    with_node = conllu([
        row(1, "a", 0, "root", deps="0:root"), row(2, "b", 1, "conj", deps="2.1:nsubj"),
        row("2.1", "_", deps="1:conj"), row(3, "c", 2, "orphan", deps="2.1:obj"),
    ])  # fmt: skip
    before = conllu([
        row(1, "a", 0, "root", deps="0:root"), row(2, "b", 1, "conj", deps="1:conj>nsubj"),
        row(3, "c", 2, "orphan", deps="1:conj>obl"),
    ])  # fmt: skip
    assert four(ours(with_node, before, enhanced=True, collapse=True), "ELAS") == (2, 3, 3, None)
    assert four(ours(with_node, before, enhanced=True), "ELAS") == (1, 1, 3, None)
