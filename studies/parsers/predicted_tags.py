"""LAS with gold, predicted and no tags, compared with published UDPipe 1.2 models, on UD 2.5.

    python -m studies.parsers.predicted_tags udpipe|beam|mst [TREEBANK...]
    python -m studies.parsers.predicted_tags encode ARRAYS
    PYTHONPATH=src python -m studies.parsers.predicted_tags_gpu ARRAYS OUT
    python -m studies.parsers.predicted_tags biaffine OUT

The first step adds one row per treebank and condition to
``studies/results/predicted_tags.csv`` and skips the rows that are there. The second encodes
the treebanks with their gold and predicted tags; the third trains the biaffine parser in lockstep
and needs numpy and torch only; the fourth scores its trees.

The ten treebanks are the smallest ones of UD 2.5 with a dev set and published figures. Tokens and
sentences are gold, and UPOS is the only column that parsers read with the form. Predicted tags of
the training set are jackknifed over ten folds; the dev and test sets are tagged by a tagger trained
on the whole training set. The published UDPipe models read features as well, predicted by their own
tagger. UDPipe's preset is "fast" here, without a dev set.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from studies.parts import RESULTS, as_csv, kept
from studies.treebanks import release_folder
from treegauge.core.files import atomic
from treegauge.data import ud25
from treegauge.parsing.registry import make_parser
from treegauge.parsing.tag_sources import learn_tags, with_read_tags
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.settings import ScoreOptions
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits

TREEBANKS = (
    "Marathi-UFAL", "Lithuanian-HSE", "Telugu-MTG", "Tamil-TTB", "Belarusian-HSE",
    "Coptic-Scriptorium", "Uyghur-UDT", "Hungarian-Szeged", "Vietnamese-VTB", "Irish-IDT",
)  # fmt: skip
CONDITIONS = ("gold", "predicted", "none")
UNREAD = ("xpos", "feats", "lemma")
SEEDS = {"beam": 3, "mst": 3, "udpipe": 1}
GPU_SEEDS = {"gold": 5, "predicted": 3, "none": 3}
TABLE = RESULTS / "predicted_tags.csv"
SCHEMA = {
    "treebank": pl.String, "parser": pl.String, "tags": pl.String, "seeds": pl.Int64,
    "uas": pl.Float64, "las": pl.Float64, "las_sd": pl.Float64, "upos": pl.Float64,
    "seconds": pl.Float64,
}  # fmt: skip


def sets(name: str) -> dict[str, Treebank]:
    """Read the training, dev and test set of a treebank."""
    return read_splits(release_folder("r2.5") / f"UD_{name}")


def only_upos(treebank: Treebank) -> Treebank:
    """Return the treebank without XPOS, features and lemmas, which UDPipe would read."""
    return treebank.with_columns({column: ["_"] * treebank.n_words for column in UNREAD})


def scores(gold: Treebank, parsed: Treebank) -> tuple[float, float, float]:
    """Return UAS, LAS and UPOS in percent, by the official convention."""
    (system,) = evaluate(gold, parsed, options=ScoreOptions(resamples=0)).systems
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
    train, test = data["train"], data["test"]
    start = time.process_time()
    made = []
    for seed in range(SEEDS[parser]):
        if parser == "udpipe":
            source, read, _ = learn_tags(tags, only_upos(train), None, seed=seed)
            model = make_parser("udpipe", preset="fast").fit(read, seed=seed)
            parsed = model.parse(source.read(only_upos(test)))
        else:
            model = make_parser(parser, tags=tags).fit(train, seed=seed)
            parsed = model.parse(test)
            if tags == "predicted":
                parsed = with_read_tags(model, parsed)
        made.append(scores(data["test"], parsed))
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
    from studies.parsers.paradigms import ENCODING, save
    from treegauge.parsing.tagger import jackknifed_upos, tag_folds, train_perceptron_tagger

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


def biaffine(out: str) -> None:
    """Score the trees of the biaffine parser."""
    import numpy as np

    with np.load(Path(out) / "predicted_tags.npz", allow_pickle=False) as archive:
        found = {name: archive[name] for name in archive.files}
    for name in TREEBANKS:
        test, names = sets(name)["test"], found[f"{name}/relation_names"].tolist()
        seconds = float(found[f"{name}/seconds"]) / sum(GPU_SEEDS.values())

        def scored(key: str, test: Treebank = test, names: list[str] = names) -> tuple[float, ...]:
            heads, numbers = found[f"{test.name.split('/')[0].removeprefix('UD_')}/{key}"]
            relations = [names[number - 1] for number in numbers.tolist()]
            parsed = test.with_columns({"head": heads.astype(np.int32), "deprel": relations})
            return scores(test, parsed)

        for tags, seeds in GPU_SEEDS.items():
            uas, las, _ = zip(*(scored(f"{tags}{seed}") for seed in range(seeds)), strict=True)
            keep({
                "treebank": name, "parser": "biaffine", "tags": tags, "seeds": seeds,
                "uas": float(np.mean(uas)), "las": float(np.mean(las)),
                "las_sd": float(np.std(las, ddof=1)), "upos": None, "seconds": seconds,
            })  # fmt: skip


def add(path: str) -> None:
    """Add rows that :func:`run` made elsewhere, a CSV file with the same columns."""
    keep(*pl.read_csv(path, schema_overrides=SCHEMA).iter_rows(named=True))


def with_published(frame: pl.DataFrame) -> pl.DataFrame:
    """Return LAS by treebank, parser and tags, next to the published UDPipe 1.2 models'."""
    published = ud25().select(
        "treebank", pl.lit("UDPipe 1.2, published").alias("parser"),
        pl.col("las_gold_tags").alias("gold"), pl.col("las").alias("predicted"),
    )  # fmt: skip
    ours = frame.pivot("tags", index=["treebank", "parser"], values="las")
    upos = frame.filter(parser="mst", tags="predicted").select("treebank", "upos")
    both = pl.concat([ours, published.filter(pl.col("treebank").is_in(list(TREEBANKS)))], how="diagonal_relaxed")
    order = {name: place for place, name in enumerate(TREEBANKS)}
    means = both.group_by("parser", maintain_order=True).agg(
        pl.lit("mean of ten").alias("treebank"), *(pl.col(tags).mean() for tags in CONDITIONS)
    )
    whole = pl.concat([both.join(upos, on="treebank", how="left"), means], how="diagonal_relaxed")
    places = pl.col("treebank").replace_strict(order, default=len(order), return_dtype=pl.Int64)
    return whole.sort(places, pl.col("parser").str.contains("published"), maintain_order=True)


VERBS: dict[str, Callable[..., None]] = {"encode": encode, "biaffine": biaffine, "add": add}
PARTS = (
    kept(
        "predicted_tags",
        "LAS with gold, predicted and no tags, on ten treebanks of UD 2.5",
        "long: python -m studies.parsers.predicted_tags beam, mst and udpipe, 90 min of one core; "
        "GPU: python -m studies.parsers.predicted_tags_gpu, 5 min on one H200",
        shown=with_published,
    ),
)

if __name__ == "__main__":
    verb, *words = sys.argv[1:]
    if verb in SEEDS:
        run_all(verb, *words)
    else:
        VERBS[verb](*words)
