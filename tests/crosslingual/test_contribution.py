"""What a source adds: against the scorer, by hand, and with groups of words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.crosslingual.annotation import Worth, break_even
from treegauge.crosslingual.contribution import contributions
from treegauge.crosslingual.intervals import Estimate
from treegauge.crosslingual.panel import Panel
from treegauge.crosslingual.scoring import word_groups
from treegauge.results.errors import TreegaugeError
from treegauge.scoring.attachment import PAPER_CLASSES
from treegauge.scoring.convention import Convention
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.sentence_counts import ScoreOptions
from treegauge.treebanks.conllu import parse_conllu


def official(gold, parsed):
    options = ScoreOptions(convention=Convention(punct=False))
    metrics = evaluate(gold, parsed, options=options).systems[0].metrics
    return [metrics[name].f1 for name in ("UAS", "LAS")]


def test_scores_are_the_scorers(asked, target):
    found = contributions(asked, target)
    assert [vote.left_out for vote in found.votes] == ["", "near", "free", "last"]
    for vote in found.votes:
        uas, las = official(target, asked.vote(vote.sources))
        assert vote.uas["overall"].value == pytest.approx(uas)
        assert vote.las.value == pytest.approx(las)
        if vote.left_out:
            full = found.votes[0].uas["overall"].value
            assert vote.gain["overall"].value == pytest.approx(full - uas)
            alone = official(target, asked.vote([vote.left_out]))[0]
            assert vote.alone.value == pytest.approx(alone)


@given(st.lists(st.sampled_from(["simple", "complex", None]), min_size=17, max_size=17))
@settings(max_examples=15, deadline=None)
def test_groups_part_the_words(asked, target, sides):
    tags = sorted(set(target["upos"].to_list()) - {"PUNCT"})
    kinds = {tag: side for tag, side in zip(tags, sides, strict=False) if side}
    groups = word_groups(target, kinds, by="upos")
    found = contributions(asked, target, groups, leave={"last": ("last",)})
    for tag_side in set(kinds.values()):
        own = np.isin(
            target["upos"].to_numpy(), [t for t, side in kinds.items() if side == tag_side]
        )
        right = asked.heads() == target.head
        assert found.votes[0].uas[tag_side].value == pytest.approx(100 * right[own].mean())
        assert found.words[tag_side] == own.sum()
    if len(kinds) == len(tags):
        total = sum(
            found.words[g] * v.value for g, v in found.votes[0].uas.items() if g != "overall"
        )
        whole = found.votes[0].uas["overall"].value
        assert total / found.words["overall"] == pytest.approx(whole)
        gains = found.votes[1].gain
        parts = sum(found.words[g] * gains[g].value for g in gains if g != "overall")
        assert parts / found.words["overall"] == pytest.approx(gains["overall"].value)


def test_the_papers_classes_count_roots_as_right():
    rows = (
        "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tend\t_\tNOUN\t_\t_\t0\troot\t_\t_\n"
        "3\tof\t_\tADP\t_\t_\t4\tcase\t_\t_\n4\tday\t_\tNOUN\t_\t_\t2\tnmod\t_\t_\n"
        "5\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
    )
    kinds = {"NOUN × head right": "simple", "NOUN × head left": "complex"}
    groups = word_groups(parse_conllu(rows), kinds, by=PAPER_CLASSES)
    assert np.flatnonzero(groups["overall"]).tolist() == [0, 1, 2, 3]
    assert np.flatnonzero(groups["simple"]).tolist() == [1]
    assert np.flatnonzero(groups["complex"]).tolist() == [3]


def test_several_trainings_are_averaged(asked, target):
    other = Panel(asked.sources, asked.parses[::-1], asked.weights)
    both = contributions([asked, other], target).votes
    each = [contributions(one, target).votes for one in (asked, other)]
    for i, vote in enumerate(both):
        mean = np.mean([votes[i].uas["overall"].value for votes in each])
        assert vote.uas["overall"].value == pytest.approx(mean)
    assert "runs:2" in contributions([asked, other], target).signature


def test_groups_of_sources_can_be_left_out(asked, target):
    found = contributions(asked, target, leave={"two": ("near", "free")})
    assert [vote.sources for vote in found.votes] == [asked.sources, ("last",)]
    assert contributions(asked, target, leave={}).votes[0].gain == {}
    alone = Panel(("one",), asked.parses[:1], (1.0,))
    assert len(contributions(alone, target).votes) == 1


def test_sources_without_weight_still_speak_among_themselves(asked, target):
    found = contributions(Panel(asked.sources, asked.parses, (1.0, 0.0, 0.0)), target)
    equal = Panel(asked.sources, asked.parses, (1.0, 0.5, 0.5))
    without = found.votes[1]
    assert (without.left_out, without.sources) == ("near", ("free", "last"))
    expected = official(target, equal.vote(["free", "last"]))
    assert [without.uas["overall"].value, without.las.value] == pytest.approx(expected)
    assert found.votes[2].alone.value == pytest.approx(official(target, asked.parses[1])[0])


def test_a_group_may_have_any_name(asked, target):
    groups = {"las": target["upos"].to_numpy() == "NOUN"}
    found = contributions(asked, target, groups, leave={})
    right = (asked.heads() == target.head)[groups["las"]].mean()
    assert found.votes[0].uas["las"].value == pytest.approx(100 * right)
    assert found.votes[0].las.value == contributions(asked, target, leave={}).votes[0].las.value


def by_tens(group, score):
    return f"{group[0]}{score:.0f}", f"{score - 1:.0f}", f"{score + 1:.0f}"


def test_worth_on_a_curve(asked, target):
    found = contributions(asked, target, place=by_tens)
    first = found.votes[0]
    worth = first.worth["overall"]
    assert worth.sentences == f"o{first.uas['overall'].value:.0f}"
    assert float(worth.at_least) < first.uas["overall"].value < float(worth.at_most)
    assert f"Transfer is worth {worth.sentences} annotated sentences" in str(found)
    assert found.to_dict()["advice"] == found.advice
    assert found.shown()["worth overall"][0] == worth.sentences
    assert contributions(asked, target).advice is None


def test_break_even_stays_within_percents():
    seen = []

    def place(group, score):
        seen.append(score)
        return "1", "1", "1"

    assert break_even(Estimate(99.0, 97.0, 101.0, 1.0), place) == Worth("1", "1", "1")
    assert seen == [99.0, 97.0, 100.0]
    assert break_even(Estimate(99.0, None, None, None), place) == Worth("1", None, None)
    assert break_even(Estimate(float("nan"), None, None, None), place) == Worth(None, None, None)


def test_a_group_without_words_is_empty(asked, target):
    groups = {"none": np.zeros(target.n_words, bool)}
    found = contributions(asked, target, groups, place=by_tens)
    row = found.table.filter(group="none", left_out="").row(0, named=True)
    assert (row["words"], row["uas"], row["sentences"]) == (0, None, None)
    for text in (str(found), found.to_latex(), found.to_html(), found.to_csv()):
        assert "nan" not in text.lower().replace("alone", "")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a, t: contributions(a, t[:3]), "words were parsed; expected the"),
        (lambda a, t: contributions([], t), "no panel to score"),
        (lambda a, t: contributions(a, t, leave={"x": ["neat"]}), "unknown source to leave out"),
        (lambda a, t: contributions(a, t, leave={"x": a.sources}), "leaves no source to vote"),
        (lambda a, t: word_groups(t, {"Q": "simple"}), "none of the classes Q is found in"),
        (lambda a, t: word_groups(t, {"NOUN": "overall"}), "may not be called 'overall'"),
    ],
)
def test_what_cannot_be_scored(asked, target, call, message):
    with pytest.raises(TreegaugeError) as error:
        call(asked, target)
    assert message in str(error.value)
