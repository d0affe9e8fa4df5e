"""``treegauge curve``: from counts, from a store, from treebanks."""

import json
from shutil import copytree, rmtree

import numpy as np
import polars as pl
import pytest

from treegauge.curves.attachments import ALL, COLUMNS, attachments, read_attachments
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.conllu import write_conllu

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
    attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row")).write(path)
    return path


@pytest.fixture(scope="module")
def treebank(tmp_path_factory):
    """A small treebank with train and test part, and one without a test part."""
    home = tmp_path_factory.mktemp("treebanks")
    for name, parts in (
        ("UD_Greek-Made", (("train", 30), ("test", 12))),
        ("UD_Latin-Made", (("train", 9),)),
    ):
        (home / name).mkdir()
        for part, number in parts:
            path = home / name / f"xx_made-ud-{part}.conllu"
            write_conllu(synthetic(number, seed=number), path)
    return home


FAST = ["-o", "epochs=1", "-o", "beam=1", "-o", "labelled=false", "--workers", "1"]


def test_show_is_the_default_and_prints_sizes(command, counts):
    done = command("curve", counts, "--parser", "beam")
    assert done.code == 0
    assert done.out.split("\n")[0].split() == ["class", "share", "treebanks", *map(str, SIZES)]
    assert done.out == command("curve", "show", counts, "--parser", "beam").out
    rows = json.loads(command("curve", counts, "--format", "json").out)["rows"]
    assert {row["parser"] for row in rows} == {"beam", "mst"}
    assert all(row["low"] <= row["score"] <= row["high"] for row in rows)


def test_show_composites_each_and_relative(command, counts):
    out = command("curve", counts, "--composite", "--parted-by", "beam", "--format", "csv").out
    assert {line.split(",")[2] for line in out.splitlines()[1:]} == {"all", "simple", "complex"}
    each = command("curve", counts, "--each", "--class", "slow", "--sizes", "10,100").out
    assert "UD_Latin-Perseus" in each
    assert "fast" not in each
    relative = command("curve", counts, "--relative", "--parser", "mst").out
    assert relative.splitlines()[2].endswith("100.0")


def test_complexity_compared_and_parted(command, counts):
    done = command("curve", "complexity", counts, "--compare", "--parts", "--format", "json")
    told = json.loads(done.out)
    order = [row["class"] for row in told["rows"] if row["parser"] == "beam"]
    assert order == ["fast", "middle", "slow"]
    assert told["correlations"][0]["rho"] == pytest.approx(-1)
    assert len(told["comparison"]["agreement"]) == 3
    assert {row["side"] for row in told["partitions"][1]["rows"]} == {"simple", "complex"}
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
    fitted = command("curve", "fit", counts, "--parser", "beam", "--at", "200,400").out
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


@pytest.mark.parametrize("fmt", ["latex", "html", "csv", "json"])
def test_every_format(command, counts, fmt):
    for arguments in (
        ["show", counts],
        ["complexity", counts],
        ["fit", counts, "--parser", "beam"],
        ["equivalent", counts, "--parser", "beam", "--score", "70"],
        ["advise", counts, "--parser", "mst", "--treebank", "UD_Greek-GDT", "--budget", "9"],
    ):
        done = command("curve", *arguments, "--resamples", "20", "--format", fmt)
        assert (done.code, done.err) == (0, "")
        assert done.out


def test_treebanks_are_trained_on_once_and_the_store_gives_the_same(command, treebank, tmp_path):
    store, out = tmp_path / "store", tmp_path / "counts.csv"
    arguments = ["curve", "run", treebank / "UD_Greek-Made", treebank / "UD_Latin-Made", *FAST]
    arguments += ["--sizes", "4,8,16", "--samples", "2", "--store", store, "--out", out]
    done = command(*arguments)
    assert done.code == 0
    assert "left out: UD_Latin-Made has no test part" in done.err
    assert "6 cells trained" in done.err
    written = read_attachments(out)
    assert written.sizes == [4, 8, 16]
    assert set(written.frame["sample"]) == {0, 1}
    again = command(*arguments[:-1], tmp_path / "again.csv")
    assert "cells trained" not in again.err
    assert (tmp_path / "again.csv").read_bytes() == out.read_bytes()
    stored = command("curve", "run", store, "--root", treebank, "--out", tmp_path / "third.csv")
    assert stored.code == 0
    assert (tmp_path / "third.csv").read_bytes() == out.read_bytes()
    by = command("curve", store, "--root", treebank, "--by", "relation", "--min-words", "1").out
    assert "nsubj" in by
    lost = command("curve", store, "--root", tmp_path)
    assert lost.code == 2
    assert f"UD_Greek-Made is not in {tmp_path}: name the folder that holds it" in lost.err
    # Folders of releases are looked through for the files that were run on.
    for release, made in (("r1", synthetic(12, seed=99)), ("r2", None)):
        home = tmp_path / release / "UD_Greek-Made"
        copytree(treebank / "UD_Greek-Made", home)
        if made:
            write_conllu(made, home / "xx_made-ud-test.conllu")
    found = command("curve", "run", store, "--root", tmp_path, "--out", tmp_path / "fourth.csv")
    assert found.code == 0, found.err
    assert (tmp_path / "fourth.csv").read_bytes() == out.read_bytes()
    rmtree(tmp_path / "r2")
    other = command("curve", store, "--root", tmp_path)
    assert other.code == 2
    assert "is it another release?" in other.err


def test_advice_trains_what_it_needs(command, treebank, tmp_path):
    arguments = ["--samples", "2", "--store", tmp_path / "store", "--min-words", "5", *FAST]
    done = command("curve", "advise", treebank / "UD_Greek-Made", "--budget", "30", *arguments)
    assert done.code == 0, done.err
    # 5, 10, 20 and all 30 sentences.
    assert "8 cells trained" in done.err
    assert "30 sentences more on top of 30" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["COUNTS", "--by", "relation"], "is counted already"),
        (["COUNTS", "--sizes", "five"], "sizes are 'five'; expected such as 5,10"),
        (["COUNTS", "--sizes", "7"], "unknown size '7'"),
        (["COUNTS", "--parser", "bean"], "did you mean 'beam'"),
        (["equivalent", "COUNTS", "--score", "high"], "expected 66.1 or CLASS=66.1"),
        (["equivalent", "COUNTS", "--score", "70"], "several parsers (beam, mst)"),
        (["fit", "COUNTS", "--parser", "beam", "--law", "exp"], "choices: power, log"),
        (["advise", "COUNTS", "--parser", "beam", "--budget", "5"], "several treebanks"),
        (["nothing.csv"], "nothing.csv is not there; expected a table of counts"),
        (["UD_Grek-GDT"], "UD_Grek-GDT is not there; expected a table of counts"),
        (["complexity", "COUNTS", "--parts", "--format", "csv"], "choose it with --parser"),
        (
            ["equivalent", "COUNTS", "--parser", "beam", "--score", "70", "--score", "all=6"],
            "two scores of all",
        ),
    ],
)
def test_slips_are_named(command, counts, arguments, message):
    done = command("curve", *(counts if one == "COUNTS" else one for one in arguments))
    assert done.code == 2
    assert message in done.err
