"""Learning curves of the published configurations: test words that each parser attaches correctly.

    python -m studies.challenges.runs OUT PRESET...

One job trains a preset on samples of one treebank of UD 2.9 (the first 500 training sentences, the
first 10 dev sentences, gold tags) and parses the whole test set. OUT gets one JSON line per job:
for each sample, one bit per test word, so that words can be counted by any classes afterwards
(``studies.challenges.counts``). Size 0 is the whole training set.

Three more presets: ``mstparser-xpos`` reads XPOS for UPOS, since MSTParser reads the column of fine
tags; ``kl-beam`` is the vote of delexicalised parsers, with sources, weights and
targets as in ``challenges_transfer`` and BEAM as published; ``tagger`` learns tags, and its bits
are words with the correct UPOS.
"""

import json
import sys
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from zlib import compress, decompress

import numpy as np
import numpy.typing as npt

from studies.parsers.preset_runs import AVAILABLE, CURVES, DEV, splits
from treegauge.experiments.builtin import sampled
from treegauge.learning.source_panel import delexicalised, train_sources
from treegauge.learning.weights import first_sentences, inverse_weights
from treegauge.measures.similarity import log_ratios
from treegauge.parsing.options import PRESETS
from treegauge.parsing.registry import make_parser
from treegauge.parsing.tagger import TaggedWords, features
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.decoding import vote_heads

Bools = npt.NDArray[np.bool_]
SIZES = (5, 10, 20, 50, 100, 200, 500)
SAMPLES = 5
FEWER = {5: 5, 20: 3, 50: 2, 100: 1, 200: 1}
"""Samples of UDPipe for COMPLEXITY, next to five of 10 sentences and one of 500."""
LONG = {
    "Greek-GDT", "English-ParTUT", "Italian-ParTUT", "French-ParTUT", "Indonesian-CSUI",
    "Czech-CLTT", "Galician-TreeGal", "Coptic-Scriptorium",
}  # fmt: skip
"""Treebanks of which 500 sentences take UDPipe more than ten minutes."""
VOTE, TAGGER, FINE = "kl-beam", "tagger", "mstparser-xpos"
LIMIT = 2000
"""A source's first sentences; a delexicalised parser gains nothing from more."""
WITHOUT_RELATIONS = {"mstparser": {"label_epochs": 1}}
"""Relations in one of ten epochs: a quarter of the time, and 0.4 to 0.6 points of UAS less."""


def jobs() -> Iterator[dict[str, Any]]:
    """Yield all jobs, most important first: Table 2 of UDPipe, quick parsers, UDPipe's Table 1."""
    every = [[size, sample] for size in SIZES for sample in range(SAMPLES)]
    short = [name for name in CURVES if name not in LONG]
    for name in reversed(short):
        yield {"preset": "ud2.0", "treebank": name, "samples": [[500, 0]]}
    for preset in ("mstparser", "panparser"):
        for name in reversed(CURVES):
            yield {"preset": preset, "treebank": name, "samples": [*every, [0, 0]]}
    for seed in range(SAMPLES):
        yield {"preset": VOTE, "sample": seed}
    for name in CURVES:
        yield {"preset": TAGGER, "treebank": name, "samples": every}
    for name in CURVES:
        yield {"preset": "ud2.0", "treebank": name, "samples": [[10, n] for n in range(SAMPLES)]}
    for name in short:
        for size, number in FEWER.items():
            samples = [[size, sample] for sample in range(number)]
            yield {"preset": "ud2.0", "treebank": name, "samples": samples}
    for name in sorted(LONG):
        yield {"preset": "ud2.0", "treebank": name, "samples": [[500, 0]]}
    for name in reversed(CURVES):
        yield {"preset": FINE, "treebank": name, "samples": [*every, [0, 0]]}


@cache
def options(name: str) -> tuple[str, dict[str, Any]]:
    """Return the parser of a preset and its options."""
    base = "mstparser" if name == FINE else name
    preset = next(one for one in PRESETS if one.name == base)
    return preset.parser, {**preset.options, **WITHOUT_RELATIONS.get(base, {})}


def with_fine_tags(treebank: Treebank) -> Treebank:
    """Return the treebank with XPOS in the column of UPOS."""
    codes, values = treebank.codes("xpos")
    return treebank.with_columns({"upos": [values[code] for code in codes.tolist()]})


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Train on every sample of a job; return the bits of each, and seconds of processor time."""
    if job["preset"] == VOTE:
        return vote(job["sample"])
    sets = splits("r2.9", job["treebank"])
    if job["preset"] == FINE:
        sets = {split: with_fine_tags(part) for split, part in sets.items()}
    pool, dev, test = sets["train"][:AVAILABLE], sets.get("dev"), sets["test"]
    bits, seconds = {}, {}
    for size, sample in job["samples"]:
        start = time.process_time()
        train, held = sets["train"], dev
        if size:
            train = pool.take(sampled(len(pool), size, sample))
            held = None if dev is None else dev[:DEV]
        if job["preset"] == TAGGER:
            correct = correct_tags(train, test, sample)
        else:
            parser, chosen = options(job["preset"])
            model = make_parser(parser, **chosen).fit(train, held, seed=sample)
            correct = model.parse(test).head == test.head
        bits[f"{size}/{sample}"] = packed(correct)
        seconds[f"{size}/{sample}"] = round(time.process_time() - start, 2)
    named = {name: job[name] for name in ("preset", "treebank")}
    return {**named, "bits": bits, "seconds": seconds}


def correct_tags(train: Treebank, test: Treebank, seed: int) -> Bools:
    """Return which test words get the correct UPOS from a tagger of the sample."""
    tagger = TaggedWords.of(train).learn(seed=seed)
    numbers = tagger.predict(features(test), test.offsets.astype(np.int32))
    codes, values = test.codes("upos")
    return np.asarray(np.array(tagger.tags)[numbers] == np.array(values)[codes])


def languages(treebank: str) -> set[str]:
    """Return the languages of a treebank; one of two languages is related to both."""
    name = treebank.removeprefix("UD_").split("-")[0]
    return {"Turkish", "German"} if name == "Turkish_German" else {name}


def vote(seed: int) -> dict[str, Any]:
    """Return the bits of each target that parsers of all sources without words vote for."""
    start = time.process_time()
    parser, chosen = options("panparser")
    sources = {name: splits("r2.9", name)["train"][:LIMIT] for name in CURVES}
    models = train_sources(sources, delexicalised(parser, **chosen), seed=seed)
    votes = {}
    for target in CURVES:
        sets = splits("r2.9", target)
        others = [name for name in CURVES if not languages(name) & languages(target)]
        looked = first_sentences(sets["train"])
        far = [max(0.0, float(log_ratios(looked, sources[name]).mean())) for name in others]
        heads = np.stack([models[name].parse(sets["test"]).head for name in others])
        chosen_heads = vote_heads(heads, inverse_weights(far), sets["test"].offsets)
        votes[target] = packed(chosen_heads == sets["test"].head)
    seconds = round(time.process_time() - start, 2)
    return {"preset": VOTE, "sample": seed, "votes": votes, "seconds": seconds}


def packed(correct: Bools) -> str:
    """Return bits as text.

    Examples
    --------
    >>> unpacked(packed(np.array([True, False, True])), 3)
    array([ True, False,  True])
    """
    return b64encode(compress(np.packbits(correct).tobytes(), 9)).decode()


def unpacked(text: str, number: int) -> Bools:
    """Return the first bits of a text that :func:`packed` made."""
    bits = np.frombuffer(decompress(b64decode(text)), np.uint8)
    return np.unpackbits(bits, count=number).astype(bool)


def main() -> None:
    """Run what OUT lacks."""
    out, *presets = sys.argv[1:]
    path = Path(out)
    done = set()
    if path.exists():
        rows = map(json.loads, path.read_text("utf-8").splitlines())
        done = {(row["preset"], row.get("treebank"), *first(row)) for row in rows}
    for job in jobs():
        cell = job["samples"][0] if "samples" in job else [0, job["sample"]]
        if (job["preset"], job.get("treebank"), *cell) in done or job["preset"] not in presets:
            continue
        row = run(job)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(row["preset"], row.get("treebank"), row["seconds"], flush=True)


def first(row: dict[str, Any]) -> list[int]:
    """Return size and sample of a row's first training, which name its job."""
    return [*map(int, next(iter(row["bits"])).split("/"))] if "bits" in row else [0, row["sample"]]


if __name__ == "__main__":
    main()
