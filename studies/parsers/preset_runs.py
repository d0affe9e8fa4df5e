"""Scores of the presets that need no GPU, one line per training, written as they finish.

    python -m studies.parsers.preset_runs [PRESET...]

Each training adds a row to ``studies/results/preset_scores.csv``; those that are there already
are not run again. The treebanks are looked for under ``TREEGAUGE_UD``.
"""

import csv
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from studies.parts import RESULTS
from studies.treebanks import release_folder
from treegauge.experiments.builtin import sampled
from treegauge.parsing.options import PRESETS
from treegauge.parsing.registry import make_parser
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.settings import ScoreOptions
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits

SCORES = RESULTS / "preset_scores.csv"
COLUMNS = ("preset", "release", "treebank", "tags", "sentences", "seed", "uas", "las", "epoch", "seconds")
AVAILABLE, DEV = 500, 10
CURVES = (
    "Telugu-MTG", "Turkish-FrameNet", "Norwegian-NynorskLIA", "Slovenian-SST", "English-Atis",
    "Turkish-IMST", "Old_Church_Slavonic-PROIEL", "Korean-GSD", "Uyghur-UDT", "North_Sami-Giella",
    "Latin-Perseus", "Sanskrit-Vedic", "English-LinES", "Vietnamese-VTB", "Turkish_German-SAGT",
    "Coptic-Scriptorium", "Hungarian-Szeged", "Galician-TreeGal", "Afrikaans-AfriBooms",
    "Faroese-FarPaHC", "Welsh-CCG", "French-Sequoia", "Greek-GDT", "English-ParTUT",
    "Italian-ParTUT", "French-ParTUT", "Indonesian-CSUI", "Czech-CLTT",
)  # fmt: skip
"""Treebanks of UD 2.9 with 500 training sentences or more, short sentences first."""
FEW = ("Telugu-MTG", "Turkish-FrameNet", "Norwegian-NynorskLIA", "English-Atis", "Slovenian-SST")
"""Those on which UDPipe learns from 500 sentences: the five with the shortest sentences."""


@dataclass(frozen=True)
class Job:
    """One training; `sentences` 0 is the whole training set, scored on all words."""

    preset: str
    release: str
    treebank: str
    sentences: int
    seed: int

    @property
    def key(self) -> tuple[str, ...]:
        """What names its row."""
        return (self.preset, self.release, self.treebank, "gold", str(self.sentences), str(self.seed))


def jobs() -> Iterator[Job]:
    """Yield all trainings, quick ones first."""
    for preset in ("panparser", "mstparser"):
        for size in (10, 500):
            for name in CURVES:
                yield from (Job(preset, "r2.9", name, size, seed) for seed in range(5))
    for name in ("Telugu-MTG", "Marathi-UFAL", "Greek-GDT", "Turkish-IMST"):
        yield from (Job("maltparser", "r2.9", name, 0, seed) for seed in range(3))
    yield from (Job("mstparser", "r2.9", "Telugu-MTG", 0, seed) for seed in range(3))
    for name in CURVES[:9]:
        yield from (Job("ud2.0", "r2.9", name, 10, seed) for seed in range(5))
    for name in ("Marathi-UFAL", "Telugu-MTG", "Lithuanian-HSE", "Tamil-TTB", "Belarusian-HSE"):
        yield Job("ud2.0", "r2.5", name, 0, 0)
    for name in FEW:
        yield Job("ud2.0", "r2.9", name, 500, 0)


@cache
def splits(release: str, name: str) -> dict[str, Treebank]:
    """Read a treebank's sets."""
    return read_splits(release_folder(release) / f"UD_{name}")


def scores(gold: Treebank, parsed: Treebank, job: Job) -> tuple[float, float]:
    """Return UAS and LAS in percent as the source of the preset counts them.

    From samples, words that are not punctuation (Challenges); from whole training sets, all words,
    with whole relations, or without subtypes where UDPipe's own figures are compared.
    """
    if job.release == "r2.5":
        (system,) = evaluate(gold, parsed, options=ScoreOptions(resamples=0)).systems
        return system["UAS"].f1, system["LAS"].f1
    heads = parsed.head == gold.head
    both = heads & (parsed["deprel"] == gold["deprel"]).to_numpy()
    counted = np.ones(len(heads), bool)
    if job.sentences:
        counted = (gold["upos"] != "PUNCT").to_numpy()
    return 100 * float(heads[counted].mean()), 100 * float(both[counted].mean())


def run(job: Job) -> dict[str, object]:
    """Train and score."""
    preset = next(one for one in PRESETS if one.name == job.preset)
    sets = splits(job.release, job.treebank)
    train, dev = sets["train"], sets.get("dev")
    if job.sentences:
        pool = train[:AVAILABLE]
        train = pool.take(sampled(len(pool), job.sentences, job.seed))
        dev = None if dev is None else dev[:DEV]
    start = time.process_time()
    model = make_parser(preset.parser, **preset.options).fit(train, dev, seed=job.seed)
    seconds = time.process_time() - start
    uas, las = scores(sets["test"], model.parse(sets["test"]), job)
    values = (*job.key, f"{uas:.4f}", f"{las:.4f}", "", f"{seconds:.2f}")
    return dict(zip(COLUMNS, values, strict=True))


def keep(presets: Collection[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Replace the scores of these presets by those of trainings on r2.9."""
    with SCORES.open(encoding="utf-8") as file:
        others = [row for row in csv.DictReader(file) if row["preset"] not in presets]
    made = [
        {
            "preset": row["preset"], "release": "r2.9", "treebank": row["treebank"],
            "tags": row["tags"], "sentences": 0, "seed": row["seed"], "uas": f"{row['uas']:.4f}",
            "las": f"{row['las']:.4f}", "epoch": row["epoch"], "seconds": f"{row['seconds']:.2f}",
        }
        for row in rows
    ]  # fmt: skip
    with SCORES.open("w", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows([*others, *made])


def main() -> None:
    """Run what is missing."""
    done: set[tuple[str, ...]] = set()
    if SCORES.exists():
        with SCORES.open(encoding="utf-8") as file:
            done = {tuple(row[name] for name in COLUMNS[:6]) for row in csv.DictReader(file)}
    else:
        SCORES.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    for job in jobs():
        if job.key in done or (sys.argv[1:] and job.preset not in sys.argv[1:]):
            continue
        row = run(job)
        with SCORES.open("a", encoding="utf-8") as file:
            csv.DictWriter(file, COLUMNS, lineterminator="\n").writerow(row)
        print(*row.values(), flush=True)


if __name__ == "__main__":
    main()
