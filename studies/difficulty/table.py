"""Store the parsers' results for the Difficulty paper's Table 1.

    python -m studies.difficulty.table [RUN] [--one-seed RUN] [--second RUN]
        [--cpu CPU.csv] [--cpu-words CPU.csv]

RUN is a folder that ``studies.difficulty.gpu`` wrote. Of the first, tables are kept that show
how values depend on the seed, the epoch and the training (``difficulty_seeds``, ``_epochs``,
``_codes``, ``_blocks``, ``_pvi``, ``_maps``, ``_relations``). Of the others, one row per treebank
and measure is kept with the paper's value and the difference: of one seed (``difficulty_gpu``), of
another parser (``difficulty_gpu_second``), and of the log-linear parser, from what
``studies.difficulty.cpu --out CPU.csv`` wrote (``difficulty_cpu``, ``difficulty_cpu_words``).
How well all these agree is computed in ``studies.difficulty.study``.

UAS and LAS count all words, punctuation too, each word with its best head; ``uas_words`` and
``las_words`` leave out words with UPOS PUNCT and are compared with the same published columns.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from studies.difficulty.gpu import MAP_EDGES, PVI_EDGES
from studies.parts import RESULTS, as_csv
from treegauge import data
from treegauge.core.files import atomic
from treegauge.learning.difficulty import LARGER_IS_EASIER

MEASURES = {name: name for name in LARGER_IS_EASIER} | {"uas_words": "uas", "las_words": "las"}
"""Our columns, and the published ones that they are compared with."""
SCORES = ("uas", "las", "uas_words", "las_words")
EVERY = 5
"""Epochs between those that are kept."""
LAYERS = ("arc", "rel")
MAPPED = ("UD_English-Atis", "UD_Turkish-IMST", "UD_Uyghur-UDT", "UD_Vietnamese-VTB")
"""Treebanks of Fig. 2 (right) that are at hand."""

Rows = list[dict[str, Any]]


def read_run(folder: Path, name: str) -> Rows:
    """Return rows of a run, sorted by treebank and by what follows it in each row."""
    path = folder / f"{name}.json"
    keys = ("treebank", "training", "shuffle", "before", "seed")
    rows: Rows = json.loads(path.read_text()) if path.exists() else []
    return sorted(rows, key=lambda row: tuple(row.get(key, 0) for key in keys))


def by_seed(rows: Rows) -> pl.DataFrame:
    """Return one row per treebank and seed: its values after the last epoch.

    ``_best`` are scores after the epoch with the best LAS on dev, ``_least_`` entropies after the
    epoch where they are smallest; ``_during`` are probabilities recorded as the parser learned from
    the words, with dropout.
    """
    made = []
    for row in rows:
        best = int(np.argmax(row["las"]))
        own = {"treebank": row["treebank"], "seed": row["seed"], "best_epoch": best + 1}
        own |= {name: row[name][-1] for name in SCORES}
        own |= {f"{name}_best": row[name][best] for name in SCORES}
        for layer in LAYERS:
            own |= {key: value for key, value in row.items() if key.startswith(layer) and isinstance(value, float)}
            known, null = (row[f"{layer}_{name}"][-1] for name in ("entropy", "null_entropy"))
            own |= {f"{layer}_entropy": known, f"{layer}_null_entropy": null, f"{layer}_vinfo": null - known}
            known, null = (min(row[f"{layer}_{name}"]) for name in ("entropy", "null_entropy"))
            own |= {f"{layer}_least_entropy": known, f"{layer}_least_null_entropy": null}
        made.append(own)
    return pl.DataFrame(made, infer_schema_length=None)


def by_epoch(rows: Rows) -> pl.DataFrame:
    """Return means and standard deviations over seeds, one row per treebank and epoch."""
    made = []
    epochs = len(rows[0]["las"])
    for row in rows:
        for epoch in range(EVERY, epochs + 1, EVERY):
            own = {"treebank": row["treebank"], "epoch": epoch}
            own |= {name: row[name][epoch - 1] for name in SCORES}
            for layer in LAYERS:
                known, null = (row[f"{layer}_{name}"][epoch - 1] for name in ("entropy", "null_entropy"))
                own |= {f"{layer}_entropy": known, f"{layer}_null_entropy": null, f"{layer}_vinfo": null - known}
            made.append(own)
    frame = pl.DataFrame(made)
    values = frame.columns[2:]
    return frame.group_by("treebank", "epoch", maintain_order=True).agg(
        pl.len().alias("seeds"), pl.col(values).mean(), pl.col(values).std().name.suffix("_sd")
    ).sort("treebank", "epoch")  # fmt: skip


def codes(rows: Rows) -> pl.DataFrame:
    """Return bits per word, one row per treebank, training, shuffle and epoch.

    The first block is coded uniformly, once per word; ``first_per_sentence`` is what bits per word
    would lose if its heads cost log2 n bits once per sentence, as the paper's formula has it.
    """
    totals: dict[tuple[Any, ...], dict[str, float]] = {}
    first: dict[tuple[Any, ...], dict[str, Any]] = {}
    epochs = max(len(row.get("arc", ())) for row in rows)
    for row in rows:
        key = (row["treebank"], row["training"], row["shuffle"])
        if row["before"] == 0:
            first[key] = row
        for epoch in range(EVERY, epochs + 1, EVERY):
            own = totals.setdefault((*key, epoch), dict.fromkeys(("arc", "rel", "words"), 0.0))
            own["words"] += row["words"]
            for layer in LAYERS:
                own[layer] += row[f"{layer}_uniform"] if row["before"] == 0 else row[layer][epoch - 1]
    made = []
    for (treebank, training, shuffle, epoch), own in totals.items():
        start = first[treebank, training, shuffle]
        arc, rel = (own[layer] / own["words"] for layer in LAYERS)
        saved = (start["arc_uniform"] - start["per_sentence"]) / own["words"]
        made.append((treebank, training, shuffle, epoch, arc, rel, arc + rel, saved))
    names = ["treebank", "training", "shuffle", "epoch", "arc", "rel", "joint"]
    return pl.DataFrame(made, schema=[*names, "first_per_sentence"], orient="row")


def blocks(rows: Rows) -> pl.DataFrame:
    """Return bits per word of each block after the last epoch, means over shuffles."""
    made = [
        (row["treebank"], row["training"], row["before"], row["sentences"],
         *(row[layer][-1] / row["words"] if layer in row else row[f"{layer}_uniform"] / row["words"]
           for layer in LAYERS))
        for row in rows
    ]  # fmt: skip
    keys = ["treebank", "training", "before", "sentences"]
    frame = pl.DataFrame(made, schema=[*keys, *LAYERS], orient="row")
    return frame.group_by(keys).agg(pl.col(LAYERS).mean()).sort(keys)


def pvi(rows: Rows) -> pl.DataFrame:
    """Return the share of dev words by PVI of heads, one column per treebank (Fig. 3 left)."""
    columns: dict[str, Any] = {"bits": (PVI_EDGES[:-1] + PVI_EDGES[1:]) / 2}
    for name in dict.fromkeys(row["treebank"] for row in rows):
        counts = np.sum([row["arc_pvi"] for row in rows if row["treebank"] == name], axis=0)
        columns[name] = counts / counts.sum()
    return pl.DataFrame(columns)


def maps(rows: Rows) -> pl.DataFrame:
    """Return the share of training words by confidence and variability of heads (Fig. 2 right)."""
    made = []
    for name in MAPPED:
        counts = np.sum([row["arc_map"] for row in rows if row["treebank"] == name], axis=0)
        for up, across in np.argwhere(counts).tolist():
            share = float(counts[up, across] / counts.sum())
            place = float(MAP_EDGES[0][up]), float(MAP_EDGES[1][across])
            made.append((name, *place, share))
    return pl.DataFrame(made, schema=["treebank", "conf", "var", "share"], orient="row")


def relations(rows: Rows) -> pl.DataFrame:
    """Return words and mean PVI of heads and relations, by treebank and relation, over seeds."""
    made = [(row["treebank"], name, *values) for row in rows for name, values in row["by_relation"].items()]
    keys, sums = ["treebank", "relation"], ["words", "arc", "rel", "arc_squares", "rel_squares"]
    frame = pl.DataFrame(made, schema=[*keys, *sums], orient="row")
    summed = frame.group_by(keys).agg(pl.len().alias("seeds"), pl.col(sums).sum()).sort(keys)
    words = pl.col("words")
    return summed.select(
        *keys, (words / pl.col("seeds")).cast(pl.Int64).alias("words"),
        (pl.col("arc") / words).alias("arc_pvi"), (pl.col("rel") / words).alias("rel_pvi"),
        (pl.col("arc_squares") / words).alias("arc_square"),
        (pl.col("rel_squares") / words).alias("rel_square"),
    )  # fmt: skip


def overall(folder: Path) -> pl.DataFrame:
    """Return one row per treebank: means over seeds; description length trained on all before."""
    seeds = by_seed(read_run(folder, "measures"))
    means = seeds.group_by("treebank").agg(pl.exclude("treebank", "seed").mean()).sort("treebank")
    if rows := read_run(folder, "codes"):
        coded = codes(rows)
        coded = coded.filter(training="prefix" if "prefix" in coded["training"] else "block")
        last = coded.filter(pl.col("epoch") == pl.col("epoch").max())
        lengths = last.group_by("treebank").agg(
            pl.col("arc").mean().alias("arc_mdl"), pl.col("rel").mean().alias("rel_mdl")
        )
        means = means.join(lengths, on="treebank", how="left", maintain_order="left")
    return means


def beside(ours: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Return one row per treebank and measure: both values and their difference."""
    rows = []
    theirs = {row["treebank"]: row for row in published.iter_rows(named=True)}
    for row in ours.iter_rows(named=True):
        for name, other in MEASURES.items():
            if row.get(name) is None:
                continue
            paper = theirs[row["treebank"]][other]
            gap = None if paper is None else round(row[name] - paper, 4)
            value = round(row[name], 4)
            rows.append((row["treebank"], name, value, paper, gap))
    return pl.DataFrame(rows, schema=["treebank", "measure", "ours", "paper", "difference"], orient="row")


def write(name: str, frame: pl.DataFrame) -> None:
    """Keep a table."""
    with atomic(RESULTS / f"{name}.csv") as file:
        file.write(as_csv(frame).encode())


def keep_run(folder: Path) -> None:
    """Keep the tables of a run."""
    made = {"seeds": by_seed, "epochs": by_epoch, "pvi": pvi, "maps": maps, "relations": relations}
    for name, make in made.items():
        write(f"difficulty_{name}", make(read_run(folder, "measures")))
    if coded := read_run(folder, "codes"):
        write("difficulty_codes", codes(coded))
        write("difficulty_blocks", blocks(coded))


def main() -> None:
    """Write the tables."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("run", type=Path, nargs="?", help="folder of a run with several seeds")
    reader.add_argument("--one-seed", type=Path, help="folder of a run with one seed")
    reader.add_argument("--second", type=Path, help="folder of a run of another parser")
    reader.add_argument("--cpu", type=Path, help="table of the log-linear parser")
    reader.add_argument("--cpu-words", type=Path, help="the same, word by word")
    given = reader.parse_args()
    if given.run:
        keep_run(given.run)
    published = data.difficulty_table1()
    for name, kind in (("one_seed", "gpu"), ("second", "gpu_second")):
        if folder := getattr(given, name):
            write(f"difficulty_{kind}", beside(overall(folder), published))
    for name in ("cpu", "cpu_words"):
        if path := getattr(given, name):
            linear = pl.read_csv(path)
            write(f"difficulty_{name}", beside(linear, published))
            print(f"{name}: log-linear parser, {linear['seconds'].sum():.0f} s of one CPU core")
    print("now: python -m studies")


if __name__ == "__main__":
    main()
