"""Dropout of single elements: the labelling parser as published, and what it does to the defaults.

    python -m studies.parsers.dropout_gpu encode ARRAYS
    PYTHONPATH=src:. python -m studies.parsers.dropout_gpu train ARRAYS OUT [PLAN...] [--seeds=3]
        [--epochs=0] [--workers=3] [--seconds=540]
    python -m studies.parsers.dropout_gpu table OUT/dropout.json

The published labelling parser (dep2label, on NCRF++) drops single elements of a word's joined input
and of the BiLSTM's output, and nothing else. PLAN ``labels`` trains the preset sl-S+19 with that
dropout on what is at hand of D21, with gold tags; ``ablations`` also with its other choices:
uniform first weights, no dense layer before labels, no clipping; ``predicted`` is ``labels`` with a
tagger's tags. PLAN ``defaults`` trains the
default biaffine, pointer and labelling parsers with either dropout. The best epoch on dev is
scored on test: all words, whole relations. Models that differ only in first weights and clipping
learn in lockstep. Runs that are in OUT already are not made again; the third step writes
``studies/results/dropout_labels.csv`` and ``dropout_defaults.csv``, and the preset's own scores into
``preset_scores.csv``.
"""

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from studies.difficulty.gpu import finished
from studies.parsers import paradigms, preset_gpu

SMALL = preset_gpu.NAMES
LARGER = ("Afrikaans-AfriBooms", "Faroese-FarPaHC", "Greek-GDT", "Vietnamese-VTB")
FEW = ("Lithuanian-HSE", "Marathi-UFAL", "Tamil-TTB")
"""Treebanks of the ablations."""
CHOSEN = ("Marathi-UFAL", "Galician-TreeGal", "Welsh-CCG", "Afrikaans-AfriBooms", "Vietnamese-VTB")
"""Treebanks that may decide on the defaults; the others judge."""
BEFORE = {"masks": "shared", "initialisation": "orthogonal", "label_size": 400, "clip": 5.0}
"""The preset's choices before this study."""
Way = tuple[str, float]
"""First weights and clipping of a model."""
CLIPPED, UNIFORM, FREE = ("orthogonal", 5.0), ("uniform", 5.0), ("uniform", 0.0)
Task = dict[str, Any]
Rows = list[dict[str, Any]]


def encode(out: str) -> None:
    """Write ``labels/NAME.npz`` for the preset, and ``defaults/NAME.npz`` for the default parsers."""
    from studies.treebanks import release_folder
    from treegauge.parsing.neural.options import LabellingOptions
    from treegauge.parsing.probabilities.held_out import hold_out
    from treegauge.treebanks.data.conllu import read_splits

    Path(out, "defaults").mkdir(parents=True, exist_ok=True)
    preset_gpu.encode(str(Path(out) / "labels"))
    for name in (*SMALL, *LARGER):
        sets = read_splits(release_folder("r2.9") / f"UD_{name}")
        train, dev = sets["train"], sets.get("dev")
        if dev is None:
            train, dev = hold_out(train, seed=0)
        paradigms.save(Path(out) / "defaults" / f"{name}.npz", [train, dev, sets["test"]], LabellingOptions().encoding)


def planned(plan: str) -> Iterator[Task]:
    """Yield the trainings of a plan; those of a task learn in lockstep."""
    if plan == "labels":
        for name in SMALL:
            yield {"plan": plan, "treebank": name, "options": {"masks": "single"}, "ways": [CLIPPED]}
            yield {"plan": plan, "treebank": name, "options": {"masks": "single", "label_size": 0},
                   "ways": [UNIFORM, FREE]}  # fmt: skip
    if plan == "predicted":
        for name in reversed(SMALL):
            if name not in preset_gpu.GOLD_ONLY:
                yield {"plan": plan, "treebank": name, "options": {"masks": "single"}, "ways": [CLIPPED]}
    if plan == "ablations":
        for name in FEW:
            yield {"plan": plan, "treebank": name, "options": {"masks": "single"}, "ways": [UNIFORM, FREE]}
            yield {"plan": plan, "treebank": name, "options": {"masks": "single", "label_size": 0}, "ways": [CLIPPED]}
    if plan == "defaults":
        for name in (*SMALL, *LARGER):
            for parser in ("labelling", "biaffine", "pointer"):
                for masks in ("shared", "single"):
                    yield {"plan": plan, "treebank": name, "parser": parser, "options": {"masks": masks}}


def mixed(ways: list[Way]) -> Any:
    """Return a trainer whose models have first weights and clipping of their own."""
    import torch

    from treegauge.parsing.neural.encoder import initial, layout
    from treegauge.parsing.neural.training import Lockstep

    class Mixed(Lockstep):
        def __init__(self, learners: Any, options: Any, device: Any) -> None:
            super().__init__(learners, options, device)
            limits = [clip or float("inf") for _, clip in ways]
            self.limits = torch.tensor(limits, device=device)
            shapes, seeds = layout(learners[0].data, options), [one.seed for one in learners]
            other = initial(shapes, seeds, device, uniform=True)
            with torch.no_grad():
                for model, (first, _) in enumerate(ways):
                    for name, value in self.weights.items():
                        value[model] = other[name][model] if first == "uniform" else value[model]

        def _clip(self, grads: list[Any]) -> None:
            norms = torch.stack([torch.linalg.vector_norm(one.flatten(1), dim=1) for one in grads])
            scale = (self.limits / torch.linalg.vector_norm(norms, dim=0)).clamp(max=1)
            for one in grads:
                one.mul_(scale.view(-1, *[1] * (one.dim() - 1)))

    return Mixed


def label_trees(predictor: Any, more: dict[str, Any]) -> tuple[Any, Any]:
    """Return the trees of the default labelling parser: likeliest heads, relations at them."""
    from treegauge.parsing.label_encodings import find_encoding
    from treegauge.treebanks.data.decoding import spanning_tree

    is_root = more["relation_names"] == "root"
    output = predictor.labels()
    *columns, last = (np.exp(one[:, 1:]) for one in output.logs)
    offsets = np.asarray(predictor.data.offsets, np.int32)
    labels = [more[f"labels{n}"].tolist() for n in range(len(columns))]
    weigh = find_encoding(str(more["encoding"])).weigher(labels, offsets)
    shares = weigh(columns, last[:, is_root].sum(1))
    heads = np.concatenate([spanning_tree(np.pad(own.T, ((0, 0), (1, 0)))) for own in shares if len(own)])
    logs = predictor.relations_at(output, heads)[:, 1:]
    legal = is_root[None] == (heads == 0)[:, None]
    return heads, np.where(legal, logs, -np.inf).argmax(1) + 1


def trees_of(predictor: Any, more: dict[str, Any]) -> tuple[Any, Any]:
    """Return the heads and relations that a model finds."""
    from treegauge.parsing.neural.options import LabellingOptions
    from treegauge.treebanks.data.decoding import spanning_tree

    options = predictor.options
    if not isinstance(options, LabellingOptions):
        found: tuple[Any, Any] = predictor.parse(spanning_tree, more["of_roots"])
        return found
    if options.decoder == "spanning":
        return label_trees(predictor, more)
    *columns, last = (one[:, 1:].astype(np.float32) for one in predictor.label_log_probabilities())
    return paradigms.label_trees(columns, last, predictor.data.offsets, more)["_best_labels"]


def work(folder: str, task: Task, seeds: int, epochs: int) -> Rows:
    """Train the models of a task and return their scores."""
    from treegauge.parsing.neural.data import Encoded
    from treegauge.parsing.neural.options import BiaffineOptions, LabellingOptions, PointerOptions
    from treegauge.parsing.neural.predicting import Predictor
    from treegauge.parsing.neural.training import Learner
    from treegauge.parsing.options import find_preset

    begun = time.perf_counter()
    own = "defaults" if task["plan"] == "defaults" else "labels"
    data, more = Encoded.load(Path(folder) / own / f"{task['treebank']}.npz")
    tags = more.pop("predicted", data.tags)
    data = replace(data, tags=tags) if task["plan"] == "predicted" else data
    ends = np.cumsum([0, *more["parts"]])
    learned, dev, test = (np.arange(ends[n], ends[n + 1]) for n in range(3))
    if own == "defaults":
        kinds = {"biaffine": BiaffineOptions, "pointer": PointerOptions, "labelling": LabellingOptions}
        options: Any = kinds[task["parser"]](**task["options"])
        ways: list[Way] = [(options.initialisation, options.clip)]
    else:
        preset = find_preset("labelling", "sl-S+19")
        options = LabellingOptions(**{**preset.options, **BEFORE, **task["options"]})
        ways = [tuple(way) for way in task["ways"]]
    each = [way for way in ways for _ in range(seeds)]
    learners = [Learner(data, learned, number % seeds) for number in range(len(each))]
    course: list[Any] = []
    kind = None if own == "defaults" else mixed(each)
    _, models = preset_gpu.best_models(learners, dev, options, epochs or options.epochs, 1, kind, course)
    rows = []
    for number, (way, (epoch, arrays)) in enumerate(zip(each, models, strict=True)):
        part = paradigms.part_of(data, test)
        heads, names = trees_of(Predictor(arrays, part, options), more)
        right = heads == part.heads
        rows.append({
            "plan": task["plan"], "treebank": task["treebank"], "parser": task.get("parser", "labelling"),
            "masks": options.masks, "first": way[0], "clip": way[1], "dense": getattr(options, "label_size", 0) > 0,
            "seed": number % seeds, "epoch": epoch, "epochs": len(course),
            "uas": round(100 * float(right.mean()), 4),
            "las": round(100 * float((right & (names == part.relations)).mean()), 4),
            "dev": round(100 * float(course[epoch - 1][number]), 4),
            "last": round(100 * float(course[-1][number]), 4),
        })  # fmt: skip
    took = time.perf_counter() - begun
    gc.collect()
    return [row | {"seconds": round(took / len(rows), 2)} for row in rows]


KEY = ("plan", "treebank", "parser", "masks", "dense")


def is_done(task: Task, rows: Rows) -> bool:
    """Return whether the rows of a task are there."""
    options = task["options"]
    ways = task.get("ways", [CLIPPED])
    dense = options.get("label_size", 400) > 0 and task.get("parser", "labelling") == "labelling"
    wanted = (task["plan"], task["treebank"], task.get("parser", "labelling"), options["masks"], dense)
    known = {(row["first"], row["clip"]) for row in rows if tuple(row[key] for key in KEY) == wanted}
    return all(tuple(way) in known for way in ways)


def train(folder: str, out: str, *words: str) -> None:
    """Do the tasks of the plans, in several processes that share the GPU."""
    plans, given = paradigms.given_options(words)
    target = Path(out) / "dropout.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    rows: Rows = json.loads(target.read_text()) if target.exists() else []
    begun = time.perf_counter()
    until = begun + float(given.get("seconds", 540))
    tasks = [task for plan in plans or ("labels", "predicted", "ablations", "defaults") for task in planned(plan)]
    only = given["only"].split(",") if "only" in given else None
    with get_context("spawn").Pool(int(given.get("workers", 3))) as pool:
        running = [
            pool.apply_async(work, (folder, task, int(given.get("seeds", 3)), int(given.get("epochs", 0))))
            for task in tasks
            if not is_done(task, rows) and (only is None or task["treebank"] in only)
        ]
        for found in finished(running, until):
            rows += found
            target.write_text(json.dumps(rows, indent=0))
            first = found[0]
            means = [round(float(np.mean([row["las"] for row in found])), 2)]
            now = time.perf_counter() - begun
            took = sum(row["seconds"] for row in found)
            print(*(first[key] for key in KEY), means, f"{took:.0f} s, {now:.0f} s in all", flush=True)
        print(f"{len(running)} tasks not done", flush=True)


def table(path: str) -> None:
    """Write the scores of all trainings."""
    import polars as pl

    from studies.parts import RESULTS, as_csv
    from treegauge.core.files import atomic

    rows = json.loads(Path(path).read_text())
    frame = pl.DataFrame(rows)
    for name, plans in (("labels", ["labels", "ablations"]), ("defaults", ["defaults"])):
        own = frame.filter(pl.col("plan").is_in(plans)).drop("plan", "seconds")
        own = own.unique(own.columns[:7], keep="last", maintain_order=True).sort(own.columns[:7])
        with atomic(RESULTS / f"dropout_{name}.csv") as file:
            file.write(as_csv(own).encode())
    keep_preset(rows)


def keep_preset(rows: Rows) -> None:
    """Keep the preset's own variant among the scores of presets."""
    from studies.parsers.preset_runs import keep

    own = [row for row in rows if row["dense"] and (row["first"], row["clip"]) == CLIPPED]
    tags = {"labels": "gold", "predicted": "predicted"}
    keep(["sl-S+19"], [row | {"preset": "sl-S+19", "tags": tags[row["plan"]]} for row in own if row["plan"] in tags])


VERBS: dict[str, Callable[..., None]] = {"encode": encode, "train": train, "table": table}

if __name__ == "__main__":
    VERBS[sys.argv[1]](*sys.argv[2:])
