"""Precision of audits and parsers: real corrections among the words that they rank first.

``python -m studies candidates_corrections`` makes the table. Corrected are the words of UD 2.5
whose head or relation is another one in UD 2.9, in sentences that have the same words in both; the
table is about the training sets of all treebanks in both releases with at least 50 such words and
at most 40,000 words in all. Words are listed by variation nuclei (``audit --only consistency``), by
models that did not see their sentences (``map --candidates``: the parser, and with it the model of
the rest of the tree), and by the sum of both, which is how ``audit --only consistency --candidates``
joins them. Looked at are 1, 2 and 5 percent of the words; shorter lists continue at random.

A change is systematic if it reached most of the words with the same old annotation, as ``diff``
decides; *single* counts the other changes, in lists without the systematically changed words, and
*systematic* the systematic ones, in lists without the others. Nothing was chosen on this table:
scores were chosen on injected errors (see :mod:`studies.corrections.annotation_errors`).
"""

import numpy as np
import numpy.typing as npt
import polars as pl

from studies.corrections.annotation_errors import FOLDS, held_out, training_set
from studies.corrections.attachment_changes import attachment_changes
from studies.treebanks import release_folder, treebank_folders
from treegauge.auditing.changes.changed_words import pair_words
from treegauge.auditing.variation_nuclei import NucleusWords, variation
from treegauge.learning.dynamics.candidates import suspicion, tree_context
from treegauge.statistics.student_intervals import wilson
from treegauge.treebanks.data.columns import Treebank

LEAST, MOST = 50, 40_000
SHARES = (1, 2, 5)
SCORES = ("nuclei", "parser", "candidates", "joined")
ALL = "all treebanks"
Floats = npt.NDArray[np.float64]


def word_scores(treebank: Treebank) -> dict[str, Floats]:
    """Return what each list is ordered by."""
    found = variation(NucleusWords.of([treebank]))
    nuclei = np.zeros(treebank.n_words)
    nuclei[found.word] = found.score
    parser = held_out(treebank)
    context = tree_context(treebank, folds=FOLDS)
    candidates = suspicion(parser, treebank, context=context)[0]
    return {
        "nuclei": nuclei,
        "parser": suspicion(parser, treebank)[0],
        "candidates": candidates,
        "joined": candidates + nuclei,
    }


def _both(name: str) -> tuple[Treebank, Treebank] | None:
    folders = [release_folder(release) / f"UD_{name}" for release in ("r2.5", "r2.9")]
    if not all(any(folder.glob("*-train.conllu")) for folder in folders):
        return None
    return training_set(name, "r2.5"), training_set(name, "r2.9")


def corrections() -> pl.DataFrame:
    """Return one row per treebank, kind of change and share of words that is looked at."""
    rows: list[dict[str, object]] = []
    for folder in treebank_folders("r2.5"):
        name = folder.name.removeprefix("UD_")
        if (both := _both(name)) is None:
            continue
        old, new = both
        pairs = pair_words(old, new)
        among = pairs.same_words[old.sentence_of]
        changes = attachment_changes(old, new, pairs=pairs).filter(pl.col("same_words"))
        if len(changes) < LEAST or old.n_words > MOST:
            continue
        systematic = np.zeros((2, old.n_words), bool)
        for row in (0, 1):
            own = changes.filter(pl.col("systematic") == bool(row))
            systematic[row, own["old_word"].to_numpy()] = True
        kinds = {
            "all": (systematic.any(axis=0), among),
            "single": (systematic[0], among & ~systematic[1]),
            "systematic": (systematic[1], among & ~systematic[0]),
        }
        scores = word_scores(old)
        # Equal scores are in random order.
        luck = np.random.default_rng(0).permutation(old.n_words)
        for kind, (wrong, words) in kinds.items():
            for share in SHARES:
                count = round(share / 100 * int(words.sum()))
                facts: dict[str, object] = {"treebank": name, "changes": kind, "percent": share}
                facts |= {"words": int(words.sum()), "corrected": int(wrong.sum()), "K": count}
                for score in SCORES:
                    order = np.lexsort((luck, -scores[score]))
                    first = order[words[order]][:count]
                    facts[score] = int(wrong[first].sum())
                rows.append(facts)
        print(*rows[-9:], sep="\n", flush=True)
    return _shares(pl.DataFrame(rows))


def _shares(counts: pl.DataFrame) -> pl.DataFrame:
    """Turn counts into shares of K, with all treebanks together and intervals of the joined."""
    keys = ["changes", "percent"]
    numbers = ["words", "corrected", "K", *SCORES]
    together = counts.group_by(keys, maintain_order=True).agg(pl.col(numbers).sum())
    together = together.with_columns(treebank=pl.lit(ALL)).select(counts.columns)
    whole = pl.concat([counts, together])
    low, high = wilson(whole["joined"].to_numpy(), whole["K"].to_numpy())
    return whole.with_columns(
        *(pl.col(score) / pl.col("K") for score in SCORES),
        low=pl.Series(low), high=pl.Series(high), random=pl.col("corrected") / pl.col("words"),
    )  # fmt: skip


def by_treebank(table: pl.DataFrame) -> pl.DataFrame:
    """Return what the page shows: single corrections by treebank, and all treebanks together."""
    together = pl.col("treebank") == ALL
    return table.filter(together | (pl.col("changes") == "single"))
