"""The biaffine parser compared with SuPar's on one CPU core: seconds per epoch, and LAS.

    python -m studies.parsers.supar_cpu encode FOLDER_OF_TREEBANKS DATA [NAME...]
    python -m studies.parsers.supar_cpu run PYTHON DATA OUT [NAME...] [--epochs=15] [--seed=0]
    python -m studies.parsers.supar_cpu table OUT/*.json

PYTHON is the interpreter of an environment that has SuPar 1.1.4 (``pip install supar==1.1.4`` into
one of its own). Sizes, step size, decay, dropout and clipping are the same and both see words,
characters and gold UPOS, on one thread. SuPar's batches are of a size at which it makes as
many updates as ours does of 32 sentences. Seconds are CPU time of learning alone. LAS is of trees,
all words, after the last epoch. The second step needs numpy and torch only.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from studies.parsers import paradigms

NAMES = ("UD_Telugu-MTG", "UD_Faroese-FarPaHC")
RESULTS = Path(__file__).parents[1] / "results" / "supar_cpu.csv"
THEIRS = """
import functools, json, sys, time, warnings
warnings.simplefilter("ignore")
import torch
given = json.loads(sys.argv[1])
torch.set_num_threads(1)
torch.manual_seed(given["seed"])
torch.load = functools.partial(torch.load, weights_only=False)  # SuPar is older than the default
from supar import BiaffineDependencyParser

class Timed(BiaffineDependencyParser):
    def _train(self, loader):
        begun = time.process_time()
        super()._train(loader)
        self.row = {"seconds": time.process_time() - begun, "updates": len(loader)}

    def _evaluate(self, loader):
        loss, metric = super()._evaluate(loader)
        if "row" in vars(self):
            part = "test_las" if "dev_las" in self.row else "dev_las"
            self.row[part] = 100 * float(metric.las)
            if part == "test_las":
                print("ROW" + json.dumps(self.row), flush=True)
        return loss, metric

settings = dict(
    path=given["model"], train=given["train"], dev=given["dev"], test=given["test"], build=True,
    checkpoint=False, encoder="lstm", feat=["tag", "char"], embed=None, unk="", n_embed=100,
    min_freq=2, fix_len=20, lr=2e-3, mu=0.9, nu=0.9, eps=1e-12, weight_decay=0, decay=0.75,
    decay_steps=5000, clip=5.0, batch_size=given["words"], buckets=16, update_steps=1,
    epochs=given["epochs"], patience=10000, punct=True, tree=True, proj=False, partial=False,
    verbose=False,
)
Timed.build(**settings).train(**settings)
"""


def encode(root: str, out: str, *names: str) -> None:
    """Write the arrays that ours reads and the files that theirs reads."""
    from treegauge.treebanks.data.conllu import read_splits

    Path(out).mkdir(parents=True, exist_ok=True)
    for name in names or NAMES:
        parts = {part: read_splits(Path(root) / name)[part] for part in ("train", "dev", "test")}
        paradigms.save(Path(out) / f"{name}.npz", list(parts.values()), paradigms.ENCODING)
        for part, treebank in parts.items():
            columns = [treebank[one].to_list() for one in ("form", "upos", "deprel")]
            with (Path(out) / f"{name}.{part}.conllx").open("w", encoding="utf-8") as file:
                for start, stop in zip(treebank.offsets[:-1], treebank.offsets[1:], strict=True):
                    for place, word in enumerate(range(start, stop), 1):
                        form, tag, relation = (own[word] for own in columns)
                        head = int(treebank.head[word])
                        print(place, form, "_", tag, tag, "_", head, relation, "_", "_", sep="\t", file=file)
                    print(file=file)


def theirs(python: str, folder: Path, name: str, epochs: int, seed: int) -> list[dict[str, float]]:
    """Train SuPar's parser; return what each epoch took and reached."""
    data, more = arrays_of(folder, name)
    train = int(more["parts"][0])
    # SuPar counts the root of each sentence, too.
    words = (int(data.offsets[train]) + train) / -(-train // 32)
    with tempfile.TemporaryDirectory() as own:
        files = {part: str(folder / f"{name}.{part}.conllx") for part in ("train", "dev", "test")}
        given = {**files, "model": f"{own}/model", "seed": seed, "epochs": epochs, "words": round(words)}
        done = subprocess.run(  # noqa: S603 - an interpreter that the caller names
            [python, "-c", THEIRS, json.dumps(given)], capture_output=True, text=True, check=False,
            env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
    rows = [json.loads(line[3:]) for line in done.stdout.splitlines() if line.startswith("ROW")]
    if len(rows) != epochs:
        raise SystemExit(f"SuPar ended after {len(rows)} of {epochs} epochs:\n{done.stderr[-2000:]}")
    return rows


def arrays_of(folder: Path, name: str) -> tuple[Any, dict[str, Any]]:
    """Read the arrays of a treebank."""
    from treegauge.parsing.neural.data import Encoded

    return Encoded.load(folder / f"{name}.npz")


def ours(folder: Path, name: str, epochs: int, seed: int) -> list[dict[str, float]]:
    """Train our parser; return what each epoch took and reached."""
    import torch

    from treegauge.parsing.neural.batches import numerics
    from treegauge.parsing.neural.encoder import to_arrays
    from treegauge.parsing.neural.options import BiaffineOptions
    from treegauge.parsing.neural.predicting import Predictor
    from treegauge.parsing.neural.training import Learner, Lockstep
    from treegauge.treebanks.data.decoding import spanning_tree

    data, more = arrays_of(folder, name)
    ends = np.cumsum([0, *more["parts"]])
    train, *others = (np.arange(ends[n], ends[n + 1]) for n in range(3))
    options = BiaffineOptions(device="cpu")
    rows = []
    device = torch.device("cpu")
    with numerics(device, 1):
        models = Lockstep([Learner(data, train, seed)], options, device)
        for epoch in range(1, epochs + 1):
            begun, before = time.process_time(), models.updates
            models.learn(epoch)
            row = {"seconds": time.process_time() - begun, "updates": models.updates - before}
            for part, sentences in zip(("dev", "test"), others, strict=True):
                own = paradigms.part_of(data, sentences)
                found = Predictor(to_arrays(models.weights), own, options)
                heads, names = found.parse(spanning_tree, more["of_roots"])
                right = (heads == own.heads) & (names == own.relations)
                row[f"{part}_las"] = 100 * float(right.mean())
            rows.append(row)
    return rows


def run(python: str, data: str, out: str, *words: str) -> None:
    """Train both, one after the other, and keep what each epoch took and reached."""
    names, given = paradigms.given_options(words)
    epochs, seed = int(given.get("epochs", 15)), int(given.get("seed", 0))
    try:
        subprocess.run([python, "-c", "import supar"], capture_output=True, check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit(
            f"{python} is not a Python with SuPar: pip install supar==1.1.4 into an environment "
            "of its own, and name its interpreter"
        ) from None
    Path(out).mkdir(parents=True, exist_ok=True)
    for name in names or NAMES:
        rows = []
        for parser, train in (("SuPar", partial(theirs, python)), ("treegauge", ours)):
            found = train(Path(data), name, epochs, seed)
            who = {"treebank": name, "parser": parser, "seed": seed}
            rows += [{**who, "epoch": n, **row} for n, row in enumerate(found, 1)]
            each = float(np.median([row["seconds"] for row in found]))
            print(who, f"{each:.2f} s an epoch,", found[-1], flush=True)
        Path(out, f"{name}.{seed}.json").write_text(json.dumps(rows, indent=1))


def table(*found: str) -> None:
    """Write medians of seconds and means of LAS after the last epoch, and print them."""
    import polars as pl

    from treegauge.core.files import atomic
    from treegauge.core.tables import to_text

    rows = pl.DataFrame([row for path in found for row in json.loads(Path(path).read_text())])
    keys = ["treebank", "parser"]
    last = rows.filter(pl.col("epoch") == pl.col("epoch").max().over("treebank"))
    means = (
        rows.group_by(keys)
        .agg(
            pl.col("seed").n_unique().alias("seeds"),
            pl.col("epoch").max().alias("epochs"),
            pl.col("updates").median(),
            pl.col("seconds").median().round(2),
        )
        .join(last.group_by(keys).agg(pl.col("dev_las", "test_las").mean().round(2)), on=keys)
        .sort(keys)
    )
    with atomic(RESULTS) as file:
        means.write_csv(file)
    print(to_text(means, digits=2))


VERBS: dict[str, Callable[..., None]] = {"encode": encode, "run": run, "table": table}

if __name__ == "__main__":
    VERBS[sys.argv[1]](*sys.argv[2:])
