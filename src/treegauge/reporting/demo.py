"""Everything a page can show, made from packaged figures and invented treebanks."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from treegauge.crosslingual.contribution import contributions
from treegauge.crosslingual.panel import delexicalised, panel, train_sources
from treegauge.crosslingual.weights import kl_weights
from treegauge.curves.counting import Parse, count
from treegauge.dynamics.cartography import map_treebank
from treegauge.dynamics.crossfit import cross_fit
from treegauge.dynamics.recorder import probabilistic
from treegauge.experiments.sampling import sampled
from treegauge.parsers.registry import make_parser
from treegauge.results.files import atomic
from treegauge.results.result import countersign
from treegauge.testing.simulated_parser import Accuracy, imaginary_parser
from treegauge.testing.synthetic import Grammar, synthetic
from treegauge.treebanks.columns import Treebank, concat
from treegauge.treebanks.conllu import parse_conllu, read_conllu, write_conllu

Say = Callable[[str], None]

#: Invented parsers, by the share of heads they get right.
QUALITY = {"careful": 0.92, "average": 0.88, "hasty": 0.86}
#: Invented languages; the first is the one that parsers are trained on.
LANGUAGES = {
    "UD_Imaginary-SVO": Grammar(label_noise=0.01),
    "UD_Imaginary-Free": Grammar(order_freedom=0.9, case_marking=0.95, function_words=0.3,
                                 language=1),
    "UD_Imaginary-SOV": Grammar(basic_order="SOV", case_marking=0.9, language=2),
    "UD_Imaginary-VSO": Grammar(basic_order="VSO", function_words=0.9, length=20, language=3),
}  # fmt: skip
#: A tenth of its test sentences are copies of train sentences, for the audit to find.
LEAKY = "UD_Imaginary-VSO"
PARTS = {"train": 400, "dev": 60, "test": 200}
SIZES = (5, 10, 25, 50, 100, 200, 400)
SAMPLES = 3


def make_inputs(out: Path, *, seed: int, say: Say) -> list[str]:
    """Write the files of the demo and return what ``treegauge report`` takes.

    Parameters
    ----------
    out
        A folder.
    seed
        Seed of everything invented.
    say
        Told what is being done.
    """
    say("inventing four treebanks and three parsers (the first use compiles kernels)")
    folders = [_treebank(out, name, grammar, seed) for name, grammar in LANGUAGES.items()]
    systems = _systems(out, folders[0], seed)
    train, test = (_part(folders[0], part) for part in ("train", "test"))
    say("training a parser and watching what it learns, epoch by epoch")
    recordings = _recordings(out, train, seed)
    say(f"training on samples of {SIZES[0]} to {SIZES[-1]} sentences")
    counts = _counts(out, train, test, folders[0].name, seed)
    say("parsing one invented language with parsers of the others")
    votes = _votes(out, folders, test, seed)
    return ["conll18", *map(str, [*folders, *systems, *recordings, counts, votes])]


def _treebank(out: Path, name: str, grammar: Grammar, seed: int) -> Path:
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    code = name.partition("-")[2].lower()
    parts = {
        part: synthetic(sentences, grammar, seed=100 * seed + number, prefix=f"{code}-{part}")
        for number, (part, sentences) in enumerate(PARTS.items())
    }
    if name == LEAKY:
        few = len(parts["test"]) // 10
        parts["test"] = concat([parts["test"][few:], parts["train"][:few]])
    for part, made in parts.items():
        write_conllu(made, folder / f"{code}_imaginary-ud-{part}.conllu")
    return folder


def _part(folder: Path, part: str) -> Treebank:
    return read_conllu(folder, split=part, name=f"{folder.name}/{part}")


def _systems(out: Path, folder: Path, seed: int) -> list[Path]:
    """Write the test part under a short name, to try commands on, and three parsers' output."""
    gold = _part(folder, "test")
    write_conllu(gold, out / "gold.conllu")
    text = gold.to_bytes().decode()
    files = []
    for number, (name, quality) in enumerate(QUALITY.items()):
        parsed = imaginary_parser(text, Accuracy(heads=quality), seed=seed + number)
        files.append(out / f"{name}.conllu")
        write_conllu(parse_conllu(parsed, name=name), files[-1])
    return files


def _recordings(out: Path, train: Treebank, seed: int) -> list[Path]:
    engine = probabilistic("mst", epochs=6, options=["rate=0.02"])  # slow enough to watch
    watched = map_treebank(train, engine=engine, seeds=[seed])["train"][0]
    apart = cross_fit(train, engine=engine, folds=3, seed=seed)
    files = [out / "held_out.npz", out / "training.npz"]
    for file, recording in zip(files, (apart, watched), strict=True):
        recording.save(file)
    return files


def _counts(out: Path, train: Treebank, test: Treebank, name: str, seed: int) -> Path:
    parses = []
    for size in SIZES:
        # All sentences are one sampling; there, only the parser's seed varies.
        for sample in range(SAMPLES):
            chosen = sampled(len(train), size, sample, seed=seed)
            model = make_parser("mst", epochs=4).fit(train.take(np.sort(chosen)), seed=sample)
            parses.append(Parse("mst", size, sample, model.parse(test)))
    target = out / "counts.csv"
    count(test, parses, name=name).write(target)
    return target


def _votes(out: Path, folders: list[Path], test: Treebank, seed: int) -> Path:
    sources = {folder.name: _part(folder, "train") for folder in folders[1:]}
    models = train_sources(sources, delexicalised("mst", epochs=3), seed=seed, limit=200)
    weighed = kl_weights(_part(folders[0], "train"), sources)
    weights = dict(zip(weighed.sources, weighed.weights, strict=True))
    found = contributions(panel(test, models, weights), test)
    told = countersign(
        found.signature,
        parser="mst",
        options="epochs=3",
        train="first200",
        seed=seed,
        trees="voted",
    )
    found = replace(found, signature=told)
    target = out / "SVO_from_others.json"
    with atomic(target) as file:
        file.write(json.dumps(found.to_dict(), indent=1, allow_nan=False).encode())
    return target
