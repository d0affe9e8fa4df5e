"""``treegauge map``, ``vinfo``, ``mdl`` and ``difficulty``."""

import json

import polars as pl
import pytest

from treegauge.dynamics.recording import Recording
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.conllu import read_conllu, write_conllu

FAST = ("-o", "bits=16", "-o", "label_bits=12", "--epochs", 2)


@pytest.fixture
def folders(tmp_path):
    """Two treebanks' folders."""
    made = []
    for name, seed in (("A", 1), ("B", 5)):
        root = tmp_path / f"UD_Syn-{name}"
        root.mkdir()
        for part, count in (("train", 60), ("dev", 20)):
            treebank = synthetic(count, seed=seed + (part == "dev"))
            write_conllu(treebank, root / f"sy_{name.lower()}-ud-{part}.conllu")
        made.append(root)
    return made


def test_map(command, folders, tmp_path):
    words, kept = tmp_path / "words.csv", tmp_path / "r.npz"
    done = command(
        "map", folders[0], *FAST, "--words", words, "--recording", kept, "--format", "json",
        "--plot", tmp_path / "map.json",
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    told = json.loads(done.out)
    assert [row["of"] for row in told["rows"]] == ["heads", "relations"]
    assert "parser:mst training=loglinear epochs=2 label_epochs=2 bits=16" in told["signature"]
    frame = pl.read_csv(words)
    recording = Recording.load(kept)
    assert frame.height == recording.n_words == read_conllu(folders[0], split="train").n_words
    assert frame["head_confidence"].mean() == pytest.approx(told["rows"][0]["confidence"])
    spec = json.loads((tmp_path / "map.json").read_text())
    assert sum(row["words"] for row in spec["data"]["values"]) == frame.height


def test_map_of_several_treebanks_parsers_and_seeds(command, folders, tmp_path):
    args = ("map", *folders, *FAST, "--parser", "mst", "--parser", "mst rate=0.01", "--part", "dev")
    done = command(*args, "--seeds", 2, "--keep", tmp_path / "kept", "--format", "json")
    told = json.loads(done.out)
    assert [row["treebank"] for row in told["rows"][::2]] == ["UD_Syn-A/dev", "UD_Syn-B/dev"]
    assert all("mean:4 recordings" in one for one in told["signatures"])
    assert len(list((tmp_path / "kept").glob("*.npz"))) == 2 * 2 * 2 * 2
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()}
    again = command(*args, "--seeds", 2, "--keep", tmp_path / "kept", "--format", "json")
    assert again.out == done.out
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "kept").iterdir()} == before


def test_words_seen_by_several_parsers_have_a_difficulty(command, folders, tmp_path):
    words = tmp_path / "w.parquet"
    args = ("--parser", "mst", "--parser", "mst ending=1", "--part", "dev", "--words", words)
    done = command("map", folders[0], *FAST, *args)
    assert "mean:2 recordings|parsers:mst" in done.out
    frame = pl.read_parquet(words)
    assert {"difficulty", "sd", "discrimination"} <= set(frame.columns)
    hard = frame.filter(pl.col("head_correctness") + pl.col("relation_correctness") == 0)
    easy = frame.filter(pl.col("head_correctness") + pl.col("relation_correctness") == 2)
    assert easy["difficulty"].max() < hard["difficulty"].min()


def test_candidates(command, folders, tmp_path):
    for name in ("c.conllu", "c.html", "c.csv"):
        out = tmp_path / name
        done = command(
            "map", folders[0], *FAST, "--candidates", 3, "--folds", 2, "--candidates-out", out
        )
        assert done.code == 0
    assert "instead" in done.out
    rows = pl.read_csv(tmp_path / "c.csv")
    assert rows.height == 3
    assert (rows["p_instead"] > rows["p_gold"]).all()
    marked = read_conllu(tmp_path / "c.conllu")
    assert sum("Suspect" in one for one in marked["misc"]) == 3
    assert "<svg" in (tmp_path / "c.html").read_text()


def test_vinfo(command, folders, tmp_path):
    words = tmp_path / "words.parquet"
    done = command("vinfo", folders[0], *FAST, "--trees", "--format", "csv", "--words", words)
    lines = done.out.splitlines()
    assert lines[0] == "treebank,of,entropy,conditional,information,negative"
    assert [line.split(",")[1] for line in lines[1:]] == ["heads", "relations", "trees"]
    assert pl.read_parquet(words).height == read_conllu(folders[0], split="dev").n_words
    both = command("vinfo", *folders, *FAST, "--null", "upos", "--plot", tmp_path / "p.json")
    assert both.code == 0
    assert both.out.count("UD_Syn-") == 4


def test_mdl(command, folders, tmp_path):
    done = command(
        "mdl", folders[0], *FAST, "--blocks", "auto", "--shuffles", 2, "--format", "json",
        "--plot", tmp_path / "p.json",
    )  # fmt: skip
    told = json.loads(done.out)
    assert told["rows"][0]["compression"] > 1
    assert "blocks:5+10+20+25|shuffles:2" in told["signature"]
    block = command("mdl", folders[0], *FAST, "--blocks", "5,10", "--training", "block")
    assert "training:block" in block.out
    assert "the blocks need 995; choose blocks such as 5,10,20,25" in command("mdl", folders[0]).err


def test_difficulty(command, folders, tmp_path):
    args = ("difficulty", *folders, *FAST, "--shuffles", 1, "--blocks", "5,10")
    done = command(*args, "--ranks", "--format", "json", "--plot", tmp_path / "t.json")
    told = json.loads(done.out)
    assert [row["treebank"] for row in told["rows"]] == ["UD_Syn-A", "UD_Syn-B"]
    assert all(row["arc_mdl"] > 0 for row in told["rows"])
    assert sorted(row["rank"] for row in told["ranks"]["rows"]) in ([1, 2], [1, 1])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["map", "{a}", "--parser", "mts"], "unknown parser 'mts'; did you mean 'mst'"),
        (["map", "{a}", "--parser", "command"], "does not tell of its epochs"),
        (["map", "{a}", "--parser", "beam"], "has no probabilities of heads"),
        (["map", "{a}", "-o", "epoch=1"], "did you mean 'epochs="),
        (["map", "{a}", "{b}", "--words", "w.csv"], "--words is for one treebank, found 2"),
        (["map", "{a}", "--words", "w.txt"], "unknown kind of table '.txt'"),
        (["map", "{a}", "--recording", "w.txt"], "unknown kind of file '.txt'"),
        (["map", "{a}", "--candidates-out", "w.txt"], "kind of file for candidates '.txt'"),
        (["vinfo", "{train}"], "has no dev part"),
        (["vinfo", "nowhere"], "no such file"),
        (["mdl", "{a}", "--blocks", "five"], "expected numbers of sentences"),
    ],
)
def test_bad_requests(command, folders, args, message):
    paths = {"a": folders[0], "b": folders[1], "train": folders[0] / "sy_a-ud-train.conllu"}
    done = command(*(arg.format(**paths) for arg in args))
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
