"""Kinds of files, recognised by their first bytes, to decide what may be overwritten."""

import re
from pathlib import Path

from treegauge.core.text_formats import parse_toml

FOLDER, STORE = "a folder", "a store"
CONLLU, MODEL, PAGE = "CoNLL-U", "an archive of arrays", "a web page"
TEXT, JSON, RESULTS, LATEX = "text", "JSON", "results in JSON", "LaTeX"
FIGURE, PLAN, PACKED, DATABASE = "a figure", "a plan", "a packed file", "a database"
PARQUET, ARROW, OTHER = "Parquet", "Arrow", "data of another program"
COMMENTS = "comments"  # the only contents of a treebank without sentences

_ENDINGS = {
    ".conllu": CONLLU, ".html": PAGE, ".json": JSON, ".csv": TEXT, ".tsv": TEXT, ".txt": TEXT,
    ".md": TEXT, ".tex": LATEX, ".svg": FIGURE, ".png": FIGURE, ".pdf": FIGURE,
    ".parquet": PARQUET, ".arrow": ARROW, ".npz": MODEL,
}  # fmt: skip
_MAGIC = {
    b"PK\x03\x04": MODEL, b"PAR1": PARQUET, b"ARROW1": ARROW, b"SQLite format 3": DATABASE,
    b"\x1f\x8b": PACKED, b"\xfd7zXZ": PACKED, b"BZh": PACKED,
    b"\x28\xb5\x2f\xfd": PACKED, b"\x89PNG": FIGURE, b"%PDF": FIGURE,
}  # fmt: skip
_TEXTS = (
    (CONLLU, r"\d[^\t\n]*(\t[^\t\n]*){9}$"),
    (PAGE, r"(?i)<(!doctype html|html|table|style|div)\b"),
    (FIGURE, r"(?i)<(svg|\?xml)"),
    (FIGURE, r'(?s)\{.{,200}"\$schema": *"https://vega'),
    (RESULTS, r'(?s)\{.{,4000}"signature": *"treegauge:'),
    (JSON, r"\{|\[\s*([\[{\]\"\d-]|$)"),
    (LATEX, r"[\\%]"),
)
"""Beginnings of texts, after comments and empty lines."""


def kind_by_ending(path: Path) -> str:
    """Return the kind of file for a name's ending; empty if unknown."""
    if path.suffix in {".gz", ".xz", ".bz2", ".zst"}:
        return PACKED
    return _ENDINGS.get(path.suffix.lower(), "")


def content_kind(path: Path) -> str:
    r"""Return the kind of a file from its contents; empty for an empty file.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "a"
    >>> _ = file.write_text("# text = Go\n1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n")
    >>> content_kind(file)
    'CoNLL-U'
    """
    with path.open("rb") as file:
        start = file.read(1 << 16)
    for magic, kind in _MAGIC.items():
        if start.startswith(magic):
            return kind
    if not start:
        return ""
    try:
        text = start.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start < len(start) - 4:
            return OTHER
        text = start[: error.start].decode("utf-8-sig")
    return _text_kind(text)


def _text_kind(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")  # U+0085 ends no line
    skipped = [i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    body = "\n".join(lines[skipped[0] :]).lstrip() if skipped else ""
    if not body:
        return COMMENTS
    for kind, pattern in _TEXTS:
        if re.match(pattern, body, re.MULTILINE):
            return kind
    return PLAN if _is_toml(body) else TEXT


def _is_toml(text: str) -> bool:
    if not re.match(r"\[+[\w.\"-]+\]+\s*$|[\w.\"-]+\s*=\s*\S", text, re.MULTILINE):
        return False
    try:
        return bool(parse_toml(text))
    except ValueError:
        return False
