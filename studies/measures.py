"""Measure the named treebanks and write the tables of docs/measures/treebanks.md.

Run ``python -m studies.measures``; the treebanks are looked for under ``TREEGAUGE_UD``.
It writes figures only, no text of a treebank.
"""

import time
from pathlib import Path

import numpy as np

from studies.treebanks import MEASURED, treebank_folders
from tools.docs import tables
from treegauge.measures.measure import measure
from treegauge.measures.measurements import Measures, short_number
from treegauge.measures.registry import FAMILIES, MissingError, measures
from treegauge.statistics.probabilities import wasserstein
from treegauge.treebanks.data.conllu import read_splits
from treegauge.treebanks.data.trees import displacement_counts

TARGET = Path(__file__).parents[1] / "docs" / "measures" / "treebanks.md"
RANDOM_SPLITS, SEED = 200, 0

HEAD = """# The measures of {count} treebanks

Every measure that is a single number, for the {count} treebank-releases of UD 2.5 and 2.9 at hand.
Measures of one treebank use its training set; pairs compare training and test set. An empty cell is
*missing*; `treegauge measure` gives the reason. Written by `python -m studies.measures`.

"""

NOISE = """## EDV and random splits

Random samples of one text differ, too. *Random splits* is the mean EDV over {splits} random splits
of training and test set pooled, with the official numbers of sentences; *p* is the share of splits,
the official one among them, with an EDV at least as large. Sentences of one document resemble each
other, so sets made of whole documents differ more than random ones.

{finding}

"""


def row(cells: list[str]) -> str:
    """Write a line of a table."""
    return "| " + " | ".join(cells) + " |\n"


def family_table(family: str, releases: dict[str, Measures]) -> str:
    """Write the measures of one family, a row per treebank."""
    names = [one.name for one in measures().values() if one.family == family]
    text = ""
    for release, found in releases.items():
        wide = found.wide
        kept = [name for name in names if name in wide.columns]
        if not text:
            text = f"## {family.capitalize()}\n\n" + row(["treebank", "UD", *kept])
            text += row([":--", ":--", *["--:"] * len(kept)])
        for line in wide.select("treebank", *kept).iter_rows():
            title = line[0].removeprefix("UD_").replace("_", " ")
            text += row([title, release.removeprefix("r"), *map(short_number, line[1:])])
    return text + "\n"


def random_splits(folder: Path) -> tuple[float, float, float]:
    """Return EDV of the official split, its mean over random ones, and p."""
    parts = read_splits(folder)
    if "train" not in parts or "test" not in parts:
        raise MissingError(f"{folder.name} has no training set or no test set")
    tables = [displacement_counts(parts[part]) for part in ("train", "test")]
    pooled = np.concatenate(tables)
    whole = pooled.sum(axis=0)
    official = float(wasserstein(*(table.sum(axis=0) for table in tables)))
    random = np.random.default_rng(SEED)
    drawn = np.empty(RANDOM_SPLITS)
    for i in range(RANDOM_SPLITS):
        test = pooled[random.permutation(len(pooled))[: len(tables[1])]].sum(axis=0)
        drawn[i] = wasserstein(whole - test, test)
    above = (1 + np.count_nonzero(drawn >= official - 1e-12)) / (1 + RANDOM_SPLITS)
    return official, float(drawn.mean()), float(above)


def noise_table(releases: dict[str, Measures]) -> str:
    """Write EDV and that of random splits."""
    lines, beyond = "", 0
    count = 0
    for release in releases:
        for folder in treebank_folders(release):
            official, mean, above = random_splits(folder)
            count, beyond = count + 1, beyond + (above <= 0.05)
            title = folder.name.removeprefix("UD_").replace("_", " ")
            cells = [f"{official:.4f}", f"{mean:.4f}", f"{official / mean:.1f}", f"{above:.3f}"]
            lines += row([title, release.removeprefix("r"), *cells])
    finding = f"At 0.05, {beyond} of {count} official splits have an EDV larger than random splits."
    head = ["treebank", "UD", "EDV", "random splits", "ratio", "p"]
    text = NOISE.format(splits=RANDOM_SPLITS, finding=finding)
    return text + row(head) + row([":--", ":--", *["--:"] * 4]) + lines


def main() -> None:
    """Measure, write and say how long it took."""
    start = time.perf_counter()
    releases = {release: measure("all", *treebank_folders(release)) for release in MEASURED}
    took = time.perf_counter() - start
    count = sum(found.wide.height for found in releases.values())
    text = HEAD.format(count=count)
    text += "".join(family_table(family, releases) for family in FAMILIES)
    text += noise_table(releases)
    tables.write(TARGET, text)
    print(f"{count} treebanks measured in {took:.1f} s; wrote {TARGET}")


if __name__ == "__main__":
    main()
