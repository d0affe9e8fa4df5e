"""A table with one row per training, written as trainings finish on any machine."""

import csv
import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treegauge.core.files import atomic

RESULTS = Path(__file__).parent / "results"

Job = dict[str, Any]


@dataclass(frozen=True)
class RunTable:
    """Trainings of one study and the table that keeps their rows.

    Attributes
    ----------
    name
        The stem of the file under ``studies/results``.
    jobs
        Returns all trainings in the order of the table.
    run
        Runs one of them and returns its row.
    key
        Columns that name a training.
    columns
        All columns.
    """

    name: str
    jobs: Callable[[], list[Job]]
    run: Callable[[Job], Job]
    key: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def path(self) -> Path:
        """Where the table is kept."""
        return RESULTS / f"{self.name}.csv"

    def key_of(self, row: Job) -> tuple[str, ...]:
        """Return the name of a training."""
        return tuple(str(row[name]) for name in self.key)

    def kept(self) -> dict[tuple[str, ...], Job]:
        """Return the rows that are there, by their names."""
        if not self.path.exists():
            return {}
        with self.path.open(encoding="utf-8", newline="") as file:
            return {self.key_of(row): row for row in csv.DictReader(file)}

    def keep(self, *rows: Job) -> None:
        """Add rows, floats with six digits, in the order of the jobs."""
        table = self.kept()
        for row in rows:
            cells = {k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()}
            table[self.key_of(row)] = {name: cells[name] for name in self.columns}
        places = {self.key_of(job): place for place, job in enumerate(self.jobs())}
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table[key] for key in sorted(table, key=places.__getitem__))
        with atomic(self.path) as out:
            out.write(text.getvalue().encode())

    def main(self) -> None:
        """Run what is missing; with a number, of the first jobs; with a file, add its rows."""
        given = sys.argv[1] if sys.argv[1:] else None
        if given is not None and not given.isdigit():
            self.keep(*map(json.loads, Path(given).read_text(encoding="utf-8").splitlines()))
            return
        there = self.kept()
        for job in self.jobs()[: None if given is None else int(given)]:
            if self.key_of(job) not in there:
                row = self.run(job)
                self.keep(row)
                print(row, flush=True)
