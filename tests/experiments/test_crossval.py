"""Cross-validation: folds that keep documents whole, and the pooled score, against an own count."""

import json

import numpy as np
import pytest

import treegauge as tg
from treegauge.core.errors import TreegaugeError
from treegauge.experiments import builtin
from treegauge.parsing.registry import make_parser
from treegauge.scoring.systems import answers

FOLDS, DOCUMENTS, EACH = 4, 24, 3
QUICK = {"name": "beam", "options": {"epochs": 1, "beam": 1}}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A treebank of documents in one file, and a store with its cross-validation for two seeds."""
    home = tmp_path_factory.mktemp("crossval")
    folder = home / "UD_Whole-Text"
    folder.mkdir()
    text = tg.synthetic(DOCUMENTS * EACH, seed=4).to_bytes().decode().replace("# newdoc", "# was newdoc")
    blocks = text.strip().split("\n\n")
    marked = [f"# newdoc id = d{i // EACH}\n{block}" if i % EACH == 0 else block for i, block in enumerate(blocks)]
    (folder / "xx_whole-ud-test.conllu").write_text("\n\n".join([*marked, ""]), encoding="utf-8")
    done = tg.run(plan(home), home / "cv.store", pool="inline")
    assert (done.done, done.failed) == (2 * FOLDS, 0)
    return home


def plan(home):
    cells = tg.grid("crossval", "UD_Whole-Text", parsers=[QUICK], seeds=[0, 1], parameters={"folds": FOLDS})
    return tg.Plan((cells,), "cv", str(home))


def test_the_pooled_score_is_that_of_models_trained_on_the_other_folds(home):
    gold = tg.read_conllu(home / "UD_Whole-Text" / "xx_whole-ud-test.conllu")
    folds = tg.split(home / "UD_Whole-Text", objective="kfold", folds=FOLDS, seed=0).parts
    correct = []
    for seed in (0, 1):
        correct.append(0)
        for fold in folds.values():
            rest = np.setdiff1d(np.arange(len(gold)), fold)
            model = make_parser("beam", epochs=1, beam=1).fit(gold.take(rest), None, seed=seed)
            own, parsed = gold.take(fold), model.parse(gold.take(fold))
            pairs = zip(own["deprel"].to_list(), parsed["deprel"].to_list(), strict=True)
            same = [a.partition(":")[0] == b.partition(":")[0] for a, b in pairs]
            correct[-1] += int(((own.head == parsed.head) & np.array(same)).sum())
    scores = tg.score(home / "UD_Whole-Text", home / "cv.store", metric="LAS")
    (system,) = scores.systems
    assert system["LAS"].f1 == pytest.approx(100 * sum(correct) / 2 / gold.n_words, rel=1e-12)
    low, high = system["LAS"].interval
    assert low < system["LAS"].f1 < high
    assert [each.units for each in scores.treebanks.values()] == ["documents"]


def test_documents_are_in_one_fold_and_each_sentence_is_parsed_once(home):
    store = tg.results(home / "cv.store", seed=0, provenance=True).table
    words = [tg.Store(home / "cv.store").words(key) for key in store["key"]]
    sentences = [frame["sentence"].unique().to_list() for frame in words]
    assert sorted(number for fold in sentences for number in fold) == list(range(DOCUMENTS * EACH))
    documents = [{number // EACH for number in fold} for fold in sentences]
    assert sum(map(len, documents)) == len(set.union(*documents)) == DOCUMENTS


def test_it_resumes_and_says_what_is_missing(home, tmp_path, command):
    again = tg.run(plan(home), home / "cv.store", pool="inline")
    assert (again.done, again.failed) == (0, 0)
    some = tg.Plan(
        (tg.grid("crossval", "UD_Whole-Text", parsers=[QUICK], parameters={"folds": FOLDS}),), root=str(home)
    )
    cells = list(some.expand().cells())
    assert [cell.sample for cell in cells] == list(range(FOLDS))
    printed = command("results", home / "cv.store")
    assert "treegauge score TREEBANK STORE pools them" in printed.err
    assert "±" not in printed.out  # folds share their training sentences: no interval over them


def test_from_the_command_line(home, tmp_path, command, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [
        "[plan]", f'root = "{home.as_posix()}"', 'task = "crossval"', 'treebanks = ["UD_Whole-Text"]', "seeds = [0, 1]",
        f"parameters = {{ folds = {FOLDS} }}", 'parsers = [{ name = "beam", options = { epochs = 1, beam = 1 } }]',
    ]  # fmt: skip
    (tmp_path / "cv.toml").write_text("\n".join(lines))
    assert command("run", "cv.toml", "--pool", "inline").code == 0
    made = json.loads(command("score", home / "UD_Whole-Text", "cv.store", "--format", "json").out)
    expected = tg.score(home / "UD_Whole-Text", home / "cv.store").systems[0]["LAS"].f1
    assert made["averages"][0]["LAS"] == pytest.approx(expected, rel=1e-12)
    (runs,) = answers(home / "UD_Whole-Text", ["cv.store"]).systems.values()
    assert [len(own) for own in runs.values()] == [2]


def test_a_store_with_some_folds_has_no_pooled_score_until_the_plan_runs_again(home, tmp_path, monkeypatch, caplog):
    whole = builtin.fold_of_cell

    def failing(cell):
        if cell.sample == 1:
            raise OSError("full")
        return whole(cell)

    monkeypatch.setattr(builtin, "fold_of_cell", failing)
    store = tmp_path / "part.store"
    assert tg.run(plan(home), store, pool="inline").failed == 2
    with caplog.at_level("INFO", logger="treegauge"), pytest.raises(TreegaugeError, match="a store without output"):
        tg.score(home / "UD_Whole-Text", store)
    assert "UD_Whole-Text: 3 of 4 folds are done; run the plan again to pool them" in caplog.text
    monkeypatch.undo()
    again = tg.run(plan(home), store, pool="inline")
    assert (again.done, again.reused) == (2, 6)
    scores = [tg.score(home / "UD_Whole-Text", one).systems[0]["LAS"].f1 for one in (store, home / "cv.store")]
    assert scores[0] == scores[1]
