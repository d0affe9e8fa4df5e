"""What one machine holds and what many would do, by a model whose numbers are measured here.

``python -m benchmarks.scaling [--write]`` prints the page, or writes it to docs/scaling.md.
"""

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks import cells, corpus, growth
from benchmarks.corpus import Corpus
from benchmarks.growth import COLUMNS, INTERVALS, MEASURE, READ, SCORE, Curve
from benchmarks.machine import machine
from benchmarks.measuring import tell
from benchmarks.tables import Section, took, wrap

PAGE = Path("docs/scaling.md")
BILLION = 1_000_000_000
CELLS = 100_000
FILES = 1_000
"""Files into which a billion words are cut."""
BUSY, IDLE, EMPTY = 0.2, 0.2, 0.06
"""Seconds of cells that work, that wait, and that wait just long enough to be sent one by one."""
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
        What a worker spends on a cell beside its work.
    """

    start: float
    driver: float
    heavy: float
    extra: float

    def seconds(self, number: int, work: float, workers: int, *, words: bool = True) -> float:
        """Return the time of so many cells."""
        driver = self.heavy if words else self.driver
        return self.start + number * max(driver, (work + self.extra) / workers)

    def most(self, work: float) -> float:
        """Return the number of workers beyond which the driver is what takes the time."""
        return (work + self.extra) / self.heavy


def one_machine(files: Corpus) -> tuple[Section, dict[str, Curve]]:
    """Measure what stays in memory and what does not."""
    curves = {
        job: growth.of_files(job, files, 1) for job in (READ, COLUMNS, MEASURE, SCORE, INTERVALS)
    }
    rows = []
    for job, found in curves.items():
        each = found.bytes_each
        per_word = found.runs[-1].seconds / found.sizes[-1]
        rows.append([
            job, f"{1e-6 / per_word:.2f}", f"{each:,.0f}", f"{1e3 / each:,.0f}",
            f"{found.runs[-1].peak:,.0f}",
        ])  # fmt: skip
    text = (
        f"Measured on {files.words * 10:,} words ({files.size / 1e8:.2f} GB a file), and from "
        f"{files.words:,} to these for the bytes. Reading keeps the bytes of the file and an index "
        "to them; columns are made when asked for and kept. Scoring and checking take files piece "
        "by piece, so that files larger than memory are as good as small ones; only intervals keep "
        "something of each sentence, its sums. What scoring gains without them is extrapolated "
        "below as if it went on; see also Streaming among the benchmarks, with more words."
    )
    head = ("", "million words/s", "bytes a word", "million words a GB", "peak MB")
    return Section("What one machine holds", text, head, rows), curves


def cluster() -> tuple[Section, Model]:
    """Measure the model's numbers, and the model against runs that it was not made from."""
    short = [cells.run("waiting", EMPTY, 400, 4, words=words) for words in (False, True)]
    alone = cells.run("waiting", IDLE, 20, 1)
    # The driver also takes a share of the time that passes, whatever the cells.
    share = (alone.driver - short[0].driver) / (alone.each - short[0].each)
    drivers = [one.driver - share * one.each for one in short]
    model = Model(alone.start - IDLE, drivers[0], drivers[1], alone.each - IDLE)
    cores = os.cpu_count() or 1
    rows = []
    for task, work, numbers, limit in (
        ("working", BUSY, WORKERS, cores),
        ("waiting", IDLE, WAITING, WAITING[-1]),
    ):
        for workers in numbers:
            found = cells.run(task, work, 40 * workers, workers)
            expected = max(model.driver, (work + model.extra) / min(workers, limit))
            rows.append([
                f"{task}, {workers} workers", f"{work / found.each:.2f}", f"{work / expected:.2f}",
                f"{1000 * found.driver:.1f}", f"{found.start:.1f}",
            ])  # fmt: skip
    text = (
        "A plan takes\n\n    T(n) = start + cells x max(driver, (work + extra) / n)\n\nseconds on "
        "n workers: these share the cells, and the driver, which alone writes to the store, takes "
        "some time for each, which no worker shortens. Measured on a local dask cluster: start "
        f"{model.start:.1f} s, extra {1000 * model.extra:.1f} ms a cell, driver (its processor "
        f"time, scheduler included) {1000 * model.driver:.1f} ms a cell and "
        f"{1000 * model.heavy:.1f} ms with a table of {cells.WORDS:,} words, which takes "
        f"{short[1].stored / 1e3:.0f} kB in the store. Cells shorter than 0.05 s are sent several "
        "together and cost less. The table has the model beside runs it was not made from: cells "
        f"that work for {BUSY:g} s of processor, on {cores} cores, so that more workers than that "
        f"gain nothing; and cells that wait for {IDLE:g} s, which is what work on other machines "
        "is to this one."
    )
    head = ("cells", "cells done at a time", "by the model", "driver ms a cell", "start s")
    return Section("What a cluster does", text, head, rows), model


def many_cells(model: Model, stored: float) -> Section:
    """Extrapolate to a hundred thousand cells."""
    workers = (2, 16, 128, 1024)
    rows = []
    for work in (2.0, 60.0, 600.0):
        times = [hours(model.seconds(CELLS, work, n)) for n in workers]
        rows.append([f"{work:g} s a cell", *times, f"{model.most(work):,.0f}"])
    text = (
        f"Extrapolated by the model, not measured: {CELLS:,} cells, each with a table of "
        f"{cells.WORDS:,} words. They take {CELLS * stored / 1e9:.1f} GB in the store. Cells are "
        "split by nothing but themselves: one plan, one store, as many workers as there are; the "
        "last column is how many of them the one driver keeps busy. Beyond, cut the plan into "
        "several, each with a driver and a store of its own, and `treegauge merge` the stores."
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
    text = (
        f"Extrapolated, not measured: a billion words are {gigabytes:,.0f} GB of CoNLL-U a file, "
        f"{BILLION / files.words * files.sentences / 1e6:,.0f} million sentences. As one file they "
        "can be checked and scored as they are. To read, measure or split them, cut them into "
        f"{FILES:,} files of a million words, each a treebank: memory is then that of one file on "
        "each worker, and a plan with the task `measure`, or `treegauge score` file by file, runs "
        "them anywhere. Counts of right words add, so that the score of all is that of the sums; "
        "means, shares and intervals are combined from the files' tables. Measures that need the "
        "whole vocabulary at once (type/token ratios of all, paradigms) are those of one file, as "
        "they depend on its size anyway. Reading and columns are of one process; disks must "
        f"deliver {1e-6 * files.size / files.words * curves[READ].sizes[-1] / curves[READ].runs[-1].seconds:,.0f} "  # noqa: E501
        "MB/s to each for these times."
    )
    head = ("", "one process", "GB as one file", f"GB of {FILES:,} files",
            "16 workers", "128 workers")  # fmt: skip
    return Section("A billion words", text, head, rows)


def hours(seconds: float) -> str:
    """Write a time so that it can be grasped."""
    for size, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{took(seconds)} s"


def main() -> None:
    """Measure, and print or write the page."""
    with tempfile.TemporaryDirectory(prefix="treegauge-bench-") as folder:
        files = corpus.make(Path(folder))
        held, curves = one_machine(files)
    spread, model = cluster()
    stored = cells.run("waiting", EMPTY, 100, 4, words=True).stored
    sections = [held, spread, many_cells(model, stored), billion_words(files, curves, model)]
    how = (
        "Written by `python -m benchmarks.scaling --write`. The first two parts are measured, the "
        "last two extrapolated from them by a model that they state. Seconds depend on the machine "
        "and on what else it does."
    )
    page = "\n\n".join(["# How far it scales", wrap(how), wrap(machine()), *map(str, sections)])
    print(page)
    if "--write" in sys.argv:
        PAGE.write_text(page + "\n")
        tell(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
