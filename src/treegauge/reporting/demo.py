"""The main jobs on invented treebanks, ending with a page."""

import shlex
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treegauge.core.file_kinds import FOLDER
from treegauge.core.messages import note
from treegauge.core.verbs import command, verb
from treegauge.reporting.report import Page, report

if TYPE_CHECKING:
    from treegauge.testing.grammar import Grammar
    from treegauge.treebanks.data.columns import Treebank

#: Invented parsers, by the share of heads they get right.
QUALITY = {"careful": 0.92, "average": 0.88, "hasty": 0.86}
#: How overconfident they are; 1 means calibrated.
SHARPNESS = {"careful": 1.0, "average": 1.4, "hasty": 2.0}
#: A tenth of its test sentences are copies of training sentences, for the audit to find.
LEAKY = "UD_Imaginary-VSO"
SENTENCES = {"train": 400, "dev": 60, "test": 200}
SIZES = (5, 10, 25, 50, 100, 200, 400)
REPEATS = 3
#: Random subsets of treebanks of each size, enough for shares to within about half a point.
SUBSETS = 20_000
#: One team of the shared task did not submit output for this treebank.
MISSING = ("hasty", "UD_Imaginary-Free")
#: Invented vocabularies are small, so a small table of weights is enough.
SMALL: dict[str, Any] = {"bits": 18}


@verb(outputs={"out": FOLDER}, limits={"subsets": (1, 10**8)})
def demo(*, out: str | PathLike[str] = "demo", seed: int = 1, subsets: int = SUBSETS) -> Page:
    """Run the main jobs on invented treebanks; ends with a page to open.

    Invents treebanks and parsers, then scores and ranks the parsers, makes data maps and learning
    curves. `treegauge report` makes the page from these files and the CoNLL 2018 scores.

    Parameters
    ----------
    out
        Folder for the files and the page.
    seed
        Seed of everything invented.
    subsets
        The number of random subsets of treebanks of each size.
    """
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    sources = make_inputs(folder, seed=seed)
    page = report(*sources, out=folder / "index.html", title="treegauge demo", subsets=subsets)
    made = command(report, *(Path(one).name for one in sources))
    note(f"to make the page again: cd {shlex.quote(str(folder))} && {made}")
    return page


def demo_languages() -> "dict[str, Grammar]":
    """Return invented languages; parsers are trained on the first."""
    from treegauge.testing.grammar import Grammar

    return {
        "UD_Imaginary-SVO": Grammar(label_noise=0.01),
        "UD_Imaginary-Free": Grammar(order_freedom=0.9, case_marking=0.95, function_words=0.3, language=1),
        "UD_Imaginary-SOV": Grammar(basic_order="SOV", case_marking=0.9, language=2),
        "UD_Imaginary-VSO": Grammar(basic_order="VSO", function_words=0.9, length=20, language=3),
    }


def make_inputs(out: Path, *, seed: int) -> list[str]:
    """Write the files of the demo and return them as arguments of ``treegauge report``."""
    from treegauge.learning.curve import counts
    from treegauge.learning.map import map as map_treebanks
    from treegauge.learning.transfer import transfer
    from treegauge.treebanks.data.conllu import read_conllu

    note("inventing four treebanks and three parsers")
    folders = [_treebank(out, name, grammar, seed) for name, grammar in demo_languages().items()]
    first = folders[0]
    gold, train = (read_conllu(first, split=split, name=f"{first.name}/{split}") for split in ("test", "train"))
    systems = _systems(out, gold, seed)
    _shared_task(out / "shared_task", folders, seed)
    recording, counted, votes = (out / name for name in ("training.npz", "counts.csv", "SVO_from_others.json"))
    note("training a parser and recording its probabilities after each epoch")
    slow = SMALL | {"rate": 0.02}  # so that confidence changes over the epochs
    map_treebanks(train, epochs=6, option=slow, seed=seed, candidates=100, folds=3, recording=recording)
    note(f"training on samples of {SIZES[0]} to {SIZES[-1]} sentences")
    counts(
        first, parser="mst", option=SMALL | {"epochs": 4}, sizes=SIZES, samples=REPEATS, store=out / "curves.store"
    ).save(counted)
    note("parsing one invented language with parsers of the others")
    transfer(*folders, parser="mst", option=SMALL | {"epochs": 3}, limit=200, seed=seed, leave_one_out=True).save(votes)
    return ["conll18", *map(str, [*folders, *systems, recording, counted, votes])]


def _treebank(out: Path, name: str, grammar: "Grammar", seed: int) -> Path:
    from treegauge.testing.synthetic import synthetic
    from treegauge.treebanks.data.columns import concat
    from treegauge.treebanks.data.conllu import write_conllu

    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    code = name.partition("-")[2].lower()
    splits = {
        split: synthetic(sentences, grammar, seed=100 * seed + number, prefix=f"{code}-{split}")
        for number, (split, sentences) in enumerate(SENTENCES.items())
    }
    if name == LEAKY:
        few = len(splits["test"]) // 10
        splits["test"] = concat([splits["test"][few:], splits["train"][:few]])
    for split, treebank in splits.items():
        write_conllu(treebank, folder / f"{code}_imaginary-ud-{split}.conllu")
    return folder


def _systems(out: Path, gold: "Treebank", seed: int) -> list[Path]:
    """Write the test set under a short name, and the output of three parsers."""
    from treegauge.testing.simulated_parser import Accuracy, simulated_parse, with_simulated_confidence
    from treegauge.treebanks.data.conllu import parse_conllu, write_conllu

    write_conllu(gold, out / "gold.conllu")
    text = gold.to_bytes().decode()
    files = []
    for number, (name, quality) in enumerate(QUALITY.items()):
        files.append(out / f"{name}.conllu")
        parsed = parse_conllu(simulated_parse(text, Accuracy(heads=quality), seed=seed + number))
        sure = with_simulated_confidence(parsed, gold, seed=seed + number, sharpness=SHARPNESS[name])
        write_conllu(sure, files[-1])
    return files


def _shared_task(out: Path, folders: list[Path], seed: int) -> None:
    """Write the gold files of a shared task and the output of three teams."""
    from treegauge.testing.simulated_parser import Accuracy, simulated_parse

    for number, folder in enumerate(folders):
        (source,) = folder.glob("*-ud-test.conllu")
        text = source.read_text(encoding="utf-8")
        outputs = {out / "gold" / folder.name / source.name: text}
        for team, quality in QUALITY.items():
            if (team, folder.name) != MISSING:
                place = out / "teams" / team / source.name.replace("-ud-test", "")
                outputs[place] = simulated_parse(text, Accuracy(heads=quality), seed=100 * seed + number)
        for place, written in outputs.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(written, encoding="utf-8", newline="\n")
