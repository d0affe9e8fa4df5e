"""A simulated annotation campaign: ``python -m studies.selection.next_sentences [--write]``.

Of the training set of a treebank, 200 sentences at random are annotated; the others (at most 1,000)
are known with predicted tags only. ``curve advise --sentences`` chooses 50, 100 or 200 of these;
next to it, sentences are drawn at random until they have the same number of words. Beam parsers
trained on the 200 and the new sentences are scored on the test set. Six treebanks that the settings
of the advice were not chosen on, and several seeds; each treebank's mean is one observation. The
settings were chosen on French-Sequoia, Uyghur-UDT and one seed of Latin-Perseus.

Rows are added to results/next_sentences.csv as they are made; what is there is not made again.
``--write`` only puts the table into the documentation.
"""

import argparse
import csv
import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

from studies.pages import DOCS, markdown
from treegauge.learning.curves.advising import committee_view, greedy_choice
from treegauge.parsing.beam import BeamParser
from treegauge.parsing.tagger import train_tagger
from treegauge.scoring.metrics.correct_words import correct_trees
from treegauge.statistics.student_intervals import student_mean
from treegauge.treebanks.data.columns import Treebank, concat
from treegauge.treebanks.data.conllu import read_conllu

KEPT = Path(__file__).parents[1] / "results" / "next_sentences.csv"
PAGE = DOCS / "howto" / "curve.md"
TREEBANKS = (
    "UD_Greek-GDT", "UD_Afrikaans-AfriBooms", "UD_Turkish-IMST", "UD_Vietnamese-VTB",
    "UD_English-LinES", "UD_Hungarian-Szeged",
)  # fmt: skip
SIZES = (50, 100, 200)
START, POOL = 200, 1000
COLUMNS = ("treebank", "seed", "sentences", "words", "random_sentences", "start", "advised", "random")


def las(train: Treebank, test: Treebank, seed: int) -> float:
    """Return LAS of a beam parser."""
    parsed = BeamParser().fit(train, seed=seed).parse(test)
    return float(correct_trees(test, parsed.head, parsed["deprel"]).score("LAS") or 0)


def random_sentences(pool: Treebank, words: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return sentences at random whose number of words is nearest to the one wanted."""
    order = random.permutation(len(pool))
    ends = np.cumsum(pool.lengths[order])
    return order[: int(np.abs(ends - words).argmin()) + 1]


def campaign(folder: Path, seed: int) -> list[tuple[object, ...]]:
    """Return the rows of one treebank and seed."""
    whole, test = (read_conllu(folder, split=split) for split in ("train", "test"))
    random = np.random.default_rng(seed)
    order = random.permutation(len(whole))
    train, gold = whole.take(order[:START]), whole.take(order[START : START + POOL])
    pool = train_tagger(train, iterations=10, seed=seed).tag(gold)
    view = committee_view(train, pool, seed=seed)
    allowed = np.ones(len(pool), bool)
    chosen, _ = greedy_choice(pool, view.uncertainty, max(SIZES), allowed=allowed)
    start, rows = las(train, test, seed), list[tuple[object, ...]]()
    for size in SIZES:
        words = int(gold.lengths[chosen[:size]].sum())
        drawn = random_sentences(gold, words, random)
        scores = [las(concat([train, gold.take(part)]), test, seed) for part in (chosen[:size], drawn)]
        rows.append((folder.name, seed, size, words, len(drawn), start, *scores))
    return rows


def table() -> str:
    """Return the table of the documentation: gains over random sentences, with intervals."""
    import polars as pl

    frame = pl.read_csv(KEPT).with_columns(
        gain=pl.col("advised") - pl.col("start"),
        gain_random=pl.col("random") - pl.col("start"),
        more=pl.col("advised") - pl.col("random"),
    )
    rows = []
    for size in SIZES:
        own = frame.filter(pl.col("sentences") == size)
        means = own.group_by("treebank").agg(pl.col("gain", "gain_random", "more", "words").mean())
        estimate = student_mean(means["more"].to_numpy())
        low, high = estimate.interval()
        rows.append(
            {
                "sentences": size,
                "words": round(float(np.mean(means["words"].to_numpy()))),
                "gain at random": float(np.mean(means["gain_random"].to_numpy())),
                "gain by advice": float(np.mean(means["gain"].to_numpy())),
                "more by advice": float(estimate.value),
                "95 % interval": f"{float(low):+.2f} to {float(high):+.2f}",
                "better on": f"{int((means['more'] > 0).sum())} of {len(means)} treebanks",
            }
        )
    counts = frame.group_by("treebank").agg(pl.col("seed").n_unique())["seed"]
    campaigns = int(np.sum(counts.to_numpy()))
    return f"{markdown(pl.DataFrame(rows))}\n\n{campaigns} campaigns on {len(counts)} treebanks."


def write() -> None:
    """Put the table into the page."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition("<!-- campaign -->\n")
    _, _, after = rest.partition("<!-- end -->")
    PAGE.write_text(f"{before}<!-- campaign -->\n{table()}\n<!-- end -->{after}", "utf-8")


def main() -> None:
    """Make what is missing, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="only write the documentation")
    parser.add_argument("--seeds", type=int, default=3, help="seeds per treebank (3)")
    options = parser.parse_args()
    if options.write:
        write()
        return
    root = Path(os.environ.get("TREEGAUGE_UD", "../shared/ud")) / "r2.9"
    done = set()
    if KEPT.exists():
        with KEPT.open(newline="", encoding="utf-8") as file:
            done = {(row["treebank"], int(row["seed"])) for row in csv.DictReader(file)}
    else:
        KEPT.write_text(",".join(COLUMNS) + "\n", "utf-8")
    for seed in range(options.seeds):
        for name in TREEBANKS:
            if (name, seed) not in done:
                rows = campaign(root / name, seed)
                with KEPT.open("a", newline="", encoding="utf-8") as file:
                    csv.writer(file, lineterminator="\n").writerows(rows)
    print(table())


if __name__ == "__main__":
    main()
