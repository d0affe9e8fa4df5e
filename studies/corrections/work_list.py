"""Precision of the work list of ``review``, as it is ordered, on real corrections between releases.

``python -m studies.corrections.work_list`` prints it, by position in the list. Listed are the training sets of
UD 2.5 that are also in UD 2.9, have at most 25,000 words and at least 50 words whose head or relation is another one
in 2.9; the list has the kinds that need nobody else: inconsistent words, near-duplicates, validation, and as many
candidates of ``map`` as 2 % of the words. A word counts if its head or relation was changed (in the second table: and
the change was not systematic, as ``diff`` decides; lists and words are then without systematic changes). Chance is the
share of all words that count, in sentences with the same words in both releases. Nothing was chosen on these numbers:
ranks are fused as published (Cormack et al. 2009).
"""

import polars as pl

from studies.corrections.annotation_errors import FOLDS, held_out, training_set
from studies.corrections.attachment_changes import attachment_changes
from studies.treebanks import release_folder, treebank_folders
from treegauge.auditing.changes.changed_words import pair_words
from treegauge.auditing.review import review
from treegauge.learning.dynamics.candidates import error_candidates, tree_context
from treegauge.statistics.student_intervals import wilson

LEAST, MOST, SHARE = 50, 25_000, 0.02
PARTS = ((1, 25), (26, 50), (51, 100), (101, 200), (201, 400), (401, 800))


def listed(name: str) -> pl.DataFrame | None:
    """Return one row per listed word: its position, what found it, and whether it was corrected."""
    folders = [release_folder(release) / f"UD_{name}" for release in ("r2.5", "r2.9")]
    if not all(any(folder.glob("*-train.conllu")) for folder in folders):
        return None
    old, new = training_set(name, "r2.5"), training_set(name, "r2.9")
    if old.n_words > MOST:
        return None
    pairs = pair_words(old, new)
    changes = attachment_changes(old, new, pairs=pairs).filter(pl.col("same_words"))
    if len(changes) < LEAST:
        return None
    systematic = set(changes.filter("systematic")["old_word"].to_list())
    single = set(changes.filter(~pl.col("systematic"))["old_word"].to_list())
    among = pairs.same_words[old.sentence_of]
    judge, context = held_out(old), tree_context(old, folds=FOLDS)
    candidates = error_candidates(judge, old, count=max(int(SHARE * old.n_words), 1), context=context)
    (file,) = folders[0].glob("*-train.conllu")
    found = review(file, findings=[candidates], count=10**6)
    rows: list[tuple[int, str, bool, bool]] = []
    seen = set()
    for item in found.items:
        word = int(old.offsets[item.sentence - 1]) + item.word - 1
        if not item.word or word in seen or not among[word]:
            continue
        seen.add(word)
        rows.append((len(rows) + 1, item.kind, word in systematic, word in single))
    table = pl.DataFrame(rows, ["position", "kind", "systematic", "single"], orient="row")
    whole = int(among.sum())
    facts = {"treebank": name, "words": whole, "changed": len(systematic | single), "once": len(single)}
    return table.with_columns(*(pl.lit(value).alias(key) for key, value in facts.items()))


def precision(table: pl.DataFrame, only_single: bool) -> pl.DataFrame:
    """Return the share of corrected words by position in the list, with Wilson's interval, and chance there."""
    if only_single:
        table = table.filter(~pl.col("systematic"))
        rank = pl.col("position").rank("ordinal").over("treebank")
        chance = pl.col("once") / (pl.col("words") - pl.col("changed") + pl.col("once"))
        table = table.with_columns(position=rank, hit=pl.col("single"), chance=chance)
    else:
        hit = pl.col("single") | pl.col("systematic")
        table = table.with_columns(hit=hit, chance=pl.col("changed") / pl.col("words"))
    rows: list[tuple[object, ...]] = []
    groups = [(f"{low} to {high}", pl.col("position").is_between(low, high)) for low, high in PARTS]
    groups += [(f"{kind}, first 200", pl.col("kind").str.split("+").list.contains(kind) & (pl.col("position") <= 200))
               for kind in ("consistency", "duplicates", "candidates", "check")]  # fmt: skip
    groups.append(("found by several", pl.col("kind").str.contains("+", literal=True)))
    for label, where in groups:
        own = table.filter(where)
        hits, size = int(own["hit"].sum()), len(own)
        low, high = wilson([hits], [size]) if size else ([None], [None])
        rows.append((label, size, hits, hits / size if size else None, low[0], high[0], own["chance"].mean()))
    names = ["positions", "words", "corrected", "precision", "low", "high", "chance"]
    return pl.DataFrame(rows, names, orient="row", infer_schema_length=None)


def main() -> None:
    """Print both tables for all treebanks together, after each treebank."""
    tables = []
    for folder in treebank_folders("r2.5"):
        table = listed(folder.name.removeprefix("UD_"))
        if table is None:
            continue
        tables.append(table)
        together = pl.concat(tables)
        with pl.Config(tbl_rows=20, float_precision=3):
            print(f"after {folder.name}, {len(tables)} treebanks", flush=True)
            print(
                "all changes", precision(together, False), "single corrections", precision(together, True), flush=True
            )


if __name__ == "__main__":
    main()
