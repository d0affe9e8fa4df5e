"""Every fuzzer on a few seeds, and what the long runs of `make fuzz` have found."""

import sqlite3
from contextlib import closing
from random import Random

import pytest

from tests.validation.cases import sentence
from tools.docs import tables
from tools.fuzz import faults, reliability, results
from tools.fuzz.targets import NAMES, load
from tools.fuzz.validator import check as check_validation
from treegauge.core.errors import TreegaugeError
from treegauge.core.reading import read_file
from treegauge.experiments.cell_store import Store
from treegauge.experiments.cells import Cell, Setup
from treegauge.experiments.run import read_plan
from treegauge.experiments.tasks import LedgerEntry, Report
from treegauge.validation.check import validate

NOT_PRINTED = ("\x00", "\x1b[2J", "\u2028", "\ufeff", "\u00a0")


@pytest.mark.parametrize("name", NAMES)
def test_the_first_inputs(name):
    target = load(name)
    outcomes = {target.check(target.make(Random(seed))) for seed in range(40 // target.each or 4)}
    assert len(outcomes) > 1 or target.each > 1  # neither all refused nor all accepted
    data = target.make(Random(3))
    assert data == target.make(Random(3))
    assert target.check(target.vary(data, Random(4)))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_message_about_the_text_ends_with_its_line(end, tmp_path):
    """With CR as the line end, it quoted the lines after the text as well."""
    text = sentence("1 Go VERB 0 root").replace("# text = Go", "# text = Gone")
    (tmp_path / "a.conllu").write_text(text.replace("\n", end), newline="")
    found = [one.found for one in validate([str(tmp_path / "a.conllu")]) if "text" in one.id]
    assert found == ["'ne' left of the text"]


@pytest.mark.parametrize("sign", NOT_PRINTED)
def test_messages_of_validation_have_no_control_characters(sign):
    """A tag with them was printed as it is, so that a file could clear the reader's terminal."""
    line = "\t".join(["1", "a", "a", f"X{sign}", "_", "Typo=Yes", "0", "root", "_", "_"])
    assert check_validation(f"# sent_id = a\n# text = a\n{line}\n\n".encode()) == "invalid"


def test_ranges_of_seeds_are_joined_and_never_counted_twice(tmp_path):
    def row(start, stop):
        return {"target": "x", "start": start, "stop": stop, "seconds": 0.5, "outcomes": {"a": 1}, "findings": []}

    results.add("x", [row(0, 10), row(20, 30)], tmp_path)
    results.add("x", [row(10, 20), {"target": "x", "inputs": 5, "seconds": 1.0}], tmp_path)
    rows = results.read("x", tmp_path)
    assert [(one.get("start"), one.get("stop")) for one in rows] == [(0, 30), (None, None)]
    assert sum(map(results.inputs, rows)) == 35
    assert results.next_seed("x", tmp_path) == 30
    with pytest.raises(ValueError, match="seed 29 was tried already"):
        results.add("x", [row(29, 31)], tmp_path)


@pytest.mark.parametrize("name", ["deep.json", "deep.csv.json"])
def test_tables_nested_too_deeply(name, tmp_path):
    """Python's reader of JSON gives up with an error of its own."""
    (tmp_path / name).write_text("[" * 100_000)
    with pytest.raises(TreegaugeError, match=f"{name}: not a table .*nested too deeply"):
        read_file(tmp_path / name)


def test_a_table_with_half_a_character(tmp_path):
    r"""JSON may have \ud800 without its other half, which no UTF-8 can hold."""
    (tmp_path / "a.json").write_text(r'[{"a\ud800": 1}]')
    with pytest.raises(TreegaugeError, match=r"a.json: not a table .*half a character"):
        read_file(tmp_path / "a.json")


def test_plans_nested_too_deeply(tmp_path):
    (tmp_path / "plan.toml").write_text(f"[plan]\nsizes = {'[' * 5000}")
    with pytest.raises(TreegaugeError, match=r"plan.toml: not valid TOML: nested too deeply"):
        read_plan(tmp_path / "plan.toml")


def test_a_table_of_lists_and_numbers(tmp_path):
    (tmp_path / "a.json").write_text('[{"a": [1]}, {"a": 2}]')
    with pytest.raises(TreegaugeError, match=r"a.json: a column has values of several kinds"):
        read_file(tmp_path / "a.json").frame  # noqa: B018


def test_a_damaged_table_of_words(tmp_path):
    store = Store(tmp_path)
    path = store.words_path("ab12")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(TreegaugeError, match=r"ab12.parquet is damaged or cut off; delete it"):
        store.words("ab12")


def test_a_ledger_with_damaged_scores(tmp_path):
    store = Store(tmp_path / "store")
    with store.writing() as writer:
        run = writer.begin("plan", "inline", 1, 1, 0)
        cell = Cell(Setup("curve", "UD_A-X", "beam"), seed=0)
        writer.record([LedgerEntry(cell, Report({"las": 75.5}))], run)
        writer.end(run, "finished")
    with closing(sqlite3.connect(store.ledger_path)) as base:
        base.execute("UPDATE cells SET scalars = 'las: 75'")
        base.commit()
    with pytest.raises(TreegaugeError, match="what it holds of cells is damaged"):
        store.results()


def test_the_page_is_what_the_script_writes():
    """python -m tools.fuzz.reliability fills it from the kept results."""
    page, files = tables.moved(reliability.text(), reliability.PAGE, rows=tables.FEW)
    assert reliability.PAGE.read_text() == page
    assert all((tables.HOME / f"{name}.csv").read_text() == content for name, content in files.items())


def test_no_finding_is_open():
    assert not {name: row for name in NAMES for row in results.read(name) if row["findings"]}
    assert not {fault for fault, counts in faults.kept().items() if "failed" in counts}
