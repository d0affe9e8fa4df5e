"""Make the three pages of docs/gallery.md and their pictures: `python -m tools.docs.gallery demo`.

`demo` is the folder that `treegauge demo` made. The pages hold figures of replications and invented
text, none of a treebank. Needs Playwright for Python, Pillow and a Chromium on the path.
"""

import io
import shutil
import sys
import tempfile
from pathlib import Path

import polars as pl
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from treegauge.learning.curves.class_counts import COLUMNS, attachments
from treegauge.reporting.report import report

HOME = Path(__file__).parents[2] / "docs"
OUT = HOME / "images" / "gallery"
RESULTS = HOME.parent / "studies" / "results"
HEIGHTS = {1920: 1080, 1280: 900, 768: 1024, 390: 844}
COLOURS = 256  # of a picture
#: Learning curves: the number of treebanks, and classes of words with short names.
TREEBANKS = 8
CLASSES = ["all", "NOUN × head left", "VERB × root", "ADP × head right", "DET × head right"]
SAMPLES = 20_000
PAIR = "left=HIT-SCIR&right=TurkuNLP&table=table0"
#: By page: width, scheme, link and caption of each picture.
SHOTS = {
    "shared_task": [
        (1920, "light", "", "Overview: every system on every treebank"),
        (1280, "light", "#ranking?size=10", "Ranking: rank sets, ties, ranks over subsets"),
        (768, "light", f"#compare?{PAIR}", "Compare: two systems over all treebanks"),
        (390, "light", "", "Overview on a phone"),
        (1280, "dark", "#ranking?size=10", "Ranking in dark colours"),
    ],
    "treebank": [
        (1920, "light", "#treebanks", "Treebanks: profiles, measures, fairness of splits"),
        (1280, "light", "#maps?layer=head&x0=0&x1=0.1&y0=0&y1=0.25", "Data maps: hard words"),
        (768, "light", "#candidates", "Candidates: annotations to check"),
        (390, "light", "#errors?system=hasty", "Errors on a phone"),
        (1280, "dark", "#errors?by=relation&class=obl&system=hasty", "Errors: sentences of a class"),
    ],
    "parser_study": [
        (1920, "light", "", "Overview: parsers by treebanks"),
        (1280, "light", "#learning", "Learning curves by class of words"),
        (768, "light", "#ranking", "Ranking of parsers"),
        (390, "light", "#learning", "Learning on a phone"),
    ],
}
TITLES = {
    "shared_task": "CoNLL 2018 shared task",
    "treebank": "A treebank before its release",
    "parser_study": "Parsers on small treebanks",
}


def parser_scores(folder: Path) -> Path:
    """Write LAS of parsers by treebank, with gold tags, as a table of scores."""
    found = pl.read_csv(RESULTS / "experiment1.csv").filter(pl.col("tags") == "gold")
    cells = found.select("treebank", pl.col("parser").alias("system"), "las")
    counted = cells.group_by("treebank").len()
    whole = counted.filter(pl.col("len") == counted["len"].max())
    target = folder / "scores.csv"
    cells.join(whole, on="treebank", how="semi").sort("treebank", "system").write_csv(target)
    return target


def learning_counts(folder: Path) -> Path:
    """Write correct words by treebank, size of the training set and class of words."""
    wide = pl.read_csv(RESULTS / "challenges_attachments.csv")
    some = wide["treebank"].unique(maintain_order=True).to_list()[:TREEBANKS]
    kept = wide.filter(pl.col("treebank").is_in(some) & pl.col("class").is_in(CLASSES))
    sizes = [name for name in wide.columns if "/" in name]
    rows = []
    for row in kept.iter_rows(named=True):
        for name in sizes:
            size, sample = map(int, name.split("/"))
            if row[name] is not None:
                where = (row["treebank"], row["parser"], size, sample, row["class"])
                rows.append((*where, row[name], row["total"]))
    target = folder / "counts.csv"
    attachments(pl.DataFrame(rows, schema=COLUMNS, orient="row"), metric="uas").save(target)
    return target


def make_pages(demo: Path, folder: Path) -> dict[str, Path]:
    """Make the three pages."""
    systems = [demo / f"{name}.conllu" for name in ("careful", "average", "hasty")]
    sources = {
        "shared_task": ["conll18"],
        "treebank": [demo / "UD_Imaginary-SVO", *systems, demo / "training.npz"],
        "parser_study": [parser_scores(folder), learning_counts(folder)],
    }
    pages = {name: folder / f"{name}.html" for name in sources}
    for name, given in sources.items():
        report(*map(str, given), out=pages[name], title=TITLES[name], subsets=SAMPLES)
        print(f"{name}: {pages[name].stat().st_size / 1e6:.2f} MB")
    return pages


def shoot(browser: Browser, name: str, page: Path) -> None:
    """Write the pictures of one page."""
    for width, scheme, link, _ in SHOTS[name]:
        context = browser.new_context(viewport={"width": width, "height": HEIGHTS[width]}, color_scheme=scheme)
        tab = context.new_page()
        tab.goto(f"{page.resolve().as_uri()}{link}")
        tab.wait_for_function("document.documentElement.dataset.ready === 'yes'")
        tab.wait_for_timeout(300)  # drawings wait for their width
        sideways = tab.evaluate("document.documentElement.scrollWidth - innerWidth")
        if sideways > 0:
            print(f"{name} {width}: the page scrolls sideways by {sideways} px")
        image = Image.open(io.BytesIO(tab.screenshot())).convert("RGB")
        ending = "" if scheme == "light" else f"-{scheme}"
        small = image.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE)
        small.save(OUT / f"{name}-{width}{ending}.png", optimize=True)
        context.close()


def gallery() -> str:
    """Return the page of the documentation."""
    lines = [
        "# Gallery",
        "",
        "Three pages made by `treegauge report`: a shared task (published scores), a treebank",
        "(invented text) and a study of parsers ([replications](replications.md)), at four widths.",
        "`python -m tools.docs.gallery demo` makes them from the folder of `treegauge demo`.",
    ]
    for name, shots in SHOTS.items():
        lines += ["", f"## {TITLES[name]}"]
        for width, scheme, _, caption in shots:
            ending = "" if scheme == "light" else f"-{scheme}"
            size = 'width="260" ' if width == 390 else ""
            path = f"images/gallery/{name}-{width}{ending}.png"
            lines += ["", f"{caption} ({width} pixels):", ""]
            lines.append(f"![{caption}]({path}){{ {size}loading=lazy }}")
    return "\n".join([*lines, ""])


def main(demo: Path) -> None:
    """Make pages, pictures and the page of the documentation."""
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages = make_pages(demo.resolve(), Path(folder))
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for name, page in pages.items():
            shoot(browser, name, page)
        browser.close()
    (HOME / "gallery.md").write_text(gallery(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
