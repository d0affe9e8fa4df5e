"""The neural presets on a GPU: Fragility's three parsers with the settings of its Tables 7 to 9.

    python -m studies.parsers.preset_gpu encode ARRAYS [NAME...]
    PYTHONPATH=src python -m studies.parsers.preset_gpu train ARRAYS OUT [NAME:PRESET...] [--seeds=3]
        [--seconds=360]
    python -m studies.parsers.preset_gpu table OUT/preset_gpu.json...

The first step holds 20 % of the training set out where there is no dev set, as the paper did, and
tags all sets by a tagger that learned from the training set. The second needs numpy and torch only:
all seeds of a preset, with gold and with predicted tags, learn in lockstep, and of each the best
weights on dev are kept. Training lasts as long as the preset says; a preset with patience ends when
none of its models has been better on dev for so many epochs, and after ``MOST`` updates. No preset
is started after ``seconds``. The third adds scores on test (all words, whole relations) to
``studies/results/preset_scores.csv``.
"""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from studies.parsers import paradigms

NAMES = ("Lithuanian-HSE", "Marathi-UFAL", "Tamil-TTB", "Galician-TreeGal", "Welsh-CCG", "Old_East_Slavic-RNC")
"""What is at hand of the subset D21 in UD 2.9, the smallest first."""
GOLD_ONLY = ("Welsh-CCG", "Old_East_Slavic-RNC")
"""Without printed figures with predicted tags."""
TRAINED = ("gb-DM17", "tb-FG19", "sl-S+19")
MOST = 3000
"""Updates, at most, of a preset whose patience would allow many more."""
WORDS = 5000
"""Words in a batch of gb-DM17; as many sentences as have so many on average, since models that
learn in lockstep need equally many batches."""
BETWEEN = 20
"""Updates, at least, between two looks at dev."""


def encode(out: str, *names: str) -> None:
    """Write one ``.npz`` per treebank."""
    from studies.treebanks import release_folder
    from treegauge.parsing.label_encodings import find_encoding
    from treegauge.parsing.neural.parsers import roots_have
    from treegauge.parsing.neural.preparation import Vocabulary
    from treegauge.parsing.probabilities.held_out import hold_out
    from treegauge.parsing.tagger import train_tagger
    from treegauge.treebanks.data.columns import concat
    from treegauge.treebanks.data.conllu import read_splits

    Path(out).mkdir(parents=True, exist_ok=True)
    encoding = find_encoding("two-planar")
    for name in names or NAMES:
        sets = read_splits(release_folder("r2.9") / f"UD_{name}")
        train, dev = sets["train"], sets.get("dev")
        if dev is None:
            train, dev = hold_out(train, seed=0)
        parts = [train, dev, sets["test"]]
        known = Vocabulary.of(train, min_count=1, encoding=encoding)
        more: dict[str, Any] = {f"labels{n}": list(own) for n, own in enumerate(known.labels)}
        if name not in GOLD_ONLY:
            tagger = train_tagger(train, iterations=10)
            more["predicted"] = known.encode(concat([tagger.tag(part) for part in parts])).tags
        whole = known.encode(concat(parts), encoding)
        whole.save(
            Path(out) / f"{name}.npz", parts=[len(part) for part in parts], encoding="two-planar",
            of_roots=roots_have(train, known), relation_names=list(known.relations), **more,
        )  # fmt: skip
        print(name, [len(part) for part in parts], flush=True)


def best_models(
    learners: list[Any], dev: Any, options: Any, epochs: int, every: int, kind: Any = None, course: Any = None
) -> tuple[int, list[tuple[int, Any]]]:
    """Train in lockstep; return the last epoch, and for each model its best on dev and weights.

    `kind` replaces the class that trains; dev scores of each look are appended to `course`.
    """
    import torch

    from treegauge.parsing.neural.batches import choose_device, numerics
    from treegauge.parsing.neural.encoder import to_arrays
    from treegauge.parsing.neural.training import Lockstep

    device = choose_device(options.device)
    words = learners[0].data.words_of(dev)
    best, best_epochs = np.full(len(learners), -1.0), np.zeros(len(learners), int)
    with numerics(device, options.threads):
        models = (kind or Lockstep)(learners, options, device)
        kept = {name: value.detach().clone() for name, value in models.weights.items()}
        for epoch in range(1, epochs + 1):
            models.learn(epoch)
            if epoch % every and epoch != epochs:
                continue
            heads, names = models.evaluate([dev] * len(learners)).right
            found = (heads & names).cpu().numpy()[:, words].mean(1)
            if course is not None:
                course.append(found)
            better = np.flatnonzero(found > best)
            best[better], best_epochs[better] = found[better], epoch
            chosen = torch.from_numpy(better).to(device)
            for name, value in models.weights.items():
                kept[name][chosen] = value.detach()[chosen]
            if options.patience and epoch - int(best_epochs.max()) >= options.patience:
                break
    return epoch, [(int(epoch), to_arrays(kept, model)) for model, epoch in enumerate(best_epochs)]


def train(folder: str, out: str, *words: str) -> None:
    """Train every preset on every treebank."""
    pool = paradigms.workers()
    from treegauge.parsing.neural.data import Encoded
    from treegauge.parsing.neural.options import BiaffineOptions, LabellingOptions, PointerOptions
    from treegauge.parsing.neural.training import Learner
    from treegauge.parsing.options import PRESETS

    kinds = {"biaffine": BiaffineOptions, "pointer": PointerOptions, "labelling": LabellingOptions}
    only, given = paradigms.given_options(words)
    seeds, limit = int(given.get("seeds", 3)), float(given.get("seconds", 360))
    begun = time.perf_counter()
    target = Path(out) / "preset_gpu.json"
    rows: list[dict[str, Any]] = []
    wanted = [tuple(word.split(":")) for word in only]
    for name, chosen in wanted or [(name, preset) for name in NAMES for preset in TRAINED]:
        data, more = Encoded.load(Path(folder) / f"{name}.npz")
        read = {"gold": data}
        if "predicted" in more:
            read["predicted"] = replace(data, tags=more.pop("predicted"))
        ends = np.cumsum([0, *more["parts"]])
        learned, dev, test = (np.arange(ends[n], ends[n + 1]) for n in range(3))
        for preset in PRESETS:
            if preset.name != chosen or time.perf_counter() - begun > limit:
                continue
            start = time.perf_counter()
            options: Any = kinds[preset.parser](**preset.options)
            if options.batch_tokens:
                mean = float(data.lengths[learned].mean())
                size = min(max(round(WORDS / mean), 1), len(learned))
                options = replace(options, batch=size, batch_tokens=0)
            each = -(-len(learned) // options.batch)
            epochs = min(MOST // each, options.epochs) if options.patience else options.epochs
            jobs = [(tags, seed) for tags in read for seed in range(seeds)]
            epochs, kept = best_models(
                [Learner(read[tags], learned, seed) for tags, seed in jobs], dev, options, epochs, -(-BETWEEN // each)
            )
            waiting = [
                paradigms.scores(arrays, paradigms.part_of(read[tags], test), options, more, pool)
                for (tags, _), (_, arrays) in zip(jobs, kept, strict=True)
            ]
            took = time.perf_counter() - start
            labels = "_best_labels" if preset.parser == "labelling" else ""
            for (tags, seed), (epoch, _), get in zip(jobs, kept, waiting, strict=True):
                found = get()
                rows.append({
                    "preset": preset.name, "treebank": name, "tags": tags, "seed": seed,
                    "uas": found[f"uas{labels}"], "las": found[f"las{labels}"], "epoch": epoch,
                    "epochs": epochs, "batch": options.batch, "seconds": took / len(jobs),
                })  # fmt: skip
            means = [
                round(float(np.mean([row["las"] for row in rows[-seeds * n :][:seeds]])), 2)
                for n in range(len(read), 0, -1)
            ]
            print(name, preset.name, epochs, "epochs", *means, f"{took:.1f} s", flush=True)
            target.write_text(json.dumps(rows, indent=1))
    pool.shutdown()


def table(*paths: str) -> None:
    """Add the rows of runs to the scores that are kept; later runs replace earlier ones."""
    from studies.parsers.preset_runs import keep

    latest: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for path in paths:
        found: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in json.loads(Path(path).read_text()):
            found.setdefault((row["preset"], row["treebank"]), []).append(row)
        latest |= found
    rows = [row for own in latest.values() for row in own]
    keep(TRAINED, rows)


VERBS: dict[str, Callable[..., None]] = {"encode": encode, "train": train, "table": table}

if __name__ == "__main__":
    VERBS[sys.argv[1]](*sys.argv[2:])
