"""Measure pages: weight, time until they answer, and how long interactions take.

    python -m tools.docs.page_figures

Two pages are made of invented treebanks: one of ten treebanks, three systems, conll18 and a data
map of 42,000 words; one of a table of 100 treebanks and 30 systems. Needs what
`pip install --group dev -e .` brings, and a Chromium on the path.
"""

import shutil
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from playwright.sync_api import Browser, sync_playwright

from treegauge.learning.map import map as map_treebanks
from treegauge.reporting.report import report
from treegauge.testing.simulated_parser import Accuracy, simulated_parse
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.conllu import read_conllu, write_conllu

TREEBANKS, SENTENCES, WORDS = 10, 200, 42_000
SYSTEMS = {"first": 0.93, "second": 0.91, "third": 0.85}
MANY_TREEBANKS, MANY_SYSTEMS = 100, 30
SAMPLES = 10_000
RUNS = 3
READY = "document.documentElement.dataset.ready === 'yes'"
#: Milliseconds from a click until the page has been painted again.
CLICK = """(selector) => new Promise((done) => {
  const node = document.querySelector(selector);
  const begin = performance.now();
  node.click();
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begin)));
})"""
#: Interactions by page: name, starting view, and the element to click.
INTERACTIONS = {
    "study": {
        "open a view": ("#overview", "#rail a[href^='#errors']"),
        "sort systems by treebanks": ("#overview", ".board thead button"),
        "compare two systems": ("#overview", "#rail a[href^='#compare']"),
        "open sentences": ("#errors", "#view-errors .costly a, #view-errors .costly button"),
        "a frame on the map": ("#maps", "button[data-region=hard]"),
    },
    "table": {
        "sort systems by treebanks": ("#overview", ".board thead button"),
        "sort by a system": ("#overview", ".board thead th:nth-child(2) button"),
        "open the ranking": ("#overview", "#rail a[href^='#ranking']"),
        "compare two systems": ("#overview", "#rail a[href^='#compare']"),
    },
}


def make_study(folder: Path) -> Path:
    """Make the page of ten treebanks, three systems, conll18 and a large map."""
    sources = [f"UD_Invented-{number}" for number in range(TREEBANKS)]
    for number, name in enumerate(sources):
        gold = synthetic(SENTENCES, seed=number, prefix=name).to_bytes().decode()
        file = f"{name[3:].lower().replace('-', '_')}-ud-test.conllu"
        (folder / name).mkdir()
        (folder / name / file).write_text(gold)
        for seed, (system, quality) in enumerate(SYSTEMS.items()):
            (folder / system).mkdir(exist_ok=True)
            parsed = simulated_parse(gold, Accuracy(heads=quality), seed=10 * number + seed)
            (folder / system / file).write_text(parsed)
    train = synthetic(3200, seed=99)
    ends = int(train.offsets.searchsorted(WORDS, side="right")) - 1
    write_conllu(train[:ends], folder / "mapped.conllu")
    mapped = read_conllu(folder / "mapped.conllu")
    map_treebanks(mapped, epochs=2, option={"rate": 0.01}, recording=folder / "map.npz")
    names = [*sources, *SYSTEMS, "mapped.conllu", "map.npz"]
    target = folder / "study.html"
    given = [str(folder / name) for name in names]
    report(*given, "conll18", out=target, subsets=SAMPLES)
    return target


def make_table(folder: Path) -> Path:
    """Make the page of a table of 100 treebanks and 30 systems."""
    random = np.random.default_rng(0)
    base = random.uniform(60, 90, (MANY_TREEBANKS, 1)) - np.linspace(0, 15, MANY_SYSTEMS)
    scores = base + random.normal(0, 2, base.shape)
    rows = [
        (f"treebank_{t}", f"system {s}", round(float(scores[t, s]), 2))
        for t in range(MANY_TREEBANKS)
        for s in range(MANY_SYSTEMS)
    ]
    table = pl.DataFrame(rows, ["treebank", "system", "las"], orient="row")
    table.write_csv(folder / "table.csv")
    target = folder / "table.html"
    report(str(folder / "table.csv"), out=target, subsets=SAMPLES)
    return target


class Worked:
    """A tab, and the processor time of its main thread, which a busy machine does not lengthen."""

    def __init__(self, browser: Browser) -> None:
        self.tab = browser.new_page()
        self.session = self.tab.context.new_cdp_session(self.tab)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def milliseconds(self) -> float:
        """Return the work so far."""
        found = self.session.send("Performance.getMetrics")["metrics"]
        return 1000 * next(one["value"] for one in found if one["name"] == "TaskDuration")


def said(what: str, times: list[float], work: list[float]) -> str:
    """Return the figures of one kind of wait."""
    return f"  {what}: {min(times):.0f} to {max(times):.0f} ms, processor time {min(work):.0f} to {max(work):.0f} ms"


def measure(browser: Browser, name: str, file: Path) -> None:
    """Print the figures of one page."""
    print(f"{name}: {file.stat().st_size / 1e6:.2f} MB")
    times, work = [], []
    for _ in range(RUNS):
        one = Worked(browser)
        before = one.milliseconds()
        one.tab.goto(file.resolve().as_uri())
        one.tab.wait_for_function(READY)
        work.append(one.milliseconds() - before)
        entry = "performance.getEntriesByType('navigation')[0].domComplete"
        times.append(one.tab.evaluate(entry))
        one.tab.close()
    print(said("ready", times, work))
    for what, (link, selector) in INTERACTIONS[name].items():
        times, work = [], []
        for _ in range(RUNS):
            one = Worked(browser)
            one.tab.goto(f"{file.resolve().as_uri()}{link}")
            one.tab.wait_for_function(READY)
            one.tab.wait_for_selector(selector, state="attached")
            one.tab.wait_for_timeout(300)  # what opens a view is over
            before = one.milliseconds()
            times.append(one.tab.evaluate(CLICK, selector))
            work.append(one.milliseconds() - before)
            one.tab.close()
        print(said(what, times, work))


def main() -> None:
    """Make and measure both pages."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages = {"table": make_table(Path(folder)), "study": make_study(Path(folder))}
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, file in pages.items():
            measure(browser, name, file)
        browser.close()


if __name__ == "__main__":
    main()
