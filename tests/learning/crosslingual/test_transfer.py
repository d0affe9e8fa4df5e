"""The verb ``transfer`` with ``recommend``, in Python and as a command."""

import json

import pytest

import treegauge as tg
from treegauge.experiments.cell_store import Store
from treegauge.experiments.plans import Plan, grid
from treegauge.experiments.training import run_cells
from treegauge.learning.contribution import contributions
from treegauge.learning.curves.class_counts import Parse, count_attachments
from treegauge.learning.source_panel import delexicalised, panel, train_sources
from treegauge.learning.weights import weigh_sources
from treegauge.parsing.registry import make_parser
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_conllu, write_conllu

TRAIN, TEST = (synthetic(30, Grammar(language=9), seed=seed) for seed in (5, 6))
NEAR = synthetic(40, Grammar(language=1), seed=1)
LAST = synthetic(40, Grammar(basic_order="SOV", language=2), seed=2)
WORDS = ("epochs=2", "bits=14", "label_bits=12")
QUICK = ("--parser", "mst", *(f"--option={word}" for word in WORDS))
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
    weighed = weigh_sources(TRAIN, sources)
    models = train_sources(sources, delexicalised("mst", **OPTIONS))
    return weighed, panel(TEST, models, weighed.weights)


def test_the_vote_is_the_librarys(command, names, world):
    out = world / "parsed.conllu"
    done = command("transfer", *names, *QUICK, "--leave-one-out", "--out", out, "--format", "json")
    assert done.code == 0, done.err
    weighed, asked = library()
    assert read_conllu(out) == asked.vote()
    told = json.loads(done.out)
    assert {row["source"]: row["weight"] for row in told["weights"]["rows"]} == weighed.weights
    expected = contributions(asked, TEST)
    assert told["rows"] == expected.to_dict()["rows"]
    assert (told["kind"], told["unit"]) == ("transfer", "percent")
    assert f"wrote {out}" in done.err
    signed = "|parser:mst|options:epochs=2+bits=14+label_bits=12|train:all|seed:0|trees:voted"
    assert told["signature"].endswith(signed)
    # Inputs are named by checksum.
    assert f"|sources:UD_Near-X#{NEAR.digest[:6]}+last#{LAST.digest[:6]}|" in told["signature"]


def test_python_and_the_command_give_the_same(command, names):
    text = command("transfer", *names, *QUICK).out
    result = tg.transfer(*names, parser="mst", option=OPTIONS)
    assert text.split("|options")[0] == str(result).split("|options")[0]
    assert result.parsed == library()[1].vote()
    objects = tg.transfer(TEST, NEAR, LAST, parser="mst", option=OPTIONS)
    assert len(objects.table) == 2
    assert "klcpos3" in text
    assert "without" not in text


@pytest.mark.parametrize("convention", ["official", "challenges"])
def test_one_source_has_the_score_that_score_gives_it(names, world, convention):
    """The same parse has the same UAS and LAS wherever it is printed."""
    target, near, _ = names
    out = world / "one.conllu"
    result = tg.transfer(target, near, parser="mst", option=OPTIONS, out=out, convention=convention)
    gold = target / "ta_x-ud-test.conllu"
    scores = tg.score(gold, out, convention=convention, resamples=0).systems[0]
    for row in result.table.to_dicts():
        metric = row["metric"].partition("[")[0]
        assert row["score"] == pytest.approx(scores[metric].f1, abs=1e-9)
        assert row["metric"] == (metric if convention == "official" else f"{metric}[challenges]")


def test_transfer_is_a_task_of_run_and_the_verb_uses_its_store(names, world):
    target, near, _ = names
    other = world / "UD_Last-X"
    other.mkdir()
    write_conllu(LAST, other / "la_x-ud-train.conllu")
    parsers = [{"name": "mst", "options": OPTIONS}]
    sources = {"source": ["UD_Near-X", "UD_Last-X"]}
    plan = Plan((grid("transfer", "UD_Target-X", parsers=parsers, parameters=sources),), root=world)
    store = Store(world / "store")
    results = run_cells(list(plan.expand().cells()), store)
    started = store.results()["started"].to_list()
    found = tg.transfer(target, near, other, parser="mst", option=OPTIONS, store=world / "store", leave_one_out=True)
    assert store.results()["started"].to_list() == started
    alone = {vote.left_out: vote.alone["LAS"].value for vote in found.votes[1:]}
    for result in results:
        assert alone[result.cell.extra["source"]] == pytest.approx(result.scalars["LAS"])


@pytest.mark.parametrize("fmt", ["csv", "latex", "html"])
def test_formats(command, names, fmt):
    assert "LAS" in command("transfer", *names, *QUICK, "--format", fmt).out


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
    assert "LAS" in whole.out
    parsed = read_conllu(world / "got.conllu")
    assert (parsed.n_words, len(parsed)) == (TEST.n_words, len(TEST))
    assert "klcpos3" in command("transfer", "recommend", *args[:3]).out


def test_sources_are_ranked_by_tags(command, names):
    done = command("transfer", "recommend", *names, "--sentences", 20, "--format", "json")
    told = json.loads(done.out)
    expected = weigh_sources(TRAIN, {"UD_Near-X": NEAR, "last": LAST}, sentences=20)
    assert {r["source"]: r["klcpos3"] for r in told["rows"]} == expected.divergences
    assert "UD_Near-X is" in told["advice"]


def test_worth_by_the_targets_curve(command, names, world):
    parses = [
        Parse("mst", size, seed, make_parser("mst", **OPTIONS).fit(TRAIN[:size], seed=seed).parse(TEST))
        for size in (5, 10, 20, 30)
        for seed in range(3)
    ]
    count_attachments(TEST, parses, name="UD_Target-X").save(world / "counts.csv")
    curve = ("--curve", world / "counts.csv")
    done = command("transfer", *names, *QUICK, *curve, "--leave-one-out")
    assert done.code == 0
    assert "annotated sentences (between" in done.out
    for group in ("overall", "simple", "complex"):
        assert f"worth {group}" in done.out
    other = command("transfer", *names, *curve)
    assert "unknown parser 'beam'" in other.err


def test_a_curve_of_another_metric_is_refused(command, names, world):
    parse = Parse("mst", 5, 0, TEST)
    counts = count_attachments(TEST, [parse], name="UD_Target-X", metric="UAS")
    counts.save(world / "counts.csv")
    done = command("transfer", *names, *QUICK, "--curve", world / "counts.csv")
    assert done.code == 2
    assert "holds counts of UAS, transfer is scored by LAS" in done.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["{t}", "{t}"], "is the target and cannot be a source"),
        (["{n}", "{l}"], "has no test set to parse"),
        (["{t}", "{n}", "--parser", "udpip"], "unknown parser 'udpip'; did you mean 'udpipe'?"),
        (["{t}", "{n}", "--preset", "mstparse"], "unknown preset of beam 'mstparse'"),
        (["{t}", "{n}", "--sentences", "0"], "0 target sentences"),
        (["{t}", "{n}", "--limit", "0"], "limit: expected a whole number of at least 1, found 0"),
        (["{t}", "{n}", "--option", "epoch=1"], "unknown option 'epoch=1'"),
        (["{t}", "{n}", "--option", "lexical=true"], "lexical=true makes a parser see words"),
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
