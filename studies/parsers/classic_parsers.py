"""Scores of the parsers that need no neural network, on treebanks of UD 2.9 with gold tags.

Run ``python -m studies.parsers.classic_parsers`` for both tables, or with ``full`` or ``ten`` for one:
whole training sets and three seeds, and train sets of ten sentences drawn five times. All words
count, relations whole. The treebanks are looked for under ``TREEGAUGE_UD``.
"""

import sys
import time
from statistics import fmean
from typing import Any

from studies.treebanks import release_folder
from treegauge.experiments.builtin import sampled
from treegauge.parsing.registry import make_parser
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits

FULL = ("Telugu-MTG", "Greek-GDT", "Turkish-IMST")
TEN = (
    "Afrikaans-AfriBooms", "Coptic-Scriptorium", "English-LinES", "French-Sequoia", "Greek-GDT",
    "Hungarian-Szeged", "North_Sami-Giella", "Telugu-MTG", "Turkish-IMST", "Vietnamese-VTB",
)  # fmt: skip
# As in the Challenges paper: drawn from the first 500 sentences; UDPipe stops by the first
# 10 of dev.
AVAILABLE, SENTENCES, DEV, SAMPLES = 500, 10, 10, 5
SEEDS = (1, 2, 3)


def parts(name: str) -> dict[str, Treebank]:
    """Read a treebank's parts."""
    root = release_folder("r2.9")
    return read_splits(root / f"UD_{name}")


def scores(gold: Treebank, parsed: Treebank) -> tuple[float, float]:
    """Return UAS and LAS in percent."""
    heads = parsed.head == gold.head
    both = heads & (parsed["deprel"] == gold["deprel"]).to_numpy()
    return 100 * float(heads.mean()), 100 * float(both.mean())


def full(parser: str, name: str) -> list[str]:
    """Train on the whole training set, once per seed."""
    data = parts(name)
    found, start = [], time.process_time()
    for seed in SEEDS:
        model = make_parser(parser).fit(data["train"], seed=seed)
        found.append(scores(data["test"], model.parse(data["test"])))
    seconds = (time.process_time() - start) / len(SEEDS)
    uas, las = zip(*found, strict=True)
    spread = f"{min(uas):.2f} to {max(uas):.2f}"
    return [name, parser, f"{fmean(uas):.2f}", spread, f"{fmean(las):.2f}", f"{seconds:.1f}"]


def ten(parser: str, name: str, **options: Any) -> float:
    """Return the mean UAS after ten sentences."""
    data = parts(name)
    pool, dev = data["train"][:AVAILABLE], data["dev"][:DEV] if "dev" in data else None
    found = []
    for sample in range(SAMPLES):
        train = pool.take(sampled(len(pool), SENTENCES, sample))
        model = make_parser(parser, **options).fit(train, dev, seed=sample)
        found.append(scores(data["test"], model.parse(data["test"]))[0])
    return fmean(found)


def line(cells: list[str]) -> None:
    """Print a row of a table as soon as it is there."""
    print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Print the tables."""
    wanted = sys.argv[1:] or ["full", "ten"]
    if "full" in wanted:
        line("treebank,parser,UAS,of three seeds,LAS,seconds".split(","))
        line("---,---,---:,---:,---:,---:".split(","))
        for name in FULL:
            for parser in ("beam", "mst"):
                line(full(parser, name))
    if "ten" in wanted:
        kinds: dict[str, dict[str, Any]] = {"beam": {}, "mst": {}, "udpipe": {}}
        line(["ten sentences", *kinds])
        line(["---", *["---:"] * len(kinds)])
        rows = []
        for name in TEN:
            rows.append([ten(parser, name, **options) for parser, options in kinds.items()])
            line([name, *(f"{uas:.1f}" for uas in rows[-1])])
        line(["mean", *(f"{fmean(column):.1f}" for column in zip(*rows, strict=True))])


if __name__ == "__main__":
    main()
