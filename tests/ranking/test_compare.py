"""Friedman, Nemenyi, Wilcoxon and the rest against scipy and Demšar's published example."""

import json
import re
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.ranking.certify import certify
from treegauge.ranking.compare import compare, critical_difference, critical_distance, friedman, treebank_ranks
from treegauge.ranking.pairs import differences, improvement, win_tie_loss
from treegauge.ranking.reading import read_leaderboard
from treegauge.reporting.sections.overview import _macro
from treegauge.scoring.paired_tests import Comparisons
from treegauge.scoring.verdicts import pair_verdict

# Ranks of C4.5, C4.5+m, C4.5+cf, C4.5+m+cf on 14 data sets (Demšar 2006, Table 6).
DEMSAR = [
    (4, 3, 2, 1), (1, 2, 3, 4), (4, 1, 2, 3), (4, 1, 3, 2), (4, 2, 3, 1), (1, 2.5, 4, 2.5),
    (3, 2, 4, 1), (2.5, 2.5, 4, 1), (4, 3, 2, 1), (2.5, 2.5, 2.5, 2.5), (4, 2.5, 1, 2.5),
    (3, 2, 4, 1), (4, 1, 2, 3), (3, 1, 4, 2),
]  # fmt: skip


def table(values, names=None):
    values = np.asarray(values, dtype=float)
    columns = dict(zip(names or "ABCDEFGH", values, strict=False))
    frame = {"treebank": [f"t{i}" for i in range(values.shape[1])]} | columns
    return read_leaderboard(pl.DataFrame(frame))


def demsar():
    names = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    return table(10 - np.array(DEMSAR).T, names)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_friedman_is_scipys_ties_included(data):
    systems, treebanks = data.draw(st.integers(3, 6)), data.draw(st.integers(2, 9))
    cells = st.lists(st.integers(0, 4), min_size=treebanks, max_size=treebanks)
    values = data.draw(st.lists(cells, min_size=systems, max_size=systems))
    found = friedman(table(values))
    with np.errstate(all="ignore"):
        oracle = scipy.stats.friedmanchisquare(*values)
    if np.isnan(oracle.statistic):
        assert (found.statistic, found.p_value) == (0, 1)
    else:
        assert found.statistic == pytest.approx(oracle.statistic, abs=1e-9)
        assert found.p_value == pytest.approx(oracle.pvalue, abs=1e-9)


def test_demsars_example():
    scores = demsar()
    ranks = treebank_ranks(scores)
    assert ranks.T.tolist() == [list(row) for row in DEMSAR]
    average = ranks.mean(axis=1)
    assert average.round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    # He does not correct for ties: 9.28 and 3.69 follow from the average ranks alone.
    plain = 12 * 14 / 20 * ((average**2).sum() - 25)
    assert round(plain, 2) == 9.28
    assert round(13 * plain / (42 - plain), 2) == 3.69
    assert friedman(scores).statistic > plain
    found = critical_difference(scores, level=0.9)
    assert round(found.distance, 2) == 1.12
    differing = {(a, b) for a, b in combinations(range(4), 2) if found.p_values[a, b] <= 0.10}
    assert differing == {(0, 1), (0, 3)}, "C4.5 is worse than the two with parameter m"
    assert found.cliques == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))
    stricter = critical_difference(scores)
    assert round(stricter.distance, 2) == 1.25
    assert len(stricter.cliques) == 1


@pytest.mark.parametrize(
    ("alpha", "printed"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_values_are_demsars_table_5(alpha, printed):
    for systems, value in enumerate(printed, 2):
        scale = np.sqrt(systems * (systems + 1) / (6 * 30))
        assert critical_distance(systems, 30, alpha) / scale == pytest.approx(value, abs=1.1e-3)


def test_nemenyi_p_values_agree_with_the_distance():
    found = critical_difference(read_leaderboard("conll18"))
    apart = np.abs(found.average[:, None] - found.average[None, :])
    assert ((apart >= found.distance) == (found.p_values <= 0.05)).all()


def test_wilcoxon_holm_is_scipys_with_holm_by_hand():
    scores = read_leaderboard("conll18").select(systems=["Stanford", "Uppsala", "TurkuNLP", "LATTICE"])
    found = critical_difference(scores, method="wilcoxon-holm")
    pairs = [*combinations(range(4), 2)]
    numbers = scores.fixed_point()[0]
    raw = [scipy.stats.wilcoxon(numbers[a] - numbers[b]).pvalue for a, b in pairs]
    so_far, corrected = 0.0, {}
    for place, i in enumerate(np.argsort(raw)):
        so_far = max(so_far, min(1.0, (6 - place) * raw[i]))
        corrected[pairs[i]] = so_far
    for (a, b), p in corrected.items():
        # Ours counts all signs, ties or not; scipy takes 82 differences as normal.
        assert found.p_values[a, b] == found.p_values[b, a] == pytest.approx(p, rel=0.2)
    assert found.distance is None


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_systems_share_a_group_if_and_only_if_they_do_not_differ(data):
    systems = data.draw(st.integers(3, 6))
    cells = st.lists(st.integers(0, 30), min_size=8, max_size=8)
    scores = table(data.draw(st.lists(cells, min_size=systems, max_size=systems)))
    method = data.draw(st.sampled_from(["nemenyi", "wilcoxon-holm"]))
    found = critical_difference(scores, level=0.7, method=method)
    order = [scores.systems[i] for i in found.order]
    assert np.all(np.diff(found.average[found.order]) >= 0)

    def same(names):
        rows = [scores.system(name) for name in names]
        return all(found.p_values[a, b] > 0.3 for a, b in combinations(rows, 2))

    letters = dict(found.table.select("system", "group").iter_rows())
    for pair in combinations(order, 2):
        assert any({*pair} <= {*clique} for clique in found.cliques) == same(pair)
        assert bool({*letters[pair[0]]} & {*letters[pair[1]]}) == same(pair)
    if method != "nemenyi":
        return

    runs = [tuple(order[i:j]) for i in range(systems) for j in range(i + 2, systems + 1) if same(order[i:j])]
    longest = [run for run in runs if not any(set(run) < set(other) for other in runs)]
    assert list(found.cliques) == longest


@pytest.mark.parametrize("failed", [0, 1, 2])
def test_letters_hide_no_tie_on_messy_boards(failed):
    """Fifteen teams on twenty treebanks, some of whose runs failed and count 0."""
    rng = np.random.default_rng(failed)
    means = np.repeat([82.0, 80.5, 80.0, 78.0, 70.0], 3)[:, None]
    values = means + rng.normal(0, 1, (15, 1)) + rng.normal(0, 2, 20) + rng.normal(0, 2, (15, 20))
    for team in range(0, 15, 4):
        values[team, rng.permutation(20)[: 3 * failed]] = 0
    scores = table(values.round(2), [f"team{i:02}" for i in range(15)])
    found = critical_difference(scores, method="wilcoxon-holm")
    page = found.letters(scores.by_mean())
    by_rank = dict(found.table.select("system", "group").iter_rows())
    for a, b in combinations(range(15), 2):
        tied = found.p_values[a, b] > 0.05
        assert bool({*page[a]} & {*page[b]}) == tied
        assert bool({*by_rank[scores.systems[a]]} & {*by_rank[scores.systems[b]]}) == tied
    read = list(dict.fromkeys("".join(page[i] for i in scores.by_mean())))
    assert read == sorted(read), "the page sorts by mean"


def test_letters_of_the_overview_are_unique_with_more_than_26_groups():
    """Thirty systems of falling means, each tied with its neighbours only: 29 groups."""
    names = [f"s{i:02}" for i in range(30)]
    verdicts = [
        pair_verdict("new text", a, b, 1.0, "LAS", 0.5 if j == i + 1 else 0.01)
        for (i, a), (j, b) in combinations(enumerate(names), 2)
    ]
    pairs = Comparisons((), "", verdicts=tuple(verdicts))
    suite = SimpleNamespace(
        treebanks=("x", "y"), names=names, f1=lambda _, s, __: 90.0 - int(s[1:]),
        intervals={(name, "LAS"): None for name in names},
    )  # fmt: skip
    letters = [row["group"].split() for row in _macro(suite, "LAS", pairs)]
    for (i, a), (j, b) in combinations(enumerate(letters), 2):
        assert bool({*a} & {*b}) == (j == i + 1)
    assert letters[0] == ["a"]
    assert letters[-1] == ["ac"]


def test_wins_are_counted():
    found = win_tie_loss(table([[3, 3, 3, 1], [2, 3, 1, 2], [9, 9, 9, 9]]))
    assert found.systems == ("C", "A", "B")
    assert found.table["B"].to_list() == ["4/0/0", "2/1/1", None]
    near = win_tie_loss(table([[81.1, 80.0], [81.0, 80.2]]), margin=0.1)
    assert near.numbers["wins"].tolist() == [[0, 1], [0, 0]]
    assert near.numbers["ties"][0, 1] == 1
    rows = near.to_dict()
    assert rows["signature"] == near.signature
    assert rows["pairs"][0] == {"system": "B", "other": "A", "wins": 1, "ties": 1, "losses": 0}
    with pytest.raises(TreegaugeError, match="margin -1"):
        win_tie_loss(table([[1], [2]]), margin=-1)


def test_improvement_counts_ties_half_and_runs_against_each_other():
    found = improvement(table([[3, 3, 3, 1], [2, 3, 1, 2]]))
    assert found.numbers["probability"].tolist() == [[0.5, 0.625], [0.375, 0.5]]
    assert (found.numbers["low"] <= found.numbers["probability"]).all()
    assert (found.numbers["high"] >= found.numbers["probability"]).all()
    frame = pl.DataFrame(
        {"treebank": ["t"] * 4, "system": ["A", "A", "B", "B"], "seed": [1, 2, 1, 2], "score": [80.0, 84.0, 82.0, 80.0]}
    )
    # 80 against 82 and 80: 0 and a half; 84 against both: two wins. That is 2.5 of 4.
    assert improvement(read_leaderboard(frame)).numbers["probability"][0, 1] == 0.625


def test_winning_everywhere_is_not_certain():
    found = improvement(table([[3, 3, 3, 3, 3], [1, 1, 1, 1, 1]]))
    oracle = scipy.stats.binomtest(5, 5).proportion_ci(method="wilson")
    assert found.numbers["probability"][0, 1] == 1
    assert found.numbers["low"][0, 1] == pytest.approx(oracle.low)
    assert found.numbers["high"][1, 0] == pytest.approx(1 - oracle.low)


def test_mean_differences_of_pairs_are_antisymmetric_and_those_of_certify():
    scores = read_leaderboard("conll18")
    found = differences(scores, margin=1.0)
    numbers = found.numbers
    assert np.allclose(numbers["low"], -numbers["high"].T)
    assert np.allclose(numbers["p_equivalent"], numbers["p_equivalent"].T)
    at = found.systems.index("TurkuNLP"), found.systems.index("UDPipe Future")
    alone = certify(scores, claim="TurkuNLP > UDPipe Future", margin=1.0)
    pair = [float(numbers[name][at]) for name in ("difference", "low", "high")]
    assert pair == pytest.approx(list(alone.difference[:3]))
    assert numbers["detectable"][at] == pytest.approx(alone.detectable)
    assert numbers["p_equivalent"][at] == pytest.approx(alone.equivalence["p_equivalent"])
    with pytest.raises(TreegaugeError, match="need 25 treebanks and 10 families"):
        differences(table([[1, 2], [2, 3]]))


def test_latex_is_a_whole_booktabs_table_with_the_best_in_bold():
    scores = read_leaderboard("conll18").select(systems=["CUNI x-ling", "HIT-SCIR", "Stanford"])
    made = (critical_difference(scores), improvement(scores), win_tie_loss(scores))
    for result in (*made, differences(scores)):
        lines = result.to_latex().split("\n")
        assert lines[0] == f"% {result.signature}"
        layout = re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", lines[1])[1]
        assert [line for line in lines if line.endswith("rule")] == [r"\toprule", r"\midrule", r"\bottomrule"]
        assert lines[-1] == r"\end{tabular}"
        rows = [line for line in lines if line.endswith(r"\\")]
        assert len(rows) == 4
        assert all(len(re.split(r"(?<!\\)&", row)) == len(layout) for row in rows)
        body = "".join(rows)
        assert body.count("{") == body.count("}")
        assert not re.search(r"(?<!\\)[_#%$]", body)
    ranks = scipy.stats.rankdata(-scores.fixed_point()[0], axis=0)
    mean, average, won = scores.values[1].mean(), ranks[1].mean(), (ranks[1] == 1).sum()
    row = rf"HIT-SCIR & {average:.2f} & \textbf{{{mean:.2f}}} & \textbf{{{won}}}"
    assert row in critical_difference(scores).to_latex()


def test_json_is_complete():
    found = critical_difference(read_leaderboard("conll18"))
    stated = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert stated["signature"].endswith("test:nemenyi|units:treebanks|level:0.95")
    assert len(stated["pairs"]) == 325
    assert stated["systems"][0]["system"] == "HIT-SCIR"
    assert "critical difference" in str(found)


def test_bad_requests_name_the_choices():
    with pytest.raises(ChoiceError, match="choices: nemenyi, wilcoxon-holm"):
        critical_difference(table([[1], [2], [3]]), method="tukey")
    with pytest.raises(TreegaugeError, match="level 2"):
        critical_difference(table([[1], [2], [3]]), level=2)
    with pytest.raises(TreegaugeError, match="2 systems: the Friedman test needs three"):
        critical_difference(table([[1], [2]]))


def test_profiles_and_interquartile_means_are_those_of_rliable():
    """rliable's IQM is SciPy's trim_mean over runs and tasks; its profile the share above a score."""
    random = np.random.default_rng(5)
    cube = random.normal(75, 8, (3, 2, 7)).round(2)  # seeds, systems, treebanks
    rows = [
        {"treebank": f"t{t}", "system": "AB"[s], "seed": k, "score": cube[k, s, t]}
        for k, s, t in np.ndindex(*cube.shape)
    ]
    found = compare(pl.DataFrame(rows), test="profile")
    by_system = {row["system"]: row for row in found.table.to_dicts()}
    for s, name in enumerate("AB"):
        assert by_system[name]["iqm"] == pytest.approx(scipy.stats.trim_mean(cube[:, s], 0.25, axis=None))
        assert by_system[name]["above_70"] == pytest.approx(100 * (cube[:, s] > 70).mean())
        assert by_system[name]["low"] is None
    assert "no interval: fewer than 25 treebanks" in str(found)
    whole = compare("conll18", test="profile", systems=["HIT-SCIR", "Stanford"])
    assert all(row["low"] < row["iqm"] < row["high"] for row in whole.table.to_dicts())
    assert len(whole.to_dict()["profiles"][0]["above"]) == 101


def test_verdicts_of_pairs_are_those_of_the_interval_and_of_certify():
    scores = read_leaderboard("conll18")
    found = differences(scores, margin=2.0)
    words, low, high = (found.numbers[name] for name in ("verdict", "low", "high"))
    names, places = found.systems, ~np.eye(len(found.systems), dtype=bool)
    assert ((words == "equivalent") == ((low > -2) & (high < 2) & places)).all()
    assert words[names.index("HIT-SCIR"), names.index("SParse")] == "HIT-SCIR better"
    assert words[names.index("SParse"), names.index("HIT-SCIR")] == "HIT-SCIR better"
    same = certify(scores, claim="TurkuNLP > UDPipe Future", margin=2.0)
    assert same.equivalence["verdict"] == words[names.index("TurkuNLP"), names.index("UDPipe Future")] == "equivalent"
    assert same.verdicts[1].state == "equivalent"
    assert f"are equivalent within 2 points; {same.claim.a if same.difference.value > 0 else same.claim.b}" in same.text
    assert f"equivalent: {(words == 'equivalent').sum() // 2} (" in str(found)
