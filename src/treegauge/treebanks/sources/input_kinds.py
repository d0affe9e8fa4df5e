"""Kinds of input: their names in messages, and those of files other than CoNLL-U by contents."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from treegauge.core.errors import TreegaugeError
from treegauge.core.safe_reading import read_arrays
from treegauge.core.text_formats import parse_json

Kind = Literal[
    "treebank", "conllu", "system", "scores", "counts", "store", "recording", "model",
    "plan", "transfer", "packaged", "object",
]  # fmt: skip
TITLES: dict[str, str] = {
    "treebank": "a treebank folder",
    "conllu": "a CoNLL-U file",
    "system": "a folder of a system's output",
    "scores": "a score table (.csv .tsv .parquet .json)",
    "counts": "counts of a learning curve (.csv .parquet)",
    "store": "a store of experiments",
    "recording": "a recording of training (.npz)",
    "model": "a trained model",
    "plan": "a plan (.toml)",
    "transfer": "a result of transfer (.json)",
    "packaged": "a packaged table",
    "object": "a Python object",
}
"""Names of the kinds of input in messages."""

_COUNTS = {"treebank", "parser", "class", "total"}
_TABLES = (".csv", ".tsv", ".parquet", ".json")


def kind_titles(kinds: Iterable[str]) -> str:
    """Return the names of kinds of input that have a path, joined by "or"."""
    *first, last = (TITLES[kind] for kind in kinds if kind != "object")
    return f"{', '.join(first)} or {last}" if first else last


def file_kind(path: Path) -> Kind:
    """Return the kind of a file other than CoNLL-U, from its contents."""
    if path.suffix == ".toml":
        return "plan"
    if path.suffix not in _TABLES:
        import zipfile

        if zipfile.is_zipfile(path):
            return _archive_kind(path)
        raise TreegaugeError(f"{path}: not recognised; expected {kind_titles(TITLES)}")
    if path.suffix == ".json":
        return "transfer" if _is_transfer(path) else "scores"
    columns = _columns(path)
    return "counts" if columns >= _COUNTS else "scores"


def _archive_kind(path: Path) -> Kind:
    import zipfile

    try:
        header = parse_json(read_arrays(path, ["header"])["header"].tobytes())
        return "model" if "parser" in header and path.suffix != ".npz" else "recording"
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile):
        return "recording" if path.suffix == ".npz" else "model"


def _columns(path: Path) -> set[str]:
    import polars as pl

    try:
        if path.suffix == ".parquet":
            return set(pl.scan_parquet(path).collect_schema().names())
        separator = "\t" if path.suffix == ".tsv" else ","
        return set(pl.scan_csv(path, separator=separator).collect_schema().names())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise TreegaugeError(f"{path}: cannot read this table: {error}") from error


def _is_transfer(path: Path) -> bool:
    try:
        content = parse_json(path.read_bytes())
        rows = content.get("scores", content)["rows"]
        return "left_out" in rows[0]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return False
