"""Files of strangers are data: they run no code, do not escape, and do not fill the memory."""

import ast
import gzip
import io
import lzma
import re
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treegauge as tg
from treegauge.core import safe_reading
from treegauge.core.errors import TreegaugeError
from treegauge.core.reading import read_file
from treegauge.core.result import RowsResult
from treegauge.core.safe_reading import check_parquet, read_arrays
from treegauge.core.text_formats import escaped_cells, plain_cells, to_csv_text
from treegauge.experiments.run import read_plan
from treegauge.parsing.base import load_archive
from treegauge.treebanks.data.conllu import read_conllu

SOURCE = Path(__file__).parents[1] / "src" / "treegauge"
ROW = "1\t{}\t_\tX\t_\t_\t0\troot\t_\t_\n\n"

# ------------------------------------------------------------------------------ no code from data


@pytest.mark.parametrize("name", ["eval", "exec", "compile", "__import__"])
def test_the_source_evaluates_no_text(name):
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if f"{name}(" in text:
            calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
            assert not any(getattr(node.func, "id", "") == name for node in calls), path


def test_pickle_joins_our_own_processes_only():
    users = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if re.search(r"(?m)^\s*(import|from) (pickle|marshal|shelve)\b", path.read_text("utf-8"))
    }
    assert users == {"experiments/processes.py"}
    shells = [path for path in SOURCE.rglob("*.py") if "shell=True" in path.read_text("utf-8")]
    assert not shells


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ('task = "os:system"', "task os:system"),
        ('task = "score"\nparsers = [{ name = "command", options = { template = "x" } }]', "parser command"),
        ('task = "score"\n[slurm]\nprologue = ["rm -r x"]', "prologue of Slurm"),
    ],
)
def test_a_plan_runs_code_only_where_it_is_trusted(lines, code, tmp_path, monkeypatch):
    monkeypatch.delenv("TREEGAUGE_TRUST", raising=False)
    plan = tmp_path / "plan.toml"
    plan.write_text(f'[plan]\ntreebanks = ["UD_*"]\n{lines}\n')
    for verb in (lambda: tg.run(plan, store=tmp_path / "s"), lambda: read_plan(plan)):
        with pytest.raises(TreegaugeError, match=rf"would run code \({code}\).*--trust"):
            verb()
    assert read_plan(plan, trust=True).plan.grids
    monkeypatch.setenv("TREEGAUGE_TRUST", "1")
    assert read_plan(plan).plan.grids


# -------------------------------------------------------------------------------------- bombs


def archive(**members: bytes) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, data in members.items():
            pack.writestr(f"{name}.npy", data)
    return file


def array(shape: str, dtype: str = "<f8", data: bytes = b"") -> bytes:
    """Return an array whose header says what it likes."""
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


def test_an_array_is_not_larger_than_its_data():
    for shape in ("(1000000000000,)", "(99999999999, 99999999999)"):
        with pytest.raises(TreegaugeError, match=r"claims .* bytes and has"):
            read_arrays(archive(a=array(shape)))
    assert read_arrays(archive(a=array("(1,)", data=bytes(8))))["a"].tolist() == [0]


def test_arrays_of_objects_are_refused():
    with pytest.raises(ValueError, match="pickle"):
        read_arrays(archive(a=array("(1,)", "|O", b"cos\nsystem\n(S'x'\ntR.")))


def test_archives_of_arrays_have_a_largest_size(monkeypatch, tmp_path):
    monkeypatch.setattr(safe_reading, "LARGEST", 1000)
    path = tmp_path / "a.model"
    path.write_bytes(archive(a=array("(200,)", data=bytes(1600))).getvalue())
    with pytest.raises(TreegaugeError, match=r"a.model: refused: it unpacks to .* more than 1,000"):
        load_archive(path)
    monkeypatch.setattr(safe_reading, "MEMBERS", 1)
    with pytest.raises(TreegaugeError, match="holds 2 arrays"):
        read_arrays(archive(a=b"", b=b""))


def test_a_table_that_claims_too_much_is_refused(monkeypatch, tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": np.zeros(5000)}), path)
    check_parquet(path)
    monkeypatch.setattr(safe_reading, "CELLS", 4999)
    for read in (read_file, tg.convert):
        with pytest.raises(TreegaugeError, match=r"claims 5,000 rows of 1 columns"):
            read(path)


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_packed_treebank_that_never_ends_is_refused(ending, pack, monkeypatch, tmp_path):
    monkeypatch.setattr(safe_reading, "FREE", 10_000)
    monkeypatch.setattr(safe_reading, "RATIO", 50)
    path = tmp_path / f"a.conllu{ending}"
    path.write_bytes(pack(ROW.format("a").encode() * 100_000))
    with pytest.raises(TreegaugeError, match=r"refused: it unpacks to more than"):
        read_conllu(path)
    path.write_bytes(pack(ROW.format("a").encode()))
    assert read_conllu(path).n_words == 1


@pytest.mark.parametrize("deep", ["[" * 200_000, '{"a":' * 200_000], ids=["lists", "objects"])
def test_json_that_is_nested_too_deeply_is_refused(deep, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(deep)
    for use in (lambda: read_file(path), lambda: tg.report(path, out=None)):
        with pytest.raises(TreegaugeError):
            use()


def test_user_files_of_json_have_one_reader():
    """What treegauge wrote into its own store or package may be read directly."""
    own = {
        "core/text_formats.py",
        "learning/curves/equivalents.py",
        "learning/curves/gathering.py",
        "parsing/programs/supervisor.py",
        "reporting/methods.py",  # equations of the package
    }
    for path in SOURCE.rglob("*.py"):
        name = path.relative_to(SOURCE).as_posix()
        text = re.sub(r">>> .*", "", path.read_text(encoding="utf-8"))
        if "json.loads(" in text and name not in own:
            assert name.startswith("experiments/"), name


# ---------------------------------------------------------------------------------- spreadsheets

FORMULAS = ["=1+1", "+A1", "-2+3", "@SUM(A1)", "\t=1", "=cmd|' /C calc'!A0", "'=1", "''+x", "-x"]
HARMLESS = ["", "-", "+", "=", "@", "-1", "+2.5", "-1e-5", ".5", "a=b", "'go'", "word", "-3%"]


def test_cells_that_spreadsheets_would_run_are_escaped_and_restored():
    frame = pl.DataFrame({"=x": [*FORMULAS, *HARMLESS], "n": [-1.5] * 22})
    escaped = escaped_cells(frame)
    assert escaped.columns == ["'=x", "n"]
    assert escaped["'=x"].to_list() == [*(f"'{text}" for text in FORMULAS), *HARMLESS]
    assert plain_cells(escaped).equals(frame)
    assert to_csv_text(frame).splitlines()[1] == "'=1+1,-1.5"


def test_results_and_treebanks_come_back_from_csv_as_they_were(tmp_path):
    rows = [{"treebank": text, "value": -0.5} for text in FORMULAS]
    RowsResult(rows, "treegauge:x").save(tmp_path / "a.csv")
    assert [row[0] for _, row in read_file(tmp_path / "a.csv").rows] == FORMULAS
    for ending in (".csv", ".tsv"):
        source, table, back = (tmp_path / f"s{one}" for one in (".conllu", ending, "2.conllu"))
        source.write_text("".join(ROW.format(text.strip()) for text in FORMULAS) + "# end\n")
        tg.convert(source, out=table)
        assert "\t=cmd" not in table.read_text()
        tg.convert(table, out=back)
        assert back.read_text() == source.read_text()


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".csv", ".tsv"])
@pytest.mark.parametrize("tail", ["# a\n", "# a\n# b\n", "#\n", '# ä "x",y\n', "# =1+1\n"])
def test_comments_after_the_last_sentence_survive_tables(ending, tail, tmp_path):
    source, table, back = (tmp_path / f"s{one}" for one in (".conllu", ending, "2.conllu"))
    source.write_text(ROW.format("a") + tail, encoding="utf-8")
    tg.convert(source, out=table)
    tg.convert(table, out=back)
    assert back.read_text(encoding="utf-8") == source.read_text(encoding="utf-8")
