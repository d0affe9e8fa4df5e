"""One parse has one UAS and one LAS, to the last count, wherever it is printed."""

import html
import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import treegauge as tg
from treegauge.core.tables import to_html, to_latex, to_markdown, to_text
from treegauge.experiments.cells import Cell
from treegauge.experiments.plans import make_setup
from treegauge.experiments.training import run_cells
from treegauge.testing.simulated_parser import Accuracy, simulated_parse
from treegauge.testing.synthetic import synthetic

CONVENTIONS = ["official", "challenges"]
TREEBANK = "UD_Toy-Invented"
OPTIONS = {"epochs": 2, "beam": 2}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A treebank of 60 training, 12 dev and 30 test sentences."""
    home = tmp_path_factory.mktemp("one") / TREEBANK
    home.mkdir()
    everything = synthetic(102, seed=5)
    for name, cut in {"train": slice(60), "dev": slice(60, 72), "test": slice(72, 102)}.items():
        tg.write_conllu(everything[cut], home / f"toy_invented-ud-{name}.conllu")
    return home


@pytest.fixture(scope="module", params=CONVENTIONS)
def convention(request) -> str:
    return request.param


def label(metric: str, convention: str) -> str:
    return metric if convention == "official" else f"{metric}[{convention}]"


def expected(gold: Path, parse: Path, convention: str) -> dict[str, float]:
    """Return what `score` says, and check its counts word by word."""
    scores = tg.score(gold, {"it": parse}, convention=convention, resamples=0)["it"]
    ours, theirs = tg.read_conllu(gold), tg.read_conllu(parse)
    columns = [
        (treebank.head.tolist(), [name.partition(":")[0] for name in treebank["deprel"].to_list()])
        for treebank in (ours, theirs)
    ]
    words = [
        (head == other, relation == another)
        for head, relation, other, another, tag in zip(*columns[0], *columns[1], ours["upos"].to_list(), strict=True)
        if convention == "official" or tag != "PUNCT"
    ]
    assert scores["UAS"].gold == len(words)
    assert scores["UAS"].correct == sum(head for head, _ in words)
    assert scores["LAS"].correct == sum(head and relation for head, relation in words)
    return {name: scores[name].f1 for name in ("UAS", "LAS")}


@pytest.fixture(scope="module")
def ran(folder, convention, tmp_path_factory):
    """Run one cell of task score and one of task curve on all training sentences."""
    place = tmp_path_factory.mktemp(convention)
    plan = place / "plan.toml"
    options = ", ".join(f"{name} = {value}" for name, value in OPTIONS.items())
    cells = [
        f"""[[grid]]
        task = "{task}"
        treebanks = ["{folder}"]
        parsers = [{{ name = "beam", options = {{ {options} }} }}]
        {"sizes = [30, 60]" if task == "curve" else ""}
        parameters = {{ convention = "{convention}" }}
        """
        for task in ("score", "curve")
    ]
    plan.write_text("\n".join(cells))
    store = place / "store"
    tg.run(plan, store=store, pool="inline")
    return store


def test_run_and_results_and_the_parses_they_write(ran, folder, convention, tmp_path):
    results = tg.results(ran, parses=tmp_path)
    files = sorted(tmp_path.glob("*/*/*.conllu"))
    assert len(files) == results.table.height == 3
    gold = folder / "toy_invented-ud-test.conllu"
    by_score = sorted(tuple(expected(gold, file, convention).values()) for file in files)
    columns = [label(name, convention) for name in ("UAS", "LAS")]
    assert sorted(results.table.select(columns).rows()) == by_score


def test_curve(ran, folder, convention, tmp_path):
    tg.results(ran, task=["curve"], size=[60], parses=tmp_path)
    (file,) = tmp_path.glob("*/*/*.conllu")
    scores = expected(folder / "toy_invented-ud-test.conllu", file, convention)
    for metric in ("UAS", "LAS"):
        counts = tg.curve.counts(ran, root=folder.parent, metric=metric, convention=convention)
        curve = tg.curve(counts, resamples=10)
        whole = curve.table.filter(curve.table["class"] == "all", curve.table["size"] == 60)
        (column,) = [name for name in whole.columns if name.startswith(("score", metric))][:1]
        assert whole[column].item() == pytest.approx(scores[metric], abs=1e-9)


def test_a_plan_and_the_verb_give_one_curve(folder, tmp_path):
    """The rule that seeds vary where a size takes all sentences held for the verb only."""
    parser = {"name": "beam", "options": OPTIONS}
    cells = tg.grid("curve", folder.name, parsers=[parser], sizes=[10, 60], samples=3)
    tg.run(tg.Plan((cells,)), tmp_path / "plan.store", root=folder.parent, pool="inline")
    planned = tg.curve(tmp_path / "plan.store", resamples=100)
    counts = tg.curve.counts(folder, parser="beam", option=OPTIONS, sizes="10,60", samples=3, workers=1)
    direct = tg.curve(counts, resamples=100)
    assert planned.table.equals(direct.table)
    overall = planned.table.filter(planned.table["class"] == "all")
    assert overall["size"].to_list() == [10, 60]
    assert (overall["low"] < overall["score"]).all() and (overall["score"] < overall["high"]).all()


def test_one_model_counted_several_times_gives_no_interval(folder, tmp_path):
    setup = make_setup("curve", folder, "beam", options=OPTIONS)
    old = [Cell(setup, size, sample, 0) for size in (10, 60) for sample in range(3)]
    run_cells(old, tmp_path / "old.store")
    curve = tg.curve(tmp_path / "old.store", resamples=100)
    assert curve.table["low"].null_count() == curve.table.height
    assert "they need 3 training samples of each size, got 1" in str(curve)


def test_transfer_from_one_source(folder, convention, tmp_path):
    gold = folder / "toy_invented-ud-test.conllu"
    parsed = tmp_path / "parsed.conllu"
    found = tg.transfer(
        gold, folder / "toy_invented-ud-train.conllu", parser="beam", option=OPTIONS, convention=convention, out=parsed
    )
    scores = expected(gold, parsed, convention)
    text = json.dumps(found.to_dict())
    for metric in ("UAS", "LAS"):
        assert re.search(re.escape(f"{scores[metric]:.10f}"[:12]), text), metric
        assert label(metric, convention) in text


def test_map_of_decoded_trees(folder, convention, tmp_path):
    gold, parsed = folder / "toy_invented-ud-dev.conllu", tmp_path / "parsed.conllu"
    maps = tg.map(folder, split="dev", parser=["mst"], option={"epochs": 2}, convention=convention)
    (recording,) = maps.archives[0].recordings
    tg.write_conllu(recording.parsed(tg.read_conllu(gold)), parsed)
    scores = expected(gold, parsed, convention)
    for metric in ("UAS", "LAS"):
        (value,) = set(maps.table[label(metric, convention)].to_list())
        assert value == pytest.approx(scores[metric], abs=1e-9)


def test_the_page(ran, folder, convention, tmp_path):
    tg.results(ran, task=["score"], parses=tmp_path)
    (file,) = tmp_path.glob("*/*/*.conllu")
    scores = expected(folder / "toy_invented-ud-test.conllu", file, convention)
    page = tg.report(folder, f"beam={file}", convention=convention, out=None)
    (section,) = [one for one in page.sections if one.key == "scores"]
    (treebank,) = section.data["treebanks"]
    shown = {one["name"]: one["systems"][0]["f1"] for one in treebank["metrics"]}
    for metric in ("UAS", "LAS"):
        assert shown[label(metric, convention)] == scores[metric]


@pytest.fixture(scope="module")
def few_scores(tmp_path_factory):
    """Scores of three systems on six treebanks, in a file."""
    path = tmp_path_factory.mktemp("few") / "scores.csv"
    rng = np.random.default_rng(0)
    rows = [
        {"treebank": f"t{t}", "system": system, "las": round(float(60 + s + 2 * rng.normal()), 2)}
        for t in range(6)
        for s, system in enumerate("abc")
    ]
    pl.DataFrame(rows).write_csv(path)
    return path


def test_rank_and_report_count_the_same_few_subsets(few_scores):
    ranks = tg.rank(few_scores)
    page = tg.report(few_scores, out=None, subsets=50)
    (section,) = page.sections
    leader, share = ranks.table.sort("full")["system"][0], ranks.agreement["top1"].item()
    assert (share * 20) == pytest.approx(round(share * 20)) and 0 < share < 1
    said = f"leads in {100 * share:.1f} % of all 20 subsets of 3 treebanks."
    assert said in section.short[0] and section.short[0].startswith(leader)
    assert f"the same leader in {100 * share:.1f} %" in str(ranks)
    assert "all 20 subsets of 3 treebanks" in str(ranks)
    (board,) = section.data["boards"]
    at = board["sizes"].index(3)
    assert (board["top"][at], board["drawn"][at], board["numbers"][at]) == (share, None, "20")


def test_the_page_and_the_audit_compare_a_split_with_the_same_random_splits(folder):
    audited = tg.audit(folder)
    page = tg.report(folder, out=None)
    (section,) = page.sections
    (shown,) = section.data["audits"]
    both = [{(row["check"], row["split"]): row["message"] for row in shown["findings"]},
            {(one.check, one.split): one.message for one in audited.findings}]  # fmt: skip
    assert both[0] == both[1]
    assert sum("p = " in text for text in both[0].values()) >= 2


def results_with_tiny_p_values():
    """Yield results whose p-values would print as zero with four decimals."""
    x = np.arange(80.0)
    noise = np.random.default_rng(1).normal(size=(2, 80))
    frame = pl.DataFrame({"las": x + 9 * noise[0], "words": x, "edv": noise[1]})
    yield tg.certify("conll18", claim="HIT-SCIR > SParse")
    yield tg.certify("conll18", claim="HIT-SCIR > SParse", margin=1)
    yield tg.rank.compare("conll18", test="wilcoxon-holm")
    yield tg.analyse(frame, "las", ["words", "edv"], resamples=0)
    yield tg.analyse(frame, "las", on=["words", "edv"])
    gold = synthetic(60, seed=2)
    bad = simulated_parse(gold.to_bytes().decode(), Accuracy(heads=0.5), seed=1)
    good = simulated_parse(gold.to_bytes().decode(), Accuracy(heads=0.95), seed=2)
    systems = {"a": tg.parse_conllu(good), "b": tg.parse_conllu(bad)}
    yield tg.score(gold, systems, units="sentences")
    yield tg.breakdown(gold, systems, units="sentences")


def test_no_p_value_is_printed_as_zero():
    for result in results_with_tiny_p_values():
        text = str(result)
        assert re.search(r"<0\.0001\b|p < 0\.0001\b", text), text
        assert not re.search(r"p = 0\.?0*(?![\d.])|<0\.001\b", text), text


@pytest.mark.parametrize("name", ["p", "p_value", "p_corrected", "p_equivalent", "f_p_value"])
@pytest.mark.parametrize("write", [to_text, to_latex, to_markdown, to_html])
def test_columns_of_p_values_are_printed_alike_in_every_table(name, write):
    for digits in (1, 3, {name: 2}):
        text = html.unescape(write([{name: 1e-9}, {name: 0.03126}], digits=digits))
        text = text.replace("\\textless{}", "<").replace("\\", "")
        assert "<0.0001" in text and "0.0313" in text
    assert "<" not in to_text([{"p_gold": 1e-9}])
