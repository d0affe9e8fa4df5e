"""Many treebanks: macro averages with failures in the denominator, claims across treebanks."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.ranking.design import plan_suite
from treegauge.scoring.certainty import estimate
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics.registry import METRICS
from treegauge.scoring.paired_tests import compare_suite
from treegauge.scoring.settings import ScoreOptions
from treegauge.scoring.suite import score_suite
from treegauge.scoring.systems import match_folders
from treegauge.treebanks.data.conllu import parse_conllu

from .oracle import TOTALS, chain, conllu, row

NAMES = ("x", "y", "z")
QUICK = ScoreOptions(units="sentences")


@pytest.fixture(scope="module")
def parts(treebanks):
    """Give three treebanks and two systems' output on them."""
    cuts = {"x": slice(0, 40), "y": slice(40, 80), "z": slice(80, 120)}
    return {side: {name: treebanks[side][cut] for name, cut in cuts.items()} for side in treebanks}


@pytest.fixture(scope="module")
def suite(parts):
    systems = {"good": parts["good"], "poor": parts["poor"]}
    return score_suite(parts["gold"], systems, options=QUICK)


def test_averages_are_means_over_treebanks(parts, suite):
    averages, shown = (
        {line["system"]: line for line in table.to_dicts()}
        for table in (suite.averages(), replace(suite, all=True).shown())
    )
    for system in ("good", "poor"):
        single = [evaluate(parts["gold"][n], parts[system][n], options=TOTALS) for n in NAMES]
        for metric in METRICS:
            mean = sum(one.systems[0][metric].f1 for one in single) / 3
            assert averages[system][metric] == pytest.approx(mean)
            assert shown[system][metric] == pytest.approx(mean)
        assert averages[system]["failures"] == 0
    assert suite.f1("y", "poor", "uas") == suite.treebanks["y"]["poor"]["UAS"].f1


def test_systems_without_a_shared_treebank_are_refused_with_the_reason(parts):
    half = {"x": parts["good"]["x"][:2]}
    suite = score_suite(
        parts["gold"], {"a": {"y": parts["good"]["y"]}, "half": half | {"z": parts["good"]["z"]}}, options=TOTALS
    )
    for compare in (suite.claims, lambda: compare_suite(suite)):
        with pytest.raises(TreegaugeError, match="on the same treebank\n") as caught:
            compare()
        assert "\n  half on x: " in str(caught.value)
        assert " ends after sentence 2 of " in str(caught.value)


def test_missing_and_broken_output_counts_zero_and_stays_in_the_denominator(parts):
    other_text = parse_conllu(conllu(chain("other", "text")), name="z")
    broken = {"x": parts["good"]["x"], "z": other_text}
    suite = score_suite(parts["gold"], {"good": parts["good"], "broken": broken}, options=TOTALS)
    averages = {line["system"]: line for line in suite.averages().to_dicts()}
    assert averages["broken"]["LAS"] == pytest.approx(suite.f1("x", "broken") / 3)
    assert averages["broken"]["failures"] == 2
    assert suite.f1("y", "broken") == suite.f1("z", "broken") == 0.0
    assert suite.failures["y", "broken"] == "no output"
    assert "do not contain the same text" in suite.failures["z", "broken"]
    assert "token 'other'" in suite.failures["z", "broken"]
    assert "failed: broken on z: gold and system do not contain the same text" in str(suite)
    assert suite.table.height == 6
    listed = suite.to_dict()["failures"]
    assert [(one["treebank"], one["system"]) for one in listed] == [("y", "broken"), ("z", "broken")]


def test_malformed_output_is_a_failure_with_its_place(parts, tmp_path):
    path = tmp_path / "bad.conllu"
    path.write_text(conllu([row(1, "a", 1, "root")]), encoding="utf-8")
    outputs = {"x": str(path), "y": str(tmp_path / "nowhere.conllu"), "z": parts["good"]["z"]}
    suite = score_suite(parts["gold"], {"s": outputs}, options=TOTALS)
    assert "bad.conllu:1: error: cycle" in suite.failures["x", "s"]
    assert "no such file" in suite.failures["y", "s"]


def test_a_broken_gold_file_is_no_failure_of_a_system(parts, tmp_path):
    path = tmp_path / "gold.conllu"
    path.write_text(conllu([row(1, "a", 1, "root")]), encoding="utf-8")
    gold = parts["gold"] | {"x": str(path)}
    with pytest.raises(TreegaugeError, match=r"gold.conllu:1: error: cycle"):
        score_suite(gold, {"s": parts["good"]}, options=TOTALS)


def test_nothing_to_score(parts):
    with pytest.raises(TreegaugeError, match="no system could be scored: no output"):
        score_suite(parts["gold"], {"s": {}})


def test_better_on_every_treebank(suite):
    claims = suite.claims()
    (row,) = claims.pairs
    assert (row["a_better"], row["a_better_on"]) == (3, list(NAMES))
    assert (row["b_better"], row["b_better_on"]) == (0, [])
    assert "good is better than poor on at least 3 of 3 treebanks: x, y, z" in str(claims)


def test_claims_are_made_in_both_directions_and_leave_out_pairs_without_a_treebank(parts):
    mixed = parts["good"] | {"z": parts["poor"]["z"]}
    other = parts["poor"] | {"z": parts["good"]["z"]}
    systems = {"mixed": mixed, "other": other, "absent": {}}
    suite = score_suite(parts["gold"], systems, options=QUICK)
    claims = suite.claims(test="permutation", resamples=2000)
    (row,) = claims.pairs
    assert (row["a"], row["b"], row["treebanks"]) == ("mixed", "other", 3)
    assert (row["a_better"], row["a_better_on"]) == (2, ["x", "y"])
    assert (row["b_better"], row["b_better_on"]) == (1, ["z"])
    assert "other is better than mixed on at least 1 of 3 treebanks: z" in str(claims)
    assert claims.signature.startswith(f"{suite.signature}|test:paired-permutation|m:LAS")
    by_treebank = {one["treebank"]: one for one in claims.tests}
    assert by_treebank["x"]["difference"] > 0 > by_treebank["z"]["difference"]
    assert by_treebank["x"]["p_a_better"] == by_treebank["z"]["p_b_better"] == 1 / 2001
    assert json.loads(json.dumps(claims.to_dict()))["rows"][0]["a"] == "mixed"
    assert claims.table.height == 1
    alone = score_suite(parts["gold"], {"mixed": mixed, "absent": {}}, options=QUICK)
    with pytest.raises(TreegaugeError, match="no two systems have scores on the same treebank"):
        alone.claims()


def test_many_claims_share_the_error_rate(parts):
    systems = {name: parts[name] for name in ("good", "poor", "cut")}
    suite = score_suite(parts["gold"], systems, options=QUICK)
    claims = suite.claims(test="permutation", resamples=300, alpha=0.01)
    # three pairs in two directions on three treebanks: 18 tests at 0.01 in all
    assert claims.needed_permutations == 1800
    assert all(row["a_better"] == row["b_better"] == 0 for row in claims.pairs)
    assert "significance needs at least 1800 permutations; there were 300" in str(claims)
    with pytest.raises(TreegaugeError, match="alpha: expected a number between 0 and 1"):
        suite.claims(alpha=1)


def test_macro_averages_have_intervals_of_their_treebanks_errors(suite):
    """By hand: standard errors of the treebanks are added in squares."""
    for system in ("good", "poor"):
        made = [estimate(suite.counts(name, system, "LAS")) for name in NAMES]
        error = np.sqrt(sum(float(one.standard_error[0]) ** 2 for one in made)) / 3
        low, high = suite.intervals[system, "LAS"]
        mean = np.mean([suite.f1(name, system) for name in NAMES])
        assert (low + high) / 2 == pytest.approx(mean, abs=0.5)
        assert 1.9 < (high - low) / 200 / error < 2.1
    assert "LAS interval" in str(suite)


def test_macro_averages_are_compared(suite):
    found = compare_suite(suite, margin=1)
    (row,) = found.pairs
    gains = [suite.f1(name, "good") - suite.f1(name, "poor") for name in NAMES]
    assert row["difference"] == pytest.approx(np.mean(gains))
    assert 0 < row["low"] < row["difference"] < row["high"]
    assert (row["treebanks"], row["verdict"]) == (3, "good better")
    assert row["new_low"] is None
    assert "a new treebank: from 25 treebanks in 10 genera" in str(found)
    assert "primary test" in str(found)
    *_, plan = plan_suite(suite, 5.0).rows
    assert (plan["unit"], plan["available"]) == ("treebanks", 3)
    assert plan["needed"] >= 7


def test_a_new_treebank_from_many(treebanks):
    languages = ["Greek", "Finnish", "Turkish", "Korean", "Tamil", "Irish", "Russian", "Uyghur",
                 "Coptic", "Hungarian", "Vietnamese", "Basque", "Armenian"]  # fmt: skip
    names = [f"UD_{language}-{kind}" for language in languages for kind in ("A", "B")]
    cuts = {name: slice(4 * i, 4 * i + 20) for i, name in enumerate(names)}
    sides = {side: {name: treebanks[side][cut] for name, cut in cuts.items()} for side in ("gold", "good", "poor")}
    suite = score_suite(sides.pop("gold"), sides, options=QUICK)
    (row,) = compare_suite(suite).pairs
    assert row["new_low"] < row["low"] < row["difference"] < row["high"] < row["new_high"]
    assert "new treebank" in str(compare_suite(suite))


def test_runs_of_a_system(parts):
    runs = {name: [parts["good"][name], parts["poor"][name]] for name in NAMES}
    suite = score_suite(parts["gold"], {"both": runs, "poor": parts["poor"]}, options=QUICK)
    assert len(suite.treebanks["x"]["both"].runs) == 2
    assert suite.claims().pairs[0]["mean_difference"] > 0


def test_treebanks_on_which_one_failed_are_left_out_of_a_claim(parts):
    some = {name: parts["poor"][name] for name in ("x", "z")}
    suite = score_suite(parts["gold"], {"good": parts["good"], "poor": some}, options=QUICK)
    claims = suite.claims()
    assert [one["treebank"] for one in claims.tests] == ["x", "z"]


def test_every_metric_asked_for_is_there(parts):
    options = ScoreOptions(enhanced=True, weights={"det": 0.1}, resamples=0)
    systems = {"good": parts["good"]}
    suite = score_suite(parts["gold"], systems, options=options)
    assert set(options.metrics) <= set(suite.table.columns)
    assert suite.averages().columns == ["system", *METRICS, "ELAS", "EULAS", "WLAS", "failures", "LAS_low", "LAS_high"]
    assert suite.averages()["LAS_low"].to_list() == [None]
    assert "WLAS" in replace(suite, chosen=("WLAS",)).to_latex()


def test_files_and_folders_have_one_kind_of_result(suite):
    metric = suite["good"]["las"]
    parts = [suite.treebanks[name]["good"]["LAS"] for name in NAMES]
    assert metric.f1 == pytest.approx(sum(one.f1 for one in parts) / 3)
    assert metric.precision == pytest.approx(sum(one.precision for one in parts) / 3)
    assert metric.correct == sum(one.correct for one in parts)
    assert metric.interval == suite.intervals["good", "LAS"]
    one = suite.treebanks["x"]
    assert isinstance(suite, type(one)) and list(one.treebanks.values()) == [one]
    assert suite.names == one.names == ("good", "poor")


def test_signature_and_formats(suite):
    assert re.fullmatch(
        r"treegauge:[^|]+\|tb:3treebanks#[0-9a-f]{6}\|average:macro\|punct:yes"
        r"\|subtypes:no\|errors:strict\|ci:student@0.95\|units:sentences",
        suite.signature,
    )
    assert json.loads(json.dumps(suite.to_dict()))["averages"][0]["system"] == "good"
    assert [one["treebank"] for one in suite.to_dict()["treebanks"]] == list(NAMES)
    assert suite.to_latex().count(r"\textbf") == len(NAMES) + 1
    assert suite.to_csv().count("\n") == 7
    alone = suite.only(["good"])
    assert r"\textbf" not in alone.to_latex()
    assert "LAS by treebank" in str(suite)
    assert suite.by_treebank("uas")["poor"][1] == suite.f1("y", "poor", "UAS")


def test_signature_names_the_policy(tmp_path):
    gold, bad = tmp_path / "gold.conllu", tmp_path / "bad.conllu"
    gold.write_text(conllu(chain("a", "b")), encoding="utf-8")
    bad.write_text(conllu([row(1, "a", 2, "root"), row(2, "b", 1, "obj")]), encoding="utf-8")
    suite = score_suite({"x": gold}, {"s": {"x": bad}}, options=ScoreOptions(errors="repair", resamples=0))
    assert suite.failures == {}
    assert "|errors:repair(2)" in suite.signature  # a cycle and no root


# --------------------------------------------------------------------------------------- folders


def write(folder, *names):
    for name in names:
        path = folder / f"{name}.conllu"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(conllu(chain("a")), encoding="utf-8")


def test_files_are_matched_by_name(tmp_path):
    write(tmp_path / "gold", "UD_A/a-test", "UD_B/b-test")
    write(tmp_path / "one", "a-test", "b-test", "more")
    pairs = match_folders(tmp_path / "gold", {"one": tmp_path / "one"})
    assert list(pairs.gold) == ["UD_A", "UD_B"]
    assert pairs.systems["one"]["UD_B"] == [str(tmp_path / "one" / "b-test.conllu")]


def test_a_split_of_a_release(tmp_path):
    write(tmp_path / "gold", "UD_A/a-ud-train", "UD_A/a-ud-test", "UD_B/b-ud-test")
    write(tmp_path / "one", "a-ud-test", "b-ud-test")
    pairs = match_folders(tmp_path / "gold", {"one": tmp_path / "one"}, split="test")
    assert list(pairs.gold) == ["UD_A", "UD_B"]
    with pytest.raises(TreegaugeError, match="in this folder for split 'dev'"):
        match_folders(tmp_path / "gold", {}, split="dev")
    with pytest.raises(ChoiceError, match="choices: train, dev, test"):
        match_folders(tmp_path / "gold", {}, split="tets")


def test_a_treebank_that_one_run_lacks_is_missing(tmp_path):
    write(tmp_path / "gold", "a", "b")
    write(tmp_path / "one", "a", "b")
    write(tmp_path / "two", "a")
    pairs = match_folders(tmp_path / "gold", {"s": [tmp_path / "one", str(tmp_path / "two")]})
    assert pairs.systems["s"] == {"a": [str(tmp_path / "one" / "a.conllu"), str(tmp_path / "two" / "a.conllu")]}


def test_files_are_matched_by_path_where_names_repeat(tmp_path):
    for side in ("gold", "one"):
        write(tmp_path / side, "r1/a", "r2/a")
    pairs = match_folders(tmp_path / "gold", {"one": tmp_path / "one"})
    assert list(pairs.gold) == list(pairs.systems["one"]) == ["r1/a", "r2/a"]


def test_subfolders_with_output_for_one_treebank_are_runs(tmp_path):
    write(tmp_path / "gold", "a", "b")
    write(tmp_path / "one", "r1/a", "r2/a", "r2/b")
    files = match_folders(tmp_path / "gold", {"one": tmp_path / "one"})
    assert files.systems["one"] == {"a": [str(tmp_path / "one" / f"r{run}" / "a.conllu") for run in (1, 2)]}
    assert files.failures == {("b", "one"): "no output in 1 of 2 runs (r1)"}


def test_two_outputs_for_one_treebank_count_as_failed(tmp_path):
    write(tmp_path / "gold", "a")
    write(tmp_path / "one", "old", "new")
    why = match_folders(tmp_path / "gold", {"one": tmp_path / "one"}).failures["a", "one"]
    assert why == "new.conllu and old.conllu have the text of a.conllu; expected one output of each system per treebank"


def test_a_folder_without_files(tmp_path):
    with pytest.raises(TreegaugeError, match=r"found no treebank in this folder"):
        match_folders(tmp_path, {})


def test_of_one_treebank_only_the_parsed_sets_count(tmp_path):
    write(tmp_path / "UD_A-B", "a_b-ud-train", "a_b-ud-test")
    write(tmp_path / "one", "a_b-ud-test")
    files = match_folders(tmp_path / "UD_A-B", {"one": tmp_path / "one"})
    assert [path.rpartition("/")[2] for path in files.gold.values()] == ["a_b-ud-test.conllu"]


def test_files_have_precision_and_recall_by_treebank(parts, suite):
    saved = {(row["treebank"], row["system"]): row for row in suite.saved.to_dicts()}
    for name in NAMES:
        single = evaluate(parts["gold"][name], parts["poor"][name], options=TOTALS).systems[0]
        for metric in ("LAS", "ContentLAS", "FunctionLAS"):
            one = single[metric]
            assert saved[name, "poor"][f"{metric} precision"] == pytest.approx(100 * one.correct / one.system)
            assert saved[name, "poor"][f"{metric} recall"] == pytest.approx(100 * one.correct / one.gold)
