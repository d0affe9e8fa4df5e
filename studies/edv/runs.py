"""Trainings of the EDV study that take long: Section 6 on whole treebanks.

    python -m studies.edv.runs [UNTIL | FILE.jsonl]

runs the trainings of :func:`jobs`, or the first `UNTIL` of them, and adds one row for each to
``studies/results/edv_runs.csv``; those that are there are not run again. A file has rows of
trainings that ran elsewhere, one JSON object per line, which are added. Treebanks are looked for
under ``TREEGAUGE_UD``, which has the folders ``r2.5`` and ``r2.9``.

Section 6 of the paper trains UDPipe on all sentences of a treebank and parses with predicted tags.
The treebanks for UDPipe were chosen before any of these runs, by cost alone: the twelve pools of
100 sentences or more that take least time, by words times (25 + 1.4 x mean sentence length). The
beam parser runs on the 36 treebanks of ``studies/edv/splits_beam.toml``.

The seed of a job is the seed of the split and of the training. Splits with a high EDV have seeds of
their own, so that they draw other lengths than those with a low EDV, as two runs of the published
sampler do; the differences in words and lengths of Table 7 come from that.
"""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from studies.edv.splitting import SAME_LENGTHS, described, parts_of
from studies.run_tables import Job, RunTable
from treegauge.parsing.registry import make_parser
from treegauge.parsing.tag_sources import learn_tags, with_read_tags
from treegauge.scoring.evaluation import evaluate
from treegauge.scoring.settings import ScoreOptions
from treegauge.treebanks.data.columns import Treebank

# With the fewest seconds of training first.
TWELVE = (
    "r2.9/UD_Livvi-KKPP", "r2.9/UD_Marathi-UFAL", "r2.9/UD_Telugu-MTG", "r2.9/UD_Lithuanian-HSE",
    "r2.9/UD_Buryat-BDT", "r2.9/UD_Kazakh-KTB", "r2.9/UD_Tamil-TTB", "r2.9/UD_Kurmanji-MG",
    "r2.9/UD_Upper_Sorbian-UFAL", "r2.9/UD_Turkish-FrameNet", "r2.5/UD_Belarusian-HSE",
    "r2.9/UD_Sanskrit-Vedic",
)  # fmt: skip
# The other treebanks of studies/edv/splits_beam.toml; with those of TWELVE that it has, 36.
OTHERS = (
    "r2.9/UD_North_Sami-Giella", "r2.9/UD_Old_Church_Slavonic-PROIEL", "r2.9/UD_Turkish-IMST",
    "r2.9/UD_English-Atis", "r2.9/UD_Uyghur-UDT", "r2.9/UD_Slovenian-SST", "r2.5/UD_Russian-Taiga",
    "r2.9/UD_Korean-GSD", "r2.9/UD_Norwegian-NynorskLIA", "r2.9/UD_Latin-Perseus",
    "r2.9/UD_Vietnamese-VTB", "r2.9/UD_Turkish_German-SAGT", "r2.9/UD_English-LinES",
    "r2.5/UD_English-GUM", "r2.9/UD_Welsh-CCG", "r2.5/UD_Irish-IDT", "r2.9/UD_Hungarian-Szeged",
    "r2.9/UD_English-ParTUT", "r2.9/UD_Faroese-FarPaHC", "r2.9/UD_Afrikaans-AfriBooms",
    "r2.9/UD_French-Sequoia", "r2.9/UD_Galician-TreeGal", "r2.9/UD_Greek-GDT",
    "r2.9/UD_Coptic-Scriptorium", "r2.9/UD_Italian-ParTUT", "r2.9/UD_Indonesian-CSUI",
    "r2.9/UD_French-ParTUT", "r2.9/UD_Old_East_Slavic-RNC", "r2.9/UD_Czech-CLTT",
)  # fmt: skip
# Fewer training sentences than 100 in the release: not among the 36.
TINY = ("Livvi-KKPP", "Buryat-BDT", "Kazakh-KTB", "Kurmanji-MG", "Upper_Sorbian-UFAL")
STEERED = ("low, sampler", "high, sampler")
FIRST_HIGH = 1000  # seeds of splits with a high EDV
UNREAD = ("xpos", "feats", "lemma")
KEY = ("parser", "treebank", "kind", "seed")
COLUMNS = (
    *KEY, "uas", "las", "upos", "train_sentences", "train_words", "test_words", "mean_test_length",
    "edv", "edv_masses", "slv", "slv_masses", "seconds",
)  # fmt: skip


THIRTY_SIX = tuple(name for name in (*TWELVE, *OTHERS) if not name.endswith(TINY))


def jobs() -> list[Job]:
    """Return all trainings, those that the tables need most first."""
    every = ("random", SAME_LENGTHS, *STEERED)
    return [
        *_jobs("udpipe ud2.0", TWELVE, STEERED, (0,)),
        *_jobs("udpipe fast", TWELVE, STEERED, (0,)),
        *_jobs("beam", THIRTY_SIX, every, (0,)),
        *_jobs("udpipe ud2.0", TWELVE[:8], STEERED, (1, 2)),
        *_jobs("beam", THIRTY_SIX, every, (1, 2)),
        *_jobs("udpipe fast", TWELVE, STEERED, (1, 2)),
        *_jobs("udpipe ud2.0", TWELVE[8:], STEERED, (1, 2)),
    ]


def _jobs(parser: str, treebanks: tuple[str, ...], kinds: tuple[str, ...], seeds: tuple[int, ...]) -> Iterator[Job]:
    for treebank in treebanks:
        for seed in seeds:
            for kind in kinds:
                yield {"parser": parser, "treebank": treebank, "kind": kind, "seed": seed}


def sets_of(job: Job) -> dict[str, Treebank]:
    """Return the training, dev and test set of a job."""
    source = str(Path(os.environ.get("TREEGAUGE_UD", "../shared/ud")) / job["treebank"])
    drawn = job["seed"] + (FIRST_HIGH if job["kind"].startswith("high") else 0)
    return parts_of(source, job["kind"], sys.maxsize, drawn)


def run(job: Job) -> Job:
    """Split, train with predicted tags, and score the test set; return the row of the table."""
    sets = sets_of(job)
    train, gold = sets["train"], sets["test"]
    start = time.process_time()
    parsed = trained_and_parsed(job, train, sets.get("dev"), gold)
    seconds = time.process_time() - start
    found = evaluate(gold, parsed, options=ScoreOptions(resamples=0)).systems[0]
    scores = {metric: found[metric.upper()].f1 for metric in ("uas", "las", "upos")}
    row = job | scores | described(train, gold) | {"seconds": seconds}
    return {name: row[name] for name in COLUMNS}


def trained_and_parsed(job: Job, train: Treebank, dev: Treebank | None, gold: Treebank) -> Treebank:
    """Return the test set with the parser's trees and the tags that it read.

    Tags are UPOS by our tagger, jackknifed in the training set; UDPipe's own tagger takes minutes
    for a thousand words of some treebanks. The parser sees neither XPOS nor features nor lemmas.
    """
    name, _, preset = job["parser"].partition(" ")
    if name == "beam":
        model = make_parser(name, tags="predicted").fit(train, seed=job["seed"])
        return with_read_tags(model, model.parse(gold))
    dev = None if dev is None else only_upos(dev)
    source, tagged, dev = learn_tags("predicted", only_upos(train), dev, seed=job["seed"])
    model = make_parser(name, preset=preset).fit(tagged, dev, seed=job["seed"])
    return model.parse(source.read(only_upos(gold)))


def only_upos(treebank: Treebank) -> Treebank:
    """Return the treebank without XPOS, features and lemmas, which UDPipe would read."""
    return treebank.with_columns({column: ["_"] * treebank.n_words for column in UNREAD})


TABLE = RunTable("edv_runs", jobs, run, KEY, COLUMNS)

if __name__ == "__main__":
    TABLE.main()
