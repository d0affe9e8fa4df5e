"""The verb ``curve``: from counts, from a store, from treebanks; in Python and as a command."""

import json
from shutil import copytree, rmtree

import numpy as np
import polars as pl
import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.experiments.cell_store import Store
from treegauge.experiments.training import run_cells
from treegauge.learning.curves import gathering
from treegauge.learning.curves.class_counts import ALL, COLUMNS, attachments, read_attachments
from treegauge.parsing.registry import make_parser
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics.convention import CONVENTIONS
from treegauge.scoring.settings import ScoreOptions
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_conllu, write_conllu

SIZES = (5, 10, 20, 50, 100)
CLASSES = {
    "fast": (lambda n: 90 - 50 / n, 600),
    "middle": (lambda n: 80 - 120 / n, 300),
    "slow": (lambda n: 10 + 12 * np.log(n), 400),
}


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    """A file of counts: two treebanks, two parsers."""
    rng = np.random.default_rng(0)
    rows = []
    for treebank in ("UD_Greek-GDT", "UD_Latin-Perseus"):
        for parser in ("beam", "mst"):
            for size in SIZES:
                for sample in range(3):
                    key = (treebank, parser, size, sample)
                    right = {
                        name: round((curve(size) + rng.normal()) / 100 * words)
                        for name, (curve, words) in CLASSES.items()
                    }
                    rows += [(*key, name, right[name], CLASSES[name][1]) for name in CLASSES]
                    rows.append((*key, ALL, sum(right.values()), 1300))
    path = tmp_path_factory.mktemp("counts") / "counts.csv"
    attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row"), metric="LAS").save(path)
    return path


@pytest.fixture(scope="module")
def treebank(tmp_path_factory):
    """A small treebank with training and test set, and one without a test set."""
    home = tmp_path_factory.mktemp("treebanks")
    for name, parts in (("UD_Greek-Made", (("train", 30), ("test", 12))), ("UD_Latin-Made", (("train", 9),))):
        (home / name).mkdir()
        for part, number in parts:
            path = home / name / f"xx_made-ud-{part}.conllu"
            write_conllu(synthetic(number, seed=number), path)
    return home


FAST = ["--option", "epochs=1", "--option", "beam=1", "--workers", "1"]


def test_show_is_the_default_and_prints_sizes(command, counts):
    done = command("curve", counts, "--parser", "beam")
    assert done.code == 0
    assert done.out.split("\n")[0].split() == ["class", "share", "treebanks", *map(str, SIZES)]
    assert done.out == command("curve", "show", counts, "--parser", "beam").out
    rows = json.loads(command("curve", counts, "--format", "json").out)["rows"]
    assert {row["parser"] for row in rows} == {"beam", "mst"}
    assert all(row["low"] <= row["score"] <= row["high"] for row in rows)


def test_show_composites_each_and_relative(command, counts):
    out = command("curve", counts, "--composite", "beam", "--format", "csv").out
    assert {line.split(",")[2] for line in out.splitlines()[1:]} == {"all", "simple", "complex"}
    each = command("curve", counts, "--treebank", "each", "--classes", "slow", "--sizes", "10,100").out
    assert "UD_Latin-Perseus" in each
    assert "fast" not in each
    relative = command("curve", counts, "--relative", "--parser", "mst").out
    assert relative.splitlines()[2].endswith("100.0")


def test_complexity_of_several_parsers_is_compared(command, counts):
    done = command("curve", "complexity", counts, "--format", "json")
    told = json.loads(done.out)
    order = [row["class"] for row in told["rows"] if row["parser"] == "beam"]
    assert order == ["fast", "middle", "slow"]
    assert told["correlations"][0]["rho"] == pytest.approx(-1)
    assert len(told["comparison"]["agreement"]) == 3
    text = command("curve", "complexity", counts, "--per", "language").out
    assert "Greek" in text


def test_equivalents_of_scores(command, counts, tmp_path):
    figure = tmp_path / "figure.json"
    done = command(
        "curve", "equivalent", counts, "--parser", "beam", "--score", "70", "--score", "simple=1",
        "--score", "complex=99", "--plot", figure,
    )  # fmt: skip
    cells = {line.split()[0]: line for line in done.out.splitlines()[2:5]}
    assert "< 5" in cells["simple"]
    assert "> 100" in cells["complex"]
    drawn = json.loads(figure.read_text())["data"]["values"]
    assert any(row["kind"] == "drop" for row in drawn)
    one = command(
        "curve", "equivalent", counts, "--parser", "mst", "--treebank", "UD_Greek-GDT",
        "--score", "70", "--format", "json",
    )  # fmt: skip
    assert json.loads(one.out)["rows"][0]["treebank"] == "UD_Greek-GDT"


def test_fit_and_advise(command, counts):
    fitted = command("curve", counts, "--parser", "beam", "--at", "200,400").out
    assert "at 200" in fitted
    assert "power" in fitted
    told = command(
        "curve", "advise", counts, "--parser", "beam", "--treebank", "UD_Greek-GDT", "--budget",
        "100", "--format", "json",
    )  # fmt: skip
    found = json.loads(told.out)
    assert found["summary"]["have"] == 100
    parts = [row["contribution"] for row in found["rows"][1:]]
    assert sum(parts) == pytest.approx(found["rows"][0]["gain"], abs=1e-6)


@pytest.mark.parametrize("kind", ["show", "complexity"])
def test_figures(command, counts, tmp_path, kind):
    target = tmp_path / "figure.json"
    assert command("curve", kind, counts, "--plot", target).code == 0
    assert json.loads(target.read_text())["usermeta"]["signature"].startswith("treegauge:")


@pytest.mark.parametrize("relative", [False, True])
def test_the_figure_shows_what_the_table_shows(command, counts, tmp_path, relative):
    target = tmp_path / "figure.json"
    more = ["--relative"] if relative else []
    done = command("curve", counts, "--parser", "beam", "--plot", target, *more)
    drawn = json.loads(target.read_text())["data"]["values"]
    values = {row["size"]: row["value"] for row in drawn if row["class"] == ALL}
    (line,) = (line for line in done.out.splitlines() if line.startswith("all "))
    assert line.split()[3:] == [f"{values[size]:.1f}" for size in SIZES]
    assert ("relative to the largest size" in done.out) == relative
    assert "LAS in %" in done.out


@pytest.mark.parametrize("fmt", ["latex", "html", "csv", "json"])
def test_every_format(command, counts, fmt):
    for arguments in (
        ["show", counts],
        ["complexity", counts],
        ["show", counts, "--law", "power"],
        ["equivalent", counts, "--parser", "beam", "--score", "70"],
        ["advise", counts, "--parser", "mst", "--treebank", "UD_Greek-GDT", "--budget", "9"],
    ):
        few = [] if arguments[0] == "advise" else ["--resamples", "20"]
        done = command("curve", *arguments, *few, "--format", fmt)
        assert (done.code, done.err) == (0, "")
        assert done.out


def test_treebanks_are_trained_on_once_and_the_store_gives_the_same(command, treebank, tmp_path):
    store, out = tmp_path / "store", tmp_path / "counts.csv"
    arguments = ["curve", "counts", treebank / "UD_Greek-Made", treebank / "UD_Latin-Made", *FAST]
    arguments += ["--sizes", "4,8,16", "--samples", "2", "--store", store, "--out"]
    done = command(*arguments, out)
    assert done.code == 0, done.err
    assert "left out: UD_Latin-Made has no test" in done.err
    assert len(Store(store)) == 6
    written = read_attachments(out)
    assert written.sizes == [4, 8, 16]
    assert set(written.frame["sample"]) == {0, 1}
    assert (written.metric, written.by) == ("LAS", "upos,direction")
    times = Store(store).results()["started"].to_list()
    assert command(*arguments, tmp_path / "again.csv").code == 0
    assert Store(store).results()["started"].to_list() == times
    assert (tmp_path / "again.csv").read_bytes() == out.read_bytes()
    stored = command("curve", "counts", store, "--root", treebank, "-o", tmp_path / "third.csv")
    assert stored.code == 0
    assert (tmp_path / "third.csv").read_bytes() == out.read_bytes()
    by = command("curve", "counts", store, "--root", treebank, "--by", "relation", "-o", tmp_path / "by.csv")
    assert by.code == 0
    assert "nsubj" in command("curve", tmp_path / "by.csv", "--min-words", "1").out
    # The same counts by every route, in Python too, and in every format.
    objects = [tg.curve.counts(Store(store), root=treebank), tg.curve.counts(out)]
    for ending in (".parquet", ".json", ".tsv"):
        objects[0].save(tmp_path / f"counts{ending}")
        objects.append(read_attachments(tmp_path / f"counts{ending}"))
    for one in objects:
        assert one.frame.equals(written.frame)
        assert (one.metric, one.by) == (written.metric, written.by)
        assert one.signature[-6:] == written.signature[-6:]


def test_gold_is_the_release_that_was_trained_on(treebank, tmp_path):
    home = tmp_path / "r1" / "UD_Greek-Made"
    copytree(treebank / "UD_Greek-Made", home)
    store = tmp_path / "store"
    fast = {"option": {"epochs": 1, "beam": 1}, "workers": 1, "sizes": [4], "samples": 1}
    made = tg.curve.counts(home, store=store, **fast)
    # The folder that was trained on is known; it is gone, and releases are searched.
    home.rename(tmp_path / "r1" / "gone")
    with pytest.raises(TreegaugeError, match="UD_Greek-Made is not in"):
        tg.curve.counts(store, root=tmp_path)
    for release, test in (("r2", synthetic(12, seed=99)), ("r3", None)):
        copytree(treebank / "UD_Greek-Made", tmp_path / release / "UD_Greek-Made")
        if test:
            write_conllu(test, tmp_path / release / "UD_Greek-Made" / "xx_made-ud-test.conllu")
    assert tg.curve.counts(store, root=tmp_path).frame.equals(made.frame)
    rmtree(tmp_path / "r3")
    with pytest.raises(TreegaugeError, match="is it another release"):
        tg.curve.counts(store, root=tmp_path)


@pytest.mark.parametrize("convention", ["official", "challenges"])
def test_a_parse_has_the_score_that_score_gives_it(treebank, tmp_path, convention):
    """One parse had LAS 82.35 in score and 81.8 in curve."""
    home = treebank / "UD_Greek-Made"
    train, gold = (read_conllu(home, split=split) for split in ("train", "test"))
    parsed = make_parser("beam", epochs=1, beam=1, learners=1).fit(train, seed=0).parse(gold)
    options = ScoreOptions(convention=CONVENTIONS[convention], resamples=0)
    scores = evaluate(gold, parsed, options=options).systems[0]
    for metric in ("LAS", "UAS"):
        found = tg.curve.counts(
            home, sizes=[30], samples=1, option=["epochs=1", "beam=1"], workers=1,
            store=tmp_path / "store", metric=metric, convention=convention,
        )  # fmt: skip
        row = found.table.row(0, named=True)
        assert (row["correct"], row["total"]) == (scores[metric].correct, scores[metric].gold)
        label = metric if convention == "official" else f"{metric}[{convention}]"
        assert row["metric"] == label
        curve = tg.curve(found)
        assert curve.table["metric"].unique().to_list() == [label]
        assert f"{label} in %" in str(curve)


def test_advice_trains_what_it_needs(command, treebank, tmp_path):
    arguments = ["--parser", "beam epochs=1 beam=1", "--store", tmp_path / "store", "--workers", "1"]
    done = command("curve", "advise", treebank / "UD_Greek-Made", "--budget", "30", *arguments)
    assert done.code == 0, done.err
    # 5, 10, 20 and all 30 sentences.
    assert len(Store(tmp_path / "store")) == 20
    assert "30 more sentences in addition to 30 raise LAS from" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["counts", "COUNTS", "--by", "relation"], "was already counted"),
        (["COUNTS", "--sizes", "five"], "sizes: got 'five'; expected whole numbers such as 5,10"),
        (["COUNTS", "--sizes", "7"], "unknown size '7'"),
        (["COUNTS", "--parser", "bean"], "did you mean 'beam'"),
        (["equivalent", "COUNTS", "--score", "high"], "expected 66.1 or CLASS=66.1"),
        (["equivalent", "COUNTS", "--score", "70"], "several parsers (beam, mst)"),
        (["COUNTS", "--parser", "beam", "--law", "exp"], "'exp' is not one of"),
        (["advise", "COUNTS", "--parser", "beam", "--budget", "5"], "several treebanks"),
        (["nothing.csv"], "nothing.csv: no such file or folder"),
        (["counts", "COUNTS", "--metric", "UAS"], "holds counts of LAS, not of UAS"),
        (["counts", "COUNTS", "--convention", "challenges"], "holds counts of LAS, not of LAS[challenges]"),
        (["equivalent", "COUNTS", "--parser", "beam", "--score", "70", "--score", "all=6"], "two scores of all"),
    ],
)
def test_slips_are_named(command, counts, arguments, message):
    done = command("curve", *(counts if one == "COUNTS" else one for one in arguments))
    assert done.code == 2
    assert message in done.err


def test_one_set_of_trainings_serves_budgets_gains_laws_and_equivalents(treebank, tmp_path, monkeypatch):
    """Each of these commands trained its own parsers, and equivalent knew fewer sizes than advise."""
    trained = []

    def counted(cells, store=None, **how):
        before = len(Store(store))
        results = run_cells(cells, store, **how)
        trained.append(len(Store(store)) - before)
        return results

    monkeypatch.setattr(gathering, "run_cells", counted)
    home, store = treebank / "UD_Greek-Made", tmp_path / "store"
    how = {"parser": "beam epochs=1 beam=1", "store": store, "workers": 1}
    gained = tg.curve.advise(home, gain=2, **how)
    spent = tg.curve.advise(home, budget=7, **how)
    tg.curve.counts(home, **how)
    assert trained == [20, 0, 0]
    assert (gained.budget, spent.budget, spent.need) == (30, 7, None)
    placed = [tg.curve.equivalent(source, score=99.9).table["equivalent"][0] for source in (store, gained)]
    assert placed == ["> 30", "> 30"]
    laws = [tg.curve(source, at=[60]).attached["fits"][0].predictions.rows() for source in (store, spent)]
    assert laws[0] == laws[1]


def test_the_tags_and_fixed_learners_are_named_and_predicted_ones_are_used(treebank, tmp_path):
    home, how = treebank / "UD_Greek-Made", {"parser": "beam epochs=1 beam=1", "workers": 1}
    gold = tg.curve.advise(home, **how)
    predicted = tg.curve.advise(home, tags="predicted", **how)
    assert "note: trained with tags=gold beam=1 epochs=1 learners=1 (beam)" in str(gold)
    assert "note: trained with beam=1 epochs=1 learners=1 tags=predicted (beam)" in str(predicted)
    assert gold.counts.frame["correct"].to_list() != predicted.counts.frame["correct"].to_list()
    gold.counts.save(tmp_path / "counts.csv")
    assert tg.curve.advise(tmp_path / "counts.csv", tags="gold").notes == gold.notes
    with pytest.raises(TreegaugeError, match=r"of parsers with beam: tags=gold .*, not tags=predicted"):
        tg.curve.advise(tmp_path / "counts.csv", tags="predicted")


def test_readers_do_not_train(command, treebank):
    done = command("curve", "complexity", treebank / "UD_Greek-Made")
    assert done.code == 2
    assert "UD_Greek-Made is a treebank; expected counts: treegauge curve counts" in done.err


def test_laws_are_fitted_to_each_parser_and_treebank(counts):
    fits = tg.curve(counts, law=["log"], treebank="each").attached["fits"]
    assert [(one.parser, one.frame["treebank"][0]) for one in fits] == [
        (parser, treebank) for parser in ("beam", "mst") for treebank in ("UD_Greek-GDT", "UD_Latin-Perseus")
    ]
    assert (
        tg.curve(counts, law=["log"], treebank="UD_Greek-GDT", parser="beam")
        .attached["fits"][0]
        .frame.equals(fits[0].frame)
    )
