"""Contributions of sources: against the scorer, by hand, and with groups of words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import TreegaugeError
from treegauge.learning.contribution import Worth, break_even, contributions, word_groups
from treegauge.learning.source_panel import Panel
from treegauge.learning.weights import RatioEstimate
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics.convention import OFFICIAL, Convention
from treegauge.scoring.metrics.correct_words import PAPER_CLASSES
from treegauge.scoring.settings import ScoreOptions
from treegauge.treebanks.data.conllu import parse_conllu

CHALLENGES = Convention(punct=False)


def scored(gold, parsed, convention=OFFICIAL):
    options = ScoreOptions(convention=convention)
    metrics = evaluate(gold, parsed, options=options).systems[0].metrics
    return {name: metrics[name].f1 for name in ("UAS", "LAS")}


@pytest.mark.parametrize("convention", [OFFICIAL, CHALLENGES], ids=lambda one: one.name)
@pytest.mark.parametrize("metric", ["LAS", "UAS"])
def test_scores_are_the_scorers(asked, target, convention, metric):
    found = contributions(asked, target, metric=metric, convention=convention)
    assert [vote.left_out for vote in found.votes] == ["", "near", "free", "last"]
    label = convention.label(metric)
    assert found.table["metric"][0] == label
    assert label in found.shown().columns
    for vote in found.votes:
        for name, score in scored(target, asked.vote(vote.sources), convention).items():
            assert vote.scores[name]["overall"].value == pytest.approx(score)
            if vote.left_out:
                full = found.votes[0].scores[name]["overall"].value
                assert vote.gains[name]["overall"].value == pytest.approx(full - score)
                alone = scored(target, asked.vote([vote.left_out]), convention)[name]
                assert vote.alone[name].value == pytest.approx(alone)


@given(st.lists(st.sampled_from(["simple", "complex", None]), min_size=17, max_size=17))
@settings(max_examples=15, deadline=None)
def test_groups_part_the_words(asked, target, groupings):
    tags = sorted(set(target["upos"].to_list()))
    kinds = {tag: side for tag, side in zip(tags, groupings, strict=False) if side}
    groups = word_groups(target, kinds, by="upos")
    found = contributions(asked, target, groups, leave={"last": ("last",)})
    for tag_side in set(kinds.values()):
        own = np.isin(target["upos"].to_numpy(), [t for t, side in kinds.items() if side == tag_side])
        right = asked.vote().head == target.head
        assert found.votes[0].scores["UAS"][tag_side].value == pytest.approx(100 * right[own].mean())
        assert found.words[tag_side] == own.sum()
    if len(kinds) == len(tags):
        total = sum(found.words[g] * v.value for g, v in found.votes[0].scores["UAS"].items() if g != "overall")
        whole = found.votes[0].scores["UAS"]["overall"].value
        assert total / found.words["overall"] == pytest.approx(whole)
        gains = found.votes[1].gains["UAS"]
        parts = sum(found.words[g] * gains[g].value for g in gains if g != "overall")
        assert parts / found.words["overall"] == pytest.approx(gains["overall"].value)


def test_the_papers_classes_count_roots_as_right():
    rows = (
        "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tend\t_\tNOUN\t_\t_\t0\troot\t_\t_\n"
        "3\tof\t_\tADP\t_\t_\t4\tcase\t_\t_\n4\tday\t_\tNOUN\t_\t_\t2\tnmod\t_\t_\n"
        "5\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
    )
    kinds = {"NOUN × head right": "simple", "NOUN × head left": "complex"}
    groups = word_groups(parse_conllu(rows), kinds, by=PAPER_CLASSES, convention=CHALLENGES)
    assert np.flatnonzero(groups["overall"]).tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(groups["simple"]).tolist() == [1]
    assert np.flatnonzero(groups["complex"]).tolist() == [3]


def test_several_trainings_are_averaged(asked, target):
    other = Panel(asked.sources, asked.parses[::-1], asked.weights)
    both = contributions([asked, other], target).votes
    each = [contributions(one, target).votes for one in (asked, other)]
    for i, vote in enumerate(both):
        mean = np.mean([votes[i].scores["LAS"]["overall"].value for votes in each])
        assert vote.scores["LAS"]["overall"].value == pytest.approx(mean)
    assert "runs:2" in contributions([asked, other], target).signature


def test_groups_of_sources_can_be_left_out(asked, target):
    found = contributions(asked, target, leave={"two": ("near", "free")})
    assert [vote.sources for vote in found.votes] == [asked.sources, ("last",)]
    assert contributions(asked, target, leave={}).votes[0].gains == {}
    alone = Panel(("one",), asked.parses[:1], (1.0,))
    assert len(contributions(alone, target).votes) == 1


def test_sources_without_weight_still_speak_among_themselves(asked, target):
    found = contributions(Panel(asked.sources, asked.parses, (1.0, 0.0, 0.0)), target)
    equal = Panel(asked.sources, asked.parses, (1.0, 0.5, 0.5))
    without = found.votes[1]
    assert (without.left_out, without.sources) == ("near", ("free", "last"))
    for name, score in scored(target, equal.vote(["free", "last"])).items():
        assert without.scores[name]["overall"].value == pytest.approx(score)
        alone = scored(target, asked.parses[1])[name]
        assert found.votes[2].alone[name].value == pytest.approx(alone)


def test_a_group_may_have_any_name(asked, target):
    groups = {"las": target["upos"].to_numpy() == "NOUN"}
    found = contributions(asked, target, groups, leave={})
    right = (asked.vote().head == target.head)[groups["las"]].mean()
    assert found.votes[0].scores["UAS"]["las"].value == pytest.approx(100 * right)
    plain = contributions(asked, target, leave={}).votes[0].scores["LAS"]["overall"]
    assert found.votes[0].scores["LAS"]["overall"] == plain


def by_tens(group, score):
    return f"{group[0]}{score:.0f}", f"{score - 1:.0f}", f"{score + 1:.0f}"


def test_worth_on_a_curve(asked, target):
    found = contributions(asked, target, place=by_tens)
    first = found.votes[0]
    worth = first.worth["overall"]
    assert worth.sentences == f"o{first.scores['LAS']['overall'].value:.0f}"
    assert float(worth.at_least) < first.scores["LAS"]["overall"].value < float(worth.at_most)
    assert f"Transfer is worth {worth.sentences} annotated sentences" in str(found)
    assert found.to_dict()["advice"] == found.advice
    assert found.shown()["worth overall"][0] == worth.sentences
    assert contributions(asked, target).advice is None


def test_break_even_stays_within_percents():
    seen = []

    def place(group, score):
        seen.append(score)
        return "1", "1", "1"

    assert break_even(RatioEstimate(99.0, 97.0, 101.0, 1.0), place) == Worth("1", "1", "1")
    assert seen == [99.0, 97.0, 100.0]
    assert break_even(RatioEstimate(99.0, None, None, None), place) == Worth("1", None, None)
    assert break_even(RatioEstimate(float("nan"), None, None, None), place) == Worth(None, None, None)


def test_a_group_without_words_is_empty(asked, target):
    groups = {"none": np.zeros(target.n_words, bool)}
    found = contributions(asked, target, groups, place=by_tens)
    row = found.table.filter(group="none", left_out="").row(0, named=True)
    assert (row["words"], row["score"], row["sentences"]) == (0, None, None)
    for text in (str(found), found.to_latex(), found.to_html(), found.to_csv()):
        assert "nan" not in text.lower().replace("alone", "")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a, t: contributions(a, t[:3]), "words were parsed; expected the"),
        (lambda a, t: contributions([], t), "no panel to score"),
        (lambda a, t: contributions(a, t, leave={"x": ["neat"]}), "unknown source to leave out"),
        (lambda a, t: contributions(a, t, leave={"x": a.sources}), "leaves no source to vote"),
        (lambda a, t: word_groups(t, {"Q": "simple"}), "none of the classes Q is in"),
        (lambda a, t: word_groups(t, {"NOUN": "overall"}), "may not be called 'overall'"),
    ],
)
def test_what_cannot_be_scored(asked, target, call, message):
    with pytest.raises(TreegaugeError) as error:
        call(asked, target)
    assert message in str(error.value)
