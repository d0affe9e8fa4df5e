"""What parsers say about each word of dev and test sets, from which maps of confidence are chosen.

    python -m replications.confidence_words FOLDER [PARSER TREEBANK...]

Each job trains a parser on the training set, and once more on four fifths of it. A row has, for
every word of the dev set, of the test set and of the fifth that was left out, the evidence about
its head and relation and whether they are correct. Rows are kept in the folder, one file each. Maps
are chosen on :data:`CHOOSING`, ten treebanks that :mod:`replications.confidence` does not judge.
"""

import base64
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from replications.parts import release_folder

CHOOSING = (
    ("r2.9", "UD_Uyghur-UDT"), ("r2.9", "UD_Vietnamese-VTB"), ("r2.9", "UD_Welsh-CCG"),
    ("r2.9", "UD_Turkish_German-SAGT"), ("r2.9", "UD_Afrikaans-AfriBooms"),
    ("r2.9", "UD_English-Atis"), ("r2.5", "UD_Irish-IDT"), ("r2.5", "UD_Russian-Taiga"),
    ("r2.5", "UD_English-GUM"), ("r2.9", "UD_Czech-CLTT"),
)  # fmt: skip
"""Treebanks outside the ten whose dev and test sets have 4,000 words."""
PARSERS = ("beam", "mst")
TEMPERATURE = 10.0
"""Of the scores of a beam's analyses, whose shares are marginals over the beam."""


def jobs() -> list[dict[str, str]]:
    """Return all jobs, those of the treebanks for choosing first."""
    from replications.confidence_models import JUDGED

    treebanks = (*CHOOSING, *(("r2.9", name) for name in JUDGED))
    return [
        {"parser": parser, "release": release, "treebank": name}
        for release, name in treebanks
        for parser in PARSERS
    ]


def evidence(model: Any, gold: Any, temperatures: tuple[float, float]) -> dict[str, Any]:
    """Return arrays about all words of gold sentences that a model parses."""
    from treegauge.parsing.base import Searching
    from treegauge.parsing.calibration import _Cases, logit
    from treegauge.parsing.evidence import ways_to_sum

    cases = _Cases()
    cases.add(model, gold)
    arrays: dict[str, Any] = {
        "right": (cases.right_heads + 2 * cases.right_relations).astype(np.uint8)
    }
    for way in ways_to_sum(model):
        shares, logs = cases.heads(temperatures[0], way)
        arrays |= {f"head_{way}": logit(shares), f"tree_{way}": logs}
    arrays["relation"] = logit(cases.relations(temperatures[1]))
    heads = np.concatenate([one.trees[0].heads for one, _ in cases.evidence])
    arrays["head"] = heads.astype(np.int16)
    arrays["label"] = np.concatenate(
        [one.trees[0].relations.astype(np.uint8) for one, _ in cases.evidence]
    )
    leads, shortfalls = [], []
    for one, _ in cases.evidence:
        logs, own = one.head_logs, one.trees[0].heads
        rows = np.arange(len(own))
        others = logs.copy()
        others[rows, own] = -np.inf
        leads.append(logs[rows, own] - others.max(1))
        shortfalls.append(logs[rows, own] - logs.max(1))
    arrays |= {"lead": np.concatenate(leads), "shortfall": np.concatenate(shortfalls)}
    if isinstance(model, Searching):
        kept = model.analyses(gold, 8)
        sentence = np.repeat(np.arange(len(gold)), np.diff(gold.offsets))
        weights = np.exp((kept.scores - kept.scores[:, :1]) / TEMPERATURE)
        of_words = (weights / weights.sum(1, keepdims=True))[sentence].T
        same = kept.heads == heads[None]
        both = same & (kept.relations == kept.relations[:1])
        arrays["beam_heads"] = logit((of_words * same).sum(0))
        arrays["beam_arcs"] = logit((of_words * both).sum(0))
    return {
        name: np.clip(value, -6e4, 6e4).astype(np.float16) if value.dtype.kind == "f" else value
        for name, value in arrays.items()
    }


def run(job: dict[str, str]) -> dict[str, Any]:
    """Train, and return a row with the arrays of all three sets as the text of an archive."""
    from treegauge.parsing.calibration import fit_calibration
    from treegauge.parsing.registry import make_parser
    from treegauge.treebanks.conllu import read_splits

    sets = read_splits(release_folder(job["release"]) / job["treebank"])
    train, parser = sets["train"], make_parser(job["parser"])
    fold = np.random.default_rng(0).permutation(np.arange(len(train)) % 5) == 0
    model = parser.fit(train, seed=0)
    fitted = fit_calibration(model, sets["dev"], "dev")
    temperatures = (fitted.heads.temperature, fitted.relations.temperature)
    arrays: dict[str, Any] = {"fold": np.flatnonzero(fold)}
    for name in ("dev", "test"):
        found = evidence(model, sets[name], temperatures)
        arrays |= {f"{name}/{key}": value for key, value in found.items()}
    left_out = train.take(np.flatnonzero(fold))
    less = parser.fit(train.take(np.flatnonzero(~fold)), seed=0)
    found = evidence(less, left_out, temperatures)
    arrays |= {f"fold/{key}": value for key, value in found.items()}
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    packed = base64.b85encode(file.getvalue()).decode()
    return {**job, "way": fitted.way, "temperatures": temperatures, "arrays": packed}


def unpacked(row: dict[str, Any]) -> dict[str, Any]:
    """Return the arrays of a row."""
    with np.load(io.BytesIO(base64.b85decode(row["arrays"])), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def main() -> None:
    """Run what the folder lacks."""
    folder, *names = sys.argv[1:]
    for job in jobs():
        path = Path(folder) / f"{job['parser']}-{job['treebank']}.json"
        if not path.exists() and (not names or {job["parser"], job["treebank"]} <= set(names)):
            path.write_text(json.dumps(run(job)))
            print(path.name, flush=True)


if __name__ == "__main__":
    main()
