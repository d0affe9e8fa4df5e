"""Measure pages: weight, time until they answer, accessibility.

    python docs/_page_figures.py demo/index.html

A page with a data map of 50,000 words is made on the way. Needs what `pip install -e '.[dev]'`
brings, and a Chromium on the path.
"""

import argparse
import shutil
import tempfile
from importlib.resources import files
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from treegauge.dynamics.map import map as map_treebanks
from treegauge.reporting.report import report
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.conllu import read_conllu, write_conllu

WORDS = 50_000
GRAVE = ("serious", "critical")
READY = "document.documentElement.dataset.ready === 'yes'"
# From the start of loading until a change of the frame on the map is answered.
BRUSH = """() => {
  const begin = performance.now();
  document.querySelector("button[data-region=hard]").click();
  return performance.now() - begin;
}"""


def large_page(folder: Path) -> Path:
    """Make the page with the large map."""
    train = synthetic(3600, seed=1)
    ends = train.offsets.searchsorted(WORDS)
    write_conllu(train[: int(ends)], folder / "big.conllu")
    train = read_conllu(folder / "big.conllu")
    map_treebanks(train, epochs=2, option={"rate": 0.01}, recording=folder / "big.npz")
    target = folder / "large.html"
    target.write_text(report(str(folder / "big.conllu"), str(folder / "big.npz"), out=None).html)
    return target


def figures(browser: Browser, file: Path) -> None:
    """Print what there is to say about one page."""
    print(f"{file.name}: {file.stat().st_size / 1e6:.2f} MB")
    for slow in (1, 1, 1, 4, 4, 4):
        context = browser.new_context(bypass_csp=True)
        tab = context.new_page()
        if slow > 1:
            session = context.new_cdp_session(tab)
            session.send("Emulation.setCPUThrottlingRate", {"rate": slow})
        tab.goto(file.resolve().as_uri())
        tab.wait_for_function(READY)
        entry = tab.evaluate("performance.getEntriesByType('navigation')[0].domInteractive")
        told = f"  {slow}x: answers after {entry:.0f} ms"
        if tab.locator("button[data-region=hard]").count():
            told += f", a frame on the map takes {tab.evaluate(BRUSH):.0f} ms"
        print(told)
        context.close()
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    for scheme in ("light", "dark"):
        context = browser.new_context(bypass_csp=True, color_scheme=scheme)
        tab = context.new_page()
        tab.goto(f"{file.resolve().as_uri()}#scores?by=upos&class=NOUN&system=hasty")
        tab.evaluate(axe)
        found = tab.evaluate("axe.run(document, {resultTypes: ['violations'], preload: false})")
        grave = [one for one in found["violations"] if one["impact"] in GRAVE]
        version = found["testEngine"]["version"]
        print(f"  axe-core {version}, {scheme}: {len(found['passes'])} rules passed, "
              f"{len(found['violations'])} violated, {len(grave)} of them grave")  # fmt: skip
        for one in found["violations"]:
            nodes = "; ".join(" ".join(node["target"]) for node in one["nodes"][:4])
            print(f"    {one['impact']}: {one['id']}: {one['help']}: {nodes}")
        context.close()


def main() -> None:
    """Measure the page given and the large one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages = [given.page, large_page(Path(folder))]
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for file in pages:
            figures(browser, file)
        browser.close()


if __name__ == "__main__":
    main()
