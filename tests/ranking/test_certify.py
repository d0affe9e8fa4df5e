"""Claims: parsing, the treebanks that flip them, and their certificates."""

import json
import re
from itertools import combinations
from math import comb

import numpy as np
import polars as pl
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.commands import invoke
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.core.tables import p_value_text
from treegauge.ranking.certify import certify
from treegauge.ranking.claims import Claim, fewest_removals, fewest_swaps, flip, parse_claim
from treegauge.ranking.reading import read_leaderboard
from treegauge.ranking.strengths import families_of
from treegauge.reporting.sections.ranking import table_pairs
from treegauge.statistics.student_intervals import signed_rank

differences = st.lists(st.integers(-9, 9), min_size=1, max_size=8).map(np.array)


def pair(values, **columns):
    frame = {"treebank": [f"t{i}" for i in range(len(values))], **columns}
    return read_leaderboard(pl.DataFrame(frame | {"A": [50 + v for v in values], "B": [50.0] * len(values)}))


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("A > B", Claim("A", "B")),
        ("b>a", Claim("B", "A")),
        ("A < B", Claim("B", "A")),
        ("A > x > B", Claim("A > x", "B")),
        (Claim("A", "B"), Claim("A", "B")),
    ],
)
def test_claims_are_read(text, claim):
    frame = pl.DataFrame({"treebank": ["t"], "A": [1], "B": [2], "A > x": [3]})
    assert parse_claim(read_leaderboard(frame), text) == claim


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A", "'A' is not valid; expected 'A > B' with two of the systems: A, B"),
        ("A >", "is not valid"),
        ("A > C", "unknown system in a claim 'C'.* choices: A, B"),
        ("A > a", "compares A with itself"),
    ],
)
def test_bad_claims_name_the_systems(text, message):
    with pytest.raises(TreegaugeError, match=message):
        certify(pair([1, 2]), claim=text)


@given(differences)
@settings(max_examples=75, deadline=None)
def test_no_fewer_removals_would_do(values):
    found = fewest_removals(values)
    places = range(len(values))
    enough = [
        removed
        for removed in range(len(values))
        if any(values.sum() - values[list(gone)].sum() <= 0 for gone in combinations(places, removed))
    ]
    if found is None:
        assert not enough
    else:
        assert len(found) == enough[0]
        assert np.delete(values, found).sum() <= 0


@given(differences, differences)
@settings(max_examples=60, deadline=None)
def test_no_fewer_swaps_would_do(inside, outside):
    found = fewest_swaps(inside, outside)
    least = {
        number: min(
            inside.sum() - inside[list(gone)].sum() + outside[list(come)].sum()
            for gone in combinations(range(len(inside)), number)
            for come in combinations(range(len(outside)), number)
        )
        for number in range(min(len(inside), len(outside), 4) + 1)
    }
    enough = [number for number, total in least.items() if total <= 0]
    if enough:
        gone, come = found
        assert len(gone) == len(come) == enough[0]
        assert inside.sum() - inside[gone].sum() + outside[come].sum() <= 0
    else:
        assert found is None or len(found[0]) > max(least)


@given(differences)
@settings(max_examples=60, deadline=None)
def test_smallest_and_largest_counter_examples(values):
    found = flip(pair(values.tolist()), "A > B")
    failing = [
        size
        for size in range(1, len(values) + 1)
        if any(sum(part) <= 0 for part in combinations(values.tolist(), size))
    ]
    assert found.holds == (values.sum() > 0)
    assert found.smallest == (failing[0] if failing else None)
    assert found.largest == (failing[-1] if failing else None)
    assert len(found.single) == (values <= 0).sum()
    if found.removed is not None:
        assert found.largest == len(values) - len(found.removed)


def test_a_flip_within_a_subset_names_what_to_exchange():
    scores = pair([5, 3, -1, -20])
    found = flip(scores, "A > B", subset=["t0", "t1", "t2"])
    assert found.swapped == (("t0", "t3"),)
    assert found.removed == ("t0", "t1")
    assert (found.single, found.smallest, found.largest) == (("t2",), 1, 1)
    with pytest.raises(TreegaugeError, match="each named once"):
        flip(scores, "A > B", subset=["t0", "t0"])
    with pytest.raises(ChoiceError, match="choices: t0, t1, t2, t3"):
        flip(scores, "A > B", subset=["x"])


@given(st.lists(st.integers(-300, 300), min_size=3, max_size=11).map(np.array))
@settings(max_examples=40, deadline=None)
def test_win_rates_count_all_subsets(values):
    scores = pair((values / 100).tolist())
    sizes = range(1, len(values) + 1)
    for row in certify(scores, claim="A > B", size=sizes).wins:
        sums = [sum(part) for part in combinations(values.tolist(), row["size"])]
        assert row["how"] == "exact"
        assert row["subsets"] == comb(len(values), row["size"]) == len(sums)
        shares = [sum(total > 0 for total in sums), sum(total == 0 for total in sums), sum(total < 0 for total in sums)]
        got = [row["wins"], row["ties"], row["losses"]]
        assert got == pytest.approx([share / len(sums) for share in shares])


def test_tests_and_effects_are_scipys():
    scores = read_leaderboard("conll18")
    found = certify(scores, claim="TurkuNLP > UDPipe Future")
    a, b = (scores.fixed_point()[0][scores.system(name)] for name in ("TurkuNLP", "UDPipe Future"))
    moved = a - b
    frame = pl.DataFrame({"genus": scores.metadata["genus"], "d": moved})
    by_genus = frame.group_by("genus").mean()["d"].to_numpy()
    assert list(found.tests) == ["wilcoxon_by_genus", "wilcoxon", "sign", "permutation"]
    means = scipy.stats.wilcoxon(by_genus, method="approx").pvalue  # two means are equal in size
    assert found.tests["wilcoxon_by_genus"] == pytest.approx(means, abs=0.02)
    assert found.tests["sign"] == pytest.approx(scipy.stats.binomtest(50, 82).pvalue)
    assert (found.ahead, found.equal, found.behind) == (50, 0, 32)
    assert found.improvement.value == pytest.approx(50 / 82)
    wilson = scipy.stats.binomtest(50, 82).proportion_ci(method="wilson")
    assert found.improvement[1:3] == pytest.approx((wilson.low, wilson.high))
    assert found.difference.value == pytest.approx(moved.mean() / 100)
    oracle = scipy.stats.permutation_test(
        (moved,), np.mean, permutation_type="samples", n_resamples=20_000, random_state=1
    )
    assert found.tests["permutation"] == pytest.approx(oracle.pvalue, abs=0.02)
    small = certify(scores, claim="TurkuNLP > UDPipe Future", treebanks=scores.treebanks[:20])
    normal = scipy.stats.wilcoxon(moved[:20]).pvalue  # with ties scipy is not exact
    assert small.tests["wilcoxon"] == pytest.approx(normal, abs=0.02)


def test_treebanks_without_families_give_students_interval_of_the_mean():
    values = np.random.default_rng(0).normal(1, 2, 40).round(2)
    found = certify(pair(values.tolist()), claim="A > B", margin=0.5)
    student = scipy.stats.ttest_1samp(values, 0)
    interval = student.confidence_interval(0.95)
    # Heavy tails can only take degrees of freedom away, which widens it.
    assert found.difference.low <= interval.low + 1e-9
    assert found.difference.high == pytest.approx(interval.high, abs=0.1)
    spread = values.std(ddof=1) * np.sqrt(1 + 1 / 40) * scipy.stats.t.ppf(0.975, 39)
    assert found.new.high == pytest.approx(values.mean() + spread, rel=0.1)
    assert found.equivalence["p_better"] == pytest.approx(
        2 * scipy.stats.ttest_1samp(values, 0.5, alternative="greater").pvalue, abs=0.02
    )
    assert found.tests["wilcoxon"] == next(iter(found.tests.values())), "no groups: the primary"
    assert "as if they were independent" in found.text
    assert "Tests with a margin of 0.5: equivalence" in found.text


def test_few_treebanks_have_no_interval_of_the_mean_and_say_why():
    found = certify(pair([3, 1, 4, 1, 5, 9, 2]), claim="A > B", margin=1)
    assert (found.difference.low, found.new.high, found.detectable) == (None, None, None)
    assert found.equivalence is None
    assert "too few treebanks or families for an interval of the mean" in found.text
    assert found.median.value == 3
    assert found.median.low >= 1
    assert certify(pair([1, 2]), claim="A > B").median.low is None


def test_no_p_value_is_smaller_than_all_signs_allow():
    """Five treebanks, all won, two by equal differences: the least two-sided p is 2/32."""
    assert certify(pair([1, 2, 2, 3, 4]), claim="A > B").tests["wilcoxon"] == 0.0625


def test_the_rank_biserial_correlation_by_hand():
    # Ranks of |d|: 1, 2, 3, 4; of them 3 is negative: (1 + 2 + 4 - 3) / 10.
    assert certify(pair([1, 2, -3, 4]), claim="A > B").rank_biserial == pytest.approx(0.4)


def test_families_are_ordered_from_the_worst():
    scores = pair([3, 1, -2, -4, 5], genus=["X", "X", "Y", "Y", None])
    found = certify(scores, claim="A > B")
    assert [(row["genus"], row["difference"], row["ahead"]) for row in found.families] == [
        ("Y", -3.0, 0),
        ("X", 2.0, 2),
        ("t4 (genus unknown)", 5.0, 1),
    ]
    assert "does not lead in 1 of 3 units: Y (-3.00)" in found.text


NEW = {"UD_Wolof-WTB": -2.0, "UD_Welsh-CCG": -3.0, "ta_ttb": 1.0, "Maltese MUDT": 1.0,
       "be_hse-ud-test": 2.0, "UD_Telugu-MTG@2.9": 1.0, "UD_Coptic-Scriptorium": 1.0}  # fmt: skip
OLD = {"el_gdt": 3.0, "tr_imst": 2.0, "cs_pdt": 1.0, "eu_bdt": 2.0, "hu_szeged": 4.0}


def test_treebanks_that_the_shared_task_did_not_have_count_in_every_number(tmp_path):
    """Seven of twelve have names that only the table of languages places; A is behind on two."""
    rows = [f"{name},{80 + gain},80" for name, gain in (OLD | NEW).items()]
    (tmp_path / "s.csv").write_text("treebank,A,B\n" + "\n".join(rows) + "\n")
    found = certify(tmp_path / "s.csv", claim="A > B")
    assert found.evidence.startswith("Over 12 treebanks of 11 genera, A scores higher")
    assert found.groups == 11 == len(found.families)
    assert sum(row["treebanks"] for row in found.families) == 12
    slavic = next(row for row in found.families if row["genus"] == "Slavic")
    assert (slavic["treebanks"], slavic["difference"]) == (2, 1.5)
    assert "It does not lead in 2 of 11 genera: Celtic (-3.00) and Northern Atlantic" in found.text
    means = [row["difference"] for row in found.families]
    assert found.tests["wilcoxon_by_genus"] == signed_rank(means).p_value
    page = table_pairs(read_leaderboard(tmp_path / "s.csv"))
    assert [one["sentence"] for one in page["verdicts"][0]] == [one.sentence for one in found.verdicts]
    assert found.verdicts[1].p == p_value_text(found.tests["wilcoxon_by_genus"])


def test_treebanks_that_cannot_be_placed_are_named_counted_and_kept():
    genera = ["Slavic", "Slavic", "Greek", "Baltic", "Ugric", "Celtic", None, None]
    found = certify(pair([3, 2, 1, 2, 4, 1, 5, 6], genus=genera), claim="A > B")
    assert found.evidence.startswith(
        "Over 8 treebanks (6 of 5 genera; genus unknown for 2, each a unit of its own: t6, t7), "
    )
    assert (found.groups, found.unplaced) == (7, ("t6", "t7"))
    assert found.to_dict()["unplaced"] == ["t6", "t7"]
    assert found.tests["wilcoxon_by_genus"] == 2 / 2**7, "seven units, all won"
    assert "over the means of 5 genera and 2 treebanks of unknown genus, two-sided" in found.text
    assert "It leads in all genera and 2 treebanks of unknown genus, least in" in found.text


def test_rank_sets_name_the_treebanks_without_a_genus(caplog):
    genera = [f"g{t // 2}" for t in range(28)]
    with caplog.at_level("INFO", logger="treegauge"):
        assert families_of(pair([1] * 30, genus=[*genera, None, None])).max() == 15
    assert caplog.messages == ["genus unknown for 2 of 30 treebanks (t28, t29): each counts as one of its own"]


def test_a_certificate_is_a_paragraph_and_json(tmp_path):
    found = certify(read_leaderboard("conll18"), claim="HIT-SCIR > Stanford")
    assert "\n" not in found.text
    stated = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert stated["signature"] == found.signature
    assert stated["text"] == found.text
    assert stated["holds"] is True
    assert stated["win_rates"][1] == {
        "size": 10,
        "wins": 2128746541218 / 2139280241670,
        "ties": 37161324 / 2139280241670,
        "losses": 10496539128 / 2139280241670,
        "subsets": 2139280241670,
        "how": "exact",
    }
    assert "99.51 % of size 10" in found.text
    assert f"at least {len(found.flip.removed)} of the treebanks are removed" in found.text
    assert str(found).endswith(f"[{found.signature}]")
    assert found.to_latex().startswith("% treegauge:")
    assert r"95 \% interval" in found.to_latex()
    assert found.to_html().startswith("<p>On new text from these treebanks: a table of scores cannot say, as")
    assert "no text to test on. On new treebanks: yes, HIT-SCIR is better than Stanford" in found.text


def test_constraints_are_sampled_and_said_to_be():
    scores = read_leaderboard("conll18")
    how = {"size": 5, "constraint": ["language:1"], "subsets": 5000}
    found = certify(scores, claim="Stanford > Uppsala", **how)
    again = certify(scores, claim="Stanford > Uppsala", **how)
    assert found.wins == again.wins
    assert found.wins[0]["how"] == "sampled"
    assert "5,000 random subsets" in found.text
    assert "constraints:language:1|subsets:5000" in found.signature


def test_scores_too_fine_to_count_are_bounded_and_said_to_be(monkeypatch):
    rng = np.random.default_rng(0)
    scores = pair(rng.normal(0, 1, 14).tolist())
    monkeypatch.setattr("treegauge.ranking.stability.exact_win_rates.MOST_CELLS", 20_000)
    row = certify(scores, claim="A > B", size=5).wins[0]
    values = scores.values[0] - scores.values[1]
    share = np.mean([sum(part) > 0 for part in combinations(values, 5)])
    assert row["how"] == "bounds"
    assert row["wins"] <= share <= row["wins"] + row["ties"]


@pytest.mark.parametrize("values", [[0, 0, 0], [1, 1, 1], [-1, -1, -1], [2]])
def test_degenerate_claims_get_a_certificate(values):
    found = certify(pair(values), claim="A > B")
    assert 0 <= found.tests["wilcoxon"] <= 1
    assert 0 <= found.tests["permutation"] <= 1
    assert found.holds == (sum(values) > 0)
    assert json.dumps(found.to_dict(), allow_nan=False)
    ending = {True: "No choice of treebanks would make the claim fail.", False: "does not hold on"}
    assert ending[found.holds] in found.text


def test_an_unknown_grouping_names_the_choices():
    with pytest.raises(ChoiceError, match="choices: language, family"):
        certify(pair([1, 2]), claim="A > B", cluster="colour")


def command(*words):
    return invoke(["certify", *words])


@pytest.mark.parametrize(
    "words",
    [
        "conll18 --claim HIT-SCIR>Stanford --size 5,10",
        "conll18 --claim Stanford>TurkuNLP --treebanks Ma18 --cluster stock --level 0.9",
    ],
)
def test_the_command_prints_all_formats(words):
    found = json.loads(command(*words.split(), "--format", "json").stdout)
    assert found["kind"] == "certificate"
    assert found["win_rates"]
    assert found["flip"]
    assert ("90 %" if "0.9" in words else "95 %") + " interval" in found["text"]
    for fmt in ("text", "csv", "latex", "html"):
        assert command(*words.split(), "--format", fmt).exit_code == 0


@pytest.mark.parametrize(
    ("claim", "more", "message"),
    [
        ("HIT > Stanford", "", r"'HIT'.*choices: .*HIT-SCIR"),
        ("x", "", "expected 'A > B'"),
        ("KParse > Fudan", "--size 99", "from 1 to 82"),
    ],
)
def test_errors_of_the_command_name_the_choices(claim, more, message):
    result = command("conll18", "--claim", claim, *more.split())
    assert result.exit_code == 2
    assert re.search(f"^error: .*{message}", result.stderr, re.DOTALL), result.stderr
