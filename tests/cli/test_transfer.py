"""``treegauge transfer``: vote, weights, recommend."""

import json

import pytest

from treegauge.crosslingual.contribution import contributions
from treegauge.crosslingual.panel import delexicalised, panel, train_sources
from treegauge.crosslingual.weights import kl_weights
from treegauge.curves.counting import Parse, count
from treegauge.parsers.registry import make_parser
from treegauge.testing.synthetic import Grammar, synthetic
from treegauge.treebanks.conllu import read_conllu, write_conllu

TRAIN, TEST = (synthetic(30, Grammar(language=9), seed=seed) for seed in (5, 6))
NEAR = synthetic(40, Grammar(language=1), seed=1)
LAST = synthetic(40, Grammar(basic_order="SOV", language=2), seed=2)
QUICK = ("--parser", "mst", "-o", "epochs=2", "-o", "bits=14", "-o", "label_bits=12")
OPTIONS = {"epochs": 2, "bits": 14, "label_bits": 12}


@pytest.fixture
def world(tmp_path):
    """A target's folder, one source's folder and one source's file."""
    for folder in ("UD_Target-X", "UD_Near-X"):
        (tmp_path / folder).mkdir()
    write_conllu(TRAIN, tmp_path / "UD_Target-X" / "ta_x-ud-train.conllu")
    write_conllu(TEST, tmp_path / "UD_Target-X" / "ta_x-ud-test.conllu")
    write_conllu(NEAR, tmp_path / "UD_Near-X" / "ne_x-ud-train.conllu")
    write_conllu(LAST, tmp_path / "last.conllu")
    return tmp_path


@pytest.fixture
def names(world):
    return [world / "UD_Target-X", world / "UD_Near-X", world / "last.conllu"]


def library():
    sources = {"UD_Near-X": NEAR, "last": LAST}
    weighed = kl_weights(TRAIN, sources)
    weights = dict(zip(weighed.sources, weighed.weights, strict=True))
    models = train_sources(sources, delexicalised("mst", **OPTIONS))
    return weighed, panel(TEST, models, weights)


def test_the_vote_is_the_librarys(command, names, world):
    out = world / "parsed.conllu"
    done = command("transfer", *names, *QUICK, "--leave-one-out", "--out", out, "--format", "json")
    assert done.code == 0
    weighed, asked = library()
    assert read_conllu(out) == asked.vote()
    told = json.loads(done.out)
    rows = {row["source"]: row["weight"] for row in told["rows"]}
    assert rows == dict(zip(weighed.sources, weighed.weights, strict=True))
    expected = contributions(asked, TEST)
    assert told["scores"]["rows"] == expected.to_dict()["rows"]
    assert f"wrote {out}" in done.err
    signed = "|parser:mst|options:epochs=2+bits=14+label_bits=12|train:all|seed:0|trees:voted"
    assert told["scores"]["signature"].endswith(signed)


def test_vote_need_not_be_named(command, names):
    plain, named = (command("transfer", *word, *names, *QUICK) for word in ((), ("vote",)))
    assert plain == named
    assert "klcpos3" in plain.out
    assert "without" not in plain.out


@pytest.mark.parametrize("fmt", ["csv", "latex", "html"])
def test_formats(command, names, fmt):
    assert "overall" in command("transfer", *names, *QUICK, "--format", fmt).out


def test_probabilities(command, names, world):
    out = world / "p.conllu"
    done = command("transfer", *names, *QUICK, "--probabilities", "--out", out)
    assert done.code == 0
    weighed, asked = library()
    models = train_sources(
        {"UD_Near-X": NEAR, "last": LAST}, delexicalised("mst", **OPTIONS)
    )  # fmt: skip
    weights = dict(zip(weighed.sources, weighed.weights, strict=True))
    assert read_conllu(out) == panel(TEST, models, weights, probabilities=True).vote()
    assert read_conllu(out) != asked.vote()


def test_text_without_trees(command, world):
    bare = world / "bare.conllu"
    lines = [line.split("\t") for line in TEST.to_bytes().decode().split("\n")]
    for fields in lines:
        if len(fields) == 10 and fields[0].isdecimal():
            fields[6] = fields[7] = "_"
    bare.write_text("\n".join(map("\t".join, lines)))
    args = (bare, world / "UD_Near-X", world / "last.conllu", *QUICK)
    done = command("transfer", *args, "--out", "-")
    assert done.code == 0
    assert "has no trees to score against" in done.err
    (world / "got.conllu").write_text(done.out)
    whole = command("transfer", world / "UD_Target-X" / "ta_x-ud-test.conllu", *args[1:])
    assert "overall" in whole.out
    parsed = read_conllu(world / "got.conllu")
    assert (parsed.n_words, len(parsed)) == (TEST.n_words, len(TEST))
    told = command("transfer", "recommend", *args)
    assert "sources are ranked by tags only" in told.err
    assert "strategy" not in told.out


def test_weights(command, names):
    done = command("transfer", "weights", *names, "--sentences", 20, "--format", "json")
    told = json.loads(done.out)
    expected = kl_weights(TRAIN, {"UD_Near-X": NEAR, "last": LAST}, sentences=20)
    assert {r["source"]: r["klcpos3"] for r in told["rows"]} == dict(
        zip(expected.sources, expected.divergences, strict=True)
    )
    assert "UD_Near-X is" in told["advice"]
    flat = json.loads(
        command("transfer", "weights", *names, "--exponent", 0, "--format", "json").out
    )
    assert [row["weight"] for row in flat["rows"]] == [0.5, 0.5]


def test_recommend(command, names):
    done = command("transfer", "recommend", *names, *QUICK, "--format", "json")
    told = json.loads(done.out)["selection"]
    assert [row["strategy"] for row in told["rows"]] == ["all", "closest", "best", "greedy"]
    assert told["use"]
    text = command("transfer", "recommend", *names, *QUICK).out
    assert "Use " in text
    assert "10 sentences" in text


def test_worth_by_the_targets_curve(command, names, world):
    parses = [
        Parse("mst", size, 0, make_parser("mst", **OPTIONS).fit(TRAIN[:size], seed=0).parse(TEST))
        for size in (5, 10, 20, 30)
    ]
    count(TEST, parses, name="UD_Target-X", metric="UAS").save(world / "counts.csv")
    curve = ("--curve", world / "counts.csv")
    done = command("transfer", *names, *QUICK, *curve, "--leave-one-out")
    assert done.code == 0
    assert "annotated sentences (between" in done.out
    for group in ("overall", "simple", "complex"):
        assert f"worth {group}" in done.out
    other = command("transfer", *names, *curve)
    assert "unknown parser 'beam'" in other.err


def test_progress_tells_of_sources(command, names, bars):
    assert command("transfer", *names, *QUICK).code == 0
    assert any("compiling kernels" in column for column in bars[0])
    assert "sources" in bars[1]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["{t}", "{t}"], "is the target and cannot be a source"),
        (["{t}", "{n}", "{n}"], "two sources are called UD_Near-X"),
        (["{n}", "{l}"], "has no test part to parse"),
        (["{t}", "{n}", "--parser", "udpipe"], "unknown delexicalised parser 'udpipe'"),
        (["{t}", "{n}", "--parser", "beam", "--probabilities"], "gives no head probabilities"),
        (["{t}", "{n}", "--sentences", "0"], "0 target sentences"),
        (["{t}", "{n}", "--limit", "0"], "the limit is 0"),
        (["{t}", "{n}", "--exponent", "-1"], "the exponent is -1"),
        (["{t}", "{n}", "-o", "epoch=1"], "unknown option 'epoch=1'"),
        (["{t}", "{n}", "-o", "lexical=true"], "lexical=true makes a parser see words"),
        (["{t}", "{t}/nothing"], "no such file"),
        (["recomend", "{t}", "{n}"], "No such command 'recomend'"),
    ],
)
def test_bad_requests(command, names, args, message):
    target, near, last = names
    done = command("transfer", *(arg.format(t=target, n=near, l=last) for arg in args))
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err
