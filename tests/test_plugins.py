"""Another package adds a parser, a measure, a metric, a task and a check by entry points."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import treegauge
from treegauge.core.errors import TreegaugeError
from treegauge.core.plugins import load_plugins
from treegauge.parsing.registry import ParserEntry, known_parsers
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_conllu, write_conllu

EXAMPLE = Path(__file__).with_name("plugin_example")
TRAIN, DEV, TEST = (synthetic(count, seed=seed) for count, seed in ((30, 1), (10, 3), (10, 2)))
#: Runs one command per line that it reads, and answers each with its exit code and its output.
SERVE = """
import io, json, sys
from contextlib import redirect_stdout
from treegauge.cli.app import run_command

for line in sys.stdin:
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with redirect_stdout(out):
        code = run_command(json.loads(line))
    print(json.dumps([code, out.buffer.getvalue().decode()]), flush=True)
"""


def installed(folder, project):
    """Write what an installer writes of a package: its metadata and entry points."""
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items()), ""]
    (info / "entry_points.txt").write_text("\n".join(lines))


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """A folder with a treebank and the installed example; and the environment that has both."""
    root = tmp_path_factory.mktemp("plugins")
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    installed(root / "site", project)
    (root / "UD_Syn-X").mkdir()
    for split, treebank in (("train", TRAIN), ("dev", DEV), ("test", TEST)):
        write_conllu(treebank, root / "UD_Syn-X" / f"sy_x-ud-{split}.conllu")
    return root


@pytest.fixture(scope="module")
def run(room):
    """Run commands in a process in which the example is installed."""
    places = [room / "site", EXAMPLE, Path(treegauge.__file__).parents[1]]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}

    with (
        (room / "errors.txt").open("w") as errors,
        subprocess.Popen(
            [sys.executable, "-c", SERVE], cwd=room, env=env, text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
        ) as process,
    ):  # fmt: skip

        def command(*args):
            print(json.dumps([str(one) for one in args]), file=process.stdin, flush=True)
            answer = process.stdout.readline()
            code, printed = json.loads(answer) if answer else (process.wait(), "")
            assert code == 0, (room / "errors.txt").read_text()
            return printed

        yield command
        process.stdin.close()


def test_the_parser_trains_and_parses(run, room):
    assert "attaches every word to the word before or after it" in run("train", "--list")
    assert "the neighbour that is the head" in run("train", "--list", "chain")
    run("train", "chain", "UD_Syn-X", "-o", "chain.model", "--option", "head=before")
    run("parse", "chain.model", "UD_Syn-X/sy_x-ud-test.conllu", "-o", "parsed.conllu")
    parsed = read_conllu(room / "parsed.conllu")
    assert parsed.head.tolist() == [i for size in TEST.lengths.tolist() for i in range(size)]


def test_the_check_finds_words(run, room):
    rows = "".join(f"{n}\t{form}\t_\tX\t_\t_\t{n - 1}\t{'dep' if n > 1 else 'root'}\t_\t_\n" for n, form in
                   enumerate(("go", "The", "the", "!", "!"), 1))  # fmt: skip
    (room / "twice.conllu").write_text(f"# sent_id = s\n# text = go The the ! !\n{rows}\n")
    out = json.loads(run("check", "twice.conllu", "--format", "json", "--include", "no-word-twice"))
    assert [(row["line"], row["severity"], row["message"]) for row in out["problems"]] == [
        (5, "warning", "found FORM 'the' twice, expected another word than the one before")
    ]
    assert out["problems"][0]["hint"].startswith("The check is 'no-word-twice' of treegauge-example 0.1.0")


def test_the_random_parser_of_the_documentation(run, room):
    """The page shows the file as it is; trained, in curves, plans, difficulty and the page."""
    code = (EXAMPLE / "treegauge_example" / "random_parser.py").read_text()
    page = (EXAMPLE.parents[1] / "docs" / "own_parser.md").read_text(encoding="utf-8")
    assert f"```python\n{code}```" in page
    lines = [line for line in code.splitlines() if line.strip(" #")]
    assert len(lines) <= 42  # with the docstring and a comment
    run("train", "random", "UD_Syn-X", "-o", "random.model", "--seed", 3)
    run("parse", "random.model", "UD_Syn-X/sy_x-ud-test.conllu", "-o", "random.conllu", "--confidence")
    parsed = read_conllu(room / "random.conllu")
    assert 0 < (parsed.head == TEST.head).mean() < 0.6
    (room / "empty.conllu").write_text("")
    assert run("parse", "random.model", "empty.conllu") == ""
    assert "HeadProb=" in parsed["misc"][0]
    fast = ["--parser", "random", "--format", "json", "--workers", 1]
    curve = json.loads(run("curve", "counts", "UD_Syn-X", "--sizes", 5, "--samples", 1, *fast))
    assert {row["class"] for row in curve["rows"]} >= {"all"}
    (row,) = json.loads(run("difficulty", "UD_Syn-X", "--orders", 1, "--blocks", "5,10", "--epochs", 2, *fast))["rows"]
    assert 0 < row["uas"] < 60
    (room / "random.toml").write_text(
        '[plan]\nname = "random"\ntask = "score"\ntreebanks = ["UD_Syn-X"]\nparsers = ["random", "chain"]\n'
    )
    run("run", "random.toml", "--store", "random_store", "--root", room)
    results = json.loads(run("results", "random_store", "--format", "json"))["rows"]
    assert {row["parser"] for row in results} == {"random", "chain"}
    run("report", "random_store", "UD_Syn-X", "random.conllu", "-o", "page.html")
    assert "random" in (room / "page.html").read_text(encoding="utf-8")


def test_the_measure_is_measured(run):
    table = json.loads(run("measure", "form_length", "UD_Syn-X", "--format", "json"))
    expected = sum(map(len, TRAIN["form"])) / TRAIN.n_words
    assert f"{expected:.6f}"[:6] in json.dumps(table)


def test_the_metric_is_scored(run, room):
    gold = "UD_Syn-X/sy_x-ud-test.conllu"
    write_conllu(TEST, room / "same.conllu")
    table = json.loads(run("score", gold, "same.conllu", "--metric", "NounHeads", "--format", "json"))
    metric = table["systems"][0]["metrics"]["NounHeads"]
    nouns = int((TEST["upos"] == "NOUN").sum())
    assert (metric["correct"], metric["gold"], metric["f1"]) == (nouns, nouns, 100.0)


def test_the_metric_reaches_curve_and_transfer(run):
    nouns = int((TEST["upos"] == "NOUN").sum())
    fast = ["--metric", "NounHeads", "--format", "json", "--workers", 1]
    table = json.loads(run("curve", "counts", "UD_Syn-X", "--parser", "chain", "--sizes", 5, "--samples", 1, *fast))
    assert {row["metric"] for row in table["rows"]} == {"NounHeads"}
    assert {row["total"] for row in table["rows"] if row["class"] == "all"} == {nouns}
    train = "UD_Syn-X/sy_x-ud-train.conllu"
    votes = run("transfer", "UD_Syn-X", train, "--parser", "mst", "--option", "epochs=1", *fast)
    assert {row["metric"] for row in json.loads(votes)["rows"]} == {"NounHeads", "LAS", "UAS"}


@pytest.mark.parametrize("task", ["head_direction", "score"])
def test_the_task_and_the_parser_run_in_a_plan(run, room, task):
    """Each cell has a process of its own, in which plug-ins are found, too."""
    parsers = 'parsers = ["chain"]' if task == "score" else ""
    (room / "plan.toml").write_text(f'[plan]\nname = "{task}"\ntask = "{task}"\ntreebanks = ["UD_Syn-X"]\n{parsers}\n')
    run("run", "plan.toml", "--store", task, "--root", room)
    (row,) = json.loads(run("results", task, "--format", "json"))["rows"]
    if task == "score":
        assert row["parser"] == "chain"
        assert 0 < row["UAS"] < 100
    else:
        places = [i for size in TRAIN.lengths.tolist() for i in range(1, size + 1)]
        assert row["right"] == pytest.approx(100 * float((TRAIN.head > places).mean()))


@pytest.mark.parametrize(("home", "found"), [("no_such_module", "No module named"), ("json", "no attribute 'Options'")])
def test_a_parser_whose_classes_are_missing_is_named(home, found, monkeypatch):
    known = known_parsers()
    entry = ParserEntry("lost", "x", "x", home, "Parser", "Model", "Options")
    monkeypatch.setattr("treegauge.parsing.registry.known_parsers", lambda: {"lost": entry, "mst": known["mst"]})
    message = rf"the plug-in parser 'lost' cannot be loaded: expected Options in {home}.*{found}"
    with pytest.raises(TreegaugeError, match=message):
        treegauge.train("lost", TRAIN, out="/dev/null")
    with pytest.raises(TreegaugeError, match=message):
        treegauge.parsers("lost")
    assert [row["parser"] for row in treegauge.parsers().rows] == ["lost", "mst"]


def test_a_broken_plug_in_is_left_out_with_a_warning(tmp_path, monkeypatch, caplog):
    """One package that cannot be imported does not stop everything else."""
    points = {"treegauge.broken": {"absent": "no_such_module:x", "works": "json:loads"}}
    installed(tmp_path, {"name": "broken", "version": "1", "entry-points": points})
    monkeypatch.syspath_prepend(tmp_path)
    assert {name: one.object for name, one in load_plugins("treegauge.broken").items()} == {"works": json.loads}
    (warning,) = caplog.messages
    assert "the plug-in 'absent' of broken 1 (treegauge.broken, no_such_module:x)" in warning
    assert "is left out: loading it ends with ModuleNotFoundError" in warning


@pytest.mark.parametrize("text", [b"[treegauge.odd]\nno equals sign\n", b"[treegauge.odd]\nx = \xff:y\n"])
def test_entry_points_that_cannot_be_read_are_left_out(text, tmp_path, monkeypatch, caplog):
    points = {"treegauge.odd": {"works": "json:loads"}}
    installed(tmp_path / "a", {"name": "sound", "version": "1", "entry-points": points})
    installed(tmp_path / "b", {"name": "odd", "version": "1", "entry-points": points})
    (tmp_path / "b" / "odd-1.dist-info" / "entry_points.txt").write_bytes(text)
    for folder in ("a", "b"):
        monkeypatch.syspath_prepend(tmp_path / folder)
    load_plugins.cache_clear()
    assert list(load_plugins("treegauge.odd")) == ["works"]
    (warning,) = caplog.messages
    assert "the plug-ins of odd are left out: its entry points cannot be read: " in warning


HOSTILE = '''
import sys
import numpy as np
from treegauge.measures.registry import register
from treegauge.parsing.registry import ParserEntry
from treegauge.scoring.metrics.correct_words import MetricWords

print("PRINTED at import")

def everything(alignment, convention):
    """Everything is correct"""
    print("PRINTED by a metric")
    gold = np.ones(alignment.gold.treebank.n_words, bool)
    system = np.ones(alignment.system.treebank.n_words, bool)
    return MetricWords(gold, system, gold)

def text(alignment, convention):
    return "text"

def counts(alignment, convention):
    return MetricWords(1, 1, 1)

def fails(alignment, convention):
    raise ValueError("broken here")

def leaves(alignment, convention):
    sys.exit(7)

class Silent(BaseException):
    def __str__(self):
        raise SystemError

def silent(alignment, convention):
    raise Silent

silent.__doc__ = 42
number = 42
MST = ParserEntry("mst", "x", "x", "hostile", "Parser", "Model", "Options")
LEAVES = ParserEntry("leaver", "x", "x", "hostile_exit", "Parser", "Model", "Options")

@register("says_text", "vocabulary", "a text")
def says_text(treebank):
    return "text"

@register("raises", "vocabulary", "an error")
def raises(treebank):
    raise KeyError("broken there")
'''
WORDS = """
from treegauge.measures.registry import register

@register("words", "vocabulary", "one")
def words(treebank):
    return 1.0
"""
HOSTILE_PACKAGE = {
    "name": "hostile", "version": "6.6", "entry-points": {
        "treegauge.metrics": {
            "LAS": "hostile:everything", "las": "hostile:everything", "arcs": "hostile:everything",
            "Answer": "hostile:number", "Text": "hostile:text", "Counts": "hostile:counts",
            "Fails": "hostile:fails", "Leaves": "hostile:leaves", "Exits": "hostile_exit:x",
            "Silent": "hostile:silent", "Early": "hostile_silent:x",
        },
        "treegauge.measures": {
            "a": "hostile_words", "b": "hostile", "c": "hostile_exit", "d": "hostile_family",
        },
        "treegauge.parsers": {
            "mst": "hostile:MST", "x": "hostile:number",
            "y": "hostile_exit:x", "z": "hostile:LEAVES",
        },
        "treegauge.tasks": {"score": "hostile:fails", "answer": "hostile:number"},
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Run commands in processes in which a hostile package is installed, or is not."""
    root = tmp_path_factory.mktemp("hostile")
    installed(root / "site", HOSTILE_PACKAGE)
    (root / "site" / "hostile.py").write_text(HOSTILE)
    (root / "site" / "hostile_words.py").write_text(WORDS)
    (root / "site" / "hostile_family.py").write_text(WORDS.replace('"vocabulary"', '"family"'))
    (root / "site" / "hostile_exit.py").write_text("import sys\nsys.exit(7)\n")
    silent = "from hostile import Silent\nraise Silent\n"
    (root / "site" / "hostile_silent.py").write_text(silent)
    write_conllu(TRAIN, root / "train.conllu")
    write_conllu(TEST, root / "gold.conllu")
    treegauge.parse(
        treegauge.train("mst", TRAIN, out=root / "m.model", option={"epochs": 1}), TEST, out=root / "sys.conllu"
    )

    def command(*words, plugins=True):
        places = [*([str(root / "site")] if plugins else []), *sys.path]
        return subprocess.run(
            [sys.executable, "-m", "treegauge", *words], cwd=root, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
        )  # fmt: skip

    command.site = root / "site"
    return command


def test_hostile_metrics_take_nothing_from_score(hostile):
    words = ("score", "gold.conllu", "sys.conllu", "--format", "json")
    with_them, without = hostile(*words), hostile(*words, plugins=False)
    assert (with_them.returncode, without.returncode) == (0, 0), with_them.stderr
    (found,), (expected,) = (json.loads(done.stdout)["systems"] for done in (with_them, without))
    arcs = found["metrics"].pop("arcs")
    assert found == expected
    assert arcs["f1"] == 100
    assert "PRINTED" in with_them.stderr
    for name, reason in {
        "LAS": "there is already a metric called 'LAS'; choose another name",
        "las": "there is already a metric called 'LAS'; choose another name",
        "Answer": "metric 'Answer' is 42; expected a function",
        "Text": "gave 'text'; expected MetricWords with boolean arrays of",
        "Counts": "gave 'MetricWords(gold=1, system=1, correct=1)'; expected MetricWords",
        "Fails": "ends with ValueError: broken here",
        "Leaves": "ends with SystemExit: 7",
        "Exits": "loading it ends with SystemExit: 7",
        "Silent": "ends with Silent",
        "Early": "loading it ends with Silent",
    }.items():
        (line,) = [
            line
            for line in with_them.stderr.splitlines()
            if f"the plug-in {name!r} of hostile 6.6 (treegauge.metrics, hostile" in line
        ]
        assert "is left out" in line
        assert reason in line
    assert len(with_them.stderr.splitlines()) < 20


@pytest.mark.parametrize("name", ["Answer", "Text", "Fails", "Leaves"])
def test_a_metric_that_cannot_be_used_is_named_when_it_is_asked_for(hostile, name):
    for verb in ("score", "breakdown"):
        done = hostile(verb, "gold.conllu", "sys.conllu", "--metric", name)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        last = done.stderr.splitlines()[-1]
        assert last.startswith("error: ")
        assert f" of the plug-in {name!r} of hostile 6.6 (treegauge.metrics, hostile:" in last


def test_hostile_measures_replace_nothing(hostile):
    words = ("measure", "words", "gold.conllu", "--format", "json")
    with_them, without = hostile(*words), hostile(*words, plugins=False)
    assert with_them.returncode == 0, with_them.stderr
    assert json.loads(with_them.stdout) == json.loads(without.stdout)
    for name, reason in {
        "a": "there is already a measure called 'words'",
        "c": "SystemExit: 7",
        "d": "unknown family of measure 'words' 'family'",
    }.items():
        assert f"the plug-in {name!r} of hostile 6.6 (treegauge.measures, " in with_them.stderr
        assert reason in with_them.stderr
    for name, reason in {
        "says_text": "gave 'text'; expected a number",
        "raises": "ends with KeyError: 'broken there'",
    }.items():
        done = hostile("measure", f"{name},words", "gold.conllu")
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        origin = "the plug-in 'b' of hostile 6.6 (treegauge.measures, hostile)"
        message = f"error: measure {name!r} of {origin} {reason}"
        assert done.stderr.splitlines()[-1].startswith(message)
        done = hostile("measure", "vocabulary", "gold.conllu", "--format", "json")
        rows = {row["measure"]: row for row in json.loads(done.stdout)["measures"]}
        assert sum(row.get("value") is not None for row in rows.values()) > 2
        assert reason in rows[name]["missing"]


def test_hostile_parsers_and_tasks_replace_nothing(hostile):
    done = hostile("parse", "m.model", "gold.conllu")
    assert (done.returncode, done.stdout) == (0, hostile("parse", "m.model", "gold.conllu", plugins=False).stdout)
    done = hostile("train", "--list")
    assert done.returncode == 0, done.stderr
    for name, reason in {
        "mst": "there is already a parser called 'mst'",
        "x": "it is 42; expected a ParserEntry",
        "y": "loading it ends with SystemExit: 7",
    }.items():
        said = [line for line in done.stderr.splitlines() if reason in line]
        assert any(f"the plug-in {name!r} of hostile 6.6" in line for line in said), done.stderr
    done = hostile("train", "--list", "leaver")
    assert done.returncode == 2
    assert "loading hostile_exit of" in done.stderr
    code = "from treegauge.experiments.tasks import find_task\nprint(find_task('score').home)\n"
    code += "find_task('answer')"
    places = os.pathsep.join([str(hostile.site), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": places}
    )
    assert done.stdout == "treegauge.experiments.builtin:score_of_cell\n"
    assert "the plug-in 'answer' of hostile 6.6 (treegauge.tasks, hostile:number) is 42" in done.stderr
