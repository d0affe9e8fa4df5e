"""LAS with gold, predicted and no tags, beside the published UDPipe 1.2 models, on UD 2.5.

    python -m replications.predicted_tags udpipe|beam|mst [TREEBANK...]
    python -m replications.predicted_tags encode ARRAYS
    PYTHONPATH=src python -m replications.predicted_tags_gpu ARRAYS OUT
    python -m replications.predicted_tags biaffine OUT

The first step adds one row per treebank and condition to
``replications/results/predicted_tags.csv`` and skips the rows that are there. The second encodes
the treebanks with their gold and predicted tags; the third trains the biaffine parser in lockstep
and needs numpy and torch only; the fourth scores its trees.

The ten treebanks are the smallest ones of UD 2.5 with a dev set and published figures. Tokens and
sentences are gold. Predicted tags of the training set are jackknifed over ten folds; the dev and
test sets are tagged by a tagger trained on the whole training set. UDPipe predicts its own tags,
features and lemmas, as its published models do, and reads none of them under "none".
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from replications.parts import RESULTS, as_csv, release_folder
from treegauge.core.files import atomic
from treegauge.parsing.registry import make_parser
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.settings import Resampling
from treegauge.treebanks.columns import Treebank
from treegauge.treebanks.conllu import read_splits

TREEBANKS = (
    "Marathi-UFAL", "Lithuanian-HSE", "Telugu-MTG", "Tamil-TTB", "Belarusian-HSE",
    "Coptic-Scriptorium", "Uyghur-UDT", "Hungarian-Szeged", "Vietnamese-VTB", "Irish-IDT",
)  # fmt: skip
CONDITIONS = ("gold", "predicted", "none")
COLUMNS = ("upos", "xpos", "feats", "lemma")
UDPIPE = {"preset": "fast", "tagger_iterations": 5}
SEEDS = {"beam": 3, "mst": 3, "udpipe": 1}
TABLE = RESULTS / "predicted_tags.csv"
SCHEMA = {
    "treebank": pl.String, "parser": pl.String, "tags": pl.String, "seeds": pl.Int64,
    "uas": pl.Float64, "las": pl.Float64, "las_sd": pl.Float64, "upos": pl.Float64,
    "seconds": pl.Float64,
}  # fmt: skip


def sets(name: str) -> dict[str, Treebank]:
    """Read the training, dev and test set of a treebank."""
    return read_splits(release_folder("r2.5") / f"UD_{name}")


def blank(treebank: Treebank) -> Treebank:
    """Return the treebank without tags, features and lemmas."""
    return treebank.with_columns({column: ["_"] * treebank.n_words for column in COLUMNS})


def scores(gold: Treebank, parsed: Treebank) -> tuple[float, float, float]:
    """Return UAS, LAS and UPOS in percent, by the official convention."""
    (system,) = evaluate(gold, parsed, resampling=Resampling(0)).systems
    return system["UAS"].f1, system["LAS"].f1, system["UPOS"].f1


def rows_so_far() -> pl.DataFrame:
    """Return the rows that are kept."""
    if not TABLE.exists():
        return pl.DataFrame(schema=SCHEMA)
    return pl.read_csv(TABLE, schema=SCHEMA)


def keep(*rows: dict[str, Any]) -> None:
    """Add rows to the table; a row of the same treebank, parser and condition is replaced."""
    keys = ["treebank", "parser", "tags"]
    added = pl.DataFrame(rows, schema=SCHEMA)
    both = pl.concat([rows_so_far().join(added, on=keys, how="anti"), added])
    places = {name: place for place, name in enumerate(TREEBANKS)}
    order = pl.col("treebank").replace_strict(places, return_dtype=pl.Int64)
    both = both.sort(order, "parser", pl.col("tags").cast(pl.Enum(CONDITIONS)))
    with atomic(TABLE) as file:
        file.write(as_csv(both).encode())


def run(parser: str, name: str, tags: str) -> dict[str, Any]:
    """Train and score one parser under one condition."""
    data = sets(name)
    train, dev, test = (data[split] for split in ("train", "dev", "test"))
    options: dict[str, Any] = {"tags": tags}
    if parser == "udpipe":
        options = {**UDPIPE, "tags": "predicted" if tags == "predicted" else "gold"}
        if tags == "none":
            train, dev, test = map(blank, (train, dev, test))
    start = time.process_time()
    made = []
    for seed in range(SEEDS[parser]):
        model = make_parser(parser, **options).fit(train, dev, seed=seed)
        made.append(scores(data["test"], model.parse(test)))
    uas, las, upos = (pl.Series(column) for column in zip(*made, strict=True))
    return {
        "treebank": name, "parser": parser, "tags": tags, "seeds": len(made), "uas": uas.mean(),
        "las": las.mean(), "las_sd": las.std() if len(made) > 1 else None,
        "upos": upos.mean() if tags == "predicted" else None,
        "seconds": (time.process_time() - start) / len(made),
    }  # fmt: skip


def run_all(parser: str, *names: str) -> None:
    """Fill in what the table lacks of a parser, printing each row."""
    for name in names or TREEBANKS:
        for tags in CONDITIONS:
            if not rows_so_far().filter(treebank=name, parser=parser, tags=tags).is_empty():
                continue
            row = run(parser, name, tags)
            keep(row)
            print(row, flush=True)


def encode(out: str) -> None:
    """Write the arrays of each treebank, with gold and predicted tags, for the biaffine parser."""
    from replications.paradigms import ENCODING, save
    from treegauge.parsing.perceptron_tagger import jackknifed_upos, train_perceptron_tagger
    from treegauge.parsing.tagger import tag_folds

    Path(out).mkdir(parents=True, exist_ok=True)
    for name in TREEBANKS:
        data = sets(name)
        train, dev, test = (data[split] for split in ("train", "dev", "test"))
        tagger = train_perceptron_tagger(train)
        tagged = jackknifed_upos(train, tag_folds(train, 10, seed=0))
        both = [tagged, tagger.tag(dev), tagger.tag(test)]
        save(Path(out) / f"{name}.npz", (train, dev, test), ENCODING, both)
        right = [
            100 * float((predicted["upos"] == gold["upos"]).mean())  # type: ignore[arg-type]
            for predicted, gold in zip(both, (train, dev, test), strict=True)
        ]
        print(name, "UPOS of train, dev, test:", *(f"{share:.2f}" for share in right), flush=True)


VERBS: dict[str, Callable[..., None]] = {"encode": encode}

if __name__ == "__main__":
    verb, *words = sys.argv[1:]
    if verb in SEEDS:
        run_all(verb, *words)
    else:
        VERBS[verb](*words)
