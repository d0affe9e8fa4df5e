"""What stores of experiments hold for a page: scores to rank, words to draw curves of."""

import json
from collections.abc import Sequence
from pathlib import Path

from treegauge.curves.attachments import Attachments
from treegauge.curves.collecting import collect
from treegauge.experiments.inventory import inventory
from treegauge.experiments.store import Store
from treegauge.ranking.scores import Scores, read_scores
from treegauge.results.errors import TreegaugeError
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.conllu import read_conllu


def score_table(stores: Sequence[Path | str], metric: str) -> Scores | None:
    """Return the scores of parsers on treebanks that the task ``score`` of stores gave.

    None where there are fewer than two parsers or treebanks; several seeds are runs.
    """
    import polars as pl

    frames = []
    for path in stores:
        results = Store(path).results(task="score", provenance=False)
        column = next((name for name in results.columns if name.lower() == metric.lower()), None)
        if results.height and column is not None:
            system = pl.format("{} {}", "parser", "options").str.strip_chars()
            frames.append(
                results.select(
                    "treebank", system.alias("system"), "seed", pl.col(column).alias("score")
                )
            )
    if not frames:
        return None
    table = pl.concat(frames).with_columns(pl.lit(metric).alias("metric"))
    if table["treebank"].n_unique() < 2 or table["system"].n_unique() < 2:
        return None
    return read_scores(table, metric=metric, missing="drop-treebank")


def curve_counts(store: Path, folders: Sequence[Path]) -> Attachments | None:
    """Count right words of the task ``curve`` in a store; None if it has no such cells.

    Parameters
    ----------
    store
        The store.
    folders
        Where the treebanks are, that gold test parts are read from.
    """
    kept = Store(store)
    results = kept.results(task="curve")
    if not results.height:
        return None
    homes = {folder.resolve().name: folder for folder in folders}
    files = dict(results.select("treebank", "files").iter_rows())

    def gold(name: str) -> Treebank:
        if name not in homes:
            raise TreegaugeError(
                f"{store} has curves of {name}: give this treebank's folder, too, to know gold; "
                f"found {', '.join(homes) or 'none'}"
            )
        ran = json.loads(files[name])
        now = inventory(str(homes[name])).files
        if any(ran.get(file) != digest for file, digest in now.items()):
            raise TreegaugeError(f"{homes[name]} holds other files than those {store} was run on")
        return read_conllu(homes[name], split="test", name=name)

    return collect(results, kept.words, gold)
