"""Keep what parsers gave for the Difficulty paper's Table 1, beside the published values.

    python -m replications.difficulty_table OUT/difficulty.json [--second OTHER.json...]
        [--cpu CPU.csv] [--cpu-words CPU.csv]

reads what ``replications.difficulty_gpu`` wrote and writes
``replications/results/difficulty_gpu.csv``, one row a treebank and measure: ours, the paper's, the
difference. With ``--second``, the same of another parser (``difficulty_gpu_second.csv``); with
``--cpu``, of the log-linear one, from what ``replications.difficulty_cpu --out CPU.csv`` wrote
(``difficulty_cpu.csv``), and with ``--cpu-words``, of the same learning word by word. How well they
agree is computed in ``replications.difficulty``.

UAS and LAS count all words, punctuation too, each word with its best head; ``uas_words`` and
``las_words`` leave out words with UPOS PUNCT and are set against the same published columns.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from replications.parts import RESULTS
from treegauge import data
from treegauge.core.files import atomic
from treegauge.dynamics.difficulty import LARGER_IS_EASIER

MEASURES = {name: name for name in LARGER_IS_EASIER} | {"uas_words": "uas", "las_words": "las"}
"""Our columns, and the published ones that they are set against."""


def beside(ours: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Return one row a treebank and measure: both values and their difference."""
    rows = []
    theirs = {row["treebank"]: row for row in published.iter_rows(named=True)}
    for row in ours.iter_rows(named=True):
        for name, other in MEASURES.items():
            if row.get(name) is None:
                continue
            paper = theirs[row["treebank"]][other]
            gap = None if paper is None else round(row[name] - paper, 4)
            value = round(row[name], 4)
            rows.append((row["treebank"], name, value, paper, gap))
    return pl.DataFrame(
        rows, schema=["treebank", "measure", "ours", "paper", "difference"], orient="row"
    )


def read_runs(paths: Sequence[Path]) -> pl.DataFrame:
    """Return one row a treebank of what ``replications.difficulty_gpu`` wrote."""
    rows = [row for path in paths for row in json.loads(path.read_text())]
    names = ("treebank", *MEASURES, "pair_seconds", "coding_seconds")
    return pl.DataFrame([{key: row[key] for key in names if key in row} for row in rows])


def write(name: str, ours: pl.DataFrame, published: pl.DataFrame) -> None:
    """Write a parser's values beside the published ones."""
    with atomic(RESULTS / f"{name}.csv") as file:
        beside(ours, published).write_csv(file)


def main() -> None:
    """Write the tables, and print what the runs took."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("found", type=Path, help="difficulty.json")
    reader.add_argument("--second", type=Path, nargs="+", help="the same of another parser")
    reader.add_argument("--cpu", type=Path, help="table of the log-linear parser")
    reader.add_argument("--cpu-words", type=Path, help="the same, word by word")
    given = reader.parse_args()
    ours, published = read_runs([given.found]), data.difficulty_table1()
    write("difficulty_gpu", ours, published)
    seconds = sum(ours[one].to_numpy().sum() for one in ("pair_seconds", "coding_seconds"))
    print(f"{len(ours)} treebanks, {seconds:.0f} s")
    if given.second:
        write("difficulty_gpu_second", read_runs(given.second), published)
    for name in ("cpu", "cpu_words"):
        if path := getattr(given, name):
            linear = pl.read_csv(path)
            write(f"difficulty_{name}", linear, published)
            print(f"{name}: log-linear parser, {linear['seconds'].sum():.0f} s of one CPU core")
    print("now: python -m replications")


if __name__ == "__main__":
    main()
