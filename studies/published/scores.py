"""The published scores as a plain CSV, to which anybody can add: ``python -m studies.published.scores``.

It checks ``studies/published/scores.csv`` and packages it as ``treegauge/data/published.parquet``.
"""

import re
from pathlib import Path

import polars as pl

from treegauge import data
from treegauge.core.errors import TreegaugeError
from treegauge.core.files import atomic

CSV = Path(__file__).with_name("scores.csv")
PACKAGED = Path(data.__file__).parent / "published.parquet"
COLUMNS = ("system", "version", "release", "input", "treebank", "metric", "score")
INPUTS = ("raw text", "gold tokens", "gold tokens and tags")
KEY = COLUMNS[:-1]


def checked(path: Path = CSV) -> pl.DataFrame:
    """Return the table; a row that breaks a rule is an error that names its line.

    A score is a percentage with at most two decimals, a treebank a name of UD without ``UD_``, and each
    score is there once.
    """
    frame = pl.read_csv(path, infer_schema=False).fill_null("")
    if tuple(frame.columns) != COLUMNS:
        raise TreegaugeError(f"{path.name}: found columns {', '.join(frame.columns)}, expected {', '.join(COLUMNS)}")
    seen: dict[tuple[str, ...], int] = {}
    for line, row in enumerate(frame.iter_rows(named=True), 2):
        for name, pattern in (("score", r"\d{1,3}(\.\d{1,2})?"), ("release", r"\d+\.\d+"), ("system", r"\S.*")):
            if not re.fullmatch(pattern, row[name]):
                raise TreegaugeError(f"{path.name}:{line}: found {name} {row[name]!r}, expected {pattern}")
        if float(row["score"]) > 100:
            raise TreegaugeError(f"{path.name}:{line}: found score {row['score']}, expected at most 100")
        if row["input"] not in INPUTS:
            raise TreegaugeError(f"{path.name}:{line}: found input {row['input']!r}, expected {', '.join(INPUTS)}")
        if not re.fullmatch(r"(?!UD_)[A-Z][A-Za-z_]*(-[A-Za-z0-9]+)?", row["treebank"]):
            raise TreegaugeError(f"{path.name}:{line}: found treebank {row['treebank']!r}, expected such as Greek-GDT")
        key = tuple(row[name] for name in KEY)
        if key in seen:
            raise TreegaugeError(f"{path.name}:{line}: found the score of line {seen[key]} again, expected it once")
        seen[key] = line
    hundredths = (pl.col("score").cast(pl.Float64) * 100).round().cast(pl.Int16)
    return frame.with_columns(hundredths, version=pl.col("version").replace("", None)).sort(COLUMNS)


def main() -> None:
    """Check the table and package it."""
    frame = checked()
    with atomic(PACKAGED) as file:
        frame.write_parquet(file, compression="zstd", compression_level=19)
    print(f"{frame.height:,} scores of {frame['system'].n_unique()} systems in {PACKAGED.name}")


if __name__ == "__main__":
    main()
