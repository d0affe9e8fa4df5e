"""How well the probabilities of ``parse --confidence`` are calibrated, on ten treebanks.

    python -m studies.parsers.confidence FOLDER_OF_MODELS [--choosing] [ROWS.jsonl...]

Beam and mst are trained with their defaults and three seeds. The folder holds
``biaffine-NAME.model``, made by :mod:`studies.parsers.confidence_models`, and
``biaffine-NAME--fold.model``. Each model is calibrated on the dev set ("dev") and on the dev set
and a fold of the training set ("both"), and judged on the test set, in all words, subtypes ignored.
Features, priors and bins were chosen on other treebanks, those of ``CHOOSING`` and ``HALVED``. A
job is a parser, a treebank and a seed; files of rows hold jobs that were done elsewhere.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from studies.parsers.confidence_models import FOLD, JUDGED
from studies.parts import Part, as_csv, kept, read_result
from studies.treebanks import release_folder
from treegauge.core.files import atomic

PARSERS = ("beam", "mst", "biaffine")
EVENTS = ("head", "arc", "tree")
CHOOSING = {
    "UD_Uyghur-UDT": "r2.9", "UD_Vietnamese-VTB": "r2.9", "UD_Welsh-CCG": "r2.9",
    "UD_Turkish_German-SAGT": "r2.9", "UD_Afrikaans-AfriBooms": "r2.9", "UD_English-Atis": "r2.9",
    "UD_Irish-IDT": "r2.5", "UD_Russian-Taiga": "r2.5", "UD_English-GUM": "r2.5",
    "UD_Czech-CLTT": "r2.9",
}  # fmt: skip
"""Treebanks outside the ten whose dev and test sets have 4,000 words, and their releases."""
HALVED = (
    "UD_Galician-TreeGal", "UD_Indonesian-CSUI", "UD_Latin-Perseus", "UD_North_Sami-Giella",
    "UD_Old_East_Slavic-RNC", "UD_Sanskrit-Vedic", "UD_Slovenian-SST",
)  # fmt: skip
"""Treebanks of UD 2.9 without a dev set that have training and test sets of 9,000 words or more.

The first half of the test set serves as their dev set.
"""
NEURAL = (
    "UD_Uyghur-UDT", "UD_Vietnamese-VTB", "UD_Welsh-CCG", "UD_Turkish_German-SAGT",
    "UD_Czech-CLTT", "UD_Irish-IDT", "UD_Russian-Taiga",
)  # fmt: skip
"""Treebanks of CHOOSING with a biaffine parser: those of 28,000 training words or fewer."""
SEEDS = {"beam": (0, 1, 2), "mst": (0, 1, 2), "biaffine": (0,)}
WHEN: tuple[Any, ...] = ("before", "dev", "both")
"""What models are calibrated on; before they are, nothing."""
JOB = ("parser", "treebank", "seed")
NUMBERS = ("ece", "ece_by_chance", "p_value", "brier")


def jobs(*, choosing: bool = False) -> list[dict[str, Any]]:
    """Return the jobs of the judged treebanks, or of those that the method was chosen on."""
    if choosing:
        return [
            {"parser": parser, "treebank": name, "seed": 0}
            for name in (*CHOOSING, *HALVED)
            for parser in PARSERS[: 3 if name in NEURAL else 2]
        ]
    return [
        {"parser": parser, "treebank": name, "seed": seed}
        for name in JUDGED
        for parser in PARSERS
        for seed in SEEDS[parser]
    ]


def sets_of(name: str) -> dict[str, Any]:
    """Return the training, dev and test set of a treebank."""
    from treegauge.treebanks.data.conllu import read_splits

    sets: dict[str, Any] = dict(read_splits(release_folder(CHOOSING.get(name, "r2.9")) / name))
    if name in HALVED:
        test = sets["test"]
        half = len(test) // 2
        sets["dev"], sets["test"] = test[:half], test[half:]
    return sets


def run(job: dict[str, Any], folder: str | None = None) -> dict[str, Any]:
    """Train a parser, or load it from a folder, and return its figures by calibration."""
    from treegauge.parsing.probabilities.fit_confidence import uncalibrated
    from treegauge.parsing.probabilities.held_out import calibrate_model
    from treegauge.parsing.registry import load_model, make_parser

    name, seed = job["treebank"], job["seed"]
    parser: Any = make_parser(job["parser"])
    sets = sets_of(name)
    if folder is None:
        model: Any = parser.fit(sets["train"], seed=seed)
    else:
        model = load_model(Path(folder) / f"{job['parser']}-{name}.model")
    row: dict[str, Any] = {**job, "before": measured(model, uncalibrated(model), sets["test"])}
    if folder is not None:
        parser = OfFold(load_model(Path(folder) / f"{job['parser']}-{name}{FOLD}.model"))
    for when in WHEN[1:]:
        fitted = calibrate_model(when, parser, model, sets["train"], sets["dev"], seed)
        row[when] = measured(model, fitted, sets["test"])
    return row


class OfFold:
    """Stands for a parser whose model of four fifths of the training set is there already."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, train: Any, *, seed: int) -> Any:
        """Return the model."""
        return self.model


def universal(treebank: Any) -> Any:
    """Return the relation of each word without its subtype."""
    codes, values = treebank.codes("deprel")
    return np.array([value.partition(":")[0] for value in values], object)[codes]


def measured(model: Any, calibration: Any, test: Any) -> dict[str, float]:
    """Return what ``breakdown --calibration`` says of a model's probabilities on a test set."""
    from treegauge.parsing.probabilities.word_confidence import probable_trees
    from treegauge.scoring.calibration import coverage_rows, event_calibration
    from treegauge.scoring.confidence import Event, SentenceConfidence

    parsed = model.parse(test)
    best = [tree for tree in probable_trees(model, parsed, calibration) if tree is not None]
    heads, relations = (
        np.concatenate([getattr(tree, name) for tree in best]).round(4) for name in ("heads", "relations")
    )
    right = parsed.head == test.head
    arcs = right & (universal(parsed) == universal(test))
    sentence = np.asarray(test.sentence_of, np.int64)
    wrong = np.bincount(sentence[~arcs], minlength=len(test))
    trees = np.array([tree.tree for tree in best]).round(4)
    events = {
        "head": Event(heads, right, sentence),
        "arc": Event(heads * relations, arcs, sentence),
        "tree": Event(trees, wrong == 0, np.arange(len(test))),
    }
    row: dict[str, float] = {}
    for name, event in events.items():
        numbers = event_calibration(event, units=len(test), seed=0).numbers
        row |= {f"{name} {number}": numbers[number] for number in NUMBERS}
    words = np.diff(test.offsets).astype(np.float64)
    confidence = np.bincount(sentence, heads * relations) / words
    counted = SentenceConfidence(confidence, 2 * (words - wrong), 2 * words)
    by_dropped = {one["dropped"]: one["score"] for one in coverage_rows("it", "LAS", counted)[0]}
    return row | {"las": by_dropped[0], "las without 20 %": by_dropped[20]}


def table_of(rows: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> pl.DataFrame:
    """Return one row per job and calibration, in the order of the jobs."""
    found = {tuple(row[name] for name in JOB): row for row in rows}
    return pl.DataFrame(
        [
            {**job, "calibrated": when, **row[when]}
            for job in wanted
            for row in [found.get(tuple(job[name] for name in JOB))]
            if row is not None
            for when in WHEN
        ]
    )


def by_treebank(figures: pl.DataFrame) -> pl.DataFrame:
    """Return means over seeds, and the largest error of heads and arcs."""
    numbers = [name for name in figures.columns if figures[name].dtype == pl.Float64]
    return figures.group_by("treebank", "parser", "calibrated", maintain_order=True).agg(
        pl.len().alias("seeds"),
        *(pl.col(name).mean() for name in numbers),
        *(pl.col(f"{event} ece").max().alias(f"{event} most") for event in EVENTS[:2]),
    )


def means(figures: pl.DataFrame) -> pl.DataFrame:
    """Return means over treebanks, and the number of treebanks with an error of less than .02."""
    own = by_treebank(figures)
    below = [(pl.col(f"{event} ece") < 0.02).sum().alias(f"{event}s below .02") for event in EVENTS[:2]]
    numbers = [name for name in figures.columns if figures[name].dtype == pl.Float64]
    table = own.group_by("parser", "calibrated", maintain_order=True).agg(
        pl.len().alias("treebanks"), pl.col("seeds").first(), *(pl.col(name).mean() for name in numbers), *below
    )
    gain = pl.col("las without 20 %") - pl.col("las")
    return table.with_columns(gain.alias("gain")).select(
        "parser", "calibrated", "treebanks", "seeds", "head ece", "arc ece", "tree ece",
        "heads below .02", "arcs below .02", "head brier", "arc brier", "las", "las without 20 %",
        "gain",
    )  # fmt: skip


def calibrated(figures: pl.DataFrame) -> pl.DataFrame:
    """Return what the docs show of each treebank: errors after calibration, and scores."""
    return (
        by_treebank(figures)
        .filter(pl.col("calibrated") != "before")
        .select(
            "treebank", "parser", "calibrated", "head ece", "head most",
            pl.col("head ece_by_chance").alias("by chance"), "arc ece", "arc most",
            pl.col("arc ece_by_chance").alias("arcs by chance"), "tree ece",
            pl.col("tree ece_by_chance").alias("trees by chance"), "arc brier", "las",
            "las without 20 %",
        )
    )  # fmt: skip


PARTS = (
    kept(
        "confidence", "Calibration of parsers' probabilities, by treebank",
        "long: python -m studies.parsers.confidence_models, 3 h of processor time; then python -m "
        "studies.parsers.confidence FOLDER, 40 min", shown=calibrated, digits=4,
    ),
    kept(
        "confidence_choosing", "Calibration of parsers' probabilities on 17 other treebanks",
        "long: python -m studies.parsers.confidence FOLDER --choosing, 25 min of processor time",
        shown=means, digits=4,
    ),
    Part("confidence_means", "Calibration of parsers' probabilities, means of ten treebanks",
         lambda: means(read_result("confidence")), digits=4),
)  # fmt: skip


def main() -> None:
    """Do what no file of rows has, and keep the figures."""
    folder, *more = sys.argv[1:]
    choosing = "--choosing" in more
    files = [word for word in more if word != "--choosing"]
    rows = [json.loads(line) for path in files for line in Path(path).read_text().splitlines()]
    done = {tuple(row[name] for name in JOB) for row in rows}
    wanted = jobs(choosing=choosing)
    for job in wanted:
        if tuple(job[name] for name in JOB) not in done:
            rows.append(run(job, folder if job["parser"] == "biaffine" else None))
            print(json.dumps(rows[-1]), flush=True)
    table = table_of(rows, wanted)
    with atomic(PARTS[1 if choosing else 0].path) as file:
        file.write(as_csv(table).encode())
    print(means(table))


if __name__ == "__main__":
    main()
