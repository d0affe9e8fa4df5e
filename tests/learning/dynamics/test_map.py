"""``treegauge map`` and ``tg.map``."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import stats

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.experiments.plans import Plan, grid
from treegauge.experiments.run import run
from treegauge.learning.dynamics.cartography import MapArchive
from treegauge.learning.dynamics.recording import Recording
from treegauge.statistics.student_intervals import effective_df
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_conllu

FAST = ("--option", "bits=16", "--option", "label_bits=12", "--epochs", 2)
QUICK = {"epochs": 2, "option": {"bits": 16, "label_bits": 12}}


def test_the_command_and_the_function_give_the_same(command, folders, tmp_path):
    words, kept = tmp_path / "words.csv", tmp_path / "r.npz"
    done = command(
        "map", folders[0], *FAST, "--words", words, "--recording", kept, "--format", "json",
        "--plot", tmp_path / "map.json",
    )  # fmt: skip
    assert (done.code, done.err[:6]) == (0, "wrote ")
    shown = json.loads(done.out)
    assert shown["notes"] == ["UD_Syn-A/train: no interval: 60 sentences, needs at least 100"]
    assert shown == json.loads(tg.map(folders[0], **QUICK).to_json())
    assert [row["of"] for row in shown["rows"]] == ["heads", "relations"]
    assert "parser:mst training=loglinear epochs=2 label_epochs=2 bits=16" in shown["signature"]
    frame = pl.read_csv(words)
    recording = Recording.load(kept)
    assert frame.height == recording.n_words == read_conllu(folders[0], split="train").n_words
    assert frame["head_confidence"].mean() == pytest.approx(shown["rows"][0]["confidence"])
    spec = json.loads((tmp_path / "map.json").read_text())
    assert sum(row["words"] for row in spec["data"]["values"]) == frame.height


@pytest.mark.parametrize("split", ["dev", "test"])
@pytest.mark.parametrize("convention", ["official", "challenges"])
def test_scores_are_those_of_the_parsed_file(folders, tmp_path, split, convention):
    result = tg.map(folders[0], split=split, convention=convention, **QUICK)
    parser = tg.make_parser("mst", bits=16, label_bits=12, training="loglinear", epochs=2, label_epochs=2)
    model = parser.fit(read_conllu(folders[0], split="train"), seed=0)
    gold = read_conllu(folders[0], split=split)
    scores = tg.score(gold, model.parse(gold), convention=convention, resamples=0)
    (row,) = result.scores.table.to_dicts()
    for metric, correct in (("UAS", "correct_heads"), ("LAS", "correct_relations")):
        label = metric if convention == "official" else f"{metric}[{convention}]"
        assert row[label] == scores.systems[0][metric].f1
        assert row[correct] == scores.systems[0][metric].correct
        assert result.table[label].to_list() == [row[label]] * 2
    assert ("punct:no" in result.signature) == (convention == "challenges")


def test_several_treebanks_parsers_and_seeds(command, folders, tmp_path):
    args = ("map", *folders, *FAST, "--parser", "mst", "--parser", "mst rate=0.01")
    args = (*args, "--split", "dev", "--seeds", 2, "--store", tmp_path / "s", "--format", "json")
    done = command(*args)
    shown = json.loads(done.out)
    assert [row["treebank"] for row in shown["rows"][::2]] == ["UD_Syn-A/dev", "UD_Syn-B/dev"]
    assert len(shown["scores"]["rows"]) == 2 * 2 * 2
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "s").rglob("*.npz")}
    assert len(before) == 8
    assert command(*args).out == done.out
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "s").rglob("*.npz")} == before


def test_the_signature_names_all_inputs_and_choices(folders):
    result = tg.map(*folders, seeds=2, **QUICK)
    for folder in folders:
        assert read_conllu(folder, split="train").digest[:6] in result.signature
    assert "seed:0+1" in result.signature
    assert "punct:yes|subtypes:no" in result.signature
    assert tg.map(*folders, seed=1, seeds=2, **QUICK).signature != result.signature


def test_a_plan_and_the_verb_share_a_store(folders, tmp_path):
    options = {"training": "loglinear", "epochs": 2, "label_epochs": 2}
    parser = {"name": "mst", "options": options}
    plan = Plan((grid("map", str(folders[0]), parsers=[parser], seeds=(0, 1)),))
    run(plan, tmp_path / "s", pool="inline")
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "s").rglob("*.npz")}
    assert len(files) == 2
    tg.map(folders[0], epochs=2, seeds=2, store=tmp_path / "s")
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "s").rglob("*.npz")} == files


def test_mean_confidence_has_an_interval_over_sentences():
    train = synthetic(120, seed=1)
    quick = {"epochs": 2, "option": {"bits": 16, "label_bits": 12}}
    alone, several = (tg.map(train, seeds=seeds, **quick) for seeds in (1, 3))
    for row in alone.table.to_dicts():
        assert 0 < row["confidence_low"] < row["confidence"] < row["confidence_high"] < 1
    # The log-odds of the mean, plus or minus Student's t of the jackknife over sentences.
    values, sizes = alone[0].confidence["head"], train.lengths
    sums, n = np.add.reduceat(values, train.offsets[:-1]), len(train)
    left = (sums.sum() - sums) / (sizes.sum() - sizes)
    mean = values.mean()
    se = np.sqrt((n - 1) / n * ((left - mean) ** 2).sum()) / (mean * (1 - mean))
    reach = stats.t.ppf(0.975, effective_df(sizes)) * se
    expected = 1 / (1 + np.exp(-(np.log(mean / (1 - mean)) + np.array([-reach, reach]))))
    assert alone[0].intervals["head"] == pytest.approx(tuple(expected))
    assert several[0].intervals["head"] != alone[0].intervals["head"]
    few = tg.map(train[:99], **quick)
    assert few.table["confidence_low"].null_count() == 2


def test_candidates(command, folders, tmp_path):
    for name in ("c.conllu", "c.html", "c.csv"):
        out = tmp_path / name
        done = command(
            "map", folders[0], *FAST, "--candidates", 3, "--folds", 2, "--candidates-out", out,
            "--store", tmp_path / "s",
        )  # fmt: skip
        assert done.code == 0
    assert "instead" in done.out
    rows = pl.read_csv(tmp_path / "c.csv")
    assert rows.height == 3
    assert (rows["p_instead"] > rows["p_gold"]).all()
    marked = read_conllu(tmp_path / "c.conllu")
    assert sum("Suspect" in one for one in marked["misc"]) == 3
    assert 'id="data-candidates"' in (tmp_path / "c.html").read_text()


def test_one_archive_holds_all_seeds_the_held_out_recording_and_the_candidates(tmp_path):
    path = tmp_path / "r.npz"
    made = tg.map(synthetic(40, seed=1), seeds=3, candidates=5, folds=2, recording=path, **QUICK)
    archive = MapArchive.load(path)
    assert len(archive.recordings) == 3
    assert archive.held_out.split == "held out"
    assert archive.candidates.table.equals(made.attached["candidates"].table)
    assert archive.candidates.signature == made.attached["candidates"].signature
    assert archive.map.values == made[0].values
    assert archive.map.signature == made[0].signature
    for one, other in zip(archive.recordings, made.archives[0].recordings, strict=True):
        assert all((one.arrays()[name] == value).all() for name, value in other.arrays().items())
    with pytest.raises(TreegaugeError, match="holds 4 recordings, expected one"):
        Recording.load(path)


def test_a_report_of_the_archive_shows_what_was_printed(folders, tmp_path):
    from treegauge.reporting.inputs import read_inputs
    from treegauge.reporting.sections.maps import maps_section, recorded_candidates

    path = tmp_path / "r.npz"
    made = tg.map(folders[0], seeds=3, candidates=5, folds=2, recording=path, **QUICK)
    recordings = read_inputs([str(folders[0]), str(path)]).recordings
    (shown,) = maps_section(recordings).data["maps"]
    assert shown["values"] == made[0].values
    (shown,) = recorded_candidates(recordings).data["lists"]
    assert [(one["word"], one["score"]) for one in shown["items"]] == [
        (one.word, one.score) for one in made.attached["candidates"].words
    ]


def test_objects_and_mappings(folders):
    train, dev = (read_conllu(folders[0], split=split) for split in ("train", "dev"))
    mapped = tg.map({"train": train, "dev": dev}, split="dev", **QUICK)
    same = tg.map(folders[0], split="dev", **QUICK)
    assert (mapped[0].confidence["head"] == same[0].confidence["head"]).all()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["{a}", "--parser", "mts"], "unknown parser 'mts'; did you mean 'mst'"),
        (["{a}", "--parser", "command"], "does not report its epochs"),
        (["{a}", "--parser", "beam"], "has no probabilities of heads"),
        (["{a}", "--option", "epoch=1"], "did you mean 'epochs'"),
        (["{a}", "{b}", "--words", "w.csv"], "--words needs one treebank, got 2"),
        (["{a}", "--words", "w.txt"], "unknown kind of table '.txt'"),
        (["{a}", "--recording", "w.txt"], "unknown kind of file '.txt'"),
        (["{a}", "--candidates-out", "w.txt"], "kind of file for candidates '.txt'"),
        (["{train}", "--split", "dev"], "has no dev set, only train"),
        (["nowhere"], "no such file"),
    ],
)
def test_bad_requests(command, folders, args, message):
    paths = {"a": folders[0], "b": folders[1], "train": folders[0] / "sy_a-ud-train.conllu"}
    done = command("map", *(arg.format(**paths) for arg in args))
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err


def test_trees_have_confidence_and_variability_normalised_for_length(folders, tmp_path):
    folder = folders[0]
    made = tg.map(
        folder, epochs=3, words=tmp_path / "w.csv", recording=tmp_path / "r.npz",
        option={"bits": 16, "label_bits": 12},
    )  # fmt: skip
    train = read_conllu(folder, split="train")
    recording = MapArchive.load(tmp_path / "r.npz").recordings[0]
    frame, place = pl.read_csv(tmp_path / "w.csv"), 0
    assert frame.height == train.n_words
    for number, length in enumerate(train.lengths):
        own = range(place, place + int(length))
        means = []
        for epoch in range(3):
            product = 1.0
            for word in own:
                product *= float(np.exp(recording.head_logp[epoch, word])) * float(
                    np.exp(recording.relation_logp[epoch, word])
                )
            means.append(product ** (1 / int(length)))
        assert made[0].trees["confidence"][number] == pytest.approx(np.mean(means), rel=1e-4)
        assert made[0].trees["variability"][number] == pytest.approx(np.std(means), rel=1e-3, abs=1e-6)
        rows = frame[place : place + int(length)]
        assert rows["tree_confidence"].n_unique() == 1
        assert rows["tree_confidence"][0] == pytest.approx(np.mean(means), rel=1e-4)
        place += int(length)
