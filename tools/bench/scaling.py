"""Capacity of one machine, and a model of many, with parameters measured here.

``python -m tools.bench.scaling [--write]`` prints the page, or writes it to docs/scaling.md;
``python -m tools.bench.scaling verbs [--write]`` does so with the growth of each command only.
"""

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tools.bench import cells, corpus, growth, verbs
from tools.bench.__main__ import page
from tools.bench.corpus import Corpus
from tools.bench.growth import COLUMNS, INTERVALS, MEASURE, READ, SCORE, Curve
from tools.bench.machine import machine
from tools.bench.measuring import tell
from tools.bench.tables import Section, took, wrap

PAGE = Path("docs/scaling.md")
BILLION = 1_000_000_000
CELLS = 100_000
FILES = 1_000
"""Number of files for a billion words."""
BUSY, IDLE, EMPTY = 0.2, 0.2, 0.06
"""Seconds of cells that work, that wait, and that wait just long enough to be sent singly."""
WORKERS, WAITING = (1, 2, 4), (1, 2, 4, 8)


@dataclass(frozen=True)
class Model:
    """Seconds of a plan: T(n) = start + cells x max(driver, (work + extra) / n).

    Attributes
    ----------
    start
        Until workers are there and the first cells are done.
    driver
        What the driver does for each cell, whatever the number of workers; `heavy` with a table of
        words that comes back.
    extra
        Overhead of a worker per cell.
    """

    start: float
    driver: float
    heavy: float
    extra: float

    def seconds(self, number: int, work: float, workers: int, *, words: bool = True) -> float:
        """Return the time for this number of cells."""
        driver = self.heavy if words else self.driver
        return self.start + number * max(driver, (work + self.extra) / workers)

    def most(self, work: float) -> float:
        """Return the number of workers beyond which the driver is the bottleneck."""
        return (work + self.extra) / self.heavy


def one_machine(files: Corpus) -> tuple[Section, dict[str, Curve]]:
    """Measure time and memory per word."""
    curves = {job: growth.of_files(job, files, 1) for job in (READ, COLUMNS, MEASURE, SCORE, INTERVALS)}
    rows = []
    for job, found in curves.items():
        each = found.bytes_each
        per_word = found.runs[-1].seconds / found.sizes[-1]
        rows.append(
            [job, f"{1e-6 / per_word:.2f}", f"{each:,.0f}", f"{1e3 / each:,.0f}", f"{found.runs[-1].peak:,.0f}"]
        )
    text = (
        f"Measured on {files.words * 10:,} words ({files.size / 1e8:.2f} GB per file); bytes per "
        f"word are the growth from {files.words:,} words. Reading keeps the file and an index, and "
        "columns once they are made. Scoring and checking read files in pieces, so files may be "
        "larger than memory; intervals keep counts per sentence."
    )
    head = ("", "million words/s", "bytes per word", "million words per GB", "peak MB")
    return Section("What one machine holds", text, head, rows), curves


def cluster() -> tuple[Section, Model]:
    """Measure the model's parameters, and compare the model with other runs."""
    short = [cells.run("waiting", EMPTY, 400, 4, words=words) for words in (False, True)]
    alone = cells.run("waiting", IDLE, 20, 1)
    # The driver also takes a share of the elapsed time, whatever the cells.
    share = (alone.driver - short[0].driver) / (alone.each - short[0].each)
    drivers = [one.driver - share * one.each for one in short]
    model = Model(alone.start - IDLE, drivers[0], drivers[1], alone.each - IDLE)
    cores = os.cpu_count() or 1
    rows = []
    for task, work, numbers, limit in (("working", BUSY, WORKERS, cores), ("waiting", IDLE, WAITING, WAITING[-1])):
        for workers in numbers:
            found = cells.run(task, work, 40 * workers, workers)
            expected = max(model.driver, (work + model.extra) / min(workers, limit))
            rows.append([
                f"{task}, {workers} workers", f"{work / found.each:.2f}", f"{work / expected:.2f}",
                f"{1000 * found.driver:.1f}", f"{found.start:.1f}",
            ])  # fmt: skip
    text = (
        "A plan takes\n\n    T(n) = start + cells x max(driver, (work + extra) / n)\n\nseconds on "
        "n workers; only the driver writes to the store. Measured on a local dask cluster: start "
        f"{model.start:.1f} s, extra {1000 * model.extra:.1f} ms per cell, driver (processor time, "
        f"with scheduler) {1000 * model.driver:.1f} ms per cell, {1000 * model.heavy:.1f} ms with "
        f"a table of {cells.WORDS:,} words ({short[1].stored / 1e3:.0f} kB in the store). Cells "
        "shorter than 0.05 s are sent in batches. The table compares the model with other runs: "
        f"cells that work for {BUSY:g} s on {cores} cores, and cells that wait for {IDLE:g} s, as "
        "if they ran on other machines."
    )
    head = ("cells", "cells done at a time", "by the model", "driver ms per cell", "start s")
    return Section("What a cluster does", text, head, rows), model


def many_cells(model: Model, stored: float) -> Section:
    """Extrapolate to a hundred thousand cells."""
    workers = (2, 16, 128, 1024)
    rows = []
    for work in (2.0, 60.0, 600.0):
        times = [hours(model.seconds(CELLS, work, n)) for n in workers]
        rows.append([f"{work:g} s per cell", *times, f"{model.most(work):,.0f}"])
    text = (
        f"Extrapolated: {CELLS:,} cells, each with a table of {cells.WORDS:,} words, take "
        f"{CELLS * stored / 1e9:.1f} GB in the store. The last column is the number of workers "
        "that one driver keeps busy. Beyond that, divide the plan and `treegauge store merge` the stores."
    )
    head = ("", *(f"{n:,} workers" for n in workers), "most workers")
    return Section("A hundred thousand cells", text, head, rows)


def billion_words(files: Corpus, curves: dict[str, Curve], model: Model) -> Section:
    """Extrapolate to a billion words."""
    rows = []
    for job, found in curves.items():
        seconds = found.runs[-1].seconds / found.sizes[-1] * BILLION
        whole = (found.runs[-1].peak + found.bytes_each * (BILLION - found.sizes[-1]) / 1e6) / 1e3
        part = found.runs[-2].peak + found.bytes_each * (BILLION / FILES - found.sizes[-2]) / 1e6
        times = [hours(model.seconds(FILES, seconds / FILES, n, words=False)) for n in (16, 128)]
        rows.append([job, hours(seconds), f"{max(whole, 0):,.1f}", f"{part / 1e3:,.2f}", *times])
    gigabytes = BILLION / files.words * files.size / 1e9
    read = curves[READ]
    speed = 1e-6 * files.size / files.words * read.sizes[-1] / read.runs[-1].seconds
    text = (
        f"Extrapolated: a billion words are {gigabytes:,.0f} GB of CoNLL-U, "
        f"{BILLION / files.words * files.sentences / 1e6:,.0f} million sentences. One such file "
        "can be checked and scored. To read, measure or split it, divide it into "
        f"{FILES:,} files of a million words, which a plan can distribute. Counts of correct words "
        "add up; measures that depend on the whole vocabulary are those of one file. Disks must "
        f"deliver {speed:,.0f} MB/s to each process for these times."
    )
    head = ("", "one process", "GB as one file", f"GB of {FILES:,} files", "16 workers", "128 workers")
    return Section("A billion words", text, head, rows)


def hours(seconds: float) -> str:
    """Format a time in a readable unit."""
    for size, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{took(seconds)} s"


def everything() -> list[Section]:
    """Measure all sections."""
    with tempfile.TemporaryDirectory(prefix="treegauge-bench-") as folder:
        files = corpus.make(Path(folder))
        held, curves = one_machine(files)
    spread, model = cluster()
    stored = cells.run("waiting", EMPTY, 100, 4, words=True).stored
    return [held, verbs.run(), spread, many_cells(model, stored), billion_words(files, curves, model)]


def main() -> None:
    """Measure, and print or write the page."""
    sections = [verbs.run()] if "verbs" in sys.argv else everything()
    how = (
        "Written by `python -m tools.bench.scaling --write`. A hundred thousand cells and a billion "
        "words are extrapolated, all else is measured. Machine and versions are those of the "
        "section written last."
    )
    preface = "\n\n".join(["# How far it scales", wrap(how), wrap(machine())])
    made = page(preface, list(map(str, sections)), PAGE.read_text("utf-8"))
    print(made)
    if "--write" in sys.argv:
        PAGE.write_text(made, "utf-8")
        tell(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
