"""Experiment 1 of the Fragility paper replicated: three parsers, gold and predicted tags.

    python -m studies.fragility.experiment1 tag FOLDER_OF_TREEBANKS TAGGED [NAME...]
    python -m studies.fragility.experiment1 encode FOLDER_OF_TREEBANKS TAGGED ARRAYS [NAME...]
    PYTHONPATH=src python -m studies.fragility.experiment1 train ARRAYS OUT [NAME...]
        [--parsers=biaffine,pointer,labelling] [--seeds=3] [--OPTION=VALUE...]
    python -m studies.fragility.experiment1 table OUT/experiment1.json...

Tags are those of UDPipe's tagger: of dev and test by a tagger trained on the training set, of the
training set itself by five folds. The third step needs numpy and torch only; all seeds of a parser,
with gold and with predicted tags, learn in lockstep, and of each the epoch with the best LAS on dev
is kept, or the last one where there is no dev set. The last step writes LAS and UAS on the test
sets (all words, whole relations, means over seeds) to ``studies/results/experiment1.csv``,
and what follows for the subsets to ``studies/results/experiment1_subsets.csv``: macro
averages and means of treebanks' error reductions, next to the published ones.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from studies.parsers import paradigms
from studies.printed import fragility_table1

CODES = {
    "UD_Coptic-Scriptorium": "cop_scriptorium", "UD_Galician-TreeGal": "gl_treegal",
    "UD_Latin-Perseus": "la_perseus", "UD_Lithuanian-HSE": "lt_hse", "UD_Marathi-UFAL": "mr_ufal",
    "UD_North_Sami-Giella": "sme_giella", "UD_Norwegian-NynorskLIA": "no_nynorsklia",
    "UD_Old_Church_Slavonic-PROIEL": "cu_proiel", "UD_Old_East_Slavic-RNC": "orv_rnc",
    "UD_Sanskrit-Vedic": "sa_vedic", "UD_Slovenian-SST": "sl_sst", "UD_Tamil-TTB": "ta_ttb",
    "UD_Welsh-CCG": "cy_ccg",
}  # fmt: skip
SUBSETS = {
    "D21": ("gl_treegal", "lt_hse", "mr_ufal", "orv_rnc", "ta_ttb", "cy_ccg"),
    "SA17": ("cop_scriptorium", "cu_proiel", "sa_vedic"),
    "small": ("gl_treegal", "la_perseus", "sme_giella", "no_nynorsklia", "sl_sst"),
}
"""What is at hand of two published subsets, and of the small treebanks of CoNLL 2018."""
FOLDS, ITERATIONS = 5, 10
UPDATES, FEWEST, MOST = 1500, 20, 100
SYSTEMS = {
    "gb": ("biaffine", "", "gb-DM17"),
    "tb": ("pointer", "", "tb-FG19"),
    "sl": ("labelling", "", "sl-S+19"),
    "sl_plain": ("labelling arc_weight=0", "_best_labels", "sl-S+19"),
}
"""Paradigms: the parser, how its trees are found, and the paper's one. A labelling parser finds the
tree of the likeliest heads and has learned arcs as a second task; the plain one is as published:
it has learned labels alone, and the best labels are read as a tree.
"""
RESULTS = Path(__file__).parents[1] / "results"


def tag(root: str, out: str, *names: str) -> None:
    """Write copies of treebanks with predicted UPOS; existing copies are kept."""
    from treegauge.parsing.tag import tag as tag_files

    for name in names or CODES:
        target = Path(out) / name
        if target.exists():
            continue
        begun = time.process_time()
        made = tag_files(Path(root) / name, out=Path(out) / f"{name}.part", folds=FOLDS, iterations=ITERATIONS)
        (Path(out) / f"{name}.part").rename(target)
        print(made.table, f"{time.process_time() - begun:.0f} s", flush=True)


def encode(root: str, tagged: str, out: str, *names: str) -> None:
    """Write one ``.npz`` a treebank, with gold and with predicted tags."""
    from treegauge.treebanks.data.conllu import TOLERABLE, read_conllu, read_splits

    Path(out).mkdir(parents=True, exist_ok=True)
    for name in names or CODES:
        gold = read_splits(Path(root) / name)
        copies = {
            path.stem.rpartition("-")[2]: read_conllu(path, allow=TOLERABLE)
            for path in (Path(tagged) / name).glob("*.conllu")
        }
        order = [part for part in ("train", "dev", "test") if part in gold]
        target = Path(out) / f"{name}.npz"
        paradigms.save(target, [gold[part] for part in order], paradigms.ENCODING, [copies[part] for part in order])
        print(name, {part: len(gold[part]) for part in order}, target.stat().st_size, flush=True)


def epochs_for(sentences: int, batch: int) -> int:
    """Return how many epochs make about as many updates for every treebank."""
    each = -(-sentences // batch)
    return int(np.clip(-(-UPDATES // each), FEWEST, MOST))


def train(folder: str, out: str, *words: str) -> None:
    """Train everything that ``OUT/experiment1.json`` does not hold."""
    pool = paradigms.workers()
    from treegauge.parsing.neural.data import Encoded
    from treegauge.parsing.neural.options import BiaffineOptions, LabellingOptions, PointerOptions
    from treegauge.parsing.neural.training import Learner
    from treegauge.parsing.options import read_options

    kinds = {"biaffine": BiaffineOptions, "pointer": PointerOptions, "labelling": LabellingOptions}
    only, given = paradigms.given_options(words)
    seeds, parsers = int(given.pop("seeds", 3)), given.pop("parsers", ",".join(kinds))
    settings = [f"{key}={value}" for key, value in given.items()]
    target = Path(out) / "experiment1.json"
    rows = json.loads(target.read_text()) if target.exists() else []
    done = {(row["treebank"], row["parser"]) for row in rows}
    for path in sorted(Path(folder).glob("*.npz")):
        if only and path.stem not in only:
            continue
        data, more = Encoded.load(path)
        read = {"gold": data, "predicted": replace(data, tags=more.pop("predicted"))}
        ends = np.cumsum([0, *more["parts"]])
        learned, test = np.arange(ends[1]), np.arange(ends[-2], ends[-1])
        dev = np.arange(ends[1], ends[-2])
        for parser in parsers.split(","):
            if (path.stem, " ".join([parser, *settings])) in done:
                continue
            begun = time.perf_counter()
            # Relations as labels, as the labelling parser had them in these runs.
            own = ["relations=label"] if parser == "labelling" else []
            options: Any = read_options(kinds[parser], [*settings, *own])
            options = replace(options, epochs=epochs_for(len(learned), options.batch))
            each = [(tags, seed) for tags in read for seed in range(seeds)]
            kept = paradigms.best_models([Learner(read[tags], learned, seed) for tags, seed in each], dev, options)
            scorers = [
                paradigms.scores(arrays, paradigms.part_of(read[tags], test), options, more, pool)
                for (tags, _), (_, arrays) in zip(each, kept, strict=True)
            ]
            scores = [scorer() for scorer in scorers]
            took = time.perf_counter() - begun
            for (tags, seed), (epoch, _), row in zip(each, kept, scores, strict=True):
                who = {"treebank": path.stem, "parser": " ".join([parser, *settings]), "tags": tags, "seed": seed}
                rows.append({**who, "epochs": options.epochs, "epoch": epoch, **row, "seconds": took / len(each)})
            means = [round(float(np.mean([row["las"] for row in scores[at : at + seeds]])), 2) for at in (0, seeds)]
            print(path.stem, parser, options.epochs, "epochs", *means, f"{took:.1f} s", flush=True)
            target.write_text(json.dumps(rows, indent=1))
    pool.shutdown()


def error_reduction(worse: Iterable[float], better: Iterable[float]) -> float:
    """Return the mean over treebanks of the share of errors that the better parser removes."""
    pairs = zip(worse, better, strict=True)
    return float(np.mean([100 * (b - a) / (100 - a) for a, b in pairs]))


def summary(scores: dict[str, list[float]], metric: str) -> dict[str, float]:
    """Return macro averages and mean error reductions of paradigms, named as in the paper."""
    found = {f"{metric}_{system}": float(np.mean(own)) for system, own in scores.items()}
    sign = {"las": "er", "uas": "uer"}[metric]
    for better, worse in combinations(scores, 2):
        found[f"{sign}_{worse}_{better}"] = error_reduction(scores[worse], scores[better])
    return found


Values = dict[tuple[str, str, str, str], float]
"""Scores by treebank, tags, system and metric."""


def of_subsets(ours: Values, theirs: Values) -> Iterator[tuple[Any, ...]]:
    """Yield for each subset, tags and measure: ours, the printed one, and both where both are."""
    printed = {row["subset"]: row for row in fragility_table1().to_dicts()}

    def summaries(values: Values, names: Sequence[str], tags: str, metric: str) -> dict[str, float]:
        by = {one: [values[name, tags, one, metric] for name in names] for one in SYSTEMS}
        return summary(by, metric) if names else {}

    for subset, names in SUBSETS.items():
        for tags in ("gold", "predicted"):
            for metric in ("las", "uas"):
                both = [name for name in names if (name, tags, "gb", metric) in theirs]
                own = summaries(ours, both, tags, metric)
                other = summaries(theirs, both, tags, metric)
                paper = printed.get(subset, {}) if tags == "predicted" else {}
                for key, value in summaries(ours, names, tags, metric).items():
                    if key.endswith("_sl_plain_sl"):  # the paper has one labelling parser only
                        other.pop(key, None)
                    there = paper.get(key.replace("_plain", ""))
                    yield (subset, tags, key, len(names), value, there, len(both) or None, own.get(key), other.get(key))


def table(*found: str) -> None:
    """Write the scores of treebanks and what follows for subsets, and print both."""
    import polars as pl

    from treegauge import data
    from treegauge.core.files import atomic
    from treegauge.core.tables import to_text

    rows = [row for path in found for row in json.loads(Path(path).read_text())]
    keys = ["treebank", "tags", "parser"]
    scores = ("las", "uas", "las_best_labels", "uas_best_labels")
    means = (
        pl.DataFrame(rows, infer_schema_length=None)
        .group_by(keys)
        .agg(
            pl.len().alias("seeds"),
            pl.col("epochs").first(),
            *(pl.col(key).mean().round(2) for key in scores),
            pl.col("las").std().round(2).alias("las_sd"),
        )
        .sort(keys)
    )
    lines = {(CODES[row["treebank"]], row["tags"], row["parser"]): row for row in means.to_dicts()}
    ours = {
        (code, tags, system, metric): lines[code, tags, parser][metric + way]
        for code in CODES.values()
        for tags in ("gold", "predicted")
        for system, (parser, way, _) in SYSTEMS.items()
        for metric in ("las", "uas")
    }
    theirs = {
        (row["treebank"], "predicted", system, row["metric"]): row["score"]
        for row in data.fragility_exp1().to_dicts()
        for system, (*_, name) in SYSTEMS.items()
        if row["system"] == name
    }
    names = ["subset", "tags", "measure", "treebanks", "ours", "paper", "both", "ours_both", "paper_both"]
    subsets = pl.DataFrame(
        list(of_subsets(ours, theirs)), schema=names, orient="row", infer_schema_length=None
    ).with_columns(pl.col("ours", "ours_both", "paper_both").round(2))
    for name, made in (("experiment1", means), ("experiment1_subsets", subsets)):
        with atomic(RESULTS / f"{name}.csv") as file:
            made.write_csv(file)
        print(to_text(made, digits=2))
    for (subset, tags), own in subsets.group_by(["subset", "tags"], maintain_order=True):
        macro = own.filter(pl.col("measure").str.starts_with("las_")).sort("ours", descending=True)
        order = " > ".join(f"{one[4:]} {las:.2f}" for one, las in macro["measure", "ours"].rows())
        print(subset, tags, order)


VERBS: dict[str, Callable[..., None]] = {"tag": tag, "encode": encode, "train": train, "table": table}

if __name__ == "__main__":
    VERBS[sys.argv[1]](*sys.argv[2:])
