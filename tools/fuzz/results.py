"""Stored results: one small file per fuzzer; adjacent ranges of seeds are joined."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from treegauge.core.files import atomic

FOLDER = Path(__file__).with_name("results")
Row = dict[str, Any]


def read(name: str, folder: Path = FOLDER) -> list[Row]:
    """Return the rows of a fuzzer: ranges of seeds, and what a coverage-guided run did."""
    path = folder / f"{name}.json"
    rows: list[Row] = json.loads(path.read_text()) if path.exists() else []
    return rows


def next_seed(name: str, folder: Path = FOLDER) -> int:
    """Return the first seed after the range that starts at 0."""
    return next((row["stop"] for row in read(name, folder) if row.get("start") == 0), 0)


def add(name: str, rows: Iterable[Row], folder: Path = FOLDER) -> None:
    """Add rows to those of a fuzzer.

    Raises
    ------
    ValueError
        If a seed was tried already, since inputs would be counted twice.
    """
    known = read(name, folder) + [
        {key: value for key, value in row.items() if key != "target" and (key, value) != ("each", 1)} for row in rows
    ]
    guided = [row for row in known if "start" not in row]
    merged: list[Row] = []
    for row in sorted((row for row in known if "start" in row), key=lambda row: row["start"]):
        if merged and row["start"] < merged[-1]["stop"]:
            raise ValueError(f"{name}: seed {row['start']} was tried already")
        if merged and row["start"] == merged[-1]["stop"]:
            merged[-1] = _joined(merged[-1], row)
        else:
            merged.append(row)
    _write(name, merged + guided, folder)


def _write(name: str, rows: Iterable[Row], folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    with atomic(folder / f"{name}.json") as file:
        lines = ",\n".join(json.dumps(row) for row in rows)
        file.write(f"[\n{lines}\n]\n".encode())


def _joined(first: Row, second: Row) -> Row:
    """Return the row of two consecutive ranges."""
    outcomes: Counter[str] = Counter(first["outcomes"]) + Counter(second["outcomes"])
    return first | {
        "stop": second["stop"],
        "seconds": round(first["seconds"] + second["seconds"], 2),
        "outcomes": dict(sorted(outcomes.items())),
        "findings": first["findings"] + second["findings"],
        **({"fixed": fixed} if (fixed := first.get("fixed", []) + second.get("fixed", [])) else {}),
    }


def try_again(name: str, folder: Path = FOLDER) -> int:
    """Try stored findings again; those that pass count as fixed. Return the number left."""
    from tools.fuzz.targets import load

    target, rows = load(name), read(name, folder)
    for row in rows:
        for seed in list(row["findings"]):
            try:
                target.check(target.make(Random(seed)))
            except Exception as error:
                print(f"{name}, seed {seed}: {error!r}")
            else:
                row["findings"].remove(seed)
                row.setdefault("fixed", []).append(seed)
    _write(name, rows, folder)
    return sum(len(row["findings"]) for row in rows)


def inputs(row: Row) -> int:
    """Return the number of inputs of a row."""
    seeds = row["stop"] - row["start"] if "start" in row else 0
    return int(row.get("inputs", seeds * row.get("each", 1)))
