"""Our UDPipe compared with the published models with gold tags, on small treebanks of UD 2.5.

Run ``python -m studies.parsers.udpipe_published``, or with names of treebanks for some of them; all
six take about 25 minutes of one core. The treebanks are looked for under ``TREEGAUGE_UD``.
"""

import sys
import time

import polars as pl

from studies.treebanks import release_folder
from treegauge.data import ud25
from treegauge.parsing.programs.udpipe import UDPipeParser
from treegauge.parsing.programs.udpipe_settings import UDPipeOptions
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.settings import ScoreOptions
from treegauge.treebanks.data.conllu import read_splits

TREEBANKS = ("Belarusian-HSE", "Lithuanian-HSE", "Marathi-UFAL", "North_Sami-Giella", "Tamil-TTB", "Telugu-MTG")


def row(name: str) -> list[object]:
    """Train with the settings of the published models and score on test, all with gold tags."""
    root = release_folder("r2.5")
    parts = read_splits(root / f"UD_{name}")
    start = time.process_time()
    model = UDPipeParser(UDPipeOptions()).fit(parts["train"], parts.get("dev"), seed=0)
    seconds = time.process_time() - start
    parsed = model.parse(parts["test"])
    (scores,) = evaluate(parts["test"], parsed, options=ScoreOptions(resamples=0)).systems
    published = ud25().filter(pl.col("treebank") == name).row(0, named=True)
    return [
        name, parts["train"].n_words, f"{seconds:.0f} s",
        f"{scores['UAS'].f1:.1f}", f"{published['uas_gold_tags']:.1f}",
        f"{scores['LAS'].f1:.1f}", f"{published['las_gold_tags']:.1f}",
    ]  # fmt: skip


def main() -> None:
    """Print one line per treebank, as soon as it is done."""
    print("| treebank | words | CPU time | UAS | published | LAS | published |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in sys.argv[1:] or TREEBANKS:
        print(f"| {' | '.join(map(str, row(name)))} |", flush=True)


if __name__ == "__main__":
    main()
