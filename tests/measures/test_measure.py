"""Measuring files, folders and releases: the verb ``measure``."""

import csv
import io
import json
import subprocess
import sys

import pytest

import treegauge as tg
from tests.commands import invoke
from treegauge.core.errors import ChoiceError, TreegaugeError
from treegauge.measures.displacement import edv
from treegauge.measures.measure import measure, measure_all
from treegauge.measures.registry import measures
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import concat
from treegauge.treebanks.data.conllu import write_conllu
from treegauge.treebanks.data.problems import ConlluError


def write(folder, name, **parts):
    folder.mkdir(parents=True)
    for part, treebank in parts.items():
        write_conllu(treebank, folder / f"{name}-ud-{part}.conllu")
    return folder


@pytest.fixture
def release(tmp_path):
    """Two treebanks in two releases, one of them without a train part."""
    for number, one in enumerate(("r1", "r2")):
        train, test = synthetic(60, seed=number), synthetic(40, seed=number + 10)
        write(tmp_path / one / "UD_A-B", "a_b", train=train, test=test)
    write(tmp_path / "r2" / "UD_C-D", "c_d", test=synthetic(30, seed=3))
    return tmp_path


def rows(found):
    return [(one.measure, one.treebank, one.split) for one in found.measured]


def test_a_release_is_all_folders_below(release):
    found = measure("words,edv", release)
    names = ["r1/UD_A-B", "r2/UD_A-B", "UD_C-D"]
    assert rows(found) == [row for name in names for row in (("words", name, "train"), ("edv", name, "train/test"))]
    values = {(one.measure, one.treebank): one.value for one in found.measured}
    assert values["words", "r1/UD_A-B"] == synthetic(60, seed=0).n_words
    expected = edv(synthetic(60, seed=1), synthetic(40, seed=11))
    assert values["edv", "r2/UD_A-B"] == expected
    reasons = [one.missing for one in found.measured if one.treebank == "UD_C-D"]
    assert reasons == ["UD_C-D has no train set, only test"] * 2


@pytest.mark.parametrize("part", ["train", "test", "all"])
def test_parts_of_a_folder(release, part):
    found = measure("words", release / "r1" / "UD_A-B", split=part)
    parts = {"train": [synthetic(60, seed=0)], "test": [synthetic(40, seed=10)]}
    parts["all"] = parts["train"] + parts["test"]
    assert found["words"] == concat(parts[part]).n_words
    assert f"split:{part}" in found.signature


def test_files_are_measured_as_they_are_and_two_are_a_pair(release):
    folder = release / "r1" / "UD_A-B"
    files = sorted(folder.glob("*.conllu"), reverse=True)
    found = measure("words,edv", *files)
    assert rows(found) == [
        ("words", "a_b-ud-train", "train"),
        ("words", "a_b-ud-test", "test"),
        ("edv", "a_b-ud-train > a_b-ud-test", None),
    ]
    assert found["edv"] == measure("edv", folder)["edv"]
    assert measure("edv", *reversed(files))["edv"] == found["edv"]
    assert measure("klcpos3", *reversed(files))["klcpos3"] != measure("klcpos3", folder)["klcpos3"]


def test_it_must_be_clear_what_is_compared(release):
    files = list((release / "r1" / "UD_A-B").glob("*.conllu"))
    with pytest.raises(TreegaugeError, match=r"expected two files \(TRAIN TEST\) .* found 1 file$"):
        measure("edv", files[0])
    with pytest.raises(TreegaugeError, match="found 3 files"):
        measure("edv", *files, files[0])
    assert {one.measure for one in measure("all", files[0]).measured} == {
        one.name for one in measures().values() if not one.pair
    }


def test_nothing_to_measure(tmp_path):
    with pytest.raises(TreegaugeError, match="found no treebank in this folder"):
        measure("words", tmp_path)
    with pytest.raises(TreegaugeError, match="no such file"):
        measure("words", tmp_path / "none.conllu")
    with pytest.raises(ChoiceError, match="choices: train, dev, test, all"):
        measure("words", tmp_path, split="tarin")


def test_one_broken_treebank_does_not_spoil_the_others(release):
    broken = release / "r1" / "UD_A-B" / "a_b-ud-train.conllu"
    broken.write_text("1\tHi\n\n")
    found = measure("words,edv,ttr", release)
    missing = [one for one in found.measured if one.treebank == "r1/UD_A-B"]
    assert [one.value for one in missing] == [None] * 3
    assert all("a_b-ud-train.conllu:1: error: columns" in one.missing for one in missing)
    assert any(one.value for one in found.measured)
    with pytest.raises(ConlluError):
        measure("words", broken)
    assert measure("words", broken, errors="skip")["words"] == 0


def test_workers_do_not_change_anything(release):
    how = {"split": "train", "errors": "strict", "interval": (50, 0.95), "seed": 3}
    one, four = (measure_all("all", [release], workers=workers, **how) for workers in (1, 4))
    assert one.to_dict() == four.to_dict()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"seed": -1}, "seed: expected a whole number of at least 0, found -1"),
        ({"interval": True, "level": 2}, "level: expected a number between 0 and 1"),
        ({"interval": True, "resamples": 0}, "resamples: expected a whole number"),
    ],
)
def test_options_that_cannot_be(wrong, message):
    with pytest.raises(TreegaugeError, match=message):
        measure("edv,sampled_ttr", synthetic(9, seed=1), synthetic(9, seed=2), **wrong)


def test_no_text_and_no_relations_are_missing(bank):
    """As in treebanks whose text may not be given away: all forms are an underscore."""
    words = [{"head": 0, "form": "_", "feats": "A=B"}, {"head": 1, "form": "_", "deprel": "_"}]
    treebank = bank(*[[*words, words[1]]] * 4)
    found = measure("all", treebank, treebank)
    missing = {one.measure: one.missing for one in found.measured if one.missing}
    for name in ("ttr", "form_entropy", "word_entropy", "oov", "oov_types", "wde", "mc"):
        assert "no FORM: it is '_' for 100%" in missing[name]
    for name in ("lemma_entropy", "forms_per_lemma"):
        assert "no LEMMA" in missing[name]
    relations = ("content", "function", "other", "direction_entropy_by_relation")
    for name in (*relations, "word_order_freedom", "tree_overlap_tagged"):
        assert "no DEPREL: it is '_' for 67%" in missing[name]
    assert found["edv"] == 0


def test_intervals_where_they_make_sense():
    found = measure(
        "mdd,ttr,edv", synthetic(120, seed=1), synthetic(120, seed=2), interval=True, resamples=50, level=0.9
    )
    limits = {one.measure: one.interval for one in found.measured}
    assert limits["ttr"] is None
    assert limits["mdd"] and limits["edv"]
    assert "ci:50@0.9|units:sentences|seed:0" in found.signature
    row = found.to_dict()["measures"][0]
    assert row["low"] < row["value"] < row["high"]


def test_averages_over_treebanks(release):
    found = measure("wde", release)
    *each, average = found.measured
    assert average.treebank == "average of 2 treebanks"
    values = [one.value for one in each if one.value]
    assert average.value["root"] == pytest.approx(sum(v["root"] for v in values) / 2)
    assert len(measure("wde", release / "r1").measured) == 1


def test_words_without_lemma_are_noted(bank):
    words = [{"head": 0, "lemma": "a"}, {"head": 1, "lemma": "b"}, {"head": 1, "lemma": "_"}]
    (row,) = measure("lemma_entropy", bank(words)).measured
    assert row.note == "bank has '_' as LEMMA of 33% of words"


def test_tables(release):
    found = measure("words,edv,wde,mc", release)
    table = found.table
    columns = {"measure", "treebank", "split", "averaged", "value", "missing"}
    assert set(table.columns) == columns
    assert "wde:root" in table["measure"].to_list()
    assert table.select("measure", "treebank").is_duplicated().sum() == 0
    assert found.wide.columns == ["treebank", "words", "edv", "mc"]
    wide = measure("words,edv", release)
    assert str(wide).splitlines()[0].split() == ["treebank", "words", "edv"]
    assert "UD\\_A-B" in wide.to_latex()
    assert json.loads(json.dumps(found.to_dict()))["measures"][0]["measure"] == "words"
    with pytest.raises(KeyError):
        found["slv"]


def test_the_list_of_measures():
    listing = tg.measure()
    assert listing.table["measure"].to_list() == list(measures())
    rows = listing.to_dict()["measures"]
    assert tg.measure("words,edv").table["measure"].to_list() == ["words", "edv"]
    assert "number of syntactic words" in str(listing)
    assert {"measure", "family", "of", "range", "interval", "meaning", "docs"} == set(rows[0])
    assert next(row for row in rows if row["measure"] == "edv")["of"] == "pair"


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "UD_A-B"
    place.mkdir()
    for part, seed in (("train", 1), ("test", 2)):
        write_conllu(synthetic(50, seed=seed), place / f"a_b-ud-{part}.conllu")
    return place


def run(*words, code=0):
    done = invoke(["measure", *map(str, words)])
    assert done.exit_code == code, done.output
    return done


def test_json_of_a_pair(folder):
    files = [folder / f"a_b-ud-{part}.conllu" for part in ("train", "test")]
    found = json.loads(run("edv", *files, "--format", "json").stdout)
    assert found["signature"].startswith("treegauge:")
    (row,) = found["measures"]
    expected = edv(synthetic(50, seed=1), synthetic(50, seed=2))
    assert row == {"measure": "edv", "treebank": "a_b-ud-train > a_b-ud-test", "value": expected}
    whole = json.loads(run("edv", folder, "--format", "json").stdout)
    assert whole["measures"][0] == {"measure": "edv", "treebank": "UD_A-B", "split": "train/test", "value": expected}


def test_all_measures_with_the_missing_ones_reported(folder):
    text = run("all", folder).stdout
    assert "note: sampled_ttr" in text
    done = run("all", folder, "--format", "json")
    measured = json.loads(done.stdout)["measures"]
    missing = {row["measure"]: row["missing"] for row in measured if row["value"] is None}
    assert missing["sampled_ttr"] == ("UD_A-B/train has 50 sentences, fewer than a sample of 1,000")


def test_intervals_and_seed(folder):
    words = ("mdd", folder, "--interval", "--resamples", "60", "--format", "json")
    one, again = (json.loads(run(*words).stdout) for _ in range(2))
    other = json.loads(run(*words, "--seed", "5").stdout)
    assert one == again
    assert one["measures"] == other["measures"]  # Student's interval draws nothing
    assert one["measures"][0]["low"] < one["measures"][0]["high"]


def test_csv_to_a_file(folder, tmp_path):
    out = tmp_path / "found.csv"
    assert run("wde,words", folder, "--format", "csv", "--out", out).stdout == ""
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert {"wde:root", "words"} <= {row["measure"] for row in rows}


def test_split_and_errors(folder):
    (folder / "a_b-ud-dev.conllu").write_text("1\tx\n\n")
    found = json.loads(run("words", folder, "--split", "test", "--format", "json").stdout)
    assert found["measures"][0]["value"] == synthetic(50, seed=2).n_words
    assert "a_b-ud-dev" in run("words", folder, "--split", "dev", code=2).stderr
    found = json.loads(run("words", folder, "--split", "dev", "--errors", "skip", "--format", "json").stdout)
    assert found["measures"][0]["value"] == 0


def test_list(folder):
    text = run().stdout
    assert "edv " in text and "distance between the displacements" in text
    listed = json.loads(run("similarity", "--format", "json").stdout)["measures"]
    assert {row["family"] for row in listed} == {"similarity"}
    assert {row["docs"] for row in listed} >= {"measures/similarity.md#oov"}


def test_no_bar_and_no_traceback_when_nobody_watches(folder):
    code = "import sys; from treegauge.cli import main; sys.argv[0] = 'treegauge'; main()"
    command = [sys.executable, "-c", code, "measure"]
    good = subprocess.run([*command, "edv", folder], capture_output=True, text=True, check=False)
    assert (good.returncode, good.stderr) == (0, "")
    bad = subprocess.run([*command, "edvv", folder], capture_output=True, text=True, check=False)
    assert bad.returncode == 2
    assert bad.stderr.startswith("error: unknown measure 'edvv'; did you mean 'edv'?")


def test_a_figure_of_displacements(folder, tmp_path):
    run("displacements", folder, "--plot", tmp_path / "figure.json")
    assert "vega-lite" in (tmp_path / "figure.json").read_text()
    done = run("mdd,wde", folder, "--plot", tmp_path / "figure.json", code=2)
    assert "unknown measure to draw with others 'wde'; choices: mdd" in done.stderr


def test_treebanks_are_known_by_name(folder, monkeypatch):
    monkeypatch.setenv("TREEGAUGE_UD", str(folder.parent))
    assert measure("words", "UD_A-B")["words"] == measure("words", folder)["words"]


def test_several_measures_before_the_files(release, tmp_path, monkeypatch):
    treebank = sorted(release.rglob("*train*.conllu"))[0]
    for names in (["mdd,mean_length,words"], ["mdd", "mean_length,words"]):
        found = measure(*names, str(treebank))
        assert [row.measure for row in found.measured] == ["mdd", "mean_length", "words"]
        assert "|m:mdd,mean_length,words|" in found.signature
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words").mkdir()
    (tmp_path / "words/a.conllu").write_bytes(treebank.read_bytes())
    assert {row.measure for row in measure("mdd", "words", split="all").measured} == {"mdd"}
    with pytest.raises(TreegaugeError, match=r"slv: .* it is a measure: name measures before"):
        measure("mdd", str(treebank), "slv")
    assert measure("mdd", "slv").table["measure"].to_list() == ["mdd", "slv"]
