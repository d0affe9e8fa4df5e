"""How many injected annotation errors are among the words that parsers contradict most.

Run ``python -m replications.annotation_errors``; the treebanks are looked for under
``TREEGAUGE_UD``. In the train part of each, 2 % of the words get an error: half a wrong head, half
a wrong relation. Heads are wrong in two ways: any other word that leaves a tree, or the old head's
head or another dependent of it (near). Words are ranked by several scores, from the training of
the log-linear parser itself (``trained``) and from 5 folds in which no parser learns from the words
it judges (``held out``); printed are the percentages of errors among the first 1, 2 and 5 % of the
words. Errors that were there before count as misses. The score is chosen on the first group of
treebanks, and the second group tells how good it is.
"""

import sys
from typing import cast

import numpy as np
import numpy.typing as npt

from replications.parts import release_folder
from treegauge.dynamics.candidates import SCORES, suspicion
from treegauge.dynamics.map import map as map_treebanks
from treegauge.dynamics.recording import Recording
from treegauge.testing.perturb import Heads, inject_errors
from treegauge.treebanks.conllu import read_splits

CHOOSE = ("English-LinES", "Turkish-IMST")
REPORT = ("French-Sequoia", "Greek-GDT", "Vietnamese-VTB", "Afrikaans-AfriBooms")
DEPTHS = (0.01, 0.02, 0.05)
WAYS: tuple[Heads, ...] = ("any", "near")
SHARE, EPOCHS, FOLDS = 0.02, 3, 5
Table = dict[str, list[float]]


def precision(wrong: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]) -> list[float]:
    """Return the percentage of errors among the first words at each depth."""
    order = np.argsort(-scores, kind="stable")
    return [100 * float(wrong[order[: round(depth * len(wrong))]].mean()) for depth in DEPTHS]


def compared(name: str, heads: Heads, store: str | None) -> Table:
    """Inject errors into one treebank and see who finds them."""
    root = release_folder("r2.9")
    gold = read_splits(root / f"UD_{name}")["train"]
    made = inject_errors(gold, SHARE, seed=1, heads=heads)
    maps = map_treebanks(made.treebank, epochs=EPOCHS, candidates=1, folds=FOLDS, store=store)
    (archive,) = maps.archives
    seen = {"trained": archive.recordings[0], "held out": cast("Recording", archive.held_out)}
    chance = np.random.default_rng(0).random(gold.n_words)
    found = {"random": precision(made.changed, chance)}
    for how, recording in seen.items():
        for score in SCORES:
            scores, _ = suspicion(recording, made.treebank, score=score)
            found[f"{score}, {how}"] = precision(made.changed, scores)
    return found


def mean(tables: list[Table]) -> Table:
    """Average the percentages over treebanks and kinds of errors."""
    return {name: np.mean([table[name] for table in tables], axis=0).tolist() for name in tables[0]}


def show(title: str, table: Table) -> None:
    """Print a table."""
    print(f"\n| {title} | 1 % | 2 % | 5 % |\n|---|---:|---:|---:|")
    for name, values in table.items():
        print(f"| {name} | " + " | ".join(f"{value:.1f}" for value in values) + " |")
    sys.stdout.flush()


def main() -> None:
    """Choose the score, then report on other treebanks."""
    store = sys.argv[1] if sys.argv[1:] else None
    groups = []
    for names in (CHOOSE, REPORT):
        tables = []
        for name in names:
            for heads in WAYS:
                tables.append(compared(name, heads, store))
                show(f"{name}, {heads} head", tables[-1])
        groups.append(mean(tables))
    show("chosen on " + ", ".join(CHOOSE), groups[0])
    best = max(groups[0], key=lambda name: sum(groups[0][name]))
    show("reported: " + ", ".join(REPORT), groups[1])
    print(
        f"\nchosen: {best}; on the other treebanks: "
        + " ".join(f"{v:.1f}" for v in groups[1][best])
    )


if __name__ == "__main__":
    main()
