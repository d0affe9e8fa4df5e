"""One way to train: a cell gives the same numbers with and without a store, and leaves nothing without one."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import treegauge as tg
from tests.rules.training_verbs import NAME, OPTIONS, calls, make_world
from treegauge.parsing.mst import GraphParser
from treegauge.parsing.registry import fit_parser

PROGRAM = """
import sys
import treegauge as tg
treebank, verb = sys.argv[1:]
quick = {"option": {"epochs": 1, "bits": 12, "label_bits": 10}}
if verb == "train":
    tg.train("mst", treebank, out="/dev/null", **quick)
elif verb == "map":
    tg.map(treebank, **quick)
elif verb == "difficulty":
    tg.difficulty(treebank, orders=0, **quick)
elif verb == "curve counts":
    tg.curve.counts(treebank, parser="mst", sizes=[8], samples=1, workers=1, **quick)
elif verb == "transfer":
    tg.transfer(treebank, treebank.replace("UD_A", "UD_B"), parser="mst", **quick)
print("sqlite3" in sys.modules)
"""
TRAINING = sorted(calls(Path()).keys() - {"run"})


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return make_world(tmp_path_factory.mktemp("training"))


@pytest.mark.parametrize("name", TRAINING)
def test_a_store_changes_no_number_and_without_one_nothing_is_left(home, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    before = sorted(home.rglob("*"))
    call = calls(home)[name]
    bare = call(workers=1)
    assert list(tmp_path.iterdir()) == []
    assert sorted(home.rglob("*")) == before
    kept = call(workers=1, store=tmp_path / "s")
    assert kept.to_dict() == bare.to_dict()
    assert sorted(home.rglob("*")) == before


@pytest.mark.parametrize("name", TRAINING)
def test_a_store_resumes(home, tmp_path, name):
    call, store = calls(home)[name], tg.Store(tmp_path / "s")
    first = call(workers=1, store=store)
    times = store.results()["started"].to_list()
    again = call(workers=1, store=store)
    assert again.to_dict() == first.to_dict()
    assert store.results()["started"].to_list() == times


@pytest.mark.parametrize("name", ["map", "curve counts", "transfer"])
def test_processes_without_a_store_give_the_same(home, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    call = calls(home)[name]
    assert call(workers=2).to_dict() == call(workers=1).to_dict()
    assert list(tmp_path.iterdir()) == []


def test_a_verb_and_a_plan_are_the_same_cells(home, tmp_path):
    """What one has trained, the other finds."""
    every = calls(home)
    every["curve counts"](workers=1, store=tmp_path / "s")
    summary = every["run"](store=tmp_path / "s")
    assert (summary.total, summary.reused, summary.done) == (6, 6, 0)


def test_train_is_a_cell_of_task_score(home, tmp_path):
    """The parser that train gives has the score of a plan's cell with the same seed."""
    treebank = home / NAME
    model = tg.train("mst", treebank, out=tmp_path / "m.model", option=OPTIONS, seed=3).model
    gold = tg.read_conllu(treebank, split="test")
    scores = tg.score(gold, model.parse(gold), resamples=0).systems[0]
    parsers = [{"name": "mst", "options": OPTIONS}]
    plan = tg.Plan((tg.grid("score", NAME, parsers=parsers, seeds=[3]),), root=str(home))
    tg.run(plan, tmp_path / "s", pool="inline")
    (row,) = tg.Store(tmp_path / "s").results().to_dicts()
    assert [row[metric] for metric in ("UAS", "LAS")] == [scores[metric].f1 for metric in ("UAS", "LAS")]


def _trained(call, monkeypatch):
    """Return, for each model that a call trains in this process, whether `fit_parser` trained it."""
    fit, found = GraphParser.fit, []

    def watched(self, *given, **how):
        frame, names = inspect.currentframe().f_back, set()
        while frame is not None:
            names.add(frame.f_code)
            frame = frame.f_back
        found.append(fit_parser.__code__ in names)
        return fit(self, *given, **how)

    with monkeypatch.context() as patch:
        patch.setattr(GraphParser, "fit", watched)
        call()
    return found


@pytest.mark.parametrize("name", ["run", *TRAINING])
def test_every_verb_trains_by_the_same_function(home, tmp_path, monkeypatch, name):
    trained = _trained(lambda: calls(home)[name](workers=1, store=tmp_path / "s"), monkeypatch)
    assert trained
    assert all(trained)


@pytest.mark.parametrize("more", [{}, {"calibrate": "folds"}])
def test_train_trains_by_the_same_function(home, tmp_path, monkeypatch, more):
    given = {"out": tmp_path / "m", "option": OPTIONS, **more}
    trained = _trained(lambda: tg.train("mst", home / NAME, **given), monkeypatch)
    assert len(trained) == (6 if more else 1)
    assert all(trained)


def test_no_other_code_fits_a_parser():
    """What has the method fit is a parser, and only one function calls it."""
    calling = [
        path.name
        for path in sorted(Path(tg.__file__).parent.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", None) == "fit"
    ]
    assert calling == ["registry.py"]


@pytest.mark.parametrize("name", ["train", "map", "difficulty", "curve counts", "transfer"])
def test_one_model_in_this_process_needs_no_ledger(home, tmp_path, name):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, home / NAME, name], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False"]
    assert list(tmp_path.iterdir()) == []


def test_a_failed_cell_is_the_same_error_with_and_without_a_store(home, tmp_path):
    given = {"parser": "mst", "option": {"epochs": 2}, "sizes": [8], "samples": 1, "by": "upos", "workers": 1}
    said = []
    for store in (None, tmp_path / "s"):
        treebank = tmp_path / "UD_C-X"
        if not treebank.exists():
            treebank.mkdir()
            for split in ("train", "test"):
                text = (home / NAME / f"a_x-ud-{split}.conllu").read_text()
                (treebank / f"c_x-ud-{split}.conllu").write_text(text.replace("\t0\troot", "\t99\troot", 1))
        with pytest.raises(tg.TreegaugeError) as failed:
            tg.curve.counts(treebank, store=store, **given)
        said.append(str(failed.value))
    assert said[0] == said[1]
    assert said[0].startswith("curve UD_C-X mst")
