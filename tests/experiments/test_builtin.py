"""The built-in tasks against the same computation by hand."""

from importlib.util import find_spec

import numpy as np
import polars as pl
import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.experiments.builtin import sampled
from treegauge.experiments.cell_store import Store
from treegauge.experiments.plans import Plan, grid
from treegauge.experiments.run import run
from treegauge.experiments.tasks import perform
from treegauge.measures.measure import measure
from treegauge.parsing.registry import make_parser
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.metrics.convention import find_convention
from treegauge.scoring.metrics.registry import metric_label
from treegauge.scoring.settings import ScoreOptions
from treegauge.splitting.assignment import make_split as split
from treegauge.splitting.assignment import pool
from treegauge.treebanks.data.conllu import read_conllu, read_splits

QUICK = {"name": "beam", "options": {"epochs": 2, "beam": 2}}


def reports(root, task, **more):
    cells = list(Plan((grid(task, "UD_A-X", **more),), root=str(root)).expand().cells())
    found = [(cell, perform(cell)) for cell in cells]
    assert [report.error for _, report in found] == [None] * len(found)
    return found


def rows(treebank):
    """The words of a treebank, read by hand."""
    lines = treebank.to_bytes().decode().splitlines()
    return [line.split("\t") for line in lines if line.partition("\t")[0].isdecimal()]


def words(report):
    return pl.read_parquet(report.words)


def test_curve(room):
    parts = read_splits(room / "UD_A-X")
    for cell, report in reports(
        room, "curve", parsers=[QUICK], sizes=[8, 15], samples=2, seeds=[3],
        parameters={"train_limit": 20, "dev_limit": 4, "nested": True},
    ):  # fmt: skip
        chosen = sampled(20, cell.size, cell.sample, nested=True)
        parser = make_parser("beam", epochs=2, beam=2, learners=1)
        model = parser.fit(parts["train"].take(chosen), parts["dev"][:4], seed=3)
        gold, parsed = parts["test"], model.parse(parts["test"])
        heads = both = 0
        for ours, theirs in zip(rows(gold), rows(parsed), strict=True):
            heads += ours[6] == theirs[6]
            labels = [row[7].partition(":")[0] for row in (ours, theirs)]
            both += ours[6] == theirs[6] and labels[0] == labels[1]
        total = gold.n_words
        assert report.scalars == {"UAS": 100 * (heads / total), "LAS": 100 * (both / total), "words": total}
        frame = words(report)
        assert frame.schema == {"head": pl.Int32, "deprel": pl.String}
        assert frame["head"].to_list() == parsed.head.tolist()
        assert frame["deprel"].to_list() == parsed["deprel"].to_list()


def test_score(room):
    parts = read_splits(room / "UD_A-X")
    ((_, report),) = reports(room, "score", parsers=[QUICK], seeds=[1])
    model = make_parser("beam", epochs=2, beam=2).fit(parts["train"], parts["dev"], seed=1)
    scored = evaluate(parts["test"], model.parse(parts["test"]), options=ScoreOptions(resamples=0))
    metrics = scored.systems[0].metrics
    assert report.scalars["LAS"] == metrics["LAS"].f1
    assert list(report.scalars) == (
        "Tokens Sentences Words UPOS XPOS UFeats AllTags Lemmas UAS LAS CLAS MLAS BLEX".split()
    )
    assert report.scalars == {name: metrics[name].f1 for name in report.scalars}


def test_tasks_and_score_agree_under_every_convention(room):
    """One parse has one LAS, whether it comes from a store or from score."""
    for name in ("official", "challenges", "difficulty"):
        convention = find_convention(name)
        for task, own in (("score", {}), ("curve", {}), ("split", {"objective": "length"})):
            sizes, parameters = [20] if task == "curve" else [], {"convention": name, **own}
            ((cell, report),) = reports(room, task, parsers=[QUICK], sizes=sizes, parameters=parameters)
            frame = words(report)
            gold = cell.read("test")
            if task == "split":
                index = frame["sentence"].unique(maintain_order=True)
                gold = read_conllu(room / "UD_A-X").take(index.to_numpy())
            parsed = gold.with_columns(frame.select("head", "deprel").to_dict(as_series=False))
            options = ScoreOptions(convention=convention, resamples=0)
            scored = evaluate(gold, parsed, options=options)
            for metric in ("UAS", "LAS"):
                label = metric_label(metric, convention)
                assert report.scalars[label] == scored.systems[0][metric].f1
            assert (name == "official") == ("LAS" in report.scalars)


def test_an_unknown_convention_is_refused_by_the_plan(room):
    with pytest.raises(TreegaugeError, match="unknown convention 'challenge'; did you mean"):
        reports(room, "score", parsers=[QUICK], parameters={"convention": "challenge"})


def test_split(room):
    made = split(pool(room / "UD_A-X"), "length", seed=2, sizes=(50, 25, 25))
    everything = read_conllu(room / "UD_A-X")
    parts = {name: everything.take(index) for name, index in made.parts.items()}
    model = make_parser("beam", epochs=2, beam=2).fit(parts["train"], parts["dev"], seed=0)
    parsed = model.parse(parts["test"])
    ((_, report),) = reports(
        room, "split", parsers=[QUICK], samples=[2], parameters={"objective": "length", "sizes": "50/25/25"}
    )
    scored = evaluate(parts["test"], parsed, options=ScoreOptions(resamples=0))
    assert report.scalars["LAS"] == scored.systems[0]["LAS"].f1
    assert report.scalars["edv"] == made.edv
    frame = words(report)
    assert frame["head"].to_list() == parsed.head.tolist()
    lengths = everything.lengths[np.unique(frame["sentence"])]
    assert lengths.min() >= everything.lengths[made.parts["train"]].max()


def test_measure(room):
    found = reports(room, "measure", parameters={"measures": ["words,edv", "wde"], "split": "test"})
    first, second = (report.scalars for _, report in found)
    wanted = measure("words,edv", room / "UD_A-X", split="test")
    assert first == {"words": wanted["words"], "edv": wanted["edv"]}
    wde = measure("wde", room / "UD_A-X", split="test")["wde"]
    assert second == {f"wde:{name}": value for name, value in wde.items()}


def test_a_bad_treebank_fails_with_the_place(room, tmp_path):
    folder = tmp_path / "UD_Bad-X"
    folder.mkdir()
    good = (room / "UD_A-X" / "a_x-ud-train.conllu").read_text()
    for part in ("train", "test"):
        (folder / f"b_x-ud-{part}.conllu").write_text(
            good if part == "train" else good.replace("\t0\troot", "\t99\troot")
        )
    plan = Plan((grid("score", "UD_Bad-X", parsers=[QUICK]),), root=str(tmp_path))
    assert run(plan, tmp_path / "s", pool="inline").failed == 1
    error = Store(tmp_path / "s").failures()["error"][0]
    assert "b_x-ud-test.conllu:" in error
    assert "head-range" in error


def test_pools_agree_to_the_byte(room, tmp_path):
    mst = {"name": "mst", "options": {"epochs": 1}}
    plan = Plan((
        grid("curve", "UD_[AB]-X", parsers=[QUICK, mst], sizes=[10], samples=2),
        grid("score", "UD_A-X", parsers=[QUICK]),
        grid("measure", "UD_*", parameters={"measures": "displacement"}),
    ), root=str(room))  # fmt: skip
    pools = {"a": "inline", "b": "process"}
    if find_spec("distributed"):
        pools["c"] = "dask"
    for name, chosen in pools.items():
        done = run(plan, tmp_path / name, pool=chosen)
        assert (done.done, done.failed) == (12, 0), Store(tmp_path / name).failures()["error"].to_list()
    texts = {Store(tmp_path / name).results(provenance=False).write_csv() for name in pools}
    assert len(texts) == 1
    first, *others = ({p.name: p.read_bytes() for p in (tmp_path / name).glob("words/*/*")} for name in pools)
    assert all(files == first for files in others)
    assert len(first) == 9
