"""Removal of unneeded cells and files from stores."""

import shutil

import pytest

from treegauge.core.errors import TreegaugeError
from treegauge.experiments.cell_store import Store
from treegauge.experiments.cells import CellBatch, Expansion
from treegauge.experiments.ledger import BusyError
from treegauge.experiments.run import run
from treegauge.experiments.store import gc


def part(plan, seeds):
    (batch,) = plan.batches
    return Expansion((CellBatch(batch.setup, seeds=tuple(seeds)),))


def csv(store):
    return store.results(provenance=False).write_csv()


def test_sweeping(chores, tmp_path):
    plan, store = chores("wordy", 4), Store(tmp_path / "s")
    run(plan, store, pool="inline")
    before = csv(store)
    stray = store.words_path("ab" + "0" * 30)
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"12345")
    (stray.parent / ".half").write_bytes(b"123")
    for pretend in (True, False):
        found = gc(store, dry_run=pretend)
        assert (found.cells, found.files, found.bytes) == (0, 2, 8)
        assert stray.exists() == pretend
    assert csv(store) == before
    keep = part(plan, [1, 2, 9])
    assert gc(store, plan=keep, dry_run=True).cells == 2
    assert csv(store) == before
    found = gc(store, plan=keep)
    assert (found.cells, found.files) == (2, 2)
    assert store.results()["seed"].to_list() == [1, 2]
    assert all(store.words(key) is not None for key in store.results()["key"])
    assert gc(store, plan=keep).files == 0
    assert len(list((store.path / "words").rglob("*.parquet"))) == 2
    with store.writing(), pytest.raises(BusyError):
        gc(store)


@pytest.mark.parametrize("name", ["words", "recordings", "words/ab", "lock", "ledger.sqlite"])
def test_files_behind_a_link_in_a_store_stay(chores, tmp_path, name):
    """A stranger's store could link to any folder of the user."""
    plan, store = chores("wordy", 1), Store(tmp_path / "s")
    run(plan, store, pool="inline")
    folder = store.path / name
    (tmp_path / "own").mkdir()
    file = tmp_path / "own" / "work"
    shutil.copyfile(store.ledger_path, file)
    work = file.read_bytes()
    shutil.rmtree(folder, ignore_errors=True)
    folder.unlink(missing_ok=True)
    folder.symlink_to(file if name in {"lock", "ledger.sqlite"} else tmp_path / "own")
    for use in (gc, lambda store: run(chores("wordy", 2), store, pool="inline")):
        with pytest.raises(TreegaugeError, match=f"{name} is a link, and a store writes"):
            use(store)
    assert [path.name for path in (tmp_path / "own").iterdir()] == ["work"]
    assert file.read_bytes() == work


def test_a_link_in_place_of_a_cell_is_not_written_through(chores, tmp_path):
    plan, store = chores("wordy", 1), Store(tmp_path / "s")
    run(plan, store, pool="inline")
    (words,) = (store.path / "words").rglob("*.parquet")
    own = tmp_path / "own.tex"
    own.write_text("years of work")
    words.unlink()
    gc(store)
    words.parent.mkdir(parents=True, exist_ok=True)
    words.symlink_to(own)
    with pytest.raises(TreegaugeError, match="is a link, and a store writes"):
        run(plan, store, pool="inline")
    assert own.read_text() == "years of work"


def test_cells_without_their_words_go_and_are_made_anew(chores, tmp_path):
    plan, store = chores("wordy", 3), Store(tmp_path / "s")
    run(plan, store, pool="inline")
    before, key = csv(store), store.results(seed=1)["key"][0]
    words = store.words_path(key).read_bytes()
    store.words_path(key).unlink()
    assert gc(store, dry_run=True).cells == 1
    assert gc(store).cells == 1
    assert store.results()["seed"].to_list() == [0, 2]
    assert run(plan, store, pool="inline").done == 1
    assert (csv(store), store.words_path(key).read_bytes()) == (before, words)


def test_cells_of_no_plan_and_their_setups_go(chores, tmp_path):
    store = Store(tmp_path / "s")
    run(chores("noted", 2), store, pool="inline")
    run(chores("trivial", 2), store, pool="inline")
    gc(store, plan=chores("trivial", 2))
    assert store.results()["task"].to_list() == ["chores:trivial"] * 2
    with store.reading() as ledger:
        assert ledger.ask("SELECT count(*) FROM setups") == [(1,)]


def test_keeping_the_cells_of_a_plan(command, plan):
    text = plan.read_text()
    assert command("run", plan, "--store", "both").code == 0
    plan.write_text(text.replace("samples = 2", "samples = 1"))
    assert command("store", "gc", "both", "--plan", plan, "--dry-run").out.startswith("would remove 5 cells")
    assert command("store", "gc", "both", "--plan", plan).out.startswith("removed 5 cells and 5 files")
    assert len(Store("both")) == 5


@pytest.fixture
def pattern(room, tmp_path, monkeypatch, command):
    """A plan that names its two treebanks by a pattern, and its store, ``both``."""
    monkeypatch.chdir(tmp_path)
    for name in ("UD_A-X", "UD_B-X"):
        shutil.copytree(room / name, tmp_path / "ud" / name)
    plan = tmp_path / "pattern.toml"
    plan.write_text("""
        [plan]
        root = "ud"
        task = "score"
        treebanks = ["UD_*"]
        parsers = ["baseline"]
    """)
    assert command("run", plan, "--store", "both", "--pool", "inline").code == 0
    return plan


@pytest.mark.parametrize("pretend", [(), ("--dry-run",)])
def test_results_of_a_treebank_that_is_only_absent_stay(pattern, command, tmp_path, pretend):
    before = csv(Store("both"))
    (tmp_path / "ud" / "UD_B-X").rename(tmp_path / "away")
    done = command("store", "gc", "both", "--plan", pattern, *pretend)
    assert done.code == 2
    assert "UD_B-X, which the plan names by 'UD_*', is absent or incomplete" in done.err
    assert "finished cells of it (1) would be removed" in done.err
    assert csv(Store("both")) == before
    again = command("run", pattern, "--store", "both", "--pool", "inline")
    assert again.code == 0 and "finished cells of it (1) stay in both" in again.err
    (tmp_path / "away").rename(tmp_path / "ud" / "UD_B-X")
    assert command("store", "gc", "both", "--plan", pattern, *pretend).code == 0
    assert csv(Store("both")) == before


def test_results_of_a_treebank_without_its_training_set_stay(pattern, command, tmp_path):
    before = csv(Store("both"))
    (tmp_path / "ud" / "UD_B-X" / "b_x-ud-train.conllu").unlink()
    done = command("store", "gc", "both", "--plan", pattern)
    assert done.code == 2 and "UD_B-X, which the plan names by" in done.err
    assert csv(Store("both")) == before


def test_results_of_a_treebank_that_the_plan_does_not_name_go(pattern, command, tmp_path):
    pattern.write_text(pattern.read_text().replace("UD_*", "UD_A-*"))
    (tmp_path / "ud" / "UD_B-X").rename(tmp_path / "away")
    assert command("store", "gc", "both", "--plan", pattern).code == 0
    assert Store("both").results()["treebank"].to_list() == ["UD_A-X"]
